//! The command line of `log`, `show` and `whatchanged`: their own options, and the tables they share with others.

use adit_revision::NoWalk;
use adit_text::date::Clock;
use bstr::{BString, ByteSlice};

use crate::context::Context;
use crate::error::Error;
use crate::format::decorate::Filter;
use crate::options::diff::DiffArgs;
use crate::options::merges::{self, MergeOptions};
use crate::options::pretty::{self, PrettyOptions};
use crate::options::revision::{self, RevisionOptions};
use crate::options::{Args, Given, Opt, Table, Usage};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Id {
    Quiet,
    Source,
    Mailmap,
    ClearDecorations,
    DecorateRefs,
    DecorateRefsExclude,
    Decorate,
    Follow,
    FullDiff,
    LogSize,
    Lines,
    Root,
    ShowTrees,
    Recursive,
    LinearBreak,
}

const TABLE: Table<Id> = Table::exact(&[
    Opt::flag(Id::Quiet, "quiet", "show no changes").short(b'q').no(),
    Opt::flag(Id::Source, "source", "show by which name each commit was reached").no(),
    Opt::flag(Id::Mailmap, "mailmap", "show people as the mailmap has them").no(),
    Opt::flag(Id::Mailmap, "use-mailmap", "show people as the mailmap has them").no().hidden(),
    Opt::flag(Id::ClearDecorations, "clear-decorations", "let all references decorate"),
    Opt::value(Id::DecorateRefs, "decorate-refs", "pattern", "let only these references decorate"),
    Opt::value(Id::DecorateRefsExclude, "decorate-refs-exclude", "pattern", "let these not decorate"),
    Opt::optional(Id::Decorate, "decorate", "how", "show the names of commits").no(),
    Opt::flag(Id::Follow, "follow", "follow a file through renames").no(),
    Opt::flag(Id::FullDiff, "full-diff", "show all changes of commits that the paths chose"),
    Opt::flag(Id::LogSize, "log-size", "tell how long each message is"),
    Opt::value(Id::Lines, "", "range:file", "follow a range of lines").short(b'L'),
    Opt::flag(Id::Root, "root", "show what the first commit added"),
    Opt::flag(Id::ShowTrees, "", "show trees too").short(b't'),
    Opt::flag(Id::Recursive, "", "descend into trees").short(b'r'),
    Opt::optional(Id::LinearBreak, "show-linear-break", "barrier", "set branches apart"),
]);

/// How decorations are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Decorate {
    No,
    Short,
    Full,
    /// As `Short` on a terminal.
    Auto,
}

impl Decorate {
    /// Reads a value of `--decorate` or `log.decorate`.
    pub(super) fn parse(value: &[u8]) -> Option<Self> {
        match adit_config::value::boolean_word(value.as_bstr()) {
            Some(true) => return Some(Decorate::Short),
            Some(false) => return Some(Decorate::No),
            None => {}
        }
        Some(match value {
            b"short" | b"1" => Decorate::Short,
            b"full" => Decorate::Full,
            b"auto" => Decorate::Auto,
            b"0" => Decorate::No,
            _ => return None,
        })
    }
}

/// What a command line said.
#[derive(Debug, Default)]
pub struct LogArguments {
    pub(super) pretty: PrettyOptions,
    pub(super) merges: MergeOptions,
    pub(super) revisions: RevisionOptions,
    pub(super) diff: DiffArgs,
    pub(super) quiet: bool,
    pub(super) source: bool,
    pub(super) mailmap: Option<bool>,
    pub(super) decorate: Option<Decorate>,
    pub(super) filter: Filter,
    pub(super) all_decorations: bool,
    pub(super) full_diff: bool,
    pub(super) log_size: bool,
    pub(super) root: bool,
    /// The words after `--`.
    pub(super) paths: Option<Vec<BString>>,
}

impl LogArguments {
    /// Reads a command line.
    ///
    /// # Errors
    /// For an option that is unknown, cannot be used, or that there is not yet.
    pub fn read(ctx: &mut Context<'_>, words: &[BString], usage: &Usage) -> Result<Self, Error> {
        let mut said = LogArguments::default();
        said.read_into(ctx, words, usage)?;
        Ok(said)
    }

    /// Reads a command line on top of what a command says by itself.
    ///
    /// # Errors
    /// As [`LogArguments::read`].
    pub fn read_into(
        &mut self,
        ctx: &mut Context<'_>,
        words: &[BString],
        usage: &Usage,
    ) -> Result<(), Error> {
        let said = self;
        let zone = ctx.local_zone();
        let clock = Clock { now: ctx.env.now(), zone: &zone };
        let mut args = Args::new(words);
        while let Some(word) =
            args.next_option(&mut said.paths, |word, after| said.revisions.word(word, after))
        {
            if let Some(given) = TABLE.take(&mut args)? {
                said.apply(&given)?;
            } else if let Some(given) = pretty::TABLE.take(&mut args)? {
                said.pretty.apply(&given)?;
            } else if let Some(given) = merges::TABLE.take(&mut args)? {
                said.merges.apply(&given)?;
            } else if let Some(given) = revision::TABLE.take(&mut args)? {
                said.revisions.apply(&given, clock)?;
            } else if !said.diff.take(&mut args)? {
                if word == "-h" {
                    return Err(Error::help_asked().with_usage(help(usage)));
                }
                return Err(Error::fatal(format!("unrecognized argument: {word}")));
            }
        }
        if said.revisions.unpacked {
            return Err(Error::unsupported("--unpacked"));
        }
        if said.revisions.graph && said.revisions.graph_lanes > 0 {
            return Err(Error::unsupported("--graph-lane-limit"));
        }
        said.revisions.check()
    }

    /// What was said about which commits to show.
    pub fn revisions(&self) -> &RevisionOptions {
        &self.revisions
    }

    /// The words after `--`, when there was one.
    pub fn paths(&self) -> Option<&[BString]> {
        self.paths.as_deref()
    }

    /// Whether programs are to make text of blobs that are shown whole (`--textconv`).
    pub fn converts_blobs(&self) -> bool {
        self.diff.textconv() == Some(true)
    }

    /// Shows only the commits themselves that are named.
    pub fn walk_nothing(&mut self, how: NoWalk) {
        self.revisions.walk.no_walk = Some(how);
    }

    /// Walks from what is named.
    pub fn walk_everything(&mut self) {
        self.revisions.walk.no_walk = None;
    }

    fn apply(&mut self, given: &Given<Id>) -> Result<(), Error> {
        match given.id {
            Id::Quiet => self.quiet = given.on(),
            Id::Source => self.source = given.on(),
            Id::Mailmap => self.mailmap = Some(given.on()),
            Id::ClearDecorations => {
                self.filter.clear();
                self.all_decorations = true;
            }
            Id::DecorateRefs => self.filter.include(given.text()),
            Id::DecorateRefsExclude => self.filter.exclude(given.text()),
            Id::Decorate if !given.on() => self.decorate = Some(Decorate::No),
            Id::Decorate => {
                let value = given.value.as_ref();
                let how = value.map_or(Some(Decorate::Short), |value| Decorate::parse(value));
                let invalid = || Error::fatal(format!("invalid --decorate option: {}", given.text()));
                self.decorate = Some(how.ok_or_else(invalid)?);
            }
            Id::Follow if given.on() => return Err(Error::unsupported("--follow")),
            Id::Follow => {}
            Id::FullDiff => self.full_diff = true,
            Id::LogSize => self.log_size = true,
            Id::Lines => return Err(Error::unsupported("-L")),
            Id::Root => self.root = true,
            Id::ShowTrees => self.diff.recurse(true),
            Id::Recursive => self.diff.recurse(false),
            Id::LinearBreak => return Err(Error::unsupported("--show-linear-break")),
        }
        Ok(())
    }
}

fn help(usage: &Usage) -> String {
    let mut text = usage.head();
    TABLE.describe(&mut text);
    text
}
