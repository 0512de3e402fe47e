//! `git rev-list`: list commits, and the objects they hold, in the order of a walk.

mod bisect;
mod objects;
mod output;

use std::io::Write;
use std::sync::Arc;

use adit::Repository;
use adit_diff::pathspec::Pathspec;
use adit_odb::Store;
use adit_revision::objects::Filter;
use adit_revision::{Halving, ReflogWalk, Walk, WalkOptions};
use adit_text::date::Clock;
use bstr::{BString, ByteSlice};

use crate::context::Context;
use crate::error::Error;
use crate::format::lookups::{Lookups, Wants};
use crate::log::setup::message_filter;
use crate::options::pretty::{self, PrettyOptions};
use crate::options::revision::{self, Item, RevisionOptions};
use crate::options::{Args, Given, Opt, Table, Usage};
use crate::revisions::{Roots, Start};
use output::{CommitPrinter, Totals};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Id {
    Abbrev,
    Bisect,
    BisectAll,
    BisectVars,
    CommitHeader,
    Count,
    DiskUsage,
    Filter,
    FilterPrintOmitted,
    FilterProvided,
    Header,
    Missing,
    NoFilter,
    NulLines,
    ObjectNames,
    Objects,
    ObjectsEdge,
    ObjectsEdgeAggressive,
    Progress,
    Quiet,
    Timestamp,
    UseBitmapIndex,
}

const TABLE: Table<Id> = Table::exact(&[
    Opt::flag(Id::Count, "count", "print only how many there are"),
    Opt::flag(Id::Timestamp, "timestamp", "print the committer date in seconds"),
    Opt::flag(Id::Header, "header", "print commits as they are stored, each ended by a zero byte"),
    Opt::flag(Id::CommitHeader, "commit-header", "print a line with the id before a format").no(),
    Opt::optional(Id::Abbrev, "abbrev", "n", "print at least so many digits of short ids").no(),
    Opt::optional(Id::DiskUsage, "disk-usage", "human", "print how many bytes all of it takes on disk"),
    Opt::flag(Id::Quiet, "quiet", "print nothing; the status tells whether all is there"),
    Opt::flag(Id::NulLines, "", "end lines with a zero byte").short(b'z'),
    Opt::flag(Id::Objects, "objects", "print also the trees and blobs of commits"),
    Opt::flag(Id::ObjectsEdge, "objects-edge", "print also the excluded commits at the edge"),
    Opt::flag(Id::ObjectsEdgeAggressive, "objects-edge-aggressive", "look harder for such commits").hidden(),
    Opt::flag(Id::ObjectNames, "object-names", "print a path beside each object").no(),
    Opt::value(Id::Filter, "filter", "filter", "leave out objects"),
    Opt::flag(Id::NoFilter, "no-filter", "forget --filter").hidden(),
    Opt::flag(Id::FilterProvided, "filter-provided-objects", "filter what was named, too"),
    Opt::flag(Id::FilterPrintOmitted, "filter-print-omitted", "print what the filter leaves out"),
    Opt::value(Id::Missing, "missing", "action", "what to do with missing objects"),
    Opt::flag(Id::UseBitmapIndex, "use-bitmap-index", "use bitmaps of packs when there are any"),
    Opt::value(Id::Progress, "progress", "title", "show progress").hidden(),
    Opt::flag(Id::Bisect, "bisect", "print the commit halfway"),
    Opt::flag(Id::BisectAll, "bisect-all", "print all commits by their distance from the ends"),
    Opt::flag(Id::BisectVars, "bisect-vars", "print the commit halfway for a shell"),
]);

const USAGE: Usage =
    Usage { name: "rev-list", synopsis: &["git rev-list [<options>] <commit>... [--] [<path>...]"] };

/// What the command line said.
#[derive(Debug, Default)]
struct Options {
    revisions: RevisionOptions,
    pretty: PrettyOptions,
    paths: Option<Vec<BString>>,
    count: bool,
    timestamp: bool,
    header: bool,
    no_commit_header: bool,
    /// The fewest digits of short ids; 0 for whole ids.
    abbrev: Option<usize>,
    /// Sizes are added up, and shown for people if so.
    disk_usage: Option<bool>,
    quiet: bool,
    nul: bool,
    bitmaps: bool,
    /// What halves the range is told in a form for shells.
    bisect_vars: bool,
    objects: ObjectArgs,
}

/// What was said about objects other than commits.
#[derive(Debug, Default)]
struct ObjectArgs {
    listed: bool,
    edge: bool,
    aggressive: bool,
    nameless: bool,
    filter: Filter,
    filter_provided: bool,
    print_omitted: bool,
    missing: Missing,
}

/// What becomes of objects that are not here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Missing {
    /// The command fails.
    #[default]
    Error,
    /// They are passed over.
    Allow,
    /// They are listed at the end, with what is known of them if so.
    Print { info: bool },
}

impl ObjectArgs {
    fn apply(&mut self, given: &Given<Id>) -> Result<(), Error> {
        match given.id {
            Id::Objects => self.listed = true,
            Id::ObjectsEdge | Id::ObjectsEdgeAggressive => {
                self.listed = true;
                self.edge = true;
                self.aggressive |= given.id == Id::ObjectsEdgeAggressive;
            }
            Id::ObjectNames => self.nameless = !given.on(),
            Id::Filter => {
                self.filter.add(given.text()).map_err(|error| Error::fatal(error.to_string()))?;
            }
            Id::NoFilter => self.filter.clear(),
            Id::FilterProvided => self.filter_provided = true,
            Id::FilterPrintOmitted => self.print_omitted = true,
            Id::Missing => {
                self.missing = match given.text().as_bytes() {
                    b"error" => Missing::Error,
                    b"allow-any" => Missing::Allow,
                    b"print" => Missing::Print { info: false },
                    b"print-info" => Missing::Print { info: true },
                    b"allow-promisor" => return Err(Error::unsupported("--missing=allow-promisor")),
                    other => {
                        return Err(Error::fatal(format!(
                            "invalid argument to --missing: {}",
                            other.as_bstr()
                        )));
                    }
                };
            }
            _ => {}
        }
        Ok(())
    }
}

impl Options {
    fn read(ctx: &mut Context<'_>, words: &[BString]) -> Result<Self, Error> {
        let zone = ctx.local_zone();
        let clock = Clock { now: ctx.env.now(), zone: &zone };
        let mut said = Options::default();
        let mut args = Args::new(words);
        while args.next_option(&mut said.paths, |word, after| said.revisions.word(word, after)).is_some() {
            if let Some(given) = TABLE.take(&mut args)? {
                said.apply(&given)?;
            } else if let Some(given) = revision::TABLE.take(&mut args)? {
                said.revisions.apply(&given, clock)?;
            } else if let Some(given) = pretty::TABLE.take(&mut args)? {
                said.pretty.apply(&given)?;
            } else {
                return Err(crate::options::unknown_option(&args));
            }
        }
        said.check()?;
        Ok(said)
    }

    fn apply(&mut self, given: &Given<Id>) -> Result<(), Error> {
        match given.id {
            Id::Count => self.count = true,
            Id::Timestamp => self.timestamp = true,
            Id::Header => self.header = true,
            Id::CommitHeader => self.no_commit_header = !given.on(),
            Id::Abbrev if !given.on() => self.abbrev = Some(0),
            Id::Abbrev => self.abbrev = given.value.as_ref().map(|_| abbrev(given)).transpose()?,
            Id::DiskUsage => match given.value.as_ref().map(|value| value.as_slice()) {
                None => self.disk_usage = Some(false),
                Some(b"human") => self.disk_usage = Some(true),
                Some(other) => {
                    return Err(Error::fatal(format!(
                        "invalid value for '--disk-usage=<format>': '{}', the only allowed format is 'human'",
                        other.as_bstr()
                    )));
                }
            },
            Id::Quiet => self.quiet = true,
            Id::NulLines => self.nul = true,
            Id::UseBitmapIndex => self.bitmaps = true,
            Id::Objects
            | Id::ObjectsEdge
            | Id::ObjectsEdgeAggressive
            | Id::ObjectNames
            | Id::Filter
            | Id::NoFilter
            | Id::FilterProvided
            | Id::FilterPrintOmitted
            | Id::Missing => self.objects.apply(given)?,
            Id::Progress => return Err(Error::unsupported("--progress")),
            Id::Bisect => {
                self.halve(Halving::Best);
                self.revisions.items.push(Item::Bisect);
            }
            Id::BisectAll => self.halve(Halving::All),
            Id::BisectVars => {
                self.halve(Halving::Best);
                self.bisect_vars = true;
            }
        }
        Ok(())
    }

    /// Halves the range; that all are to be shown cannot be taken back.
    fn halve(&mut self, how: Halving) {
        let halving = &mut self.revisions.walk.halving;
        if *halving != Halving::All {
            *halving = how;
        }
    }

    fn check(&self) -> Result<(), Error> {
        self.revisions.check()?;
        if self.revisions.graph && (self.nul || self.count || self.objects.listed) {
            return Err(Error::unsupported("--graph with -z, --count or --objects"));
        }
        if self.revisions.graph && self.revisions.graph_lanes > 0 {
            return Err(Error::unsupported("--graph-lane-limit"));
        }
        let walk = &self.revisions.walk;
        if walk.halving != Halving::No && (self.revisions.reflogs || walk.no_walk.is_some()) {
            return Err(Error::unsupported("--bisect with --walk-reflogs or --no-walk"));
        }
        if self.revisions.unpacked {
            return Err(Error::unsupported("--unpacked"));
        }
        if !self.objects.filter.is_empty() && !self.objects.listed {
            return Err(Error::fatal("object filtering requires --objects"));
        }
        if self.nul && (self.header || self.pretty.format.is_some()) {
            return Err(Error::fatal("-z option used with unsupported option"));
        }
        Ok(())
    }

    /// Whether all commits are shown by how they halve the range.
    fn halves_all(&self) -> bool {
        self.revisions.walk.halving == Halving::All
    }

    /// Whether the content of commits is shown.
    fn is_verbose(&self) -> bool {
        (self.header || self.pretty.format.is_some())
            && !self.quiet
            && !self.count
            && self.disk_usage.is_none()
    }
}

/// The digits asked for, which are at least the fewest that make sense.
fn abbrev(given: &Given<Id>) -> Result<usize, Error> {
    let number = given.text().to_str().ok().and_then(|text| text.parse::<usize>().ok());
    let number = number.ok_or_else(|| Error::fatal(format!("'{}': not an integer", given.text())))?;
    Ok(if number == 0 { 0 } else { number.max(adit::MIN_ABBREV) })
}

/// Runs the command.
pub fn run(ctx: &mut Context<'_>, words: &[BString]) -> Result<u8, Error> {
    let said = Options::read(ctx, words).map_err(|error| error.with_usage(usage()))?;
    let repo = ctx.repo()?;
    let start = Start::find(ctx, &repo, &said.revisions, said.paths.as_deref())?;
    if !start.said {
        return Err(Error::Usage { message: None, usage: usage() });
    }
    if said.bitmaps && has_bitmaps(&repo)? {
        return Err(Error::unsupported("--use-bitmap-index where there are bitmaps"));
    }
    let roots = start.roots(&repo, said.revisions.ignore_missing)?;
    let mut lookups = read_lookups(ctx, &repo, &said)?;
    let options = walk_options(ctx, &repo, &said, &start, &lookups)?;
    let mut table = repo.commit_table()?;
    if said.is_verbose() {
        table.keep_contents();
    }
    let pathspec = options.pathspec.clone();
    let walk = if said.revisions.reflogs {
        let starts = start.logs.iter().map(|logged| (&logged.log, logged.from));
        Walk::reflogs(table, ReflogWalk::new(starts).map_err(walk_error)?, options)
    } else {
        Walk::new(table, &roots.tips, options)
    };
    let walk = walk.map_err(walk_error)?;
    let bisection = walk.bisection().cloned();
    if let Some(bisection) = &bisection {
        if said.bisect_vars && bisection.best.is_none() {
            return Ok(1);
        }
        if let Some(names) = lookups.decorations_mut() {
            for (id, distance) in &bisection.distances {
                names.add_text(*id, format!("dist={distance}").into());
            }
        }
        if said.bisect_vars && !said.halves_all() {
            bisect::write_vars(ctx, bisection)?;
            return Ok(0);
        }
    }
    let status = list_commits(ctx, &repo, &said, &lookups, &roots, walk, pathspec)?;
    if let Some(bisection) = bisection.filter(|_| said.bisect_vars) {
        ctx.streams.out.write_all(b"------\n")?;
        bisect::write_vars(ctx, &bisection)?;
    }
    Ok(status)
}

fn usage() -> String {
    let mut text = USAGE.head();
    TABLE.describe(&mut text);
    revision::TABLE.describe(&mut text);
    pretty::TABLE.describe(&mut text);
    text
}

fn has_bitmaps(repo: &Repository) -> Result<bool, Error> {
    for folder in repo.objects()?.object_folders() {
        let Ok(files) = std::fs::read_dir(folder.join("pack")) else { continue };
        if files.flatten().any(|file| file.path().extension().is_some_and(|name| name == "bitmap")) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn read_lookups<'r>(
    ctx: &mut Context<'_>,
    repo: &'r Repository,
    said: &Options,
) -> Result<Lookups<'r>, Error> {
    let wants = Wants {
        default_format: Some("raw".into()),
        decorations: said.revisions.by_decoration || said.halves_all(),
        abbrev: said.abbrev.map(|digits| if digits == 0 { repo.object_format().hex_len() } else { digits }),
        ..Wants::default()
    };
    Lookups::read(ctx, repo, &said.pretty, &wants)
}

/// What the options mean for the walk.
fn walk_options(
    ctx: &mut Context<'_>,
    repo: &Repository,
    said: &Options,
    start: &Start,
    lookups: &Lookups<'_>,
) -> Result<WalkOptions, Error> {
    let mut options = said.revisions.walk.clone();
    let pathspec = start.pathspec(repo)?;
    if !pathspec.is_empty() {
        options.pathspec = Some(pathspec);
    }
    // The edge must be known before objects are listed.
    options.limited = said.objects.listed && start.objects.iter().any(|named| named.excluded);
    options.message = message_filter(repo, &said.revisions.patterns, false)?;
    if said.revisions.by_decoration {
        options.decorated = lookups.decorations().map(|names| names.ids().copied().collect());
    }
    if let Some(given) = &mut options.ancestry_path {
        let context = repo.name_context()?;
        let report = crate::names::Said::new(&mut *ctx.streams.err);
        let names = context.names(&report)?;
        for name in &said.revisions.ancestry {
            let unknown =
                |_| Error::fatal(format!("could not get commit for --ancestry-path argument {name}"));
            given.push(names.resolve_commit(name).map_err(unknown)?);
        }
    }
    Ok(options)
}

fn list_commits(
    ctx: &mut Context<'_>,
    repo: &Arc<Repository>,
    said: &Options,
    lookups: &Lookups<'_>,
    roots: &Roots,
    mut walk: Walk<'_>,
    pathspec: Option<Pathspec>,
) -> Result<u8, Error> {
    let mut list = List {
        said,
        printer: CommitPrinter::new(said, lookups)?,
        totals: Totals::default(),
        objects: repo.objects()?,
        out: &mut *ctx.streams.out,
        buffer: Vec::with_capacity(FLUSH + 1024),
    };
    let listed = list.all(&mut walk, roots, pathspec);
    if listed.is_err() {
        // What was found before comes first.
        list.out.write_all(&list.buffer)?;
        return listed.map(|()| 0);
    }
    list.finish()?;
    Ok(0)
}

/// How much text is gathered before it is written.
const FLUSH: usize = 1 << 16;

/// What is printed, or added up.
struct List<'l> {
    said: &'l Options,
    printer: CommitPrinter<'l>,
    totals: Totals,
    objects: &'l Store,
    out: &'l mut (dyn Write + Send + 'l),
    buffer: Vec<u8>,
}

impl List<'_> {
    fn all(&mut self, walk: &mut Walk<'_>, roots: &Roots, pathspec: Option<Pathspec>) -> Result<(), Error> {
        if self.said.objects.listed {
            return objects::list(self, walk, roots, pathspec);
        }
        while let Some(position) = walk.next().map_err(walk_error)? {
            self.commit(walk, position)?;
        }
        Ok(())
    }

    fn commit(&mut self, walk: &mut Walk<'_>, position: u32) -> Result<(), Error> {
        let said = self.said;
        if said.disk_usage.is_some() {
            return self.totals.add_size(self.objects, &walk.table().id(position));
        }
        if said.quiet {
            return Ok(());
        }
        if said.count {
            self.totals.count(walk, position, said.revisions.left_right);
            return Ok(());
        }
        self.printer.append(walk, position, &mut self.buffer)?;
        self.flush_some()
    }

    fn flush_some(&mut self) -> Result<(), Error> {
        if self.buffer.len() >= FLUSH {
            self.out.write_all(&self.buffer)?;
            self.buffer.clear();
        }
        Ok(())
    }

    fn finish(mut self) -> Result<(), Error> {
        if self.said.count {
            self.totals.append_counts(self.said, &mut self.buffer);
        }
        if let Some(for_people) = self.said.disk_usage {
            self.totals.append_size(for_people, &mut self.buffer);
        }
        self.out.write_all(&self.buffer)?;
        Ok(())
    }
}

/// A walk that ends early: what could not be read, then whose parent it is.
fn walk_error(error: adit_revision::Error) -> Error {
    Error::fatal(error.to_string())
}
