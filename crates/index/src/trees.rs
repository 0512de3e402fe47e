//! Between the index and tree objects: reading a tree as entries, and writing the entries as trees.

use adit_object::{EntryKind, ObjectFormat, ObjectId, ObjectKind, Source, SourceError, Tree};
use bstr::{BString, ByteSlice};

use crate::cache_tree::{CacheTree, CacheTreeNode, MAX_DEPTH};
use crate::edit::Rebuilt;
use crate::entry::{EntryFlags, EntryValue, NewEntry, Stage};
use crate::index::Index;

/// All that a tree holds: entries in order, and the cache tree that belongs to them.
#[derive(Debug)]
pub struct TreeEntries {
    /// The entries, of whose files nothing is known.
    pub entries: Vec<NewEntry>,
    /// The trees that they were read from.
    pub cache_tree: CacheTree,
}

/// The mode that an index has for the mode of a tree's entry.
pub fn index_mode(mode: u32) -> u32 {
    match EntryKind::of_mode(mode) {
        EntryKind::Symlink => 0o120_000,
        EntryKind::Gitlink => 0o160_000,
        EntryKind::Tree => 0o040_000,
        EntryKind::File if mode & 0o100 != 0 => 0o100_755,
        EntryKind::File => 0o100_644,
    }
}

/// A folder that is being read.
struct Level {
    node: CacheTreeNode,
    id: ObjectId,
    content: Vec<u8>,
    /// How much of it was read.
    at: usize,
    path_len: usize,
    /// How many entries there were before it.
    first: usize,
}

/// Reads the tree `id` with all that is below it; paths start with `prefix`.
///
/// # Errors
/// When a tree cannot be read, or folders lie too deep in each other.
pub fn read_tree(source: &dyn Source, id: &ObjectId, prefix: &[u8]) -> Result<TreeEntries, SourceError> {
    let mut entries = Vec::new();
    let mut path = prefix.to_vec();
    let open = |node, id: ObjectId, path_len, first| -> Result<Level, SourceError> {
        let mut content = Vec::new();
        source.read_kind(&id, ObjectKind::Tree, &mut content)?;
        Ok(Level { node, id, content, at: 0, path_len, first })
    };
    let mut levels = vec![open(CacheTreeNode::new(b""), *id, path.len(), 0)?];
    loop {
        let depth = levels.len();
        let Some(level) = levels.last_mut() else {
            return Ok(TreeEntries { entries, cache_tree: CacheTree::default() });
        };
        path.truncate(level.path_len);
        let mut rest = Tree::new(source.format(), &level.content[level.at..]);
        let Some(entry) = rest.next() else {
            level.node.valid = Some((level.id, entries.len() - level.first));
            let Some(done) = levels.pop() else { continue };
            match levels.last_mut() {
                Some(parent) => parent.node.add_child(done.node),
                None => return Ok(TreeEntries { entries, cache_tree: CacheTree { root: done.node } }),
            }
            continue;
        };
        level.at = level.content.len() - rest.rest().len();
        let entry = entry.map_err(|error| SourceError::Malformed { id: level.id, error })?;
        path.extend_from_slice(entry.name);
        if entry.kind() != EntryKind::Tree {
            let value = EntryValue::new(index_mode(entry.mode), entry.id(source.format()));
            entries.push(NewEntry { path: path.clone().into(), value });
            continue;
        }
        if depth >= MAX_DEPTH {
            let error = adit_object::ParseError {
                kind: ObjectKind::Tree,
                what: "exceeded maximum allowed tree depth",
            };
            return Err(SourceError::Malformed { id: level.id, error });
        }
        let (node, id) = (CacheTreeNode::new(entry.name), entry.id(source.format()));
        path.push(b'/');
        levels.push(open(node, id, path.len(), entries.len())?);
    }
}

/// Why the entries make no tree.
#[derive(Debug, thiserror::Error)]
pub enum WriteTreeError<E> {
    /// Paths are in conflict.
    #[error("paths are in conflict")]
    Unmerged(Vec<(BString, ObjectId)>),
    /// A path is a file and a folder.
    #[error("You have both {0} and {1}")]
    FileAndFolder(BString, BString),
    /// An entry names an object that is not there.
    #[error("invalid object {mode:06o} {id} for '{path}'")]
    Missing {
        /// The entry's mode.
        mode: u32,
        /// The object.
        id: ObjectId,
        /// The entry's path.
        path: BString,
    },
    /// Folders lie too deep in each other.
    #[error("exceeded maximum allowed tree depth")]
    TooDeep,
    /// A tree could not be written.
    #[error("{0}")]
    Write(E),
}

/// Where trees are written to.
pub trait TreeSink {
    /// Why it may fail.
    type Error;

    /// Whether there is such an object.
    fn contains(&mut self, id: &ObjectId) -> bool;

    /// Writes a tree with that content; `None` when it is not to be written and not there, and so stays unknown.
    ///
    /// # Errors
    /// When it cannot be written.
    fn write_tree(&mut self, content: &[u8]) -> Result<Option<ObjectId>, Self::Error>;
}

impl Index {
    /// Writes the trees that the entries make and are not known yet, and returns the topmost. The cache tree then knows
    /// all of them. With `missing_ok`, objects need not be there.
    ///
    /// # Errors
    /// When the entries make no tree, or one cannot be written.
    pub fn write_tree<S: TreeSink>(
        &mut self,
        sink: &mut S,
        missing_ok: bool,
    ) -> Result<ObjectId, WriteTreeError<S::Error>> {
        if let Some((id, count)) = self.cache_tree().and_then(|tree| tree.root.valid)
            && count == self.len()
            && (missing_ok || sink.contains(&id))
        {
            return Ok(id);
        }
        self.check_trees()?;
        let known = self.cache_tree_mut().map(std::mem::take).unwrap_or_default();
        let mut writer = TreeWriter { index: self, sink, missing_ok };
        let built = writer.folder(0..writer.index.len(), 0, Some(&known.root), b"", 0);
        match built {
            Ok((node, id, _)) => {
                self.set_cache_tree(Some(CacheTree { root: node }));
                Ok(id)
            }
            Err(error) => {
                self.set_cache_tree(Some(known));
                Err(error)
            }
        }
    }

    /// Refuses conflicts, and paths that are a file and a folder.
    fn check_trees<E>(&self) -> Result<(), WriteTreeError<E>> {
        let unmerged = self.entries().filter(|entry| entry.stage() != Stage::Merged);
        let unmerged: Vec<_> = unmerged.map(|entry| (entry.path().to_owned(), entry.id())).collect();
        if !unmerged.is_empty() {
            return Err(WriteTreeError::Unmerged(unmerged));
        }
        for (at, entry) in self.entries().enumerate() {
            // Paths such as `a-b` may lie between `a` and `a/b`.
            let path = entry.path();
            if at + 1 < self.len() && self.entry(at + 1).path().starts_with(path) && !path.ends_with(b"/") {
                let below = self.below(&[path.as_bytes(), b"/"].concat());
                if !below.is_empty() {
                    let other = self.entry(below.start).path().to_owned();
                    return Err(WriteTreeError::FileAndFolder(path.to_owned(), other));
                }
            }
        }
        Ok(())
    }

    /// Puts the entries of their trees in the place of the folders of a sparse index.
    ///
    /// # Errors
    /// When a tree cannot be read.
    pub fn expand(&mut self, source: &dyn Source) -> Result<(), SourceError> {
        if !self.is_sparse() {
            return Ok(());
        }
        let mut all = Vec::with_capacity(self.len());
        for at in 0..self.len() {
            let entry = self.entry(at);
            if !entry.is_sparse_folder() {
                all.push(Rebuilt::Kept(at));
                continue;
            }
            let below = read_tree(source, &entry.id(), entry.path())?;
            let flags = EntryFlags { skip_worktree: true, ..EntryFlags::default() };
            all.extend(below.entries.into_iter().map(|NewEntry { path, value }| {
                Rebuilt::New(NewEntry { path, value: EntryValue { flags, ..value } })
            }));
        }
        let changed = self.is_changed();
        self.rebuild(all);
        self.sparse = false;
        self.changed = changed;
        Ok(())
    }
}

struct TreeWriter<'i, S> {
    index: &'i Index,
    sink: &'i mut S,
    missing_ok: bool,
}

/// A folder that was written: what the cache tree knows of it, its tree, and whether that is empty because all in
/// it is only meant to be added.
type Folder = (CacheTreeNode, ObjectId, bool);

impl<S: TreeSink> TreeWriter<'_, S> {
    /// Writes the folder whose entries are `range` and whose path, with its slash, has `base` bytes.
    fn folder(
        &mut self,
        range: std::ops::Range<usize>,
        base: usize,
        known: Option<&CacheTreeNode>,
        name: &[u8],
        depth: usize,
    ) -> Result<Folder, WriteTreeError<S::Error>> {
        if let Some(known) = known
            && let Some((id, count)) = known.valid
            && count == range.len()
            && (self.missing_ok || self.sink.contains(&id))
        {
            return Ok((known.clone(), id, false));
        }
        if depth >= MAX_DEPTH {
            return Err(WriteTreeError::TooDeep);
        }
        let format: ObjectFormat = self.index.format();
        let mut node = CacheTreeNode::new(name);
        let mut content = Vec::new();
        let mut complete = true;
        let mut at = range.start;
        while at < range.end {
            let entry = self.index.entry(at);
            let rest = &entry.path()[base..];
            let Some(slash) = rest.find_byte(b'/').filter(|_| !entry.is_sparse_folder()) else {
                at += 1;
                if entry.flags().intent_to_add {
                    complete = false;
                    continue;
                }
                let (mode, id) = (entry.mode(), entry.id());
                let must_be_there = !self.missing_ok && entry.kind() != EntryKind::Gitlink;
                if id.is_null() || (must_be_there && !self.sink.contains(&id)) {
                    return Err(WriteTreeError::Missing { mode, id, path: entry.path().to_owned() });
                }
                append(mode, rest.strip_suffix(b"/").unwrap_or(rest), &id, &mut content);
                continue;
            };
            let name = &rest[..slash];
            let path = &entry.path()[..base + slash + 1];
            let end = at + self.span(at..range.end, path, known.and_then(|known| known.child(name)));
            let known = known.and_then(|known| known.child(name));
            let (child, id, empty) = self.folder(at..end, base + slash + 1, known, name, depth + 1)?;
            complete &= child.valid.is_some();
            node.add_child(child);
            at = end;
            if !empty {
                append(0o040_000, name, &id, &mut content);
            }
        }
        let empty = content.is_empty() && !complete;
        let written = self.sink.write_tree(&content).map_err(WriteTreeError::Write)?;
        complete &= written.is_some();
        let id = written.unwrap_or(ObjectId::null(format));
        node.valid = complete.then_some((id, range.len()));
        Ok((node, id, empty))
    }

    /// How many entries from the start of `range` on lie below `path`, which has a slash at its end.
    fn span(&self, range: std::ops::Range<usize>, path: &[u8], known: Option<&CacheTreeNode>) -> usize {
        let inside = |at: usize| self.index.entry(at).path().starts_with(path);
        // What the cache tree says of an unchanged folder is right; a look at its ends proves it.
        if let Some((_, count)) = known.and_then(|known| known.valid)
            && (1..=range.len()).contains(&count)
            && inside(range.start + count - 1)
            && (count == range.len() || !inside(range.start + count))
        {
            return count;
        }
        let (mut low, mut high) = (0, range.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if inside(range.start + middle) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

fn append(mode: u32, name: &[u8], id: &ObjectId, content: &mut Vec<u8>) {
    content.extend_from_slice(format!("{mode:o} ").as_bytes());
    content.extend_from_slice(name);
    content.push(0);
    content.extend_from_slice(id.as_bytes());
}
