//! `git for-each-ref`: lists references in a format of the caller's.

use std::io::{Read, Write};

use adit_text::color::When;
use adit_text::quote::Style;
use bstr::{BString, ByteSlice};

use crate::context::{Context, Streams};
use crate::error::Error;
use crate::format::color;
use crate::format::describe::Describing;
use crate::format::ref_filter::{
    Filter, Format, Kinds, Listing, Request, Rules, SortKeys, Sorting, Values, with_default_commit,
};
use crate::names::Said;
use crate::options::{Opt, Table, Usage};

#[derive(Clone, Copy, PartialEq, Eq)]
enum O {
    Shell,
    Perl,
    Python,
    Tcl,
    OmitEmpty,
    Count,
    Format,
    StartAfter,
    Color,
    Exclude,
    Sort,
    PointsAt,
    Merged,
    NoMerged,
    Contains,
    NoContains,
    IgnoreCase,
    Stdin,
    Roots,
}

const USAGE: Usage = Usage {
    name: "for-each-ref",
    synopsis: &[
        "git for-each-ref [--count=<count>] [--shell | --perl | --python | --tcl] [(--sort=<key>)...] \
         [--format=<format>] [--include-root-refs] [--points-at=<object>] [--merged[=<object>]] \
         [--no-merged[=<object>]] [--contains[=<object>]] [--no-contains[=<object>]] [(--exclude=<pattern>)...] \
         [--start-after=<marker>] [--stdin | (<pattern>...)]",
    ],
};

const OPTIONS: Table<O> = Table::new(&[
    Opt::flag(O::Shell, "shell", "quote values for a POSIX shell").short(b's').no(),
    Opt::flag(O::Perl, "perl", "quote values for Perl").short(b'p').no(),
    Opt::flag(O::Python, "python", "quote values for Python").no(),
    Opt::flag(O::Tcl, "tcl", "quote values for Tcl").no(),
    Opt::flag(O::OmitEmpty, "omit-empty", "print no line where the format gives nothing").no(),
    Opt::value(O::Count, "count", "n", "list at most <n> references").no(),
    Opt::value(O::Format, "format", "format", "what to print of each").no(),
    Opt::value(O::StartAfter, "start-after", "marker", "list only names after this one").no(),
    Opt::optional(O::Color, "color", "when", "print the colours of the format").no(),
    Opt::value(O::Exclude, "exclude", "pattern", "leave out references that match").no(),
    Opt::value(O::Sort, "sort", "key", "sort by this field").no(),
    Opt::value(O::PointsAt, "points-at", "object", "list only references to this object").no(),
    Opt::value(O::Merged, "merged", "commit", "list only what this commit reaches"),
    Opt::value(O::NoMerged, "no-merged", "commit", "list only what this commit does not reach"),
    Opt::value(O::Contains, "contains", "commit", "list only what reaches this commit"),
    Opt::value(O::NoContains, "no-contains", "commit", "list only what does not reach this commit"),
    Opt::flag(O::IgnoreCase, "ignore-case", "sort and match whatever the case").no(),
    Opt::flag(O::Stdin, "stdin", "read patterns from standard input").no(),
    Opt::flag(O::Roots, "include-root-refs", "list HEAD and its like too").no(),
]);

const DEFAULT_FORMAT: &str = "%(objectname) %(objecttype)\t%(refname)";

#[derive(Default)]
struct Asked {
    quotes: Vec<Style>,
    omit_empty: bool,
    count: Option<i64>,
    format: Option<BString>,
    when: Option<When>,
    sort: SortKeys,
    stdin: bool,
    roots: bool,
    start_after: Option<BString>,
    exclude: Vec<BString>,
    ignore_case: bool,
}

/// Runs the command.
pub fn run(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let mut asked = Asked::default();
    let mut request = Request::default();
    let words = with_default_commit(args);
    let patterns = OPTIONS.parse(&USAGE, &words, |given| {
        let quote = |style, quotes: &mut Vec<Style>| {
            quotes.retain(|other| *other != style);
            if given.on() {
                quotes.push(style);
            }
        };
        match given.id {
            O::Shell => quote(Style::Shell, &mut asked.quotes),
            O::Perl => quote(Style::Perl, &mut asked.quotes),
            O::Python => quote(Style::Python, &mut asked.quotes),
            O::Tcl => quote(Style::Tcl, &mut asked.quotes),
            O::OmitEmpty => asked.omit_empty = given.on(),
            O::Count => asked.count = if given.on() { Some(given.integer()?) } else { None },
            O::Format => asked.format = given.value,
            O::StartAfter => asked.start_after = given.value,
            O::Color => asked.when = Some(color::option(given.on(), given.value.as_ref())?),
            O::Exclude => asked.exclude.extend(given.value),
            O::Sort => asked.sort.take(given.value),
            O::PointsAt => request.points_at.extend(given.value),
            O::Merged => request.merged.extend(given.value),
            O::NoMerged => request.no_merged.extend(given.value),
            O::Contains => request.contains.extend(given.value),
            O::NoContains => request.no_contains.extend(given.value),
            O::IgnoreCase => asked.ignore_case = given.on(),
            O::Stdin => asked.stdin = given.on(),
            O::Roots => asked.roots = given.on(),
        }
        Ok(())
    })?;
    list(ctx, asked, request, patterns)
}

fn list(ctx: &mut Context<'_>, asked: Asked, request: Request, patterns: Vec<BString>) -> Result<u8, Error> {
    let usage_error = |message: String| Error::usage_line(message).with_usage(OPTIONS.usage(&USAGE));
    if let Some(count) = asked.count.filter(|&count| count < 0) {
        return Err(usage_error(format!("invalid --count argument: `{count}'")));
    }
    if asked.quotes.len() > 1 {
        return Err(usage_error("more than one quoting style?".to_owned()));
    }
    if asked.start_after.is_some() && !asked.sort.is_empty() {
        return Err(Error::fatal("cannot use --start-after with custom sort options"));
    }
    let repo = ctx.repo()?;
    let color = color::wanted_by_format(asked.when, ctx.streams.out_is_terminal);
    let rules = Rules::new(&repo, color, ctx.streams.out_is_terminal);
    let mut sorting = Sorting::by_name(repo.config());
    sorting.ignore_case = asked.ignore_case;
    sorting.add_all(repo.config(), "", &asked.sort, rules)?;
    let text = asked.format.unwrap_or_else(|| DEFAULT_FORMAT.into());
    let format = Format::parse(&text, asked.quotes.first().copied(), rules)
        .map_err(|error| error.with_usage(OPTIONS.usage(&USAGE)))?;
    let kinds = if asked.roots { Kinds::AllAndRoots } else { Kinds::All };
    let mut filter = Filter { exclude: asked.exclude, ignore_case: asked.ignore_case, ..Filter::new(kinds) };
    filter.patterns = patterns;
    if asked.stdin {
        if !filter.patterns.is_empty() {
            return Err(Error::fatal("unknown arguments supplied with --stdin"));
        }
        let mut text = Vec::new();
        ctx.streams.input.read_to_end(&mut text)?;
        filter.patterns.extend(text.lines().map(BString::from));
    }
    if asked.start_after.is_some() && !filter.patterns.is_empty() {
        return Err(Error::fatal("cannot use --start-after with patterns"));
    }
    filter.start_after = asked.start_after;
    let context = repo.name_context()?;
    let Streams { out, err, .. } = &mut ctx.streams;
    let said = Said::new(err);
    request.resolve(&context.names(&said)?, &mut filter)?;
    let count = asked.count.filter(|&count| count > 0).and_then(|count| usize::try_from(count).ok());
    let listing = Listing { filter, sorting, format, count, first: None };
    let describing = Describing::new(&repo);
    let describe = |id: &_, style: &_, out: &mut _| describing.append(id, style, out);
    let mut values = Values::new(&repo, &context)?;
    values.describe = Some(&describe);
    listing.for_each(&mut values, &said, |_, text| {
        if !text.is_empty() || !asked.omit_empty {
            out.write_all(text)?;
            out.write_all(b"\n")?;
        }
        Ok(())
    })?;
    Ok(0)
}
