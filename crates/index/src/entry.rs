//! Entries: one for each path, or up to three for a path in conflict.
//!
//! An entry is kept as the bytes that versions 2 and 3 of the file have for it (gitformat-index, "Index entry"): stat
//! data and mode, object id, flags, path, and a NUL. It is read from them when asked, so that loading a file
//! need not touch more than an entry's length.

use adit_object::{EntryKind, ObjectFormat, ObjectId};
use bstr::{BStr, BString, ByteSlice};

use crate::stat::Stat;

/// Which side of a merge an entry stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Stage {
    /// No conflict.
    #[default]
    Merged,
    /// What both sides started from (stage 1).
    Base,
    /// Our side (stage 2).
    Ours,
    /// Their side (stage 3).
    Theirs,
}

impl Stage {
    /// All stages in order.
    pub const ALL: [Stage; 4] = [Stage::Merged, Stage::Base, Stage::Ours, Stage::Theirs];

    /// The stage of that number.
    pub fn of_number(number: u32) -> Option<Stage> {
        Self::ALL.get(usize::try_from(number).ok()?).copied()
    }

    /// Its number, 0 to 3.
    pub fn number(self) -> u8 {
        self as u8
    }
}

/// What a person or a command has said of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EntryFlags {
    /// The file is taken to be unchanged, without a look (`update-index --assume-unchanged`).
    pub assume_unchanged: bool,
    /// The file need not be there, and is not looked at (`update-index --skip-worktree`).
    pub skip_worktree: bool,
    /// Only the path is known; the content is to be added later (`add -N`).
    pub intent_to_add: bool,
}

pub(crate) const FLAG_ASSUME_UNCHANGED: u16 = 0x8000;
pub(crate) const FLAG_EXTENDED: u16 = 0x4000;
pub(crate) const STAGE_SHIFT: u32 = 12;
/// The bits of a path's length, and what stands there for a longer path.
pub(crate) const LENGTH_MASK: u16 = 0x0fff;
pub(crate) const EXTENDED_SKIP_WORKTREE: u16 = 0x4000;
pub(crate) const EXTENDED_INTENT_TO_ADD: u16 = 0x2000;

/// Where the flags lie: after stat data, mode and id.
pub(crate) const fn flags_at(format: ObjectFormat) -> usize {
    Stat::LEN + format.len()
}

/// An entry where it lies in its pool. It cannot outlive the [`Index`](crate::Index) that lends it.
#[derive(Clone, Copy)]
pub struct Entry<'a> {
    format: ObjectFormat,
    /// All before the path.
    head: &'a [u8],
    path: &'a BStr,
}

impl<'a> Entry<'a> {
    /// Reads the entry at the start of `bytes`. Only bytes that were changed after they had been checked are not
    /// there, and read as an entry without a path.
    pub(crate) fn at(format: ObjectFormat, bytes: &'a [u8]) -> Self {
        let flags_at = flags_at(format);
        let flags = read_u16(bytes, flags_at);
        let path_at = flags_at + if flags & FLAG_EXTENDED != 0 { 4 } else { 2 };
        let (head, rest) = bytes.split_at_checked(path_at).unwrap_or((bytes, &[]));
        let len = match flags & LENGTH_MASK {
            LENGTH_MASK => memchr::memchr(0, rest).unwrap_or(0),
            len => usize::from(len),
        };
        Entry { format, head, path: rest.get(..len).unwrap_or_default().as_bstr() }
    }

    /// The path from the top of the working tree. That of a folder in a sparse index ends with a slash.
    pub fn path(&self) -> &'a BStr {
        self.path
    }

    /// The mode, as it was written.
    pub fn mode(&self) -> u32 {
        match self.head.get(24..28).and_then(|bytes| bytes.first_chunk::<4>()) {
            Some(bytes) => u32::from_be_bytes(*bytes),
            None => 0,
        }
    }

    /// What the entry stands for.
    pub fn kind(&self) -> EntryKind {
        EntryKind::of_mode(self.mode())
    }

    /// Whether it is a folder of a sparse index, whose content is known by its tree only.
    pub fn is_sparse_folder(&self) -> bool {
        self.kind() == EntryKind::Tree
    }

    /// The raw bytes of the object's id.
    pub fn raw_id(&self) -> &'a [u8] {
        self.head.get(Stat::LEN..flags_at(self.format)).unwrap_or_default()
    }

    /// The object's id.
    pub fn id(&self) -> ObjectId {
        ObjectId::from_bytes(self.format, self.raw_id()).unwrap_or(ObjectId::null(self.format))
    }

    /// What the file looked like.
    pub fn stat(&self) -> Stat {
        self.head.first_chunk().map_or(Stat::default(), |bytes| Stat::decode(bytes).0)
    }

    /// The side of the merge that it stands for.
    pub fn stage(&self) -> Stage {
        Stage::ALL[usize::from(self.flag_bits() >> STAGE_SHIFT & 3)]
    }

    /// What has been said of it.
    pub fn flags(&self) -> EntryFlags {
        let (bits, extended) = (self.flag_bits(), self.extended_bits());
        EntryFlags {
            assume_unchanged: bits & FLAG_ASSUME_UNCHANGED != 0,
            skip_worktree: extended & EXTENDED_SKIP_WORKTREE != 0,
            intent_to_add: extended & EXTENDED_INTENT_TO_ADD != 0,
        }
    }

    /// Whether the working tree is not asked about it: assumed unchanged, or not to be there.
    pub fn is_unwatched(&self) -> bool {
        self.flag_bits() & FLAG_ASSUME_UNCHANGED != 0 || self.extended_bits() & EXTENDED_SKIP_WORKTREE != 0
    }

    /// All of it but the path.
    pub fn value(&self) -> EntryValue {
        let (stat, mode) = self.head.first_chunk().map_or((Stat::default(), 0), Stat::decode);
        EntryValue { stat, mode, id: self.id(), stage: self.stage(), flags: self.flags() }
    }

    /// A copy that owns its path.
    pub fn to_owned(&self) -> NewEntry {
        NewEntry { path: self.path.to_owned(), value: self.value() }
    }

    /// The flags as git has them in memory and prints them for debugging: those of versions 3 and later in the upper half.
    pub fn memory_flags(&self) -> u32 {
        u32::from(self.extended_bits()) << 16 | u32::from(self.flag_bits() & !LENGTH_MASK)
    }

    /// By path and stage, as files order them.
    pub(crate) fn key(&self) -> (&'a BStr, Stage) {
        (self.path, self.stage())
    }

    pub(crate) fn flag_bits(&self) -> u16 {
        read_u16(self.head, flags_at(self.format))
    }

    pub(crate) fn extended_bits(&self) -> u16 {
        if self.flag_bits() & FLAG_EXTENDED == 0 { 0 } else { read_u16(self.head, flags_at(self.format) + 2) }
    }

    /// The bytes before the path.
    pub(crate) fn head(&self) -> &'a [u8] {
        self.head
    }
}

impl std::fmt::Debug for Entry<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Entry").field("path", &self.path).field("value", &self.value()).finish()
    }
}

fn read_u16(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..).and_then(|bytes| bytes.first_chunk::<2>()).map_or(0, |bytes| u16::from_be_bytes(*bytes))
}

/// All that an entry says of its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntryValue {
    /// What the file looked like; all zero when that is not known.
    pub stat: Stat,
    /// The mode.
    pub mode: u32,
    /// The object.
    pub id: ObjectId,
    /// The side of the merge that it stands for.
    pub stage: Stage,
    /// What has been said of it.
    pub flags: EntryFlags,
}

impl EntryValue {
    /// An entry of whose file nothing is known, without conflict.
    pub fn new(mode: u32, id: ObjectId) -> Self {
        EntryValue { stat: Stat::default(), mode, id, stage: Stage::Merged, flags: EntryFlags::default() }
    }

    /// The same for another side of a merge.
    #[must_use]
    pub fn at_stage(self, stage: Stage) -> Self {
        EntryValue { stage, ..self }
    }

    /// Appends the entry as version 3 has it, without the padding: see the module.
    pub(crate) fn append(&self, path: &[u8], out: &mut Vec<u8>) {
        self.stat.append(self.mode, out);
        out.extend_from_slice(self.id.as_bytes());
        let flag = |on: bool, bit: u16| if on { bit } else { 0 };
        let extended = flag(self.flags.skip_worktree, EXTENDED_SKIP_WORKTREE)
            | flag(self.flags.intent_to_add, EXTENDED_INTENT_TO_ADD);
        let bits = flag(self.flags.assume_unchanged, FLAG_ASSUME_UNCHANGED)
            | flag(extended != 0, FLAG_EXTENDED)
            | u16::from(self.stage.number()) << STAGE_SHIFT
            | u16::try_from(path.len()).map_or(LENGTH_MASK, |len| len.min(LENGTH_MASK));
        out.extend_from_slice(&bits.to_be_bytes());
        if extended != 0 {
            out.extend_from_slice(&extended.to_be_bytes());
        }
        out.extend_from_slice(path);
        out.push(0);
    }
}

/// An entry that owns its path: one that is to be added, or was taken out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEntry {
    /// The path from the top of the working tree.
    pub path: BString,
    /// What is said of it.
    pub value: EntryValue,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for format in [ObjectFormat::Sha1, ObjectFormat::Sha256] {
            for len in [1, 7, 0xffe, 0xfff, 0x1000, 70_000] {
                let flags =
                    EntryFlags { assume_unchanged: true, skip_worktree: len == 7, intent_to_add: false };
                let id = ObjectId::from_bytes(format, &[9; 32][..format.len()]).unwrap();
                let value = EntryValue { flags, ..EntryValue::new(0o100_755, id).at_stage(Stage::Theirs) };
                let path = vec![b'x'; len];
                let mut bytes = Vec::new();
                value.append(&path, &mut bytes);
                let entry = Entry::at(format, &bytes);
                assert_eq!(entry.to_owned(), NewEntry { path: path.into(), value });
                assert_eq!(entry.head().len() + len + 1, bytes.len());
                for cut in 0..entry.head().len() {
                    assert_eq!(Entry::at(format, &bytes[..cut]).path(), "");
                }
            }
        }
    }
}
