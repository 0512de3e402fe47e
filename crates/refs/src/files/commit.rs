//! The second half of a transaction: logs first, then new values, then what goes.
//!
//! A reader that looks for a file and then into `packed-refs` finds a value of every reference at every moment: a file
//! is replaced by a rename, and a reference that goes leaves `packed-refs` before its file does.

use adit_object::ObjectId;
use bstr::{BStr, BString, ByteSlice};

use super::folders::{self, Tree};
use super::log_write::{self, LogWriter};
use super::prepare::{LockedRefs, Update};
use super::{Files, lock};
use crate::backend::Locked;
use crate::transaction::{Change, Expected, Rejected};
use crate::{Error, Target, UpdateError};

impl Locked for LockedRefs<'_> {
    fn rejected(&self) -> &[Rejected] {
        self.plan.rejected.as_deref().unwrap_or_default()
    }

    fn for_each(&self, each: &mut dyn FnMut(&BStr, &Change, &Expected)) {
        let asked = self.plan.order.len();
        let mut order: Vec<usize> = (0..self.updates.len()).collect();
        order[..asked].sort_by_key(|at| self.updates[*at].edit);
        for update in order.into_iter().map(|at| &self.updates[at]) {
            if !update.log_only {
                each(update.name.as_bstr(), &update.change, &update.expected);
            }
        }
    }

    fn commit(&mut self) -> Result<(), UpdateError> {
        self.write_logs()?;
        self.put_in_place()?;
        self.delete()?;
        self.release();
        Ok(())
    }

    fn release(&mut self) {
        let mut last: Option<BString> = None;
        for update in &mut self.updates {
            let Some(held) = update.lock.take() else { continue };
            let name = update.name.as_bstr();
            let (_, lock_name) = lock::file_names(name);
            // Should a lock stay, the next writer will say so.
            let _ = match self.folders.existing(name) {
                Ok(Some((folder, _))) => held.remove_in(folder, &lock_name),
                _ => held.remove(),
            };
            let folder = &name[..name.rfind_byte(b'/').unwrap_or(0)];
            if !update.is_loose && last.as_ref().is_none_or(|last| last != folder) {
                last = Some(folder.into());
                self.emptied.push(update.name.clone());
            }
        }
        for name in self.emptied.drain(..) {
            folders::remove_empty_parents(self.files, Tree::References, name.as_bstr());
        }
        self.packed = None;
    }
}

impl Drop for LockedRefs<'_> {
    fn drop(&mut self) {
        self.release();
    }
}

impl LockedRefs<'_> {
    fn write_logs(&self) -> Result<(), UpdateError> {
        let mut logs = LogWriter::new(self.files, self.plan.options);
        let null = ObjectId::null(self.files.format);
        for update in self.updates.iter().filter(|update| !update.left_out) {
            let new = match &update.change {
                Change::Set(_) if update.unchanged => continue,
                Change::Set(id) => *id,
                Change::SetSymbolic(target) => match self.future_of(target.as_bstr())? {
                    Some(id) => id,
                    None => continue,
                },
                Change::Delete if update.log_only && update.old_id.is_some() => null,
                Change::Delete | Change::Verify => continue,
            };
            let edit = &self.plan.edits[update.edit];
            let old = update.old_id.unwrap_or(null);
            logs.append(update.name.as_bstr(), [&old, &new], edit.message.as_bstr(), edit.create_log)?;
        }
        Ok(())
    }

    /// What `name` will lead to when all is done.
    fn future_of(&self, name: &BStr) -> Result<Option<ObjectId>, Error> {
        let sets = |update: &Update| match &update.change {
            Change::Set(id) if update.name == name && !update.log_only && !update.left_out => Some(*id),
            _ => None,
        };
        match self.updates.iter().find_map(sets) {
            Some(id) => Ok(Some(id)),
            None => self.files.leads_to(&Target::Symbolic(name.to_owned())),
        }
    }

    fn put_in_place(&mut self) -> Result<(), UpdateError> {
        for update in &mut self.updates {
            if !update.writes() {
                continue;
            }
            let Some(taken) = update.lock.take() else { continue };
            let name = update.name.as_bstr();
            let (last, lock_name) = lock::file_names(name);
            let failed = |error| UpdateError::Write { path: self.files.path_of(name), error };
            let path = self.files.path_of(name);
            let folder = self.folders.existing(name).map_err(failed)?;
            let Some((folder, _)) = folder else {
                return Err(UpdateError::Write { path, error: std::io::ErrorKind::NotFound.into() });
            };
            taken.rename(folder, &lock_name, last).map_err(|error| UpdateError::Write { path, error })?;
        }
        Ok(())
    }

    fn delete(&mut self) -> Result<(), UpdateError> {
        if let Some(packed) = &mut self.packed {
            packed.replace()?;
        }
        for update in self.updates.iter_mut().filter(|update| update.deletes()) {
            let name = update.name.as_bstr();
            let (last, _) = lock::file_names(name);
            if update.is_loose {
                let failed = |error| UpdateError::Write { path: self.files.path_of(name), error };
                if let Some((folder, _)) = self.folders.existing(name).map_err(failed)? {
                    folder.remove_file(last).map_err(failed)?;
                }
                update.is_loose = false;
            }
            log_write::remove(self.files, name)?;
        }
        Ok(())
    }
}

impl Files {
    /// The object that a reference with this content leads to.
    pub(super) fn leads_to(&self, target: &Target) -> Result<Option<ObjectId>, Error> {
        use crate::backend::Backend;
        use crate::name::{self, Rules};
        let mut target = target.clone();
        for _ in 0..crate::store::LONGEST_CHAIN {
            let next = match target {
                Target::Direct(id) => return Ok(Some(id)),
                Target::Broken(_) => return Ok(None),
                Target::Symbolic(next) if !name::is_valid(&next, Rules::ANY) => return Ok(None),
                Target::Symbolic(next) => next,
            };
            match self.find(next.as_bstr())? {
                Some(reference) => target = reference.target,
                None => return Ok(None),
            }
        }
        Ok(None)
    }
}
