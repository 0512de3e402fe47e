//! Walking the changes of references instead of history (`--walk-reflogs`).

use adit_object::{ObjectKind, SourceError};

use super::{NoWalk, Pending, Walk, WalkOptions};
use crate::flags::Flag;
use crate::{CommitTable, Error, LoggedChange, ReflogWalk};

/// The logs that are walked, and the change that the walk is at.
pub(super) struct Changes<'s> {
    logs: ReflogWalk<'s>,
    current: Option<LoggedChange>,
}

impl<'s> Walk<'s> {
    /// Walks the changes in `logs`: each yields the commit that a reference was set to, however often it comes up.
    /// Dates are those of the changes.
    ///
    /// # Errors
    /// When logs or commits cannot be read.
    pub fn reflogs(
        table: CommitTable<'s>,
        logs: ReflogWalk<'s>,
        mut options: WalkOptions,
    ) -> Result<Self, Error> {
        options.no_walk = Some(NoWalk::Unsorted);
        let mut walk = Walk::unstarted(table, options);
        walk.pending = Pending::Reflogs(Box::new(Changes { logs, current: None }));
        walk.finish_preparing()?;
        Ok(walk)
    }

    /// The change that the walk has come to, when it walks reflogs.
    pub fn change(&self) -> Option<&LoggedChange> {
        match &self.pending {
            Pending::Reflogs(changes) => changes.current.as_ref(),
            _ => None,
        }
    }

    /// The commit of the next change, its parents simplified.
    pub(super) fn next_changed(&mut self) -> Result<Option<u32>, Error> {
        while let Pending::Reflogs(changes) = &mut self.pending {
            let Some(change) = changes.logs.advance()? else { return Ok(None) };
            let id = change.id;
            changes.current = Some(change);
            if id.is_null() || !self.is_commit_here(&id)? {
                continue;
            }
            let position = self.table.intern(&id);
            self.table.load(position)?;
            // A commit is as new each time that it comes up.
            self.flags.clear(position, Flag::SEEN | Flag::ADDED | Flag::SHOWN);
            self.process_parents(position)?;
            return Ok(Some(position));
        }
        Ok(None)
    }

    /// Whether an object is a commit that is here: logs outlive what they tell of.
    fn is_commit_here(&self, id: &adit_object::ObjectId) -> Result<bool, Error> {
        match self.table.source().try_header(id) {
            Ok(header) => Ok(header.is_some_and(|header| header.kind == ObjectKind::Commit)),
            Err(SourceError::Missing(_)) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}
