//! `--children`: parents turned round.

use hashbrown::HashMap;

use crate::CommitTable;

/// The children of each commit that has any.
#[derive(Debug)]
pub(super) struct Children(HashMap<u32, Vec<u32>>);

impl Children {
    /// Those that are in `list`; of one commit, the last in the list comes first.
    pub(super) fn of(table: &CommitTable<'_>, list: &[u32]) -> Self {
        let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
        for &position in list.iter().rev() {
            for &parent in table.parents(position) {
                children.entry(parent).or_default().push(position);
            }
        }
        Children(children)
    }

    pub(super) fn of_commit(&self, position: u32) -> &[u32] {
        self.0.get(&position).map_or(&[], Vec::as_slice)
    }
}
