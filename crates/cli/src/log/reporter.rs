//! One commit of a log: its entry, and what it changes.

use std::cell::Cell;

use adit_diff::contents::Contents;
use adit_diff::diffcore::{Diffcore, Options};
use adit_diff::show::{Attributes, Printer, ShowOptions};
use adit_object::{Commit, ObjectId, ObjectKind, Source};
use bstr::BString;
use smallvec::SmallVec;

use crate::error::Error;
use crate::format::entry::{Entries, Extra};
use crate::format::pretty::{ReflogLine, Shown};
use crate::options::merges::Merges;
use crate::verdict::{Judge, Judged};

/// Turns commits into text. It can be used from several threads, each with a [`Worker`] of its own.
pub struct Reporter<'a> {
    /// Where objects are read from.
    pub objects: &'a adit_odb::Store,
    /// What prints entries.
    pub entries: Entries<'a>,
    /// How changes are found and shown; `None` when they are not asked for.
    pub changes: Option<Changes<'a>>,
    /// Whether a commit without changes is shown.
    pub always: bool,
}

/// How the changes of commits are found and shown.
pub struct Changes<'a> {
    /// How they are found.
    pub options: &'a Options,
    /// How they are shown.
    pub show: &'a ShowOptions,
    /// What attributes say of paths.
    pub attributes: &'a dyn Attributes,
    /// How many digits of an id are shown.
    pub abbreviate: &'a (dyn Fn(&ObjectId) -> usize + Sync),
    /// What is shown of merges.
    pub merges: Merges,
    /// How they are shown of a merge, as compared with its first parent, beside what differs from all parents.
    pub first_parent: &'a ShowOptions,
    /// The digits of ids in the patches of merges against all parents, which `--abbrev` does not change.
    pub default_digits: usize,
    /// Whether the names that a file has in the parents of a merge are listed.
    pub all_paths: bool,
    /// Whether a commit without parents is shown as an addition of all it has.
    pub root: bool,
    /// What counts as a difference for the exit status.
    pub judge: Judge,
}

/// A parent as changes are found against it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parent {
    /// The commit.
    pub id: ObjectId,
    /// Its tree.
    pub tree: ObjectId,
}

/// A commit to be shown.
#[derive(Debug, Clone)]
pub struct Job {
    /// The commit.
    pub id: ObjectId,
    /// Its tree.
    pub tree: ObjectId,
    /// Its content, when it is at hand.
    pub content: Option<Box<[u8]>>,
    /// The parents that changes are shown against.
    pub parents: SmallVec<[Parent; 2]>,
    /// The parents that the entry names, when they are not those that the commit records.
    pub named_parents: Option<SmallVec<[ObjectId; 2]>>,
    /// The children that the entry names.
    pub children: Vec<ObjectId>,
    /// The mark before the id.
    pub mark: Option<u8>,
    /// The mark that `%m` stands for.
    pub sign: u8,
    /// The name by which it was reached.
    pub source: Option<BString>,
    /// The entry of the reflog that it stands for.
    pub reflog: Option<OwnedReflogLine>,
    /// What the graph draws of it, where there is one.
    pub node: Option<Node>,
}

/// A commit as the graph draws it.
#[derive(Debug, Clone)]
pub struct Node {
    /// The commit, by the number that the walk gave it.
    pub commit: u32,
    /// How it is marked.
    pub mark: u8,
    /// Those of its parents that are drawn.
    pub parents: SmallVec<[u32; 2]>,
    /// How many columns the graph takes beside its changes.
    pub width: usize,
}

/// An entry of a reflog, owned.
#[derive(Debug, Clone, Default)]
pub struct OwnedReflogLine {
    /// `refs/heads/main@{0}`.
    pub selector: BString,
    /// `main@{0}`.
    pub short_selector: BString,
    /// `Name <email>`.
    pub who: BString,
    /// Why the reference was changed.
    pub message: BString,
}

impl Job {
    /// A commit that is shown as it is.
    pub fn new(id: ObjectId, tree: ObjectId) -> Self {
        Job {
            id,
            tree,
            content: None,
            parents: SmallVec::new(),
            named_parents: None,
            children: Vec::new(),
            mark: None,
            sign: b'>',
            source: None,
            reflog: None,
            node: None,
        }
    }
}

/// What one thread keeps from commit to commit.
pub struct Worker<'a> {
    changes: Option<ChangeWorker<'a>>,
    content: Vec<u8>,
}

impl Worker<'_> {
    /// What was found since this was last asked.
    pub fn take_judged(&mut self) -> Judged {
        let Some(changes) = &mut self.changes else { return Judged::default() };
        Judged { differs: changes.differs.take(), check_failed: changes.printer.take_check_failed() }
    }
}

/// What finds and shows changes.
pub struct ChangeWorker<'a> {
    pub(super) objects: &'a adit_odb::Store,
    pub(super) core: Diffcore<'a, adit_odb::Store>,
    pub(super) printer: Printer<'a>,
    pub(super) first_parent: Printer<'a>,
    pub(super) combined: adit_diff::combined::Writer,
    pub(super) contents: &'a dyn Contents,
    /// What the last comparison has found.
    differs: Option<bool>,
}

impl<'a> ChangeWorker<'a> {
    /// Makes what a thread needs. `contents` is where files are read from.
    pub fn new(objects: &'a adit_odb::Store, changes: &'a Changes<'a>, contents: &'a dyn Contents) -> Self {
        let Changes { show, first_parent, attributes, abbreviate, .. } = *changes;
        ChangeWorker {
            objects,
            core: Diffcore::new(objects, changes.options),
            printer: Printer::new(show, contents, attributes, abbreviate),
            first_parent: Printer::new(first_parent, contents, attributes, abbreviate),
            combined: adit_diff::combined::Writer::default(),
            contents,
            differs: None,
        }
    }
}

impl<'a> Reporter<'a> {
    /// Makes what a thread needs. `contents` is where files are read from.
    pub fn worker<'w>(&'w self, contents: &'w dyn Contents) -> Worker<'w>
    where
        'a: 'w,
    {
        let changes = self.changes.as_ref().map(|changes| ChangeWorker::new(self.objects, changes, contents));
        Worker { changes, content: Vec::new() }
    }

    /// Appends what is shown of a commit. Where its (first) entry ends comes back, or `None` when nothing is shown.
    ///
    /// # Errors
    /// When something cannot be read.
    pub fn report(
        &self,
        worker: &mut Worker<'_>,
        mut job: Job,
        out: &mut Vec<u8>,
    ) -> Result<Option<usize>, Error> {
        let content = match job.content.take() {
            Some(content) => content.into_vec(),
            None => {
                let mut content = std::mem::take(&mut worker.content);
                self.objects.read_kind(&job.id, ObjectKind::Commit, &mut content)?;
                content
            }
        };
        let commit = Commit::parse(job.id.format(), &content)
            .map_err(|error| Error::from(adit_object::SourceError::Malformed { id: job.id, error }))?;
        let view = View { reporter: self, job: &job, shown: shown(&job, commit), entry_end: Cell::new(None) };
        let mut any = false;
        if let (Some(changes), Some(change_worker)) = (&self.changes, &mut worker.changes) {
            any = view.append_changes(changes, change_worker, commit.tree(), out)?;
        }
        if !any && self.always {
            view.append_entry(None, out)?;
            any = true;
        }
        let entry_end = view.entry_end.get().filter(|_| any);
        worker.content = content;
        Ok(entry_end)
    }
}

fn shown<'j>(job: &'j Job, commit: Commit<'j>) -> Shown<'j> {
    Shown {
        parents: job.named_parents.as_deref(),
        mark: job.sign,
        source: job.source.as_ref().map(|name| name.as_ref()),
        reflog: job.reflog.as_ref().map(|entry| ReflogLine {
            selector: entry.selector.as_ref(),
            short_selector: entry.short_selector.as_ref(),
            who: entry.who.as_ref(),
            message: entry.message.as_ref(),
        }),
        ..Shown::new(job.id, commit)
    }
}

/// A commit that is being reported.
pub(super) struct View<'v> {
    pub(super) reporter: &'v Reporter<'v>,
    pub(super) job: &'v Job,
    pub(super) shown: Shown<'v>,
    /// Where the first entry ends, once it was appended.
    entry_end: Cell<Option<usize>>,
}

impl View<'_> {
    /// Appends the entry; `from` is the parent that the changes below are against, where it is one of several.
    pub(super) fn append_entry(&self, from: Option<ObjectId>, out: &mut Vec<u8>) -> Result<(), Error> {
        let extra = Extra { mark: self.job.mark, children: &self.job.children, from };
        self.reporter.entries.append(&self.shown, &extra, out)?;
        self.entry_end.set(self.entry_end.get().or(Some(out.len())));
        Ok(())
    }

    /// Appends the changes with the entries that they need; false when there are none.
    fn append_changes(
        &self,
        changes: &Changes<'_>,
        worker: &mut ChangeWorker<'_>,
        tree: ObjectId,
        out: &mut Vec<u8>,
    ) -> Result<bool, Error> {
        let parents = &self.job.parents;
        match (&parents[..], changes.merges) {
            ([], _) if !changes.root => Ok(false),
            ([], _) => self.append_change(changes, worker, None, tree, None, out),
            ([parent], _) | ([parent, ..], Merges::FirstParent) => {
                self.append_change(changes, worker, Some(parent.tree), tree, None, out)
            }
            (_, Merges::Off) => Ok(false),
            (parents, Merges::Separate) => {
                let mut any = false;
                for parent in parents {
                    any |=
                        self.append_change(changes, worker, Some(parent.tree), tree, Some(parent.id), out)?;
                }
                Ok(any)
            }
            (parents, Merges::Combined | Merges::Dense) => {
                self.append_merge(changes, worker, parents, tree, out)
            }
        }
    }

    /// Appends the entry and the change from one tree to another; false when there is none.
    fn append_change(
        &self,
        changes: &Changes<'_>,
        worker: &mut ChangeWorker<'_>,
        old: Option<ObjectId>,
        new: ObjectId,
        from: Option<ObjectId>,
        out: &mut Vec<u8>,
    ) -> Result<bool, Error> {
        let pairs = worker.core.compare(old.as_ref(), Some(&new))?;
        if pairs.is_empty() {
            worker.differs = Some(false);
            return Ok(false);
        }
        self.append_entry(from, out)?;
        if !changes.show.formats.is_empty() {
            let formats = &changes.show.formats;
            self.reporter.entries.append_gap(formats.patch && formats.stat, out);
            let beside = self.job.node.as_ref().map_or(0, |node| node.width);
            worker.printer.print_beside(beside, &pairs, out)?;
        }
        worker.differs = Some(changes.judge.differs(
            changes.show,
            &pairs,
            &mut worker.printer,
            worker.contents,
            changes.attributes,
        )?);
        Ok(true)
    }
}
