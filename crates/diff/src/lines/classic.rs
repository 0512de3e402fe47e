//! The default way to compare: drop what cannot match, then run Myers' algorithm on the rest.

use super::discard::{Discard, Kept};
use super::intern::Interner;
use super::myers::Myers;
use super::side::count_lines;
use super::whitespace::Whitespace;

/// The numbers of the lines of two files, or of two parts of them, and where to mark those that are changed.
pub(super) struct Pair<'a> {
    pub(super) old: &'a [u32],
    pub(super) new: &'a [u32],
    pub(super) changed_old: &'a mut [bool],
    pub(super) changed_new: &'a mut [bool],
}

impl Pair<'_> {
    /// The part with these lines.
    pub(super) fn part(&mut self, old: std::ops::Range<usize>, new: std::ops::Range<usize>) -> Pair<'_> {
        Pair {
            old: &self.old[old.clone()],
            new: &self.new[new.clone()],
            changed_old: &mut self.changed_old[old],
            changed_new: &mut self.changed_new[new],
        }
    }

    /// How many lines are equal at the start, and how many at the end apart from those.
    fn matching_ends(&self) -> (usize, usize) {
        let start = self.old.iter().zip(self.new).take_while(|(x, y)| x == y).count();
        let (old, new) = (&self.old[start..], &self.new[start..]);
        (start, old.iter().rev().zip(new.iter().rev()).take_while(|(x, y)| x == y).count())
    }
}

/// The lines at the ends of both files that are known to be equal, and have no numbers.
///
/// They count all the same when it is asked how often a line occurs.
pub(super) struct Outside<'a> {
    pub(super) interner: &'a mut Interner,
    pub(super) old: &'a [u8],
    pub(super) new: &'a [u8],
    pub(super) prefix: usize,
    pub(super) suffix: usize,
    pub(super) whitespace: Whitespace,
}

/// The comparison; keeps its tables between files.
#[derive(Debug, Default)]
pub(super) struct Classic {
    discard: Discard,
    myers: Myers,
    /// How often each number occurs in the old file, and in the new one; zero between comparisons.
    in_old: Vec<u32>,
    in_new: Vec<u32>,
    kept_old: Kept,
    kept_new: Kept,
}

impl Classic {
    /// Compares two cores.
    pub(super) fn diff_cores(&mut self, pair: Pair<'_>, outside: Outside<'_>, minimal: bool) {
        self.count(&pair);
        let (mut old_lines, mut new_lines) = (pair.old.len(), pair.new.len());
        // When no line is missing on the other side none is dropped, and it does not matter how frequent they are.
        let absent =
            |classes: &[u32], counts: &[u32]| classes.iter().any(|&class| counts[class as usize] == 0);
        if absent(pair.old, &self.in_new) || absent(pair.new, &self.in_old) {
            let common = self.count_outside(outside);
            old_lines += common;
            new_lines += common;
        }
        self.compare(pair, old_lines, new_lines, minimal);
    }

    /// Compares two parts of files, as if there were nothing else in the files.
    pub(super) fn diff_part(&mut self, pair: Pair<'_>, minimal: bool) {
        self.count(&pair);
        let (old_lines, new_lines) = (pair.old.len(), pair.new.len());
        self.compare(pair, old_lines, new_lines, minimal);
    }

    fn count(&mut self, pair: &Pair<'_>) {
        let highest = pair.old.iter().chain(pair.new).max().map_or(0, |&class| class as usize + 1);
        if self.in_old.len() < highest {
            self.in_old.resize(highest, 0);
            self.in_new.resize(highest, 0);
        }
        for &class in pair.old {
            self.in_old[class as usize] += 1;
        }
        for &class in pair.new {
            self.in_new[class as usize] += 1;
        }
    }

    /// Counts the lines around the cores; returns how many there are.
    fn count_outside(&mut self, outside: Outside<'_>) -> usize {
        let Outside { interner, old, new, prefix, suffix, whitespace } = outside;
        let mut lines = 0;
        for part in [&old[..prefix], &old[old.len() - suffix..]] {
            lines += count_lines(part);
            let mut start = 0;
            while start < part.len() {
                let end =
                    memchr::memchr(b'\n', &part[start..]).map_or(part.len(), |newline| start + newline + 1);
                if let Some(class) = interner.find(&part[start..end], old, new, whitespace) {
                    self.in_old[class as usize] += 1;
                    self.in_new[class as usize] += 1;
                }
                start = end;
            }
        }
        lines
    }

    fn compare(&mut self, mut pair: Pair<'_>, old_lines: usize, new_lines: usize, minimal: bool) {
        let (start, end) = pair.matching_ends();
        let (old_end, new_end) = (pair.old.len() - end, pair.new.len() - end);
        let part = pair.part(start..old_end, start..new_end);
        let Pair { old, new, changed_old, changed_new } = part;
        let Classic { discard, myers, in_old, in_new, kept_old, kept_new } = self;
        discard.sort(old, in_new, old_lines, minimal, changed_old, kept_old);
        discard.sort(new, in_old, new_lines, minimal, changed_new, kept_new);
        myers.diff(
            &kept_old.classes,
            &kept_new.classes,
            minimal,
            |line| changed_old[kept_old.places[line] as usize] = true,
            |line| changed_new[kept_new.places[line] as usize] = true,
        );
        for &class in pair.old.iter().chain(pair.new) {
            self.in_old[class as usize] = 0;
            self.in_new[class as usize] = 0;
        }
    }
}
