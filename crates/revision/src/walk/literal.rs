//! What trees hold at given paths. When a pathspec names paths exactly, that decides whether two trees differ, and each
//! tree is read once however often it is compared.

use adit_diff::pathspec::Pathspec;
use adit_diff::trees::normal_mode;
use adit_object::{EntryKind, IdMap, ObjectId, ObjectKind, Source, SourceError, Tree};
use bstr::{BString, ByteSlice};

/// Mode and id of an entry; `None` when there is none.
type Found = Option<(u32, ObjectId)>;

/// Paths that are looked up in trees.
pub(super) struct LiteralPaths<'s> {
    source: &'s dyn Source,
    /// What trees are read from, when that makes a difference.
    view: Option<Box<dyn Source + 's>>,
    paths: Vec<LiteralPath>,
}

/// A path by its parts, each with what it was in the trees that were looked at.
struct LiteralPath {
    parts: Vec<BString>,
    known: Vec<IdMap<Found>>,
}

impl<'s> LiteralPaths<'s> {
    /// The paths of a pathspec; `None` when it has items that are more than the name of a file or folder.
    pub(super) fn new(source: &'s dyn Source, pathspec: &Pathspec) -> Option<Self> {
        let paths = pathspec.items().iter().map(|item| {
            let path: &[u8] = item.pattern();
            let exact = item.is_literal() && !path.is_empty() && !path.ends_with(b"/");
            exact.then(|| {
                let parts: Vec<BString> = path.split_str("/").map(BString::from).collect();
                LiteralPath { known: vec![IdMap::default(); parts.len()], parts }
            })
        });
        Some(LiteralPaths { source, view: source.passing_view(), paths: paths.collect::<Option<_>>()? })
    }

    /// Whether two trees differ in one of the paths.
    pub(super) fn differ(&mut self, old: &ObjectId, new: &ObjectId) -> Result<bool, SourceError> {
        let source = self.view.as_deref().unwrap_or(self.source);
        for path in &mut self.paths {
            if path.find(source, old)? != path.find(source, new)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a tree has none of the paths.
    pub(super) fn lacks_all(&mut self, tree: &ObjectId) -> Result<bool, SourceError> {
        let source = self.view.as_deref().unwrap_or(self.source);
        for path in &mut self.paths {
            if path.find(source, tree)?.is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl LiteralPath {
    fn find(&mut self, source: &dyn Source, root: &ObjectId) -> Result<Found, SourceError> {
        let mut tree = *root;
        let mut found = None;
        for (part, known) in self.parts.iter().zip(&mut self.known) {
            found = match known.get(&tree) {
                Some(found) => *found,
                None => {
                    let content = source.share_kind(&tree, ObjectKind::Tree)?;
                    let found = entry(source, &tree, &content, part)?;
                    known.insert(tree, found);
                    found
                }
            };
            let Some((_, id)) = found else { return Ok(None) };
            tree = id;
            let is_folder = found.is_some_and(|(mode, _)| EntryKind::of_mode(mode) == EntryKind::Tree);
            let is_last = std::ptr::eq(part, &self.parts[self.parts.len() - 1]);
            if !is_folder && !is_last {
                return Ok(None);
            }
        }
        Ok(found)
    }
}

/// The entry of that name in a tree's bytes.
fn entry(source: &dyn Source, id: &ObjectId, bytes: &[u8], name: &BString) -> Result<Found, SourceError> {
    let format = source.format();
    for entry in Tree::new(format, bytes) {
        let entry = entry.map_err(|error| SourceError::Malformed { id: *id, error })?;
        if entry.name == name {
            return Ok(Some((normal_mode(entry.mode), entry.id(format))));
        }
        // Folders sort as if a slash followed, so only the first byte tells for sure that the name is past.
        if entry.name.first() > name.first() {
            break;
        }
    }
    Ok(None)
}
