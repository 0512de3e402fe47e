//! The changes of a merge against all its parents at once (`-c`, `--cc`): the paths that differ from every parent.

use adit_diff::combined;
use adit_diff::formats::{Ids, mode};
use adit_diff::patch::Content;
use adit_diff::programs;
use adit_diff::show::{Formats, ShowOptions};
use adit_diff::userdiff::Driver;
use adit_diff::{FilePair, Side};
use adit_object::ObjectId;

use super::reporter::{ChangeWorker, Changes, Parent, View};
use crate::error::Error;
use crate::options::merges::Merges;

/// How the changes of a merge against its first parent are shown beside those against all parents.
pub fn for_first_parent(show: &ShowOptions) -> ShowOptions {
    let formats = Formats {
        raw: false,
        name_status: false,
        name_only: false,
        patch: false,
        check: false,
        ..show.formats
    };
    ShowOptions { formats, ..show.clone() }
}

/// A path that differs from every parent.
struct Path<'p> {
    /// The change against each parent.
    pairs: Vec<&'p FilePair>,
    /// What the merge has made of it.
    result: &'p Side,
}

impl View<'_> {
    /// Appends the entry and the combined change of a merge. The entry is shown even when there is no change.
    pub(super) fn append_merge(
        &self,
        changes: &Changes<'_>,
        worker: &mut ChangeWorker<'_>,
        parents: &[Parent],
        tree: ObjectId,
        out: &mut Vec<u8>,
    ) -> Result<bool, Error> {
        let ShowOptions { formats, names, .. } = changes.show;
        self.append_entry(None, out)?;
        if formats.is_empty() {
            return Ok(true);
        }
        if !self.reporter.entries.is_silent() {
            out.push(names.terminator());
        }
        worker.append_combined(changes, parents.iter().map(|parent| parent.tree), tree, out)?;
        Ok(true)
    }
}

impl ChangeWorker<'_> {
    /// Appends what differs between a tree and all of several others, in all the formats that were asked for.
    ///
    /// # Errors
    /// When something cannot be read.
    pub fn append_combined(
        &mut self,
        changes: &Changes<'_>,
        parents: impl Iterator<Item = ObjectId>,
        tree: ObjectId,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let ShowOptions { formats, names, .. } = changes.show;
        let mut found = Vec::new();
        for parent in parents {
            found.push(self.core.compare(Some(&parent), Some(&tree))?);
        }
        let first = found.first().map_or(&[][..], Vec::as_slice);
        let start = out.len();
        self.first_parent.print(first, out)?;
        let paths = common_paths(&found);
        if paths.is_empty() {
            return Ok(());
        }
        for path in &paths {
            path.append(changes, out);
        }
        if formats.patch {
            if out.len() > start {
                out.push(names.terminator());
            }
            for path in &paths {
                self.append_combined_patch(changes, path, out)?;
            }
        }
        Ok(())
    }

    /// Appends the combined patch of a path.
    fn append_combined_patch(
        &mut self,
        changes: &Changes<'_>,
        path: &Path<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let driver = changes.attributes.driver(path.result.path.as_ref());
        let driver = driver.as_deref();
        let read = |side: &Side| -> Result<(Vec<u8>, Option<Vec<u8>>), Error> {
            let (mut content, mut text) = (Vec::new(), Vec::new());
            self.contents.read(side, &mut content)?;
            if let Some(program) = &changes.show.patch.textconv
                && programs::text_of(&**program, driver, side, &content, &mut text)
                    .map_err(adit_diff::Error::from)?
            {
                return Ok((content, Some(text)));
            }
            Ok((content, None))
        };
        let contents = path.pairs.iter().map(|pair| read(&pair.old)).collect::<Result<Vec<_>, _>>()?;
        let parents: Vec<combined::Parent<'_>> = path
            .pairs
            .iter()
            .zip(&contents)
            .map(|(pair, read)| combined::Parent {
                mode: pair.old.mode,
                id: pair.old.id,
                path: pair.old.path.as_ref(),
                status: pair.status,
                content: content_of(read, driver),
            })
            .collect();
        let result = read(path.result)?;
        let file = combined::File {
            mode: path.result.mode,
            id: path.result.id,
            path: path.result.path.as_ref(),
            content: content_of(&result, driver),
            parents: &parents,
        };
        let style = combined::Style { dense: changes.merges == Merges::Dense, all_paths: changes.all_paths };
        let abbreviate = |id: &ObjectId| {
            let digits = changes.default_digits;
            if id.is_null() { digits } else { self.objects.abbreviate(id, digits).unwrap_or(digits) }
        };
        self.combined
            .write(&file, style, &changes.show.patch, &abbreviate, out)
            .map_err(|error| Error::fatal(error.to_string()))
    }
}

/// A content that was read, or the text that a program made of it.
fn content_of<'c>((raw, text): &'c (Vec<u8>, Option<Vec<u8>>), driver: Option<&'c Driver>) -> Content<'c> {
    match text {
        Some(text) => Content { bytes: text, raw: Some(raw), driver },
        None => Content { bytes: raw, raw: None, driver },
    }
}

/// The paths that are in all lists, in the order of the first.
fn common_paths(found: &[Vec<FilePair>]) -> Vec<Path<'_>> {
    let Some((first, others)) = found.split_first() else { return Vec::new() };
    let others: Vec<hashbrown::HashMap<&[u8], &FilePair>> = others
        .iter()
        .map(|pairs| pairs.iter().map(|pair| (pair.new.path.as_slice(), pair)).collect())
        .collect();
    let mut paths = Vec::new();
    for pair in first {
        let mut pairs = vec![pair];
        pairs.extend(others.iter().filter_map(|by_path| by_path.get(pair.new.path.as_slice()).copied()));
        if pairs.len() == found.len() {
            paths.push(Path { pairs, result: &pair.new });
        }
    }
    paths
}

impl Path<'_> {
    /// Appends the path in the formats that have a record a path.
    fn append(&self, changes: &Changes<'_>, out: &mut Vec<u8>) {
        let ShowOptions { formats, names, full_raw_ids, .. } = changes.show;
        if !formats.raw && !formats.name_status && !formats.name_only {
            return;
        }
        if formats.raw {
            out.resize(out.len() + self.pairs.len(), b':');
            for pair in &self.pairs {
                mode(pair.old.mode, out);
                out.push(b' ');
            }
            mode(self.result.mode, out);
            let ids = if *full_raw_ids { Ids::Full } else { Ids::Short(changes.abbreviate) };
            for side in self.pairs.iter().map(|pair| &pair.old).chain([self.result]) {
                out.push(b' ');
                ids.append(&side.id, out);
            }
            out.push(b' ');
        }
        if formats.raw || formats.name_status {
            out.extend(self.pairs.iter().map(|pair| pair.status.letter()));
            out.push(names.separator());
        }
        if changes.all_paths {
            for pair in &self.pairs {
                names.path(pair.old.path.as_ref(), out);
                out.push(names.separator());
            }
        }
        names.path(self.result.path.as_ref(), out);
        out.push(names.terminator());
    }
}
