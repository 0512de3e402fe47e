//! Loose objects: one zlib stream a file, `<kind> SP <size> NUL <content>` (gitrepository-layout, 'objects/[0-9a-f][0-9a-f]').

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use adit_object::{Header, ObjectFormat, ObjectId, ObjectKind, SourceError, zlib};
use adit_sys::Map;

use crate::fault::Fault;
use crate::pack::resize;

/// The most bytes that a header can take: `commit`, a space, 20 digits, NUL.
pub(crate) const MAX_HEADER: usize = 32;

/// Enough of a file to inflate a header from it.
const FIRST_READ: usize = 512;

/// The loose objects of one object folder.
#[derive(Debug)]
pub(crate) struct LooseFolder {
    path: PathBuf,
    format: ObjectFormat,
    /// Ids by first byte, where they were asked for.
    known: Box<[OnceLock<Vec<ObjectId>>]>,
}

/// What the start of a loose object says.
pub(crate) struct Start {
    pub(crate) header: Header,
    /// Where the content starts in the inflated stream.
    pub(crate) len: usize,
}

impl LooseFolder {
    pub(crate) fn new(path: PathBuf, format: ObjectFormat) -> Self {
        LooseFolder { path, format, known: (0..256).map(|_| OnceLock::new()).collect() }
    }

    /// The folder, `objects`.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Where the file of `id` is if there is one.
    pub(crate) fn path_of(&self, id: &ObjectId) -> PathBuf {
        let mut hex = [0; 64];
        let hex = id.encode_hex(&mut hex);
        let text = |hex| std::str::from_utf8(hex).unwrap_or_default();
        let mut path = PathBuf::with_capacity(self.path.as_os_str().len() + hex.len() + 2);
        path.push(&self.path);
        path.push(text(&hex[..2]));
        path.push(text(&hex[2..]));
        path
    }

    pub(crate) fn contains(&self, id: &ObjectId) -> bool {
        self.path_of(id).is_file()
    }

    pub(crate) fn open(&self, path: &Path) -> Result<Option<File>, Fault> {
        match File::open(path) {
            Ok(file) => Ok(Some(file)),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(Fault::io(path, &error)),
        }
    }

    /// Reads the object into `out`; `None` when it is not here.
    pub(crate) fn read(&self, id: &ObjectId, out: &mut Vec<u8>) -> Result<Option<ObjectKind>, Fault> {
        let path = self.path_of(id);
        let Some(file) = self.open(&path)? else { return Ok(None) };
        let file = contents(file).map_err(|error| Fault::io(&path, &error))?;
        let file = match &file {
            Contents::Read(bytes) => &bytes[..],
            Contents::Mapped(map) => map,
        };
        let bad = |what: &'static str| Fault::bad(&path, what);
        let start = parse_start(file).map_err(bad)?;
        let total =
            start.header.size.checked_add(start.len as u64).ok_or_else(|| bad("object size does not fit"))?;
        resize(out, total, file.len()).map_err(bad)?;
        let consumed =
            zlib::inflate_exact(file, out).map_err(|error| Fault::bad(&path, error.to_string()))?;
        if consumed != file.len() {
            return Err(bad("garbage at the end of the loose object"));
        }
        out.drain(..start.len);
        Ok(Some(start.header.kind))
    }

    /// Reads the header and the size on disk; `None` when the object is not here.
    pub(crate) fn header(&self, id: &ObjectId) -> Result<Option<(Header, u64)>, Fault> {
        let path = self.path_of(id);
        let Some(file) = self.open(&path)? else { return Ok(None) };
        let io = |error: io::Error| Fault::io(&path, &error);
        let disk_size = file.metadata().map_err(io)?.len();
        let mut first = Vec::with_capacity(FIRST_READ);
        file.take(FIRST_READ as u64).read_to_end(&mut first).map_err(io)?;
        let start = parse_start(&first).map_err(|what| Fault::bad(&path, what))?;
        Ok(Some((start.header, disk_size)))
    }

    /// The ids that start with `first` and have a file, sorted.
    pub(crate) fn list(&self, first: u8) -> Result<Vec<ObjectId>, SourceError> {
        let folder = self.path.join(format!("{first:02x}"));
        let failed = |error| SourceError::Io { path: folder.clone(), error };
        let mut ids = Vec::new();
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if is_absent(&error) => return Ok(ids),
            Err(error) => return Err(failed(error)),
        };
        let mut hex = format!("{first:02x}").into_bytes();
        for entry in entries {
            let name = entry.map_err(failed)?.file_name();
            hex.truncate(2);
            hex.extend_from_slice(name.as_encoded_bytes());
            ids.extend(ObjectId::from_hex(self.format, &hex));
        }
        ids.sort_unstable();
        Ok(ids)
    }

    /// Like [`LooseFolder::list`], but the folder is read only once.
    pub(crate) fn known(&self, first: u8) -> Result<&[ObjectId], SourceError> {
        let known = &self.known[usize::from(first)];
        if let Some(ids) = known.get() {
            return Ok(ids);
        }
        let ids = self.list(first)?;
        Ok(known.get_or_init(|| ids))
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Files up to this size are read: that is cheaper than to map them.
const READ_UP_TO: u64 = 128 << 10;

enum Contents {
    Read(Vec<u8>),
    Mapped(Map),
}

fn contents(mut file: File) -> io::Result<Contents> {
    let len = file.metadata()?.len();
    if len > READ_UP_TO {
        return Map::of(&file).map(Contents::Mapped);
    }
    let mut bytes = Vec::with_capacity(len as usize + 1);
    file.read_to_end(&mut bytes)?;
    Ok(Contents::Read(bytes))
}

/// Inflates and reads the header at the start of a loose object's file.
fn parse_start(file: &[u8]) -> Result<Start, &'static str> {
    let mut first = [0; MAX_HEADER];
    let len = zlib::inflate_prefix(file, &mut first).map_err(|_| "the zlib stream is damaged")?;
    parse_header(&first[..len])
}

pub(crate) fn parse_header(first: &[u8]) -> Result<Start, &'static str> {
    let end = memchr::memchr(0, first).ok_or("the object header is not ended")?;
    let space = memchr::memchr(b' ', &first[..end]).ok_or("the object header has no size")?;
    let kind = ObjectKind::from_name(&first[..space]).ok_or("the object header has an unknown type")?;
    let digits = &first[space + 1..end];
    if digits.is_empty() || digits.len() > 1 && digits[0] == b'0' || !digits.iter().all(u8::is_ascii_digit) {
        return Err("the object header has a size that is no number");
    }
    let size = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok());
    let size = size.ok_or("object size does not fit 64 bits")?;
    Ok(Start { header: Header { kind, size }, len: end + 1 })
}
