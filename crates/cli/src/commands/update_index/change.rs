//! The changes that `update-index` makes to the index.

use std::io::Write;

use adit::{FileError, FileState, IndexLock, Need, RefreshOptions, Repository, WorkFiles, object_check};
use adit_index::{EntryFlags, EntryValue, Index, Stage, Stat};
use adit_object::{EntryKind, ObjectId};
use bstr::{BStr, ByteSlice};

use crate::context::Context;
use crate::error::Error;

/// What is said of entries instead of updating them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    AssumeUnchanged(bool),
    SkipWorktree(bool),
}

/// The index that is being changed, and what may be done to it.
pub(super) struct Changes<'r> {
    repo: &'r Repository,
    pub(super) index: Index,
    pub(super) allow_add: bool,
    pub(super) allow_replace: bool,
    pub(super) allow_remove: bool,
    pub(super) force_remove: bool,
    pub(super) info_only: bool,
    pub(super) ignore_skipped: bool,
    pub(super) verbose: bool,
    pub(super) executable: Option<bool>,
    pub(super) mark: Option<Mark>,
    /// Whether entries are assumed to be unchanged once they were updated (`core.ignoreStat`).
    ignores_stat: bool,
    /// The files, once they are asked for.
    work: Option<WorkFiles<'r>>,
}

impl<'r> Changes<'r> {
    pub(super) fn new(repo: &'r Repository) -> Result<Self, Error> {
        Ok(Changes {
            repo,
            index: repo.index_to_change()?,
            allow_add: false,
            allow_replace: false,
            allow_remove: false,
            force_remove: false,
            info_only: false,
            ignore_skipped: false,
            verbose: false,
            executable: None,
            mark: None,
            ignores_stat: repo.config().bool("core.ignorestat")?.unwrap_or(false),
            work: None,
        })
    }

    fn work(&mut self) -> Result<&WorkFiles<'r>, Error> {
        if self.work.is_none() {
            if self.repo.work_tree().is_none() {
                return Err(Error::fatal("this operation must be run in a work tree"));
            }
            self.work = Some(self.repo.work_files()?);
        }
        self.work.as_ref().ok_or(Error::Exit(128))
    }

    pub(super) fn write(mut self, lock: IndexLock) -> Result<(), Error> {
        if self.repo.work_tree().is_some() {
            self.work()?;
        }
        let Changes { repo, mut index, work, .. } = self;
        // Without a working tree nothing can have changed in it.
        let changed =
            |entry: &adit_index::Entry<'_>| work.as_ref().is_some_and(|work| work.changed_unseen(entry));
        Ok(repo.write_index(&mut index, lock, changed)?)
    }

    pub(super) fn refresh(
        &mut self,
        options: RefreshOptions,
        tell: &mut dyn FnMut(&BStr, Need),
    ) -> Result<(), Error> {
        self.work()?;
        if let Some(work) = &self.work {
            work.refresh(&mut self.index, options, tell);
        }
        Ok(())
    }

    /// Brings the entry for `path` up to date, or does to it what the options say.
    pub(super) fn update(&mut self, ctx: &mut Context<'_>, path: &BStr) -> Result<(), Error> {
        let looks = self.mark.is_none() && !self.force_remove;
        let metadata = if looks { self.work()?.look(path) } else { Ok(None) };
        let mode = match &metadata {
            Ok(Some(metadata)) if metadata.is_symlink() => 0o120_000,
            _ => 0,
        };
        if !object_check::is_index_path(path, mode) {
            writeln!(ctx.streams.err, "Ignoring path {path}")?;
            return Ok(());
        }
        if let Some(mark) = self.mark {
            return self.set_mark(mark, path);
        }
        if self.force_remove {
            self.index.remove(path);
            return self.report(ctx, format_args!("remove '{path}'"));
        }
        let processed = match metadata {
            Ok(found) => self.process(ctx, path, found.as_ref())?,
            Err(error) => Err(format!("lstat(\"{path}\"): {}", adit_sys::os_error(&error))),
        };
        if let Err(message) = processed {
            ctx.complain(message);
            return Err(Error::fatal(format!("Unable to process path {path}")));
        }
        self.report(ctx, format_args!("add '{path}'"))?;
        match self.executable {
            Some(executable) => self.set_executable(ctx, path, executable),
            None => Ok(()),
        }
    }

    fn report(&self, ctx: &mut Context<'_>, what: std::fmt::Arguments<'_>) -> Result<(), Error> {
        if self.verbose {
            writeln!(ctx.streams.out, "{what}")?;
        }
        Ok(())
    }

    /// Puts what is at `path` into the index. The inner error is what is wrong with it.
    fn process(
        &mut self,
        ctx: &mut Context<'_>,
        path: &BStr,
        found: Option<&std::fs::Metadata>,
    ) -> Result<Result<(), String>, Error> {
        if self.index.get(path).is_some_and(|entry| entry.flags().skip_worktree) {
            // The file is not expected to be there: that it is missing means nothing.
            if !self.ignore_skipped && self.allow_remove {
                self.index.remove(path);
            }
            return Ok(Ok(()));
        }
        let Some(metadata) = found else {
            return Ok(self.remove(path));
        };
        if !metadata.is_dir() {
            return self.add_file(ctx, path, metadata);
        }
        if self.index.get(path).is_some_and(|entry| entry.kind() != EntryKind::Gitlink) {
            // Where a file was there is a folder now.
            return Ok(self.remove(path));
        }
        if !self.index.below(&[path.as_bytes(), b"/"].concat()).is_empty() {
            return Ok(Err(format!("{path}: is a directory - add individual files instead")));
        }
        let known = self.index.get(path).is_some();
        match self.work()?.commit_of(path) {
            Some(_) => self.add_file(ctx, path, metadata),
            None if known => Ok(Ok(())),
            None => Ok(Err(format!("{path}: is a directory - add files inside instead"))),
        }
    }

    fn remove(&mut self, path: &BStr) -> Result<(), String> {
        if !self.allow_remove {
            return Err(format!("{path}: does not exist and --remove not passed"));
        }
        self.index.remove(path);
        Ok(())
    }

    fn add_file(
        &mut self,
        ctx: &mut Context<'_>,
        path: &BStr,
        metadata: &std::fs::Metadata,
    ) -> Result<Result<(), String>, Error> {
        self.work()?;
        let Some(work) = &self.work else { return Err(Error::Exit(128)) };
        let old = self.index.get(path);
        if let Some(old) = old
            && matches!(work.state_of(&self.index, &old, metadata), Ok(FileState::Unchanged))
        {
            return Ok(Ok(()));
        }
        let old_mode = old.map(|entry| entry.mode());
        let store = if self.info_only { None } else { Some(self.repo.loose_options()?) };
        let value = work.mode(metadata, old_mode).and_then(|mode| {
            let id = work.content_id(path, metadata, mode, store)?;
            Ok(EntryValue { stat: Stat::of(metadata), ..EntryValue::new(mode, id) })
        });
        if let Ok(filters) = work.filters() {
            ctx.tell_notices(filters);
        }
        let mut value = match value {
            Ok(value) => value,
            Err(FileError::Filter(error)) => return Ok(Err(error.to_string())),
            Err(error) => return Ok(Err(format!("{path}: {error}"))),
        };
        value.flags.assume_unchanged = self.ignores_stat;
        Ok(self.add(ctx, path, value))
    }

    fn add(&mut self, ctx: &mut Context<'_>, path: &BStr, value: EntryValue) -> Result<(), String> {
        let refused = || format!("{path}: cannot add to the index - missing --add option?");
        let replaces = value.stage == Stage::Merged && !self.index.stages(path).is_empty();
        if !self.allow_add && !replaces {
            return Err(refused());
        }
        if self.index.add(path, &value, self.allow_replace).is_err() {
            ctx.complain(format!("'{path}' appears as both a file and as a directory"));
            return Err(refused());
        }
        Ok(())
    }

    /// Adds an entry that was given; false, with a word of why, when it cannot be.
    pub(super) fn add_object(
        &mut self,
        ctx: &mut Context<'_>,
        mode: u32,
        id: ObjectId,
        path: &BStr,
        stage: Stage,
    ) -> bool {
        if !object_check::is_index_path(path, mode) {
            ctx.complain(format!("Invalid path '{path}'"));
            return false;
        }
        let mode = match EntryKind::of_mode(mode) {
            // A folder can only be another repository here.
            EntryKind::Tree => 0o160_000,
            _ => adit_index::index_mode(mode),
        };
        let flags = EntryFlags { assume_unchanged: self.ignores_stat, ..EntryFlags::default() };
        let value = EntryValue { flags, ..EntryValue::new(mode, id).at_stage(stage) };
        match self.add(ctx, path, value) {
            Ok(()) => true,
            Err(message) => {
                ctx.complain(message);
                false
            }
        }
    }

    fn set_mark(&mut self, mark: Mark, path: &BStr) -> Result<(), Error> {
        let Ok(at) = self.index.find(path, Stage::Merged) else {
            return Err(Error::fatal(format!("Unable to mark file {path}")));
        };
        let mut flags = self.index.entry(at).flags();
        match mark {
            Mark::AssumeUnchanged(value) => flags.assume_unchanged = value,
            Mark::SkipWorktree(value) => flags.skip_worktree = value,
        }
        self.index.set_flags(at, flags);
        Ok(())
    }

    fn set_executable(&mut self, ctx: &mut Context<'_>, path: &BStr, executable: bool) -> Result<(), Error> {
        let sign = if executable { '+' } else { '-' };
        match self.index.get(path) {
            Some(entry) if entry.kind() == EntryKind::File => {
                let mode = if executable { 0o100_755 } else { 0o100_644 };
                let value = EntryValue { mode, ..entry.value() };
                self.index.set(path, &value);
            }
            _ => return Err(Error::fatal(format!("git update-index: cannot chmod {sign}x '{path}'"))),
        }
        self.report(ctx, format_args!("chmod {sign}x '{path}'"))
    }
}
