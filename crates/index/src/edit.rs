//! Changing an index: each change costs what it touches, keeps the order, and tells the cache tree.

use std::ops::Range;

use adit_object::ObjectId;
use bstr::ByteSlice;

use crate::cache_tree::CacheTree;
use crate::entry::{EntryFlags, EntryValue, NewEntry, Stage};
use crate::index::{Index, Kept};
use crate::layout::Version;
use crate::pool::Slot;
use crate::resolve_undo::ResolveUndo;
use crate::split::Shared;
use crate::stat::Stat;

/// A path that cannot be added because it, or a part of it, is a file and a folder at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FolderConflict;

impl Index {
    /// Adds an entry, or replaces the one for the same path and stage; returns where it is. Nothing else changes: see
    /// [`Index::add`].
    pub fn set(&mut self, path: &[u8], value: &EntryValue) -> usize {
        self.touch(path);
        let slot = self.pool.add(path, value);
        match self.place(path, value.stage) {
            Ok(at) => {
                self.slots[at] = slot;
                at
            }
            Err(at) => {
                self.untracked = None;
                self.slots.insert(at, slot);
                at
            }
        }
    }

    /// Like [`Index::find`], quick when the path comes after all others.
    fn place(&self, path: &[u8], stage: Stage) -> Result<usize, usize> {
        match self.slots.last() {
            Some(last) if self.pool.entry(*last).key() < (path.as_bstr(), stage) => Err(self.slots.len()),
            _ => self.find(path, stage),
        }
    }

    /// Adds an entry as a command does: one without conflict resolves a conflict at its path, and a path cannot be a
    /// file and a folder. With `replace`, what stands in the way is removed.
    ///
    /// # Errors
    /// When something stands in the way, and is not to be replaced.
    pub fn add(&mut self, path: &[u8], value: &EntryValue, replace: bool) -> Result<usize, FolderConflict> {
        let stages = match self.place(path, Stage::Merged) {
            Err(at) if at == self.slots.len() => at..at,
            _ => self.stages(path),
        };
        if value.stage == Stage::Merged
            && !stages.is_empty()
            && self.entry(stages.start).stage() != Stage::Merged
        {
            self.remove_range(stages);
        } else if value.stage != Stage::Merged
            && !stages.is_empty()
            && self.entry(stages.start).stage() == Stage::Merged
        {
            // A conflict takes the place of what was merged.
            self.remove_range(stages.start..stages.start + 1);
        }
        if self.find(path, value.stage).is_err() {
            self.make_way(path, value.stage, replace)?;
        }
        Ok(self.set(path, value))
    }

    /// Removes files where `path` needs folders, and what is below it.
    fn make_way(&mut self, path: &[u8], stage: Stage, replace: bool) -> Result<(), FolderConflict> {
        for slash in path.find_iter(b"/") {
            if let Ok(at) = self.find(&path[..slash], stage) {
                if !replace {
                    return Err(FolderConflict);
                }
                self.remove_range(at..at + 1);
            }
        }
        let below = self.below(&[path, b"/"].concat());
        let in_the_way: Vec<usize> = below.filter(|at| self.entry(*at).stage() == stage).collect();
        if !in_the_way.is_empty() && !replace {
            return Err(FolderConflict);
        }
        in_the_way.into_iter().rev().for_each(|at| self.remove_range(at..at + 1));
        Ok(())
    }

    /// Removes the entries of a path, all its stages; false when there is none.
    pub fn remove(&mut self, path: &[u8]) -> bool {
        let stages = self.stages(path);
        let found = !stages.is_empty();
        self.remove_range(stages);
        found
    }

    /// Removes entries by their places. Conflicts among them are noted as resolved.
    pub fn remove_range(&mut self, range: Range<usize>) {
        for at in range.clone() {
            let entry = self.entry(at);
            let (path, value) = (entry.path().to_owned(), entry.value());
            if value.stage != Stage::Merged {
                let undo = self.resolve_undo_mut();
                let side = usize::from(value.stage.number()) - 1;
                undo.entry(&path).sides[side] = Some((value.mode, value.id));
            }
            self.touch(&path);
        }
        if !range.is_empty() {
            self.untracked = None;
            self.slots.drain(range);
        }
    }

    /// Removes all entries, and what is known beside them.
    pub fn clear(&mut self) {
        self.slots.clear();
        self.changed = true;
        self.untracked = None;
        self.set_cache_tree(None);
        self.set_resolve_undo(None);
    }

    /// Puts other entries in the place of all there are. They must be in order of path and stage; an item is either an
    /// entry that is there, by its place, or a new one. The cache tree is forgotten: see [`Index::set_cache_tree`].
    pub fn rebuild(&mut self, entries: impl IntoIterator<Item = Rebuilt>) {
        let mut slots = Vec::new();
        for entry in entries {
            slots.push(match entry {
                Rebuilt::Kept(at) => self.slots[at],
                Rebuilt::New(NewEntry { path, value }) => self.pool.add(&path, &value),
            });
        }
        debug_assert!(slots.is_sorted_by_key(|slot: &Slot| self.pool.entry(*slot).key()), "in order");
        self.slots = slots;
        self.changed = true;
        self.untracked = None;
        self.set_cache_tree(None);
    }

    /// Notes how the file of entry number `at` looks now. Its content is the same, so that no tree changes.
    pub fn set_stat(&mut self, at: usize, stat: &Stat) {
        let entry = self.entry(at);
        self.rewrite(at, EntryValue { stat: *stat, ..entry.value() });
    }

    /// Changes what is said of entry number `at`.
    pub fn set_flags(&mut self, at: usize, flags: EntryFlags) {
        let entry = self.entry(at);
        self.rewrite(at, EntryValue { flags, ..entry.value() });
    }

    fn rewrite(&mut self, at: usize, value: EntryValue) {
        let path = self.entry(at).path().to_owned();
        self.slots[at] = self.pool.add(&path, &value);
        self.changed = true;
    }

    /// Notes a change of the entry at `path`.
    fn touch(&mut self, path: &[u8]) {
        self.changed = true;
        if self.cache_tree().is_some()
            && let Some(tree) = self.cache_tree_mut()
        {
            tree.invalidate(path);
        }
    }

    /// The cache tree, to be changed.
    pub fn cache_tree_mut(&mut self) -> Option<&mut CacheTree> {
        if matches!(self.cache_tree, Kept::File { .. }) {
            // Parsed once, and no longer as in the file.
            self.cache_tree();
        }
        thaw(&mut self.cache_tree)
    }

    /// Sets the cache tree, or forgets it.
    pub fn set_cache_tree(&mut self, tree: Option<CacheTree>) {
        self.changed = true;
        self.cache_tree = Kept::Changed(tree);
    }

    /// The conflicts that were resolved, to be changed.
    pub fn resolve_undo_mut(&mut self) -> &mut ResolveUndo {
        self.resolve_undo();
        thaw(&mut self.resolve_undo);
        if !matches!(self.resolve_undo, Kept::Changed(Some(_))) {
            self.resolve_undo = Kept::Changed(Some(ResolveUndo::default()));
        }
        match &mut self.resolve_undo {
            Kept::Changed(Some(undo)) => undo,
            _ => unreachable!("it was made above"),
        }
    }

    /// Sets the conflicts that were resolved, or forgets them.
    pub fn set_resolve_undo(&mut self, undo: Option<ResolveUndo>) {
        self.changed = true;
        self.resolve_undo = Kept::Changed(undo);
    }

    /// Makes the conflict at `path` again that was resolved; false when there was none.
    pub fn unresolve(&mut self, path: &[u8]) -> bool {
        if self.resolve_undo().is_none_or(|undo| undo.get(path).is_none()) {
            return false;
        }
        let Some(undone) = self.resolve_undo_mut().remove(path) else { return false };
        let merged = self.find(path, Stage::Merged);
        if let Ok(at) = merged {
            self.remove_range(at..at + 1);
        }
        for (stage, side) in Stage::ALL[1..].iter().zip(undone.sides) {
            if let Some((mode, id)) = side {
                self.set(path, &EntryValue::new(mode, id).at_stage(*stage));
            }
        }
        true
    }

    /// Prefers a version of the file; false when it has that already.
    pub fn set_version(&mut self, version: Version) -> bool {
        let new = self.version != version;
        self.changed |= new;
        self.version = version;
        new
    }

    /// Says that the index must be written although nothing in it has changed.
    pub fn mark_changed(&mut self) {
        self.changed = true;
    }

    /// Splits the index when it is next written, or makes it one file again.
    pub fn set_split(&mut self, split: bool) {
        if split != self.split.is_some() {
            self.changed = true;
            let id = ObjectId::null(self.format());
            self.split = split.then(|| Shared { id, slots: Vec::new() });
        }
    }

    /// Forgets the untracked cache.
    pub fn remove_untracked_cache(&mut self) {
        self.changed |= self.untracked.take().is_some();
    }
}

/// Makes what the file has a value of its own.
fn thaw<T>(kept: &mut Kept<T>) -> Option<&mut T> {
    if let Kept::File { parsed, .. } = kept {
        *kept = Kept::Changed(parsed.take().flatten());
    }
    match kept {
        Kept::Changed(value) => value.as_mut(),
        Kept::File { .. } => None,
    }
}

/// An entry of an index that is put together anew: see [`Index::rebuild`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rebuilt {
    /// The entry that was at this place.
    Kept(usize),
    /// Another one.
    New(NewEntry),
}
