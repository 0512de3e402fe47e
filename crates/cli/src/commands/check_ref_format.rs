//! `git check-ref-format`: tells whether a reference, or a branch, can be called so.

use std::io::Write;

use adit_refs::name::{self, Rules};
use bstr::{BStr, BString, ByteSlice};

use crate::context::Context;
use crate::error::Error;
use crate::names::Said;
use crate::options::Usage;

const USAGE: Usage = Usage {
    name: "check-ref-format",
    synopsis: &[
        "git check-ref-format [--normalize] [<options>] <refname>",
        "git check-ref-format --branch <branchname-shorthand>",
    ],
};

/// Runs the command. Its options cannot be shortened and come before the name, which may start with a dash itself.
pub fn run(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let usage = || Error::Usage { message: None, usage: USAGE.head().trim_end().to_owned() + "\n" };
    match args {
        [only] if only == "-h" => {
            return Err(Error::Help(USAGE.head().trim_end().to_owned() + "\n"));
        }
        [option, branch] if option == "--branch" => return check_branch(ctx, branch.as_bstr()),
        _ => {}
    }
    let (mut normalize, mut rules) = (false, Rules::default());
    let Some((refname, options)) = args.split_last() else { return Err(usage()) };
    for option in options {
        match option.as_bytes() {
            b"--normalize" | b"--print" => normalize = true,
            b"--allow-onelevel" => rules.one_level = true,
            b"--no-allow-onelevel" => rules.one_level = false,
            b"--refspec-pattern" => rules.pattern = true,
            _ => return Err(usage()),
        }
    }
    let refname = if normalize { name::normalize(refname) } else { refname.clone() };
    if !name::is_valid(&refname, rules) {
        return Err(Error::Exit(1));
    }
    if normalize {
        writeln!(ctx.streams.out, "{refname}")?;
    }
    Ok(0)
}

/// Prints the branch that a short form such as `@{-1}` means, if a branch can be called so.
fn check_branch(ctx: &mut Context<'_>, short: &BStr) -> Result<u8, Error> {
    ctx.open_repository_if_any()?;
    let expanded = match ctx.repo_if_any() {
        Some(repo) if short.contains(&b'@') => {
            let context = repo.name_context()?;
            let said = Said::new(&mut ctx.streams.err);
            context.names(&said)?.expand_at(short).unwrap_or_default()
        }
        _ => None,
    };
    let branch = match &expanded {
        Some(full) => full.strip_prefix(b"refs/heads/").unwrap_or(full).as_bstr(),
        None => short,
    };
    if !name::is_valid_branch(branch) {
        return Err(Error::fatal(format!("'{short}' is not a valid branch name")));
    }
    writeln!(ctx.streams.out, "{branch}")?;
    Ok(0)
}
