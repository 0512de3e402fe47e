//! Parent rewriting: a shown commit's parents become the nearest ancestors that are shown.

use super::Walk;
use crate::Error;
use crate::flags::Flag;

/// Where the search for a parent to show has ended.
enum Found {
    /// At this commit.
    Commit(u32),
    /// Beyond a root: there is none.
    Nothing,
}

impl Walk<'_> {
    /// Replaces each parent by the nearest ancestor that matters, and drops duplicates.
    pub(super) fn rewrite_parents(&mut self, position: u32) -> Result<(), Error> {
        let mut rewritten: Vec<u32> = Vec::new();
        for nth in 0..self.table.parent_count(position) {
            let Some(parent) = self.table.parent(position, nth) else { break };
            if let Found::Commit(parent) = self.rewrite_one(parent)? {
                rewritten.push(parent);
            }
        }
        if rewritten.len() > 1 {
            self.drop_duplicates(&mut rewritten);
        }
        self.table.set_parents(position, &rewritten);
        Ok(())
    }

    fn drop_duplicates(&mut self, parents: &mut Vec<u32>) {
        parents.retain(|&parent| {
            let is_new = !self.flags.any(parent, Flag::TEMPORARY);
            self.flags.set(parent, Flag::TEMPORARY);
            is_new
        });
        for &parent in parents.iter() {
            self.flags.clear(parent, Flag::TEMPORARY);
        }
    }

    fn rewrite_one(&mut self, mut position: u32) -> Result<Found, Error> {
        loop {
            if !self.limited {
                self.process_parents(position)?;
            }
            if self.flags.any(position, Flag::UNINTERESTING) || !self.flags.any(position, Flag::TREESAME) {
                return Ok(Found::Commit(position));
            }
            // Git drops the parents of a commit once it was shown. Where dates are so wrong that a parent is shown
            // before its child, that can be seen.
            if self.table.parents(position).is_empty() || self.flags.any(position, Flag::YIELDED) {
                return Ok(Found::Nothing);
            }
            match self.only_relevant_parent(position) {
                Some(parent) => position = parent,
                None => return Ok(Found::Commit(position)),
            }
        }
    }

    /// The parent to go on with past a commit that changes nothing; `None` when there is not exactly one that matters.
    pub(super) fn only_relevant_parent(&self, position: u32) -> Option<u32> {
        let parents = self.table.parents(position);
        if self.options.first_parent || parents.len() == 1 {
            return parents.first().copied();
        }
        let mut relevant = parents.iter().copied().filter(|&parent| self.is_relevant(parent));
        let first = relevant.next()?;
        relevant.next().is_none().then_some(first)
    }
}
