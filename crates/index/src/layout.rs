//! The frame of an index file: header, entries, extensions, checksum; and the two extensions that say where its
//! parts lie, EOIE and IEOT (gitformat-index).

use std::ops::Range;

use adit_object::{Checksum, ObjectFormat};
use bstr::ByteSlice;

use crate::error::Fault;

/// Which version of the format a file has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    /// The first one that is still read.
    V2,
    /// With more flags.
    V3,
    /// With paths that share their beginning with the path before.
    V4,
}

impl Version {
    /// The version of that number.
    pub fn of_number(number: u32) -> Option<Version> {
        match number {
            2 => Some(Version::V2),
            3 => Some(Version::V3),
            4 => Some(Version::V4),
            _ => None,
        }
    }

    /// Its number.
    pub fn number(self) -> u32 {
        match self {
            Version::V2 => 2,
            Version::V3 => 3,
            Version::V4 => 4,
        }
    }
}

/// The four bytes that name an extension.
pub(crate) type Signature = [u8; 4];

pub(crate) const HEADER_LEN: usize = 12;
pub(crate) const END_OF_ENTRIES: Signature = *b"EOIE";
pub(crate) const ENTRY_OFFSETS: Signature = *b"IEOT";
/// The version of the table of offsets.
pub(crate) const ENTRY_OFFSETS_VERSION: u32 = 1;

/// An extension: its name, and where its content lies in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Extension {
    pub(crate) signature: Signature,
    pub(crate) content: Range<usize>,
}

/// A run of entries that can be read without those before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) start: usize,
    pub(crate) count: usize,
}

/// The header of a file, and its bytes without the checksum.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame<'a> {
    pub(crate) version: Version,
    pub(crate) count: usize,
    /// All bytes but the checksum.
    pub(crate) body: &'a [u8],
    pub(crate) checksum: &'a [u8],
}

impl<'a> Frame<'a> {
    pub(crate) fn read(format: ObjectFormat, bytes: &'a [u8]) -> Result<Self, Fault> {
        let body_len = bytes.len().checked_sub(format.len()).filter(|len| *len >= HEADER_LEN);
        let (body, checksum) = bytes.split_at(body_len.ok_or(Fault::TooShort)?);
        if !body.starts_with(b"DIRC") {
            return Err(Fault::corrupt(format!("bad signature 0x{:08x}", be32(body, 0))));
        }
        let version = be32(body, 4);
        let version = Version::of_number(version)
            .ok_or_else(|| Fault::corrupt(format!("bad index version {version}")))?;
        let count = be32(body, 8) as usize;
        // An entry has a flag word and a byte of path, or of its end, after the id.
        let smallest = crate::entry::flags_at(format) + 3;
        if count > (body.len() - HEADER_LEN) / smallest {
            return Err(Fault::corrupt(format!("too short for {count} entries")));
        }
        Ok(Frame { version, count, body, checksum })
    }

    /// Checks the checksum, unless the file was written without one.
    pub(crate) fn verify(&self, format: ObjectFormat) -> Result<(), Fault> {
        if self.checksum.iter().all(|byte| *byte == 0) {
            return Ok(());
        }
        let mut checksum = Checksum::new(format);
        checksum.update(self.body);
        if checksum.finalize().as_bytes() == self.checksum {
            Ok(())
        } else {
            Err(Fault::corrupt("bad index file sha1 signature"))
        }
    }

    /// Where the entries end, when the last extension says so and what lies behind is as it says.
    pub(crate) fn end_of_entries(&self, format: ObjectFormat) -> Option<usize> {
        let content_len = 4 + format.len();
        let at = self.body.len().checked_sub(8 + content_len)?;
        let last = &self.body[at..];
        if !last.starts_with(&END_OF_ENTRIES) || be32(last, 4) as usize != content_len {
            return None;
        }
        let end = be32(last, 8) as usize;
        if !(HEADER_LEN..=at).contains(&end) {
            return None;
        }
        let extensions = self.extensions(end).ok()?;
        let sum = headers_checksum(format, extensions.iter().filter(|e| e.signature != END_OF_ENTRIES));
        (last[12..] == *sum.as_bytes()).then_some(end)
    }

    /// The extensions that lie after `end`, where the entries end.
    pub(crate) fn extensions(&self, end: usize) -> Result<Vec<Extension>, Fault> {
        let mut found = Vec::new();
        let mut at = end;
        while at < self.body.len() {
            let header =
                self.body.get(at..at + 8).ok_or_else(|| Fault::corrupt("cut short in an extension"))?;
            let signature: Signature = [header[0], header[1], header[2], header[3]];
            let start = at + 8;
            let size = be32(header, 4) as usize;
            if size > self.body.len() - start {
                let name = signature.as_bstr().to_string();
                return Err(Fault::corrupt(format!("{name} extension is longer than the file")));
            }
            found.push(Extension { signature, content: start..start + size });
            at = start + size;
        }
        Ok(found)
    }

    /// The blocks that the entries before `end` can be read in; `None` unless they are as many as there should be.
    pub(crate) fn blocks(&self, end: usize, extensions: &[Extension]) -> Option<Vec<Block>> {
        let table = extensions.iter().find(|extension| extension.signature == ENTRY_OFFSETS)?;
        let content = &self.body[table.content.clone()];
        let (version, rows) = content.split_first_chunk::<4>()?;
        if u32::from_be_bytes(*version) != ENTRY_OFFSETS_VERSION || rows.len() % 8 != 0 {
            return None;
        }
        let block = |row: &[u8; 8]| Block { start: be32(row, 0) as usize, count: be32(row, 4) as usize };
        let blocks: Vec<Block> = rows.as_chunks::<8>().0.iter().map(block).collect();
        let total = blocks.iter().try_fold(0_usize, |sum, block| sum.checked_add(block.count))?;
        let ascending = blocks.is_sorted_by(|a, b| a.start < b.start);
        let inside = blocks.first()?.start == HEADER_LEN && blocks.last()?.start < end;
        (ascending && inside && total == self.count).then_some(blocks)
    }
}

/// The hash over the names and sizes of extensions that EOIE holds.
pub(crate) fn headers_checksum<'e>(
    format: ObjectFormat,
    extensions: impl Iterator<Item = &'e Extension>,
) -> adit_object::ObjectId {
    let mut checksum = Checksum::new(format);
    for extension in extensions {
        checksum.update(&extension.signature);
        let size = u32::try_from(extension.content.len()).unwrap_or(u32::MAX);
        checksum.update(&size.to_be_bytes());
    }
    checksum.finalize()
}

/// The number at `at`; zero where there is none.
pub(crate) fn be32(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(|bytes| bytes.first_chunk::<4>()).map_or(0, |bytes| u32::from_be_bytes(*bytes))
}
