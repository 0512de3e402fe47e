//! Writing an object out without holding it in memory (`core.bigFileThreshold`).

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};

use adit_object::zlib::InflateReader;
use adit_object::{ObjectId, ObjectKind, SourceError};

use crate::fault::Fault;
use crate::loose::{LooseFolder, MAX_HEADER, Start, parse_header};
use crate::pack::Pack;
use crate::pack::entry::Storage;
use crate::store::{Effort, Location, Store};

/// Why an object could not be written out.
#[derive(Debug, thiserror::Error)]
pub enum StreamError {
    /// It could not be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// What it was written to said no.
    #[error(transparent)]
    Write(io::Error),
}

/// How much is inflated at a time.
const PIECE: usize = 64 << 10;

/// Content on its way: once some of it is written, there is no way back to another copy.
type Streamed = Result<ObjectKind, StreamError>;

impl Store {
    /// Writes the content of `id`, or of what replaces it, to `out`; `None` when there is no such object. A large object is
    /// inflated piece by piece, unless it is stored as a delta.
    ///
    /// # Errors
    /// When it cannot be read or written. Part of it may have been written then.
    pub fn stream(&self, id: &ObjectId, out: &mut dyn Write) -> Result<Option<ObjectKind>, StreamError> {
        let id = self.replacement(id)?;
        let Some(header) = self.try_header_raw(&id)? else { return Ok(None) };
        if header.size >= self.options().big_file_threshold {
            let streamed = self.visit(&id, Effort::Full, |place| match place {
                Location::Packed { pack, offset } => pack.stream(*offset, out),
                Location::Loose { folder } => self.folders()[*folder].stream(&id, out),
            })?;
            if let Some(streamed) = streamed {
                return streamed.map(Some);
            }
        }
        let mut content = Vec::new();
        let Some(kind) = self.try_read_raw(&id, &mut content)? else { return Ok(None) };
        out.write_all(&content).map_err(StreamError::Write)?;
        Ok(Some(kind))
    }
}

impl Pack {
    /// Writes the object at `offset` to `out`; `None` for a delta.
    fn stream(&self, offset: u64, out: &mut dyn Write) -> Result<Option<Streamed>, Fault> {
        let entry = self.entry(offset)?;
        let Storage::Whole(kind) = entry.storage else { return Ok(None) };
        let data = &self.data()?[entry.data as usize..];
        let copied = copy(&[], &mut InflateReader::new(data), entry.size, out);
        Ok(Some(copied.map(|()| kind).map_err(|error| error.with(|what| self.bad_at(offset, what)))))
    }
}

impl LooseFolder {
    /// Writes the object to `out`; `None` when it is not here.
    fn stream(&self, id: &ObjectId, out: &mut dyn Write) -> Result<Option<Streamed>, Fault> {
        let path = self.path_of(id);
        let Some(file) = self.open(&path)? else { return Ok(None) };
        let disk_size = file.metadata().map_err(|error| Fault::io(&path, &error))?.len();
        let mut stream = InflateReader::new(BufReader::with_capacity(PIECE, file));
        let mut first = [0; MAX_HEADER];
        let (start, filled) = read_start(&mut stream, &mut first).map_err(|what| Fault::bad(&path, what))?;
        let copied = copy(&first[start.len..filled], &mut stream, start.header.size, out);
        let copied = copied.map_err(|error| error.with(|what| Fault::bad(&path, what.to_owned())));
        if copied.is_ok() && stream.consumed() != disk_size {
            let fault = Fault::bad(&path, "garbage at the end of the loose object");
            return Ok(Some(Err(fault.for_object(Some(id)).into())));
        }
        Ok(Some(copied.map(|()| start.header.kind)))
    }
}

/// Reads the header, and perhaps some content behind it.
fn read_start(
    stream: &mut InflateReader<BufReader<File>>,
    first: &mut [u8; MAX_HEADER],
) -> Result<(Start, usize), &'static str> {
    let mut filled = 0;
    loop {
        let n = stream.read(&mut first[filled..]).map_err(|_| "the zlib stream is damaged")?;
        filled += n;
        match parse_header(&first[..filled]) {
            Ok(start) => return Ok((start, filled)),
            Err(what) if n == 0 => return Err(what),
            Err(_) => {}
        }
    }
}

/// What can go wrong while content is copied.
enum CopyError {
    Read(&'static str),
    Write(io::Error),
}

impl CopyError {
    fn with(self, fault: impl FnOnce(&'static str) -> Fault) -> StreamError {
        match self {
            CopyError::Read(what) => fault(what).for_object(None).into(),
            CopyError::Write(error) => StreamError::Write(error),
        }
    }
}

/// Copies `first` and then the rest of the stream, `size` bytes together.
fn copy<R: BufRead>(
    first: &[u8],
    stream: &mut InflateReader<R>,
    size: u64,
    out: &mut dyn Write,
) -> Result<(), CopyError> {
    let mut left = size;
    let mut buffer = vec![0; PIECE];
    let mut piece = first;
    loop {
        left = left
            .checked_sub(piece.len() as u64)
            .ok_or(CopyError::Read("the zlib stream holds more bytes than it should"))?;
        out.write_all(piece).map_err(CopyError::Write)?;
        let n = stream.read(&mut buffer).map_err(|_| CopyError::Read("the zlib stream is damaged"))?;
        if n == 0 {
            break;
        }
        piece = &buffer[..n];
    }
    if left > 0 {
        return Err(CopyError::Read("the zlib stream holds fewer bytes than it should"));
    }
    Ok(())
}
