//! One commit-graph file: its chunks, checked once, and its rows.

use std::io;
use std::ops::Range;
use std::path::Path;

use adit_object::{ObjectFormat, ObjectId};
use adit_sys::Map;

use super::bloom::BloomSettings;
use super::{CommitGraphError, Diagnostic, LAST_EDGE, NO_PARENT, is_absent};

const SIGNATURE: u32 = u32::from_be_bytes(*b"CGPH");
const HEADER: usize = 8;
const CHUNK_ENTRY: usize = 12;
const FANOUT: usize = 256 * 4;
/// What follows the tree in a row of commit data: two parents, generation and time.
const ROW_TAIL: usize = 16;

/// A file whose chunks lie inside it and have the sizes that its number of commits asks for.
#[derive(Debug)]
pub(super) struct Layer {
    bytes: Map,
    id_len: usize,
    /// How many commits the layers below hold.
    first: u32,
    count: u32,
    base_count: usize,
    fanout: usize,
    ids: usize,
    commits: usize,
    generations: Option<usize>,
    overflow: Option<Range<usize>>,
    edges: Range<usize>,
    bases: Range<usize>,
    bloom: Option<Bloom>,
}

/// Where changed-path filters lie.
#[derive(Debug, Clone)]
struct Bloom {
    index: usize,
    data: Range<usize>,
    settings: BloomSettings,
}

const BLOOM_HEADER: usize = 12;

impl Layer {
    /// Opens a file; `None` when it is absent or cannot be used, which is then said in `diagnostics`.
    pub(super) fn open(
        path: &Path,
        format: ObjectFormat,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Result<Option<Self>, io::Error> {
        let bytes = match Map::open(path) {
            Ok(bytes) => bytes,
            Err(error) if is_absent(&error) => return Ok(None),
            Err(error) => return Err(error),
        };
        Ok(Layer::parse(bytes, format, diagnostics))
    }

    /// Reads header and chunk table, and checks each chunk's size.
    fn parse(bytes: Map, format: ObjectFormat, diagnostics: &mut Vec<Diagnostic>) -> Option<Self> {
        let chunks = match Chunks::read(&bytes, format) {
            Ok(chunks) => chunks,
            Err(text) => {
                diagnostics.push(Diagnostic::error(text));
                return None;
            }
        };
        let id_len = format.len();
        let (fanout, count) = match chunks.fanout(&bytes) {
            Ok(found) => found,
            Err(why) => {
                diagnostics.extend(why.map(Diagnostic::error));
                diagnostics
                    .push(Diagnostic::error("commit-graph required OID fanout chunk missing or corrupted"));
                return None;
            }
        };
        let rows = count as usize;
        let ids = chunks.required(
            b"OIDL",
            rows.checked_mul(id_len)?,
            "OID lookup",
            "the wrong size",
            diagnostics,
        )?;
        let row = rows.checked_mul(id_len + ROW_TAIL)?;
        let commits = chunks.required(b"CDAT", row, "commit data", "wrong size", diagnostics)?;
        let generations = chunks.optional_rows(b"GDA2", rows * 4, || {
            diagnostics.push(Diagnostic::error("commit-graph generations chunk is wrong size"));
        });
        let overflow = chunks.get(b"GDO2");
        let edges = chunks.get(b"EDGE").unwrap_or(0..0);
        let bases = chunks.get(b"BASE").unwrap_or(0..0);
        let bloom = chunks.bloom(&bytes, rows, diagnostics);
        let base_count = usize::from(bytes[7]);
        let layer = Layer {
            bytes,
            id_len,
            first: 0,
            count,
            base_count,
            fanout,
            ids,
            commits,
            generations,
            overflow,
            edges,
            bases,
            bloom,
        };
        Some(layer)
    }

    /// How many files the header says lie below this one.
    pub(super) fn base_count(&self) -> usize {
        self.base_count
    }

    /// Whether the layers below, lowest first, are those that this one names.
    pub(super) fn is_based_on(&self, hashes: &[ObjectId]) -> bool {
        let named = self.bytes[self.bases.clone()].chunks_exact(self.id_len);
        self.base_count == hashes.len()
            && named.len() >= hashes.len()
            && hashes.iter().zip(named).all(|(hash, raw)| hash.as_bytes() == raw)
    }

    /// Sets the position of the first row; `None` when positions would not fit.
    pub(super) fn place(&mut self, first: u32) -> Option<()> {
        first.checked_add(self.count).filter(|&end| end < NO_PARENT)?;
        self.first = first;
        Some(())
    }

    pub(super) fn first(&self) -> u32 {
        self.first
    }

    pub(super) fn len(&self) -> u32 {
        self.count
    }

    pub(super) fn end(&self) -> u32 {
        self.first + self.count
    }

    pub(super) fn has_corrected_dates(&self) -> bool {
        self.generations.is_some()
    }

    /// The position of an id in the whole graph.
    pub(super) fn find(&self, id: &ObjectId) -> Option<u32> {
        let raw = id.as_bytes();
        if raw.len() != self.id_len {
            return None;
        }
        let byte = usize::from(id.first_byte());
        let mut low = if byte == 0 { 0 } else { self.word(self.fanout + 4 * (byte - 1)) };
        let mut high = self.word(self.fanout + 4 * byte);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.raw_id(middle as usize).cmp(raw) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some(self.first + middle),
            }
        }
        None
    }

    pub(super) fn raw_id(&self, row: usize) -> &[u8] {
        let at = self.ids + row * self.id_len;
        &self.bytes[at..at + self.id_len]
    }

    pub(super) fn raw_tree(&self, row: usize) -> &[u8] {
        let at = self.row(row);
        &self.bytes[at..at + self.id_len]
    }

    pub(super) fn parent_words(&self, row: usize) -> (u32, u32) {
        let at = self.row(row) + self.id_len;
        (self.word(at), self.word(at + 4))
    }

    pub(super) fn level(&self, row: usize) -> u32 {
        self.word(self.row(row) + self.id_len + 8) >> 2
    }

    pub(super) fn time(&self, row: usize) -> u64 {
        let at = self.row(row) + self.id_len + 8;
        u64::from(self.word(at) & 3) << 32 | u64::from(self.word(at + 4))
    }

    /// How far the corrected commit date lies after the commit date; only asked when there is a generation chunk.
    pub(super) fn corrected_date_offset(&self, row: usize) -> Result<u64, CommitGraphError> {
        let word = self.generations.map_or(0, |at| self.word(at + 4 * row));
        if word & LAST_EDGE == 0 {
            return Ok(u64::from(word));
        }
        let chunk = self.overflow.clone().ok_or(CommitGraphError::NoGenerationOverflow)?;
        let at = chunk.start + 8 * (word & !LAST_EDGE) as usize;
        if at + 8 > chunk.end {
            return Err(CommitGraphError::GenerationOverflow);
        }
        Ok(u64::from(self.word(at)) << 32 | u64::from(self.word(at + 4)))
    }

    pub(super) fn extra_edge(&self, edge: u32) -> Option<u32> {
        let at = self.edges.start + 4 * edge as usize;
        (at + 4 <= self.edges.end).then(|| self.word(at))
    }

    pub(super) fn bloom_settings(&self) -> Option<BloomSettings> {
        self.bloom.as_ref().map(|bloom| bloom.settings)
    }

    /// The filter of a row; `None` when it has none or its bounds are damaged.
    pub(super) fn bloom_filter(&self, row: usize) -> Option<&[u8]> {
        let bloom = self.bloom.as_ref()?;
        let start = if row == 0 { 0 } else { self.word(bloom.index + 4 * (row - 1)) as usize };
        let end = self.word(bloom.index + 4 * row) as usize;
        let filters = &self.bytes[bloom.data.start + BLOOM_HEADER..bloom.data.end];
        filters.get(start..end).filter(|filter| !filter.is_empty())
    }

    fn row(&self, row: usize) -> usize {
        self.commits + row * (self.id_len + ROW_TAIL)
    }

    fn word(&self, at: usize) -> u32 {
        word(&self.bytes, at)
    }
}

fn word(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).and_then(|b| b.try_into().ok()).map_or(0, u32::from_be_bytes)
}

/// The chunk table: ids and where they lie, in order, inside the file.
struct Chunks(Vec<([u8; 4], Range<usize>)>);

impl Chunks {
    fn read(bytes: &[u8], format: ObjectFormat) -> Result<Self, String> {
        if bytes.len() < HEADER + 4 * CHUNK_ENTRY + FANOUT + format.len() {
            return Err("commit-graph file is too small".into());
        }
        let signature = word(bytes, 0);
        if signature != SIGNATURE {
            return Err(format!(
                "commit-graph signature {signature:X} does not match signature {SIGNATURE:X}"
            ));
        }
        if bytes[4] != 1 {
            return Err(format!("commit-graph version {:X} does not match version 1", bytes[4]));
        }
        let version = format.file_version();
        if bytes[5] != version {
            return Err(format!(
                "commit-graph hash version {:X} does not match version {version:X}",
                bytes[5]
            ));
        }
        let count = usize::from(bytes[6]);
        let end = bytes.len() - format.len();
        if HEADER + (count + 1) * CHUNK_ENTRY > end {
            return Err(format!("commit-graph file is too small to hold {count} chunks"));
        }
        let entry = |n: usize| {
            let at = HEADER + n * CHUNK_ENTRY;
            let offset = u64::from(word(bytes, at + 4)) << 32 | u64::from(word(bytes, at + 8));
            (word(bytes, at), offset)
        };
        let mut chunks: Vec<([u8; 4], Range<usize>)> = Vec::with_capacity(count);
        for n in 0..count {
            let (id, offset) = entry(n);
            if id == 0 {
                return Err("terminating chunk id appears earlier than expected".into());
            }
            if offset % 4 != 0 {
                return Err(format!("chunk id {id:x} not 4-byte aligned"));
            }
            let (_, next) = entry(n + 1);
            if next < offset || next > end as u64 {
                return Err(format!("improper chunk offset(s) {offset:x} and {next:x}"));
            }
            if chunks.iter().any(|(seen, _)| *seen == id.to_be_bytes()) {
                return Err(format!("duplicate chunk ID {id:x} found"));
            }
            chunks.push((id.to_be_bytes(), offset as usize..next as usize));
        }
        let (last, _) = entry(count);
        if last != 0 {
            return Err(format!("final chunk has non-zero id {last:x}"));
        }
        Ok(Chunks(chunks))
    }

    fn get(&self, id: &[u8; 4]) -> Option<Range<usize>> {
        self.0.iter().find(|(name, _)| name == id).map(|(_, range)| range.clone())
    }

    /// Where the fanout lies and how many commits it counts.
    fn fanout(&self, bytes: &[u8]) -> Result<(usize, u32), Option<&'static str>> {
        let range = self.get(b"OIDF").ok_or(None)?;
        if range.len() != FANOUT {
            return Err(Some("commit-graph oid fanout chunk is wrong size"));
        }
        let count = |n: usize| word(bytes, range.start + 4 * n);
        if (1..256).any(|n| count(n) < count(n - 1)) {
            return Err(Some("commit-graph fanout values out of order"));
        }
        Ok((range.start, count(255)))
    }

    fn required(
        &self,
        id: &[u8; 4],
        size: usize,
        name: &str,
        wrong: &str,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<usize> {
        let range = self.get(id);
        if let Some(range) = &range {
            if range.len() == size {
                return Some(range.start);
            }
            diagnostics.push(Diagnostic::error(format!("commit-graph {name} chunk is {wrong}")));
        }
        let text = format!("commit-graph required {name} chunk missing or corrupted");
        diagnostics.push(Diagnostic::error(text));
        None
    }

    fn optional_rows(&self, id: &[u8; 4], size: usize, on_wrong_size: impl FnOnce()) -> Option<usize> {
        let range = self.get(id)?;
        if range.len() != size {
            on_wrong_size();
            return None;
        }
        Some(range.start)
    }

    fn bloom(&self, bytes: &[u8], rows: usize, diagnostics: &mut Vec<Diagnostic>) -> Option<Bloom> {
        let (index, data) = (self.get(b"BIDX")?, self.get(b"BDAT")?);
        if index.len() != rows * 4 {
            diagnostics.push(Diagnostic::warning("commit-graph changed-path index chunk is too small"));
            return None;
        }
        if data.len() < BLOOM_HEADER {
            let text = format!(
                "ignoring too-small changed-path chunk ({} < {BLOOM_HEADER}) in commit-graph file",
                data.len()
            );
            diagnostics.push(Diagnostic::warning(text));
            return None;
        }
        let header = [0, 4, 8].map(|at| word(bytes, data.start + at));
        let settings = BloomSettings::new(header[0], header[1], header[2])?;
        Some(Bloom { index: index.start, data, settings })
    }
}
