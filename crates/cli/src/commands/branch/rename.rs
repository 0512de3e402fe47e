//! `git branch -m` and `-c`: renames and copies branches, with their logs and configuration.

use adit::Repository;
use adit_refs::{Edit, Obstacle, Options, Store, UpdateError};
use bstr::{BStr, BString, ByteSlice};

use super::names;
use crate::context::Context;
use crate::error::Error;

/// Renames a branch, or with `copies` copies it. With one name, that is the new one of the branch that is checked out.
pub(super) fn run(ctx: &mut Context<'_>, copies: bool, force: bool, words: &[BString]) -> Result<u8, Error> {
    let repo = ctx.repo()?;
    let (old, new) = match words {
        [] => return Err(Error::fatal("branch name required")),
        [new] => match names::current(&repo)? {
            Some(current) => (current, new),
            None => {
                let doing = if copies { "copy" } else { "rename" };
                return Err(Error::fatal(format!("cannot {doing} the current branch while not on any")));
            }
        },
        [old, new] => (names::expand(ctx, &repo, old.as_bstr(), b"refs/heads/")?, new),
        _ if copies => return Err(Error::fatal("too many branches for a copy operation")),
        _ => return Err(Error::fatal("too many arguments for a rename operation")),
    };
    let new = names::expand(ctx, &repo, new.as_bstr(), b"refs/heads/")?;
    let (old_ref, new_ref) = (names::full(old.as_bstr()), names::full(new.as_bstr()));
    let is_valid = adit_refs::name::is_valid_branch(&old);
    let exists = adit_refs::name::is_valid(&old_ref, adit_refs::name::Rules::ANY)
        && repo.refs()?.find(&old_ref)?.is_some();
    let unborn =
        !exists && repo.worktrees()?.iter().any(|tree| tree.head.branch() == Some(old_ref.as_bstr()));
    if !exists && (copies || !unborn) {
        return Err(Error::fatal(match unborn {
            true => format!("no commit on branch '{old}' yet"),
            false => format!("no branch named '{old}'"),
        }));
    }
    if old != new {
        names::check_free(ctx, &repo, new.as_bstr(), force)?;
    }
    if !copies {
        refuse_when_busy(&repo, old_ref.as_bstr())?;
    }
    let (did, verb) = if copies { ("copied", "copy") } else { ("renamed", "rename") };
    let message: BString = format!("Branch: {did} {old_ref} to {new_ref}").into();
    if exists {
        let options = repo.write_options()?;
        let refs = repo.refs()?;
        let (old_ref, new_ref, message) = (old_ref.as_bstr(), new_ref.as_bstr(), message.as_bstr());
        let done = match copies {
            true => refs.copy(old_ref, new_ref, message, &options),
            false => refs.rename(old_ref, new_ref, message, &options, &mut repo.reference_hook()?),
        };
        if let Err(error) = done {
            match error.told_from(repo.env().cwd()) {
                UpdateError::Lock { why: why @ Obstacle::Conflict { .. }, .. } => ctx.complain(why),
                error => ctx.complain(error),
            }
            return Err(Error::fatal(format!("branch {verb} failed")));
        }
    }
    if !is_valid {
        ctx.warn(match copies {
            true => format!("created a copy of a misnamed branch '{old}'"),
            false => format!("renamed a misnamed branch '{old}' away"),
        });
    }
    if !copies && move_heads(ctx, &repo, old_ref.as_bstr(), new_ref.as_bstr(), message.as_bstr())? {
        return Err(Error::fatal(format!("branch renamed to {new}, but HEAD is not updated")));
    }
    if old == new {
        return Ok(0);
    }
    let (old, new) = (old.as_bstr(), new.as_bstr());
    let updated = match copies {
        true => repo.copy_branch_config(old, new),
        false => repo.rename_branch_config(old, new),
    };
    if let Err(error) = updated {
        ctx.complain(error);
        let did = if copies { "copied" } else { "renamed" };
        return Err(Error::fatal(format!("branch is {did}, but update of config-file failed")));
    }
    Ok(0)
}

/// Refuses a branch that a rebase or a bisection will come back to.
fn refuse_when_busy(repo: &Repository, branch: &BStr) -> Result<(), Error> {
    for tree in repo.worktrees()? {
        let doing = match (tree.is_rebasing(branch), tree.is_bisecting(branch)) {
            (true, _) => "rebased",
            (false, true) => "bisected",
            (false, false) => continue,
        };
        let place = tree.path.display();
        return Err(Error::fatal(format!("branch {branch} is being {doing} at {place}")));
    }
    Ok(())
}

/// Puts every working tree that is on the branch `old` on `new`; whether one could not be.
fn move_heads(
    ctx: &mut Context<'_>,
    repo: &Repository,
    old: &BStr,
    new: &BStr,
    message: &BStr,
) -> Result<bool, Error> {
    let mut failed = false;
    for tree in repo.worktrees()?.iter().filter(|tree| tree.head.branch() == Some(old)) {
        let own;
        let refs = if tree.git_dir == repo.git_dir() {
            repo.refs()?
        } else {
            own = Store::open(&tree.git_dir, repo.common_dir(), repo.object_format(), Options::default())?;
            &own
        };
        let options = repo.write_options()?;
        let mut transaction = refs.transaction(&options);
        transaction.add(Edit::set_symbolic("HEAD", new).message(message));
        if let Err(error) = transaction.commit(&mut repo.reference_hook()?) {
            ctx.complain(format_args!(
                "HEAD of working tree {} is not updated: {error}",
                tree.path.display()
            ));
            failed = true;
        }
    }
    Ok(failed)
}
