//! The changes of a merge against all its parents at once.

use adit_object::ObjectId;

use super::reporter::{ChangeWorker, Changes, Parent, View};
use crate::error::Error;

impl View<'_> {
    /// Appends the entry and the combined change of a merge; false when nothing is shown.
    pub(super) fn append_merge(
        &self,
        _changes: &Changes<'_>,
        _worker: &mut ChangeWorker<'_>,
        _parents: &[Parent],
        _tree: ObjectId,
        _out: &mut Vec<u8>,
    ) -> Result<bool, Error> {
        Err(Error::unsupported("a combined diff"))
    }
}
