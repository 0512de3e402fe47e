//! `git symbolic-ref`: shows, sets and removes references that stand for others.

use std::io::Write;

use adit::Repository;
use adit_refs::name::{self, Rules};
use adit_refs::{Edit, Followed, Shortener, Target, UpdateError};
use bstr::{BString, ByteSlice};

use crate::context::Context;
use crate::error::Error;
use crate::options::{Opt, Table, Usage};
use crate::references;

#[derive(Clone, Copy)]
enum O {
    Quiet,
    Delete,
    Short,
    Recurse,
    Message,
}

const USAGE: Usage = Usage {
    name: "symbolic-ref",
    synopsis: &[
        "git symbolic-ref [-m <reason>] <name> <ref>",
        "git symbolic-ref [-q] [--short] [--no-recurse] <name>",
        "git symbolic-ref --delete [-q] <name>",
    ],
};

const OPTIONS: Table<O> = Table::new(&[
    Opt::flag(O::Quiet, "quiet", "say nothing of a reference that is not symbolic").short(b'q').no(),
    Opt::flag(O::Delete, "delete", "remove the symbolic reference").short(b'd').no(),
    Opt::flag(O::Short, "short", "show the shortest name").no(),
    Opt::flag(O::Recurse, "recurse", "follow a symbolic reference to the last one (the default)").no(),
    Opt::value(O::Message, "", "reason", "what the log says of the change").short(b'm'),
]);

/// Runs the command.
pub fn run(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let (mut quiet, mut delete, mut short, mut recurse, mut message) = (false, false, false, true, None);
    let words = OPTIONS.parse(&USAGE, args, |given| {
        match given.id {
            O::Quiet => quiet = given.on(),
            O::Delete => delete = given.on(),
            O::Short => short = given.on(),
            O::Recurse => recurse = given.on(),
            O::Message => message = given.value,
        }
        Ok(())
    })?;
    if message.as_ref().is_some_and(|message: &BString| message.is_empty()) {
        return Err(Error::fatal("Refusing to perform update with empty message"));
    }
    let repo = ctx.repo()?;
    match words.as_slice() {
        [name] if delete => remove(&repo, name),
        [name] => {
            let Some(target) = target(&repo, name, recurse)? else {
                if quiet {
                    return Ok(1);
                }
                return Err(Error::fatal(format!("ref {name} is not a symbolic ref")));
            };
            let refs = repo.refs()?;
            let mut shortener = Shortener::new(refs, false)?;
            let shown = if short { shortener.shorten(target.as_bstr())? } else { target.as_bstr() };
            writeln!(ctx.streams.out, "{shown}")?;
            Ok(0)
        }
        [name, target] if !delete => set(&repo, name, target, message.unwrap_or_default()),
        _ => Err(Error::Usage { message: None, usage: OPTIONS.usage(&USAGE) }),
    }
}

/// What a symbolic reference stands for; `None` when it is none.
fn target(repo: &Repository, name: &BString, recurse: bool) -> Result<Option<BString>, Error> {
    let refs = repo.refs()?;
    let none = || Error::fatal(format!("No such ref: {name}"));
    if !name::is_valid(name, Rules::ANY) {
        return Err(none());
    }
    let first = match refs.find(name)?.map(|reference| reference.target) {
        Some(Target::Symbolic(first)) => first,
        Some(Target::Broken(_)) => return Err(none()),
        Some(Target::Direct(_)) | None => return Ok(None),
    };
    if !recurse {
        return Ok(Some(first));
    }
    match refs.follow(name)? {
        Followed::Found(found) => Ok(Some(found.name)),
        Followed::Dangling(last) => Ok(Some(last)),
        Followed::Missing | Followed::Endless | Followed::Broken(_) => Err(none()),
    }
}

fn remove(repo: &Repository, name: &BString) -> Result<u8, Error> {
    if target(repo, name, false)?.is_none() {
        return Err(Error::fatal(format!("Cannot delete {name}, not a symbolic ref")));
    }
    if name == "HEAD" {
        return Err(Error::fatal("deleting 'HEAD' is not allowed"));
    }
    change(repo, Edit::delete(name.as_bstr()).no_deref())
}

fn set(repo: &Repository, name: &BString, target: &BString, message: BString) -> Result<u8, Error> {
    if name == "HEAD" && !target.starts_with(b"refs/") {
        return Err(Error::fatal("Refusing to point HEAD outside of refs/"));
    }
    if !name::is_valid(target, Rules::ANY) {
        return Err(Error::fatal(format!("Refusing to set '{name}' to invalid ref '{target}'")));
    }
    change(repo, Edit::set_symbolic(name.as_bstr(), target.as_bstr()).message(message))
}

fn change(repo: &Repository, edit: Edit) -> Result<u8, Error> {
    let options = repo.write_options()?;
    let mut transaction = repo.refs()?.transaction(&options);
    transaction.add(edit);
    match transaction.commit(&mut repo.reference_hook()?) {
        Ok(()) => Ok(0),
        Err(error @ (UpdateError::Hook(_) | UpdateError::Read(_))) => Err(references::fatal(repo, error)),
        Err(error) => Err(Error::failed(error.told_from(repo.env().cwd()).to_string())),
    }
}
