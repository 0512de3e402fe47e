//! `git tag -l`: lists tags.

use adit_text::column::Frame;
use bstr::BString;

use super::Listing as Asked;
use crate::context::{Context, Streams};
use crate::error::Error;
use crate::format::color;
use crate::format::describe::Describing;
use crate::format::ref_filter::{Filter, Format, Kinds, Lines, Listing, Rules, Sorting, Values, column_mode};
use crate::names::Said;
use crate::pager;

/// Lists the tags that match `names`.
pub(super) fn list(ctx: &mut Context<'_>, asked: Asked, names: Vec<BString>) -> Result<u8, Error> {
    let Asked { lines, column, when, sort, ignore_case, omit_empty, format, request } = asked;
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
    let format = Format::parse(&text, None, rules).map_err(|error| error.with_usage(super::usage()))?;
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
pub(in crate::commands) fn list_pager(ctx: &mut Context<'_>, command: &str) -> Result<(), Error> {
    let wanted = match ctx.program.paginate {
        Some(said) => said,
        None => pager::configured(ctx, command)?.unwrap_or(true),
    };
    if wanted { pager::start(ctx, command) } else { Ok(()) }
}
