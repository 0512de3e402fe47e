//! `git reflog`: what references held before, and taking that out of their logs.

mod expire;

use std::io::Write;

use adit::Repository;
use adit_object::{ObjectId, Source};
use adit_refs::name::{self, Rules};
use adit_refs::{Options, Store, expand};
use bstr::{BStr, BString, ByteSlice};

use crate::commands::log;
use crate::context::Context;
use crate::error::Error;
use crate::options::{Opt, Table, Usage};
use crate::references;

/// The form of the command line for each subcommand but `show`, the default.
const SYNOPSIS: &[&str] = &[
    "git reflog [show] [<log-options>] [<ref>]",
    "git reflog list",
    "git reflog exists <ref>",
    "git reflog write <ref> <old-oid> <new-oid> <message>",
    "git reflog delete [--rewrite] [--updateref] [--dry-run | -n] [--verbose] <ref>@{<specifier>}...",
    "git reflog drop [--all [--single-worktree] | <refs>...]",
    "git reflog expire [--expire=<time>] [--expire-unreachable=<time>] [--rewrite] [--updateref] [--stale-fix] \
     [--dry-run | -n] [--verbose] [--all [--single-worktree] | <refs>...]",
];

const NO_OPTIONS: Table<()> = Table::new(&[]);

/// The status of a subcommand that could not do all that it was asked.
const INCOMPLETE: u8 = 255;

/// Runs the command.
pub fn run(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let (first, rest) = args.split_first().map_or((None, args), |(first, rest)| (Some(first), rest));
    match first.map(|first| first.as_slice()) {
        Some(b"-h") => Err(Error::Help(Usage { name: "reflog", synopsis: SYNOPSIS }.head())),
        Some(b"show") => show(ctx, rest),
        Some(b"list") => list(ctx, rest),
        Some(b"exists") => exists(ctx, rest),
        Some(b"write") => write(ctx, rest),
        Some(b"delete") => expire::delete(ctx, rest),
        Some(b"drop") => drop_logs(ctx, rest),
        Some(b"expire") => expire::expire(ctx, rest),
        _ => show(ctx, args),
    }
}

/// The log of a log, in lines.
fn show(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let usual = ["-g", "--abbrev-commit", "--pretty=oneline"].map(BString::from);
    log::run(ctx, &[&usual, args].concat())
}

/// The usage of the subcommand whose form is at `index`.
fn usage(index: usize) -> Usage {
    Usage { name: "reflog", synopsis: &SYNOPSIS[index..=index] }
}

fn bad_usage(index: usize) -> Error {
    Error::Usage { message: None, usage: usage(index).head() }
}

fn list(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let words = NO_OPTIONS.parse(&usage(1), args, |_| Ok(()))?;
    if let Some(word) = words.first() {
        return Err(Error::Failed(format!("list does not accept arguments: '{word}'").into(), INCOMPLETE));
    }
    for name in ctx.repo()?.refs()?.reflog_names()? {
        writeln!(ctx.streams.out, "{name}")?;
    }
    Ok(0)
}

fn exists(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let words = NO_OPTIONS.parse(&usage(2), args, |_| Ok(()))?;
    let Some(name) = words.first() else { return Err(bad_usage(2)) };
    if !name::is_valid(name, Rules::ANY) {
        return Err(Error::fatal(format!("invalid ref format: {name}")));
    }
    Ok(u8::from(ctx.repo()?.refs()?.reflog(name)?.is_none()))
}

fn write(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let words = NO_OPTIONS.parse(&usage(3), args, |_| Ok(()))?;
    let [name, old, new, message] = words.as_slice() else { return Err(bad_usage(3)) };
    let full = name.starts_with(b"refs/") || name::has_root_syntax(name);
    if !full || !name::is_valid(name, Rules::ANY) {
        return Err(Error::fatal(format!("invalid reference name: {name}")));
    }
    let repo = ctx.repo()?;
    let id = |word: &BString, what: &str| {
        let id = ObjectId::from_hex(repo.object_format(), word)
            .map_err(|_| Error::fatal(format!("invalid {what} object ID: '{word}'")))?;
        if !id.is_null() && repo.objects()?.try_header(&id)?.is_none() {
            return Err(Error::fatal(format!("{what} object '{word}' does not exist")));
        }
        Ok(id)
    };
    let (old, new) = (id(old, "old")?, id(new, "new")?);
    let options = repo.write_options()?;
    let written = repo.refs()?.append_reflog(name, [&old, &new], message.as_bstr(), &options);
    written.map(|()| 0).map_err(|error| references::fatal(&repo, error))
}

#[derive(Clone, Copy)]
enum Drop {
    All,
    SingleWorktree,
}

const DROP_OPTIONS: Table<Drop> = Table::new(&[
    Opt::flag(Drop::All, "all", "remove the logs of all references").no(),
    Opt::flag(Drop::SingleWorktree, "single-worktree", "leave the logs of other working trees alone").no(),
]);

fn drop_logs(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let (mut all, mut single) = (false, false);
    let words = DROP_OPTIONS.parse(&usage(5), args, |given| {
        match given.id {
            Drop::All => all = given.on(),
            Drop::SingleWorktree => single = given.on(),
        }
        Ok(())
    })?;
    if all && !words.is_empty() {
        let usage = "usage: references specified along with --all\n".to_owned();
        return Err(Error::Usage { message: None, usage });
    }
    let repo = ctx.repo()?;
    if all {
        for (store, name) in all_logs(&repo, single)? {
            store.remove_reflog(&name).map_err(|error| references::fatal(&repo, error))?;
        }
        return Ok(0);
    }
    let mut status = 0;
    for word in &words {
        let dropped = match named_log(&repo, word.as_bstr())? {
            Some(name) => {
                repo.refs()?.remove_reflog(&name).map_err(|error| references::fatal(&repo, error))?
            }
            None => false,
        };
        if !dropped {
            ctx.complain(format!("reflog could not be found: '{word}'"));
            status = INCOMPLETE;
        }
    }
    Ok(status)
}

/// The logs of all working trees, each with the store that it belongs to; only this one's if `single`.
fn all_logs(repo: &Repository, single: bool) -> Result<Vec<(std::rc::Rc<Store>, BString)>, Error> {
    let mut folders = vec![repo.git_dir().to_owned()];
    if !single {
        folders.extend(repo.worktrees()?.into_iter().map(|worktree| worktree.git_dir));
    }
    let mut logs: Vec<(std::rc::Rc<Store>, BString)> = Vec::new();
    let mut known: Vec<std::path::PathBuf> = Vec::new();
    for folder in folders {
        let real = std::fs::canonicalize(&folder).unwrap_or_else(|_| folder.clone());
        if known.contains(&real) {
            continue;
        }
        let store = Store::open(&folder, repo.common_dir(), repo.object_format(), Options::default())?;
        let store = std::rc::Rc::new(store);
        for name in store.reflog_names()? {
            // What working trees share is listed in each.
            if known.is_empty() || name::is_per_worktree(&name) {
                logs.push((std::rc::Rc::clone(&store), name));
            }
        }
        known.push(real);
    }
    Ok(logs)
}

/// The reference with a log that a short name means.
fn named_log(repo: &Repository, word: &BStr) -> Result<Option<BString>, Error> {
    let refs = repo.refs()?;
    for name in expand(word) {
        let Some(resolved) = refs.resolve(&name)? else { continue };
        for name in [name, resolved.name] {
            if refs.reflog(&name)?.is_some() {
                return Ok(Some(name));
            }
        }
    }
    Ok(None)
}
