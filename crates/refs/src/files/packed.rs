//! The `packed-refs` file, mapped and searched by bisection (git-pack-refs).
//!
//! A header line lists traits; then each reference is a line `<hex id> SP <name>`, and a line `^<hex id>` after it
//! tells what an annotated tag leads to. A file whose header does not say `sorted` is sorted in memory.

use std::cmp::Ordering;
use std::ops::{Deref, Range};
use std::path::{Path, PathBuf};

use adit_object::{ObjectFormat, ObjectId};
use adit_sys::Map;
use bstr::{BStr, ByteSlice};
use memchr::{memchr, memrchr};

use crate::Error;
use crate::name::{self, Rules};
use crate::reference::{Problem, Target};

/// A snapshot of the file.
#[derive(Debug)]
pub(super) struct PackedRefs {
    path: PathBuf,
    format: ObjectFormat,
    content: Content,
    /// Where the first record starts.
    first: usize,
    peeling: Peeling,
}

#[derive(Debug)]
enum Content {
    Mapped(Map),
    Sorted(Vec<u8>),
}

impl Deref for Content {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Content::Mapped(map) => map,
            Content::Sorted(bytes) => bytes,
        }
    }
}

/// For which references the absence of a `^` line means that they lead to no tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Peeling {
    None,
    Tags,
    All,
}

const HEADER: &[u8] = b"# pack-refs with:";

impl PackedRefs {
    /// A snapshot of no references.
    pub(super) fn empty(path: &Path, format: ObjectFormat) -> Self {
        let content = Content::Sorted(Vec::new());
        PackedRefs { path: path.to_owned(), format, content, first: 0, peeling: Peeling::None }
    }

    /// Reads the header of a mapped file, and checks that its end is not cut off.
    pub(super) fn new(path: &Path, format: ObjectFormat, map: Map) -> Result<Self, Error> {
        let content = Content::Mapped(map);
        let mut packed =
            PackedRefs { path: path.to_owned(), format, content, first: 0, peeling: Peeling::None };
        let sorted = packed.read_header()?;
        packed.check_end()?;
        if !sorted && let Some(bytes) = packed.sorted_copy()? {
            packed.content = Content::Sorted(bytes);
            packed.first = 0;
        }
        Ok(packed)
    }

    fn read_header(&mut self) -> Result<bool, Error> {
        if self.content.first() != Some(&b'#') {
            return Ok(false);
        }
        let end = memchr(b'\n', &self.content).ok_or_else(|| self.bad_line(0))?;
        let traits = self.content[..end].strip_prefix(HEADER).ok_or_else(|| self.bad_line(0))?;
        let mut sorted = false;
        let mut peeling = Peeling::None;
        for word in traits.split(|&b| b == b' ') {
            match word {
                b"fully-peeled" => peeling = Peeling::All,
                b"peeled" if peeling == Peeling::None => peeling = Peeling::Tags,
                b"sorted" => sorted = true,
                _ => {}
            }
        }
        self.first = end + 1;
        self.peeling = peeling;
        Ok(sorted)
    }

    /// Refuses a file whose last record is cut.
    fn check_end(&self) -> Result<(), Error> {
        if self.first == self.content.len() {
            return Ok(());
        }
        let last = self.record_start(self.content.len() - 1);
        let whole = self.content.ends_with(b"\n") && self.content.len() - last >= self.format.hex_len() + 2;
        if whole { Ok(()) } else { Err(self.bad_line(last)) }
    }

    /// The records in order of name; `None` when they are in order already.
    fn sorted_copy(&self) -> Result<Option<Vec<u8>>, Error> {
        let mut records: Vec<(&[u8], &[u8])> = Vec::new();
        let mut at = self.first;
        while at < self.content.len() {
            let record = self.record(at)?;
            records.push((record.name, &self.content[at..record.next]));
            at = record.next;
        }
        if records.is_sorted_by(|a, b| a.0 <= b.0) {
            return Ok(None);
        }
        records.sort_by(|a, b| a.0.cmp(b.0));
        let mut out = Vec::with_capacity(self.content.len());
        records.iter().for_each(|(_, record)| out.extend_from_slice(record));
        Ok(Some(out))
    }

    /// The reference called `name`.
    pub(super) fn find(&self, name: &BStr) -> Result<Option<Item>, Error> {
        let at = self.lower_bound(name)?;
        if at == self.content.len() || self.name_at(at)? != name {
            return Ok(None);
        }
        self.item(at)
    }

    /// Where the first record lies whose name is `name` or greater.
    pub(super) fn lower_bound(&self, name: &[u8]) -> Result<usize, Error> {
        if name.is_empty() { Ok(self.first) } else { self.lower_bound_from(self.first, name) }
    }

    /// Like [`PackedRefs::lower_bound`], when all records before `low` are known to be less.
    pub(super) fn lower_bound_from(&self, mut low: usize, name: &[u8]) -> Result<usize, Error> {
        let mut high = self.content.len();
        while low < high {
            let middle = self.record_start(low + (high - low) / 2).max(low);
            match self.name_at(middle)?.cmp(name.as_bstr()) {
                Ordering::Less => low = self.record_end(middle),
                Ordering::Equal | Ordering::Greater => high = middle,
            }
        }
        Ok(low)
    }

    /// Like [`PackedRefs::lower_bound_from`], for a name that is likely near: looks further and further from `low`.
    pub(super) fn gallop(&self, mut low: usize, name: &[u8]) -> Result<usize, Error> {
        let mut step = 256;
        while low < self.content.len() {
            let probe = self.record_start((low + step).min(self.content.len() - 1)).max(low);
            if self.name_at(probe)? >= name.as_bstr() {
                break;
            }
            low = self.record_end(probe);
            step *= 2;
        }
        self.lower_bound_from(low, name)
    }

    /// The reference whose record starts at `at`; `None` at the end.
    pub(super) fn item(&self, at: usize) -> Result<Option<Item>, Error> {
        if at >= self.content.len() {
            return Ok(None);
        }
        let record = self.record(at)?;
        let name = record.name.as_bstr();
        let start = at + self.format.hex_len() + 1;
        let range = start..start + name.len();
        if name::is_valid(name, Rules::ANY) {
            let known = match self.peeling {
                Peeling::None => false,
                Peeling::Tags => name.starts_with(b"refs/tags/"),
                Peeling::All => true,
            };
            let peeled = record.peeled.or_else(|| known.then_some(record.id));
            Ok(Some(Item { name: range, target: Target::Direct(record.id), peeled, next: record.next }))
        } else if name::is_safe(name) {
            let target = Target::Broken(Problem::Name);
            Ok(Some(Item { name: range, target, peeled: None, next: record.next }))
        } else {
            Err(Error::Dangerous { place: "packed", name: name.to_owned() })
        }
    }

    /// Where the record after the one at `at` starts, if that one is of the reference `name`.
    pub(super) fn record_named(&self, at: usize, name: &BStr) -> Result<Option<usize>, Error> {
        if at >= self.content.len() || self.name_at(at)? != name {
            return Ok(None);
        }
        Ok(Some(self.record_end(at)))
    }

    /// Whether a record without a `^` line is surely no tag.
    pub(super) fn is_fully_peeled(&self) -> bool {
        self.peeling == Peeling::All
    }

    /// The bytes of the records from one place to another.
    pub(super) fn bytes(&self, from: usize, to: usize) -> &[u8] {
        &self.content[from..to]
    }

    /// Whether it has no references.
    pub(super) fn is_empty(&self) -> bool {
        self.first == self.content.len()
    }

    /// Where the last record ends.
    pub(super) fn end(&self) -> usize {
        self.content.len()
    }

    /// The name of a reference of this file.
    pub(super) fn name(&self, item: &Item) -> &BStr {
        self.content[item.name.clone()].as_bstr()
    }

    fn record(&self, at: usize) -> Result<Record<'_>, Error> {
        let hex_len = self.format.hex_len();
        let bytes = &self.content[at..];
        let bad = || self.bad_line(at);
        let id = bytes.get(..hex_len).and_then(|hex| ObjectId::from_hex(self.format, hex).ok());
        let id = id.ok_or_else(bad)?;
        let rest = &bytes[hex_len..];
        if !matches!(rest.first(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            return Err(bad());
        }
        let len = memchr(b'\n', &rest[1..]).ok_or_else(bad)?;
        let name = &rest[1..=len];
        let mut next = at + hex_len + len + 2;
        let mut peeled = None;
        if self.content.get(next) == Some(&b'^') {
            let line = &self.content[next + 1..];
            let id = line.get(..hex_len).and_then(|hex| ObjectId::from_hex(self.format, hex).ok());
            if id.is_none() || line.get(hex_len) != Some(&b'\n') {
                return Err(self.bad_line(next));
            }
            peeled = id;
            next += hex_len + 2;
        }
        Ok(Record { name, id, peeled, next })
    }

    fn name_at(&self, at: usize) -> Result<&BStr, Error> {
        let line = &self.content[at..];
        let line = &line[..memchr(b'\n', line).unwrap_or(line.len())];
        line.get(self.format.hex_len() + 1..).map(ByteSlice::as_bstr).ok_or_else(|| self.bad_line(at))
    }

    /// Where the record that the byte at `at` belongs to starts.
    fn record_start(&self, mut at: usize) -> usize {
        loop {
            let start =
                memrchr(b'\n', &self.content[self.first..at]).map_or(self.first, |nl| self.first + nl + 1);
            if start == self.first || self.content[start] != b'^' {
                return start;
            }
            at = start - 1;
        }
    }

    /// Where the record after the one that starts at `at` starts.
    fn record_end(&self, mut at: usize) -> usize {
        loop {
            at = memchr(b'\n', &self.content[at..]).map_or(self.content.len(), |nl| at + nl + 1);
            if self.content.get(at) != Some(&b'^') {
                return at;
            }
        }
    }

    fn bad_line(&self, at: usize) -> Error {
        let line = &self.content[at..];
        let end = memchr(b'\n', line);
        let what = if end.is_some() { "unexpected line" } else { "unterminated line" };
        Error::Packed { path: self.path.clone(), what, line: line[..end.unwrap_or(line.len())].into() }
    }
}

/// A reference of the file; its name is a place in it.
#[derive(Debug)]
pub(super) struct Item {
    name: Range<usize>,
    /// What it holds.
    pub(super) target: Target,
    /// As in [`Entry`](crate::Entry).
    pub(super) peeled: Option<ObjectId>,
    /// Where the next record starts.
    pub(super) next: usize,
}

struct Record<'a> {
    name: &'a [u8],
    id: ObjectId,
    peeled: Option<ObjectId>,
    next: usize,
}
