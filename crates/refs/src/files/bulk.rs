//! Transactions that make thousands of references: these go into `packed-refs` at once, not into a file each.
//!
//! Every reference is locked as ever, so that other writers keep away; but an empty lock needs no file of its own, only
//! a name, and making files is what takes the time.

use adit_object::{ObjectId, ObjectKind};
use adit_sys::Temporary;
use bstr::ByteSlice;

use super::lock;
use super::packed_write::peel;
use super::prepare::{LockedRefs, Update};
use crate::UpdateError;
use crate::name::{self, Worktree};
use crate::transaction::{Change, Plan};

/// So many new values are worth a new `packed-refs`.
const MANY: usize = 1000;

/// Whether a transaction may be one of these. Without the objects it cannot be: `packed-refs` tells what tags lead to.
pub(super) fn suits(plan: &Plan<'_>) -> bool {
    plan.options.objects.is_some()
        && plan.order.len() >= MANY
        && plan.order.iter().filter(|at| matches!(plan.edits[**at].change, Change::Set(_))).count() >= MANY
}

/// Whether `packed-refs` can hold the new value, and no file stands before it.
fn can_pack(update: &Update) -> bool {
    let name = update.name.as_bstr();
    matches!(update.change, Change::Set(_))
        && update.writes()
        && !update.is_loose
        && name.starts_with(b"refs/")
        && !name::is_per_worktree(name)
        && name::split_worktree(name).0 == Worktree::Current
}

impl LockedRefs<'_> {
    /// Locks all references with names of a few empty files.
    pub(super) fn take_linked_locks(&mut self) -> Result<(), UpdateError> {
        let patience = self.plan.options.reference_patience;
        let mut first: Option<usize> = None;
        for at in 0..self.updates.len() {
            let name = self.updates[at].name.clone();
            let shared: Option<&Temporary> = first.and_then(|first| self.updates[first].lock.as_ref());
            let linked =
                shared.map(|shared| lock::linked(&mut self.folders, name.as_bstr(), shared, patience));
            let taken = match linked {
                Some(Ok(lock)) => Ok(lock),
                Some(Err(failure)) if failure.error.kind() == std::io::ErrorKind::AlreadyExists => {
                    Err(failure)
                }
                // The first, or the file system wants no more names for one file, or none at all.
                _ => {
                    first = Some(at);
                    lock::reference(&mut self.folders, name.as_bstr(), patience).map(|(lock, _)| lock)
                }
            };
            let outcome = match taken {
                Ok(lock) => {
                    self.updates[at].lock = Some(lock);
                    Ok(())
                }
                Err(failure) => Err(self.not_locked(at, failure)?),
            };
            self.settle(at, outcome)?;
        }
        Ok(())
    }

    /// Says which new values go into `packed-refs`, if it may be written; the others get a file.
    pub(super) fn choose_places(&mut self, may_pack: bool) -> Result<(), UpdateError> {
        if may_pack && self.updates.iter().filter(|update| can_pack(update)).count() >= MANY {
            self.updates.iter_mut().for_each(|update| update.packs = can_pack(update));
        }
        for at in 0..self.updates.len() {
            // Those behind symbolic references have their files already.
            if self.updates[at].writes() && at < self.plan.order.len() {
                self.give_file(at)?;
            }
        }
        Ok(())
    }

    /// Puts a file with the new value in the place of an empty lock, which is held all the while.
    fn give_file(&mut self, at: usize) -> Result<(), UpdateError> {
        let name = self.updates[at].name.clone();
        let (_, lock_name) = lock::file_names(name.as_bstr());
        // No reference can have this name, and no reader takes it for one.
        let own_name = [b".", lock_name.as_slice()].concat();
        let path = self.folders.path_of(name.as_bstr()).with_file_name(own_name.to_os_str_lossy());
        let failed = |error| UpdateError::Write { path: path.clone(), error };
        let made = self.folders.with(name.as_bstr(), |folder, _| {
            folder.remove_file(&own_name)?;
            Temporary::create_in(folder, &own_name, path.clone(), 0o666)
        });
        let (made, file) = made.map_err(failed)?;
        let held = self.updates[at].lock.take();
        self.write_value(at, made, file)?;
        if let (Some(held), Some(made)) = (held, self.updates[at].lock.take()) {
            let renamed = self.folders.with(name.as_bstr(), |folder, _| folder.rename(&own_name, &lock_name));
            renamed.map_err(|error| UpdateError::Write { path: path.clone(), error })?;
            // It goes by the name of the lock now.
            made.keep();
            self.updates[at].lock = Some(held);
        }
        Ok(())
    }

    /// What `id` leads to if it is a tag.
    pub(super) fn peeled(&self, id: &ObjectId) -> Result<Option<ObjectId>, UpdateError> {
        match (self.plan.options.objects, self.plan.kinds.get(id)) {
            (Some(objects), None | Some(ObjectKind::Tag)) => peel(objects, id),
            _ => Ok(None),
        }
    }
}
