//! The index of a repository: where it is, and how the configuration wants it read and written.

use std::path::PathBuf;

use adit_index::{Entry, Index, OffsetTables, ReadOptions, StatRules, Version, WriteOptions};
use adit_sys::{Durability, LockFile};
use bstr::ByteSlice;

use crate::{OpenError, Repository};

/// The lock of the index, which whoever writes it must hold from before it is read.
#[derive(Debug)]
pub struct IndexLock(LockFile);

/// What `index.threads` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Threads {
    /// Nothing: as many as there are processors, and no word of it in files.
    Unsaid,
    /// As many as there are processors.
    Automatic,
    /// So many.
    Fixed(usize),
}

/// Indexes up to this length are checked whenever they are read: that takes a moment. Those that are written anew
/// always are.
const VERIFY_UP_TO: u64 = 4 << 20;

impl Repository {
    /// The index file: `GIT_INDEX_FILE`, or `index` in the repository.
    pub fn index_path(&self) -> PathBuf {
        match self.env().path("GIT_INDEX_FILE") {
            Some(path) => self.work_tree().unwrap_or(self.env().cwd()).join(path),
            None => self.git_dir().join("index"),
        }
    }

    /// Reads the index, which is empty when there is no file.
    ///
    /// # Errors
    /// When it cannot be read, or makes no sense.
    pub fn index(&self) -> Result<Index, OpenError> {
        self.read_index(VERIFY_UP_TO)
    }

    /// Locks the index.
    ///
    /// # Errors
    /// When another process holds the lock, or it cannot be made.
    pub fn lock_index(&self) -> Result<IndexLock, OpenError> {
        let path = self.index_path();
        let lock = LockFile::acquire(&path).map_err(|error| {
            let mut lock = path.as_os_str().to_owned();
            lock.push(".lock");
            adit_index::Error::Lock { lock: lock.into(), error }
        })?;
        Ok(IndexLock(lock))
    }

    /// Reads the index to change it: all of it is checked, and `core.splitIndex` applies.
    ///
    /// # Errors
    /// When it cannot be read, or makes no sense.
    pub fn index_to_change(&self) -> Result<Index, OpenError> {
        let mut index = self.read_index(u64::MAX)?;
        if let Some(split) = self.config().bool("core.splitindex")? {
            index.set_split(split);
        }
        Ok(index)
    }

    fn read_index(&self, verify_up_to: u64) -> Result<Index, OpenError> {
        let threads = match self.index_threads()? {
            Threads::Unsaid | Threads::Automatic => processors(),
            Threads::Fixed(threads) => threads,
        };
        let path = self.index_path();
        let mut index = Index::read(&path, self.object_format(), &ReadOptions { threads, verify_up_to })?;
        if index.is_new() {
            index.prefer_version(self.preferred_index_version()?);
        }
        Ok(index)
    }

    /// An index without entries, whatever there is in the file.
    ///
    /// # Errors
    /// When a setting makes no sense.
    pub fn new_index(&self) -> Result<Index, OpenError> {
        let mut index = Index::empty(self.object_format());
        index.prefer_version(self.preferred_index_version()?);
        Ok(index)
    }

    /// Writes the index and gives the lock back. `is_changed` is asked of entries whose files may have changed unseen.
    ///
    /// # Errors
    /// When it cannot be written; it is then as it was.
    pub fn write_index(
        &self,
        index: &mut Index,
        lock: IndexLock,
        is_changed: impl FnMut(&Entry<'_>) -> bool,
    ) -> Result<(), OpenError> {
        let IndexLock(lock) = lock;
        let sharing = self.sharing()?;
        sharing
            .adjust(lock.lock_path())
            .map_err(|error| adit_index::Error::Write { path: self.index_path(), error })?;
        let options = self.index_write_options(index.len())?;
        Ok(index.write(lock, &options, is_changed)?)
    }

    fn index_write_options(&self, entries: usize) -> Result<WriteOptions, OpenError> {
        let config = self.config();
        let threads = self.index_threads()?;
        let said = !matches!(threads, Threads::Unsaid | Threads::Fixed(1));
        let many_files = config.bool("feature.manyfiles")?.unwrap_or(false);
        let has_table = config.bool("index.recordoffsettable")?.unwrap_or(said);
        /// As many entries as are worth a thread of their own.
        const ENTRIES_A_THREAD: usize = 10_000;
        let blocks = match threads {
            _ if !has_table => 0,
            Threads::Fixed(threads) => threads,
            Threads::Unsaid | Threads::Automatic => {
                (entries / ENTRIES_A_THREAD).min(processors().saturating_sub(1))
            }
        };
        let percent = config.integer("splitindex.maxpercentchange")?.unwrap_or(20);
        Ok(WriteOptions {
            offset_tables: OffsetTables {
                end_of_entries: config.bool("index.recordendofindexentries")?.unwrap_or(said),
                blocks,
            },
            skip_hash: config.bool("index.skiphash")?.unwrap_or(many_files),
            durability: self.index_durability()?,
            max_percent_change: u8::try_from(percent).unwrap_or(20).min(100),
            allow_null_ids: self.env().bool("GIT_ALLOW_NULL_SHA1", false)?,
            sharing: self.sharing()?,
        })
    }

    fn index_threads(&self) -> Result<Threads, OpenError> {
        let Some(text) = self.config().string("index.threads").ok().flatten() else {
            return Ok(match self.config().bool("index.threads")? {
                // A name without a value means 'yes'.
                Some(_) => Threads::Automatic,
                None => Threads::Unsaid,
            });
        };
        match adit_config::value::boolean_word(text) {
            Some(true) => return Ok(Threads::Automatic),
            Some(false) => return Ok(Threads::Fixed(1)),
            None => {}
        }
        let number = self.config().integer("index.threads")?.unwrap_or(0);
        Ok(match usize::try_from(number) {
            Ok(0) | Err(_) => Threads::Automatic,
            Ok(threads) => Threads::Fixed(threads),
        })
    }

    /// Whether `core.fsync` names the index; by default it does not.
    fn index_durability(&self) -> Result<Durability, OpenError> {
        let mut sync = false;
        for component in self.config().string("core.fsync")?.unwrap_or_default().split_str(",") {
            let component = component.trim();
            let (on, name) = component.strip_prefix(b"-").map_or((true, component), |name| (false, name));
            match name {
                b"none" => sync = false,
                b"index" | b"added" | b"all" => sync = on,
                _ => {}
            }
        }
        Ok(if sync { Durability::Content } else { Durability::None })
    }

    /// The version of a new index: `GIT_INDEX_VERSION`, `index.version`, or by `feature.manyFiles`.
    fn preferred_index_version(&self) -> Result<Version, OpenError> {
        const USUAL: Version = Version::V3;
        let config = self.config();
        if let Some(text) = self.env().var_non_empty("GIT_INDEX_VERSION") {
            let version = text.to_str().ok().and_then(|text| text.parse().ok()).and_then(Version::of_number);
            if version.is_none() {
                self.complain(format!(
                    "warning: GIT_INDEX_VERSION set, but the value is invalid.\nUsing version {}",
                    USUAL.number()
                ));
            }
            return Ok(version.unwrap_or(USUAL));
        }
        if let Some(number) = config.integer("index.version")? {
            let version = u32::try_from(number).ok().and_then(Version::of_number);
            if version.is_none() {
                self.complain(format!(
                    "warning: index.version set, but the value is invalid.\nUsing version {}",
                    USUAL.number()
                ));
            }
            return Ok(version.unwrap_or(USUAL));
        }
        let many_files = config.bool("feature.manyfiles")?.unwrap_or(false);
        Ok(if many_files { Version::V4 } else { USUAL })
    }

    /// Which parts of the stat data tell whether a file has changed (`core.trustctime`, `core.checkStat`).
    ///
    /// # Errors
    /// When a setting makes no sense.
    pub fn stat_rules(&self) -> Result<StatRules, OpenError> {
        let config = self.config();
        let minimal =
            config.string("core.checkstat")?.is_some_and(|value| value.eq_ignore_ascii_case(b"minimal"));
        Ok(StatRules { trust_ctime: config.bool("core.trustctime")?.unwrap_or(true), check_all: !minimal })
    }
}

/// How many processors there are.
fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
