//! Packs: many objects in one file, most of them as deltas (gitformat-pack).
//!
//! Index, pack and reverse index are opened when they are first needed, so that a store of 10,000 packs opens fast.

pub(crate) mod delta;
pub(crate) mod entry;
pub(crate) mod index;
pub(crate) mod read;
pub(crate) mod reverse;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use adit_object::{ObjectFormat, ObjectId, zlib};
use adit_sys::Map;

use crate::fault::{Damage, Fault};
use crate::id_table::be32;
use crate::spare;
use entry::{Base, Entry};
use index::PackIndex;
use reverse::ReverseIndex;

const HEADER_LEN: usize = 12;

/// The most that deflate can make of one byte, a little rounded up: a larger size is a lie, and is not allocated.
const MOST_INFLATED: u64 = 1040;

/// Which files lie beside a pack and say something about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PackMarks {
    /// `.promisor`: it came from a remote that promises what its objects refer to.
    pub promisor: bool,
    /// `.keep`: it is not to be repacked.
    pub keep: bool,
    /// `.mtimes`: it holds unreachable objects (a cruft pack).
    pub cruft: bool,
    /// `.rev`: the reverse index is on disk.
    pub rev: bool,
}

/// One pack with its index.
#[derive(Debug)]
pub struct Pack {
    /// Tells the packs of a store apart, also after they are gone.
    number: u32,
    path: PathBuf,
    format: ObjectFormat,
    marks: PackMarks,
    index: OnceLock<Result<PackIndex, Fault>>,
    data: OnceLock<Result<Map, Fault>>,
    reverse: OnceLock<Result<ReverseIndex, Fault>>,
    computed_reverse: OnceLock<Option<ReverseIndex>>,
}

impl Pack {
    /// The pack at `path`, which ends in `.pack`. Nothing is opened yet.
    pub(crate) fn new(number: u32, path: PathBuf, format: ObjectFormat, marks: PackMarks) -> Self {
        Pack {
            number,
            path,
            format,
            marks,
            index: OnceLock::new(),
            data: OnceLock::new(),
            reverse: OnceLock::new(),
            computed_reverse: OnceLock::new(),
        }
    }

    /// Opens a pack that belongs to no store, to look at it alone; `path` ends in `.pack`.
    pub fn open(path: &Path, format: ObjectFormat) -> Pack {
        let marks = PackMarks { rev: path.with_extension("rev").exists(), ..PackMarks::default() };
        Pack::new(0, path.to_owned(), format, marks)
    }

    /// The `.pack` file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What lies beside it.
    pub fn marks(&self) -> PackMarks {
        self.marks
    }

    pub(crate) fn number(&self) -> u32 {
        self.number
    }

    pub(crate) fn index(&self) -> Result<&PackIndex, Fault> {
        let open = || PackIndex::load(&self.path.with_extension("idx"), self.format);
        self.index.get_or_init(open).as_ref().map_err(Clone::clone)
    }

    /// The index unless it cannot be used; for searches, which go on to other packs.
    #[inline]
    pub(crate) fn index_or_none(&self) -> Option<&PackIndex> {
        match self.index.get() {
            Some(index) => index.as_ref().ok(),
            None => self.index().ok(),
        }
    }

    /// Whether the index or the pack was tried and cannot be used.
    pub(crate) fn has_failed(&self) -> bool {
        self.index_failure().is_some() || matches!(self.data.get(), Some(Err(_)))
    }

    /// Why the index, if it was tried, cannot be used.
    pub(crate) fn index_failure(&self) -> Option<&Fault> {
        self.index.get().and_then(|index| index.as_ref().err())
    }

    /// The index; an error names its file.
    pub fn open_index(&self) -> Result<&PackIndex, Damage> {
        self.index().map_err(Fault::damage)
    }

    fn file(&self) -> Result<&Map, Fault> {
        self.data.get_or_init(|| self.load()).as_ref().map_err(Clone::clone)
    }

    fn load(&self) -> Result<Map, Fault> {
        let index = self.index()?;
        let file = Map::open(&self.path).map_err(|error| Fault::io(&self.path, &error))?;
        let bad = |what| Err(Fault::bad(&self.path, what));
        if file.len() < HEADER_LEN + self.format.len() {
            return bad("pack file is too small");
        }
        if &file[..4] != b"PACK" {
            return bad("file is not a git pack");
        }
        if !matches!(be32(&file[4..]), 2 | 3) {
            return bad("pack has a version that is not supported");
        }
        if be32(&file[8..]) != index.count() {
            return bad("pack claims another number of objects than its index");
        }
        if file[file.len() - self.format.len()..] != *index.pack_checksum() {
            return bad("pack does not match its index");
        }
        Ok(file)
    }

    /// The pack's bytes without the checksum at the end.
    #[inline]
    pub(crate) fn data(&self) -> Result<&[u8], Fault> {
        let file = self.file()?;
        Ok(&file[..file.len() - self.format.len()])
    }

    /// The whole pack file, header and checksum included.
    pub fn bytes(&self) -> Result<&[u8], Damage> {
        self.file().map(|file| &**file).map_err(Fault::damage)
    }

    /// The header of the object at `offset`.
    #[inline]
    pub(crate) fn entry(&self, offset: u64) -> Result<Entry, Fault> {
        Entry::parse(self.data()?, offset, self.format.len()).map_err(|what| self.bad_at(offset, what))
    }

    /// Something is wrong with the object at `offset`.
    #[cold]
    pub(crate) fn bad_at(&self, offset: u64, what: impl std::fmt::Display) -> Fault {
        Fault::bad(&self.path, format!("{what} at offset {offset}"))
    }

    /// Inflates the data of the entry at `offset` into `out`.
    pub(crate) fn inflate(&self, offset: u64, entry: &Entry, out: &mut Vec<u8>) -> Result<(), Fault> {
        // Parsing has found `entry.data` inside the file.
        let input = &self.data()?[entry.data as usize..];
        resize(out, entry.size, input.len()).map_err(|what| self.bad_at(offset, what))?;
        zlib::inflate_exact(input, out).map_err(|error| self.bad_at(offset, error))?;
        Ok(())
    }

    /// The offset of the base of the delta at `offset`.
    #[inline]
    pub(crate) fn base_offset(&self, offset: u64, base: Base) -> Result<u64, Fault> {
        let at = match base {
            Base::Offset(base) => return Ok(base),
            Base::Id(at) => at,
        };
        let id = self.id_in_data(at)?;
        let index = self.index()?;
        let base = index.find(&id).and_then(|position| index.offset(position));
        base.ok_or_else(|| self.bad_at(offset, format_args!("delta base {id} is not in the pack")))
    }

    /// The id whose raw bytes lie at `at`, where parsing has found them.
    pub(crate) fn id_in_data(&self, at: u64) -> Result<ObjectId, Fault> {
        let raw = &self.data()?[at as usize..at as usize + self.format.len()];
        Ok(ObjectId::from_bytes(self.format, raw).unwrap_or(ObjectId::null(self.format)))
    }

    /// The order in which the objects lie, from the `.rev` file when it is there and sound.
    pub(crate) fn reverse(&self) -> Result<&ReverseIndex, Fault> {
        if self.marks.rev {
            let load = || ReverseIndex::load(&self.path.with_extension("rev"), self.format, self.index()?);
            if let Ok(reverse) = self.reverse.get_or_init(load) {
                return Ok(reverse);
            }
        }
        self.computed_reverse()
    }

    fn computed_reverse(&self) -> Result<&ReverseIndex, Fault> {
        let index = self.index()?;
        self.computed_reverse.get_or_init(|| ReverseIndex::compute(index)).as_ref().ok_or_else(|| {
            Fault::bad(&self.path.with_extension("idx"), "index file has an offset outside its tables")
        })
    }

    /// The rank of the object at `offset`, and the reverse index that knows it.
    fn rank(&self, offset: u64) -> Result<(&ReverseIndex, u32), Fault> {
        let index = self.index()?;
        let reverse = self.reverse()?;
        if let Some(rank) = reverse.rank(index, offset) {
            return Ok((reverse, rank));
        }
        // A damaged `.rev` file may hide it.
        let computed = self.computed_reverse()?;
        let rank = computed.rank(index, offset);
        rank.map(|rank| (computed, rank)).ok_or_else(|| self.bad_at(offset, "there is no object"))
    }

    /// The index position of the object at `offset`.
    pub(crate) fn position_at(&self, offset: u64) -> Result<u32, Fault> {
        let (reverse, rank) = self.rank(offset)?;
        Ok(reverse.position(rank))
    }

    /// How many bytes the object at `offset` takes in the pack.
    pub(crate) fn disk_size(&self, offset: u64) -> Result<u64, Fault> {
        let index = self.index()?;
        let (reverse, rank) = self.rank(offset)?;
        let end = if rank + 1 == index.count() {
            Some(self.data()?.len() as u64)
        } else {
            reverse.offset(index, rank + 1)
        };
        let size = end.and_then(|end| end.checked_sub(offset));
        size.ok_or_else(|| self.bad_at(offset, "the object after it does not follow it"))
    }
}

/// Gives `out` the length `size`, its content undefined; refuses what `compressed_len` bytes cannot inflate to.
pub(crate) fn resize(out: &mut Vec<u8>, size: u64, compressed_len: usize) -> Result<(), &'static str> {
    if size > (compressed_len as u64).saturating_mul(MOST_INFLATED) {
        return Err("object claims a size that its data cannot have");
    }
    let size = usize::try_from(size).map_err(|_| "object is too large for this machine")?;
    if size > out.capacity() {
        spare::make_room(out, size).map_err(|_| "object is too large for the memory there is")?;
    }
    out.resize(size, 0);
    Ok(())
}
