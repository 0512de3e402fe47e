//! Commits with their changes: what `log`, `show` and `whatchanged` print.
//!
//! [`arguments`] reads the command line and [`setup`] joins it with the configuration; [`revisions`](crate::revisions) finds where the walk
//! starts. The walk runs on the calling thread and makes a [`Job`] of each commit ([`walk`]). A [`Reporter`] turns jobs
//! into text, on several threads ([`stream`]): the entry, then the changes against the parents.

pub mod arguments;
mod canvas;
mod merge;
mod reflogs;
pub mod reporter;
pub mod setup;
mod sift;
pub mod stream;
pub mod walk;

pub use merge::for_first_parent;
pub use reporter::{ChangeWorker, Changes, Job, Parent, Reporter, Worker};
pub use stream::Progress;

use adit::Repository;
use adit_diff::pathspec::Pathspec;
use adit_object::{Ident, ObjectId};
use adit_refs::Head;
use adit_revision::Tip;
use adit_revision::names::Logged;
use bstr::BString;

use crate::context::Context;
use crate::error::Error;
use crate::format::color::LogPalette;
use crate::format::describe::Describing;
use crate::format::pretty::DescribeStyle;
use crate::revisions::Start;
use crate::verdict::Judge;
use arguments::LogArguments;
use canvas::Canvas;
use reflogs::Selectors;
use setup::Setup;
use walk::{Details, Jobs};

/// Which command runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// `log`
    Log,
    /// `show`
    Show,
    /// `whatchanged`
    WhatChanged,
}

/// Walks history and prints it.
///
/// # Errors
/// When the command line cannot be used, or something cannot be read or written.
pub fn run_walk(ctx: &mut Context<'_>, said: LogArguments, command: Command) -> Result<u8, Error> {
    let repo = ctx.repo()?;
    let start = Start::find(ctx, &repo, &said.revisions, said.paths.as_deref())?;
    walk_from(ctx, &repo, start, said, command)
}

/// Walks history from `start` and prints it.
///
/// # Errors
/// As [`run_walk`].
pub fn walk_from(
    ctx: &mut Context<'_>,
    repo: &Repository,
    mut start: Start,
    mut said: LogArguments,
    command: Command,
) -> Result<u8, Error> {
    let pathspec = start.pathspec(repo)?;
    let (tips, names) = match start.said {
        true => start.tips(repo)?,
        false => (vec![head(repo)?], vec![BString::from("HEAD")]),
    };
    if said.revisions.reflogs && !start.said {
        start.add_log_of_head(ctx, repo)?;
    }
    let logs = said.revisions.reflogs.then_some(start.logs);
    if command == Command::WhatChanged
        && said.revisions.walk.max_parents.is_none()
        && !said.merges.is_explicit()
    {
        said.revisions.walk.max_parents = Some(1);
    }
    let run = LogRun::new(ctx, repo, &mut said, command, pathspec)?;
    let mut progress = Progress::default();
    run.print(ctx, &said, History { tips, names, logs }, &mut progress)?;
    Ok(run.status(&progress))
}

/// Where a walk starts.
#[derive(Debug, Default)]
pub struct History {
    /// The commits.
    pub tips: Vec<Tip>,
    /// What each was called.
    pub names: Vec<BString>,
    /// The logs to walk, when reflogs are walked.
    pub logs: Option<Vec<Logged>>,
}

/// A command line that was looked up, ready to print history, perhaps several times.
pub struct LogRun<'r> {
    repo: &'r Repository,
    setup: Setup<'r>,
    pathspec: Pathspec,
}

impl<'r> LogRun<'r> {
    /// Looks up what was said; `pathspec` limits the history.
    ///
    /// # Errors
    /// When options contradict each other, or a setting cannot be used.
    pub fn new(
        ctx: &mut Context<'_>,
        repo: &'r Repository,
        said: &mut LogArguments,
        command: Command,
        pathspec: Pathspec,
    ) -> Result<Self, Error> {
        let shown = if said.full_diff { Pathspec::default() } else { pathspec.clone() };
        Ok(LogRun { repo, setup: Setup::new(ctx, repo, said, shown, command)?, pathspec })
    }

    /// Walks from where `history` starts and prints what is found. `progress` tells what came
    /// before, and goes on from there.
    ///
    /// # Errors
    /// When something cannot be read or written.
    pub fn print(
        &self,
        ctx: &mut Context<'_>,
        said: &LogArguments,
        history: History,
        progress: &mut Progress,
    ) -> Result<(), Error> {
        let setup = &self.setup;
        let template = setup.lookups.style().layout.template();
        let mut options = said.revisions.walk.clone();
        if !self.pathspec.is_empty() && options.no_walk.is_none() {
            options.pathspec = Some(self.pathspec.clone());
        }
        options.track_sources = said.source || template.is_some_and(|template| template.needs().source);
        options.message =
            setup::message_filter(self.repo, &said.revisions.patterns, setup.lookups.maps_people())?;
        if said.revisions.by_decoration {
            options.decorated = setup.lookups.decorations().map(|names| names.ids().copied().collect());
        }
        // Of commits that are shown only for their changes, the walk cannot know how many to yield.
        let count = if setup.always { None } else { options.max_count.take() };
        let details = Details {
            changes: setup.wants_changes(),
            left_right: said.revisions.left_right,
            graph: said.revisions.graph,
        };
        let mut jobs = Jobs::new(self.repo, &history, options, details)?;
        if let Some(logs) = &history.logs {
            let dated = said.pretty.date.is_some();
            jobs.name_changes(Selectors::new(self.repo, logs, setup.lookups.dates(), dated)?);
        }
        let abbreviate = self.repo.abbreviator(setup.diff.abbrev)?;
        let attributes = self.repo.attributes()?;
        let describing = Describing::new(self.repo);
        let describe =
            |id: &ObjectId, style: &DescribeStyle, out: &mut Vec<u8>| describing.append(id, style, out);
        let reporter = Reporter {
            objects: self.repo.objects()?,
            entries: setup.entries(&describe)?,
            changes: details.changes.then_some(Changes {
                options: &setup.diff.core,
                show: &setup.diff.show,
                attributes: &attributes,
                abbreviate: &abbreviate,
                merges: setup.merges,
                first_parent: &setup.first_parent,
                default_digits: self.repo.abbrev()?,
                all_paths: setup.all_paths,
                root: setup.root,
                judge: Judge::of(&setup.diff),
            }),
            always: setup.always,
        };
        let canvas = said.revisions.graph.then(|| Canvas::new(self.repo, setup)).transpose()?;
        stream::write(ctx, &reporter, stream::Output { count, canvas }, progress, || jobs.next())
    }

    /// The exit status of a command that has come so far.
    pub fn status(&self, progress: &Progress) -> u8 {
        progress.verdict.walk_status(&self.setup.diff)
    }

    /// The colours of entries.
    pub fn palette(&self) -> &LogPalette {
        self.setup.lookups.palette()
    }

    /// Appends the lines that tell who made a tag, in the style of the format.
    ///
    /// # Errors
    /// When the repository's objects cannot be opened.
    pub fn append_tagger(&self, tagger: &Ident<'_>, out: &mut Vec<u8>) -> Result<(), Error> {
        self.setup.lookups.printer(None)?.append_tagger(tagger, out);
        Ok(())
    }
}

/// Where the walk starts when nothing is said.
pub(crate) fn head(repo: &Repository) -> Result<Tip, Error> {
    match repo.refs()?.head()? {
        Head::Branch { id: Some(id), .. } | Head::Detached(id) => Ok(Tip::included(id)),
        Head::Branch { name, id: None } => {
            let short = name.strip_prefix(b"refs/heads/").unwrap_or(&name);
            let short = bstr::BStr::new(short);
            Err(Error::fatal(format!("your current branch '{short}' does not have any commits yet")))
        }
        Head::Invalid => Err(Error::fatal("your current branch appears to be broken")),
    }
}
