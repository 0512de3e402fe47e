//! `git pack-refs`: stores references together, where they are found faster than in a file each.

use adit_refs::PackOptions;
use bstr::BString;

use crate::context::Context;
use crate::error::Error;
use crate::options::{Opt, Table, Usage};
use crate::references;

#[derive(Clone, Copy)]
enum O {
    All,
    Prune,
    Auto,
    Include,
    Exclude,
}

const USAGE: Usage = Usage {
    name: "pack-refs",
    synopsis: &["git pack-refs [--all] [--no-prune] [--auto] [--include <pattern>] [--exclude <pattern>]"],
};

const OPTIONS: Table<O> = Table::new(&[
    Opt::flag(O::All, "all", "pack all references, not only tags").no(),
    Opt::flag(O::Prune, "prune", "remove the files of what is packed (the default)").no(),
    Opt::flag(O::Auto, "auto", "pack only if it is worth while").no(),
    Opt::value(O::Include, "include", "pattern", "pack references of these names").no(),
    Opt::value(O::Exclude, "exclude", "pattern", "leave out references of these names").no(),
]);

/// Runs the command.
pub fn run(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    run_as(ctx, args, &USAGE)
}

/// Runs the command under another name, whose usage is `usage`.
pub fn run_as(ctx: &mut Context<'_>, args: &[BString], usage: &Usage) -> Result<u8, Error> {
    let mut options = PackOptions::default();
    let words = OPTIONS.parse(usage, args, |given| {
        match given.id {
            O::All => options.all = given.on(),
            O::Prune => options.keep_loose = !given.on(),
            O::Auto => options.if_needed = given.on(),
            O::Include if given.negated => options.include.clear(),
            O::Include => options.include.extend(given.value),
            O::Exclude if given.negated => options.exclude.clear(),
            O::Exclude => options.exclude.extend(given.value),
        }
        Ok(())
    })?;
    if !words.is_empty() {
        return Err(Error::Usage { message: None, usage: OPTIONS.usage(usage) });
    }
    let repo = ctx.repo()?;
    let write = repo.write_options()?;
    let report = repo.refs()?.pack(&options, &write).map_err(|error| references::fatal(&repo, error))?;
    for name in report.missing {
        ctx.complain(format!("{name} does not point to a valid object!"));
    }
    for error in report.kept {
        ctx.complain(error);
    }
    Ok(0)
}
