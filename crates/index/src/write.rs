//! Writing the index file: the bytes that git writes for the same entries.

use std::io::{self, Write};
use std::path::Path;

use adit_object::{Checksum, ObjectId};
use adit_sys::{Durability, Folder, LockFile, Sharing, Temporary};

use crate::decode::common_prefix;
use crate::entry::{Entry, FLAG_EXTENDED, LENGTH_MASK, flags_at};
use crate::error::Error;
use crate::index::{FILE, Index, Kept};
use crate::layout::{
    END_OF_ENTRIES, ENTRY_OFFSETS, ENTRY_OFFSETS_VERSION, Extension, HEADER_LEN, Signature, Version,
    headers_checksum,
};
use crate::pool::Slot;
use crate::split::Shared;

/// Which extensions say where the parts of the file lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OffsetTables {
    /// Whether one says where the entries end (`index.recordEndOfIndexEntries`).
    pub end_of_entries: bool,
    /// In how many blocks entries can be read apart (`index.recordOffsetTable`); one or none needs no table.
    pub blocks: usize,
}

/// How an index file is written.
#[derive(Debug, Clone, Copy, Default)]
pub struct WriteOptions {
    /// Which extensions say where the parts of the file lie.
    pub offset_tables: OffsetTables,
    /// Whether the checksum is left out (`index.skipHash`).
    pub skip_hash: bool,
    /// How much survives a crash of the machine.
    pub durability: Durability,
    /// How many entries of a hundred may differ from the shared file of a split index before a new shared
    /// file is written (`splitIndex.maxPercentChange`).
    pub max_percent_change: u8,
    /// Whether entries without an object are let pass, which `filter-branch` needs to repair old history.
    pub allow_null_ids: bool,
    /// Who may read and write the shared file of a split index.
    pub sharing: Sharing,
}

impl Index {
    /// Writes the index in the place of the file that is locked. `is_changed` is asked of entries whose files may have
    /// changed unseen (see [`Index::is_racy`]): when it has, the entry is written with no size, so that nobody takes the
    /// file for unchanged.
    ///
    /// # Errors
    /// When the file cannot be written. It is then as it was.
    pub fn write(
        &mut self,
        mut lock: LockFile,
        options: &WriteOptions,
        mut is_changed: impl FnMut(&Entry<'_>) -> bool,
    ) -> Result<(), Error> {
        let path = lock.target().to_owned();
        let write_error = |error| Error::Write { path: path.clone(), error };
        let version = self.survey(&mut is_changed, options.allow_null_ids).map_err(write_error)?;
        if self.split.is_some() {
            self.renew_shared(&path, version, options).map_err(write_error)?;
        }
        let checksum = self.write_all(&mut lock, version, options).map_err(write_error)?;
        lock.commit(options.durability).map_err(write_error)?;
        self.checksum = checksum;
        self.changed = false;
        Ok(())
    }

    /// Looks at all entries once: gives those no size whose files have changed in the moment in which they were added,
    /// refuses those without an object, and finds the version that they need.
    fn survey(
        &mut self,
        is_changed: &mut dyn FnMut(&Entry<'_>) -> bool,
        allow_null_ids: bool,
    ) -> io::Result<Version> {
        let mut extended = false;
        for at in 0..self.slots.len() {
            let entry = self.entry(at);
            if !allow_null_ids && entry.raw_id().iter().all(|byte| *byte == 0) {
                return Err(io::Error::other(format!("cache entry has null sha1: {}", entry.path())));
            }
            extended |= entry.extended_bits() != 0;
            let mut stat = entry.stat();
            if self.is_racy(&stat) && stat.size != 0 && !entry.is_sparse_folder() && is_changed(&entry) {
                stat.size = 0;
                self.set_stat(at, &stat);
            }
        }
        Ok(match (self.version, extended) {
            (Version::V4, _) => Version::V4,
            (_, true) => Version::V3,
            (_, false) => Version::V2,
        })
    }

    /// Writes a shared file when there is none yet, or too much differs from it.
    fn renew_shared(&mut self, path: &Path, version: Version, options: &WriteOptions) -> io::Result<()> {
        let Some(shared) = &self.split else { return Ok(()) };
        if !shared.id.is_null() {
            let difference = shared.difference(self);
            let differ = difference.replaced.len() + difference.added.len();
            if differ * 100 <= self.slots.len() * usize::from(options.max_percent_change) {
                return Ok(());
            }
        }
        let folder_path = path.parent().unwrap_or(Path::new("."));
        let folder = Folder::open(folder_path)?.ok_or(io::ErrorKind::NotFound)?;
        let name = format!("sharedindex_{}", std::process::id());
        let (temporary, mut file) =
            Temporary::create_in(&folder, name.as_bytes(), folder_path.join(&name), 0o666)?;
        let mut sink = Sink::new(self, &mut file, false);
        sink.entries(self, version, &self.slots, 0, &[])?;
        let id = sink.finish()?.unwrap_or(ObjectId::null(self.format()));
        if options.durability == Durability::Content {
            file.sync_all()?;
        }
        options.sharing.adjust(temporary.path())?;
        temporary.rename(&folder, name.as_bytes(), format!("sharedindex.{id}").as_bytes())?;
        let slots = self.slots.clone();
        self.split = Some(Shared { id, slots });
        Ok(())
    }

    fn write_all(
        &mut self,
        out: &mut dyn Write,
        version: Version,
        options: &WriteOptions,
    ) -> io::Result<Option<ObjectId>> {
        let mut sink = Sink::new(self, out, options.skip_hash);
        let difference = self.split.as_ref().map(|shared| shared.difference(self));
        let (nameless, slots): (&[Slot], &[Slot]) = match &difference {
            Some(difference) => (&difference.replaced, &difference.added),
            None => (&[], &self.slots),
        };
        sink.entries(self, version, slots, options.offset_tables.blocks, nameless)?;
        sink.table_of_blocks()?;
        if let Some(difference) = &difference {
            sink.extension(*b"link", &difference.link)?;
        }
        self.write_tables(&mut sink)?;
        if self.sparse {
            sink.extension(*b"sdir", &[])?;
        }
        if options.offset_tables.end_of_entries {
            sink.end_of_entries()?;
        }
        self.version = version;
        sink.finish()
    }

    /// The extensions that hold what is known beside the entries.
    fn write_tables(&self, sink: &mut Sink<'_>) -> io::Result<()> {
        let mut content = Vec::new();
        match &self.cache_tree {
            Kept::File { range, .. } if self.cache_tree().is_some() => {
                content.extend_from_slice(self.file_bytes(range).unwrap_or_default());
            }
            _ => self.cache_tree().into_iter().for_each(|tree| tree.append(&mut content)),
        }
        if !content.is_empty() {
            sink.extension(*b"TREE", &content)?;
            content.clear();
        }
        if let Some(undo) = self.resolve_undo().filter(|undo| !undo.is_empty()) {
            undo.append(&mut content);
            sink.extension(*b"REUC", &content)?;
        }
        if let Some(untracked) = self.untracked_cache() {
            sink.extension(*b"UNTR", untracked)?;
        }
        Ok(())
    }
}

/// What is written: counted, hashed, and passed on in large pieces.
struct Sink<'o> {
    out: &'o mut dyn Write,
    format: adit_object::ObjectFormat,
    checksum: Option<Checksum>,
    pending: Vec<u8>,
    /// How many bytes were passed on.
    flushed: usize,
    blocks: Vec<(usize, usize)>,
    entries_end: usize,
    extensions: Vec<Extension>,
}

const PIECE: usize = 1 << 18;

impl<'o> Sink<'o> {
    fn new(index: &Index, out: &'o mut dyn Write, skip_hash: bool) -> Self {
        let format = index.format();
        Sink {
            out,
            format,
            checksum: (!skip_hash).then(|| Checksum::new(format)),
            pending: Vec::with_capacity(PIECE + 4096),
            flushed: 0,
            blocks: Vec::new(),
            entries_end: 0,
            extensions: Vec::new(),
        }
    }

    fn position(&self) -> usize {
        self.flushed + self.pending.len()
    }

    fn pass_on(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Some(checksum) = &mut self.checksum {
            checksum.update(bytes);
        }
        self.flushed += bytes.len();
        self.out.write_all(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        let mut pending = std::mem::take(&mut self.pending);
        self.pass_on(&pending)?;
        pending.clear();
        self.pending = pending;
        Ok(())
    }

    fn flush_if_full(&mut self) -> io::Result<()> {
        if self.pending.len() >= PIECE { self.flush() } else { Ok(()) }
    }

    /// Writes bytes that lie elsewhere, without a copy where they are many.
    fn lend(&mut self, bytes: &[u8]) -> io::Result<()> {
        if bytes.len() < 4096 {
            self.pending.extend_from_slice(bytes);
            return self.flush_if_full();
        }
        self.flush()?;
        bytes.chunks(PIECE).try_for_each(|piece| self.pass_on(piece))
    }

    /// Writes the header, the entries in `nameless` without their paths, then those in `slots`.
    fn entries(
        &mut self,
        index: &Index,
        version: Version,
        slots: &[Slot],
        blocks: usize,
        nameless: &[Slot],
    ) -> io::Result<()> {
        let count = slots.len() + nameless.len();
        let count = u32::try_from(count).map_err(|_| io::Error::other("too many entries"))?;
        self.pending.extend_from_slice(b"DIRC");
        self.pending.extend_from_slice(&version.number().to_be_bytes());
        self.pending.extend_from_slice(&count.to_be_bytes());
        let block_len = if blocks > 1 { (count as usize).div_ceil(blocks) } else { usize::MAX };
        let mut writer = EntryWriter { index, version, before: Vec::new() };
        for slot in nameless {
            writer.append(&index.pool.entry(*slot), false, &mut self.pending);
            self.flush_if_full()?;
        }
        let mut rest = slots;
        // The entries without paths belong to the first block.
        let mut first = nameless.len();
        while blocks > 1 && (!rest.is_empty() || first > 0) {
            let (block, others) = rest.split_at(rest.len().min(block_len.saturating_sub(first).max(1)));
            let start = if first > 0 { HEADER_LEN } else { self.position() };
            self.blocks.push((start, block.len() + first));
            writer.start_block();
            writer.run(self, block)?;
            (rest, first) = (others, 0);
        }
        if blocks <= 1 {
            writer.run(self, rest)?;
        }
        self.entries_end = self.position();
        Ok(())
    }

    fn extension(&mut self, signature: Signature, content: &[u8]) -> io::Result<()> {
        let size = u32::try_from(content.len()).map_err(|_| io::Error::other("extension too long"))?;
        self.pending.extend_from_slice(&signature);
        self.pending.extend_from_slice(&size.to_be_bytes());
        let start = self.position();
        self.extensions.push(Extension { signature, content: start..start + content.len() });
        self.lend(content)
    }

    fn table_of_blocks(&mut self) -> io::Result<()> {
        if self.blocks.is_empty() {
            return Ok(());
        }
        let mut content = ENTRY_OFFSETS_VERSION.to_be_bytes().to_vec();
        for (start, count) in &self.blocks {
            content.extend_from_slice(&offset(*start)?.to_be_bytes());
            content.extend_from_slice(&offset(*count)?.to_be_bytes());
        }
        self.extension(ENTRY_OFFSETS, &content)
    }

    fn end_of_entries(&mut self) -> io::Result<()> {
        let mut content = offset(self.entries_end)?.to_be_bytes().to_vec();
        content.extend_from_slice(headers_checksum(self.format, self.extensions.iter()).as_bytes());
        self.extension(END_OF_ENTRIES, &content)
    }

    /// Writes the checksum, or zeros; returns it.
    fn finish(mut self) -> io::Result<Option<ObjectId>> {
        self.flush()?;
        let id = self.checksum.take().map(Checksum::finalize);
        self.out.write_all(id.unwrap_or(ObjectId::null(self.format)).as_bytes())?;
        self.out.flush()?;
        Ok(id)
    }
}

/// A place in the file, which the format holds in 32 bits.
fn offset(position: usize) -> io::Result<u32> {
    u32::try_from(position).map_err(|_| io::Error::other("the index is longer than its format allows"))
}

/// Writes entries one after the other.
struct EntryWriter<'i> {
    index: &'i Index,
    version: Version,
    /// The path of the entry before, for version 4.
    before: Vec<u8>,
}

impl EntryWriter<'_> {
    /// Starts a block, which has nothing in common with what is before it.
    fn start_block(&mut self) {
        if let Some(first) = self.before.first_mut() {
            // No path starts with a NUL, so that all of it is taken back.
            *first = 0;
        }
    }

    /// Writes entries; those that lie one after the other in the file already are taken over as they are.
    fn run(&mut self, sink: &mut Sink<'_>, slots: &[Slot]) -> io::Result<()> {
        let lends = self.version != Version::V4;
        let file = self.index.pool.part(usize::from(FILE));
        let mut lent = 0..0;
        for slot in slots {
            let entry = self.index.pool.entry(*slot);
            let is_plain = entry.flag_bits() & FLAG_EXTENDED == 0 || entry.extended_bits() != 0;
            if lends && slot.part() == usize::from(FILE) && is_plain {
                let end = slot.offset() + padded(entry.head().len() + entry.path().len());
                if lent.end != slot.offset() {
                    sink.lend(file.get(lent).unwrap_or_default())?;
                    lent = slot.offset()..slot.offset();
                }
                lent.end = end;
                continue;
            }
            sink.lend(file.get(std::mem::take(&mut lent)).unwrap_or_default())?;
            self.append(&entry, true, &mut sink.pending);
            sink.flush_if_full()?;
        }
        sink.lend(file.get(lent).unwrap_or_default())
    }

    fn append(&mut self, entry: &Entry<'_>, named: bool, out: &mut Vec<u8>) {
        let start = out.len();
        let path: &[u8] = if named { entry.path() } else { b"" };
        let flags_at = flags_at(self.index.format());
        out.extend_from_slice(&entry.head()[..flags_at]);
        let extended = entry.extended_bits();
        let len = u16::try_from(path.len()).map_or(LENGTH_MASK, |len| len.min(LENGTH_MASK));
        let flags = entry.flag_bits() & !(LENGTH_MASK | FLAG_EXTENDED)
            | len
            | if extended != 0 { FLAG_EXTENDED } else { 0 };
        out.extend_from_slice(&flags.to_be_bytes());
        if extended != 0 {
            out.extend_from_slice(&extended.to_be_bytes());
        }
        if self.version == Version::V4 {
            let common = common_prefix(&self.before, path);
            append_variable_width(self.before.len() - common, out);
            out.extend_from_slice(&path[common..]);
            out.push(0);
            self.before.truncate(common);
            self.before.extend_from_slice(&path[common..]);
        } else {
            out.extend_from_slice(path);
            let len = padded(out.len() - start);
            out.resize(start + len, 0);
        }
    }
}

/// The length of an entry with one to eight NULs, a multiple of eight.
fn padded(len: usize) -> usize {
    (len + 8) & !7
}

/// Appends a number as OFS_DELTA entries of packs have it (gitformat-pack).
fn append_variable_width(number: usize, out: &mut Vec<u8>) {
    let mut digits = [0_u8; 10];
    let mut at = digits.len() - 1;
    let low = |number: usize| (number & 0x7f) as u8;
    digits[at] = low(number);
    let mut rest = number >> 7;
    while rest > 0 {
        rest -= 1;
        at -= 1;
        digits[at] = 0x80 | low(rest);
        rest >>= 7;
    }
    out.extend_from_slice(&digits[at..]);
}
