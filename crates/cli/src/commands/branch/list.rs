//! `git branch -l`: lists branches.

use std::io::Write;

use adit_refs::Head;
use adit_text::column::Frame;
use bstr::{BString, ByteSlice};

use super::{Listing as Asked, layout};
use crate::context::{Context, Streams};
use crate::error::Error;
use crate::format::color;
use crate::format::describe::Describing;
use crate::format::ref_filter::{
    Filter, Format, Kinds, Lines, Listing, Rules, Sorting, Values, column_mode, detached,
};
use crate::names::Said;

/// Prints the branch that is checked out.
pub(super) fn show_current(ctx: &mut Context<'_>) -> Result<u8, Error> {
    if let Head::Branch { name, .. } = ctx.repo()?.refs()?.head()? {
        let short = name.strip_prefix(b"refs/heads/").unwrap_or(&name).as_bstr();
        writeln!(ctx.streams.out, "{short}")?;
    }
    Ok(0)
}

/// Lists the branches that match `patterns`.
pub(super) fn list(ctx: &mut Context<'_>, asked: &Asked, patterns: Vec<BString>) -> Result<u8, Error> {
    let repo = ctx.repo()?;
    let config = repo.config();
    let mode = column_mode(config, "branch", asked.column.as_ref())?;
    if asked.verbose > 0 && asked.column.as_ref().is_some_and(Option::is_some) {
        return Err(Error::fatal("options '--column' and '--verbose' cannot be used together"));
    }
    crate::commands::tag::list_pager(ctx, "branch")?;
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
    asked.request.resolve(&names, &mut filter)?;
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
        Format::parse(&text, None, rules).map_err(|error| error.with_usage(super::usage()))?
    } else {
        Format::parse(&text, None, rules)?
    };
    let frame = Frame { width, padding: 1, ..Frame::default() };
    let mut printed = Lines::new(out, in_columns.then_some(mode), frame, asked.omit_empty);
    listing.for_each(&mut values, &said, |_, text| printed.push(text))?;
    printed.finish()?;
    Ok(0)
}
