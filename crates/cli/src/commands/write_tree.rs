//! `git write-tree`: make tree objects of the index.

use adit_index::{Index, WriteTreeError};
use adit_object::ObjectId;
use bstr::{BString, ByteSlice};

use crate::context::Context;
use crate::error::Error;
use crate::options::{Opt, Table, Usage};

#[derive(Clone, Copy)]
enum O {
    MissingOk,
    Prefix,
}

const USAGE: Usage =
    Usage { name: "write-tree", synopsis: &["git write-tree [--missing-ok] [--prefix=<prefix>/]"] };

const OPTIONS: Table<O> = Table::new(&[
    Opt::flag(O::MissingOk, "missing-ok", "let objects be missing").no(),
    Opt::value(O::Prefix, "prefix", "prefix/", "print the tree of this folder").no(),
]);

/// Runs the command.
pub fn run(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let (mut missing_ok, mut prefix) = (false, None);
    OPTIONS.parse(&USAGE, args, |given| {
        match given.id {
            O::MissingOk => missing_ok = given.on(),
            O::Prefix => prefix = given.value,
        }
        Ok(())
    })?;
    let repo = ctx.repo()?;
    // Who cannot lock the index can still have its tree; only what was found out is not kept.
    let lock = repo.lock_index().ok();
    let mut index = repo.index_to_change()?;
    let id = match repo.write_index_tree(&mut index, missing_ok)? {
        Ok(id) => id,
        Err(error) => return Err(no_tree(ctx, error)?),
    };
    if let Some(lock) = lock.filter(|_| index.is_changed()) {
        let work = repo.work_files()?;
        // The tree is there whether or not the index remembers it.
        let _ = repo.write_index(&mut index, lock, |entry| work.changed_unseen(entry));
    }
    let id = match &prefix {
        None => id,
        Some(prefix) => folder(&index, prefix)?,
    };
    writeln!(ctx.streams.out, "{id}")?;
    Ok(0)
}

/// The tree of the folder `prefix`.
fn folder(index: &Index, prefix: &BString) -> Result<ObjectId, Error> {
    let node = index.cache_tree().and_then(|tree| tree.folder(prefix));
    let found = node.and_then(|node| node.valid()).map(|(id, _)| id);
    found.ok_or_else(|| Error::fatal(format!("git-write-tree: prefix {prefix} not found")))
}

/// How many paths in conflict are named.
const MAX_NAMED: usize = 10;

/// Says why there is no tree.
fn no_tree(ctx: &mut Context<'_>, error: WriteTreeError<adit_odb::WriteError>) -> Result<Error, Error> {
    match error {
        WriteTreeError::Unmerged(paths) => {
            for (path, id) in paths.iter().take(MAX_NAMED) {
                writeln!(ctx.streams.err, "{path}: unmerged ({id})")?;
            }
            if paths.len() > MAX_NAMED {
                writeln!(ctx.streams.err, "...")?;
            }
        }
        WriteTreeError::FileAndFolder(..) => writeln!(ctx.streams.err, "{error}")?,
        other => ctx.complain(other.to_string().as_bytes().as_bstr()),
    }
    Ok(Error::fatal("git-write-tree: error building trees"))
}
