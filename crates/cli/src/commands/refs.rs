//! `git refs`: the store of references as such.

use adit_refs::Target;
use bstr::BString;

use crate::commands::{for_each_ref, pack_refs};
use crate::context::Context;
use crate::error::Error;
use crate::options::{Table, Usage};

const USAGE: Usage = Usage {
    name: "refs",
    synopsis: &[
        "git refs list [<for-each-ref options>]",
        "git refs exists <ref>",
        "git refs optimize [--all] [--no-prune] [--auto] [--include <pattern>] [--exclude <pattern>]",
    ],
};

const EXISTS: Usage = Usage { name: "refs", synopsis: &["git refs exists <ref>"] };

const OPTIMIZE: Usage = Usage {
    name: "refs",
    synopsis: &[
        "git refs optimize [--all] [--no-prune] [--auto] [--include <pattern>] [--exclude <pattern>]",
    ],
};

const NO_OPTIONS: Table<()> = Table::new(&[]);

/// Runs the command.
pub fn run(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let usage = |message: String| Error::Usage { message: Some(message), usage: USAGE.head() };
    let Some((first, rest)) = args.split_first() else { return Err(usage("need a subcommand".into())) };
    match first.as_slice() {
        b"-h" => Err(Error::Help(USAGE.head())),
        b"list" => for_each_ref::run(ctx, rest),
        b"exists" => exists(ctx, rest),
        b"optimize" => pack_refs::run_as(ctx, rest, &OPTIMIZE),
        b"migrate" | b"verify" => Err(Error::unsupported(&format!("refs {first}"))),
        _ => Err(usage(format!("unknown subcommand: `{first}'"))),
    }
}

fn exists(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let names = NO_OPTIONS.parse(&EXISTS, args, |_| Ok(()))?;
    let [name] = names.as_slice() else {
        return Err(Error::fatal("'git refs exists' requires a reference"));
    };
    match ctx.repo()?.refs()?.find(name)?.map(|found| found.target) {
        Some(Target::Broken(_)) => {
            ctx.complain("failed to look up reference: Invalid argument");
            Ok(1)
        }
        Some(_) => Ok(0),
        None => {
            ctx.complain("reference does not exist");
            Ok(2)
        }
    }
}
