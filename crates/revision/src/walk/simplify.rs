//! `--simplify-merges`: after a full history was made, merges that add nothing go ('History Simplification' in
//! rev-list-options).

use super::Walk;
use crate::flags::Flag;
use crate::{Error, merge_base};

/// What each commit became, and where it stands in the list.
struct Simplified {
    /// By position; the commit itself until it is simplified.
    to: Vec<u32>,
    /// Counted from the end of the list, from 1: parents have smaller ranks. 0 for a commit outside the list.
    rank: Vec<u32>,
    /// Marks of one search, by position: the number of the search.
    seen: Vec<u32>,
    search: u32,
}

impl Walk<'_> {
    /// Simplifies a list in which children come before parents.
    pub(super) fn simplify_merges(&mut self, list: Vec<u32>) -> Result<Vec<u32>, Error> {
        let known = self.table.len();
        let mut simplified = Simplified {
            to: (0..known as u32).collect(),
            rank: vec![0; known],
            seen: vec![0; known],
            search: 0,
        };
        for (n, &position) in list.iter().rev().enumerate() {
            simplified.rank[position as usize] = n as u32 + 1;
        }
        for &position in list.iter().rev() {
            let to = self.simplify_one(position, &mut simplified)?;
            simplified.to[position as usize] = to;
        }
        let mut list = list;
        list.retain(|&position| simplified.to[position as usize] == position);
        Ok(list)
    }

    /// Simplifies the parents of a commit, whose own parents are done, and returns what it becomes itself.
    fn simplify_one(&mut self, position: u32, simplified: &mut Simplified) -> Result<u32, Error> {
        if self.flags.any(position, Flag::UNINTERESTING) || self.table.parents(position).is_empty() {
            return Ok(position);
        }
        self.simplify_parents(position, simplified)?;
        let stays = self.table.parents(position).is_empty()
            || !self.flags.any(position, Flag::TREESAME)
            || (self.options.show_pulls && self.flags.any(position, Flag::PULL));
        if stays {
            return Ok(position);
        }
        let parent = self.only_relevant_parent(position);
        Ok(parent.map_or(position, |parent| simplified.to[parent as usize]))
    }

    fn simplify_parents(&mut self, position: u32, simplified: &mut Simplified) -> Result<(), Error> {
        let mut parents = self.table.parents(position).to_vec();
        if self.options.first_parent {
            parents[0] = simplified.to[parents[0] as usize];
            self.table.set_parents(position, &parents);
            return Ok(());
        }
        // Which parents have the same content; only kept for merges.
        let mut same: Option<Vec<bool>> = self.treesame.remove(&position).map(Vec::from);
        for parent in &mut parents {
            *parent = simplified.to[*parent as usize];
        }
        let mut keep: Vec<bool> = (0..parents.len()).map(|n| !parents[..n].contains(&parents[n])).collect();
        let had_duplicates = keep.contains(&false);
        retain(&mut parents, &keep);
        if let Some(same) = &mut same {
            retain(same, &keep);
        }
        let mut dropped = had_duplicates;
        if parents.len() > 1 {
            keep = self.needed_parents(&parents, simplified)?;
            keep_one_with_same_content(&mut keep, same.as_deref());
            dropped |= keep.contains(&false);
            retain(&mut parents, &keep);
            if let Some(same) = &mut same {
                retain(same, &keep);
            }
        }
        self.table.set_parents(position, &parents);
        if let Some(same) = same {
            if let [only] = same[..] {
                self.flags.put(position, Flag::TREESAME, only);
            } else {
                self.treesame.insert(position, same.into());
                if dropped {
                    self.update_treesame(position);
                }
            }
        }
        Ok(())
    }

    /// Which of a merge's parents are neither reached from another one nor roots that hold nothing that matters.
    fn needed_parents(&mut self, parents: &[u32], simplified: &mut Simplified) -> Result<Vec<bool>, Error> {
        let mut keep = vec![true; parents.len()];
        if parents.iter().all(|&parent| simplified.rank[parent as usize] != 0) {
            for (n, &parent) in parents.iter().enumerate() {
                let others = parents.iter().copied().filter(|&other| other != parent);
                keep[n] = !self.is_reached(parent, others, simplified);
            }
        } else {
            let needed = merge_base::independent(&mut self.table, parents)?;
            for (n, parent) in parents.iter().enumerate() {
                keep[n] = needed.contains(parent);
            }
        }
        for (n, &parent) in parents.iter().enumerate() {
            let is_empty_root =
                self.table.parents(parent).is_empty() && self.flags.any(parent, Flag::TREESAME);
            keep[n] &= !is_empty_root;
        }
        Ok(keep)
    }

    /// Whether `target` lies below one of `starts`. No commit below a rank can reach that rank.
    fn is_reached(
        &self,
        target: u32,
        starts: impl Iterator<Item = u32>,
        simplified: &mut Simplified,
    ) -> bool {
        simplified.search += 1;
        let floor = simplified.rank[target as usize];
        let mut stack: Vec<u32> = starts.collect();
        while let Some(position) = stack.pop() {
            if position == target {
                return true;
            }
            let (rank, seen) = (simplified.rank[position as usize], &mut simplified.seen[position as usize]);
            if rank <= floor || *seen == simplified.search {
                continue;
            }
            *seen = simplified.search;
            stack.extend_from_slice(self.table.parents(position));
        }
        false
    }
}

/// A merge that has the content of parents that would all go keeps the first of them: it is the one that the default
/// history follows.
fn keep_one_with_same_content(keep: &mut [bool], same: Option<&[bool]>) {
    let Some(same) = same else { return };
    if same.iter().zip(keep.iter()).any(|(&same, &keep)| same && keep) {
        return;
    }
    if let Some(first) = same.iter().position(|&same| same) {
        keep[first] = true;
    }
}

fn retain<T>(list: &mut Vec<T>, keep: &[bool]) {
    let mut keep = keep.iter();
    list.retain(|_| keep.next().copied().unwrap_or(true));
}
