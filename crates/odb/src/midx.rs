//! Multi-pack-indexes: one sorted table for the objects of many packs (gitformat-pack, 'multi-pack-index (MIDX) files').
//!
//! A folder has one file, `multi-pack-index`, or a chain of layers under `multi-pack-index.d`, each of which counts
//! its packs from zero. One that cannot be used is left out and the packs are searched one by one.

use std::ops::Range;
use std::path::Path;

use adit_object::{ObjectFormat, ObjectId};
use adit_sys::Map;
use bstr::{BStr, ByteSlice};

use crate::fault::{Damage, Fault};
use crate::id_table::{FANOUT_LEN, IdTable, be32, be64};

const HEADER_LEN: usize = 12;
const CHUNK_ROW: usize = 12;

/// A chain longer than this is no chain that git wrote.
const MAX_LAYERS: usize = 10_000;

/// One multi-pack-index file.
#[derive(Debug)]
pub(crate) struct MultiPackIndex {
    file: Map,
    format: ObjectFormat,
    ids: IdTable,
    offsets: Range<usize>,
    large_offsets: Range<usize>,
    /// The file names of the packs' indexes, where they lie in the file.
    names: Vec<Range<usize>>,
}

impl MultiPackIndex {
    /// Opens what the pack folder has: the single file, else the layers of the chain. What is damaged is left out.
    pub(crate) fn open_all(
        pack_folder: &Path,
        format: ObjectFormat,
        damage: &mut dyn FnMut(Damage),
    ) -> Vec<MultiPackIndex> {
        match Self::load(&pack_folder.join("multi-pack-index"), format) {
            Ok(index) => return vec![index],
            Err(Fault::Gone(_)) => {}
            Err(fault) => damage(fault.damage()),
        }
        let folder = pack_folder.join("multi-pack-index.d");
        let chain = match std::fs::read(folder.join("multi-pack-index-chain")) {
            Ok(chain) => chain,
            Err(_) => return Vec::new(),
        };
        let mut layers = Vec::new();
        for line in chain.lines().take(MAX_LAYERS) {
            let Ok(hash) = ObjectId::from_hex(format, line) else {
                let what = "a line of the chain is no checksum";
                damage(Damage { path: folder.join("multi-pack-index-chain"), what: what.into() });
                break;
            };
            match Self::load(&folder.join(format!("multi-pack-index-{hash}.midx")), format) {
                Ok(layer) => layers.push(layer),
                Err(fault) => {
                    damage(fault.damage());
                    break;
                }
            }
        }
        layers
    }

    /// Maps the file at `path` and checks that its chunks have the sizes that its number of objects asks for.
    pub(crate) fn load(path: &Path, format: ObjectFormat) -> Result<Self, Fault> {
        let file = Map::open(path).map_err(|error| Fault::io(path, &error))?;
        Self::of(file, format).map_err(|what| Fault::bad(path, what))
    }

    fn of(file: Map, format: ObjectFormat) -> Result<Self, &'static str> {
        if file.len() < HEADER_LEN + format.len() {
            return Err("multi-pack-index file is too small");
        }
        if &file[..4] != b"MIDX" {
            return Err("multi-pack-index file has an unknown signature");
        }
        if !matches!(file[4], 1 | 2) {
            return Err("multi-pack-index file has a version that is not supported");
        }
        if file[5] != format.file_version() {
            return Err("multi-pack-index file has another hash than the repository");
        }
        let chunks = Chunks { file: &file, count: usize::from(file[6]), end: file.len() - format.len() };
        chunks.check()?;
        let packs = be32(&file[8..]) as usize;
        let names = pack_names(&file, chunks.required(b"PNAM")?, packs)?;
        let fanout = chunks.required(b"OIDF")?;
        if fanout.len() != FANOUT_LEN {
            return Err("multi-pack-index OID fanout is of the wrong size");
        }
        let count = IdTable::count_of(&file, fanout.start)?;
        let lookup = chunks.required(b"OIDL")?;
        if Some(lookup.len()) != (count as usize).checked_mul(format.len()) {
            return Err("multi-pack-index OID lookup chunk is the wrong size");
        }
        let offsets = chunks.required(b"OOFF")?;
        if Some(offsets.len()) != (count as usize).checked_mul(8) {
            return Err("multi-pack-index object offset chunk is the wrong size");
        }
        let large_offsets = chunks.find(b"LOFF").unwrap_or(0..0);
        let ids = IdTable::new(fanout.start, lookup.start, format.len(), format.len(), count);
        Ok(MultiPackIndex { file, format, ids, offsets, large_offsets, names })
    }

    /// How many objects it lists.
    pub(crate) fn count(&self) -> u32 {
        self.ids.count()
    }

    /// The file names of the packs' indexes, `pack-*.idx`, by number.
    pub(crate) fn pack_names(&self) -> impl ExactSizeIterator<Item = &BStr> {
        self.names.iter().map(|name| self.file[name.clone()].as_bstr())
    }

    pub(crate) fn find(&self, id: &ObjectId) -> Option<u32> {
        self.ids.find(&self.file, id)
    }

    pub(crate) fn lower_bound(&self, id: &ObjectId) -> u32 {
        self.ids.lower_bound(&self.file, id)
    }

    pub(crate) fn bucket(&self, first: u8) -> (u32, u32) {
        self.ids.bucket(&self.file, first)
    }

    /// The id at `position`, which must be below the count.
    pub(crate) fn id(&self, position: u32) -> ObjectId {
        let raw = self.ids.raw(&self.file, position);
        ObjectId::from_bytes(self.format, raw).unwrap_or(ObjectId::null(self.format))
    }

    /// The number of the pack and the offset in it of the object at `position`, which must be below the count.
    /// `None` when the file is damaged there.
    pub(crate) fn place(&self, position: u32) -> Option<(usize, u64)> {
        let row = &self.file[self.offsets.clone()][position as usize * 8..][..8];
        let pack = be32(row) as usize;
        let offset = be32(&row[4..]);
        if pack >= self.names.len() {
            return None;
        }
        if self.large_offsets.is_empty() || offset & 0x8000_0000 == 0 {
            return Some((pack, u64::from(offset)));
        }
        let row = (offset & 0x7fff_ffff) as usize * 8;
        let large = &self.file[self.large_offsets.clone()];
        Some((pack, be64(large.get(row..row + 8)?)))
    }
}

/// The names in the chunk at `range`: each ends with a NUL, and there are as many as packs.
fn pack_names(file: &[u8], range: Range<usize>, packs: usize) -> Result<Vec<Range<usize>>, &'static str> {
    let mut names = Vec::new();
    let mut at = range.start;
    for _ in 0..packs {
        let len = file[at..range.end].find_byte(0).ok_or("multi-pack-index pack-name chunk is too short")?;
        let name = &file[at..at + len];
        if name.contains(&b'/') || !name.ends_with(b".idx") {
            return Err("multi-pack-index names a file that is no pack index");
        }
        names.push(at..at + len);
        at += len + 1;
    }
    Ok(names)
}

/// The chunk table (gitformat-chunk).
struct Chunks<'a> {
    file: &'a [u8],
    count: usize,
    /// Where the checksum starts.
    end: usize,
}

impl Chunks<'_> {
    fn row(&self, n: usize) -> (&[u8], u64) {
        let row = &self.file[HEADER_LEN + n * CHUNK_ROW..][..CHUNK_ROW];
        (&row[..4], be64(&row[4..]))
    }

    /// The chunks lie one after the other between the table and the checksum.
    fn check(&self) -> Result<(), &'static str> {
        let first = HEADER_LEN + (self.count + 1) * CHUNK_ROW;
        if first > self.end {
            return Err("multi-pack-index file is too small for its chunk table");
        }
        let mut last = first as u64;
        for n in 0..=self.count {
            let (id, offset) = self.row(n);
            if offset < last || offset > self.end as u64 {
                return Err("multi-pack-index has improper chunk offsets");
            }
            if (id == [0; 4]) != (n == self.count) {
                return Err("multi-pack-index chunk table does not end where it should");
            }
            last = offset;
        }
        Ok(())
    }

    fn find(&self, id: &[u8; 4]) -> Option<Range<usize>> {
        let n = (0..self.count).find(|&n| self.row(n).0 == id)?;
        // `check` has found both inside the file.
        Some(self.row(n).1 as usize..self.row(n + 1).1 as usize)
    }

    fn required(&self, id: &[u8; 4]) -> Result<Range<usize>, &'static str> {
        self.find(id).ok_or("multi-pack-index lacks a required chunk")
    }
}
