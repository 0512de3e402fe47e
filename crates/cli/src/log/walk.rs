//! The walk of a log: from the commits that history yields to jobs.

use adit::Repository;
use adit_object::{Commit, IdMap, ObjectId};
use adit_revision::graph::Graph;
use adit_revision::{ReflogWalk, Walk, WalkOptions};
use bstr::BString;
use smallvec::SmallVec;

use super::History;
use super::reflogs::Selectors;
use super::reporter::{Job, Node, Parent};
use crate::error::Error;

/// What a walk must tell of each commit.
#[derive(Debug, Clone, Copy, Default)]
pub struct Details {
    /// The parents with their trees, since changes are shown.
    pub changes: bool,
    /// The sides of a symmetric range are marked.
    pub left_right: bool,
    /// A graph is drawn.
    pub graph: bool,
}

/// A walk that yields jobs.
pub struct Jobs<'r> {
    walk: Walk<'r>,
    details: Details,
    /// Whether the parents that the walk has are not those that commits record.
    rewritten: bool,
    grafts: IdMap<Vec<ObjectId>>,
    names: &'r [BString],
    first_parent: bool,
    /// Tells how wide the graph is, when one is drawn.
    lanes: Option<Graph>,
    /// What changes are called, when reflogs are walked.
    selectors: Option<Selectors<'r>>,
}

impl<'r> Jobs<'r> {
    /// Starts where `history` does.
    ///
    /// # Errors
    /// When history cannot be read.
    pub fn new(
        repo: &'r Repository,
        history: &'r History,
        options: WalkOptions,
        details: Details,
    ) -> Result<Self, Error> {
        let mut table = repo.commit_table()?;
        table.keep_contents();
        let grafts = repo.grafts()?;
        let rewritten = !grafts.is_empty() || options.rewrite_parents || options.children;
        let first_parent = options.first_parent;
        let lanes = details.graph.then(|| Graph::new(Vec::new(), String::new()));
        let walk = match &history.logs {
            Some(logs) => {
                let starts = logs.iter().map(|logged| (&logged.log, logged.from));
                Walk::reflogs(table, ReflogWalk::new(starts)?, options)?
            }
            None => Walk::new(table, &history.tips, options)?,
        };
        Ok(Jobs {
            walk,
            details,
            rewritten,
            grafts,
            names: &history.names,
            first_parent,
            lanes,
            selectors: None,
        })
    }

    /// Has the changes of reflogs named.
    pub(super) fn name_changes(&mut self, selectors: Selectors<'r>) {
        self.selectors = Some(selectors);
    }

    /// The next commit.
    ///
    /// # Errors
    /// When history cannot be read.
    #[expect(clippy::should_implement_trait, reason = "as for the walk itself")]
    pub fn next(&mut self) -> Result<Option<Job>, Error> {
        let Some(position) = self.walk.next()? else { return Ok(None) };
        let mut job = Job::new(self.walk.table().id(position), self.walk.table().tree(position));
        job.content = self.walk.table_mut().take_content(position);
        job.mark = self.walk.mark(position, self.details.left_right);
        if self.lanes.is_some() {
            job.node = self.node(position, job.mark.take())?;
        }
        job.sign = self.walk.mark(position, true).unwrap_or(b'>');
        job.source = self.walk.source_of(position).and_then(|tip| self.names.get(tip as usize)).cloned();
        job.reflog =
            self.selectors.as_ref().zip(self.walk.change()).and_then(|(names, change)| names.line(change));
        job.children = self.walk.children(position).iter().map(|&at| self.walk.table().id(at)).collect();
        let mut parents: SmallVec<[u32; 2]> = self.walk.table().parents(position).into();
        if self.rewritten {
            job.named_parents = Some(parents.iter().map(|&at| self.walk.table().id(at)).collect());
        }
        if self.details.changes {
            if self.rewritten {
                parents = self.recorded_parents(position, &mut job)?;
            }
            for at in parents {
                let table = self.walk.table_mut();
                table.load(at)?;
                job.parents.push(Parent { id: table.id(at), tree: table.tree(at) });
            }
        }
        Ok(Some(job))
    }

    /// What the graph draws of a commit.
    fn node(&mut self, commit: u32, mark: Option<u8>) -> Result<Option<Node>, Error> {
        let Some(lanes) = &mut self.lanes else { return Ok(None) };
        let mut parents: SmallVec<[u32; 2]> = SmallVec::new();
        let followed = if self.first_parent { 1 } else { usize::MAX };
        for parent in SmallVec::<[u32; 2]>::from(self.walk.table().parents(commit)).into_iter().take(followed)
        {
            if self.walk.will_show(parent)? {
                parents.push(parent);
            }
        }
        let mark = match mark {
            Some(b'-') => b'o',
            Some(b'+') | None => b'*',
            Some(other) => other,
        };
        lanes.start(commit, mark, &parents);
        Ok(Some(Node { commit, mark, parents, width: lanes.width() }))
    }

    /// The parents that the commit records, whatever the walk has made of them.
    fn recorded_parents(&mut self, position: u32, job: &mut Job) -> Result<SmallVec<[u32; 2]>, Error> {
        let table = self.walk.table_mut();
        if let Some(grafted) = self.grafts.get(&job.id) {
            return Ok(grafted.iter().map(|id| table.intern(id)).collect());
        }
        let content = match job.content.take() {
            Some(content) => content,
            None => {
                let mut content = Vec::new();
                table.read(position, &mut content)?;
                content.into_boxed_slice()
            }
        };
        let commit = Commit::parse(job.id.format(), &content)
            .map_err(|error| adit_object::SourceError::Malformed { id: job.id, error })?;
        let parents = commit.parents().map(|id| table.intern(&id)).collect();
        job.content = Some(content);
        Ok(parents)
    }
}
