//! The first half of a transaction: every reference is locked, in order of name; only then are they read and checked.
//!
//! The new content is in the lock file from the start, so that a full disk is noticed before anything changes.

use std::io::Write;

use adit_object::ObjectId;
use adit_sys::{Durability, SmallFile, Temporary};
use bstr::{BStr, BString, ByteSlice};
use hashbrown::HashSet;

use super::folders::{self, Folders, Tree};
use super::packed_write::{self, PackedLock};
use super::{Files, listing, lock, loose};
use crate::backend::IterOptions;
use crate::name::{self, Rules};
use crate::transaction::{Change, Expected, Plan};
use crate::update_error::Obstacle;
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
}

/// Locks and checks what `plan` asks for.
pub(super) fn lock<'s>(files: &'s Files, plan: Plan<'s>) -> Result<LockedRefs<'s>, UpdateError> {
    let folders = Folders::new(files, Tree::References, plan.options.sharing);
    let updates = plan.order.iter().map(|at| {
        let edit = &plan.edits[*at];
        Update::new(&edit.name, *at, None, edit.change.clone(), edit.expected.clone(), edit.no_deref)
    });
    let updates: Vec<Update> = updates.collect();
    let mut locked = LockedRefs { files, plan, updates, folders, packed: None };
    let head = match files.find_loose(b"HEAD".into())?.map(|head| head.target) {
        Some(Target::Symbolic(branch)) => Some(branch),
        _ => None,
    };
    for at in 0..locked.updates.len() {
        let outcome = locked.take_lock(at);
        locked.settle(at, outcome)?;
    }
    locked.check_all(head)?;
    locked.lock_packed()?;
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
    }

    /// Whether the reference is to go.
    pub(super) fn deletes(&self) -> bool {
        self.change == Change::Delete && !self.log_only && !self.left_out
    }
}

/// What a reference holds, and where that was found.
struct Old {
    target: Option<Target>,
    is_loose: bool,
    is_folder: bool,
}

impl LockedRefs<'_> {
    /// Leaves the update out when it cannot be made and that is no reason to end.
    fn settle(&mut self, at: usize, outcome: Result<(), UpdateError>) -> Result<(), UpdateError> {
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
        let options = self.plan.options;
        let name = self.updates[at].name.clone();
        let (lock, mut file) =
            match lock::reference(&mut self.folders, name.as_bstr(), options.reference_patience) {
                Ok(taken) => taken,
                Err(failure) => {
                    let blocked = failure.error.kind() == std::io::ErrorKind::NotADirectory;
                    if let Some(existing) = self.outer(name.as_bstr())?.filter(|_| blocked) {
                        return Err(self.obstacle(at, Obstacle::Conflict { existing, name }));
                    }
                    return Err(self.obstacle(at, failure));
                }
            };
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
    fn check_all(&mut self, head: Option<BString>) -> Result<(), UpdateError> {
        let mut behind: HashSet<BString> = HashSet::new();
        let first = self.updates.len();
        let mut at = 0;
        while at < self.updates.len() {
            if !self.updates[at].left_out {
                let outcome = self.check(at, at >= first, &mut behind, head.as_ref());
                self.settle(at, outcome)?;
            }
            at += 1;
        }
        Ok(())
    }

    fn check(
        &mut self,
        at: usize,
        is_behind: bool,
        behind: &mut HashSet<BString>,
        head: Option<&BString>,
    ) -> Result<(), UpdateError> {
        if is_behind {
            self.take_lock(at)?;
        }
        if self.updates[at].log_only {
            return Ok(());
        }
        let name = self.updates[at].name.clone();
        let old = self.read(name.as_bstr())?;
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
            self.check_available(at, name.as_bstr(), old.is_folder)?;
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

    /// What the reference `name` holds now that it is locked.
    fn read(&mut self, name: &BStr) -> Result<Old, Error> {
        let (last, _) = lock::file_names(name);
        let files = self.files;
        let mut content = Vec::with_capacity(128);
        let mut is_folder = false;
        let io = |error| Error::Io { path: files.path_of(name), error };
        let loose = match self.folders.existing(name).map_err(io)? {
            None => None,
            Some((folder, _)) => {
                let outcome = folder.read_small(last, loose::LIMIT, &mut content).map_err(io)?;
                is_folder = outcome == SmallFile::Folder;
                loose::interpret(files.format, outcome, &mut content, |content| {
                    folder.read_small_through(last, loose::LIMIT, content)
                })
                .map_err(io)?
            }
        };
        if loose.is_some() || !name.starts_with(b"refs/") {
            return Ok(Old { is_loose: loose.is_some(), target: loose, is_folder });
        }
        // Nobody can pack it or unpack it while it is locked, so what packed-refs says is what holds.
        let packed = files.packed()?.find(name)?;
        Ok(Old { target: packed.map(|item| item.target), is_loose: false, is_folder })
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
    fn check_available(&mut self, at: usize, name: &BStr, is_folder: bool) -> Result<(), UpdateError> {
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
        self.check_packed(name)?;
        let path = self.files.path_of(name);
        if is_folder && !folders::remove_empty(&path) {
            return Err(self.obstacle(at, Obstacle::Folder { path, name: name.into() }));
        }
        Ok(())
    }

    fn check_packed(&self, name: &BStr) -> Result<(), UpdateError> {
        let conflict = |existing: &BStr| Obstacle::Conflict { existing: existing.into(), name: name.into() };
        let packed = self.files.packed()?;
        if packed.is_empty() {
            return Ok(());
        }
        let inner = [name.as_bytes(), b"/"].concat();
        if let Some(item) = packed.item(packed.lower_bound(&inner)?)?
            && packed.name(&item).starts_with(&inner)
        {
            return Err(UpdateError::Taken(conflict(packed.name(&item))));
        }
        for slash in name.find_iter(b"/").filter(|slash| *slash > "refs".len()) {
            let outer = name[..slash].as_bstr();
            if packed.find(outer)?.is_some() {
                return Err(UpdateError::Taken(conflict(outer)));
            }
        }
        Ok(())
    }

    /// Locks `packed-refs` when references go, and writes the file that will not have them.
    fn lock_packed(&mut self) -> Result<(), UpdateError> {
        let deleted =
            self.updates.iter().filter(|update| update.deletes() && update.name.starts_with(b"refs/"));
        let mut names: Vec<&BStr> = deleted.map(|update| update.name.as_bstr()).collect();
        if names.is_empty() {
            return Ok(());
        }
        names.sort_unstable();
        let mut lock = PackedLock::acquire(self.files, self.plan.options)?;
        let packed = self.files.packed()?;
        packed_write::without(&mut lock, &packed, &names, self.plan.options)?;
        self.packed = Some(lock);
        Ok(())
    }
}
