//! Showing of a range only what halves it.

use std::collections::VecDeque;

use adit_object::{IdMap, ObjectId};
use hashbrown::HashMap;

use super::Walk;
use crate::bisect::{self, Node};
use crate::flags::Flag;

/// Which commits of a range are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Halving {
    /// All, as they come.
    #[default]
    No,
    /// The one that halves the range.
    Best,
    /// All that count, the one that halves the range first.
    All,
}

/// What halving a range has found out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bisection {
    /// The commit that halves it, unless it is empty.
    pub best: Option<ObjectId>,
    /// How many commits that one reaches, itself among them.
    pub reached: u64,
    /// How many commits there are.
    pub all: u64,
    /// How far the commits that are shown are from the nearer end of the range.
    pub distances: IdMap<u64>,
}

impl Walk<'_> {
    /// What was found out when the options asked to halve the range.
    pub fn bisection(&self) -> Option<&Bisection> {
        self.bisection.as_ref()
    }

    /// Leaves of a list what halves it.
    pub(super) fn halve(&mut self, mut list: Vec<u32>) -> VecDeque<u32> {
        // Where clocks were wrong, some turn out to be excluded after they were met.
        list.retain(|&position| !self.is_excluded(position));
        let places: HashMap<u32, u32> = list.iter().enumerate().map(|(at, &it)| (it, at as u32)).collect();
        let followed = if self.options.first_parent { 1 } else { usize::MAX };
        let node = |&position: &u32| {
            let parents = self.table.parents(position).iter().take(followed);
            Node {
                parents: parents.filter_map(|parent| places.get(parent).copied()).collect(),
                counts: !(self.pruner.is_some() && self.flags.any(position, Flag::TREESAME)),
                id: Some(self.table.id(position)),
            }
        };
        let range: Vec<Node> = list.iter().map(node).collect();
        let halves = bisect::bisect(&range, self.options.halving == Halving::All);
        let mut found: VecDeque<u32> = halves.found.iter().map(|&(at, _)| list[at as usize]).collect();
        if found.is_empty() {
            // Where nothing counts, the oldest commit stands for what halves the range.
            found.extend(list.last());
        }
        self.bisection = Some(Bisection {
            best: found.front().map(|&position| self.table.id(position)),
            reached: halves.reached,
            all: halves.all,
            distances: halves
                .found
                .iter()
                .map(|&(at, distance)| (self.table.id(list[at as usize]), distance))
                .collect(),
        });
        found
    }
}
