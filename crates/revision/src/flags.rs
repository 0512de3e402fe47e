//! What a walk knows of each commit, as bits.

use std::ops::{BitOr, BitOrAssign};

/// A set of marks on a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Flag(u32);

impl Flag {
    /// Reached by an included or an excluded tip, and put in line.
    pub(crate) const SEEN: Flag = Flag(1);
    /// Reached from an excluded tip.
    pub(crate) const UNINTERESTING: Flag = Flag(1 << 1);
    /// Changes nothing that matters.
    pub(crate) const TREESAME: Flag = Flag(1 << 2);
    /// Was shown, or shall not be.
    pub(crate) const SHOWN: Flag = Flag(1 << 3);
    /// Its parents were looked at.
    pub(crate) const ADDED: Flag = Flag(1 << 4);
    /// Reached from the left side of a symmetric difference.
    pub(crate) const LEFT: Flag = Flag(1 << 5);
    /// Shown because a commit above it was.
    pub(crate) const BOUNDARY: Flag = Flag(1 << 6);
    /// A commit above it was shown.
    pub(crate) const CHILD_SHOWN: Flag = Flag(1 << 7);
    /// Makes the same change as a commit on the other side.
    pub(crate) const PATCHSAME: Flag = Flag(1 << 8);
    /// An excluded tip itself.
    pub(crate) const BOTTOM: Flag = Flag(1 << 9);
    /// A commit given to `--ancestry-path`, or one that it reaches.
    pub(crate) const ANCESTRY: Flag = Flag(1 << 10);
    /// A commit above it was walked.
    pub(crate) const CHILD_WALKED: Flag = Flag(1 << 11);
    /// A merge that differs from its first parent.
    pub(crate) const PULL: Flag = Flag(1 << 12);
    /// In the queue at this moment.
    pub(crate) const QUEUED: Flag = Flag(1 << 13);
    /// Handed to the caller already, who may have forgotten its parents.
    pub(crate) const YIELDED: Flag = Flag(1 << 15);
    /// For the use of one pass over the commits.
    pub(crate) const TEMPORARY: Flag = Flag(1 << 14);
}

impl BitOr for Flag {
    type Output = Flag;

    fn bitor(self, other: Flag) -> Flag {
        Flag(self.0 | other.0)
    }
}

impl BitOrAssign for Flag {
    fn bitor_assign(&mut self, other: Flag) {
        self.0 |= other.0;
    }
}

/// The flags of all commits of a table; those of commits that came later are empty.
#[derive(Debug, Default)]
pub(crate) struct Flags(Vec<Flag>);

impl Flags {
    /// Whether any of `flags` is set.
    pub(crate) fn any(&self, position: u32, flags: Flag) -> bool {
        self.0.get(position as usize).is_some_and(|set| set.0 & flags.0 != 0)
    }

    /// Those of `flags` that are set.
    pub(crate) fn get(&self, position: u32, flags: Flag) -> Flag {
        Flag(self.0.get(position as usize).map_or(0, |set| set.0 & flags.0))
    }

    pub(crate) fn set(&mut self, position: u32, flags: Flag) {
        if self.0.len() <= position as usize {
            self.0.resize(position as usize + 1, Flag::default());
        }
        self.0[position as usize] |= flags;
    }

    pub(crate) fn clear(&mut self, position: u32, flags: Flag) {
        if let Some(set) = self.0.get_mut(position as usize) {
            set.0 &= !flags.0;
        }
    }

    /// Sets `flags` if `on`, else clears them.
    pub(crate) fn put(&mut self, position: u32, flags: Flag, on: bool) {
        if on { self.set(position, flags) } else { self.clear(position, flags) }
    }
}
