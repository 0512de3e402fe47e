//! References as files: loose ones under the git folder, and the `packed-refs` file.

mod bulk;
mod commit;
mod current;
mod existence;
mod folders;
mod iter;
mod listing;
mod lock;
mod log_move;
pub(crate) mod log_rewrite;
mod log_write;
mod loose;
pub(crate) mod pack;
mod packed;
mod packed_write;
mod prepare;

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use adit_object::{ObjectFormat, ObjectId};
use adit_sys::{EntryType, Folder, Map};
use bstr::{BStr, BString, ByteSlice};

use self::folders::{Folders, Tree};
use self::log_rewrite::LogRewrite;
use self::log_write::LogWriter;
use self::pack::{PackOptions, PackReport};
use self::packed::PackedRefs;
use crate::backend::{Backend, Cursor, Existence, IterOptions, Locked};
use crate::name::{self, Worktree};
use crate::reference::Reference;
use crate::reflog::{LogEntry, Reflog};
use crate::transaction::Plan;
use crate::update_error::Obstacle;
use crate::{Error, UpdateError, WriteOptions};

/// The references of one working tree.
#[derive(Debug)]
pub(crate) struct Files {
    git_dir: PathBuf,
    common_dir: PathBuf,
    format: ObjectFormat,
    packed_path: PathBuf,
    packed: RwLock<Option<(Stamp, Arc<PackedRefs>)>>,
}

/// By which a changed file is told; a missing file is the default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Stamp {
    device: u64,
    inode: u64,
    len: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    fn of(meta: &Metadata) -> Stamp {
        Stamp {
            device: meta.dev(),
            inode: meta.ino(),
            len: meta.len(),
            modified: (meta.mtime(), meta.mtime_nsec()),
            changed: (meta.ctime(), meta.ctime_nsec()),
        }
    }
}

impl Files {
    pub(crate) fn new(git_dir: &Path, common_dir: &Path, format: ObjectFormat) -> Self {
        Files {
            git_dir: git_dir.to_owned(),
            common_dir: common_dir.to_owned(),
            format,
            packed_path: common_dir.join("packed-refs"),
            packed: RwLock::new(None),
        }
    }

    fn is_linked(&self) -> bool {
        self.git_dir != self.common_dir
    }

    /// The folder that the file of the reference `name`, or the folder of references `name/`, lies under.
    fn base_of(&self, name: &[u8]) -> &Path {
        if name::is_per_worktree(name) { &self.git_dir } else { &self.common_dir }
    }

    /// The folder that a reference's file lies under, and the path from there.
    fn place<'n>(&self, name: &'n BStr) -> (PathBuf, &'n BStr) {
        match name::split_worktree(name) {
            (Worktree::Current, name) => (self.base_of(name).to_owned(), name),
            (Worktree::Main, rest) => (self.common_dir.clone(), rest),
            (Worktree::Linked(id), rest) if name::is_per_worktree(rest) => {
                (self.common_dir.join("worktrees").join(id.to_path_lossy()), rest)
            }
            (Worktree::Linked(_), rest) => (self.common_dir.clone(), rest),
        }
    }

    fn path_of(&self, name: &BStr) -> PathBuf {
        let (base, rest) = self.place(name);
        base.join(rest.to_path_lossy())
    }

    fn log_path(&self, name: &BStr) -> PathBuf {
        let (base, rest) = self.place(name);
        base.join("logs").join(rest.to_path_lossy())
    }

    /// The `packed-refs` file as it is now; read again only when it changed.
    fn packed(&self) -> Result<Arc<PackedRefs>, Error> {
        let stamp = match std::fs::metadata(&self.packed_path) {
            Ok(meta) => Stamp::of(&meta),
            Err(error) if is_absent(&error) => Stamp::default(),
            Err(error) => return Err(Error::io(&self.packed_path)(error)),
        };
        let cached = self.packed.read().unwrap_or_else(PoisonError::into_inner);
        if let Some((read, packed)) = &*cached
            && *read == stamp
        {
            return Ok(Arc::clone(packed));
        }
        drop(cached);
        let (stamp, packed) = self.read_packed()?;
        let packed = Arc::new(packed);
        let mut cached = self.packed.write().unwrap_or_else(PoisonError::into_inner);
        *cached = Some((stamp, Arc::clone(&packed)));
        Ok(packed)
    }

    fn read_packed(&self) -> Result<(Stamp, PackedRefs), Error> {
        let path = &self.packed_path;
        let file = match std::fs::File::open(path) {
            Ok(file) => file,
            Err(error) if is_absent(&error) => {
                return Ok((Stamp::default(), PackedRefs::empty(path, self.format)));
            }
            Err(error) => return Err(Error::io(path)(error)),
        };
        let stamp = Stamp::of(&file.metadata().map_err(Error::io(path))?);
        let map = Map::of(&file).map_err(Error::io(path))?;
        Ok((stamp, PackedRefs::new(path, self.format, map)?))
    }

    fn find_loose(&self, name: &BStr) -> Result<Option<Reference>, Error> {
        let path = self.path_of(name);
        let mut content = Vec::with_capacity(128);
        let target = adit_sys::read_small_file(&path, loose::LIMIT, &mut content)
            .and_then(|outcome| {
                loose::interpret(self.format, outcome, &mut content, |content| {
                    adit_sys::read_small_file_through(&path, loose::LIMIT, content)
                })
            })
            .map_err(Error::io(&path))?;
        Ok(target.map(|target| Reference { name: name.to_owned(), target, peeled: None }))
    }
}

impl Backend for Files {
    fn find(&self, name: &BStr) -> Result<Option<Reference>, Error> {
        // Loose before packed: whoever packs a reference removes its file only after the packed one is in place.
        if let Some(found) = self.find_loose(name)? {
            return Ok(Some(found));
        }
        if !name.starts_with(b"refs/") {
            return Ok(None);
        }
        let found = self.packed()?.find(name)?;
        Ok(found.map(|item| Reference { name: name.to_owned(), target: item.target, peeled: item.peeled }))
    }

    fn iter<'s>(&'s self, options: &IterOptions) -> Result<Box<dyn Cursor + 's>, Error> {
        Ok(Box::new(iter::Merge::new(self, options)?))
    }

    fn root_refs(&self) -> Result<Vec<Reference>, Error> {
        let path = &self.git_dir;
        let mut names: Vec<BString> = Vec::new();
        if let Some(folder) = Folder::open(path).map_err(Error::io(path))? {
            let each = |name: &[u8], kind| {
                if kind != EntryType::Folder && name::is_root_ref(name) {
                    names.push(name.into());
                }
            };
            folder.for_each(each).map_err(Error::io(path))?;
        }
        names.sort_unstable();
        let found = names.iter().map(|name| self.find_loose(name.as_bstr()));
        found.filter_map(Result::transpose).collect()
    }

    fn reflog(&self, name: &BStr) -> Result<Option<Reflog>, Error> {
        Reflog::open(&self.log_path(name), self.format)
    }

    fn reflog_names(&self) -> Result<Vec<BString>, Error> {
        let mut names: Vec<BString> = Vec::new();
        let top = self.git_dir.join("logs");
        if let Some(folder) = Folder::open(&top).map_err(Error::io(&top))? {
            let each = |name: &[u8], kind| {
                if kind == EntryType::File && name::is_valid(name, name::Rules::ANY) {
                    names.push(name.into());
                }
            };
            folder.for_each(each).map_err(Error::io(&top))?;
        }
        names.extend(listing::log_names(self)?.iter().map(BString::from));
        // Folder by folder, unlike references.
        names.sort_unstable_by(|a, b| a.split(|b| *b == b'/').cmp(b.split(|b| *b == b'/')));
        Ok(names)
    }

    fn existence<'s>(&'s self) -> Result<Box<dyn Existence + 's>, Error> {
        Ok(Box::new(existence::Existing::new(self)))
    }

    fn lock<'s>(&'s self, plan: Plan<'s>) -> Result<Box<dyn Locked + 's>, UpdateError> {
        Ok(Box::new(prepare::lock(self, plan)?))
    }

    fn carry_log(
        &self,
        from: &BStr,
        to: &BStr,
        keeps: bool,
        write: &WriteOptions<'_>,
    ) -> Result<(), UpdateError> {
        log_move::carry(self, from, to, keeps, write)
    }

    fn add_to_log(
        &self,
        name: &BStr,
        ids: [&ObjectId; 2],
        message: &BStr,
        write: &WriteOptions<'_>,
    ) -> Result<(), UpdateError> {
        log_write::LogWriter::new(self, write).append(name, ids, message, false)
    }

    fn pack(&self, options: &PackOptions, write: &WriteOptions<'_>) -> Result<PackReport, UpdateError> {
        pack::pack(self, options, write)
    }

    fn rewrite_log(
        &self,
        name: &BStr,
        how: LogRewrite,
        write: &WriteOptions<'_>,
        keep: &mut dyn FnMut(&LogEntry<'_>) -> bool,
    ) -> Result<(), UpdateError> {
        log_rewrite::rewrite(self, name, how, write, keep)
    }

    fn remove_log(&self, name: &BStr) -> Result<bool, UpdateError> {
        Ok(log_write::remove(self, name)?)
    }

    fn append_log(
        &self,
        name: &BStr,
        ids: [&ObjectId; 2],
        message: &BStr,
        write: &WriteOptions<'_>,
    ) -> Result<(), UpdateError> {
        let mut folders = Folders::new(self, Tree::References, write.sharing);
        let locked = lock::reference(&mut folders, name, write.reference_patience);
        let locked =
            locked.map_err(|why| UpdateError::Lock { name: name.to_owned(), why: Obstacle::File(why) });
        let _held = locked?;
        LogWriter::new(self, write).append(name, ids, message, true)
    }
}

fn is_absent(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
}
