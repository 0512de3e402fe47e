//! The seam between [`crate::Store`] and the ways in which references are kept on disk.

use std::fmt::Debug;

use adit_object::ObjectId;
use bstr::{BStr, BString};

use crate::reference::{Entry, Reference};
use crate::reflog::{LogEntry, Reflog};
use crate::transaction::{Change, Expected, Plan, Rejected};
use crate::{Error, LogRewrite, PackOptions, PackReport, UpdateError, WriteOptions};

/// Which references an iteration yields.
#[derive(Debug, Clone, Default)]
pub struct IterOptions {
    /// Only names that start with this; all under `refs/` when empty.
    pub prefix: BString,
    /// Not these names, nor names under them: `refs/changes` leaves out `refs/changes` and `refs/changes/...`. What
    /// is left out is skipped, not read.
    pub exclude: Vec<BString>,
    /// Only names from this one on.
    pub from: BString,
}

/// One way of keeping references. Symbolic references are not followed here.
pub(crate) trait Backend: Send + Sync + Debug {
    /// The reference called `name`, which is a valid name.
    fn find(&self, name: &BStr) -> Result<Option<Reference>, Error>;

    /// The references under a prefix, in byte order.
    fn iter<'s>(&'s self, options: &IterOptions) -> Result<Box<dyn Cursor + 's>, Error>;

    /// The references at the top of the git folder, in byte order.
    fn root_refs(&self) -> Result<Vec<Reference>, Error>;

    /// The log of `name`, if it has one.
    fn reflog(&self, name: &BStr) -> Result<Option<Reflog>, Error>;

    /// The names of references that have a log, folder by folder.
    fn reflog_names(&self) -> Result<Vec<BString>, Error>;

    /// Starts a series of questions about whether names exist.
    fn existence<'s>(&'s self) -> Result<Box<dyn Existence + 's>, Error>;

    /// Locks the references of a transaction, then checks what they hold.
    fn lock<'s>(&'s self, plan: Plan<'s>) -> Result<Box<dyn Locked + 's>, UpdateError>;

    /// Gives the reference `to` the log of `from`, which keeps it if `keeps` says so; any log that `to` had goes.
    fn carry_log(
        &self,
        from: &BStr,
        to: &BStr,
        keeps: bool,
        write: &WriteOptions<'_>,
    ) -> Result<(), UpdateError>;

    /// Adds a change to the log of `name`, if it has one or should have one.
    fn add_to_log(
        &self,
        name: &BStr,
        ids: [&ObjectId; 2],
        message: &BStr,
        write: &WriteOptions<'_>,
    ) -> Result<(), UpdateError>;

    /// Stores references in a way that takes less room and is faster to read.
    fn pack(&self, options: &PackOptions, write: &WriteOptions<'_>) -> Result<PackReport, UpdateError>;

    /// Takes the entries out of a log that `keep` does not want.
    fn rewrite_log(
        &self,
        name: &BStr,
        how: LogRewrite,
        write: &WriteOptions<'_>,
        keep: &mut dyn FnMut(&LogEntry<'_>) -> bool,
    ) -> Result<(), UpdateError>;

    /// Removes a log; whether there was one.
    fn remove_log(&self, name: &BStr) -> Result<bool, UpdateError>;

    /// Adds an entry to a log, which is made if it is missing.
    fn append_log(
        &self,
        name: &BStr,
        ids: [&ObjectId; 2],
        message: &BStr,
        write: &WriteOptions<'_>,
    ) -> Result<(), UpdateError>;
}

/// References that are locked and checked, and about to change.
pub(crate) trait Locked: Debug {
    /// The edits that were left out.
    fn rejected(&self) -> &[Rejected];

    /// Calls `each` with every change that is to be made, symbolic references followed.
    fn for_each(&self, each: &mut dyn FnMut(&BStr, &Change, &Expected));

    /// Makes the changes and gives up the locks.
    fn commit(&mut self) -> Result<(), UpdateError>;

    /// Gives up the locks.
    fn release(&mut self);
}

/// A position in an iteration.
pub(crate) trait Cursor {
    /// The next reference.
    fn advance(&mut self) -> Result<Option<Entry<'_>>, Error>;
}

/// Answers whether names exist, many times: what was read for one answer serves for the next.
pub(crate) trait Existence {
    /// Whether something is stored under `name`; it may be broken.
    fn exists(&mut self, name: &BStr) -> Result<bool, Error>;
}
