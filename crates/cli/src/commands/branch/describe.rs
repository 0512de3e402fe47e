//! `git branch --edit-description`: what a branch is for.

use adit_text::stripspace::{Cleanup, comment_lines};
use bstr::{BString, ByteSlice};

use super::names;
use crate::context::Context;
use crate::error::Error;
use crate::{editor, message};

/// Lets the user edit what a branch, by default the one that is checked out, is for.
pub(super) fn edit(ctx: &mut Context<'_>, words: &[BString]) -> Result<u8, Error> {
    let repo = ctx.repo()?;
    let current = names::current(&repo)?;
    let branch = match words {
        [] => current.clone().ok_or_else(|| Error::fatal("cannot give description to detached HEAD"))?,
        [word] => names::expand(ctx, &repo, word.as_bstr(), b"refs/heads/")?,
        _ => return Err(Error::fatal("cannot edit description of more than one branch")),
    };
    if repo.refs()?.find(&names::full(branch.as_bstr()))?.is_none() {
        return Err(Error::failed(match current.as_ref() == Some(&branch) {
            true => format!("no commit on branch '{branch}' yet"),
            false => format!("no branch named '{branch}'"),
        }));
    }
    let key = [b"branch.", branch.as_slice(), b".description"].concat();
    let old = repo.config().last(&key).and_then(|entry| entry.value.clone()).unwrap_or_default();
    let comment = message::comment_prefix(ctx)?;
    let mut draft = old.clone();
    if !draft.ends_with(b"\n") {
        draft.push(b'\n');
    }
    let hint = format!(
        "Please edit the description for the branch\n  {branch}\nLines starting with '{comment}' will be stripped.\n"
    );
    draft.extend_from_slice(&comment_lines(hint.as_bytes(), &comment));
    let path = repo.git_dir().join("EDIT_DESCRIPTION");
    let failed = |what: &str, error: std::io::Error| {
        Error::fatal(format!("could not {what} '{}': {}", path.display(), adit_sys::os_error(&error)))
    };
    std::fs::write(&path, &draft).map_err(|error| failed("write", error))?;
    editor::edit(ctx, repo.config(), &path)?;
    let text = std::fs::read(&path).map_err(|error| failed("read", error))?;
    let text = Cleanup::Strip.apply(&text, &comment);
    if !text.is_empty() || !old.is_empty() {
        let text = (!text.is_empty()).then_some(text.as_bstr());
        repo.set_branch_description(branch.as_bstr(), text)?;
    }
    Ok(0)
}
