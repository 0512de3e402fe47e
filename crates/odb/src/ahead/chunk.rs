//! Commits that lie one after the other in a pack, inflated.

use std::ops::Range;

use adit_object::{ObjectKind, zlib};

use crate::pack::Pack;
use crate::pack::entry::Storage;
use crate::pack::reverse::ReverseIndex;

/// How many objects a chunk covers.
pub(super) const CHUNK: u32 = 128;

/// Contents beyond this are left to the reader: a chunk of usual commits takes a quarter of it.
const LARGEST: usize = 512 << 10;

/// The commits of a part of a pack that are stored whole, as nearly all are.
#[derive(Default)]
pub(super) struct Chunk {
    /// The part of the pack.
    range: Range<u64>,
    /// For each commit its offset, and where its content ends.
    commits: Vec<(u64, u32)>,
    contents: Vec<u8>,
}

impl Chunk {
    /// Inflates the commits among the objects of `ranks`, which lie in `range`. What cannot be read is left out.
    pub(super) fn read(pack: &Pack, reverse: &ReverseIndex, ranks: Range<u32>, range: Range<u64>) -> Chunk {
        let mut chunk = Chunk { range, commits: Vec::new(), contents: Vec::new() };
        let (Ok(index), Ok(data)) = (pack.index(), pack.data()) else { return chunk };
        for rank in ranks {
            let Some(offset) = reverse.offset(index, rank) else { continue };
            chunk.add(pack, data, offset);
        }
        chunk
    }

    fn add(&mut self, pack: &Pack, data: &[u8], offset: u64) {
        let Ok(entry) = pack.entry(offset) else { return };
        let start = self.contents.len();
        if entry.storage != Storage::Whole(ObjectKind::Commit) || entry.size > (LARGEST - start) as u64 {
            return;
        }
        if self.commits.is_empty() {
            self.commits.reserve(CHUNK as usize);
            self.contents.reserve(CHUNK as usize * 1000);
        }
        self.contents.resize(start + entry.size as usize, 0);
        // Parsing has found `entry.data` inside the file.
        if zlib::inflate_exact(&data[entry.data as usize..], &mut self.contents[start..]).is_ok() {
            self.commits.push((offset, self.contents.len() as u32));
        } else {
            self.contents.truncate(start);
        }
    }

    /// How many commits there are.
    pub(super) fn len(&self) -> u32 {
        self.commits.len() as u32
    }

    /// How much memory the contents take.
    pub(super) fn size(&self) -> usize {
        self.contents.capacity()
    }

    /// Whether `offset` lies in this part of the pack.
    pub(super) fn covers(&self, offset: u64) -> bool {
        self.range.contains(&offset)
    }

    /// Copies the commit at `offset`, if it is here. `place` is where the one before was found, and is set.
    pub(super) fn take(&self, offset: u64, place: &mut usize, out: &mut Vec<u8>) -> bool {
        if self.commits.get(*place + 1).is_some_and(|commit| commit.0 == offset) {
            *place += 1;
        } else {
            match self.commits.binary_search_by_key(&offset, |commit| commit.0) {
                Ok(found) => *place = found,
                Err(_) => return false,
            }
        }
        let start = place.checked_sub(1).map_or(0, |before| self.commits[before].1);
        out.clear();
        out.extend_from_slice(&self.contents[start as usize..self.commits[*place].1 as usize]);
        true
    }
}
