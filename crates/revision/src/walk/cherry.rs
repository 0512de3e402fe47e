//! `--cherry-pick` and `--cherry-mark`: commits that make the same change as one on the other side.

use adit_object::ObjectId;
use hashbrown::HashMap;

use super::{Cherry, Walk};
use crate::flags::Flag;
use crate::patch_id::PatchIds;
use crate::{CommitTable, Error};

impl Walk<'_> {
    /// Marks the commits of `list` that have a counterpart on the other side, on both sides.
    pub(super) fn mark_cherries(&mut self, list: &[u32]) -> Result<(), Error> {
        let mark = if self.options.cherry == Cherry::Mark { Flag::PATCHSAME } else { Flag::SHOWN };
        let is_left = |&&position: &&u32| self.flags.any(position, Flag::LEFT);
        let (left, right): (Vec<&u32>, Vec<&u32>) = list.iter().partition(is_left);
        if left.is_empty() || right.is_empty() {
            return Ok(());
        }
        let mut ids = PatchIds::new(self.table.source(), self.options.pathspec.clone());
        let (few, many) = if left.len() < right.len() { (left, right) } else { (right, left) };
        let mut by_names: HashMap<ObjectId, Vec<u32>> = HashMap::new();
        for &&position in &few {
            if let Some((old, new)) = sides(&self.table, position) {
                by_names.entry(ids.of_names(old.as_ref(), &new)?).or_default().push(position);
            }
        }
        let mut contents: HashMap<u32, ObjectId> = HashMap::new();
        for &&position in &many {
            let Some((old, new)) = sides(&self.table, position) else { continue };
            let Some(candidates) = by_names.get(&ids.of_names(old.as_ref(), &new)?) else { continue };
            let content = ids.of_content(old.as_ref(), &new)?;
            for &candidate in candidates {
                let Some((old, new)) = sides(&self.table, candidate) else { continue };
                let known = match contents.get(&candidate) {
                    Some(&known) => known,
                    None => *contents.entry(candidate).or_insert(ids.of_content(old.as_ref(), &new)?),
                };
                if known == content {
                    self.flags.set(position, mark);
                    self.flags.set(candidate, mark);
                }
            }
        }
        Ok(())
    }
}

/// The trees that a commit's change lies between; `None` for a merge, which has no one change.
fn sides(table: &CommitTable<'_>, position: u32) -> Option<(Option<ObjectId>, ObjectId)> {
    let old = match table.parents(position) {
        [] => None,
        [parent] => Some(table.tree(*parent)),
        _ => return None,
    };
    Some((old, table.tree(position)))
}
