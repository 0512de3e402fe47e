//! What branches build on: `--track`, `--set-upstream-to`, `--unset-upstream` and the settings that stand in for them
//! (git-config, `branch.autoSetupMerge` and `branch.autoSetupRebase`).

use std::io::Write;

use adit::{Repository, Tracking};
use adit_config::Config;
use adit_refs::refspec::Refspec;
use bstr::{BStr, BString, ByteSlice};

use super::{Changing, create, names};
use crate::context::Context;
use crate::error::Error;
use crate::options::Given;

/// When a new branch is recorded to build on what it starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Never.
    Never,
    /// When it starts from a remote-tracking branch.
    Remote,
    /// When it starts from a remote-tracking branch of the same name.
    Simple,
    /// When it starts from any branch.
    Always,
    /// Always: the option says so.
    Explicit,
    /// On what the branch that it starts from builds on.
    Inherit,
}

impl Mode {
    /// What `--track` and `--no-track` say.
    pub(super) fn of_option<I>(given: &Given<I>) -> Result<Self, Error> {
        match (given.negated, given.value.as_ref().map(|value| value.as_slice())) {
            (true, _) => Ok(Mode::Never),
            (false, None | Some(b"direct")) => Ok(Mode::Explicit),
            (false, Some(b"inherit")) => Ok(Mode::Inherit),
            _ => Err(Error::Failed("option `--track' expects \"direct\" or \"inherit\"".into(), 129)),
        }
    }

    /// What `branch.autoSetupMerge` says.
    pub(super) fn configured(config: &Config) -> Result<Self, Error> {
        let value = config.last(b"branch.autosetupmerge").and_then(|entry| entry.value.as_ref());
        Ok(match value.map(|value| value.as_slice()) {
            Some(b"always") => Mode::Always,
            Some(b"inherit") => Mode::Inherit,
            Some(b"simple") => Mode::Simple,
            _ if config.bool("branch.autosetupmerge")?.unwrap_or(true) => Mode::Remote,
            _ => Mode::Never,
        })
    }

    /// Whether it is a mistake when there is nothing to build on.
    pub(super) fn is_explicit(self) -> bool {
        self == Mode::Explicit
    }
}

/// The remotes whose refspecs fetch into a reference, each with what they fetch there.
pub(super) fn fetched_from(repo: &Repository, name: &BStr) -> Vec<(BString, BString)> {
    let config = repo.config();
    let mut found = Vec::new();
    for remote in config.subsections("remote") {
        let key = [b"remote.", remote.as_bytes(), b".fetch"].concat();
        let specs = config.all(&key).filter_map(|entry| Refspec::parse(entry.value.as_ref()?));
        let sources = specs.filter_map(|spec| spec.map_back(name));
        found.extend(sources.take(1).map(|source| (remote.to_owned(), source)));
    }
    found
}

/// Records what the branch `name` builds on, after it was made from `upstream`, as `mode` has it.
pub(super) fn set_up(
    ctx: &mut Context<'_>,
    repo: &Repository,
    name: &BStr,
    upstream: &BStr,
    mode: Mode,
    quiet: bool,
) -> Result<(), Error> {
    let (remote, merges) = match mode {
        Mode::Never => return Ok(()),
        Mode::Inherit => match inherited(ctx, repo, upstream) {
            Some(found) => found,
            None => return Ok(()),
        },
        Mode::Remote | Mode::Simple | Mode::Always | Mode::Explicit => {
            match direct(ctx, repo, name, upstream, mode)? {
                Some(found) => found,
                None => return Ok(()),
            }
        }
    };
    if remote == "." && mode != Mode::Inherit && merges.iter().any(|merge| *merge == names::full(name)) {
        ctx.warn(format_args!("not setting branch '{name}' as its own upstream"));
        return Ok(());
    }
    let rebases = rebases(ctx, repo.config(), &remote)?;
    let tracking = Tracking { remote, merges, rebases };
    repo.set_tracking(name, &tracking)?;
    if !quiet {
        tell(ctx, name, &tracking, mode)?;
    }
    Ok(())
}

/// What the branch that a new one starts from builds on.
fn inherited(ctx: &mut Context<'_>, repo: &Repository, upstream: &BStr) -> Option<(BString, Vec<BString>)> {
    let config = repo.config();
    let short = names::short(upstream);
    let key = |key: &str| [b"branch.", short.as_bytes(), b".", key.as_bytes()].concat();
    let Some(remote) = config.last(&key("remote")).and_then(|entry| entry.value.clone()) else {
        ctx.warn(format_args!("asked to inherit tracking from '{short}', but no remote is set"));
        return None;
    };
    let merges: Vec<_> = config.all(&key("merge")).filter_map(|entry| entry.value.clone()).collect();
    if merges.is_empty() {
        ctx.warn(format_args!("asked to inherit tracking from '{short}', but no merge configuration is set"));
        return None;
    }
    Some((remote, merges))
}

/// The branch that a new one starts from, at its remote or here.
fn direct(
    ctx: &mut Context<'_>,
    repo: &Repository,
    name: &BStr,
    upstream: &BStr,
    mode: Mode,
) -> Result<Option<(BString, Vec<BString>)>, Error> {
    let mut found = fetched_from(repo, upstream);
    if found.len() > 1 {
        let mut text = format!("Several remotes have refspecs that fetch into '{upstream}':\n");
        for (remote, _) in &found {
            text.push_str(&format!("  {remote}\n"));
        }
        text.push_str("\nTo have branches build on theirs, let each remote fetch into a place of its own.\n");
        let message = format!("not tracking: ambiguous information for ref '{upstream}'");
        return Err(ctx.fatal_with_advice(repo.config(), message, "ambiguousFetchRefspec", &text)?);
    }
    Ok(match found.pop() {
        Some((_, source)) if mode == Mode::Simple && names::short(source.as_bstr()) != name => None,
        Some((remote, source)) => Some((remote, vec![source])),
        None if matches!(mode, Mode::Always | Mode::Explicit) => {
            Some((".".into(), vec![upstream.to_owned()]))
        }
        None => None,
    })
}

/// Refuses settings that make no sense before anything is done.
pub(super) fn check_settings(ctx: &mut Context<'_>, config: &Config) -> Result<(), Error> {
    rebases(ctx, config, &BString::default()).map(drop)
}

/// Whether the branch is to be rebased when it is brought up to date (`branch.autoSetupRebase`).
fn rebases(ctx: &mut Context<'_>, config: &Config, remote: &BString) -> Result<bool, Error> {
    let Some(entry) = config.last(b"branch.autosetuprebase") else { return Ok(false) };
    Ok(match entry.value.as_ref().map(|value| value.as_slice()) {
        Some(b"never") => false,
        Some(b"always") => true,
        Some(b"local") => remote == ".",
        Some(b"remote") => remote != ".",
        Some(_) => {
            ctx.complain("malformed value for branch.autosetuprebase");
            return Err(Error::bad_setting(entry));
        }
        None => {
            ctx.complain("missing value for 'branch.autosetuprebase'");
            return Err(Error::bad_setting(entry));
        }
    })
}

fn tell(ctx: &mut Context<'_>, name: &BStr, tracking: &Tracking, mode: Mode) -> Result<(), Error> {
    // A branch here is called by its name alone, unless it was taken over from another branch.
    let is_here = tracking.remote == "." && mode != Mode::Inherit;
    let friendly = |merge: &BString| -> BString {
        let short = names::short(merge.as_bstr());
        if is_here { short.to_owned() } else { format!("{}/{short}", tracking.remote).into() }
    };
    let how = if tracking.rebases { " by rebasing" } else { "" };
    let out = &mut ctx.streams.out;
    match tracking.merges.as_slice() {
        [merge] => writeln!(out, "branch '{name}' set up to track '{}'{how}.", friendly(merge))?,
        merges => {
            writeln!(out, "branch '{name}' set up to track{how}:")?;
            for merge in merges {
                writeln!(out, "  {}", friendly(merge))?;
            }
        }
    }
    Ok(())
}

/// The branch that an argument names, by default the one that is checked out.
fn target(
    ctx: &mut Context<'_>,
    repo: &Repository,
    word: Option<&BString>,
) -> Result<Option<BString>, Error> {
    match word {
        Some(word) => names::expand(ctx, repo, word.as_bstr(), b"refs/heads/").map(Some),
        None => names::current(repo),
    }
}

/// `--set-upstream-to`.
pub(super) fn set(ctx: &mut Context<'_>, changing: &Changing, words: &[BString]) -> Result<u8, Error> {
    let repo = ctx.repo()?;
    let upstream = changing.upstream.clone().unwrap_or_default();
    if words.len() > 1 {
        return Err(Error::fatal("too many arguments to set new upstream"));
    }
    let Some(branch) = target(ctx, &repo, words.first())? else {
        return Err(Error::fatal(format!(
            "could not set upstream of HEAD to {upstream} when it does not point to any branch"
        )));
    };
    if repo.refs()?.resolve(&names::full(branch.as_bstr()))?.is_none() {
        let is_current = words.is_empty() || names::current(&repo)?.as_ref() == Some(&branch);
        return Err(Error::fatal(match is_current {
            true => format!("no commit on branch '{branch}' yet"),
            false => format!("branch '{branch}' does not exist"),
        }));
    }
    let point = create::start_point(ctx, &repo, upstream.as_bstr(), Mode::Explicit)?;
    if let Some(reference) = point.reference {
        set_up(ctx, &repo, branch.as_bstr(), reference.as_bstr(), Mode::Explicit, changing.quiet)?;
    }
    Ok(0)
}

/// `--unset-upstream`.
pub(super) fn unset(ctx: &mut Context<'_>, words: &[BString]) -> Result<u8, Error> {
    let repo = ctx.repo()?;
    if words.len() > 1 {
        return Err(Error::fatal("too many arguments to unset upstream"));
    }
    let Some(branch) = target(ctx, &repo, words.first())? else {
        return Err(Error::fatal("could not unset upstream of HEAD when it does not point to any branch"));
    };
    let merge = [b"branch.", branch.as_slice(), b".merge"].concat();
    if repo.config().last(&merge).is_none() {
        return Err(Error::fatal(format!("branch '{branch}' has no upstream information")));
    }
    repo.unset_tracking(branch.as_bstr())?;
    Ok(0)
}
