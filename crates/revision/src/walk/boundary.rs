//! `--boundary`: the commits just below those that were shown.

use super::{Order, Walk, order};
use crate::flags::Flag;

/// What may turn out to be the boundary.
#[derive(Debug, Default)]
pub(super) struct Boundary {
    /// Parents of shown commits, in the order they were met.
    candidates: Vec<u32>,
    /// Once all else was shown: the boundary, last to come first.
    pub(super) rest: Option<Vec<u32>>,
}

impl Walk<'_> {
    /// Takes note that the parents of a shown commit may lie on the boundary.
    pub(super) fn note_boundary_of(&mut self, position: u32) {
        let Some(boundary) = &mut self.boundary else { return };
        for &parent in self.table.parents(position) {
            if !self.flags.any(parent, Flag::CHILD_SHOWN | Flag::SHOWN) {
                self.flags.set(parent, Flag::CHILD_SHOWN);
                boundary.candidates.push(parent);
            }
        }
    }

    /// All else was shown: what is left of the candidates is the boundary.
    pub(super) fn start_boundary(&mut self) {
        let candidates = self.boundary.as_mut().map(|boundary| std::mem::take(&mut boundary.candidates));
        let mut rest = Vec::new();
        for position in candidates.unwrap_or_default() {
            if !self.flags.any(position, Flag::SHOWN | Flag::BOUNDARY) {
                self.flags.set(position, Flag::BOUNDARY);
                rest.push(position);
            }
        }
        rest.reverse();
        if self.options.order != Order::Date {
            for &position in &rest {
                // Dates are needed; a commit that is not here has none.
                let _ = self.table.load(position);
            }
        }
        let mut rest = order::sort(&self.table, rest, self.keys());
        rest.reverse();
        if let Some(boundary) = &mut self.boundary {
            boundary.rest = Some(rest);
        }
    }
}
