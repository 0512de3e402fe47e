//! Pack indexes, versions 1 and 2 (gitformat-pack, 'pack-*.idx files').

use std::path::Path;

use adit_object::{ObjectFormat, ObjectId};
use adit_sys::Map;

use crate::fault::Fault;
use crate::id_table::{FANOUT_LEN, IdTable, be32, be64};

const MAGIC: &[u8] = b"\xfftOc";

/// Where each object of a pack lies, by id.
#[derive(Debug)]
pub struct PackIndex {
    file: Bytes,
    format: ObjectFormat,
    ids: IdTable,
    /// Where the tables of version 2 start; `None` is version 1.
    tables: Option<Tables>,
}

#[derive(Debug)]
enum Bytes {
    Mapped(Map),
    Read(Vec<u8>),
}

impl std::ops::Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Mapped(map) => map,
            Bytes::Read(bytes) => bytes,
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Tables {
    checksums: usize,
    offsets: usize,
    large_offsets: usize,
    large_count: usize,
}

impl PackIndex {
    /// Maps the index at `path` and checks that its tables fit the file.
    pub fn open(path: &Path, format: ObjectFormat) -> Result<Self, adit_object::SourceError> {
        Self::load(path, format).map_err(|fault| fault.for_object(None))
    }

    pub(crate) fn load(path: &Path, format: ObjectFormat) -> Result<Self, Fault> {
        let file = Map::open(path).map_err(|error| Fault::io(path, &error))?;
        Self::of(Bytes::Mapped(file), format).map_err(|what| Fault::bad(path, what))
    }

    /// Reads an index that came through a pipe.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn from_bytes(bytes: Vec<u8>, format: ObjectFormat) -> Result<Self, &'static str> {
        Self::of(Bytes::Read(bytes), format)
    }

    fn of(file: Bytes, format: ObjectFormat) -> Result<Self, &'static str> {
        let id_len = format.len();
        let version_2 = file.starts_with(MAGIC);
        let fanout = if version_2 { 8 } else { 0 };
        let trailer = 2 * id_len;
        let names = fanout + FANOUT_LEN;
        if file.len() < names + trailer {
            return Err("index file is too small");
        }
        if version_2 && be32(&file[4..]) != 2 {
            return Err("index file has a version that is not supported");
        }
        let count = IdTable::count_of(&file, fanout)?;
        let len = count as usize;
        let wrong_size = "index file has the wrong size for its number of objects";
        // An object takes at most 44 bytes and the file is in memory, so on 64-bit machines nothing can overflow.
        let room = file.len() - names - trailer;
        if !version_2 {
            if len.checked_mul(4 + id_len) != Some(room) {
                return Err(wrong_size);
            }
            let ids = IdTable::new(fanout, names + 4, 4 + id_len, id_len, count);
            return Ok(PackIndex { file, format, ids, tables: None });
        }
        let fixed = len.checked_mul(id_len + 8).ok_or(wrong_size)?;
        let large = room.checked_sub(fixed).ok_or(wrong_size)?;
        if !large.is_multiple_of(8) || large / 8 > len.saturating_sub(1) {
            return Err(wrong_size);
        }
        let checksums = names + len * id_len;
        let offsets = checksums + len * 4;
        let tables = Tables { checksums, offsets, large_offsets: offsets + len * 4, large_count: large / 8 };
        let ids = IdTable::new(fanout, names, id_len, id_len, count);
        Ok(PackIndex { file, format, ids, tables: Some(tables) })
    }

    /// 1 or 2.
    pub fn version(&self) -> u8 {
        if self.tables.is_some() { 2 } else { 1 }
    }

    /// How many objects the pack holds.
    pub fn count(&self) -> u32 {
        self.ids.count()
    }

    /// The id at `position` of the sorted table, which must be below the count.
    pub fn id(&self, position: u32) -> ObjectId {
        ObjectId::from_bytes(self.format, self.raw_id(position)).unwrap_or(ObjectId::null(self.format))
    }

    /// The raw bytes of the id at `position`, which must be below the count.
    pub fn raw_id(&self, position: u32) -> &[u8] {
        self.ids.raw(&self.file, position)
    }

    /// Where in the pack the object at `position` (below the count) lies; `None` when the index is damaged there.
    #[inline]
    pub fn offset(&self, position: u32) -> Option<u64> {
        let position = position as usize;
        let Some(tables) = &self.tables else {
            return Some(u64::from(be32(&self.file[FANOUT_LEN + position * (4 + self.format.len())..])));
        };
        let offset = be32(&self.file[tables.offsets + position * 4..]);
        if offset & 0x8000_0000 == 0 {
            return Some(u64::from(offset));
        }
        let row = (offset & 0x7fff_ffff) as usize;
        (row < tables.large_count).then(|| be64(&self.file[tables.large_offsets + row * 8..]))
    }

    /// The CRC-32 of the object at `position` (below the count) as it lies in the pack; version 1 has none.
    pub fn crc32(&self, position: u32) -> Option<u32> {
        self.tables.map(|tables| be32(&self.file[tables.checksums + position as usize * 4..]))
    }

    /// The position of `id`.
    #[inline]
    pub fn find(&self, id: &ObjectId) -> Option<u32> {
        self.ids.find(&self.file, id)
    }

    /// The first position whose id is not below `id`.
    pub(crate) fn lower_bound(&self, id: &ObjectId) -> u32 {
        self.ids.lower_bound(&self.file, id)
    }

    /// The positions of the ids whose first byte this is.
    pub(crate) fn bucket(&self, first: u8) -> (u32, u32) {
        self.ids.bucket(&self.file, first)
    }

    /// The checksum that the pack ends with.
    pub fn pack_checksum(&self) -> &[u8] {
        let len = self.format.len();
        &self.file[self.file.len() - 2 * len..self.file.len() - len]
    }

    /// The whole file.
    pub fn bytes(&self) -> &[u8] {
        &self.file
    }
}
