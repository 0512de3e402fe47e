//! The header of an object in a pack (gitformat-pack, 'Object encoding').

use adit_object::ObjectKind;

/// How an object is stored in a pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Storage {
    /// Whole.
    Whole(ObjectKind),
    /// As a delta.
    Delta(Base),
}

/// How a delta names its base.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Base {
    /// It is the object at this offset of the same pack.
    Offset(u64),
    /// It is the object whose raw id lies at this offset of the pack.
    Id(u64),
}

/// What stands before the compressed data of an object in a pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry {
    /// How it is stored.
    pub(crate) storage: Storage,
    /// The inflated size of the data that follows: the object's, or the delta's.
    pub(crate) size: u64,
    /// Where in the pack the compressed data starts.
    pub(crate) data: u64,
}

impl Entry {
    /// Whether it is stored as a delta.
    pub(crate) fn is_delta(&self) -> bool {
        matches!(self.storage, Storage::Delta(_))
    }

    /// Reads the header at `offset` of the pack's bytes.
    pub(crate) fn parse(pack: &[u8], offset: u64, id_len: usize) -> Result<Entry, &'static str> {
        let start = usize::try_from(offset).map_err(|_| "offset beyond the end of the pack")?;
        let bytes = pack.get(start..).filter(|b| !b.is_empty()).ok_or("offset beyond the end of the pack")?;
        let first = bytes[0];
        let mut size = u64::from(first & 15);
        let mut at = 1;
        let mut shift = 4;
        let mut byte = first;
        while byte & 0x80 != 0 {
            byte = *bytes.get(at).ok_or("object header is cut short")?;
            let part = u64::from(byte & 0x7f);
            if shift > 63 || part << shift >> shift != part {
                return Err("object size does not fit 64 bits");
            }
            size |= part << shift;
            shift += 7;
            at += 1;
        }
        let storage = match first >> 4 & 7 {
            1 => Storage::Whole(ObjectKind::Commit),
            2 => Storage::Whole(ObjectKind::Tree),
            3 => Storage::Whole(ObjectKind::Blob),
            4 => Storage::Whole(ObjectKind::Tag),
            6 => {
                let (distance, len) = read_distance(&bytes[at..])?;
                at += len;
                // The base lies before its delta, so that no chain of these can loop.
                let base = offset.checked_sub(distance).filter(|_| distance > 0);
                Storage::Delta(Base::Offset(base.ok_or("delta base offset is out of bound")?))
            }
            7 => {
                let id = at;
                at += id_len;
                if bytes.len() < at {
                    return Err("delta base id is cut short");
                }
                Storage::Delta(Base::Id(offset + id as u64))
            }
            _ => return Err("unknown object type"),
        };
        Ok(Entry { storage, size, data: offset + at as u64 })
    }
}

/// Reads the 'offset encoding' and how many bytes it took.
fn read_distance(bytes: &[u8]) -> Result<(u64, usize), &'static str> {
    let mut value = 0u64;
    for (at, &byte) in bytes.iter().enumerate() {
        value =
            value.checked_shl(7).filter(|v| v >> 7 == value).ok_or("delta base offset is out of bound")?;
        value |= u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Ok((value, at + 1));
        }
        value = value.checked_add(1).ok_or("delta base offset is out of bound")?;
    }
    Err("delta base offset is cut short")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write_entry(kind: u8, mut size: u64) -> Vec<u8> {
        let mut bytes = vec![kind << 4 | (size & 15) as u8];
        size >>= 4;
        while size > 0 {
            *bytes.last_mut().unwrap() |= 0x80;
            bytes.push((size & 0x7f) as u8);
            size >>= 7;
        }
        bytes
    }

    fn write_distance(mut distance: u64) -> Vec<u8> {
        let mut bytes = vec![(distance & 0x7f) as u8];
        distance >>= 7;
        while distance > 0 {
            distance -= 1;
            bytes.push(0x80 | (distance & 0x7f) as u8);
            distance >>= 7;
        }
        bytes.reverse();
        bytes
    }

    proptest::proptest! {
        #[test]
        fn sizes_round_trip(size: u64) {
            let bytes = write_entry(3, size);
            let entry = Entry::parse(&bytes, 0, 20).unwrap();
            proptest::prop_assert_eq!(entry.size, size);
            proptest::prop_assert_eq!(entry.data, bytes.len() as u64);
        }

        #[test]
        fn distances_round_trip(distance: u64) {
            let bytes = write_distance(distance);
            proptest::prop_assert_eq!(read_distance(&bytes), Ok((distance, bytes.len())));
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes: Vec<u8>, offset in 0u64..40) {
            let _ = Entry::parse(&bytes, offset, 20);
        }
    }

    #[test]
    fn deltas_point_back_and_inside_the_pack() {
        let mut pack = vec![0; 300];
        pack.extend(write_entry(6, 5));
        pack.extend(write_distance(200));
        assert_eq!(
            Entry::parse(&pack, 300, 20),
            Ok(Entry { storage: Storage::Delta(Base::Offset(100)), size: 5, data: 303 })
        );
        for distance in [0, 301, u64::MAX] {
            pack.truncate(301);
            pack.extend(write_distance(distance));
            assert!(Entry::parse(&pack, 300, 20).is_err(), "{distance}");
        }
        pack.truncate(300);
        pack.extend(write_entry(7, 5));
        pack.extend([0; 19]);
        assert!(Entry::parse(&pack, 300, 20).is_err());
        pack.push(0);
        assert_eq!(
            Entry::parse(&pack, 300, 20),
            Ok(Entry { storage: Storage::Delta(Base::Id(301)), size: 5, data: 321 })
        );
    }
}
