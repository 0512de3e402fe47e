//! `git verify-commit`: checks signatures of commits.

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
}

const USAGE: Usage =
    Usage { name: "verify-commit", synopsis: &["git verify-commit [-v | --verbose] [--raw] <commit>..."] };

const OPTIONS: Table<O> = Table::new(&[
    Opt::flag(O::Verbose, "verbose", "print the commit").short(b'v').no(),
    Opt::flag(O::Raw, "raw", "print what the program says to programs").no(),
]);

/// Runs the command.
pub fn run(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let mut told = Told::default();
    let words = OPTIONS.parse(&USAGE, args, |given| {
        match given.id {
            O::Verbose => told.payload = given.on(),
            O::Raw => told.raw = given.on(),
        }
        Ok(())
    })?;
    if words.is_empty() {
        return Err(Error::Usage { message: None, usage: OPTIONS.usage(&USAGE) });
    }
    let repo = ctx.repo()?;
    let context = repo.name_context()?;
    let mut failed = false;
    for word in &words {
        let resolved = {
            let said = Said::new(&mut ctx.streams.err);
            context.names(&said)?.resolve(word)
        };
        match resolved {
            Ok(id) => failed |= !signatures::verify_commit(ctx, &repo, word.as_bstr(), &id, told)?,
            Err(error) if error.is_unknown() => {
                ctx.complain(format_args!("commit '{word}' not found."));
                failed = true;
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(u8::from(failed))
}
