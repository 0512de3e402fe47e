//! An index in memory: reading the file, and finding entries.

use std::fs::File;
use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;

use adit_object::{ObjectFormat, ObjectId};
use adit_sys::Map;
use bstr::ByteSlice;

use crate::cache_tree::CacheTree;
use crate::decode::{self, Rules};
use crate::entry::{Entry, Stage};
use crate::error::{Error, Fault};
use crate::layout::{END_OF_ENTRIES, ENTRY_OFFSETS, Extension, Frame, Signature, Version};
use crate::pool::{Part, Pool, Slot};
use crate::resolve_undo::ResolveUndo;
use crate::split::{self, Shared};
use crate::stat::{FileTime, Stat};

/// How an index file is read.
#[derive(Debug, Clone, Copy)]
pub struct ReadOptions {
    /// How many threads may share the work (`index.threads`). They can only where the file says where entries start.
    pub threads: usize,
    /// Up to which length of the file its checksum is checked. It takes longer than all the rest, and git never
    /// checks it outside `fsck`; a caller that will write the index anew should ask for it.
    pub verify_up_to: u64,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions { threads: 1, verify_up_to: u64::MAX }
    }
}

/// Whether an extension was read, or is yet to be.
#[derive(Debug)]
pub(crate) enum Kept<T> {
    /// As the file has it; parsed when it is asked for.
    File { range: Range<usize>, parsed: OnceLock<Option<T>> },
    /// Made or changed since.
    Changed(Option<T>),
}

/// The index: entries in order of their paths, and what git keeps beside them.
#[derive(Debug)]
pub struct Index {
    pub(crate) pool: Pool,
    pub(crate) slots: Vec<Slot>,
    pub(crate) version: Version,
    /// When the file was written that this was read from.
    pub(crate) timestamp: FileTime,
    /// The checksum of that file.
    pub(crate) checksum: Option<ObjectId>,
    pub(crate) cache_tree: Kept<CacheTree>,
    pub(crate) resolve_undo: Kept<ResolveUndo>,
    pub(crate) untracked: Option<Range<usize>>,
    pub(crate) split: Option<Shared>,
    pub(crate) sparse: bool,
    /// Extensions that are not known, as the file has them.
    pub(crate) unknown: Vec<Extension>,
    pub(crate) changed: bool,
}

/// The part of the pool that the file is.
pub(crate) const FILE: u8 = 1;

/// A file that was read: its entries, and the extensions behind them.
pub(crate) struct Loaded {
    pub(crate) slots: Vec<Slot>,
    pub(crate) version: Version,
    pub(crate) checksum: ObjectId,
    pub(crate) timestamp: FileTime,
    pub(crate) extensions: Vec<Extension>,
}

/// Reads the file at `path` into the pool; `None` when there is none.
pub(crate) fn load(
    path: &Path,
    pool: &mut Pool,
    nameless: bool,
    options: &ReadOptions,
) -> Result<Option<Loaded>, Error> {
    let read_error = |error| Error::Read { path: path.to_owned(), error };
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(read_error(error)),
    };
    let timestamp = Stat::of(&file.metadata().map_err(read_error)?).mtime;
    let map = Map::of(&file).map_err(read_error)?;
    let format = pool.format();
    let fault = |fault: Fault| fault.of(path);
    let part = pool.next_part().ok_or_else(|| fault(Fault::corrupt("too many blocks")))?;
    let rules = Rules { format, nameless, threads: options.threads, part };
    let frame = Frame::read(format, &map).map_err(fault)?;
    let verify = map.len() as u64 <= options.verify_up_to;
    let decoded = if verify && options.threads > 1 {
        std::thread::scope(|scope| {
            let check = scope.spawn(|| frame.verify(format));
            let decoded = decode::entries(&frame, rules);
            check.join().unwrap_or(Ok(())).and(decoded)
        })
    } else {
        (if verify { frame.verify(format) } else { Ok(()) }).and_then(|()| decode::entries(&frame, rules))
    };
    let decoded = decoded.map_err(fault)?;
    let extensions = frame.extensions(decoded.end).map_err(fault)?;
    let version = frame.version;
    let checksum = ObjectId::from_bytes(format, frame.checksum).unwrap_or(ObjectId::null(format));
    pool.add_part(Part::Mapped(map));
    decoded.written.into_iter().for_each(|written| pool.add_part(Part::Owned(written)));
    Ok(Some(Loaded { slots: decoded.slots, version, checksum, timestamp, extensions }))
}

impl Index {
    /// An index without entries, as before the first `add`.
    pub fn empty(format: ObjectFormat) -> Self {
        Index {
            pool: Pool::new(format),
            slots: Vec::new(),
            version: Version::V2,
            timestamp: FileTime::default(),
            checksum: None,
            cache_tree: Kept::Changed(None),
            resolve_undo: Kept::Changed(None),
            untracked: None,
            split: None,
            sparse: false,
            unknown: Vec::new(),
            changed: false,
        }
    }

    /// Reads the index file at `path`; where there is none, the index is empty.
    ///
    /// # Errors
    /// When the file cannot be read, or makes no sense.
    pub fn read(path: &Path, format: ObjectFormat, options: &ReadOptions) -> Result<Self, Error> {
        let mut index = Self::empty(format);
        // Only a split index has entries without names; whether this is one is known once it is read.
        let Some(loaded) = load(path, &mut index.pool, true, options)? else { return Ok(index) };
        index.slots = loaded.slots;
        index.version = loaded.version;
        index.timestamp = loaded.timestamp;
        index.checksum = (!loaded.checksum.is_null()).then_some(loaded.checksum);
        let mut link = None;
        for extension in loaded.extensions {
            let range = extension.content.clone();
            match &extension.signature {
                b"TREE" => index.cache_tree = Kept::File { range, parsed: OnceLock::new() },
                b"REUC" => index.resolve_undo = Kept::File { range, parsed: OnceLock::new() },
                b"UNTR" => index.untracked = Some(range),
                b"link" => link = Some(range),
                b"sdir" => index.sparse = true,
                // What a file system monitor has said is not used, and left out when the index is written.
                b"FSMN" | &END_OF_ENTRIES | &ENTRY_OFFSETS => {}
                [b'A'..=b'Z', ..] => index.unknown.push(extension),
                signature => {
                    let name = signature.as_bstr();
                    let what = format!("index uses {name} extension, which we do not understand");
                    return Err(Fault::corrupt(what).of(path));
                }
            }
        }
        match link {
            Some(range) => split::join(&mut index, path, range, options)?,
            None if index.first_is_nameless() => {
                return Err(Fault::corrupt("an entry has no name").of(path));
            }
            None => {}
        }
        Ok(index)
    }

    pub(crate) fn first_is_nameless(&self) -> bool {
        self.slots.first().is_some_and(|slot| self.pool.entry(*slot).path().is_empty())
    }

    /// The hash that names its objects.
    pub fn format(&self) -> ObjectFormat {
        self.pool.format()
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// The version of the file that it was read from; that which git prefers if there was none.
    pub fn version(&self) -> Version {
        self.version
    }

    /// When the file was written that it was read from. What changed at that time or later may have changed unseen.
    pub fn timestamp(&self) -> FileTime {
        self.timestamp
    }

    /// The checksum of the file that it was read from; `None` without a file, or one without a checksum.
    pub fn checksum(&self) -> Option<ObjectId> {
        self.checksum
    }

    /// Whether there was no file to read it from.
    pub fn is_new(&self) -> bool {
        self.timestamp.is_unknown()
    }

    /// Sets the version that it is written in first.
    pub fn prefer_version(&mut self, version: Version) {
        self.version = version;
    }

    /// Whether anything was changed since it was read.
    pub fn is_changed(&self) -> bool {
        self.changed
    }

    /// Whether folders may stand for all that is in them (a sparse index).
    pub fn is_sparse(&self) -> bool {
        self.sparse
    }

    /// The id of the shared index that the file adds to, when it is split; null when there is none yet.
    pub fn shared_id(&self) -> Option<ObjectId> {
        self.split.as_ref().map(|shared| shared.id)
    }

    /// The extension of that name, when it is one that is not known.
    pub fn unknown_extension(&self, signature: &Signature) -> Option<&[u8]> {
        let found = self.unknown.iter().find(|extension| extension.signature == *signature)?;
        self.file_bytes(&found.content)
    }

    /// The untracked cache as the file has it.
    pub fn untracked_cache(&self) -> Option<&[u8]> {
        self.file_bytes(self.untracked.as_ref()?)
    }

    pub(crate) fn file_bytes(&self, range: &Range<usize>) -> Option<&[u8]> {
        self.pool.part(usize::from(FILE)).get(range.clone())
    }

    /// The trees that are known of folders whose entries have not changed since.
    pub fn cache_tree(&self) -> Option<&CacheTree> {
        match &self.cache_tree {
            Kept::Changed(tree) => tree.as_ref(),
            Kept::File { range, parsed } => {
                let parse = || CacheTree::parse(self.format(), self.file_bytes(range)?);
                parsed.get_or_init(parse).as_ref()
            }
        }
    }

    /// The conflicts that were resolved.
    pub fn resolve_undo(&self) -> Option<&ResolveUndo> {
        match &self.resolve_undo {
            Kept::Changed(undo) => undo.as_ref(),
            Kept::File { range, parsed } => {
                let parse = || ResolveUndo::parse(self.format(), self.file_bytes(range)?);
                parsed.get_or_init(parse).as_ref()
            }
        }
    }

    /// Entry number `at`.
    ///
    /// # Panics
    /// When there are not so many.
    pub fn entry(&self, at: usize) -> Entry<'_> {
        self.pool.entry(self.slots[at])
    }

    /// All entries, in order of path and stage.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = Entry<'_>> + DoubleEndedIterator + Clone {
        self.slots.iter().map(|slot| self.pool.entry(*slot))
    }

    /// Where the entry for that path and stage is, or where it would be.
    ///
    /// # Errors
    /// The place where it would be, when there is none.
    pub fn find(&self, path: &[u8], stage: Stage) -> Result<usize, usize> {
        self.slots.binary_search_by(|slot| self.pool.entry(*slot).key().cmp(&(path.as_bstr(), stage)))
    }

    /// The entry for that path, without conflict.
    pub fn get(&self, path: &[u8]) -> Option<Entry<'_>> {
        self.find(path, Stage::Merged).ok().map(|at| self.entry(at))
    }

    /// The entries of a path: none, one, or up to three when it is in conflict.
    pub fn stages(&self, path: &[u8]) -> Range<usize> {
        let start = self.find(path, Stage::Merged).unwrap_or_else(|at| at);
        let more = self.slots[start..].iter().take_while(|slot| self.pool.entry(**slot).path() == path);
        start..start + more.count()
    }

    /// The entries whose paths start with `prefix`: with a slash at its end, those of a folder.
    pub fn below(&self, prefix: &[u8]) -> Range<usize> {
        let before = |slot: &Slot| self.pool.entry(*slot).path().as_bytes() < prefix;
        let start = self.slots.partition_point(before);
        let inside = |slot: &Slot| self.pool.entry(*slot).path().starts_with(prefix);
        start..start + self.slots[start..].partition_point(inside)
    }

    /// Whether any path is in conflict.
    pub fn has_conflicts(&self) -> bool {
        self.entries().any(|entry| entry.stage() != Stage::Merged)
    }

    /// Whether a file that looked like `stat` when its entry was made may have changed unseen: it changed in the moment
    /// in which the index was written, or later.
    pub fn is_racy(&self, stat: &Stat) -> bool {
        !self.timestamp.is_unknown() && self.timestamp <= stat.mtime
    }

    /// How many bytes of memory the entries take, besides the file that lends them.
    pub fn allocated(&self) -> usize {
        self.pool.allocated() + self.slots.capacity() * size_of::<Slot>()
    }
}
