//! What a listing of branches calls a `HEAD` that is on none.

use adit::Repository;
use adit_object::ObjectId;
use adit_refs::Head;
use adit_revision::names::Names;
use bstr::{BStr, BString, ByteSlice};

use super::Row;
use crate::error::Error;

/// The row for a `HEAD` that is on no branch; `None` when it is on one.
pub fn detached(repo: &Repository, names: &Names<'_>) -> Result<Option<Row>, Error> {
    let Head::Detached(id) = repo.refs()?.head()? else { return Ok(None) };
    let description = Some(describe(repo, names, &id)?);
    Ok(Some(Row { name: "HEAD".into(), description, id, target: None, peeled: None }))
}

fn describe(repo: &Repository, names: &Names<'_>, id: &ObjectId) -> Result<BString, Error> {
    let names = &names.quiet();
    let from = detached_from(repo, names, id)?;
    for state in ["rebase-merge", "rebase-apply"] {
        let dir = repo.git_dir().join(state);
        // An apply folder without this mark belongs to `am`.
        let is_rebase = state == "rebase-merge" || dir.join("rebasing").exists();
        if !dir.exists() || !is_rebase {
            continue;
        }
        return Ok(match branch_in(repo, &format!("{state}/head-name"))? {
            Some(branch) => format!("(no branch, rebasing {branch})").into(),
            None => {
                let from = from.map(|(name, _)| name).unwrap_or_default();
                format!("(no branch, rebasing detached HEAD {from})").into()
            }
        });
    }
    if repo.git_dir().join("BISECT_LOG").exists()
        && let Some(branch) = branch_in(repo, "BISECT_START")?
    {
        return Ok(format!("(no branch, bisect started on {branch})").into());
    }
    Ok(match from {
        Some((name, true)) => format!("(HEAD detached at {name})").into(),
        Some((name, false)) => format!("(HEAD detached from {name})").into(),
        None => "(no branch)".into(),
    })
}

/// What was checked out last, and whether `HEAD` is still there, by `HEAD`'s log.
fn detached_from(
    repo: &Repository,
    names: &Names<'_>,
    head: &ObjectId,
) -> Result<Option<(BString, bool)>, Error> {
    let Some(log) = repo.refs()?.reflog(b"HEAD")? else { return Ok(None) };
    let mut entries = log.backward()?;
    while let Some(entry) = entries.advance()? {
        let Some(moved) = entry.message.strip_prefix(b"checkout: moving from ") else { continue };
        let Some((_, to)) = moved.split_once_str(" to ") else { continue };
        let new = entry.new;
        let name = match names.dwim(to) {
            // `HEAD` meant another commit then than it does now.
            Ok(Some(found)) if to != b"HEAD" && found.matches == 1 && leads_to(names, &found.id, &new) => {
                let short = found.name.strip_prefix(b"refs/tags/");
                let short = short.or_else(|| found.name.strip_prefix(b"refs/remotes/"));
                short.map_or(found.name.clone(), BString::from)
            }
            _ => {
                let mut hex = Vec::new();
                new.append_hex(repo.objects()?.abbreviate(&new, repo.abbrev()?)?, &mut hex);
                hex.into()
            }
        };
        return Ok(Some((name, new == *head)));
    }
    Ok(None)
}

fn leads_to(names: &Names<'_>, id: &ObjectId, commit: &ObjectId) -> bool {
    id == commit || names.commit_of(id).is_ok_and(|behind| behind == *commit)
}

/// The branch that a file of an operation under way names.
fn branch_in(repo: &Repository, file: &str) -> Result<Option<BString>, Error> {
    let Ok(content) = std::fs::read(repo.git_dir().join(file)) else { return Ok(None) };
    let name: &BStr = content.trim_end().as_bstr();
    if let Some(short) = name.strip_prefix(b"refs/heads/") {
        return Ok(Some(short.into()));
    }
    if name == "detached HEAD" || name.is_empty() {
        return Ok(None);
    }
    match ObjectId::from_hex(repo.object_format(), name) {
        Ok(id) => {
            let mut hex = Vec::new();
            id.append_hex(repo.objects()?.abbreviate(&id, repo.abbrev()?)?, &mut hex);
            Ok(Some(hex.into()))
        }
        Err(_) => Ok(Some(name.to_owned())),
    }
}
