//! `git tag`: lists tags. (Making, deleting and verifying them is not there yet.)

use adit_text::column::Frame;
use bstr::BString;

use crate::context::{Context, Streams};
use crate::error::Error;
use crate::format::color;
use crate::format::describe::Describing;
use crate::format::ref_filter::{
    Filter, Format, Kinds, Lines, Listing, Request, Rules, SortKeys, Sorting, Values, column_mode,
    with_default_commit,
};
use crate::names::Said;
use crate::options::{Opt, Table, Usage};
use crate::pager;

#[derive(Clone, Copy, PartialEq, Eq)]
enum O {
    List,
    Lines,
    Write(&'static str),
    Column,
    Contains,
    NoContains,
    Merged,
    NoMerged,
    OmitEmpty,
    Sort,
    PointsAt,
    Format,
    Color,
    IgnoreCase,
}

const USAGE: Usage = Usage {
    name: "tag",
    synopsis: &[
        "git tag [-n[<num>]] -l [--contains <commit>] [--no-contains <commit>] [--points-at <object>] \
         [--column[=<options>] | --no-column] [--sort=<key>] [--format=<format>] [--merged <commit>] \
         [--no-merged <commit>] [<pattern>...]",
    ],
};

const OPTIONS: Table<O> = Table::new(&[
    Opt::flag(O::List, "list", "list tags").short(b'l'),
    Opt::optional(O::Lines, "", "n", "print <n> lines of the message of each").short(b'n'),
    Opt::flag(O::Write("deleting tags"), "delete", "delete tags").short(b'd').hidden(),
    Opt::flag(O::Write("verifying tags"), "verify", "verify tags").short(b'v').hidden(),
    Opt::flag(O::Write("making tags"), "annotate", "make a tag with a message").short(b'a').no().hidden(),
    Opt::value(O::Write("making tags"), "message", "msg", "the message").short(b'm').hidden(),
    Opt::value(O::Write("making tags"), "file", "file", "read the message from a file").short(b'F').hidden(),
    Opt::value(O::Write("making tags"), "trailer", "trailer", "add a trailer").hidden(),
    Opt::flag(O::Write("making tags"), "edit", "edit the message").short(b'e').no().hidden(),
    Opt::flag(O::Write("making tags"), "sign", "sign the tag").short(b's').no().hidden(),
    Opt::value(O::Write("making tags"), "cleanup", "mode", "how to clean the message up").no().hidden(),
    Opt::value(O::Write("making tags"), "local-user", "key-id", "sign with another key")
        .short(b'u')
        .no()
        .hidden(),
    Opt::flag(O::Write("making tags"), "force", "replace a tag that exists").short(b'f').no().hidden(),
    Opt::flag(O::Write("making tags"), "create-reflog", "start a log").no().hidden(),
    Opt::optional(O::Column, "column", "style", "lay tags out in columns").no(),
    Opt::value(O::Contains, "contains", "commit", "list only tags that reach this commit"),
    Opt::value(O::NoContains, "no-contains", "commit", "list only tags that do not reach this commit"),
    Opt::value(O::Contains, "with", "commit", "the same as --contains").hidden(),
    Opt::value(O::NoContains, "without", "commit", "the same as --no-contains").hidden(),
    Opt::value(O::Merged, "merged", "commit", "list only tags that this commit reaches"),
    Opt::value(O::NoMerged, "no-merged", "commit", "list only tags that this commit does not reach"),
    Opt::flag(O::OmitEmpty, "omit-empty", "print no line where the format gives nothing").no(),
    Opt::value(O::Sort, "sort", "key", "sort by this field").no(),
    Opt::value(O::PointsAt, "points-at", "object", "list only tags of this object").no(),
    Opt::value(O::Format, "format", "format", "what to print of each").no(),
    Opt::optional(O::Color, "color", "when", "print the colours of the format").no(),
    Opt::flag(O::IgnoreCase, "ignore-case", "sort and match whatever the case").short(b'i').no(),
]);

/// Runs the command.
pub fn run(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let (mut list, mut lines, mut omit_empty, mut ignore_case) = (false, None, false, false);
    let (mut format, mut when, mut column, mut write) = (None, None, None, None);
    let mut sort = SortKeys::default();
    let mut request = Request::default();
    let mut words = with_default_commit(args);
    if words.last().is_some_and(|last| last == "--points-at") {
        words.push("HEAD".into());
    }
    let names = OPTIONS.parse(&USAGE, &words, |given| {
        match given.id {
            O::List => list = true,
            O::Lines => lines = Some(if given.value.is_some() { given.unsigned()? } else { 1 }),
            O::Write(what) => write = if given.on() { Some(what) } else { write },
            O::Column => column = Some(given.on().then(|| given.text().to_owned())),
            O::Contains => request.contains.extend(given.value),
            O::NoContains => request.no_contains.extend(given.value),
            O::Merged => request.merged.extend(given.value),
            O::NoMerged => request.no_merged.extend(given.value),
            O::OmitEmpty => omit_empty = given.on(),
            O::Sort => sort.take(given.value),
            O::PointsAt => request.points_at.extend(given.value),
            O::Format => format = given.value,
            O::Color => when = Some(color::option(given.on(), given.value.as_ref())?),
            O::IgnoreCase => ignore_case = given.on(),
        }
        Ok(())
    })?;
    if let Some(what) = write {
        if list {
            return Err(Error::Usage { message: None, usage: OPTIONS.usage(&USAGE) });
        }
        return Err(Error::unsupported(what));
    }
    if !list && !names.is_empty() && request.is_empty() && lines.is_none() {
        return Err(Error::unsupported("making tags"));
    }
    let repo = ctx.repo()?;
    let config = repo.config();
    let mode = column_mode(config, "tag", column.as_ref())?;
    let in_columns = mode.is_active(ctx.streams.out_is_terminal) && lines.is_none();
    if lines.is_some() && column.as_ref().is_some_and(Option::is_some) {
        return Err(Error::fatal("options '--column' and '-n' cannot be used together"));
    }
    let color = color::wanted(config, when, "color.ui", ctx.streams.out_is_terminal)?;
    let rules = Rules::new(&repo, color, ctx.streams.out_is_terminal);
    let mut sorting = Sorting::by_name(config);
    sorting.ignore_case = ignore_case;
    sorting.add_all(config, "tag.sort", &sort, rules)?;
    let text = format.unwrap_or_else(|| match lines {
        None | Some(0) => "%(refname:lstrip=2)".into(),
        Some(lines) => format!("%(align:15)%(refname:lstrip=2)%(end) %(contents:lines={lines})").into(),
    });
    let format =
        Format::parse(&text, None, rules).map_err(|error| error.with_usage(OPTIONS.usage(&USAGE)))?;
    let mut filter = Filter { patterns: names, ignore_case, ..Filter::new(Kinds::Tags) };
    list_pager(ctx, "tag")?;
    let width = ctx.columns();
    let context = repo.name_context()?;
    let Streams { out, err, .. } = &mut ctx.streams;
    let said = Said::new(err);
    request.resolve(&context.names(&said)?, &mut filter)?;
    let listing = Listing { filter, sorting, format, count: None, first: None };
    let describing = Describing::new(&repo);
    let describe = |id: &_, style: &_, out: &mut _| describing.append(id, style, out);
    let mut values = Values::new(&repo, &context)?;
    values.describe = Some(&describe);
    let frame = Frame { width, padding: 2, ..Frame::default() };
    let mut printed = Lines::new(out, in_columns.then_some(mode), frame, omit_empty);
    listing.for_each(&mut values, &said, |_, text| printed.push(text))?;
    printed.finish()?;
    Ok(0)
}

/// Listings go through the pager unless that is forbidden.
pub(super) fn list_pager(ctx: &mut Context<'_>, command: &str) -> Result<(), Error> {
    let wanted = match ctx.program.paginate {
        Some(said) => said,
        None => pager::configured(ctx, command)?.unwrap_or(true),
    };
    if wanted { pager::start(ctx, command) } else { Ok(()) }
}
