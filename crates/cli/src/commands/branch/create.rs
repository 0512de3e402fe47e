//! `git branch <name>`: makes a branch, or has one start elsewhere.

use adit::Repository;
use adit_object::{ObjectId, ObjectKind, Source};
use adit_refs::{Edit, Expected};
use adit_revision::names::{NameError, Names};
use bstr::{BStr, BString, ByteSlice};

use super::tracking::{self, Mode};
use super::{Changing, names};
use crate::context::Context;
use crate::error::Error;
use crate::names::Said;
use crate::references;

/// Makes the branch `name` at `start`, by default where the working tree is.
pub(super) fn create(
    ctx: &mut Context<'_>,
    changing: &Changing,
    name: &BStr,
    start: Option<&BStr>,
) -> Result<u8, Error> {
    let repo = ctx.repo()?;
    let mode = match changing.track {
        Some(mode) => mode,
        None => Mode::configured(repo.config())?,
    };
    tracking::check_settings(ctx, repo.config())?;
    let name = names::expand(ctx, &repo, name, b"refs/heads/")?;
    let replaces = names::check_free(ctx, &repo, name.as_bstr(), changing.force)?;
    let start = match start {
        Some(start) => start.to_owned(),
        None => names::current(&repo)?.unwrap_or_else(|| "HEAD".into()),
    };
    let point = start_point(ctx, &repo, start.as_bstr(), mode)?;
    let full = names::full(name.as_bstr());
    let expected = if replaces { Expected::Any } else { Expected::Missing };
    let what = if replaces { "Reset to" } else { "Created from" };
    let mut edit = Edit::set(full, point.commit).expect(expected);
    edit.message = format!("branch: {what} {start}").into();
    edit.create_log = changing.create_log;
    let options = repo.write_options()?;
    let mut transaction = repo.refs()?.transaction(&options);
    transaction.add(edit);
    transaction.commit(&mut repo.reference_hook()?).map_err(|error| references::fatal(&repo, error))?;
    if let Some(upstream) = point.reference {
        tracking::set_up(ctx, &repo, name.as_bstr(), upstream.as_bstr(), mode, changing.quiet)?;
    }
    Ok(0)
}

/// Where a branch starts.
pub(super) struct StartPoint {
    pub(super) commit: ObjectId,
    /// The branch that it can build on, in full, when the start was named by one.
    pub(super) reference: Option<BString>,
}

const NO_UPSTREAM: &str = "
Where the branch is to build on one that a remote has already, 'git fetch' brings that here first.

Where it is to be pushed to a branch of its own, 'git push -u' sets up what it builds on meanwhile.
";

/// Finds out where a branch starts.
pub(super) fn start_point(
    ctx: &mut Context<'_>,
    repo: &Repository,
    start: &BStr,
    mode: Mode,
) -> Result<StartPoint, Error> {
    let context = repo.name_context()?;
    let (resolved, found) = {
        let said = Said::new(&mut ctx.streams.err);
        let names = context.names(&said)?;
        let resolved = match start.split_once_str("...") {
            Some((one, other)) => merge_base(repo, &names, one, other),
            None => names.resolve(start),
        };
        let found = if resolved.is_ok() { names.dwim(start)? } else { None };
        (resolved, found)
    };
    let id = match resolved {
        Ok(id) => id,
        Err(error) if !error.is_unknown() => return Err(error.into()),
        Err(_) if mode.is_explicit() => {
            let message = format!("the requested upstream branch '{start}' does not exist");
            return Err(ctx.fatal_with_advice(repo.config(), message, "setUpstreamFailure", NO_UPSTREAM)?);
        }
        Err(_) => return Err(Error::fatal(format!("not a valid object name: '{start}'"))),
    };
    let reference = match found {
        Some(found) if found.matches > 1 => {
            return Err(Error::fatal(format!("ambiguous object name: '{start}'")));
        }
        Some(found) if found.name.starts_with(b"refs/heads/") || is_fetched(repo, found.name.as_bstr()) => {
            Some(found.name)
        }
        _ if mode.is_explicit() => {
            return Err(Error::fatal(format!(
                "cannot set up tracking information; starting point '{start}' is not a branch"
            )));
        }
        _ => None,
    };
    match repo.peel(&id, ObjectKind::Commit)? {
        Some(commit) => Ok(StartPoint { commit, reference }),
        None => {
            let kind = repo.objects()?.header(&id)?.kind;
            ctx.complain(format_args!("object {id} is a {kind}, not a commit"));
            Err(Error::fatal(format!("not a valid branch point: '{start}'")))
        }
    }
}

/// The only best common ancestor of two commits, by default of `HEAD`.
fn merge_base(repo: &Repository, names: &Names<'_>, one: &[u8], other: &[u8]) -> Result<ObjectId, NameError> {
    let commit = |name: &[u8]| names.resolve_commit(if name.is_empty() { b"HEAD" } else { name });
    let bases = repo.merge_bases(&commit(one)?, &[commit(other)?]);
    match bases.as_deref() {
        Ok([base]) => Ok(*base),
        _ => Err(NameError::Unknown),
    }
}

/// Whether a remote's refspecs fetch into this reference.
fn is_fetched(repo: &Repository, name: &BStr) -> bool {
    !tracking::fetched_from(repo, name).is_empty()
}
