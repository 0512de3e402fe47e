//! Comparison of trees as raw bytes: equal runs are stepped over without being parsed, and nothing is allocated
//! for an entry that did not change.
//!
//! Changes come in the order of tree entries, where a folder sorts as if its name ended in a slash; so a file that
//! replaces a folder of the same name is reported apart from it, as git does.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use adit_object::{EntryKind, ObjectFormat, ObjectId, Source, SourceError, Tree};
use bstr::{BStr, BString, ByteSlice};
use memchr::memchr;

use crate::pathspec::{Interest, Pathspec};
use crate::tree_cache::{Held, TreeCache};
use crate::{FilePair, Side};

/// What a comparison looks at.
#[derive(Debug, Clone, Copy, Default)]
pub struct TreeOptions<'p> {
    /// Descend into changed folders instead of reporting them (`-r`).
    pub recursive: bool,
    /// When descending, report the changed folders too (`-t`).
    pub show_trees: bool,
    /// Report unchanged entries as well, as sources for `--find-copies-harder`.
    pub unmodified: bool,
    /// Report only what matches.
    pub pathspec: Option<&'p Pathspec>,
}

/// What a path is on one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The mode, normalised as git shows it.
    pub mode: u32,
    /// The object.
    pub id: ObjectId,
}

/// A path that differs, borrowed from the comparison.
#[derive(Debug, Clone, Copy)]
pub struct Change<'a> {
    /// The path from the top.
    pub path: &'a BStr,
    /// What it was.
    pub old: Option<Entry>,
    /// What it is.
    pub new: Option<Entry>,
}

impl Change<'_> {
    /// The pair of this change, with paths of its own.
    pub fn to_pair(&self) -> FilePair {
        let any = self.old.or(self.new);
        let null = ObjectId::null(any.map_or_else(ObjectFormat::default, |entry| entry.id.format()));
        let side = |entry: Option<Entry>| match entry {
            Some(Entry { mode, id }) => Side { mode, id, path: self.path.to_owned() },
            None => Side::absent(self.path, null),
        };
        FilePair::new(side(self.old), side(self.new))
    }
}

/// Compares tree `old` with tree `new` (`None` is the empty tree) and hands each change to `visit`, which may end
/// the comparison early. To compare many trees of one history, keep a [`TreeDiff`].
pub fn diff<S, F>(
    source: &S,
    old: Option<&ObjectId>,
    new: Option<&ObjectId>,
    options: &TreeOptions<'_>,
    visit: F,
) -> Result<ControlFlow<()>, SourceError>
where
    S: Source + ?Sized,
    F: FnMut(Change<'_>) -> ControlFlow<()>,
{
    TreeDiff::new(source).diff(old, new, options, visit)
}

/// Compares trees, with buffers and lately read trees that are used again for the next comparison.
#[derive(Debug)]
pub struct TreeDiff<'s, S: ?Sized> {
    source: &'s S,
    cache: TreeCache,
    stack: Vec<Frame>,
    path: BString,
}

/// One folder that is being compared.
#[derive(Debug)]
struct Frame {
    old: Cursor,
    new: Cursor,
    /// The length of the folder's path with its slash.
    base: usize,
    /// Whether everything in it is known to match the pathspec.
    all_match: bool,
}

/// How far one tree has been read.
#[derive(Debug, Clone, Copy)]
struct Cursor {
    tree: Option<Held>,
    at: usize,
}

/// The next thing to do in a folder.
enum Step {
    /// The folder is done.
    End,
    /// An entry, copied out of the trees.
    Entry { old: Option<Entry>, new: Option<Entry> },
}

impl<'s, S: Source + ?Sized> TreeDiff<'s, S> {
    /// A comparer that reads trees from `source`.
    pub fn new(source: &'s S) -> Self {
        TreeDiff { source, cache: TreeCache::default(), stack: Vec::new(), path: BString::default() }
    }

    /// Like [`diff`].
    pub fn diff<F>(
        &mut self,
        old: Option<&ObjectId>,
        new: Option<&ObjectId>,
        options: &TreeOptions<'_>,
        mut visit: F,
    ) -> Result<ControlFlow<()>, SourceError>
    where
        F: FnMut(Change<'_>) -> ControlFlow<()>,
    {
        if old == new && !options.unmodified {
            return Ok(ControlFlow::Continue(()));
        }
        self.stack.clear();
        self.path.clear();
        let result = self.run(old, new, options, &mut visit);
        self.cache.release_all();
        result
    }

    /// Whether the trees differ in a file that matches. Stops at the first one.
    pub fn has_changes(
        &mut self,
        old: Option<&ObjectId>,
        new: Option<&ObjectId>,
        pathspec: Option<&Pathspec>,
    ) -> Result<bool, SourceError> {
        let options = TreeOptions { recursive: true, pathspec, ..TreeOptions::default() };
        Ok(self.diff(old, new, &options, |_| ControlFlow::Break(()))?.is_break())
    }

    fn run<F>(
        &mut self,
        old: Option<&ObjectId>,
        new: Option<&ObjectId>,
        options: &TreeOptions<'_>,
        visit: &mut F,
    ) -> Result<ControlFlow<()>, SourceError>
    where
        F: FnMut(Change<'_>) -> ControlFlow<()>,
    {
        let all_match = options.pathspec.is_none_or(Pathspec::is_match_all);
        self.enter(old, new, all_match)?;
        while !self.stack.is_empty() {
            let Step::Entry { old, new } = self.step(options.unmodified)? else {
                self.leave();
                continue;
            };
            let is_tree = old.or(new).is_some_and(|entry| EntryKind::of_mode(entry.mode) == EntryKind::Tree);
            let Some(interest) = self.interest(options, old.or(new), is_tree) else { continue };
            let descend = is_tree && options.recursive;
            if !descend || options.show_trees {
                let change = Change { path: self.path.as_bstr(), old, new };
                if visit(change).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
            if descend && interest != Interest::Itself {
                self.path.push(b'/');
                let (old, new) = (old.map(|entry| entry.id), new.map(|entry| entry.id));
                self.enter(old.as_ref(), new.as_ref(), interest == Interest::All)?;
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// How far the entry at `self.path` matters; `None` when not at all.
    fn interest(&self, options: &TreeOptions<'_>, entry: Option<Entry>, is_tree: bool) -> Option<Interest> {
        let frame = self.stack.last()?;
        let (Some(pathspec), false) = (options.pathspec, frame.all_match) else { return Some(Interest::All) };
        let kind = if is_tree { EntryKind::Tree } else { EntryKind::of_mode(entry?.mode) };
        pathspec.interest(self.path.as_bstr(), frame.base, kind, options.recursive)
    }

    /// Starts comparing a folder whose path (with its slash) is in `self.path`.
    fn enter(
        &mut self,
        old: Option<&ObjectId>,
        new: Option<&ObjectId>,
        all_match: bool,
    ) -> Result<(), SourceError> {
        let mut cursor = |id: Option<&ObjectId>| -> Result<Cursor, SourceError> {
            let tree = id.map(|id| self.cache.hold(self.source, id)).transpose()?;
            Ok(Cursor { tree, at: 0 })
        };
        let (old, new) = (cursor(old)?, cursor(new)?);
        self.stack.push(Frame { old, new, base: self.path.len(), all_match });
        Ok(())
    }

    fn leave(&mut self) {
        if let Some(frame) = self.stack.pop() {
            for held in [frame.old.tree, frame.new.tree].into_iter().flatten() {
                self.cache.release(held);
            }
        }
    }

    /// Moves on to the next entry that differs (or just the next one), and puts its path into `self.path`.
    fn step(&mut self, unmodified: bool) -> Result<Step, SourceError> {
        let format = self.source.format();
        let Some(frame) = self.stack.last_mut() else { return Ok(Step::End) };
        let rest = |cursor: &Cursor| cursor.tree.map_or(&[][..], |held| &self.cache.bytes(held)[cursor.at..]);
        loop {
            let (old_rest, new_rest) = (rest(&frame.old), rest(&frame.new));
            if !unmodified {
                let equal = equal_run(old_rest, new_rest, format.len());
                if equal > 0 {
                    frame.old.at += equal;
                    frame.new.at += equal;
                    continue;
                }
            }
            let malformed = |cursor: &Cursor, error| SourceError::Malformed {
                id: cursor.tree.and_then(|held| self.cache.id(held)).unwrap_or(ObjectId::null(format)),
                error,
            };
            let old = Parsed::first(format, old_rest).map_err(|error| malformed(&frame.old, error))?;
            let new = Parsed::first(format, new_rest).map_err(|error| malformed(&frame.new, error))?;
            let order = match (&old, &new) {
                (None, None) => return Ok(Step::End),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(old), Some(new)) => old.compare(new),
            };
            let old = old.filter(|_| order.is_le());
            let new = new.filter(|_| order.is_ge());
            frame.old.at += old.as_ref().map_or(0, |entry| entry.len);
            frame.new.at += new.as_ref().map_or(0, |entry| entry.len);
            let (old_entry, new_entry) = (old.as_ref().map(|e| e.entry), new.as_ref().map(|e| e.entry));
            // Modes may be written differently and still mean the same.
            if old_entry == new_entry && !unmodified {
                continue;
            }
            self.path.truncate(frame.base);
            self.path.extend_from_slice(old.or(new).map_or(&[][..], |entry| entry.name));
            return Ok(Step::Entry { old: old_entry, new: new_entry });
        }
    }
}

/// An entry of a tree, parsed.
struct Parsed<'a> {
    entry: Entry,
    name: &'a BStr,
    /// How many bytes it takes.
    len: usize,
}

impl<'a> Parsed<'a> {
    fn first(format: ObjectFormat, bytes: &'a [u8]) -> Result<Option<Self>, adit_object::ParseError> {
        let mut tree = Tree::new(format, bytes);
        let Some(entry) = tree.next().transpose()? else { return Ok(None) };
        let len = bytes.len() - tree.rest().len();
        let id = entry.id(format);
        Ok(Some(Parsed { entry: Entry { mode: normal_mode(entry.mode), id }, name: entry.name, len }))
    }

    /// The order of entries in a tree: a folder's name sorts as if a slash followed.
    fn compare(&self, other: &Self) -> Ordering {
        let shared = self.name.len().min(other.name.len());
        let order = self.name[..shared].cmp(&other.name[..shared]);
        order.then_with(|| self.byte_at(shared).cmp(&other.byte_at(shared)))
    }

    fn byte_at(&self, at: usize) -> u8 {
        let end = if EntryKind::of_mode(self.entry.mode) == EntryKind::Tree { b'/' } else { 0 };
        self.name.get(at).copied().unwrap_or(end)
    }
}

/// The mode as git shows it: old trees hold `100664` and the like.
pub fn normal_mode(mode: u32) -> u32 {
    match EntryKind::of_mode(mode) {
        EntryKind::Tree => 0o040000,
        EntryKind::Symlink => 0o120000,
        EntryKind::Gitlink => 0o160000,
        EntryKind::File if mode & 0o100 != 0 => 0o100755,
        EntryKind::File => 0o100644,
    }
}

/// The length of the entries that both trees start with, byte for byte.
///
/// First the bytes that agree are counted at memory speed; then the entries among them are stepped through on one
/// side only, to end at a boundary.
fn equal_run(old: &[u8], new: &[u8], id_len: usize) -> usize {
    let agreeing = common_prefix(old, new);
    if agreeing == old.len() && agreeing == new.len() {
        return agreeing;
    }
    let mut at = 0;
    while let Some(nul) = memchr(0, &old[at..agreeing]) {
        let end = at + nul + 1 + id_len;
        if end > agreeing {
            break;
        }
        at = end;
    }
    at
}

/// How many bytes both slices start with.
fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    // Blocks of a fixed size are compared in registers, without a call.
    let (blocks_a, blocks_b) = (a.as_chunks::<32>().0, b.as_chunks::<32>().0);
    let at = 32 * blocks_a.iter().zip(blocks_b).take_while(|(x, y)| x == y).count();
    at + a[at..].iter().zip(&b[at..]).take_while(|(x, y)| x == y).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(entries: &[(&str, u8)]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (head, fill) in entries {
            bytes.extend_from_slice(head.as_bytes());
            bytes.push(0);
            bytes.extend_from_slice(&[*fill; 20]);
        }
        bytes
    }

    #[test]
    fn equal_runs_end_at_entries() {
        let old = tree(&[("100644 a", 0), ("100644 bb", 0), ("100644 c", 1)]);
        let new = tree(&[("100644 a", 0), ("100644 bb", 0), ("100644 c", 2)]);
        assert_eq!(equal_run(&old, &new, 20), 29 + 30);
        assert_eq!(equal_run(&old, &old, 20), old.len());
        assert_eq!(equal_run(&old, &old[..29], 20), 29);
        assert_eq!(equal_run(&old[..29], &[], 20), 0);
        // The id of the first entry differs in its last byte only.
        let mut last = old.clone();
        last[28] = 9;
        assert_eq!(equal_run(&old, &last, 20), 0);
    }

    #[test]
    fn modes_are_normalised() {
        assert_eq!(normal_mode(0o100664), 0o100644);
        assert_eq!(normal_mode(0o100775), 0o100755);
        assert_eq!(normal_mode(0o40755), 0o40000);
    }
}
