//! The histogram algorithm: match the longest common run of lines around a line that is rare in the old file, then do
//! the same before and after it.

use std::ops::Range;

use super::classic::{Classic, Pair};

/// A line that occurs more often than this is no anchor.
const MOST_OCCURRENCES: u32 = 64;

/// No line.
const NONE: u32 = u32::MAX;

/// The search; keeps its tables between files.
#[derive(Debug, Default)]
pub(super) struct Histogram {
    /// For each number, its first line in the part that is searched, and how often it occurs there.
    first: Vec<u32>,
    count: Vec<u32>,
    /// For each old line, the next one with the same number.
    next: Vec<u32>,
    pending: Vec<(Range<usize>, Range<usize>)>,
}

/// A common run of lines.
#[derive(Debug, Default)]
struct Run {
    old: Range<usize>,
    new: Range<usize>,
}

/// What a search came to.
enum Found {
    /// A run to match.
    Run(Run),
    /// No line is common.
    Nothing,
    /// All common lines are too frequent.
    TooFrequent,
}

impl Histogram {
    /// Marks the changed lines; `classes` is how many numbers there are.
    pub(super) fn diff(&mut self, mut pair: Pair<'_>, classes: usize, minimal: bool, classic: &mut Classic) {
        self.first.clear();
        self.first.resize(classes, NONE);
        self.count.clear();
        self.count.resize(classes, 0);
        self.next.clear();
        self.next.resize(pair.old.len(), NONE);
        self.pending.clear();
        self.pending.push((0..pair.old.len(), 0..pair.new.len()));
        while let Some((old, new)) = self.pending.pop() {
            if old.is_empty() || new.is_empty() {
                pair.changed_old[old].fill(true);
                pair.changed_new[new].fill(true);
                continue;
            }
            match self.search(&pair, &old, &new) {
                Found::TooFrequent => classic.diff_part(pair.part(old, new), minimal),
                Found::Nothing => {
                    pair.changed_old[old].fill(true);
                    pair.changed_new[new].fill(true);
                }
                Found::Run(run) => {
                    self.pending.push((run.old.end..old.end, run.new.end..new.end));
                    self.pending.push((old.start..run.old.start, new.start..run.new.start));
                }
            }
        }
    }

    fn search(&mut self, pair: &Pair<'_>, old: &Range<usize>, new: &Range<usize>) -> Found {
        for line in old.clone().rev() {
            let class = pair.old[line] as usize;
            self.next[line] = self.first[class];
            self.first[class] = line as u32;
            self.count[class] += 1;
        }
        let mut best = Best { run: Run::default(), rarest: MOST_OCCURRENCES + 1, any_common: false };
        let mut line = new.start;
        while line < new.end {
            line = self.try_line(pair, old, new, line, &mut best);
        }
        for line in old.clone() {
            let class = pair.old[line] as usize;
            self.first[class] = NONE;
            self.count[class] = 0;
        }
        if best.any_common && best.rarest > MOST_OCCURRENCES {
            Found::TooFrequent
        } else if best.run.old.is_empty() {
            Found::Nothing
        } else {
            Found::Run(best.run)
        }
    }

    /// Looks for a better run among those that hold this new line; returns the next new line to try.
    fn try_line(
        &self,
        pair: &Pair<'_>,
        old: &Range<usize>,
        new: &Range<usize>,
        line: usize,
        best: &mut Best,
    ) -> usize {
        let class = pair.new[line] as usize;
        let mut at = self.first[class];
        let mut next_line = line + 1;
        if at == NONE {
            return next_line;
        }
        best.any_common = true;
        if self.count[class] > best.rarest {
            return next_line;
        }
        while at != NONE {
            let (run, rarity) = self.grow(pair, old, new, at as usize, line);
            next_line = next_line.max(run.new.end);
            // A single line is no better than none: it must be rare.
            if run.old.len() > best.run.old.len().max(1) || rarity < best.rarest {
                best.rarest = rarity;
                best.run = Run { old: run.old.clone(), new: run.new };
            }
            // The run holds further occurrences of the line: they lead to no other run.
            at = self.next[at as usize];
            while at != NONE && (at as usize) < run.old.end {
                at = self.next[at as usize];
            }
        }
        next_line
    }

    /// The longest run around a pair of equal lines, and how often its rarest line occurs.
    fn grow(
        &self,
        pair: &Pair<'_>,
        old: &Range<usize>,
        new: &Range<usize>,
        old_line: usize,
        new_line: usize,
    ) -> (Run, u32) {
        let before =
            pair.old[old.start..old_line].iter().rev().zip(pair.new[new.start..new_line].iter().rev());
        let before = before.take_while(|(x, y)| x == y).count();
        let after = pair.old[old_line..old.end].iter().zip(&pair.new[new_line..new.end]);
        let after = after.take_while(|(x, y)| x == y).count();
        let run = Run { old: old_line - before..old_line + after, new: new_line - before..new_line + after };
        let rarity = pair.old[run.old.clone()].iter().map(|&class| self.count[class as usize]).min();
        (run, rarity.unwrap_or(0))
    }
}

/// The best run so far.
struct Best {
    run: Run,
    /// How often its rarest line occurs in the old part.
    rarest: u32,
    /// Whether any line is in both parts, however frequent.
    any_common: bool,
}
