//! Changes of references that happen together or not at all (git-update-ref).
//!
//! Edits are gathered; [`Transaction::prepare`] locks every reference, then checks every old value and every name;
//! [`Prepared::commit`] makes the changes. A transaction that is dropped before leaves everything as it was.
//!
//! ```no_run
//! use adit_refs::{Edit, Expected, NoHook, Store, WriteOptions};
//! # fn f(store: &Store, id: adit_object::ObjectId) -> Result<(), adit_refs::UpdateError> {
//! let options = WriteOptions::new("A U Thor <author@example.com> 1700000000 +0000");
//! let mut transaction = store.transaction(&options);
//! transaction.add(Edit::set("refs/heads/topic", id).expect(Expected::Missing).message("branch: created"));
//! transaction.add(Edit::delete("refs/heads/old"));
//! transaction.commit(&mut NoHook)
//! # }
//! ```

use std::fmt;

use adit_object::{IdMap, ObjectFormat, ObjectId, ObjectKind};
use bstr::{BStr, BString, ByteSlice};
use hashbrown::HashSet;

use crate::backend::Locked;
use crate::name::{self, Rules};
use crate::update_error::Obstacle;
use crate::{Store, UpdateError, WriteOptions};

/// What happens to a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// It holds this object.
    Set(ObjectId),
    /// It stands for another reference.
    SetSymbolic(BString),
    /// It goes, if it is there.
    Delete,
    /// Nothing: only what is expected is checked.
    Verify,
}

/// What a reference must hold before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expected {
    /// Anything, or nothing.
    Any,
    /// It must not exist.
    Missing,
    /// This object.
    Id(ObjectId),
    /// The name of this reference.
    Symbolic(BString),
}

/// The change of one reference.
#[derive(Debug, Clone)]
pub struct Edit {
    /// The full name.
    pub name: BString,
    /// What happens to it.
    pub change: Change,
    /// What it must hold before.
    pub expected: Expected,
    /// Whether a symbolic reference is changed itself, not what it stands for.
    pub no_deref: bool,
    /// Why, for the log. White space in it is made single spaces.
    pub message: BString,
    /// Whether a log is made even where the settings would make none.
    pub create_log: bool,
}

impl Edit {
    fn new(name: impl Into<BString>, change: Change) -> Self {
        Edit {
            name: name.into(),
            change,
            expected: Expected::Any,
            no_deref: false,
            message: BString::default(),
            create_log: false,
        }
    }

    /// Makes the reference hold `id`.
    pub fn set(name: impl Into<BString>, id: ObjectId) -> Self {
        Edit::new(name, Change::Set(id))
    }

    /// Makes the reference itself stand for `target`.
    pub fn set_symbolic(name: impl Into<BString>, target: impl Into<BString>) -> Self {
        Edit { no_deref: true, ..Edit::new(name, Change::SetSymbolic(target.into())) }
    }

    /// Removes the reference.
    pub fn delete(name: impl Into<BString>) -> Self {
        Edit::new(name, Change::Delete)
    }

    /// Changes nothing, but fails unless the reference is as `expected`.
    pub fn verify(name: impl Into<BString>, expected: Expected) -> Self {
        Edit { expected, ..Edit::new(name, Change::Verify) }
    }

    /// What the reference must hold before.
    #[must_use]
    pub fn expect(self, expected: Expected) -> Self {
        Edit { expected, ..self }
    }

    /// The reference itself is changed, not what it stands for.
    #[must_use]
    pub fn no_deref(self) -> Self {
        Edit { no_deref: true, ..self }
    }

    /// Why, for the log.
    #[must_use]
    pub fn message(self, message: impl Into<BString>) -> Self {
        Edit { message: message.into(), ..self }
    }

    /// Makes a log even where the settings would make none.
    #[must_use]
    pub fn create_log(self) -> Self {
        Edit { create_log: true, ..self }
    }
}

/// How far a transaction is (githooks, reference-transaction).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// All edits are known, nothing is locked.
    Preparing,
    /// Everything is locked and checked.
    Prepared,
    /// The changes are made.
    Committed,
    /// Nothing was changed.
    Aborted,
}

impl Phase {
    /// git's word.
    pub fn as_str(self) -> &'static str {
        match self {
            Phase::Preparing => "preparing",
            Phase::Prepared => "prepared",
            Phase::Committed => "committed",
            Phase::Aborted => "aborted",
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Told once of each phase of a transaction.
pub trait Hook {
    /// Whether there is anybody to tell.
    fn is_present(&self) -> bool {
        true
    }

    /// Tells of a phase: `lines` has `<old> SP <new> SP <name> LF` for each edit. False ends a transaction that is not
    /// committed yet.
    fn run(&mut self, phase: Phase, lines: &[u8]) -> bool;
}

/// Nobody is told.
#[derive(Debug, Clone, Copy)]
pub struct NoHook;

impl Hook for NoHook {
    fn is_present(&self) -> bool {
        false
    }

    fn run(&mut self, _phase: Phase, _lines: &[u8]) -> bool {
        true
    }
}

/// Appends the line that a hook gets for an edit.
pub(crate) fn hook_line(
    format: ObjectFormat,
    name: &BStr,
    change: &Change,
    expected: &Expected,
    out: &mut Vec<u8>,
) {
    let mut value = |id: Option<&ObjectId>, symbolic: Option<&BString>| {
        match (id, symbolic) {
            (_, Some(target)) => {
                out.extend_from_slice(b"ref:");
                out.extend_from_slice(target);
            }
            (Some(id), None) => id.append_hex(usize::MAX, out),
            (None, None) => ObjectId::null(format).append_hex(usize::MAX, out),
        }
        out.push(b' ');
    };
    match expected {
        Expected::Any | Expected::Missing => value(None, None),
        Expected::Id(id) => value(Some(id), None),
        Expected::Symbolic(target) => value(None, Some(target)),
    }
    match change {
        Change::Set(id) => value(Some(id), None),
        Change::SetSymbolic(target) => value(None, Some(target)),
        Change::Delete | Change::Verify => value(None, None),
    }
    out.extend_from_slice(name);
    out.push(b'\n');
}

/// Edits that are being gathered.
#[derive(Debug)]
pub struct Transaction<'s> {
    store: &'s Store,
    options: &'s WriteOptions<'s>,
    edits: Vec<Edit>,
    leaves_out: bool,
}

/// An edit that was left out of a batch.
#[derive(Debug)]
pub struct Rejected {
    /// Its place among the edits, in the order they were added.
    pub edit: usize,
    /// Why.
    pub error: UpdateError,
}

/// What a backend is to do.
#[derive(Debug)]
pub(crate) struct Plan<'s> {
    pub(crate) options: &'s WriteOptions<'s>,
    /// In the order they were added.
    pub(crate) edits: Vec<Edit>,
    /// The places of the edits in order of name, but for those that are rejected already.
    pub(crate) order: Vec<usize>,
    /// The kinds of the new objects, as far as they are known.
    pub(crate) kinds: IdMap<ObjectKind>,
    /// `None`: the first edit that cannot be made ends the transaction.
    pub(crate) rejected: Option<Vec<Rejected>>,
}

impl Plan<'_> {
    /// Notes that an edit cannot be made.
    ///
    /// # Errors
    /// The error itself, when that ends the transaction.
    pub(crate) fn reject(&mut self, edit: usize, error: UpdateError) -> Result<(), UpdateError> {
        match &mut self.rejected {
            Some(rejected) if error.rejection().is_some() => {
                rejected.push(Rejected { edit, error });
                Ok(())
            }
            _ => Err(error),
        }
    }
}

impl<'s> Transaction<'s> {
    pub(crate) fn new(store: &'s Store, options: &'s WriteOptions<'s>) -> Self {
        Transaction { store, options, edits: Vec::new(), leaves_out: false }
    }

    /// From now on an edit that cannot be made is left out, and the others are made.
    pub fn leave_out_failures(&mut self) {
        self.leaves_out = true;
    }

    /// Adds an edit.
    pub fn add(&mut self, edit: Edit) {
        self.edits.push(edit);
    }

    /// The edits so far.
    pub fn edits(&self) -> &[Edit] {
        &self.edits
    }

    /// Prepares and commits.
    ///
    /// # Errors
    /// When an edit cannot be made, or the hook says no; nothing is changed then.
    pub fn commit(self, hook: &mut dyn Hook) -> Result<(), UpdateError> {
        self.prepare(hook)?.commit(hook)
    }

    /// Tells the hook that nothing will come of it.
    pub fn abort(self, hook: &mut dyn Hook) {
        if hook.is_present() && !self.edits.is_empty() {
            let lines = self.lines();
            hook.run(Phase::Aborted, &lines);
        }
    }

    /// Locks all references, then checks all old values and names.
    ///
    /// # Errors
    /// When an edit cannot be made, or the hook says no; nothing is locked then.
    pub fn prepare(self, hook: &mut dyn Hook) -> Result<Prepared<'s>, UpdateError> {
        let lines = if hook.is_present() { self.lines() } else { Vec::new() };
        let format = self.store.format();
        let Transaction { store, options, edits, leaves_out } = self;
        let mut order: Vec<usize> = (0..edits.len()).collect();
        order.sort_by(|a, b| edits[*a].name.cmp(&edits[*b].name));
        let rejected = leaves_out.then(Vec::new);
        let mut plan = Plan { options, edits, order, kinds: IdMap::default(), rejected };
        check_names(&plan)?;
        check_objects(&mut plan)?;
        if hook.is_present() && !plan.edits.is_empty() && !hook.run(Phase::Preparing, &lines) {
            return Err(UpdateError::Hook(Phase::Preparing));
        }
        check_folders(store, &mut plan)?;
        let mut prepared = Prepared { format, locked: store.lock(plan)? };
        if hook.is_present() && !prepared.tell(hook, Phase::Prepared) {
            return Err(UpdateError::Hook(Phase::Prepared));
        }
        Ok(prepared)
    }

    fn lines(&self) -> Vec<u8> {
        let mut lines = Vec::new();
        for Edit { name, change, expected, .. } in &self.edits {
            hook_line(self.store.format(), name.as_bstr(), change, expected, &mut lines);
        }
        lines
    }
}

/// Refuses bad names, and two edits of one name.
fn check_names(plan: &Plan<'_>) -> Result<(), UpdateError> {
    for edit in &plan.edits {
        // A reference whose name should never have been can still be removed.
        let removes = matches!(edit.change, Change::Delete | Change::Verify);
        let allowed = name::is_valid(&edit.name, Rules::ANY) || (removes && name::is_safe(&edit.name));
        if !allowed {
            return Err(UpdateError::BadName { what: "ref with bad name", name: edit.name.clone() });
        }
        if name::is_pseudo_ref(&edit.name) {
            return Err(UpdateError::BadName { what: "pseudoref", name: edit.name.clone() });
        }
    }
    for pair in plan.order.windows(2) {
        if plan.edits[pair[0]].name == plan.edits[pair[1]].name {
            return Err(UpdateError::Twice { name: plan.edits[pair[0]].name.clone() });
        }
    }
    Ok(())
}

/// Refuses objects that do not exist, and branches that would lead to something else than a commit.
fn check_objects(plan: &mut Plan<'_>) -> Result<(), UpdateError> {
    let Some(objects) = plan.options.objects else { return Ok(()) };
    let mut bad = HashSet::new();
    for at in 0..plan.edits.len() {
        let Edit { name, change: Change::Set(id), .. } = &plan.edits[at] else { continue };
        let (name, id) = (name.clone(), *id);
        let kind = match plan.kinds.get(&id) {
            Some(kind) => Some(*kind),
            None => {
                let kind = objects.try_header(&id)?.map(|header| header.kind);
                kind.map(|kind| plan.kinds.insert(id, kind));
                kind
            }
        };
        let needs_commit = name.starts_with(b"refs/heads/") || name == "HEAD";
        if kind.is_some_and(|kind| !needs_commit || kind == ObjectKind::Commit) {
            continue;
        }
        plan.reject(at, UpdateError::BadObject { name, id, missing: kind.is_none() })?;
        bad.insert(at);
    }
    if !bad.is_empty() {
        plan.order.retain(|at| !bad.contains(at));
    }
    Ok(())
}

/// Refuses names of which one is a folder in another.
fn check_folders(store: &Store, plan: &mut Plan<'_>) -> Result<(), UpdateError> {
    let names: HashSet<&[u8]> = plan.order.iter().map(|at| plan.edits[*at].name.as_slice()).collect();
    let mut found = Vec::new();
    let mut last: &[u8] = b"";
    for at in &plan.order {
        let name = plan.edits[*at].name.as_slice();
        let folder = &name[..name.rfind_byte(b'/').unwrap_or(0)];
        if folder == last {
            continue;
        }
        last = folder;
        let outer = folder.find_iter(b"/").map(|slash| &folder[..slash]).chain([folder]);
        found.extend(outer.filter_map(|outer| names.get(outer)).map(|outer| (outer.to_vec(), *at)));
    }
    drop(names);
    for (outer, inner_edit) in found {
        let (outer, inner) = (BString::from(outer), plan.edits[inner_edit].name.clone());
        let edit_of = |plan: &Plan<'_>, name: &BString| {
            plan.order
                .binary_search_by(|at| plan.edits[*at].name.cmp(name))
                .map(|index| plan.order[index])
                .ok()
        };
        let Some(outer_edit) = edit_of(plan, &outer) else { continue };
        // A reference that exists is in the way even if it is to go: both would have to be there for a moment. The
        // store tells of it.
        if store.find(&outer)?.is_some() || store.find(&inner)?.is_some() {
            continue;
        }
        let why = Obstacle::Together { name: outer.clone(), other: inner };
        let error = match inner_edit < outer_edit {
            true => UpdateError::Lock { name: outer, why },
            false => UpdateError::Taken(why),
        };
        plan.reject(outer_edit, error)?;
        plan.order.retain(|at| *at != outer_edit);
    }
    Ok(())
}

/// A transaction whose references are locked and checked. Dropped, it changes nothing.
#[derive(Debug)]
pub struct Prepared<'s> {
    format: ObjectFormat,
    locked: Box<dyn Locked + 's>,
}

impl Prepared<'_> {
    /// The edits that were left out, when the transaction leaves out those that cannot be made.
    pub fn rejected(&self) -> &[Rejected] {
        self.locked.rejected()
    }

    /// Makes the changes.
    ///
    /// # Errors
    /// When the system refuses; what was changed before stays so.
    pub fn commit(mut self, hook: &mut dyn Hook) -> Result<(), UpdateError> {
        self.locked.commit()?;
        if hook.is_present() {
            self.tell(hook, Phase::Committed);
        }
        Ok(())
    }

    /// Gives up all locks, and tells the hook.
    pub fn abort(mut self, hook: &mut dyn Hook) {
        let lines = if hook.is_present() { self.lines() } else { Vec::new() };
        self.locked.release();
        if !lines.is_empty() {
            hook.run(Phase::Aborted, &lines);
        }
    }

    fn tell(&mut self, hook: &mut dyn Hook, phase: Phase) -> bool {
        let lines = self.lines();
        lines.is_empty() || hook.run(phase, &lines)
    }

    fn lines(&self) -> Vec<u8> {
        let mut lines = Vec::new();
        self.locked.for_each(&mut |name, change, expected| {
            hook_line(self.format, name, change, expected, &mut lines);
        });
        lines
    }
}
