//! `git branch`: lists branches. (Making, moving, deleting and setting them up is not there yet.)

mod layout;

use std::io::Write;

use adit_refs::Head;
use adit_text::column::Frame;
use bstr::{BString, ByteSlice};

use crate::context::{Context, Streams};
use crate::error::Error;
use crate::format::color;
use crate::format::describe::Describing;
use crate::format::ref_filter::{
    Filter, Format, Kinds, Lines, Listing, Request, Rules, SortKeys, Sorting, Values, column_mode, detached,
    with_default_commit,
};
use crate::names::Said;
use crate::options::{Opt, Table, Usage};

#[derive(Clone, Copy, PartialEq, Eq)]
enum O {
    Verbose,
    Quiet,
    Write(&'static str),
    Color,
    Remotes,
    All,
    Contains,
    NoContains,
    Merged,
    NoMerged,
    PointsAt,
    Abbrev,
    OmitEmpty,
    List,
    ShowCurrent,
    Column,
    Sort,
    IgnoreCase,
    Format,
}

const USAGE: Usage = Usage {
    name: "branch",
    synopsis: &[
        "git branch [<options>] [-r | -a] [--merged] [--no-merged]",
        "git branch [<options>] [-l] [<pattern>...]",
        "git branch [<options>] [-r | -a] [--points-at]",
        "git branch [<options>] [-r | -a] [--format]",
    ],
};

const MAKE: O = O::Write("making branches");
const SET_UP: O = O::Write("setting up branches");
const DELETE: O = O::Write("deleting branches");
const MOVE: O = O::Write("moving branches");
const COPY: O = O::Write("copying branches");

const OPTIONS: Table<O> = Table::new(&[
    Opt::flag(O::Verbose, "verbose", "show ids and subjects; twice, upstreams too").short(b'v').no(),
    Opt::flag(O::Quiet, "quiet", "say less").short(b'q').no(),
    Opt::optional(SET_UP, "track", "mode", "set up what the new branch follows").short(b't').no().hidden(),
    Opt::value(SET_UP, "set-upstream-to", "upstream", "change what a branch follows").short(b'u').hidden(),
    Opt::flag(SET_UP, "set-upstream", "no longer there").hidden(),
    Opt::flag(SET_UP, "unset-upstream", "let a branch follow nothing").hidden(),
    Opt::optional(O::Color, "color", "when", "colour the output").no(),
    Opt::flag(O::Remotes, "remotes", "list remote-tracking branches").short(b'r'),
    Opt::value(O::Contains, "contains", "commit", "list only branches that reach this commit"),
    Opt::value(O::NoContains, "no-contains", "commit", "list only branches that do not reach this commit"),
    Opt::value(O::Contains, "with", "commit", "the same as --contains").hidden(),
    Opt::value(O::NoContains, "without", "commit", "the same as --no-contains").hidden(),
    Opt::optional(O::Abbrev, "abbrev", "n", "show ids with <n> digits").no(),
    Opt::flag(O::All, "all", "list remote-tracking branches too").short(b'a'),
    Opt::flag(DELETE, "delete", "delete branches").short(b'd').hidden(),
    Opt::flag(DELETE, "", "delete branches that are not merged too").short(b'D').hidden(),
    Opt::flag(MOVE, "move", "rename a branch").short(b'm').hidden(),
    Opt::flag(MOVE, "", "rename a branch over another").short(b'M').hidden(),
    Opt::flag(O::OmitEmpty, "omit-empty", "print no line where the format gives nothing").no(),
    Opt::flag(COPY, "copy", "copy a branch").short(b'c').hidden(),
    Opt::flag(COPY, "", "copy a branch over another").short(b'C').hidden(),
    Opt::flag(O::List, "list", "list branches").short(b'l').no(),
    Opt::flag(O::ShowCurrent, "show-current", "print the branch that is checked out").no(),
    Opt::flag(MAKE, "create-reflog", "start a log").no().hidden(),
    Opt::flag(O::Write("describing branches"), "edit-description", "edit what a branch is for").no().hidden(),
    Opt::flag(MAKE, "force", "replace a branch that exists").short(b'f').no().hidden(),
    Opt::value(O::Merged, "merged", "commit", "list only branches that this commit reaches"),
    Opt::value(O::NoMerged, "no-merged", "commit", "list only branches that this commit does not reach"),
    Opt::optional(O::Column, "column", "style", "lay branches out in columns").no(),
    Opt::value(O::Sort, "sort", "key", "sort by this field").no(),
    Opt::value(O::PointsAt, "points-at", "object", "list only branches of this object").no(),
    Opt::flag(O::IgnoreCase, "ignore-case", "sort and match whatever the case").short(b'i').no(),
    Opt::flag(MAKE, "recurse-submodules", "in submodules too").no().hidden(),
    Opt::value(O::Format, "format", "format", "what to print of each").no(),
]);

#[derive(Default)]
struct Asked {
    verbose: u32,
    remotes: bool,
    all: bool,
    list: bool,
    show_current: bool,
    omit_empty: bool,
    ignore_case: bool,
    abbrev: Option<usize>,
    sort: SortKeys,
    column: Option<Option<BString>>,
    format: Option<BString>,
    when: Option<adit_text::color::When>,
}

/// Runs the command.
pub fn run(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let mut asked = Asked::default();
    let mut request = Request::default();
    let mut write = None;
    let words = with_default_commit(args);
    let names = OPTIONS.parse(&USAGE, &words, |given| {
        match given.id {
            O::Verbose => asked.verbose = if given.on() { asked.verbose + 1 } else { 0 },
            O::Quiet => {}
            O::Write(what) => write = if given.on() { Some(what) } else { write },
            O::Color => asked.when = Some(color::option(given.on(), given.value.as_ref())?),
            O::Remotes => asked.remotes = true,
            O::All => asked.all = true,
            O::Contains => request.contains.extend(given.value),
            O::NoContains => request.no_contains.extend(given.value),
            O::Merged => request.merged.extend(given.value),
            O::NoMerged => request.no_merged.extend(given.value),
            O::PointsAt => request.points_at.extend(given.value),
            O::Abbrev => {
                asked.abbrev = match (given.on(), &given.value) {
                    (false, _) => Some(usize::MAX),
                    (true, None) => None,
                    (true, Some(_)) => Some(usize::try_from(given.integer()?).unwrap_or(0)),
                }
            }
            O::OmitEmpty => asked.omit_empty = given.on(),
            O::List => asked.list = given.on(),
            O::ShowCurrent => asked.show_current = given.on(),
            O::Column => asked.column = Some(given.on().then(|| given.text().to_owned())),
            O::Sort => asked.sort.take(given.value),
            O::IgnoreCase => asked.ignore_case = given.on(),
            O::Format => asked.format = given.value,
        }
        Ok(())
    })?;
    if let Some(what) = write {
        return Err(Error::unsupported(what));
    }
    if asked.show_current {
        return show_current(ctx);
    }
    if !asked.list && !names.is_empty() && request.is_empty() {
        return Err(match names.len() {
            1 | 2 => Error::unsupported("making branches"),
            _ => Error::Usage { message: None, usage: OPTIONS.usage(&USAGE) },
        });
    }
    list(ctx, &asked, &request, names)
}

fn show_current(ctx: &mut Context<'_>) -> Result<u8, Error> {
    if let Head::Branch { name, .. } = ctx.repo()?.refs()?.head()? {
        let short = name.strip_prefix(b"refs/heads/").unwrap_or(&name).as_bstr();
        writeln!(ctx.streams.out, "{short}")?;
    }
    Ok(0)
}

fn list(
    ctx: &mut Context<'_>,
    asked: &Asked,
    request: &Request,
    patterns: Vec<BString>,
) -> Result<u8, Error> {
    let repo = ctx.repo()?;
    let config = repo.config();
    let mode = column_mode(config, "branch", asked.column.as_ref())?;
    if asked.verbose > 0 && asked.column.as_ref().is_some_and(Option::is_some) {
        return Err(Error::fatal("options '--column' and '--verbose' cannot be used together"));
    }
    super::tag::list_pager(ctx, "branch")?;
    let to_terminal = ctx.streams.out_is_terminal;
    let in_columns = asked.verbose == 0 && mode.is_active(to_terminal);
    let color = color::wanted(config, asked.when, "color.branch", to_terminal)?;
    let rules = Rules::new(&repo, color, to_terminal);
    let mut sorting = Sorting::by_name(config);
    sorting.ignore_case = asked.ignore_case;
    sorting.add_all(config, "branch.sort", &asked.sort, rules)?;
    let kinds = match (asked.all, asked.remotes) {
        (true, _) => Kinds::AllBranches,
        (false, true) => Kinds::Remotes,
        (false, false) => Kinds::Branches,
    };
    let mut filter = Filter { patterns, ignore_case: asked.ignore_case, ..Filter::new(kinds) };
    filter.commits_only = asked.verbose > 0;
    let width = ctx.columns();
    let context = repo.name_context()?;
    let Streams { out, err, .. } = &mut ctx.streams;
    let said = Said::new(err);
    let names = context.names(&said)?;
    request.resolve(&names, &mut filter)?;
    let first = if kinds == Kinds::Remotes { None } else { detached(&repo, &names)? };
    let first = first.filter(|row| filter.matches_head(row.name.as_ref()));
    let mut listing =
        Listing { filter, sorting, format: Format::parse(b"", None, rules)?, count: None, first };
    let describing = Describing::new(&repo);
    let describe = |id: &_, style: &_, out: &mut _| describing.append(id, style, out);
    let mut values = Values::new(&repo, &context)?;
    values.describe = Some(&describe);
    let text = match &asked.format {
        Some(format) => format.clone(),
        None => {
            let names_width = match asked.verbose {
                0 => 0,
                _ => layout::widest(&listing.rows(&mut values, &said)?, kinds),
            };
            let colors = layout::Colors::read(config, color)?;
            layout::Layout { kinds, verbose: asked.verbose, abbrev: asked.abbrev, names_width }
                .format(&colors)
                .into()
        }
    };
    let asked_format = asked.format.is_some();
    let rules = Rules { color: color && asked_format, ..rules };
    listing.format = if asked_format {
        Format::parse(&text, None, rules).map_err(|error| error.with_usage(OPTIONS.usage(&USAGE)))?
    } else {
        Format::parse(&text, None, rules)?
    };
    let frame = Frame { width, padding: 1, ..Frame::default() };
    let mut printed = Lines::new(out, in_columns.then_some(mode), frame, asked.omit_empty);
    listing.for_each(&mut values, &said, |_, text| printed.push(text))?;
    printed.finish()?;
    Ok(0)
}
