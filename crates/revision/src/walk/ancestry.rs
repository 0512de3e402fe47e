//! `--ancestry-path`: only what lies on a way to, from or through given commits.

use super::Walk;
use crate::Error;
use crate::flags::Flag;

impl Walk<'_> {
    /// The commits whose descendants are wanted; `None` without `--ancestry-path`.
    pub(super) fn ancestry_bottoms(&mut self) -> Result<Option<Vec<u32>>, Error> {
        let Some(given) = &self.options.ancestry_path else { return Ok(None) };
        if !given.is_empty() {
            let table = &mut self.table;
            return Ok(Some(given.iter().map(|id| table.intern(id)).collect()));
        }
        let is_bottom = |&position: &u32| self.flags.any(position, Flag::BOTTOM);
        let bottoms: Vec<u32> = self.tips.iter().copied().filter(is_bottom).collect();
        if bottoms.is_empty() { Err(Error::NoBottom) } else { Ok(Some(bottoms)) }
    }

    /// Keeps the commits that descend from one of `bottoms`, or that one of the given commits reaches.
    pub(super) fn limit_to_ancestry(&mut self, bottoms: &[u32], list: &mut Vec<u32>) {
        for &position in bottoms {
            self.flags.set(position, Flag::TEMPORARY);
        }
        // Parents usually come after their children in the list; where dates lie, another round is needed.
        let mut progress = true;
        while std::mem::take(&mut progress) {
            for &position in list.iter().rev() {
                if self.flags.any(position, Flag::TEMPORARY | Flag::UNINTERESTING) {
                    continue;
                }
                let parents = self.table.parents(position);
                if parents.iter().any(|&parent| self.flags.any(parent, Flag::TEMPORARY)) {
                    self.flags.set(position, Flag::TEMPORARY);
                    progress = true;
                }
            }
        }
        list.retain(|&position| {
            let stays = self.flags.any(position, Flag::TEMPORARY | Flag::ANCESTRY);
            if !stays {
                // Merges are then judged by the parents that stay.
                self.flags.set(position, Flag::UNINTERESTING);
            }
            stays
        });
        for &position in list.iter().chain(bottoms) {
            self.flags.clear(position, Flag::TEMPORARY);
        }
    }
}
