//! Merge bases: the best common ancestors of commits (git-merge-base).
//!
//! Everything here works on the commits of a [`CommitTable`], with marks of its own.

use std::cmp::Reverse;

use crate::flags::{Flag, Flags};
use crate::queue::Queue;
use crate::{CommitTable, Error};

/// Reached from the first commit.
const FIRST: Flag = Flag::LEFT;
/// Reached from one of the others.
const OTHER: Flag = Flag::CHILD_SHOWN;
/// Below a common ancestor.
const STALE: Flag = Flag::UNINTERESTING;
/// Found to be a common ancestor.
const FOUND: Flag = Flag::SHOWN;

/// The best common ancestors of `first` and a merge of `others`, youngest first.
pub fn merge_bases(table: &mut CommitTable<'_>, first: u32, others: &[u32]) -> Result<Vec<u32>, Error> {
    table.load(first)?;
    if others.contains(&first) {
        return Ok(vec![first]);
    }
    let found = Painting::new().paint_down(table, first, others, 0)?;
    if found.len() < 2 {
        return Ok(found);
    }
    let mut best = independent(table, &found)?;
    best.sort_by_key(|&position| Reverse(table.time(position)));
    Ok(best)
}

/// The best common ancestors of all of `commits`, before those that others reach are dropped.
pub fn octopus(table: &mut CommitTable<'_>, commits: &[u32]) -> Result<Vec<u32>, Error> {
    let Some((&first, rest)) = commits.split_first() else { return Ok(Vec::new()) };
    table.load(first)?;
    let mut bases = vec![first];
    for &commit in rest {
        let mut next = Vec::new();
        for base in bases {
            next.extend(merge_bases(table, commit, &[base])?);
        }
        bases = next;
    }
    Ok(bases)
}

/// Those of `commits` that no other one reaches, in their order, each once.
pub fn independent(table: &mut CommitTable<'_>, commits: &[u32]) -> Result<Vec<u32>, Error> {
    let mut left: Vec<u32> = Vec::with_capacity(commits.len());
    for &commit in commits {
        table.load(commit)?;
        if !left.contains(&commit) {
            left.push(commit);
        }
    }
    let mut redundant = vec![false; left.len()];
    for at in 0..left.len() {
        if redundant[at] {
            continue;
        }
        let is_other = |&n: &usize| n != at && !redundant[n];
        let others: Vec<usize> = (0..left.len()).filter(is_other).collect();
        if others.is_empty() {
            break;
        }
        let positions: Vec<u32> = others.iter().map(|&n| left[n]).collect();
        let lowest = positions.iter().chain([&left[at]]).map(|&position| table.generation(position)).min();
        let mut painting = Painting::new();
        painting.paint_down(table, left[at], &positions, lowest.unwrap_or(0))?;
        redundant[at] = painting.flags.any(left[at], OTHER);
        for n in others {
            redundant[n] |= painting.flags.any(left[n], FIRST);
        }
    }
    let mut redundant = redundant.into_iter();
    left.retain(|_| !redundant.next().unwrap_or(false));
    Ok(left)
}

/// Whether `ancestor` is one of `descendants` or reached from one of them.
pub fn is_ancestor(table: &mut CommitTable<'_>, ancestor: u32, descendants: &[u32]) -> Result<bool, Error> {
    table.load(ancestor)?;
    if descendants.contains(&ancestor) {
        return Ok(true);
    }
    let floor = table.generation(ancestor);
    let mut highest = 0;
    for &descendant in descendants {
        table.load(descendant)?;
        highest = highest.max(table.generation(descendant));
    }
    if floor > highest {
        return Ok(false);
    }
    let mut painting = Painting::new();
    painting.paint_down(table, ancestor, descendants, floor)?;
    Ok(painting.flags.any(ancestor, OTHER))
}

/// Where a branch left a reference that may since have been rewound: the one merge base with all commits that the
/// reference has stood at, if it has stood there itself.
pub fn fork_point(table: &mut CommitTable<'_>, derived: u32, stood_at: &[u32]) -> Result<Option<u32>, Error> {
    let bases = merge_bases(table, derived, stood_at)?;
    Ok(match bases[..] {
        [base] if stood_at.contains(&base) => Some(base),
        _ => None,
    })
}

/// Marks that flow from commits to their ancestors.
struct Painting {
    flags: Flags,
    /// By generation number, then by date.
    queue: Queue<(u64, u64)>,
    /// How often each commit is in the queue.
    queued: Vec<u32>,
    /// How many entries of the queue are not stale.
    fresh: usize,
}

impl Painting {
    fn new() -> Self {
        Painting { flags: Flags::default(), queue: Queue::default(), queued: Vec::new(), fresh: 0 }
    }

    /// Marks what `first` reaches and what `others` reach, until nothing better than the common ancestors found can
    /// come. Returns those, youngest first. Commits of a generation below `floor` are not looked at.
    fn paint_down(
        &mut self,
        table: &mut CommitTable<'_>,
        first: u32,
        others: &[u32],
        floor: u64,
    ) -> Result<Vec<u32>, Error> {
        let use_generations = table.has_generations();
        self.reach(table, first, FIRST)?;
        for &other in others {
            self.reach(table, other, OTHER)?;
        }
        let mut found = Vec::new();
        while self.fresh > 0 {
            let Some(position) = self.pop() else { break };
            if use_generations && table.generation(position) < floor {
                break;
            }
            let mut marks = self.flags.get(position, FIRST | OTHER | STALE);
            if marks == FIRST | OTHER {
                if !self.flags.any(position, FOUND) {
                    self.flags.set(position, FOUND);
                    found.push(position);
                }
                // What lies below a common ancestor is none of the best.
                marks |= STALE;
            }
            for nth in 0..table.parent_count(position) {
                let Some(parent) = table.parent(position, nth) else { break };
                if self.flags.get(parent, marks) != marks {
                    let commit = table.id(position);
                    self.reach(table, parent, marks)
                        .map_err(|error| Error::Parents { commit, error: Box::new(error) })?;
                }
            }
        }
        found.retain(|&position| !self.flags.any(position, STALE));
        found.sort_by_key(|&position| Reverse(table.time(position)));
        Ok(found)
    }

    /// Marks a commit and puts it in line.
    fn reach(&mut self, table: &mut CommitTable<'_>, position: u32, marks: Flag) -> Result<(), Error> {
        table.load(position)?;
        let was_stale = self.flags.any(position, STALE);
        self.flags.set(position, marks);
        if self.queued.len() <= position as usize {
            self.queued.resize(table.len(), 0);
        }
        let queued = &mut self.queued[position as usize];
        let is_stale = self.flags.any(position, STALE);
        if is_stale && !was_stale {
            self.fresh -= *queued as usize;
        }
        *queued += 1;
        self.fresh += usize::from(!is_stale);
        let generation = if table.has_generations() { table.generation(position) } else { 0 };
        self.queue.push((generation, table.time(position)), position);
        Ok(())
    }

    fn pop(&mut self) -> Option<u32> {
        let position = self.queue.pop()?;
        self.queued[position as usize] -= 1;
        if !self.flags.any(position, STALE) {
            self.fresh -= 1;
        }
        Some(position)
    }
}
