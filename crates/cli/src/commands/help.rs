//! `git help`: the list of commands, or the usage of one.

use std::io::Write;

use bstr::BString;

use crate::context::Context;
use crate::error::Error;
use crate::options::{Opt, Table, Usage};
use crate::{globals, table};

#[derive(Clone, Copy)]
enum O {
    All,
}

const USAGE: Usage = Usage { name: "help", synopsis: &["git help [-a | --all] [<command>]"] };
const OPTIONS: Table<O> = Table::new(&[Opt::flag(O::All, "all", "list all commands").short(b'a').no()]);

/// Runs the command.
pub fn run(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let names = OPTIONS.parse(&USAGE, args, |given| {
        match given.id {
            // There are no commands that the overview leaves out.
            O::All => Ok(()),
        }
    })?;
    let Some(name) = names.first() else {
        overview(&mut ctx.streams.out)?;
        return Ok(0);
    };
    let Some(command) = table::find(name) else {
        if let Some(alias) = crate::alias::find(ctx, name)? {
            writeln!(ctx.streams.out, "'{name}' is aliased to '{alias}'")?;
            return Ok(0);
        }
        return Err(Error::failed(format!("no help for '{name}': there is no such command")));
    };
    writeln!(ctx.streams.out, "git {} - {}\n", command.name, command.summary)?;
    // The usage text of a command is what it says to `-h`.
    match (command.run)(ctx, &["-h".into()]) {
        Err(Error::Help(usage)) => {
            ctx.streams.out.write_all(usage.as_bytes())?;
            Ok(0)
        }
        other => other,
    }
}

/// Prints how the program is called and what commands it has.
pub fn overview(out: &mut dyn Write) -> Result<(), Error> {
    writeln!(out, "{}", globals::USAGE)?;
    writeln!(out, "Commands:\n")?;
    for command in table::COMMANDS {
        writeln!(out, "   {:<18} {}", command.name, command.summary)?;
    }
    writeln!(out, "\n'git help <command>' tells more about one of them.")?;
    Ok(())
}
