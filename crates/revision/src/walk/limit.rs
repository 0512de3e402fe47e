//! Walking a whole range before the first commit is shown, for what cannot be known earlier.

use super::{Cherry, Sides, Walk};
use crate::Error;
use crate::flags::Flag;

/// How many excluded commits are looked at after nothing else is left, in case dates are out of order.
const SLOP: u32 = 5;

impl Walk<'_> {
    /// Walks until only excluded commits are left, and returns the others as they were met.
    pub(super) fn limit(&mut self) -> Result<Vec<u32>, Error> {
        let bottoms = self.ancestry_bottoms()?;
        let mut list = Vec::new();
        let mut last_date = u64::MAX;
        let mut slop = SLOP;
        while let Some(position) = self.dequeue() {
            let date = self.table.time(position);
            if self.options.since.is_some_and(|since| date < since) {
                self.flags.set(position, Flag::UNINTERESTING);
            }
            self.process_parents(position)?;
            if self.flags.any(position, Flag::UNINTERESTING) {
                self.exclude_parents(position);
                slop = self.slop_left(last_date, slop);
                if slop == 0 {
                    break;
                }
                continue;
            }
            if self.options.until.is_some_and(|until| date > until) {
                continue;
            }
            last_date = date;
            list.push(position);
        }
        if self.options.cherry != Cherry::Ignore {
            self.mark_cherries(&list)?;
        }
        if self.options.sides != Sides::Both {
            self.hide_other_side(&list);
        }
        if let Some(bottoms) = bottoms {
            self.limit_to_ancestry(&bottoms, &mut list);
        }
        if self.is_dense() && self.options.full_history && !self.options.first_parent {
            for &position in &list {
                self.update_treesame(position);
            }
        }
        Ok(list)
    }

    /// How many more excluded commits to look at.
    fn slop_left(&self, last_date: u64, slop: u32) -> u32 {
        match self.queue.peek() {
            None => 0,
            // A commit as young as one that is shown: its exclusion may not have come down to us.
            Some((date, _)) if last_date <= date => SLOP,
            Some(_) if self.interesting > 0 => SLOP,
            Some(_) => slop - 1,
        }
    }

    fn hide_other_side(&mut self, list: &[u32]) {
        let hide_left = self.options.sides == Sides::Right;
        for &position in list {
            if self.flags.any(position, Flag::LEFT) == hide_left {
                self.flags.set(position, Flag::SHOWN);
            }
        }
    }
}
