//! The first half of a transaction: every reference is locked, in order of name; only then are they read and checked.
//!
//! The new content is in the lock file from the start, so that a full disk is noticed before anything changes.

use std::fs::File;
use std::io::Write;

use adit_object::ObjectId;
use adit_sys::{Durability, Temporary};
use bstr::{BStr, BString, ByteSlice};
use hashbrown::HashSet;

use super::current::Current;
use super::folders::{self, Folders, Tree};
use super::packed_write::{self, NewValue, PackedLock};
use super::{Files, bulk, listing, lock};
use crate::backend::IterOptions;
use crate::name::{self, Rules};
use crate::transaction::{Change, Expected, Plan};
use crate::update_error::{LockFailure, Obstacle};
use crate::{Error, Target, UpdateError};

/// What happens to one reference.
#[derive(Debug)]
pub(super) struct Update {
    pub(super) name: BString,
    /// The edit that it comes from.
    pub(super) edit: usize,
    /// The symbolic reference through which the edit leads here.
    via: Option<usize>,
    pub(super) change: Change,
    pub(super) expected: Expected,
    no_deref: bool,
    /// Only the log tells of it: what changes is what a symbolic reference stands for.
    pub(super) log_only: bool,
    /// It cannot be made, and is left out.
    pub(super) left_out: bool,
    /// There is nothing to write: the reference is so already.
    pub(super) unchanged: bool,
    /// The new value goes into `packed-refs`.
    pub(super) packs: bool,
    pub(super) lock: Option<Temporary>,
    /// What it leads to before; `None` for nothing.
    pub(super) old_id: Option<ObjectId>,
    /// Whether it has a file of its own.
    pub(super) is_loose: bool,
}

/// References that are locked and checked.
#[derive(Debug)]
pub(super) struct LockedRefs<'s> {
    pub(super) files: &'s Files,
    pub(super) plan: Plan<'s>,
    /// Those of the plan in order of name, then those found behind symbolic references.
    pub(super) updates: Vec<Update>,
    pub(super) folders: Folders<'s>,
    pub(super) packed: Option<PackedLock>,
    /// A name in each folder that may be empty when all is done.
    pub(super) emptied: Vec<BString>,
}

/// Locks and checks what `plan` asks for.
pub(super) fn lock<'s>(files: &'s Files, plan: Plan<'s>) -> Result<LockedRefs<'s>, UpdateError> {
    let folders = Folders::new(files, Tree::References, plan.options.sharing);
    let updates = plan.order.iter().map(|at| {
        let edit = &plan.edits[*at];
        Update::new(&edit.name, *at, None, edit.change.clone(), edit.expected.clone(), edit.no_deref)
    });
    let updates: Vec<Update> = updates.collect();
    let mut locked = LockedRefs { files, plan, updates, folders, packed: None, emptied: Vec::new() };
    let head = match files.find_loose(b"HEAD".into())?.map(|head| head.target) {
        Some(Target::Symbolic(branch)) => Some(branch),
        _ => None,
    };
    let in_bulk = bulk::suits(&locked.plan);
    if in_bulk {
        locked.take_linked_locks()?;
    } else {
        for at in 0..locked.updates.len() {
            let outcome = locked.take_lock(at);
            locked.settle(at, outcome)?;
        }
    }
    locked.check_all(head, in_bulk)?;
    locked.lock_packed(in_bulk)?;
    Ok(locked)
}

impl Update {
    fn new(
        name: &BString,
        edit: usize,
        via: Option<usize>,
        change: Change,
        expected: Expected,
        no_deref: bool,
    ) -> Self {
        Update {
            name: name.clone(),
            edit,
            via,
            change,
            expected,
            no_deref,
            log_only: false,
            left_out: false,
            unchanged: false,
            packs: false,
            lock: None,
            old_id: None,
            is_loose: false,
        }
    }

    /// Whether a file is to be put in place.
    pub(super) fn writes(&self) -> bool {
        matches!(self.change, Change::Set(_) | Change::SetSymbolic(_))
            && !self.log_only
            && !self.left_out
            && !self.unchanged
            && !self.packs
    }

    /// Whether the reference is to go.
    pub(super) fn deletes(&self) -> bool {
        self.change == Change::Delete && !self.log_only && !self.left_out
    }
}

impl LockedRefs<'_> {
    /// Leaves the update out when it cannot be made and that is no reason to end.
    pub(super) fn settle(&mut self, at: usize, outcome: Result<(), UpdateError>) -> Result<(), UpdateError> {
        let Err(error) = outcome else { return Ok(()) };
        let edit = self.updates[at].edit;
        self.plan.reject(edit, error)?;
        for update in self.updates.iter_mut().filter(|update| update.edit == edit) {
            update.left_out = true;
            update.lock = None;
        }
        Ok(())
    }

    fn obstacle(&self, at: usize, why: impl Into<Obstacle>) -> UpdateError {
        let name = self.plan.edits[self.updates[at].edit].name.clone();
        UpdateError::Lock { name, why: why.into() }
    }

    fn take_lock(&mut self, at: usize) -> Result<(), UpdateError> {
        let patience = self.plan.options.reference_patience;
        let name = self.updates[at].name.clone();
        match lock::reference(&mut self.folders, name.as_bstr(), patience) {
            Ok((lock, file)) => self.write_value(at, lock, file),
            Err(failure) => Err(self.not_locked(at, failure)?),
        }
    }

    /// Why a lock could not be had.
    pub(super) fn not_locked(&self, at: usize, failure: LockFailure) -> Result<UpdateError, UpdateError> {
        let name = &self.updates[at].name;
        if failure.error.kind() == std::io::ErrorKind::NotADirectory
            && let Some(existing) = self.outer(name.as_bstr())?
        {
            return Ok(self.obstacle(at, Obstacle::Conflict { existing, name: name.clone() }));
        }
        Ok(self.obstacle(at, failure))
    }

    /// Writes the new value into the lock.
    pub(super) fn write_value(
        &mut self,
        at: usize,
        lock: Temporary,
        mut file: File,
    ) -> Result<(), UpdateError> {
        let options = self.plan.options;
        let mut content = Vec::with_capacity(80);
        match &self.updates[at].change {
            _ if self.updates[at].log_only => {}
            Change::Set(id) => id.append_hex(usize::MAX, &mut content),
            Change::SetSymbolic(target) => content.extend_from_slice(&[b"ref: ", target.as_slice()].concat()),
            Change::Delete | Change::Verify => {}
        }
        if !content.is_empty() {
            content.push(b'\n');
            let written = file.write_all(&content).and_then(|()| options.sharing.adjust(lock.path()));
            let written = written.and_then(|()| match options.durability {
                Durability::None => Ok(()),
                Durability::Content => file.sync_all(),
            });
            written.map_err(|error| UpdateError::Write { path: lock.path().to_owned(), error })?;
        }
        self.updates[at].lock = Some(lock);
        Ok(())
    }

    /// A reference that exists and is a folder in `name`.
    fn outer(&self, name: &BStr) -> Result<Option<BString>, Error> {
        for slash in name.find_iter(b"/") {
            let outer = name[..slash].as_bstr();
            if slash > "refs".len() && self.files.find_loose(outer)?.is_some() {
                return Ok(Some(outer.to_owned()));
            }
        }
        Ok(None)
    }

    /// Reads and checks every reference, and those behind symbolic ones; `head` is the branch that `HEAD` stands for.
    fn check_all(&mut self, head: Option<BString>, in_bulk: bool) -> Result<(), UpdateError> {
        let mut behind: HashSet<BString> = HashSet::new();
        let mut current = Current::new(self.files, in_bulk)?;
        let first = self.updates.len();
        let mut at = 0;
        while at < self.updates.len() {
            if !self.updates[at].left_out {
                let outcome = match at >= first {
                    true => self.take_lock(at).and_then(|()| Ok(current.renew()?)),
                    false => Ok(()),
                };
                let outcome = outcome.and_then(|()| self.check(at, &mut current, &mut behind, head.as_ref()));
                self.settle(at, outcome)?;
            }
            at += 1;
        }
        Ok(())
    }

    fn check(
        &mut self,
        at: usize,
        current: &mut Current<'_>,
        behind: &mut HashSet<BString>,
        head: Option<&BString>,
    ) -> Result<(), UpdateError> {
        if self.updates[at].log_only {
            return Ok(());
        }
        let name = self.updates[at].name.clone();
        let old = current.read(&mut self.folders, name.as_bstr())?;
        self.updates[at].is_loose = old.is_loose;
        let target = match old.target {
            Some(Target::Broken(_)) => return Err(self.obstacle(at, Obstacle::Broken(name))),
            Some(Target::Symbolic(target)) if !self.updates[at].no_deref => {
                return self.follow(at, target, behind);
            }
            target => target,
        };
        self.check_old(at, target.as_ref())?;
        self.note_old(at, target.as_ref())?;
        let update = &mut self.updates[at];
        update.unchanged = match (&update.change, &target) {
            (Change::Set(id), Some(Target::Direct(old))) => id == old,
            _ => false,
        };
        if target.is_none() && update.writes() {
            self.check_available(at, name.as_bstr(), old.is_folder, current)?;
        }
        let via_head = self.updates[at].via.is_some_and(|via| self.leads_from_head(via));
        let changes = self.updates[at].change != Change::Verify;
        if head == Some(&name) && changes && !via_head && name != "HEAD" {
            return self.log_head(at, behind);
        }
        Ok(())
    }

    fn leads_from_head(&self, mut at: usize) -> bool {
        loop {
            match self.updates[at].via {
                _ if self.updates[at].name == "HEAD" => return true,
                Some(via) => at = via,
                None => return false,
            }
        }
    }

    /// Whether a transaction has an edit of its own for `name`.
    fn edit_of(&self, name: &BStr) -> Option<usize> {
        let edits = &self.plan.edits;
        let found = self.plan.order.binary_search_by(|at| edits[*at].name.as_bstr().cmp(name));
        found.ok().map(|index| self.plan.order[index])
    }

    /// Moves an update on to what the symbolic reference stands for; the reference itself only logs it.
    fn follow(
        &mut self,
        at: usize,
        target: BString,
        behind: &mut HashSet<BString>,
    ) -> Result<(), UpdateError> {
        let removes = matches!(self.updates[at].change, Change::Delete | Change::Verify);
        let allowed = name::is_valid(&target, Rules::ANY) || (removes && name::is_safe(&target));
        if !allowed {
            return Err(UpdateError::BadName { what: "ref with bad name", name: target });
        }
        let via = self.updates[at].name.clone();
        let own = self.edit_of(target.as_bstr());
        if via == "HEAD" && own.is_some_and(|own| own < self.updates[at].edit) {
            return Err(UpdateError::TwiceVia { name: via, what: "its referent", via: target });
        }
        if own.is_some() || !behind.insert(target.clone()) {
            return Err(UpdateError::TwiceVia { name: target, what: "symref", via });
        }
        let update = &mut self.updates[at];
        update.log_only = true;
        let next = Update::new(
            &target,
            update.edit,
            Some(at),
            update.change.clone(),
            update.expected.clone(),
            false,
        );
        self.updates.push(next);
        Ok(())
    }

    /// The log of `HEAD` tells of a change of the branch that it stands for.
    fn log_head(&mut self, at: usize, behind: &mut HashSet<BString>) -> Result<(), UpdateError> {
        let head = BString::from("HEAD");
        if self.edit_of(head.as_bstr()).is_some() || !behind.insert(head.clone()) {
            let via = self.updates[at].name.clone();
            return Err(UpdateError::TwiceVia { name: head, what: "its referent", via });
        }
        let update = &self.updates[at];
        let mut log = Update::new(&head, update.edit, None, update.change.clone(), Expected::Any, true);
        log.log_only = true;
        log.old_id = update.old_id;
        self.updates.push(log);
        Ok(())
    }

    fn check_old(&mut self, at: usize, old: Option<&Target>) -> Result<(), UpdateError> {
        let update = &self.updates[at];
        let why = match (&update.expected, old) {
            (Expected::Any, _) | (Expected::Missing, None) => return Ok(()),
            (Expected::Missing, Some(_)) => Obstacle::Exists,
            (Expected::Id(_) | Expected::Symbolic(_), None) => Obstacle::Missing(update.name.clone()),
            (Expected::Id(expected), Some(target)) => {
                let actual = self.files.leads_to(target)?;
                match actual {
                    Some(actual) if actual == *expected => return Ok(()),
                    Some(actual) => Obstacle::Differs {
                        actual: Target::Direct(actual),
                        expected: Target::Direct(*expected),
                    },
                    None => Obstacle::Missing(update.name.clone()),
                }
            }
            (Expected::Symbolic(expected), Some(Target::Symbolic(actual))) => {
                if actual == expected {
                    return Ok(());
                }
                let (actual, expected) = (actual.clone(), expected.clone());
                return Err(UpdateError::OtherTarget { name: update.name.clone(), actual, expected });
            }
            (Expected::Symbolic(expected), Some(_)) => Obstacle::Direct(expected.clone()),
        };
        Err(self.obstacle(at, why))
    }

    /// Notes what the reference held, for its log and for those of the symbolic references that led to it.
    fn note_old(&mut self, at: usize, old: Option<&Target>) -> Result<(), UpdateError> {
        let id = match old {
            Some(target) => self.files.leads_to(target)?,
            None => None,
        };
        let mut next = Some(at);
        while let Some(at) = next {
            self.updates[at].old_id = id;
            next = self.updates[at].via;
        }
        Ok(())
    }

    /// Refuses a new reference of which another is a folder, or that is a folder in another.
    fn check_available(
        &mut self,
        at: usize,
        name: &BStr,
        is_folder: bool,
        current: &mut Current<'_>,
    ) -> Result<(), UpdateError> {
        if !name.starts_with(b"refs/") {
            return Ok(());
        }
        let conflict = |existing: &BStr| Obstacle::Conflict { existing: existing.into(), name: name.into() };
        if is_folder {
            let mut prefix = BString::from(name);
            prefix.push(b'/');
            let options = IterOptions { prefix, ..IterOptions::default() };
            if let Some(existing) = listing::loose_names(self.files, &options)?.get(0) {
                return Err(self.obstacle(at, conflict(existing)));
            }
        }
        if let Some(existing) = current.packed_conflict(name)? {
            return Err(UpdateError::Taken(conflict(existing.as_bstr())));
        }
        let path = self.files.path_of(name);
        if is_folder && !folders::remove_empty(&path) {
            return Err(self.obstacle(at, Obstacle::Folder { path, name: name.into() }));
        }
        Ok(())
    }

    /// Locks `packed-refs` when references go or when there are many new ones, and writes the file that will replace it.
    fn lock_packed(&mut self, in_bulk: bool) -> Result<(), UpdateError> {
        let in_packed = |update: &&Update| update.name.starts_with(b"refs/");
        let deletes = self.updates.iter().filter(in_packed).any(Update::deletes);
        if !deletes && !in_bulk {
            return Ok(());
        }
        let mut lock = match PackedLock::acquire(self.files, self.plan.options) {
            Ok(lock) => Some(lock),
            // New references have another place to go.
            Err(UpdateError::File(_)) if !deletes => None,
            Err(error) => return Err(error),
        };
        if in_bulk {
            self.choose_places(lock.is_some())?;
        }
        let Some(packed_lock) = &mut lock else { return Ok(()) };
        let mut changes: Vec<(&BStr, NewValue)> = Vec::new();
        for update in self.updates.iter().filter(in_packed) {
            match &update.change {
                Change::Set(id) if update.packs => {
                    changes.push((update.name.as_bstr(), Some((*id, self.peeled(id)?))));
                }
                _ if update.deletes() => changes.push((update.name.as_bstr(), None)),
                _ => {}
            }
        }
        changes.sort_unstable_by_key(|(name, _)| *name);
        let packed = self.files.packed()?;
        packed_write::with_changes(packed_lock, &packed, &changes, self.plan.options)?;
        self.packed = lock.take();
        Ok(())
    }
}
