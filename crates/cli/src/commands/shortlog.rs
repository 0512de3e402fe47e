//! `git shortlog`: summarises history, grouped by people or by what else commits say.

mod groups;
mod keys;
mod stdin;

use std::io::IsTerminal;
use std::ops::ControlFlow;

use adit::{Mailmap, Repository};
use adit_object::{Commit, ObjectKind, Source, SourceError};
use adit_revision::Tip;
use adit_text::date::Clock;
use bstr::{BString, ByteSlice};

use crate::context::Context;
use crate::error::Error;
use crate::format::lookups::{Lookups, Wants};
use crate::format::pretty::Shown;
use crate::log::walk::{Details, Jobs};
use crate::log::{History, Job, head};
use crate::options::pretty::{self, PrettyOptions};
use crate::options::revision::{self, RevisionOptions};
use crate::options::{Args, Given, Opt, Table, Usage};
use crate::pipeline::in_order;
use crate::revisions::Start;
use groups::{Groups, Layout, Margins, entry_of};
use keys::{Key, Keys};
use stdin::People;

const USAGE: Usage = Usage {
    name: "shortlog",
    synopsis: &[
        "git shortlog [<options>] [<revision-range>] [[--] <path>...]",
        "git log --pretty=short | git shortlog [<options>]",
    ],
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Id {
    Committer,
    Numbered,
    Summary,
    Email,
    Wrap,
    Group,
}

const TABLE: Table<Id> = Table::new(&[
    Opt::flag(Id::Committer, "committer", "group by committers").short(b'c').no(),
    Opt::flag(Id::Numbered, "numbered", "largest groups first").short(b'n').no(),
    Opt::flag(Id::Summary, "summary", "show only how many commits there are").short(b's').no(),
    Opt::flag(Id::Email, "email", "show addresses").short(b'e').no(),
    Opt::optional(Id::Wrap, "", "w[,i1[,i2]]", "wrap lines").short(b'w'),
    Opt::value(Id::Group, "group", "field", "group by a field").no(),
]);

/// What a command line said.
#[derive(Default)]
struct Said {
    layout: Layout,
    emails: bool,
    keys: Vec<Key>,
    pretty: PrettyOptions,
    revisions: RevisionOptions,
    paths: Option<Vec<BString>>,
}

/// Runs the command.
pub fn run(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let mut said = Said::read(ctx, args)?;
    if said.keys.is_empty() {
        said.keys.push(Key::Author);
    }
    let mut groups = Groups::default();
    let repo = ctx.repo_if_any();
    let mut walked = false;
    if let Some(repo) = &repo {
        walked = walk(ctx, repo, &said, &mut groups)?;
    } else if !said.revisions.items.is_empty() {
        return Err(Error::usage_line("too many arguments given outside repository".into())
            .with_usage(TABLE.usage(&USAGE)));
    }
    if !walked {
        let mailmap = match &repo {
            Some(repo) => repo.mailmap()?,
            None => mailmap_here(ctx),
        };
        let committers = match &said.keys[..] {
            [Key::Author] => false,
            [Key::Committer] => true,
            [Key::Trailer(_)] => {
                return Err(Error::fatal("using --group=trailer with stdin is not supported"));
            }
            [Key::Format(_)] => return Err(Error::fatal("using --group=format with stdin is not supported")),
            _ => return Err(Error::fatal("using multiple --group options with stdin is not supported")),
        };
        let people = People { committers, emails: said.emails, mailmap: &mailmap };
        stdin::read(&mut ctx.streams.input, &people, &mut groups)?;
    }
    groups.print(&said.layout, &mut ctx.streams.out)?;
    Ok(0)
}

impl Said {
    fn read(ctx: &Context<'_>, words: &[BString]) -> Result<Self, Error> {
        let zone = ctx.local_zone();
        let clock = Clock { now: ctx.env.now(), zone: &zone };
        let usage = || TABLE.usage(&USAGE);
        let mut said = Said::default();
        let mut args = Args::new(words);
        while let Some(word) =
            args.next_option(&mut said.paths, |word, after| said.revisions.word(word, after))
        {
            if let Some(given) = TABLE.take(&mut args).map_err(|error| error.with_usage(usage()))? {
                said.apply(&given)?;
            } else if let Some(given) = pretty::TABLE.take(&mut args)? {
                said.pretty.apply(&given)?;
            } else if let Some(given) = revision::TABLE.take(&mut args)? {
                said.revisions.apply(&given, clock)?;
            } else if word == "-h" {
                return Err(Error::help_asked().with_usage(usage()));
            } else {
                return Err(Error::usage_line(format!("unknown option `{word}'")).with_usage(usage()));
            }
        }
        said.revisions.check()?;
        Ok(said)
    }

    fn apply(&mut self, given: &Given<Id>) -> Result<(), Error> {
        match given.id {
            Id::Committer if given.on() => self.add_key(Key::Committer),
            Id::Committer => self.keys.retain(|key| *key != Key::Committer),
            Id::Numbered => self.layout.by_count = given.on(),
            Id::Summary => self.layout.summary = given.on(),
            Id::Email => self.emails = given.on(),
            Id::Wrap => {
                let margins = match &given.value {
                    Some(value) => Margins::parse(value),
                    None => Some(Margins::DEFAULT),
                };
                let bad = || Error::usage_line("-w[<width>[,<indent1>[,<indent2>]]]".into());
                self.layout.margins = Some(margins.ok_or_else(bad)?);
            }
            Id::Group if !given.on() => self.keys.clear(),
            Id::Group => {
                let unknown = || Error::usage_line(format!("unknown group type: {}", given.text()));
                let key = Key::parse(given.text()).ok_or_else(unknown)?;
                self.add_key(key);
            }
        }
        Ok(())
    }

    fn add_key(&mut self, key: Key) {
        if !self.keys.contains(&key) {
            self.keys.push(key);
        }
    }
}

/// The mailmap in the working directory, outside of repositories.
fn mailmap_here(ctx: &Context<'_>) -> Mailmap {
    let mut map = Mailmap::default();
    if let Ok(content) = std::fs::read(ctx.env.cwd().join(".mailmap")) {
        map.add(&content);
    }
    map
}

/// Walks history; false when there is nothing to start from, so that standard input is meant.
fn walk(ctx: &mut Context<'_>, repo: &Repository, said: &Said, groups: &mut Groups) -> Result<bool, Error> {
    let start = Start::find(ctx, repo, &said.revisions, said.paths.as_deref())?;
    if said.revisions.reflogs {
        return Err(Error::unsupported("shortlog --walk-reflogs"));
    }
    let (mut tips, names) = start.tips(repo)?;
    if !start.said {
        if !std::io::stdin().is_terminal() {
            return Ok(false);
        }
        tips = vec![Tip::included(head(repo)?.id)];
    }
    let mut options = said.revisions.walk.clone();
    let pathspec = start.pathspec(repo)?;
    options.pathspec = (!pathspec.is_empty()).then_some(pathspec);
    options.message = crate::log::setup::message_filter(repo, &said.revisions.patterns, true)?;
    let wants = Wants { default_format: Some("format:%s".into()), ..Wants::default() };
    let lookups = Lookups::read(ctx, repo, &said.pretty, &wants)?;
    let keys = Keys::new(ctx, repo, &said.keys, said.emails, &said.pretty)?;
    let finder = keys.finder()?;
    let entries = (!said.layout.summary).then(|| lookups.printer(None)).transpose()?;
    let objects = repo.objects()?;

    let history = History { tips, names, ..History::default() };
    let mut jobs = Jobs::new(repo, &history, options, Details::default())?;
    let batch = || -> Result<Option<Vec<Job>>, Error> {
        let mut batch = Vec::with_capacity(BATCH);
        while batch.len() < BATCH
            && let Some(job) = jobs.next()?
        {
            batch.push(job);
        }
        Ok((!batch.is_empty()).then_some(batch))
    };
    let summarise = |content: &mut Vec<u8>, job: Job| -> Result<Summary, Error> {
        match job.content {
            Some(kept) => *content = kept.into_vec(),
            None => objects.read_kind(&job.id, ObjectKind::Commit, content)?,
        }
        let malformed = |error| SourceError::Malformed { id: job.id, error };
        let shown = Shown::new(job.id, Commit::parse(job.id.format(), content).map_err(malformed)?);
        let mut summary = Summary { keys: Vec::new(), entry: None };
        finder.append(&shown, &mut summary.keys)?;
        if let Some(printer) = &entries {
            let mut text = Vec::new();
            printer.append(&shown, &mut text)?;
            let entry = entry_of(&text);
            summary.entry = Some(if entry.is_empty() { "<none>".into() } else { entry });
        }
        Ok(summary)
    };
    let work = |content: &mut Vec<u8>, jobs: Vec<Job>| {
        jobs.into_iter().map(|job| summarise(content, job)).collect::<Result<Vec<_>, _>>()
    };
    let take = |summaries: Result<Vec<Summary>, Error>| {
        for summary in summaries? {
            for key in &summary.keys {
                groups.add(key, summary.entry.as_ref().map(|entry| entry.as_bytes()));
            }
        }
        Ok(ControlFlow::Continue(()))
    };
    in_order(crate::log::stream::threads(), batch, Vec::new, work, take)?;
    Ok(true)
}

/// How many commits are one piece of work.
const BATCH: usize = 64;

/// What is kept of a commit.
struct Summary {
    /// The groups that it belongs to.
    keys: Vec<BString>,
    /// What is said of it.
    entry: Option<BString>,
}
