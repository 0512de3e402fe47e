//! Names of branches on the command line.

use adit::Repository;
use adit_refs::Head;
use bstr::{BStr, BString, ByteSlice};

use crate::context::Context;
use crate::error::Error;
use crate::names::Said;

const HEADS: &[u8] = b"refs/heads/";

/// The full name of a branch.
pub(super) fn full(name: &BStr) -> BString {
    [HEADS, name.as_bytes()].concat().into()
}

/// The short name of a branch; other references keep theirs.
pub(super) fn short(full: &BStr) -> &BStr {
    full.strip_prefix(HEADS).unwrap_or(full).as_bstr()
}

/// The short name that a word means, after `@{-1}` and the like; `prefix` is where the reference would be.
pub(super) fn expand(
    ctx: &mut Context<'_>,
    repo: &Repository,
    word: &BStr,
    prefix: &[u8],
) -> Result<BString, Error> {
    let context = repo.name_context()?;
    let said = Said::new(&mut ctx.streams.err);
    let expanded = context.names(&said)?.expand_at(word)?;
    Ok(match expanded {
        Some(name) => name.strip_prefix(prefix).map_or_else(|| name.clone(), BString::from),
        None => word.to_owned(),
    })
}

/// Refuses a name that no branch can have.
pub(super) fn check(ctx: &mut Context<'_>, repo: &Repository, name: &BStr) -> Result<(), Error> {
    if adit_refs::name::is_valid_branch(name) {
        return Ok(());
    }
    let message = format!("'{name}' is not a valid branch name");
    let text = "'git help check-ref-format' tells which names are valid\n";
    Err(ctx.fatal_with_advice(repo.config(), message, "refSyntax", text)?)
}

/// Refuses a name that is taken; with `force`, one that a working tree needs.
pub(super) fn check_free(
    ctx: &mut Context<'_>,
    repo: &Repository,
    name: &BStr,
    force: bool,
) -> Result<bool, Error> {
    check(ctx, repo, name)?;
    let full = full(name);
    if repo.refs()?.resolve(&full)?.is_none() {
        return Ok(false);
    }
    if !force {
        return Err(Error::fatal(format!("a branch named '{name}' already exists")));
    }
    if let Some(tree) = repo.worktree_on(full.as_bstr())? {
        return Err(Error::fatal(format!(
            "cannot force update the branch '{name}' used by worktree at '{}'",
            tree.path.display()
        )));
    }
    Ok(true)
}

/// The short name of the branch that is checked out, born or not; `None` when there is none.
pub(super) fn current(repo: &Repository) -> Result<Option<BString>, Error> {
    Ok(match repo.refs()?.head()? {
        Head::Branch { name, .. } => Some(short(name.as_bstr()).to_owned()),
        Head::Detached(_) | Head::Invalid => None,
    })
}
