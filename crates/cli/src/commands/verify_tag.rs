//! `git verify-tag`: checks signatures of tags.

use bstr::{BString, ByteSlice};

use crate::context::Context;
use crate::error::Error;
use crate::names::Said;
use crate::options::{Opt, Table, Usage};
use crate::signatures::{self, Told};

#[derive(Clone, Copy)]
enum O {
    Verbose,
    Raw,
    Format,
}

const USAGE: Usage = Usage {
    name: "verify-tag",
    synopsis: &["git verify-tag [-v | --verbose] [--format=<format>] [--raw] <tag>..."],
};

const OPTIONS: Table<O> = Table::new(&[
    Opt::flag(O::Verbose, "verbose", "print the tag").short(b'v').no(),
    Opt::flag(O::Raw, "raw", "print what the program says to programs").no(),
    Opt::value(O::Format, "format", "format", "what to print of each good tag").no(),
]);

/// Runs the command.
pub fn run(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let (mut told, mut format) = (Told::default(), None);
    let words = OPTIONS.parse(&USAGE, args, |given| {
        match given.id {
            O::Verbose => told.payload = given.on(),
            O::Raw => told.raw = given.on(),
            O::Format => format = given.value,
        }
        Ok(())
    })?;
    if words.is_empty() {
        return Err(Error::Usage { message: None, usage: OPTIONS.usage(&USAGE) });
    }
    let repo = ctx.repo()?;
    if format.is_some() {
        told = Told { nothing: true, ..Told::default() };
    }
    let context = repo.name_context()?;
    let mut failed = false;
    for word in &words {
        let resolved = {
            let said = Said::new(&mut ctx.streams.err);
            context.names(&said)?.resolve(word)
        };
        let id = match resolved {
            Ok(id) => id,
            Err(error) if error.is_unknown() => {
                ctx.complain(format_args!("tag '{word}' not found."));
                failed = true;
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        if !signatures::verify_tag(ctx, &repo, word.as_bstr(), &id, told)? {
            failed = true;
        } else if let Some(format) = &format {
            super::tag::print_one(ctx, word.as_bstr(), format)?;
        }
    }
    Ok(u8::from(failed))
}
