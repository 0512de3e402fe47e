//! Numbers for lines: equal lines get equal numbers, counted up in the order in which they are first seen.

use super::side::Side;
use super::whitespace::{Whitespace, normalise, same};

/// The lines that have a number.
#[derive(Debug, Default)]
pub(super) struct Interner {
    /// An open hash table.
    slots: Vec<Slot>,
    /// Where an example of each number's line lies.
    examples: Vec<Example>,
    /// A line without the white space that is to be ignored.
    scratch: Vec<u8>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    hash: u32,
    /// The number plus one; zero when the slot is free.
    tag: u32,
}

#[derive(Debug, Clone, Copy)]
struct Example {
    start: u32,
    end: u32,
    in_new: bool,
}

/// The two files whose lines are numbered.
#[derive(Clone, Copy)]
struct Files<'a> {
    old: &'a [u8],
    new: &'a [u8],
    whitespace: Whitespace,
}

impl<'a> Files<'a> {
    fn line(&self, example: Example) -> &'a [u8] {
        let file = if example.in_new { self.new } else { self.old };
        &file[example.start as usize..example.end as usize]
    }
}

impl Interner {
    /// Numbers the lines of both cores; tells whether any line is in both.
    pub(super) fn number(
        &mut self,
        old: &[u8],
        a: &mut Side,
        new: &[u8],
        b: &mut Side,
        whitespace: Whitespace,
    ) -> bool {
        let files = Files { old, new, whitespace };
        let lines = a.core.len() + b.core.len();
        self.slots.clear();
        self.slots.resize((lines * 2).next_power_of_two(), Slot::default());
        self.examples.clear();
        for pair in a.starts[a.core.start..=a.core.end].windows(2) {
            let class = self.intern(files, Example { start: pair[0], end: pair[1], in_new: false });
            a.classes.push(class);
        }
        let of_old = self.examples.len() as u32;
        let mut shared = false;
        for pair in b.starts[b.core.start..=b.core.end].windows(2) {
            let class = self.intern(files, Example { start: pair[0], end: pair[1], in_new: true });
            b.classes.push(class);
            shared |= class < of_old;
        }
        shared
    }

    /// How many numbers there are.
    pub(super) fn len(&self) -> usize {
        self.examples.len()
    }

    fn intern(&mut self, files: Files<'_>, example: Example) -> u32 {
        let line = files.line(example);
        let hash = self.hash(line, files.whitespace);
        let (at, class) = self.probe(hash, |class| same(files.line(class), line, files.whitespace));
        if let Some(class) = class {
            return class;
        }
        let class = self.examples.len() as u32;
        self.examples.push(example);
        self.slots[at] = Slot { hash, tag: class + 1 };
        class
    }

    /// The number of a line of the old file, if it has one; only lines of the old file may have been numbered from
    /// elsewhere than `old`.
    pub(super) fn find(
        &mut self,
        line: &[u8],
        old: &[u8],
        new: &[u8],
        whitespace: Whitespace,
    ) -> Option<u32> {
        let files = Files { old, new, whitespace };
        let hash = self.hash(line, whitespace);
        self.probe(hash, |class| same(files.line(class), line, whitespace)).1
    }

    /// Finds the slot of a line with this hash, or the free slot where it belongs.
    fn probe(&self, hash: u32, mut is_same: impl FnMut(Example) -> bool) -> (usize, Option<u32>) {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot.tag == 0 {
                return (at, None);
            }
            if slot.hash == hash && is_same(self.examples[slot.tag as usize - 1]) {
                return (at, Some(slot.tag - 1));
            }
            at = (at + 1) & mask;
        }
    }

    fn hash(&mut self, line: &[u8], whitespace: Whitespace) -> u32 {
        if whitespace == Whitespace::Exact {
            return hash(line);
        }
        self.scratch.clear();
        normalise(line, whitespace, &mut self.scratch);
        hash(&self.scratch)
    }
}

/// Multiplies eight bytes at a time into a hash; both halves of each product are kept.
fn hash(bytes: &[u8]) -> u32 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let fold = |state: u64, word: u64| {
        let product = u128::from(state ^ word) * u128::from(FACTOR);
        product as u64 ^ (product >> 64) as u64
    };
    let (words, tail) = bytes.as_chunks::<8>();
    let mut state = FACTOR ^ bytes.len() as u64;
    for word in words {
        state = fold(state, u64::from_le_bytes(*word));
    }
    let mut last = [0; 8];
    last[..tail.len()].copy_from_slice(tail);
    state = fold(state, u64::from_le_bytes(last));
    (state ^ state >> 32) as u32
}
