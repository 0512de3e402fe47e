//! `git update-index`: put files and objects into the index, one by one, and keep it.

mod change;
mod index_info;

use std::io::Write;

use adit::{Need, OpenError, RefreshOptions, Repository};
use adit_index::Version;
use bstr::{BStr, BString, ByteSlice};

use crate::context::Context;
use crate::error::Error;
use crate::lines_in::next_name;
use crate::options::{Args, Given, Opt, Part, Table, Usage, unknown_option};
use change::{Changes, Mark};

#[derive(Clone, Copy, PartialEq, Eq)]
enum O {
    Quiet,
    IgnoreSubmodules,
    Add,
    Replace,
    Remove,
    Unmerged,
    Refresh,
    ReallyRefresh,
    CacheInfo,
    Chmod,
    Assume(bool),
    Skip(bool),
    IgnoreSkipped,
    InfoOnly,
    ForceRemove,
    Nul,
    Stdin,
    IndexInfo,
    Unresolve,
    IgnoreMissing,
    Verbose,
    ClearResolveUndo,
    IndexVersion,
    ShowIndexVersion,
    SplitIndex,
    UntrackedCache,
    ForceWrite,
    /// What needs parts that are still to come.
    Later(&'static str),
}

const USAGE: Usage =
    Usage { name: "update-index", synopsis: &["git update-index [<options>] [--] [<file>...]"] };

const OPTIONS: Table<O> = Table::new(&[
    Opt::flag(O::Quiet, "", "go on when a file needs an update").short(b'q'),
    Opt::flag(O::IgnoreSubmodules, "ignore-submodules", "do not refresh submodules").no(),
    Opt::flag(O::Add, "add", "take in files that are not in the index yet").no(),
    Opt::flag(O::Replace, "replace", "let files take the place of folders, and folders of files").no(),
    Opt::flag(O::Remove, "remove", "take out files that are not there any more").no(),
    Opt::flag(O::Unmerged, "unmerged", "refresh although paths are in conflict").no(),
    Opt::flag(O::Refresh, "refresh", "note how unchanged files look now"),
    Opt::flag(O::ReallyRefresh, "really-refresh", "the same, for files assumed unchanged too"),
    Opt::optional(O::CacheInfo, "cacheinfo", "mode>,<object>,<path", "add this entry"),
    Opt::value(O::Chmod, "chmod", "(+|-)x", "set or clear the executable bit"),
    Opt::flag(O::Assume(true), "assume-unchanged", "take files for unchanged without a look"),
    Opt::flag(O::Assume(false), "no-assume-unchanged", "look at files again"),
    Opt::flag(O::Skip(true), "skip-worktree", "do without the files in the working tree"),
    Opt::flag(O::Skip(false), "no-skip-worktree", "want the files in the working tree again"),
    Opt::flag(O::IgnoreSkipped, "ignore-skip-worktree-entries", "leave those entries alone").no(),
    Opt::flag(O::InfoOnly, "info-only", "do not store content").no(),
    Opt::flag(O::ForceRemove, "force-remove", "take out files that are still there").no(),
    Opt::flag(O::Nul, "", "paths of standard input end with a NUL").short(b'z'),
    Opt::flag(O::Stdin, "stdin", "read paths from standard input"),
    Opt::flag(O::IndexInfo, "index-info", "read entries from standard input"),
    Opt::flag(O::Unresolve, "unresolve", "make conflicts again that were resolved"),
    Opt::flag(O::Later("--again"), "again", "update what differs from HEAD").short(b'g'),
    Opt::flag(O::IgnoreMissing, "ignore-missing", "let files be missing").no(),
    Opt::flag(O::Verbose, "verbose", "tell what is done").no(),
    Opt::flag(O::ClearResolveUndo, "clear-resolve-undo", "forget conflicts that were resolved"),
    Opt::value(O::IndexVersion, "index-version", "n", "write the index in this version"),
    Opt::flag(O::ShowIndexVersion, "show-index-version", "print the version of the index").no(),
    Opt::flag(O::SplitIndex, "split-index", "split the index, or join it").no(),
    Opt::flag(O::UntrackedCache, "untracked-cache", "keep a list of untracked files").no(),
    Opt::flag(O::Later("--test-untracked-cache"), "test-untracked-cache", "test what that needs"),
    Opt::flag(O::Later("--force-untracked-cache"), "force-untracked-cache", "keep it untested"),
    Opt::flag(O::ForceWrite, "force-write-index", "write the index although nothing has changed").no(),
    Opt::flag(O::Later("--fsmonitor"), "fsmonitor", "ask a file system monitor").no(),
    Opt::flag(O::Later("--fsmonitor-valid"), "fsmonitor-valid", "take files for watched").no(),
]);

/// What the options so far say about the files that follow.
#[derive(Default)]
struct Modes {
    quiet: bool,
    unmerged: bool,
    refresh: RefreshOptions,
    nul: bool,
    stdin: bool,
    unresolve: bool,
    force_write: bool,
    show_version: bool,
    version: Option<i64>,
    split: Option<bool>,
}

/// Runs the command.
pub fn run(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    if args.len() == 1 && args[0] == "-h" {
        // Help needs no index that can be read.
        return Err(Error::help_asked().with_usage(OPTIONS.usage(&USAGE)));
    }
    let repo = ctx.repo()?;
    let (lock, lock_error) = match repo.lock_index() {
        Ok(lock) => (Some(lock), None),
        // It is needed only if there is something to write.
        Err(OpenError::Index(error @ adit_index::Error::Lock { .. })) => (None, Some(error)),
        Err(error) => return Err(error.into()),
    };
    let mut changes = Changes::new(&repo)?;
    let mut modes = Modes::default();
    let mut failed = false;
    let mut args = Args::new(args);
    loop {
        let given = OPTIONS.take(&mut args).map_err(|error| error.with_usage(OPTIONS.usage(&USAGE)))?;
        if let Some(given) = given {
            failed |= option(ctx, &repo, &mut changes, &mut modes, given, &mut args)?;
            continue;
        }
        match args.next_part() {
            None => break,
            Some(Part::Option(_)) => return Err(unknown_option(&args).with_usage(OPTIONS.usage(&USAGE))),
            Some(Part::Word(word)) => failed |= path(ctx, &repo, &mut changes, &modes, word)?,
            Some(Part::Paths(paths)) => {
                for word in paths {
                    failed |= path(ctx, &repo, &mut changes, &modes, word.as_bstr())?;
                }
            }
        }
    }
    settings(ctx, &repo, &mut changes, &modes)?;
    if modes.stdin {
        while let Some(name) = next_name(ctx, modes.nul)? {
            failed |= path(ctx, &repo, &mut changes, &modes, name.as_bstr())?;
        }
    }
    if changes.index.is_changed() || modes.force_write {
        match (lock, lock_error) {
            (Some(lock), _) => changes.write(lock)?,
            (None, _) if modes.quiet && !modes.force_write => return Err(Error::Exit(128)),
            (None, Some(error)) => return Err(Error::fatal(error.to_string())),
            (None, None) => {}
        }
    }
    Ok(u8::from(failed))
}

/// Does what an option says; true when something is amiss and the command goes on.
fn option(
    ctx: &mut Context<'_>,
    repo: &Repository,
    changes: &mut Changes<'_>,
    modes: &mut Modes,
    given: Given<O>,
    args: &mut Args<'_>,
) -> Result<bool, Error> {
    let on = given.on();
    match given.id {
        O::Quiet => modes.quiet = true,
        O::IgnoreSubmodules => modes.refresh.ignore_submodules = on,
        O::IgnoreMissing => modes.refresh.ignore_missing = on,
        O::Unmerged => modes.unmerged = on,
        O::Add => changes.allow_add = on,
        O::Replace => changes.allow_replace = on,
        O::Remove => changes.allow_remove = on,
        O::InfoOnly => changes.info_only = on,
        O::ForceRemove => changes.force_remove = on,
        O::IgnoreSkipped => changes.ignore_skipped = on,
        O::Verbose => changes.verbose = on,
        O::Refresh => return refresh(ctx, changes, modes, false),
        O::ReallyRefresh => return refresh(ctx, changes, modes, true),
        O::CacheInfo => cache_info(ctx, repo, changes, &given, args)?,
        O::Chmod => {
            changes.executable = match given.text().as_bytes() {
                b"+x" => Some(true),
                b"-x" => Some(false),
                _ => return Err(Error::Failed("option 'chmod' expects \"+x\" or \"-x\"".into(), 129)),
            };
        }
        O::Assume(value) => changes.mark = Some(Mark::AssumeUnchanged(value)),
        O::Skip(value) => changes.mark = Some(Mark::SkipWorktree(value)),
        O::Nul => modes.nul = true,
        O::Stdin => {
            if args.peek().is_some() {
                return Err(Error::Failed("option 'stdin' must be the last argument".into(), 129));
            }
            modes.stdin = true;
        }
        O::IndexInfo => {
            if args.peek().is_some() {
                return Err(Error::Failed("option 'index-info' must be the last argument".into(), 129));
            }
            (changes.allow_add, changes.allow_replace, changes.allow_remove) = (true, true, true);
            index_info::read(ctx, repo, changes, modes.nul)?;
        }
        O::Unresolve => modes.unresolve = true,
        O::ClearResolveUndo => changes.index.set_resolve_undo(None),
        O::IndexVersion => modes.version = Some(given.integer()?),
        O::ShowIndexVersion => modes.show_version = on,
        O::SplitIndex => modes.split = Some(on),
        O::UntrackedCache if on => return Err(Error::unsupported("update-index --untracked-cache")),
        O::UntrackedCache => changes.index.remove_untracked_cache(),
        O::ForceWrite => modes.force_write = on,
        // What a monitor has said is forgotten whenever the index is written.
        O::Later("--fsmonitor") if !on => {}
        O::Later(name) => return Err(Error::unsupported(&format!("update-index {name}"))),
    }
    Ok(false)
}

/// Handles one path of the command line or of standard input.
fn path(
    ctx: &mut Context<'_>,
    repo: &Repository,
    changes: &mut Changes<'_>,
    modes: &Modes,
    name: &BStr,
) -> Result<bool, Error> {
    let path = crate::pathspecs::from_top(repo, repo.prefix(), name)?.into_owned();
    let path = path.as_bstr();
    if modes.unresolve {
        if !changes.index.unresolve(path) && changes.index.stages(path).is_empty() {
            ctx.complain(format!("{path}: not in the index"));
            return Ok(true);
        }
        return Ok(false);
    }
    changes.update(ctx, path)?;
    Ok(false)
}

fn refresh(
    ctx: &mut Context<'_>,
    changes: &mut Changes<'_>,
    modes: &Modes,
    really: bool,
) -> Result<bool, Error> {
    let (mut needy, mut text) = (false, Vec::new());
    let options = RefreshOptions { really, ..modes.refresh };
    changes.refresh(options, &mut |path, need| {
        let what = match need {
            Need::Merge if modes.unmerged => return,
            Need::Merge => "needs merge",
            // Who is quiet does not want to know of these, but of conflicts.
            Need::Update if modes.quiet => return,
            Need::Update => "needs update",
        };
        needy = true;
        text.extend_from_slice(format!("{path}: {what}\n").as_bytes());
    })?;
    ctx.streams.out.write_all(&text)?;
    Ok(needy)
}

/// Adds an entry given as `<mode>,<object>,<path>` or in three words.
fn cache_info(
    ctx: &mut Context<'_>,
    repo: &Repository,
    changes: &mut Changes<'_>,
    given: &Given<O>,
    args: &mut Args<'_>,
) -> Result<(), Error> {
    let bad = || Error::Failed("option 'cacheinfo' expects <mode>,<sha1>,<path>".into(), 129);
    let first = match &given.value {
        Some(value) => value.clone(),
        None => args.next_word().ok_or_else(bad)?.to_owned(),
    };
    let words: Vec<BString> = if first.contains(&b',') {
        first.splitn_str(3, ",").map(BString::from).collect()
    } else {
        let mut word = || args.next_word().map(ToOwned::to_owned);
        [Some(first), word(), word()].into_iter().flatten().collect()
    };
    let [mode, id, path] = words.as_slice() else { return Err(bad()) };
    let mode = mode.to_str().ok().and_then(|mode| u32::from_str_radix(mode, 8).ok()).ok_or_else(bad)?;
    let id = adit_object::ObjectId::from_hex(repo.object_format(), id).map_err(|_| bad())?;
    if !changes.add_object(ctx, mode, id, path.as_bstr(), adit_index::Stage::Merged) {
        return Err(Error::fatal(format!("git update-index: --cacheinfo cannot add {path}")));
    }
    if changes.verbose {
        writeln!(ctx.streams.out, "add '{path}'")?;
    }
    Ok(())
}

/// Applies what was said of the file as a whole.
fn settings(
    ctx: &mut Context<'_>,
    repo: &Repository,
    changes: &mut Changes<'_>,
    modes: &Modes,
) -> Result<(), Error> {
    if modes.show_version {
        writeln!(ctx.streams.out, "{}", changes.index.version().number())?;
    }
    if let Some(number) = modes.version {
        let version = u32::try_from(number)
            .ok()
            .and_then(Version::of_number)
            .ok_or_else(|| Error::fatal(format!("index-version {number} not in range: 2..4")))?;
        let old = changes.index.version().number();
        changes.index.set_version(version);
        if changes.verbose {
            writeln!(ctx.streams.out, "index-version: was {old}, set to {number}")?;
        }
    }
    if let Some(split) = modes.split {
        if repo.config().bool("core.splitindex")? == Some(!split) {
            let (value, what) = if split { ("false", "enable") } else { ("true", "disable") };
            ctx.warn(format!(
                "core.splitIndex is set to {value}; remove or change it, if you really want to {what} split index"
            ));
        }
        changes.index.set_split(false);
        changes.index.set_split(split);
    }
    Ok(())
}
