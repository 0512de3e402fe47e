//! Files of the working tree beside their entries in the index: whether they have changed, and their content as it
//! would be stored.

use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use adit_index::{Entry, Index, Stat, StatRules};
use adit_object::{EntryKind, ObjectFormat, ObjectId, ObjectKind, hash_object};
use adit_odb::{LooseOptions, hash_from};
use adit_worktree::filters::FilterError;
use bstr::{BStr, ByteSlice};

use crate::{OpenError, PathFilters, Repository};

/// How a file compares with its entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileState {
    /// It is not there.
    Missing,
    /// It is as it was.
    Unchanged,
    /// Its content is the same, but it looks otherwise: the entry should note how.
    Touched(Stat),
    /// It is another file now.
    Changed,
}

/// Why a file's content cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The system said no.
    #[error("{}", adit_sys::os_error(.0))]
    Io(#[from] io::Error),
    /// It cannot be converted and must be.
    #[error("{0}")]
    Filter(FilterError),
    /// Its object cannot be stored.
    #[error("{0}")]
    Store(#[from] adit_odb::WriteError),
    /// The repository cannot be used.
    #[error("{0}")]
    Repository(#[from] OpenError),
    /// It is a folder without a repository in it.
    #[error("is a directory - add files inside instead")]
    Folder,
    /// It is neither file, link nor folder.
    #[error("can only add regular files, symbolic links or git-directories")]
    Special,
}

/// The files of a repository's working tree.
pub struct WorkFiles<'r> {
    repository: &'r Repository,
    top: PathBuf,
    format: ObjectFormat,
    rules: StatRules,
    /// Whether the executable bit of files counts (`core.fileMode`).
    trusts_mode: bool,
    /// Whether links are links and not files that hold their targets (`core.symlinks`).
    has_links: bool,
    filters: OnceCell<PathFilters>,
    /// The folder that was last found to be one, so that no link leads out of the working tree.
    folder: RefCell<Vec<u8>>,
}

impl Repository {
    /// The files of the working tree.
    ///
    /// # Errors
    /// When there is no working tree, or a setting makes no sense.
    pub fn work_files(&self) -> Result<WorkFiles<'_>, OpenError> {
        let config = self.config();
        Ok(WorkFiles {
            repository: self,
            top: self.work_tree().unwrap_or(self.env().cwd()).to_owned(),
            format: self.object_format(),
            rules: self.stat_rules()?,
            trusts_mode: config.bool("core.filemode")?.unwrap_or(true),
            has_links: config.bool("core.symlinks")?.unwrap_or(true),
            filters: OnceCell::new(),
            folder: RefCell::default(),
        })
    }
}

impl WorkFiles<'_> {
    /// The file of `path`.
    pub fn place(&self, path: &BStr) -> PathBuf {
        self.top.join(Path::new(std::ffi::OsStr::from_bytes(path)))
    }

    /// What the system says of the file at `path`; `None` when there is none, or a link leads to it.
    ///
    /// # Errors
    /// When the system does not tell.
    pub fn look(&self, path: &BStr) -> io::Result<Option<Metadata>> {
        if !self.is_in_folders(path) {
            return Ok(None);
        }
        match std::fs::symlink_metadata(self.place(path)) {
            Ok(metadata) => Ok(Some(metadata)),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether all but the last part of `path` are folders.
    fn is_in_folders(&self, path: &BStr) -> bool {
        let Some(end) = path.rfind_byte(b'/') else { return true };
        let wanted = &path[..end];
        let mut known = self.folder.borrow_mut();
        if known.as_slice() == wanted {
            return true;
        }
        let slashes = path.find_iter(b"/").take_while(|slash| *slash <= end);
        for slash in slashes {
            let part = &path[..slash];
            let is_known = known.starts_with(part) && known.get(slash).is_none_or(|byte| *byte == b'/');
            if is_known && !known.is_empty() {
                continue;
            }
            match std::fs::symlink_metadata(self.place(part.as_bstr())) {
                Ok(metadata) if metadata.is_dir() => {}
                _ => return false,
            }
        }
        known.clear();
        known.extend_from_slice(wanted);
        true
    }

    /// The filters, for what they have to tell the user.
    ///
    /// # Errors
    /// When they cannot be set up.
    pub fn filters(&self) -> Result<&PathFilters, OpenError> {
        if let Some(filters) = self.filters.get() {
            return Ok(filters);
        }
        let filters = self.repository.filters()?;
        Ok(self.filters.get_or_init(|| filters))
    }

    /// The mode that an entry for this file has; `old` is that of the entry so far.
    ///
    /// # Errors
    /// When no entry can stand for it.
    pub fn mode(&self, metadata: &Metadata, old: Option<u32>) -> Result<u32, FileError> {
        let kind = metadata.file_type();
        if kind.is_symlink() {
            return Ok(0o120_000);
        }
        if kind.is_dir() {
            return Ok(0o160_000);
        }
        if !kind.is_file() {
            return Err(FileError::Special);
        }
        let old_kind = old.map(EntryKind::of_mode);
        if !self.has_links && old_kind == Some(EntryKind::Symlink) {
            return Ok(0o120_000);
        }
        if !self.trusts_mode {
            return Ok(match old {
                Some(old) if old_kind == Some(EntryKind::File) => adit_index::index_mode(old),
                _ => 0o100_644,
            });
        }
        Ok(adit_index::index_mode(std::os::unix::fs::MetadataExt::mode(metadata)))
    }

    /// Compares the file of `entry` with it.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn state(&self, index: &Index, entry: &Entry<'_>) -> Result<FileState, FileError> {
        match self.look(entry.path())? {
            Some(metadata) => self.state_of(index, entry, &metadata),
            None => Ok(FileState::Missing),
        }
    }

    /// Compares a file, of which `metadata` was found, with its entry.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn state_of(
        &self,
        index: &Index,
        entry: &Entry<'_>,
        metadata: &Metadata,
    ) -> Result<FileState, FileError> {
        let mode = entry.mode();
        if self.mode(metadata, Some(mode)).ok() != Some(mode) || entry.flags().intent_to_add {
            return Ok(FileState::Changed);
        }
        let (old, now) = (entry.stat(), Stat::of(metadata));
        if entry.kind() == EntryKind::Gitlink {
            let changed = self.commit_of(entry.path()).is_some_and(|id| id != entry.id());
            return Ok(if changed { FileState::Changed } else { FileState::Unchanged });
        }
        let looks_same = old.matches(&now, self.rules);
        // A size of zero stands for 'unknown', unless the file is empty.
        let unknown = old.size == 0 && !self.is_empty_blob(entry);
        if looks_same && !unknown && !index.is_racy(&old) {
            return Ok(FileState::Unchanged);
        }
        if old.size != 0 && old.size != now.size {
            return Ok(FileState::Changed);
        }
        if self.content_id(entry.path(), metadata, mode, None)? != entry.id() {
            return Ok(FileState::Changed);
        }
        Ok(if looks_same && !unknown { FileState::Unchanged } else { FileState::Touched(now) })
    }

    /// Whether the file of `entry` looks as it did when it was last compared, or is missing: nothing in it can be lost. A
    /// file whose looks tell nothing counts as changed, but for one that may have changed unseen and has not.
    pub fn is_uptodate(&self, index: &Index, entry: &Entry<'_>) -> bool {
        let metadata = match self.look(entry.path()) {
            Ok(Some(metadata)) => metadata,
            Ok(None) => return true,
            Err(_) => return false,
        };
        matches!(self.state_of(index, entry, &metadata), Ok(FileState::Unchanged))
    }

    /// Whether a file may be another than when its entry was made, although it looks the same: see
    /// [`Repository::write_index`]. Where that cannot be told, it may.
    pub fn changed_unseen(&self, entry: &Entry<'_>) -> bool {
        if entry.kind() == EntryKind::Gitlink {
            return false;
        }
        let Ok(Some(metadata)) = self.look(entry.path()) else { return false };
        if !entry.stat().matches(&Stat::of(&metadata), self.rules) {
            return false;
        }
        self.content_id(entry.path(), &metadata, entry.mode(), None).map_or(true, |id| id != entry.id())
    }

    fn is_empty_blob(&self, entry: &Entry<'_>) -> bool {
        hash_object(self.format, ObjectKind::Blob, b"").is_ok_and(|id| id == entry.id())
    }

    /// The id of the file's content as it would be stored; it is stored when `store` says how.
    ///
    /// # Errors
    /// When it cannot be read, converted or stored.
    pub fn content_id(
        &self,
        path: &BStr,
        metadata: &Metadata,
        mode: u32,
        store: Option<LooseOptions>,
    ) -> Result<ObjectId, FileError> {
        let place = self.place(path);
        if metadata.is_symlink() {
            let target = std::fs::read_link(&place)?;
            return self.store_bytes(target.as_os_str().as_bytes(), store);
        }
        if metadata.is_dir() {
            return self.commit_of(path).ok_or(FileError::Folder);
        }
        let is_link = EntryKind::of_mode(mode) == EntryKind::Symlink;
        let filters = self.filters()?;
        let conversion = filters.conversion(path).map_err(FileError::Filter)?;
        let mut file = File::open(&place)?;
        if is_link || conversion.is_none() {
            let (size, kind) = (metadata.len(), ObjectKind::Blob);
            return Ok(match store {
                Some(options) => {
                    // Most files that are stored anew are known already, or small.
                    let id = hash_from(self.format, kind, size, &mut file)?;
                    let objects = self.repository.objects()?;
                    if objects.contains(&id) {
                        return Ok(id);
                    }
                    objects.write_from(kind, size, &mut File::open(&place)?, options)?
                }
                None => hash_from(self.format, kind, size, &mut file)?,
            });
        }
        let mut content = Vec::new();
        file.read_to_end(&mut content)?;
        // What is stored so far with CRLF stays so: attributes of old repositories came later than their files.
        let has_crlf = || self.stored_has_crlf(path);
        let converted = filters
            .to_git(path, &conversion, Cow::Borrowed(&content), store.is_some(), &has_crlf)
            .map_err(FileError::Filter)?;
        self.store_bytes(&converted, store)
    }

    /// Whether the content that the index has for `path` has lines that end in CRLF.
    fn stored_has_crlf(&self, path: &BStr) -> bool {
        let Ok(index) = self.repository.index() else { return false };
        let Some(entry) = index.get(path) else { return false };
        let mut content = Vec::new();
        let read = |objects: &adit_odb::Store, content: &mut Vec<u8>| {
            adit_object::Source::read(objects, &entry.id(), content).is_ok()
        };
        self.repository.objects().is_ok_and(|objects| read(objects, &mut content))
            && content.contains_str("\r\n")
    }

    fn store_bytes(&self, content: &[u8], store: Option<LooseOptions>) -> Result<ObjectId, FileError> {
        Ok(match store {
            Some(options) => self.repository.objects()?.write(ObjectKind::Blob, content, options)?,
            None => {
                hash_object(self.format, ObjectKind::Blob, content).map_err(adit_odb::WriteError::from)?
            }
        })
    }

    /// The commit that is checked out in the repository at `path`.
    pub fn commit_of(&self, path: &BStr) -> Option<ObjectId> {
        let place = self.place(path);
        std::fs::symlink_metadata(place.join(".git")).ok()?;
        Repository::open(place).ok()?.resolve("HEAD").ok()
    }
}

/// Whether nothing is there: no such entry, or no folder where the path needs one.
fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
