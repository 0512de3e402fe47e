//! Reverse indexes: the objects of a pack in the order in which they lie (gitformat-pack, 'pack-*.rev files').

use std::path::Path;

use adit_object::ObjectFormat;
use adit_sys::Map;

use super::index::PackIndex;
use crate::fault::Fault;
use crate::id_table::be32;

const HEADER_LEN: usize = 12;

/// Index positions sorted by offset, from a `.rev` file or computed.
#[derive(Debug)]
pub(crate) enum ReverseIndex {
    File(Map),
    Memory(Vec<u32>),
}

impl ReverseIndex {
    /// Maps the `.rev` file at `path` and checks its header and size against the index.
    pub(crate) fn load(path: &Path, format: ObjectFormat, index: &PackIndex) -> Result<Self, Fault> {
        let file = Map::open(path).map_err(|error| Fault::io(path, &error))?;
        let bad = |what| Err(Fault::bad(path, what));
        let positions = index.count() as usize * 4;
        if file.len() != HEADER_LEN + positions + 2 * format.len() {
            return bad("reverse-index file has the wrong size for its number of objects");
        }
        if &file[..4] != b"RIDX" {
            return bad("reverse-index file has an unknown signature");
        }
        if be32(&file[4..]) != 1 {
            return bad("reverse-index file has a version that is not supported");
        }
        if be32(&file[8..]) != u32::from(format.file_version()) {
            return bad("reverse-index file has another hash than the repository");
        }
        if file[HEADER_LEN + positions..][..format.len()] != *index.pack_checksum() {
            return bad("reverse-index file belongs to another pack");
        }
        Ok(ReverseIndex::File(file))
    }

    /// Sorts the index by offset. An index that is damaged somewhere has no order.
    pub(crate) fn compute(index: &PackIndex) -> Option<Self> {
        let mut entries = Vec::with_capacity(index.count() as usize);
        for position in 0..index.count() {
            entries.push((index.offset(position)?, position));
        }
        sort_by_offset(&mut entries);
        Some(ReverseIndex::Memory(entries.into_iter().map(|(_, position)| position).collect()))
    }

    /// The index position of the object that lies at `rank` (below the count) in the pack.
    #[inline]
    pub(crate) fn position(&self, rank: u32) -> u32 {
        match self {
            ReverseIndex::File(file) => be32(&file[HEADER_LEN + rank as usize * 4..]),
            ReverseIndex::Memory(positions) => positions[rank as usize],
        }
    }

    /// The offset of the object at `rank` (below the count); `None` when a file is damaged there.
    #[inline]
    pub(crate) fn offset(&self, index: &PackIndex, rank: u32) -> Option<u64> {
        let position = self.position(rank);
        if position < index.count() { index.offset(position) } else { None }
    }

    /// The rank of the object at exactly `offset`.
    pub(crate) fn rank(&self, index: &PackIndex, offset: u64) -> Option<u32> {
        let (mut low, mut high) = (0, index.count());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.offset(index, middle)?.cmp(&offset) {
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }
}

/// Below this many entries a comparison sort is as fast.
const RADIX_FROM: usize = 1 << 12;
const DIGIT_BITS: u32 = 11;

/// Sorts by offset: by radix, digit by digit from the lowest, as many as the largest offset has.
fn sort_by_offset(entries: &mut Vec<(u64, u32)>) {
    if entries.len() < RADIX_FROM {
        entries.sort_unstable();
        return;
    }
    let largest = entries.iter().map(|e| e.0).max().unwrap_or(0);
    let mut other = vec![(0, 0); entries.len()];
    let mut shift = 0;
    while shift < 64 && largest >> shift != 0 {
        let digit = |offset: u64| (offset >> shift) as usize & ((1 << DIGIT_BITS) - 1);
        let mut places = [0usize; 1 << DIGIT_BITS];
        for entry in entries.iter() {
            places[digit(entry.0)] += 1;
        }
        let mut total = 0;
        for place in &mut places {
            total += std::mem::replace(place, total);
        }
        for &entry in entries.iter() {
            let place = &mut places[digit(entry.0)];
            other[*place] = entry;
            *place += 1;
        }
        std::mem::swap(entries, &mut other);
        shift += DIGIT_BITS;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn radix_sorts_as_comparison_does() {
        let mut state = 1u64;
        for bits in [0, 10, 11, 12, 31, 33, 63] {
            let mut entries: Vec<(u64, u32)> = (0..2 * RADIX_FROM as u32)
                .map(|i| {
                    state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    (state >> (63 - bits), i)
                })
                .collect();
            let mut expected = entries.clone();
            expected.sort_by_key(|e| e.0);
            sort_by_offset(&mut entries);
            assert!(entries == expected, "{bits} bits");
        }
    }
}
