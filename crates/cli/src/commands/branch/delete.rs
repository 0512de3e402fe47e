//! `git branch -d`: deletes branches.

use std::io::Write;

use adit::Repository;
use adit_object::{ObjectId, ObjectKind};
use adit_refs::{Edit, Target};
use adit_revision::merge_base::is_ancestor;
use adit_revision::names::Message;
use bstr::{BStr, BString, ByteSlice};

use super::{Changing, names};
use crate::context::Context;
use crate::error::Error;

/// A branch that is to go.
struct Doomed {
    /// As it was named.
    name: BString,
    full: BString,
    /// What is said of what it held.
    held: BString,
}

/// Deletes branches, or with `remote` remote-tracking ones; the status tells whether all could be.
pub(super) fn delete(
    ctx: &mut Context<'_>,
    changing: &Changing,
    remote: bool,
    words: &[BString],
) -> Result<u8, Error> {
    let repo = ctx.repo()?;
    let (prefix, kind) = match remote {
        true => (&b"refs/remotes/"[..], "remote-tracking branch"),
        false => (&b"refs/heads/"[..], "branch"),
    };
    let mut doomed: Vec<Doomed> = Vec::new();
    let mut failed = false;
    for word in words {
        let name = names::expand(ctx, &repo, word.as_bstr(), prefix)?;
        let full: BString = [prefix, name.as_slice()].concat().into();
        if !remote && let Some(tree) = repo.worktree_on(full.as_bstr())? {
            let place = tree.path.display();
            ctx.complain(format_args!("cannot delete branch '{name}' used by worktree at '{place}'"));
            failed = true;
            continue;
        }
        match examine(ctx, &repo, changing, remote, &name, &full, kind)? {
            Some(held) => doomed.push(Doomed { name, full, held }),
            None => failed = true,
        }
    }
    let options = repo.write_options()?;
    let mut transaction = repo.refs()?.transaction(&options);
    for branch in &doomed {
        transaction.add(Edit::delete(branch.full.as_bstr()).no_deref());
    }
    if let Err(error) = transaction.commit(&mut repo.reference_hook()?) {
        let why = error.told_from(repo.env().cwd());
        return Err(Error::failed(format!("could not delete references: {why}")));
    }
    for branch in doomed {
        if !changing.quiet {
            writeln!(ctx.streams.out, "Deleted {kind} {} (was {}).", branch.name, branch.held)?;
        }
        if !remote {
            repo.remove_branch_config(branch.name.as_bstr())?;
        }
    }
    Ok(u8::from(failed))
}

/// What a branch holds, as it is told when it is gone; `None` when it may not go, which has been said.
fn examine(
    ctx: &mut Context<'_>,
    repo: &Repository,
    changing: &Changing,
    remote: bool,
    name: &BString,
    full: &BString,
    kind: &str,
) -> Result<Option<BString>, Error> {
    let found = if adit_refs::name::is_valid(full, adit_refs::name::Rules::ANY) {
        repo.refs()?.find(full)?.map(|reference| reference.target)
    } else {
        None
    };
    let id = match found {
        // What a symbolic reference stands for stays, so nothing can be lost.
        Some(Target::Symbolic(target)) => return Ok(Some(target)),
        Some(Target::Direct(id)) => id,
        Some(Target::Broken(_)) | None => {
            let tracks = [b"refs/remotes/", name.as_slice()].concat();
            let forgot = !remote && repo.refs()?.resolve(&tracks).ok().flatten().is_some();
            match forgot {
                true => ctx.complain(format_args!("{kind} '{name}' not found.\nDid you forget --remote?")),
                false => ctx.complain(format_args!("{kind} '{name}' not found")),
            }
            return Ok(None);
        }
    };
    if !remote && !changing.force {
        match repo.peel(&id, ObjectKind::Commit) {
            Ok(Some(_)) => {}
            _ => {
                ctx.complain(format_args!("couldn't look up commit object for '{full}'"));
                return Ok(None);
            }
        }
        if !is_merged(ctx, repo, name.as_bstr(), &id)? {
            ctx.complain(format_args!("the branch '{name}' is not fully merged"));
            let text = format!("'git branch -D {name}' deletes it anyhow\n");
            ctx.advise(repo.config(), "forceDeleteBranch", &text)?;
            return Ok(None);
        }
    }
    Ok(Some(repo.short_id(&id)?))
}

/// Whether what a branch builds on, or else `HEAD`, reaches it. Where the two disagree, that is said.
fn is_merged(ctx: &mut Context<'_>, repo: &Repository, name: &BStr, id: &ObjectId) -> Result<bool, Error> {
    let head = repo.refs()?.head()?.id();
    let upstream = upstream(repo, name)?;
    let reaches = |tip: Option<ObjectId>| -> Result<bool, Error> {
        let Some(tip) = tip else { return Ok(false) };
        let mut table = repo.commit_table()?;
        let (branch, tip) = (table.intern(id), table.intern(&tip));
        Ok(is_ancestor(&mut table, branch, &[tip])?)
    };
    let in_head = reaches(head)?;
    let Some((reference, tip)) = upstream else { return Ok(in_head) };
    let merged = reaches(Some(tip))?;
    match (merged, in_head) {
        (true, false) => ctx.warn(format_args!(
            "deleting branch '{name}' that has been merged to\n         '{reference}', but not yet merged to HEAD"
        )),
        (false, true) => ctx.warn(format_args!(
            "not deleting branch '{name}' that is not yet merged to\n         '{reference}', even though it is merged to HEAD"
        )),
        _ => {}
    }
    Ok(merged)
}

/// The reference that a branch builds on, and its commit, if both are there.
fn upstream(repo: &Repository, name: &BStr) -> Result<Option<(BString, ObjectId)>, Error> {
    let context = repo.name_context()?;
    let silent = |_: Message| {};
    let Ok(reference) = context.names(&silent)?.quiet().upstream(name) else { return Ok(None) };
    let Some(resolved) = repo.refs()?.resolve(&reference)? else { return Ok(None) };
    Ok(repo.peel(&resolved.id, ObjectKind::Commit)?.map(|commit| (reference, commit)))
}
