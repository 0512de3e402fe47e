//! `git update-ref`: changes references, each checked against the value it should have before.

pub mod instructions;
mod session;

use adit::Repository;
use adit_object::ObjectId;
use adit_refs::{Edit, Expected, UpdateError};
use bstr::{BString, ByteSlice};

use crate::context::Context;
use crate::error::Error;
use crate::names::Said;
use crate::options::{Opt, Table, Usage};
use crate::references;

#[derive(Clone, Copy)]
enum O {
    Message,
    Delete,
    NoDeref,
    Nul,
    Stdin,
    CreateReflog,
    BatchUpdates,
}

const USAGE: Usage = Usage {
    name: "update-ref",
    synopsis: &[
        "git update-ref [-m <reason>] [--no-deref] -d <ref> [<old-oid>]",
        "git update-ref [-m <reason>] [--no-deref] [--create-reflog] <ref> <new-oid> [<old-oid>]",
        "git update-ref [-m <reason>] [--no-deref] --stdin [-z] [--batch-updates]",
    ],
};

const OPTIONS: Table<O> = Table::new(&[
    Opt::value(O::Message, "", "reason", "what the log says of the change").short(b'm'),
    Opt::flag(O::Delete, "", "remove the reference").short(b'd'),
    Opt::flag(O::NoDeref, "no-deref", "change a symbolic reference itself, not what it stands for").no(),
    Opt::flag(O::Nul, "", "words of standard input end with a NUL").short(b'z'),
    Opt::flag(O::Stdin, "stdin", "follow the instructions on standard input").no(),
    Opt::flag(O::CreateReflog, "create-reflog", "make a log where there is none").no(),
    Opt::flag(O::BatchUpdates, "batch-updates", "leave out instructions that cannot be followed").no(),
]);

/// What the options say.
#[derive(Default)]
struct Asked {
    message: Option<BString>,
    delete: bool,
    no_deref: bool,
    nul: bool,
    stdin: bool,
    create_log: bool,
    batch: bool,
}

/// Runs the command.
pub fn run(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let mut asked = Asked::default();
    let words = OPTIONS.parse(&USAGE, args, |given| {
        match given.id {
            O::Message => asked.message = given.value,
            O::Delete => asked.delete = true,
            O::NoDeref => asked.no_deref = given.on(),
            O::Nul => asked.nul = true,
            O::Stdin => asked.stdin = given.on(),
            O::CreateReflog => asked.create_log = given.on(),
            O::BatchUpdates => asked.batch = given.on(),
        }
        Ok(())
    })?;
    let usage = || Error::Usage { message: None, usage: OPTIONS.usage(&USAGE) };
    if asked.message.as_ref().is_some_and(|message| message.is_empty()) {
        return Err(Error::fatal("Refusing to perform update with empty message."));
    }
    let repo = ctx.repo()?;
    if asked.stdin {
        if asked.delete || !words.is_empty() {
            return Err(usage());
        }
        return session::run(ctx, &repo, &asked);
    }
    if asked.batch {
        return Err(Error::fatal("--batch-updates can only be used with --stdin"));
    }
    let (name, new, old) = match (asked.delete, words.as_slice()) {
        _ if asked.nul => return Err(usage()),
        (true, [name]) => (name, None, None),
        (true, [name, old]) => (name, None, Some(old)),
        (false, [name, new]) => (name, Some(new), None),
        (false, [name, new, old]) => (name, Some(new), Some(old)),
        _ => return Err(usage()),
    };
    let null = ObjectId::null(repo.object_format());
    let new = match new {
        Some(word) => {
            let id = if word.is_empty() { Some(null) } else { object(ctx, &repo, word)? };
            Some(id.ok_or_else(|| Error::fatal(format!("{word}: not a valid SHA1")))?)
        }
        None => None,
    };
    let expected = match old {
        Some(word) if word.is_empty() => Expected::Missing,
        Some(word) => match object(ctx, &repo, word)? {
            Some(id) if id.is_null() => Expected::Missing,
            Some(id) => Expected::Id(id),
            None => return Err(Error::fatal(format!("{word}: not a valid old SHA1"))),
        },
        None => Expected::Any,
    };
    let mut edit = match new.filter(|id| !id.is_null()) {
        Some(id) => Edit::set(name.as_bstr(), id).expect(expected),
        // Of what is to be removed, git takes 'no object' for 'any object'.
        None if expected == Expected::Missing => Edit::delete(name.as_bstr()),
        None => Edit::delete(name.as_bstr()).expect(expected),
    };
    edit.no_deref = asked.no_deref;
    edit.create_log = asked.create_log;
    edit.message = asked.message.clone().unwrap_or_default();
    let options = repo.write_options()?;
    let mut transaction = repo.refs()?.transaction(&options);
    transaction.add(edit);
    let removes = new.is_none_or(|id| id.is_null());
    transaction.commit(&mut repo.reference_hook()?).map(|()| 0).map_err(|error| match error {
        error @ (UpdateError::Hook(_) | UpdateError::Read(_)) => references::fatal(&repo, error),
        error if removes => Error::failed(error.told_from(repo.env().cwd()).to_string()),
        error => {
            let why = error.told_from(repo.env().cwd());
            Error::fatal(format!("update_ref failed for ref '{name}': {why}"))
        }
    })
}

/// The object that a word means, which need not exist when it is an id in full; `None` when it means none.
fn object(ctx: &mut Context<'_>, repo: &Repository, word: &BString) -> Result<Option<ObjectId>, Error> {
    if let Ok(id) = ObjectId::from_hex(repo.object_format(), word) {
        return Ok(Some(id));
    }
    let context = repo.name_context()?;
    let said = Said::new(&mut ctx.streams.err);
    let names = context.names(&said)?;
    match names.resolve(word) {
        Ok(id) => Ok(Some(id)),
        Err(error) if error.is_unknown() => Ok(None),
        Err(error) => Err(error.into()),
    }
}
