//! Whether two commits make the same change, whatever the line numbers and white space (git-patch-id).
//!
//! The ids are only for comparison within one process: they are made of the same things as those of `git patch-id`,
//! so the same commits come out equal.

use std::ops::ControlFlow;

use adit_diff::lines::{self, Change as LineChange, Workspace};
use adit_diff::pathspec::Pathspec;
use adit_diff::trees::{Entry, TreeDiff, TreeOptions};
use adit_object::{Checksum, EntryKind, ObjectFormat, ObjectId, Source, SourceError};
use bstr::{BString, ByteSlice};

/// Lines around a change that belong to it.
const CONTEXT: usize = 3;
/// Git looks for a NUL in so many bytes to tell binary files.
const BINARY_PROBE: usize = 8000;

/// Makes patch ids, with buffers that are used again.
pub struct PatchIds<'s> {
    source: &'s dyn Source,
    trees: TreeDiff<'s, dyn Source + 's>,
    pathspec: Option<Pathspec>,
    workspace: Workspace,
    changes: Vec<LineChange>,
    old: Vec<u8>,
    new: Vec<u8>,
}

/// A file that a commit changed.
struct FileChange {
    path: BString,
    old: Option<Entry>,
    new: Option<Entry>,
}

impl<'s> PatchIds<'s> {
    /// Compares only what matches `pathspec`.
    pub fn new(source: &'s dyn Source, pathspec: Option<Pathspec>) -> Self {
        PatchIds {
            source,
            trees: TreeDiff::new(source),
            pathspec,
            workspace: Workspace::default(),
            changes: Vec::new(),
            old: Vec::new(),
            new: Vec::new(),
        }
    }

    /// An id of the names of the files that differ between two trees: equal patches have equal ones, and it is
    /// cheap.
    pub fn of_names(&mut self, old: Option<&ObjectId>, new: &ObjectId) -> Result<ObjectId, SourceError> {
        let mut sum = Checksum::new(ObjectFormat::Sha1);
        for change in self.files(old, new)? {
            hash_header(&mut sum, &change);
        }
        Ok(sum.finalize())
    }

    /// The id of the whole difference between two trees.
    pub fn of_content(&mut self, old: Option<&ObjectId>, new: &ObjectId) -> Result<ObjectId, SourceError> {
        let mut sum = Checksum::new(ObjectFormat::Sha1);
        for change in self.files(old, new)? {
            hash_header(&mut sum, &change);
            self.hash_content(&mut sum, &change)?;
        }
        Ok(sum.finalize())
    }

    fn files(&mut self, old: Option<&ObjectId>, new: &ObjectId) -> Result<Vec<FileChange>, SourceError> {
        let options =
            TreeOptions { recursive: true, pathspec: self.pathspec.as_ref(), ..TreeOptions::default() };
        let mut files = Vec::new();
        let _ = self.trees.diff(old, Some(new), &options, |change| {
            files.push(FileChange { path: change.path.to_owned(), old: change.old, new: change.new });
            ControlFlow::Continue(())
        })?;
        Ok(files)
    }

    fn hash_content(&mut self, sum: &mut Checksum, change: &FileChange) -> Result<(), SourceError> {
        read_side(self.source, change.old, &mut self.old)?;
        read_side(self.source, change.new, &mut self.new)?;
        let options = lines::Options::default();
        let compared = !is_binary(&self.old)
            && !is_binary(&self.new)
            && lines::diff(&self.old, &self.new, &options, &mut self.workspace, &mut self.changes).is_ok();
        if compared {
            hash_hunks(sum, &self.old, &self.new, &self.changes);
        } else {
            for entry in [change.old, change.new].into_iter().flatten() {
                sum.update(entry.id.as_bytes());
            }
        }
        Ok(())
    }
}

fn read_side(source: &dyn Source, entry: Option<Entry>, out: &mut Vec<u8>) -> Result<(), SourceError> {
    out.clear();
    let Some(entry) = entry else { return Ok(()) };
    if EntryKind::of_mode(entry.mode) == EntryKind::Gitlink {
        out.extend_from_slice(format!("Subproject commit {}\n", entry.id).as_bytes());
        return Ok(());
    }
    source.read(&entry.id, out).map(|_| ())
}

fn is_binary(content: &[u8]) -> bool {
    content[..content.len().min(BINARY_PROBE)].contains(&0)
}

fn hash_header(sum: &mut Checksum, change: &FileChange) {
    sum.update(b"diff--git");
    hash_without_space(sum, &change.path);
    match (&change.old, &change.new) {
        (None, Some(new)) => sum.update(format!("newfilemode{:06o}", new.mode).as_bytes()),
        (Some(old), None) => sum.update(format!("deletedfilemode{:06o}", old.mode).as_bytes()),
        _ => {}
    }
}

/// Takes in the lines of all hunks: changed lines and the context around them.
fn hash_hunks(sum: &mut Checksum, old: &[u8], new: &[u8], changes: &[LineChange]) {
    let mut shown_to = 0;
    for (n, change) in changes.iter().enumerate() {
        let start = change.old.start as usize;
        hash_lines(sum, b" ", last_lines(&old[shown_to..start], CONTEXT));
        hash_lines(sum, b"-", change.old.of(old));
        hash_lines(sum, b"+", change.new.of(new));
        let end = change.old.end as usize;
        let limit = changes.get(n + 1).map_or(old.len(), |next| next.old.start as usize);
        let after = first_lines(&old[end..limit], CONTEXT);
        hash_lines(sum, b" ", after);
        shown_to = end + after.len();
    }
}

fn hash_lines(sum: &mut Checksum, mark: &[u8], lines: &[u8]) {
    for line in lines.lines_with_terminator() {
        sum.update(mark);
        hash_without_space(sum, line);
    }
}

fn hash_without_space(sum: &mut Checksum, text: &[u8]) {
    let is_space = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0x0b;
    for word in text.split(is_space).filter(|word| !word.is_empty()) {
        sum.update(word);
    }
}

fn first_lines(text: &[u8], count: usize) -> &[u8] {
    let end = text.lines_with_terminator().take(count).map(<[u8]>::len).sum();
    &text[..end]
}

fn last_lines(text: &[u8], count: usize) -> &[u8] {
    let len: usize = text.lines_with_terminator().rev().take(count).map(<[u8]>::len).sum();
    &text[text.len() - len..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_from_both_ends() {
        assert_eq!(first_lines(b"a\nb\nc", 2), b"a\nb\n");
        assert_eq!(last_lines(b"a\nb\nc", 2), b"b\nc");
        assert_eq!(last_lines(b"", 2), b"");
    }
}
