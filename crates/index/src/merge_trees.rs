//! Bringing trees into the index (git-read-tree): one in the place of all, one in a folder, or the way from one to another.

use bstr::{BString, ByteSlice};

use crate::edit::Rebuilt;
use crate::entry::{Entry, NewEntry, Stage};
use crate::index::Index;
use crate::trees::TreeEntries;

/// Why trees cannot be brought in; the index is then as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// A file has changes that its entry does not know.
    #[error("Entry '{0}' not uptodate. Cannot merge.")]
    NotUptodate(BString),
    /// What is in the index would be lost.
    #[error("Entry '{0}' would be overwritten by merge. Cannot merge.")]
    Overwritten(BString),
    /// Something is in the way in the folder.
    #[error("Entry '{new}' overlaps with '{old}'.  Cannot bind.")]
    Overlap {
        /// What should be added.
        new: BString,
        /// What is there.
        old: BString,
    },
}

/// Tells whether the file of an entry is as the entry says.
pub type IsUptodate<'c> = dyn FnMut(&Index, &Entry<'_>) -> bool + 'c;

fn same(entry: &Entry<'_>, new: &NewEntry) -> bool {
    entry.stage() == Stage::Merged && entry.mode() == new.value.mode && entry.id() == new.value.id
}

impl Index {
    /// Puts the entries of a tree in the place of all there are.
    pub fn replace_with(&mut self, tree: TreeEntries) {
        self.rebuild(tree.entries.into_iter().map(Rebuilt::New));
        self.set_cache_tree(Some(tree.cache_tree));
        self.set_resolve_undo(None);
    }

    /// Like [`Index::replace_with`], but entries that are the same keep what they know of their files. Others must have
    /// nothing to lose.
    ///
    /// # Errors
    /// When a file has changes that would be taken for committed ones.
    pub fn merge_one(
        &mut self,
        tree: TreeEntries,
        is_uptodate: &mut IsUptodate<'_>,
    ) -> Result<(), MergeError> {
        let mut all = Vec::with_capacity(tree.entries.len());
        let mut at = 0;
        let mut drop_entry = |index: &Index, at: usize| {
            let entry = index.entry(at);
            // Conflicts are only discarded when that is asked for.
            let keeps_nothing = entry.stage() != Stage::Merged || is_uptodate(index, &entry);
            if keeps_nothing { Ok(()) } else { Err(MergeError::NotUptodate(entry.path().to_owned())) }
        };
        for new in tree.entries {
            while at < self.len() && self.entry(at).path() < new.path.as_bstr() {
                drop_entry(self, at)?;
                at += 1;
            }
            let mut kept = None;
            while at < self.len() && self.entry(at).path() == new.path.as_bstr() {
                if same(&self.entry(at), &new) {
                    kept = Some(at);
                } else {
                    drop_entry(self, at)?;
                }
                at += 1;
            }
            all.push(kept.map_or(Rebuilt::New(new), Rebuilt::Kept));
        }
        (at..self.len()).try_for_each(|at| drop_entry(self, at))?;
        self.rebuild(all);
        self.set_cache_tree(Some(tree.cache_tree));
        self.set_resolve_undo(None);
        Ok(())
    }

    /// Adds the entries of a tree, whose paths start with `prefix` already, to those that are there.
    ///
    /// # Errors
    /// When something is there.
    pub fn bind(&mut self, tree: TreeEntries, prefix: &[u8]) -> Result<(), MergeError> {
        for new in &tree.entries {
            let overlap =
                |old: &Entry<'_>| MergeError::Overlap { new: new.path.clone(), old: old.path().to_owned() };
            if let Some(at) = self.stages(&new.path).next() {
                return Err(overlap(&self.entry(at)));
            }
            for slash in new.path.find_iter(b"/") {
                if let Some(old) = self.get(&new.path[..slash]) {
                    return Err(overlap(&old));
                }
            }
            let below = self.below(&[new.path.as_slice(), b"/"].concat());
            if !below.is_empty() {
                return Err(overlap(&self.entry(below.start)));
            }
        }
        let place = self.below(prefix).start;
        // All of the folder is new when nothing was in it; else it is merged in, entry by entry.
        let count = self.len();
        let mut all: Vec<Rebuilt> = (0..place).map(Rebuilt::Kept).collect();
        let mut rest = (place..count).peekable();
        for new in tree.entries {
            while let Some(at) = rest.next_if(|at| self.entry(*at).path() < new.path.as_bstr()) {
                all.push(Rebuilt::Kept(at));
            }
            all.push(Rebuilt::New(new));
        }
        all.extend(rest.map(Rebuilt::Kept));
        self.rebuild(all);
        Ok(())
    }

    /// Goes from the tree `old` to the tree `new` and carries along what was changed in the index since `old`
    /// (git-read-tree, "Two Tree Merge"; the numbers are those of its table).
    ///
    /// # Errors
    /// When a change would be lost.
    pub fn merge_two(
        &mut self,
        old: &[NewEntry],
        new: &[NewEntry],
        is_uptodate: &mut IsUptodate<'_>,
    ) -> Result<(), MergeError> {
        let initial = self.is_empty();
        let (mut old, mut new) = (old.iter().peekable(), new.iter().peekable());
        let mut at = 0;
        let mut all = Vec::with_capacity(self.len());
        loop {
            let current = (at < self.len()).then(|| self.entry(at));
            let paths = [
                current.map(|entry| entry.path()),
                old.peek().map(|entry| entry.path.as_bstr()),
                new.peek().map(|entry| entry.path.as_bstr()),
            ];
            let Some(path) = paths.into_iter().flatten().min() else { break };
            let path = path.to_owned();
            let current = current.filter(|entry| entry.path() == path.as_bstr());
            let h = old.next_if(|entry| entry.path == path);
            let m = new.next_if(|entry| entry.path == path);
            if let Some(entry) = self.decide_two(current, h, m, initial, at, is_uptodate)? {
                all.push(entry);
            }
            at += usize::from(current.is_some());
        }
        self.refuse_folder_conflicts(&all)?;
        self.rebuild(all);
        Ok(())
    }

    fn decide_two(
        &self,
        current: Option<Entry<'_>>,
        h: Option<&NewEntry>,
        m: Option<&NewEntry>,
        initial: bool,
        at: usize,
        is_uptodate: &mut IsUptodate<'_>,
    ) -> Result<Option<Rebuilt>, MergeError> {
        let equal = |a: &NewEntry, b: &NewEntry| a.value.mode == b.value.mode && a.value.id == b.value.id;
        let Some(entry) = current else {
            return match (h, m) {
                (_, None) => Ok(None),
                (None, Some(m)) => Ok(Some(Rebuilt::New(m.clone()))),
                // Rule 3: what was removed from the index stays so, unless there has not been an index yet.
                (Some(_), Some(m)) if initial => Ok(Some(Rebuilt::New(m.clone()))),
                (Some(h), Some(m)) if equal(h, m) => Ok(None),
                (Some(_), Some(m)) => Err(MergeError::Overwritten(m.path.clone())),
            };
        };
        let refused = || MergeError::Overwritten(entry.path().to_owned());
        let mut moves_on = |result: Option<Rebuilt>| {
            if is_uptodate(self, &entry) {
                Ok(result)
            } else {
                Err(MergeError::NotUptodate(entry.path().to_owned()))
            }
        };
        match (h, m) {
            // Rules 4 to 7, 14, 15, 18 and 19.
            (None, None) => Ok(Some(Rebuilt::Kept(at))),
            (None, Some(m)) if same(&entry, m) => Ok(Some(Rebuilt::Kept(at))),
            (Some(h), Some(m)) if equal(h, m) || same(&entry, m) => Ok(Some(Rebuilt::Kept(at))),
            // Rules 10, 11, 20 and 21.
            (Some(h), None) if same(&entry, h) => moves_on(None),
            (Some(h), Some(m)) if same(&entry, h) => moves_on(Some(Rebuilt::New(m.clone()))),
            // Rules 8, 9, 12, 13, 16 and 17.
            _ => Err(refused()),
        }
    }

    /// Refuses what would be a file and a folder at once.
    fn refuse_folder_conflicts(&self, all: &[Rebuilt]) -> Result<(), MergeError> {
        let path = |entry: &Rebuilt| match entry {
            Rebuilt::Kept(at) => self.entry(*at).path().to_owned(),
            Rebuilt::New(new) => new.path.clone(),
        };
        // The files whose names could be those of folders that follow.
        let mut open: Vec<BString> = Vec::new();
        for entry in all {
            let this = path(entry);
            open.retain(|file| this.starts_with(file));
            if let Some(file) = open.iter().find(|file| this.get(file.len()) == Some(&b'/')) {
                return Err(MergeError::Overwritten(file.clone()));
            }
            if open.last() != Some(&this) {
                open.push(this);
            }
        }
        Ok(())
    }
}
