//! Myers' algorithm ("An O(ND) Difference Algorithm and Its Variations", 1986) in its linear-space form: from both corners
//! of the edit graph paths reach out, one edit further in each round, until they meet; the meeting point splits
//! the problem in two.
//!
//! On large and very different inputs that takes quadratic time, so after enough rounds a search settles for a good point
//! instead of the best one, by the rules that GNU diff made known: first one that ends a long run of matches, in the end
//! the farthest one.

use super::discard::rough_root;

/// A run of this many matches is a sign that a path is right.
const LONG_RUN: usize = 20;
/// Rounds before a long run is enough.
const PATIENT_ROUNDS: i32 = 256;
/// How much farther than one line an edit such a path must have come.
const PROGRESS: i32 = 4;
/// The fewest rounds before the farthest path is taken; more for longer inputs.
const LEAST_ROUNDS: u32 = 256;

/// The search; keeps its tables between files.
#[derive(Debug, Default)]
pub(super) struct Myers {
    /// How far along the old lines each diagonal's forward path has come, and each one's backward path.
    forward: Vec<i32>,
    backward: Vec<i32>,
    pending: Vec<Area>,
}

/// A part of the edit graph: old lines `a0..a1` against new lines `b0..b1`.
#[derive(Debug, Clone, Copy)]
struct Area {
    a0: i32,
    a1: i32,
    b0: i32,
    b1: i32,
    /// Whether the best split must be found, however long that takes.
    exact: bool,
}

/// Where an area falls into two.
#[derive(Debug, Clone, Copy)]
struct Split {
    a: i32,
    b: i32,
    /// Whether each part was reached by its best path, and so deserves an exact search itself.
    exact_before: bool,
    exact_after: bool,
}

impl Myers {
    /// Tells `old_changed` and `new_changed` each line that is not part of the common subsequence of `a` and `b`.
    pub(super) fn diff(
        &mut self,
        a: &[u32],
        b: &[u32],
        minimal: bool,
        mut old_changed: impl FnMut(usize),
        mut new_changed: impl FnMut(usize),
    ) {
        let diagonals = a.len() + b.len() + 3;
        if self.forward.len() < diagonals {
            self.forward.resize(diagonals, 0);
            self.backward.resize(diagonals, 0);
        }
        let rounds = rough_root(diagonals).max(LEAST_ROUNDS) as i32;
        self.pending.clear();
        self.pending.push(Area { a0: 0, a1: a.len() as i32, b0: 0, b1: b.len() as i32, exact: minimal });
        while let Some(area) = self.pending.pop() {
            let area = area.without_matching_ends(a, b);
            if area.a0 == area.a1 {
                (area.b0..area.b1).for_each(|line| new_changed(line as usize));
            } else if area.b0 == area.b1 {
                (area.a0..area.a1).for_each(|line| old_changed(line as usize));
            } else {
                let mut search = Search {
                    a,
                    b,
                    area,
                    forward: Paths::at(&mut self.forward, b.len(), area.a0 - area.b0, area.a0),
                    backward: Paths::at(&mut self.backward, b.len(), area.a1 - area.b1, area.a1),
                };
                let split = search.run(rounds);
                self.pending.push(Area { a0: split.a, b0: split.b, exact: split.exact_after, ..area });
                self.pending.push(Area { a1: split.a, b1: split.b, exact: split.exact_before, ..area });
            }
        }
    }
}

impl Area {
    fn without_matching_ends(mut self, a: &[u32], b: &[u32]) -> Self {
        while self.a0 < self.a1 && self.b0 < self.b1 && a[self.a0 as usize] == b[self.b0 as usize] {
            self.a0 += 1;
            self.b0 += 1;
        }
        while self.a0 < self.a1 && self.b0 < self.b1 && a[self.a1 as usize - 1] == b[self.b1 as usize - 1] {
            self.a1 -= 1;
            self.b1 -= 1;
        }
        self
    }
}

/// The farthest paths from one corner, by diagonal (old line minus new line).
struct Paths<'w> {
    reach: &'w mut [i32],
    /// What is added to a diagonal to index `reach`.
    zero: i32,
    /// The diagonal of the corner.
    home: i32,
    /// The diagonals that this round's paths lie on, every other one between these.
    low: i32,
    high: i32,
}

impl<'w> Paths<'w> {
    fn at(reach: &'w mut [i32], new_lines: usize, home: i32, start: i32) -> Self {
        let zero = new_lines as i32 + 1;
        reach[(zero + home) as usize] = start;
        Paths { reach, zero, home, low: home, high: home }
    }

    fn get(&self, diagonal: i32) -> i32 {
        self.reach[(self.zero + diagonal) as usize]
    }

    fn set(&mut self, diagonal: i32, old_line: i32) {
        self.reach[(self.zero + diagonal) as usize] = old_line;
    }

    /// Lets the next round reach one diagonal further to either side, within `least..=most`; `unreached` is the
    /// reach of a diagonal where no path has been.
    fn widen(&mut self, least: i32, most: i32, unreached: i32) {
        if self.low > least {
            self.low -= 1;
            self.set(self.low - 1, unreached);
        } else {
            self.low += 1;
        }
        if self.high < most {
            self.high += 1;
            self.set(self.high + 1, unreached);
        } else {
            self.high -= 1;
        }
    }

    fn covers(&self, diagonal: i32) -> bool {
        self.low <= diagonal && diagonal <= self.high
    }

    /// This round's diagonals, from the highest down.
    fn diagonals(&self) -> impl Iterator<Item = i32> + use<> {
        (self.low..=self.high).rev().step_by(2)
    }
}

struct Search<'a, 'w> {
    a: &'a [u32],
    b: &'a [u32],
    area: Area,
    forward: Paths<'w>,
    backward: Paths<'w>,
}

impl Search<'_, '_> {
    fn run(&mut self, most_rounds: i32) -> Split {
        let Area { a0, a1, b0, b1, exact } = self.area;
        let (least, most) = (a0 - b1, a1 - b0);
        // Whether forward and backward paths can meet is a matter of parity.
        let odd = (self.forward.home - self.backward.home) & 1 != 0;
        for round in 1.. {
            let mut long_run = false;
            self.forward.widen(least, most, -1);
            for diagonal in self.forward.diagonals() {
                let (a, run) = self.advance(diagonal);
                long_run |= run > LONG_RUN as i32;
                if odd && self.backward.covers(diagonal) && self.backward.get(diagonal) <= a {
                    return Split { a, b: a - diagonal, exact_before: true, exact_after: true };
                }
            }
            self.backward.widen(least, most, i32::MAX);
            for diagonal in self.backward.diagonals() {
                let (a, run) = self.retreat(diagonal);
                long_run |= run > LONG_RUN as i32;
                if !odd && self.forward.covers(diagonal) && a <= self.forward.get(diagonal) {
                    return Split { a, b: a - diagonal, exact_before: true, exact_after: true };
                }
            }
            if exact {
                continue;
            }
            if long_run
                && round > PATIENT_ROUNDS
                && let Some(split) = self.promising(round)
            {
                return split;
            }
            if round >= most_rounds {
                return self.farthest();
            }
        }
        unreachable!("the paths meet before the rounds run out")
    }

    /// Extends the forward path on a diagonal; returns its end and the length of its last run of matches.
    fn advance(&mut self, diagonal: i32) -> (i32, i32) {
        let (below, above) = (self.forward.get(diagonal - 1), self.forward.get(diagonal + 1));
        let start = if below >= above { below + 1 } else { above };
        let ahead_a = &self.a[start.min(self.area.a1) as usize..self.area.a1 as usize];
        let ahead_b = &self.b[(start - diagonal).min(self.area.b1) as usize..self.area.b1 as usize];
        let run = ahead_a.iter().zip(ahead_b).take_while(|(x, y)| x == y).count() as i32;
        self.forward.set(diagonal, start + run);
        (start + run, run)
    }

    /// Extends the backward path on a diagonal; returns its end and the length of its last run of matches.
    fn retreat(&mut self, diagonal: i32) -> (i32, i32) {
        let (below, above) = (self.backward.get(diagonal - 1), self.backward.get(diagonal + 1));
        let start = if below < above { below } else { above - 1 };
        let behind_a = &self.a[self.area.a0 as usize..start.max(self.area.a0) as usize];
        let behind_b = &self.b[self.area.b0 as usize..(start - diagonal).max(self.area.b0) as usize];
        let run = behind_a.iter().rev().zip(behind_b.iter().rev()).take_while(|(x, y)| x == y).count() as i32;
        self.backward.set(diagonal, start - run);
        (start - run, run)
    }

    /// The end of the path that came farthest for its distance from home, among those that came far and end in a
    /// long run of matches.
    fn promising(&self, round: i32) -> Option<Split> {
        let Area { a0, a1, b0, b1, .. } = self.area;
        let run = LONG_RUN as i32;
        let mut best = (PROGRESS * round, None);
        for diagonal in self.forward.diagonals() {
            let a = self.forward.get(diagonal);
            let b = a - diagonal;
            let progress = (a - a0) + (b - b0) - (diagonal - self.forward.home).abs();
            let inside = a0 + run <= a && a < a1 && b0 + run <= b && b < b1;
            if progress > best.0 && inside && self.match_run(a - run, b - run) {
                best = (progress, Some(Split { a, b, exact_before: true, exact_after: false }));
            }
        }
        if best.1.is_some() {
            return best.1;
        }
        for diagonal in self.backward.diagonals() {
            let a = self.backward.get(diagonal);
            let b = a - diagonal;
            let progress = (a1 - a) + (b1 - b) - (diagonal - self.backward.home).abs();
            let inside = a0 < a && a <= a1 - run && b0 < b && b <= b1 - run;
            if progress > best.0 && inside && self.match_run(a, b) {
                best = (progress, Some(Split { a, b, exact_before: false, exact_after: true }));
            }
        }
        best.1
    }

    /// Whether a long run of matches starts here.
    fn match_run(&self, a: i32, b: i32) -> bool {
        let (a, b) = (a as usize, b as usize);
        self.a[a..a + LONG_RUN] == self.b[b..b + LONG_RUN]
    }

    /// The end of the path that came farthest, forward or backward.
    fn farthest(&self) -> Split {
        let Area { a0, a1, b0, b1, .. } = self.area;
        let (mut ahead, mut ahead_a) = (-1, -1);
        for diagonal in self.forward.diagonals() {
            let a = self.forward.get(diagonal).min(a1).min(b1 + diagonal);
            let sum = a + (a - diagonal);
            if ahead < sum {
                (ahead, ahead_a) = (sum, a);
            }
        }
        let (mut behind, mut behind_a) = (i32::MAX, i32::MAX);
        for diagonal in self.backward.diagonals() {
            let a = self.backward.get(diagonal).max(a0).max(b0 + diagonal);
            let sum = a + (a - diagonal);
            if sum < behind {
                (behind, behind_a) = (sum, a);
            }
        }
        if (a1 + b1) - behind < ahead - (a0 + b0) {
            Split { a: ahead_a, b: ahead - ahead_a, exact_before: true, exact_after: false }
        } else {
            Split { a: behind_a, b: behind - behind_a, exact_before: false, exact_after: true }
        }
    }
}
