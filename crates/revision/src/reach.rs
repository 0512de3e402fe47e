//! What reaches what: for many commits at once, each commit of history looked at once.

use std::collections::BinaryHeap;

use crate::{CommitTable, Error};

/// Answers for one commit after another whether it reaches any of some others (`--contains`).
///
/// Answers are remembered along the way, so that asking for all tags costs one walk.
pub struct Containing {
    state: Vec<Answer>,
    lowest: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Answer {
    #[default]
    Unknown,
    Pending,
    No,
    Yes,
}

impl Containing {
    /// Asks for commits that reach one of `targets`, themselves included.
    pub fn new(table: &mut CommitTable<'_>, targets: &[u32]) -> Result<Self, Error> {
        let mut asked = Containing { state: Vec::new(), lowest: u64::MAX };
        for &target in targets {
            table.load(target)?;
            asked.lowest = asked.lowest.min(table.generation(target));
            asked.set(target, Answer::Yes);
        }
        Ok(asked)
    }

    fn get(&self, position: u32) -> Answer {
        self.state.get(position as usize).copied().unwrap_or_default()
    }

    fn set(&mut self, position: u32, answer: Answer) {
        let at = position as usize;
        if at >= self.state.len() {
            self.state.resize(at + 1, Answer::Unknown);
        }
        self.state[at] = answer;
    }

    /// Whether `tip` reaches a target.
    pub fn ask(&mut self, table: &mut CommitTable<'_>, tip: u32) -> Result<bool, Error> {
        // The commits between the tip and the one that is looked at, each with its next parent.
        let mut path: Vec<(u32, usize)> = Vec::new();
        let mut current = tip;
        loop {
            match self.get(current) {
                Answer::Yes => {
                    path.iter().for_each(|&(position, _)| self.set(position, Answer::Yes));
                    return Ok(true);
                }
                Answer::Unknown => {
                    table.load(current)?;
                    // A commit of a lower generation than every target reaches none.
                    if table.generation(current) < self.lowest {
                        self.set(current, Answer::No);
                    } else {
                        self.set(current, Answer::Pending);
                        path.push((current, 0));
                    }
                }
                Answer::No | Answer::Pending => {}
            }
            loop {
                let Some((position, next)) = path.last_mut() else { return Ok(self.get(tip) == Answer::Yes) };
                let (position, parent) = (*position, table.parent(*position, *next));
                *next += 1;
                match parent {
                    Some(parent) => {
                        current = parent;
                        break;
                    }
                    None => {
                        self.set(position, Answer::No);
                        path.pop();
                    }
                }
            }
        }
    }
}

/// Which of `wanted` some of `tips` reach, themselves included (`--merged`).
pub fn reached(table: &mut CommitTable<'_>, tips: &[u32], wanted: &[u32]) -> Result<Vec<bool>, Error> {
    let mut lowest = u64::MAX;
    for &commit in wanted {
        table.load(commit)?;
        lowest = lowest.min(table.generation(commit));
    }
    let mut missing = Marks::default();
    let mut left = wanted.iter().filter(|&&commit| missing.set(commit)).count();
    let mut seen = Marks::default();
    let mut queue: Vec<u32> = tips.iter().copied().filter(|&tip| seen.set(tip)).collect();
    while let Some(commit) = queue.pop() {
        if missing.has(commit) {
            left -= 1;
            if left == 0 && wanted.iter().all(|&commit| seen.has(commit)) {
                break;
            }
        }
        table.load(commit)?;
        if table.generation(commit) < lowest {
            continue;
        }
        queue.extend(table.parents(commit).iter().copied().filter(|&parent| seen.set(parent)));
    }
    Ok(wanted.iter().map(|&commit| seen.has(commit)).collect())
}

/// How many commits `one` reaches that `other` does not, and the other way round.
pub fn ahead_behind(table: &mut CommitTable<'_>, one: u32, other: u32) -> Result<(usize, usize), Error> {
    if one == other {
        return Ok((0, 0));
    }
    let mut sides = Sides::default();
    sides.add(table, one, ONE)?;
    sides.add(table, other, OTHER)?;
    let mut parents = Vec::new();
    while sides.active > 0 {
        let Some((_, _, position)) = sides.queue.pop() else { break };
        let at = position as usize;
        if sides.is_active(at) {
            sides.active -= 1;
        }
        sides.queued[at] = false;
        sides.passed[at] = true;
        parents.clear();
        parents.extend_from_slice(table.parents(position));
        for &parent in &parents {
            sides.add(table, parent, sides.flags[at])?;
        }
    }
    let count = |side| sides.found.iter().filter(|&&position| sides.flags[position as usize] == side).count();
    Ok((count(ONE), count(OTHER)))
}

const ONE: u8 = 1;
const OTHER: u8 = 2;

/// Which of two commits reaches each commit that was met.
#[derive(Default)]
struct Sides {
    flags: Vec<u8>,
    /// Whether a commit waits in the queue.
    queued: Vec<bool>,
    /// Whether a commit was taken from the queue before: its parents know of it.
    passed: Vec<bool>,
    found: Vec<u32>,
    /// Youngest first, so that what both sides reach is mostly met before its parents.
    queue: BinaryHeap<(u64, u64, u32)>,
    /// How many commits in the queue have something to tell their parents that matters: that one side alone reaches
    /// them, or that both do after all, where dates are out of order.
    active: usize,
}

impl Sides {
    fn is_active(&self, at: usize) -> bool {
        self.queued[at] && (self.flags[at] != ONE | OTHER || self.passed[at])
    }

    fn add(&mut self, table: &mut CommitTable<'_>, position: u32, flag: u8) -> Result<(), Error> {
        let at = position as usize;
        if at >= self.flags.len() {
            self.flags.resize(at + 1, 0);
            self.queued.resize(at + 1, false);
            self.passed.resize(at + 1, false);
        }
        let (before, after) = (self.flags[at], self.flags[at] | flag);
        if before == after {
            return Ok(());
        }
        if before == 0 {
            table.load(position)?;
            self.found.push(position);
        }
        self.active -= usize::from(self.is_active(at));
        self.flags[at] = after;
        if !self.queued[at] {
            self.queued[at] = true;
            self.queue.push((table.generation(position), table.time(position), position));
        }
        self.active += usize::from(self.is_active(at));
        Ok(())
    }
}

/// Which of `candidates` `tip` most likely started from: the one whose line of first parents meets that of `tip` the
/// soonest, and the first of those that meet it at the same commit.
pub fn likely_base(
    table: &mut CommitTable<'_>,
    tip: u32,
    candidates: &[Option<u32>],
) -> Result<Option<usize>, Error> {
    let mut line = Vec::new();
    let mut distance: Vec<u32> = Vec::new();
    let mut next = Some(tip);
    while let Some(commit) = next {
        table.load(commit)?;
        let at = commit as usize;
        if at >= distance.len() {
            distance.resize(at + 1, u32::MAX);
        }
        distance[at] = u32::try_from(line.len()).unwrap_or(u32::MAX - 1);
        line.push(commit);
        next = table.parent(commit, 0);
    }
    let mut best: Option<(u32, usize)> = None;
    let mut seen = Marks::default();
    for (index, candidate) in candidates.iter().enumerate() {
        let mut next = *candidate;
        while let Some(commit) = next {
            let met = distance.get(commit as usize).copied().unwrap_or(u32::MAX);
            if met != u32::MAX {
                if best.is_none_or(|(best, _)| met < best) {
                    best = Some((met, index));
                }
                break;
            }
            // An earlier candidate came along here, and met the line at the same commit.
            if !seen.set(commit) {
                break;
            }
            table.load(commit)?;
            next = table.parent(commit, 0);
        }
    }
    Ok(best.map(|(_, index)| index))
}

/// A set of positions.
#[derive(Default)]
struct Marks {
    bits: Vec<u64>,
}

impl Marks {
    fn has(&self, position: u32) -> bool {
        self.bits.get(position as usize / 64).is_some_and(|word| word >> (position % 64) & 1 == 1)
    }

    /// Adds a position; whether it is new.
    fn set(&mut self, position: u32) -> bool {
        let (word, bit) = (position as usize / 64, 1 << (position % 64));
        if word >= self.bits.len() {
            self.bits.resize(word + 1, 0);
        }
        let new = self.bits[word] & bit == 0;
        self.bits[word] |= bit;
        new
    }
}
