//! Where the bytes of entries lie: in mapped files where those can lend them, else in a few large allocations.
//!
//! A [`Slot`] is a place in a [`Pool`]. Only [`Pool::entry`] makes an entry of it, which borrows the pool: neither a
//! copy nor a move of an entry can outlive the bytes.

use adit_object::ObjectFormat;
use adit_sys::Map;

use crate::entry::{Entry, EntryValue};

/// Where an entry lies: the part of the pool in the upper bits, the offset in the lower.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slot(u64);

const OFFSET_BITS: u32 = 56;

impl Slot {
    pub(crate) fn new(part: u8, offset: usize) -> Self {
        Slot(u64::from(part) << OFFSET_BITS | offset as u64)
    }

    pub(crate) fn part(self) -> usize {
        usize::from((self.0 >> OFFSET_BITS) as u8)
    }

    pub(crate) fn offset(self) -> usize {
        (self.0 & ((1 << OFFSET_BITS) - 1)) as usize
    }
}

/// The part that takes entries that are added. Further parts are made as files are read.
const ADDED: u8 = 0;

/// A part of a pool.
#[derive(Debug)]
pub(crate) enum Part {
    /// A file whose entries are lent as they are.
    Mapped(Map),
    /// Entries that were written out.
    Owned(Vec<u8>),
}

impl Part {
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Part::Mapped(map) => map,
            Part::Owned(bytes) => bytes,
        }
    }
}

/// All bytes of the entries of an index.
#[derive(Debug)]
pub(crate) struct Pool {
    format: ObjectFormat,
    parts: Vec<Part>,
}

impl Pool {
    pub(crate) fn new(format: ObjectFormat) -> Self {
        Pool { format, parts: vec![Part::Owned(Vec::new())] }
    }

    pub(crate) fn format(&self) -> ObjectFormat {
        self.format
    }

    /// The number that the next part will have; `None` when there can be no more.
    pub(crate) fn next_part(&self) -> Option<u8> {
        u8::try_from(self.parts.len()).ok()
    }

    pub(crate) fn add_part(&mut self, part: Part) {
        self.parts.push(part);
    }

    pub(crate) fn part(&self, number: usize) -> &[u8] {
        self.parts.get(number).map_or(&[], Part::bytes)
    }

    pub(crate) fn entry(&self, slot: Slot) -> Entry<'_> {
        Entry::at(self.format, self.part(slot.part()).get(slot.offset()..).unwrap_or_default())
    }

    /// Writes an entry into the pool.
    pub(crate) fn add(&mut self, path: &[u8], value: &EntryValue) -> Slot {
        let Some(Part::Owned(added)) = self.parts.first_mut() else {
            unreachable!("the first part takes what is added");
        };
        let slot = Slot::new(ADDED, added.len());
        value.append(path, added);
        slot
    }

    /// How many bytes were allocated.
    pub(crate) fn allocated(&self) -> usize {
        let owned = |part: &Part| match part {
            Part::Mapped(_) => 0,
            Part::Owned(bytes) => bytes.capacity(),
        };
        self.parts.iter().map(owned).sum()
    }
}
