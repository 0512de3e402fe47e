//! A sorted table of ids with a fan-out before it, as pack indexes and multi-pack-indexes hold.

use std::cmp::Ordering;

use adit_object::ObjectId;

/// The bytes that a fan-out table takes: for each first byte, how many ids are not above it.
pub(crate) const FANOUT_LEN: usize = 256 * 4;

/// Where such a table lies in a file. All its places were checked against the file's length when it was made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct IdTable {
    fanout: usize,
    names: usize,
    stride: usize,
    id_len: usize,
    count: u32,
}

impl IdTable {
    /// Checks the fan-out at `fanout`; the caller has checked that `FANOUT_LEN` bytes are there.
    pub(crate) fn count_of(file: &[u8], fanout: usize) -> Result<u32, &'static str> {
        let mut last = 0;
        for entry in file[fanout..fanout + FANOUT_LEN].chunks_exact(4) {
            let count = be32(entry);
            if count < last {
                return Err("the fan-out table is not monotone");
            }
            last = count;
        }
        Ok(last)
    }

    /// The table whose ids, `id_len` bytes each, start at `names` and lie `stride` bytes apart.
    pub(crate) fn new(fanout: usize, names: usize, stride: usize, id_len: usize, count: u32) -> Self {
        IdTable { fanout, names, stride, id_len, count }
    }

    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    /// The raw id at `position`, which must be below the count.
    #[inline]
    pub(crate) fn raw<'a>(&self, file: &'a [u8], position: u32) -> &'a [u8] {
        let at = self.names + position as usize * self.stride;
        &file[at..at + self.id_len]
    }

    /// The positions of the ids that start with this byte.
    #[inline]
    pub(crate) fn bucket(&self, file: &[u8], first: u8) -> (u32, u32) {
        let at = |byte: u8| {
            let at = self.fanout + usize::from(byte) * 4;
            be32(&file[at..at + 4])
        };
        (if first == 0 { 0 } else { at(first - 1) }, at(first))
    }

    /// Where `id` is.
    #[inline]
    pub(crate) fn find(&self, file: &[u8], id: &ObjectId) -> Option<u32> {
        let position = self.lower_bound(file, id);
        (position < self.count && self.raw(file, position) == id.as_bytes()).then_some(position)
    }

    /// The first position whose id is not below `id`.
    #[inline]
    pub(crate) fn lower_bound(&self, file: &[u8], id: &ObjectId) -> u32 {
        let (low, high) = self.bucket(file, id.first_byte());
        // Ids are spread evenly, so the place can be guessed; a short gallop from the guess finds the true one.
        let spread = u64::from(high - low);
        let fraction = id.first_u64() << 8 >> 32;
        let guess = low + ((spread * fraction) >> 32) as u32;
        let (mut low, mut high) = (low, high);
        let below = |position: u32| self.raw(file, position).cmp(id.as_bytes()) == Ordering::Less;
        let mut step = 8;
        if guess < high && below(guess) {
            low = guess + 1;
            while low + step < high {
                if !below(low + step) {
                    high = low + step;
                    break;
                }
                low += step + 1;
                step *= 2;
            }
        } else {
            high = guess;
            while high - low > step {
                if below(high - step) {
                    low = high - step + 1;
                    break;
                }
                high -= step;
                step *= 2;
            }
        }
        while low < high {
            let middle = low + (high - low) / 2;
            if below(middle) { low = middle + 1 } else { high = middle }
        }
        low
    }
}

/// The 32-bit number that four bytes spell.
#[inline]
pub(crate) fn be32(bytes: &[u8]) -> u32 {
    bytes.first_chunk().map_or(0, |b| u32::from_be_bytes(*b))
}

/// The 64-bit number that eight bytes spell.
#[inline]
pub(crate) fn be64(bytes: &[u8]) -> u64 {
    bytes.first_chunk().map_or(0, |b| u64::from_be_bytes(*b))
}

#[cfg(test)]
mod tests {
    use adit_object::ObjectFormat;

    use super::*;

    fn table(ids: &[[u8; 20]]) -> (Vec<u8>, IdTable) {
        let mut file = Vec::new();
        for byte in 0..=255u8 {
            let count = ids.iter().filter(|id| id[0] <= byte).count() as u32;
            file.extend(count.to_be_bytes());
        }
        file.extend(ids.concat());
        let count = IdTable::count_of(&file, 0).unwrap();
        (file, IdTable::new(0, FANOUT_LEN, 20, 20, count))
    }

    proptest::proptest! {
        #[test]
        fn every_id_is_found_and_no_other(
            mut ids: Vec<[u8; 20]>,
            clustered in proptest::collection::vec(0u8..3, 0..300),
            other: [u8; 20],
        ) {
            ids.extend(clustered.chunks(3).map(|c| {
                let mut id = [7; 20];
                id[1..=c.len()].copy_from_slice(c);
                id
            }));
            ids.sort_unstable();
            ids.dedup();
            let (file, table) = table(&ids);
            for (at, id) in ids.iter().enumerate() {
                let id = ObjectId::from_bytes(ObjectFormat::Sha1, id).unwrap();
                proptest::prop_assert_eq!(table.find(&file, &id), Some(at as u32));
            }
            let id = ObjectId::from_bytes(ObjectFormat::Sha1, &other).unwrap();
            proptest::prop_assert_eq!(table.lower_bound(&file, &id) as usize, ids.partition_point(|i| *i < other));
        }
    }

    #[test]
    fn a_fan_out_that_falls_is_refused() {
        let (mut file, _) = table(&[[1; 20], [2; 20]]);
        file[4 * 200 + 3] = 0;
        assert!(IdTable::count_of(&file, 0).is_err());
    }
}
