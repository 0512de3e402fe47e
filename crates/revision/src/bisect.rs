//! Finding the commit that halves a range (`rev-list --bisect`).
//!
//! The weight of a commit is how many commits of the range it reaches, itself among them; its distance is how far that is
//! from the nearer end. What reaches what is found for many commits at once: a pass over the range takes the commits
//! that are to be counted as bits of a few machine words.

use std::cmp::Reverse;

use adit_object::ObjectId;

/// A commit of a range, by its place in it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Node {
    /// The parents that are in the range.
    pub(crate) parents: Vec<u32>,
    /// Whether it counts; others are walked through.
    pub(crate) counts: bool,
    /// Orders commits that are as far from the ends.
    pub(crate) id: Option<ObjectId>,
}

/// How a range is halved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Halves {
    /// The commits that count with their distances, the best first: all of them, or only the best.
    pub(crate) found: Vec<(u32, u64)>,
    /// How many commits the best one reaches.
    pub(crate) reached: u64,
    /// How many commits there are.
    pub(crate) all: u64,
}

/// The words of a row: so many commits are counted in one pass.
const WORDS: usize = 8;

/// Halves a range whose commits are given the latest first, each child before its parents but where clocks were wrong.
pub(crate) fn bisect(range: &[Node], wants_all: bool) -> Halves {
    let all = range.iter().filter(|node| node.counts).count() as u64;
    let weights = weights(range);
    let distance = |at: usize| weights[at].min(all - weights[at]);
    let counted = (0..range.len()).rev().filter(|&at| range[at].counts);
    let mut found: Vec<(u32, u64)> = Vec::new();
    if wants_all {
        found.extend(counted.map(|at| (at as u32, distance(at))));
        found.sort_by_key(|&(at, distance)| (Reverse(distance), range[at as usize].id));
    } else if let Some(at) = near_half(range, &weights, all) {
        found.push((at as u32, distance(at)));
    } else {
        // Of those as far from the ends, the oldest.
        let mut best: Option<(u32, u64)> = None;
        for at in counted {
            if best.is_none_or(|(_, best)| distance(at) > best) {
                best = Some((at as u32, distance(at)));
            }
        }
        found.extend(best);
    }
    let reached = found.first().map_or(0, |&(at, _)| weights[at as usize]);
    Halves { found, reached, all }
}

/// The first commit that halves the range as well as can be wished for: merges are looked at first, then the others as
/// soon as their parents are known, from the oldest on.
fn near_half(range: &[Node], weights: &[u64], all: u64) -> Option<usize> {
    let halves = |at: usize| {
        let difference = (2 * weights[at]).abs_diff(all);
        range[at].counts && (difference <= 1 || difference < all / 1024)
    };
    let merge = (0..range.len()).rev().find(|&at| range[at].parents.len() > 1 && halves(at));
    if merge.is_some() {
        return merge;
    }
    let mut known: Vec<bool> = range.iter().map(|node| node.parents.len() != 1).collect();
    loop {
        let mut any = false;
        for at in (0..range.len()).rev() {
            let &[parent] = range[at].parents.as_slice() else { continue };
            if known[at] || !known[parent as usize] {
                continue;
            }
            known[at] = true;
            any = true;
            if halves(at) {
                return Some(at);
            }
        }
        if !any {
            return None;
        }
    }
}

/// How many commits that count each commit reaches.
fn weights(range: &[Node]) -> Vec<u64> {
    let order = parents_first(range);
    let mut weights = vec![0; range.len()];
    if range.iter().all(|node| node.parents.len() < 2) {
        for at in order {
            let node = &range[at as usize];
            let below = node.parents.first().map_or(0, |&parent| weights[parent as usize]);
            weights[at as usize] = below + u64::from(node.counts);
        }
        return weights;
    }
    let columns: Vec<u32> = order.iter().copied().filter(|&at| range[at as usize].counts).collect();
    let chunks: Vec<&[u32]> = columns.chunks(WORDS * 64).collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(chunks.len()).max(1);
    if threads == 1 || range.len() < 10_000 {
        chunks.iter().for_each(|chunk| count(range, &order, chunk, &mut weights));
        return weights;
    }
    std::thread::scope(|scope| {
        let (order, chunks) = (&order, &chunks);
        let parts: Vec<_> = (0..threads)
            .map(|first| {
                scope.spawn(move || {
                    let mut part = vec![0; range.len()];
                    let mine = chunks.iter().skip(first).step_by(threads);
                    mine.for_each(|chunk| count(range, order, chunk, &mut part));
                    part
                })
            })
            .collect();
        for part in parts {
            let part = part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            weights.iter_mut().zip(part).for_each(|(sum, more)| *sum += more);
        }
    });
    weights
}

/// Adds to each weight how many of `columns` the commit reaches. `columns` come in the order of `order`.
fn count(range: &[Node], order: &[u32], columns: &[u32], weights: &mut [u64]) {
    let mut rows = vec![[0u64; WORDS]; range.len()];
    let mut columns = columns.iter().enumerate().peekable();
    let Some(&(_, first)) = columns.peek() else { return };
    // Nothing that comes before a commit reaches it.
    let start = order.iter().position(|at| at == first).unwrap_or(0);
    for &at in &order[start..] {
        let mut row = [0; WORDS];
        for &parent in &range[at as usize].parents {
            let below = &rows[parent as usize];
            row.iter_mut().zip(below).for_each(|(word, below)| *word |= below);
        }
        if let Some((bit, _)) = columns.next_if(|(_, column)| **column == at) {
            row[bit / 64] |= 1 << (bit % 64);
        }
        weights[at as usize] += row.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
        rows[at as usize] = row;
    }
}

/// The range in an order in which parents come before their children.
fn parents_first(range: &[Node]) -> Vec<u32> {
    let mut order = Vec::with_capacity(range.len());
    let mut met = vec![false; range.len()];
    let mut stack: Vec<(u32, usize)> = Vec::new();
    for start in (0..range.len()).rev() {
        if std::mem::replace(&mut met[start], true) {
            continue;
        }
        stack.push((start as u32, 0));
        while let Some((at, nth)) = stack.last_mut() {
            match range[*at as usize].parents.get(*nth) {
                Some(&parent) => {
                    *nth += 1;
                    if !std::mem::replace(&mut met[parent as usize], true) {
                        stack.push((parent, 0));
                    }
                }
                None => {
                    order.push(*at);
                    stack.pop();
                }
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(parents: &[&[u32]]) -> Vec<Node> {
        parents.iter().map(|parents| Node { parents: parents.to_vec(), counts: true, id: None }).collect()
    }

    #[test]
    fn weights_count_each_commit_once() {
        // 0 merges 1 and 2, both on 3.
        assert_eq!(weights(&range(&[&[1, 2], &[3], &[3], &[]])), [4, 2, 2, 1]);
        let mut odd = range(&[&[1, 2], &[3], &[3], &[]]);
        odd[3].counts = false;
        assert_eq!(weights(&odd), [3, 1, 1, 0]);
    }

    #[test]
    fn long_histories_of_merges() {
        let size = 12_000;
        let mut long = Vec::new();
        for at in 0..size {
            let parents = [at + 1, at + 2].into_iter().filter(|&parent| parent < size).collect();
            long.push(Node { parents, counts: true, id: None });
        }
        let found = bisect(&long, false);
        assert_eq!((found.all, found.reached), (12_000, 5995));
        assert_eq!(weights(&long)[..3], [12_000, 11_999, 11_998]);
    }

    #[test]
    fn nothing_halves_nothing() {
        assert_eq!(bisect(&[], false), Halves { found: Vec::new(), reached: 0, all: 0 });
        assert!(bisect(&[], true).found.is_empty());
    }
}
