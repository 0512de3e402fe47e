//! File pairs: what a comparison of two trees found, and what rename detection, pickaxe and the formats work on.

use adit_object::{EntryKind, ObjectId};
use bstr::{BStr, BString};

/// The highest similarity score; scores are parts of it, as in `-M` thresholds.
pub const MAX_SCORE: u32 = 60_000;

/// One side of a pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Side {
    /// The mode as git normalises it; 0 when the file does not exist on this side.
    pub mode: u32,
    /// The content. Null when the file does not exist on this side, and when it exists but only in a working
    /// tree, where its id is not known.
    pub id: ObjectId,
    /// The path from the top. A side that does not exist carries the path of the other side.
    pub path: BString,
}

impl Side {
    /// The side on which `path` does not exist.
    pub fn absent(path: &BStr, null: ObjectId) -> Self {
        Side { mode: 0, id: null, path: path.to_owned() }
    }

    /// Whether there is a file on this side.
    pub fn exists(&self) -> bool {
        self.mode != 0
    }

    /// What the path is on this side; `None` when it does not exist.
    pub fn kind(&self) -> Option<EntryKind> {
        self.exists().then(|| EntryKind::of_mode(self.mode))
    }

    /// Whether this side is a regular file, executable or not.
    pub fn is_file(&self) -> bool {
        self.kind() == Some(EntryKind::File)
    }
}

/// What happened to a file, by the letters of the raw format and of `--diff-filter`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Status {
    /// `A`: there is no old side.
    Added,
    /// `C`: the new side was made from a copy of the old.
    Copied,
    /// `D`: there is no new side.
    Deleted,
    /// `M`: content or permission changed.
    Modified,
    /// `R`: the old side went away, the new side is made from it.
    Renamed,
    /// `T`: a file became a link, a link a submodule, ...
    TypeChanged,
    /// `U`: the index holds several stages of it.
    Unmerged,
    /// `X`: cannot happen.
    Unknown,
}

impl Status {
    /// The letter of the raw format.
    pub fn letter(self) -> u8 {
        match self {
            Status::Added => b'A',
            Status::Copied => b'C',
            Status::Deleted => b'D',
            Status::Modified => b'M',
            Status::Renamed => b'R',
            Status::TypeChanged => b'T',
            Status::Unmerged => b'U',
            Status::Unknown => b'X',
        }
    }

    /// The status of one path with these modes on either side; 0 means it does not exist.
    pub fn of_modes(old: u32, new: u32) -> Self {
        match (old, new) {
            (0, 0) => Status::Unmerged,
            (0, _) => Status::Added,
            (_, 0) => Status::Deleted,
            _ if EntryKind::of_mode(old) != EntryKind::of_mode(new) => Status::TypeChanged,
            _ => Status::Modified,
        }
    }
}

/// A file before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePair {
    /// Before.
    pub old: Side,
    /// After.
    pub new: Side,
    /// What happened.
    pub status: Status,
    /// For renames and copies how similar the sides are, for a rewrite (`M` with a score) how different;
    /// out of [`MAX_SCORE`].
    pub score: u32,
    /// Whether `-B` took the pair apart: as the deletion and creation of a rewrite, or, put together again, as
    /// a modification that is shown as one.
    pub broken: bool,
}

impl FilePair {
    /// The pair of two sides of one path, with the status that their modes give.
    pub fn new(old: Side, new: Side) -> Self {
        let status = Status::of_modes(old.mode, new.mode);
        FilePair { old, new, status, score: 0, broken: false }
    }

    /// The score in percent, as the raw format prints it.
    pub fn percent(&self) -> u32 {
        self.score.min(MAX_SCORE) * 100 / MAX_SCORE
    }

    /// Whether nothing but the time of day differs: such pairs are sources for copies and are never shown.
    pub fn is_unmodified(&self) -> bool {
        self.old.mode == self.new.mode
            && self.old.exists()
            && self.old.id == self.new.id
            && !self.old.id.is_null()
            && self.old.path == self.new.path
    }

    /// A file that became a link was deleted, and the link created: both, when that is what happened.
    pub(crate) fn type_change(&self) -> Option<[FilePair; 2]> {
        if !self.old.exists() || !self.new.exists() || self.old.kind() == self.new.kind() {
            return None;
        }
        let null = ObjectId::null(self.old.id.format());
        Some([
            FilePair::new(self.old.clone(), Side::absent(self.old.path.as_ref(), null)),
            FilePair::new(Side::absent(self.new.path.as_ref(), null), self.new.clone()),
        ])
    }

    /// Swaps before and after, as `-R` does.
    pub fn reverse(&mut self) {
        std::mem::swap(&mut self.old, &mut self.new);
        self.status = Status::of_modes(self.old.mode, self.new.mode);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use adit_object::ObjectFormat;

    #[test]
    fn modes_give_the_status() {
        assert_eq!(Status::of_modes(0, 0o100644), Status::Added);
        assert_eq!(Status::of_modes(0o100644, 0), Status::Deleted);
        assert_eq!(Status::of_modes(0o100644, 0o100755), Status::Modified);
        assert_eq!(Status::of_modes(0o100644, 0o120000), Status::TypeChanged);
    }

    #[test]
    fn reversing_turns_an_addition_into_a_deletion() {
        let null = ObjectId::null(ObjectFormat::Sha1);
        let new = Side { mode: 0o100644, id: null, path: "a".into() };
        let mut pair = FilePair::new(Side::absent("a".into(), null), new);
        assert_eq!(pair.status.letter(), b'A');
        pair.reverse();
        assert_eq!((pair.status.letter(), pair.new.exists()), (b'D', false));
    }
}
