//! Packs made by hand, with an index that says what the test wants it to say.

use std::path::{Path, PathBuf};

use adit_object::zlib::Deflater;
use adit_object::{Checksum, ObjectFormat, ObjectId};

pub(crate) struct MadePack {
    format: ObjectFormat,
    bytes: Vec<u8>,
    entries: Vec<(ObjectId, u64)>,
}

impl MadePack {
    pub(crate) fn new(format: ObjectFormat) -> Self {
        MadePack { format, bytes: b"PACK\0\0\0\x02\0\0\0\0".to_vec(), entries: Vec::new() }
    }

    /// The offset that the next entry gets.
    pub(crate) fn next(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Adds an entry under any id and returns its offset.
    pub(crate) fn add(&mut self, id: ObjectId, entry: Vec<u8>) -> u64 {
        let offset = self.next();
        self.entries.push((id, offset));
        self.bytes.extend(entry);
        offset
    }

    /// Writes pack and index, and returns the path of the pack.
    pub(crate) fn write(mut self, folder: &Path, name: &str) -> PathBuf {
        self.bytes[8..12].copy_from_slice(&(self.entries.len() as u32).to_be_bytes());
        let checksum = Checksum::of(self.format, &self.bytes);
        self.bytes.extend_from_slice(checksum.as_bytes());
        self.entries.sort();
        let mut index = b"\xfftOc\0\0\0\x02".to_vec();
        for byte in 0..=255 {
            let count = self.entries.iter().filter(|(id, _)| id.first_byte() <= byte).count();
            index.extend((count as u32).to_be_bytes());
        }
        index.extend(self.entries.iter().flat_map(|(id, _)| id.as_bytes().to_vec()));
        index.extend(vec![0; 4 * self.entries.len()]);
        index.extend(self.entries.iter().flat_map(|(_, offset)| (*offset as u32).to_be_bytes()));
        index.extend(checksum.as_bytes());
        index.extend(Checksum::of(self.format, &index).as_bytes());
        let path = folder.join(format!("pack-{name}.pack"));
        std::fs::write(&path, self.bytes).unwrap();
        std::fs::write(path.with_extension("idx"), index).unwrap();
        path
    }
}

fn header(kind: u8, mut size: usize) -> Vec<u8> {
    let mut bytes = vec![kind << 4 | (size & 15) as u8];
    size >>= 4;
    while size > 0 {
        *bytes.last_mut().unwrap() |= 0x80;
        bytes.push((size & 0x7f) as u8);
        size >>= 7;
    }
    bytes
}

fn deflate(data: &[u8], out: &mut Vec<u8>) {
    Deflater::new(6).deflate(data, out);
}

/// An entry that holds its object whole; 3 is a blob.
pub(crate) fn whole(kind: u8, data: &[u8]) -> Vec<u8> {
    let mut bytes = header(kind, data.len());
    deflate(data, &mut bytes);
    bytes
}

/// A delta against what lies `distance` bytes before it.
pub(crate) fn offset_delta(mut distance: u64, delta: &[u8]) -> Vec<u8> {
    let mut bytes = header(6, delta.len());
    let mut reversed = vec![(distance & 0x7f) as u8];
    distance >>= 7;
    while distance > 0 {
        distance -= 1;
        reversed.push(0x80 | (distance & 0x7f) as u8);
        distance >>= 7;
    }
    bytes.extend(reversed.iter().rev());
    deflate(delta, &mut bytes);
    bytes
}

/// A delta against `base`.
pub(crate) fn id_delta(base: &ObjectId, delta: &[u8]) -> Vec<u8> {
    let mut bytes = header(7, delta.len());
    bytes.extend(base.as_bytes());
    deflate(delta, &mut bytes);
    bytes
}
