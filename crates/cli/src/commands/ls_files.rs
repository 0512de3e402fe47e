//! `git ls-files`: list the files of the index, and how those of the working tree differ from them.

mod format;

use adit::{FileState, Repository, WorkFiles};
use adit_diff::pathspec::Pathspec;
use adit_index::{Entry, Index, Stage};
use bstr::{BStr, BString, ByteSlice};

use crate::context::Context;
use crate::error::Error;
use crate::options::{Given, Opt, Table, Usage};
use crate::pathspecs;
use format::{Format, Line};

#[derive(Clone, Copy, PartialEq, Eq)]
enum O {
    Nul,
    Tags,
    AssumedTags,
    MonitorTags,
    Cached,
    Deleted,
    Modified,
    Stage,
    Unmerged,
    ResolveUndo,
    FullName,
    ErrorUnmatch,
    Abbrev,
    Debug,
    Deduplicate,
    Sparse,
    Format,
    /// What needs the ignore rules, or parts that are still to come.
    Later(&'static str),
}

const USAGE: Usage = Usage { name: "ls-files", synopsis: &["git ls-files [<options>] [<file>...]"] };

const OPTIONS: Table<O> = Table::new(&[
    Opt::flag(O::Nul, "", "end paths with a NUL").short(b'z'),
    Opt::flag(O::Tags, "", "show the state of each file as a letter").short(b't'),
    Opt::flag(O::AssumedTags, "", "the same, in lower case for files assumed unchanged").short(b'v'),
    Opt::flag(O::MonitorTags, "", "the same, in lower case for files that a monitor watches").short(b'f'),
    Opt::flag(O::Cached, "cached", "list the files of the index (default)").short(b'c').no(),
    Opt::flag(O::Deleted, "deleted", "list files that were deleted").short(b'd').no(),
    Opt::flag(O::Modified, "modified", "list files that were changed").short(b'm').no(),
    Opt::flag(O::Later("--others"), "others", "list files that are not in the index").short(b'o').no(),
    Opt::flag(O::Later("--ignored"), "ignored", "list ignored files").short(b'i').no(),
    Opt::flag(O::Stage, "stage", "show modes, objects and stages").short(b's').no(),
    Opt::flag(O::Later("--killed"), "killed", "list files that are in the way").short(b'k').no(),
    Opt::flag(O::Later("--directory"), "directory", "name other folders only").no(),
    Opt::flag(O::Later("--eol"), "eol", "show how lines end").no(),
    Opt::flag(O::Later("--empty-directory"), "empty-directory", "leave empty folders out").no(),
    Opt::flag(O::Unmerged, "unmerged", "list files in conflict").short(b'u').no(),
    Opt::flag(O::ResolveUndo, "resolve-undo", "list conflicts that were resolved").no(),
    Opt::value(O::Later("--exclude"), "exclude", "pattern", "skip files that match").short(b'x'),
    Opt::value(O::Later("--exclude-from"), "exclude-from", "file", "read patterns to skip").short(b'X'),
    Opt::value(
        O::Later("--exclude-per-directory"),
        "exclude-per-directory",
        "file",
        "the same in each folder",
    ),
    Opt::flag(O::Later("--exclude-standard"), "exclude-standard", "skip what git ignores"),
    Opt::flag(O::FullName, "full-name", "show paths from the top"),
    Opt::flag(O::Later("--recurse-submodules"), "recurse-submodules", "list the files of submodules").no(),
    Opt::flag(O::ErrorUnmatch, "error-unmatch", "fail when a <file> is not in the index").no(),
    Opt::value(O::Later("--with-tree"), "with-tree", "tree-ish", "take files of a tree for present").no(),
    Opt::optional(O::Abbrev, "abbrev", "n", "show <n> digits of object ids").no(),
    Opt::flag(O::Debug, "debug", "show all that an entry holds").no(),
    Opt::flag(O::Deduplicate, "deduplicate", "show each path once").no(),
    Opt::flag(O::Sparse, "sparse", "show folders of a sparse index as such").no(),
    Opt::value(O::Format, "format", "format", "show entries in this format"),
]);

/// What was asked for.
#[derive(Default)]
struct Asked {
    nul: bool,
    tags: bool,
    assumed_tags: bool,
    cached: bool,
    deleted: bool,
    modified: bool,
    stage: bool,
    unmerged: bool,
    resolve_undo: bool,
    full_name: bool,
    error_unmatch: bool,
    abbrev: Option<usize>,
    debug: bool,
    deduplicate: bool,
    sparse: bool,
    format: Option<BString>,
}

impl Asked {
    fn take(
        &mut self,
        given: Given<O>,
        default_abbrev: &dyn Fn() -> Result<usize, Error>,
    ) -> Result<(), Error> {
        let on = given.on();
        match given.id {
            O::Nul => self.nul = true,
            O::Tags | O::MonitorTags => self.tags = true,
            O::AssumedTags => (self.tags, self.assumed_tags) = (true, true),
            O::Cached => self.cached = on,
            O::Deleted => self.deleted = on,
            O::Modified => self.modified = on,
            O::Stage => self.stage = on,
            O::Unmerged => self.unmerged = on,
            O::ResolveUndo => self.resolve_undo = on,
            O::FullName => self.full_name = true,
            O::ErrorUnmatch => self.error_unmatch = on,
            O::Abbrev if !on => self.abbrev = None,
            O::Abbrev if given.value.is_none() => self.abbrev = Some(default_abbrev()?),
            O::Abbrev => self.abbrev = Some(usize::try_from(given.unsigned()?).unwrap_or(usize::MAX)),
            O::Debug => self.debug = on,
            O::Deduplicate => self.deduplicate = on,
            O::Sparse => self.sparse = on,
            O::Format => self.format = given.value,
            O::Later(_) if !on => {}
            O::Later(name) => return Err(Error::unsupported(&format!("ls-files {name}"))),
        }
        Ok(())
    }
}

/// Runs the command.
pub fn run(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let repo = ctx.repo()?;
    let mut asked = Asked::default();
    let default_abbrev = || Ok(repo.abbrev()?);
    let paths = OPTIONS.parse(&USAGE, args, |given| asked.take(given, &default_abbrev))?;
    if asked.format.is_some() && (asked.stage || asked.tags || asked.resolve_undo || asked.deduplicate) {
        return Err(Error::usage_line(
            "--format cannot be used with -s, -o, -k, -t, --resolve-undo, --deduplicate, --eol".into(),
        )
        .with_usage(OPTIONS.usage(&USAGE)));
    }
    if asked.unmerged {
        // Those in conflict are shown with their stages.
        asked.stage = true;
    }
    if asked.tags || asked.stage {
        asked.deduplicate = false;
    }
    if (asked.deleted || asked.modified) && repo.work_tree().is_none() {
        return Err(Error::fatal("this operation must be run in a work tree"));
    }
    let mut index = repo.index()?;
    if index.is_sparse() && !asked.sparse {
        index.expand(repo.objects()?)?;
    }
    if !(asked.stage || asked.deleted || asked.modified || asked.resolve_undo) {
        asked.cached = true;
    }
    let inside = repo.is_inside_work_tree();
    let prefix = if inside { repo.prefix() } else { b"".as_bstr() };
    let here = [BString::from("./")];
    let pathspec = match paths.as_slice() {
        [] if !prefix.is_empty() => pathspecs::read(&repo, &here)?,
        paths => pathspecs::read(&repo, paths)?,
    };
    let line = Line {
        repo: &repo,
        nul: asked.nul,
        abbrev: asked.abbrev,
        debug: asked.debug,
        prefix: if asked.full_name { b"".as_bstr() } else { prefix },
        quotes_high: repo.quotes_high_bytes(),
        format: asked.format.as_ref().map(|format| Format::parse(format.as_bstr())).transpose()?,
    };
    let mut listing = Listing { asked: &asked, line, index: &index, last: None, text: Vec::new() };
    listing.files(ctx, &repo, &pathspec)?;
    if asked.resolve_undo {
        listing.resolved(ctx, &pathspec)?;
    }
    if asked.error_unmatch && !paths.is_empty() {
        return report_unmatched(ctx, &index, &pathspec);
    }
    Ok(0)
}

/// What is being listed.
struct Listing<'l> {
    asked: &'l Asked,
    line: Line<'l>,
    index: &'l Index,
    /// The path that was shown last, where each is shown once.
    last: Option<BString>,
    text: Vec<u8>,
}

/// How much text is gathered before it is written.
const TEXT: usize = 1 << 16;

impl Listing<'_> {
    fn files(&mut self, ctx: &mut Context<'_>, repo: &Repository, pathspec: &Pathspec) -> Result<(), Error> {
        let asked = self.asked;
        if !(asked.cached || asked.stage || asked.deleted || asked.modified) {
            return Ok(());
        }
        let work = if asked.deleted || asked.modified { Some(repo.work_files()?) } else { None };
        let everything = pathspec.is_match_all();
        for at in self.index.below(pathspecs::common_start(pathspec)) {
            let entry = self.index.entry(at);
            if !everything && !pathspec.matches(trimmed(entry.path()), entry.kind()) {
                continue;
            }
            let unmerged = entry.stage() != Stage::Merged;
            if asked.unmerged && !unmerged {
                continue;
            }
            if asked.cached || asked.stage {
                let tag = if unmerged {
                    "M "
                } else if entry.flags().skip_worktree {
                    "S "
                } else {
                    "H "
                };
                self.show(&entry, tag)?;
            }
            if let Some(work) = &work
                && !entry.flags().skip_worktree
            {
                self.changes(ctx, work, &entry)?;
            }
            if self.text.len() >= TEXT {
                self.flush(ctx)?;
            }
        }
        self.flush(ctx)
    }

    /// Shows an entry once more when its file was deleted or changed.
    fn changes(
        &mut self,
        ctx: &mut Context<'_>,
        work: &WorkFiles<'_>,
        entry: &Entry<'_>,
    ) -> Result<(), Error> {
        let deleted = match work.look(entry.path()) {
            Ok(found) => found.is_none(),
            Err(error) => {
                ctx.complain(format!("cannot lstat '{}': {}", entry.path(), adit_sys::os_error(&error)));
                false
            }
        };
        if deleted && self.asked.deleted {
            self.show(entry, "R ")?;
        }
        if !self.asked.modified {
            return Ok(());
        }
        // Nobody knows what a file should be while it is in conflict: it always counts as changed.
        let changed = deleted
            || entry.stage() != Stage::Merged
            || (!entry.flags().assume_unchanged
                && !matches!(
                    work.state(self.index, entry),
                    Ok(FileState::Unchanged | FileState::Touched(_))
                ));
        if changed { self.show(entry, "C ") } else { Ok(()) }
    }

    fn show(&mut self, entry: &Entry<'_>, tag: &str) -> Result<(), Error> {
        let asked = self.asked;
        if asked.deduplicate {
            if self.last.as_ref().is_some_and(|last| last == entry.path()) {
                return Ok(());
            }
            self.last = Some(entry.path().to_owned());
        }
        if asked.tags {
            let low = asked.assumed_tags && entry.flags().assume_unchanged;
            let tag = if low { tag.to_ascii_lowercase() } else { tag.to_owned() };
            self.text.extend_from_slice(tag.as_bytes());
        }
        self.line.write(entry, asked.stage, &mut self.text)
    }

    fn resolved(&mut self, ctx: &mut Context<'_>, pathspec: &Pathspec) -> Result<(), Error> {
        for (path, undone) in self.index.resolve_undo().into_iter().flat_map(adit_index::ResolveUndo::iter) {
            if !pathspec.matches(path, adit_object::EntryKind::File) {
                continue;
            }
            for (stage, side) in (1..).zip(undone.sides) {
                if let Some((mode, id)) = side {
                    let tag = if self.asked.tags { "U " } else { "" };
                    self.text.extend_from_slice(tag.as_bytes());
                    self.line.staged(mode, &id, stage, path, &mut self.text)?;
                }
            }
        }
        self.flush(ctx)
    }

    fn flush(&mut self, ctx: &mut Context<'_>) -> Result<(), Error> {
        ctx.streams.out.write_all(&self.text)?;
        self.text.clear();
        Ok(())
    }
}

/// The path of a folder of a sparse index without its slash.
fn trimmed(path: &BStr) -> &BStr {
    path.strip_suffix(b"/").unwrap_or(path).as_bstr()
}

/// Names the pathspecs that match nothing in the index.
fn report_unmatched(ctx: &mut Context<'_>, index: &Index, pathspec: &Pathspec) -> Result<u8, Error> {
    let unmatched: Vec<BString> = pathspec
        .items()
        .iter()
        .filter(|item| !item.magic().exclude)
        .filter(|item| {
            let alone = pathspec.only(item);
            let start = pathspecs::common_start(&alone);
            !index.below(start).any(|at| {
                let entry = index.entry(at);
                alone.matches(trimmed(entry.path()), entry.kind())
            })
        })
        .map(|item| item.original().to_owned())
        .collect();
    for original in &unmatched {
        ctx.complain(format!("pathspec '{original}' did not match any file(s) known to git"));
    }
    if unmatched.is_empty() {
        return Ok(0);
    }
    writeln!(ctx.streams.err, "Did you forget to 'git add'?")?;
    Ok(1)
}
