//! zlib streams (RFC 1950), in which objects are stored: whole, only their start, or piece by piece.
//!
//! - [`Inflater::inflate_exact`] is the fast way when the inflated size is known and fits in memory.
//! - [`Inflater::inflate_prefix`] inflates no more than the bytes asked for: the headers of loose objects and deltas.
//! - [`InflateStream`] and [`InflateReader`] go piece by piece in constant memory.
//! - [`Deflater`] and [`DeflateWriter`] are the way back, whole and piece by piece.
//!
//! Inflated bytes are equal whoever inflates, so that the fastest code may. Deflated bytes are git's only when zlib itself makes
//! them, so it does.

use std::cell::RefCell;
use std::io::{self, BufRead, Read, Write};

use adit_sys::deflate::Deflate;
use adit_sys::zlib::{DecompressError, Decompressor};
use zlib_rs::{Inflate, InflateFlush, Status};

/// Why a stream could not be inflated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ZlibError {
    /// It is not a zlib stream, or its checksum does not match, or (inflated at once) it is cut short.
    #[error("the zlib stream is damaged")]
    Damaged,
    /// It ends before it is complete.
    #[error("the zlib stream is cut short")]
    Truncated,
    /// It inflates to more bytes than were announced.
    #[error("the zlib stream holds more bytes than it should")]
    TooLong,
    /// It inflates to fewer bytes than were announced.
    #[error("the zlib stream holds fewer bytes than it should")]
    TooShort,
}

impl From<ZlibError> for io::Error {
    fn from(error: ZlibError) -> Self {
        let kind = match error {
            ZlibError::Truncated => io::ErrorKind::UnexpectedEof,
            _ => io::ErrorKind::InvalidData,
        };
        io::Error::new(kind, error)
    }
}

/// Tables for inflating many streams, one after the other. One a thread; see [`with_inflater`].
#[derive(Default)]
pub struct Inflater {
    whole: Decompressor,
    pieces: Option<InflateStream>,
}

impl Inflater {
    /// Allocates the tables.
    pub fn new() -> Self {
        Self::default()
    }

    /// Inflates the stream at the start of `input`, which must fill `out` exactly, and returns how many bytes of
    /// `input` it takes up. Anything may follow it.
    pub fn inflate_exact(&mut self, input: &[u8], out: &mut [u8]) -> Result<usize, ZlibError> {
        match self.whole.zlib(input, out) {
            Ok(done) if done.written == out.len() => Ok(done.consumed),
            Ok(_) => Err(ZlibError::TooShort),
            Err(DecompressError::InsufficientSpace) => Err(ZlibError::TooLong),
            Err(DecompressError::BadData) => Err(ZlibError::Damaged),
        }
    }

    /// Inflates the first bytes of the stream at the start of `input` until `out` is full or the stream ends, and
    /// returns how many were written. An incomplete stream is no error as long as it holds that much.
    pub fn inflate_prefix(&mut self, input: &[u8], out: &mut [u8]) -> Result<usize, ZlibError> {
        let stream = self.pieces.get_or_insert_with(InflateStream::new);
        stream.reset();
        let (mut read, mut written) = (0, 0);
        while written < out.len() && !stream.is_done() {
            let step = stream.step(&input[read..], &mut out[written..])?;
            if step.consumed == 0 && step.written == 0 && !stream.is_done() {
                return Err(ZlibError::Truncated);
            }
            read += step.consumed;
            written += step.written;
        }
        Ok(written)
    }
}

impl std::fmt::Debug for Inflater {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Inflater")
    }
}

thread_local! {
    static INFLATER: RefCell<Inflater> = RefCell::new(Inflater::new());
}

/// Lends this thread's [`Inflater`], so that occasional callers need not keep one.
pub fn with_inflater<T>(work: impl FnOnce(&mut Inflater) -> T) -> T {
    INFLATER.with(|inflater| match inflater.try_borrow_mut() {
        Ok(mut inflater) => work(&mut inflater),
        Err(_) => work(&mut Inflater::new()),
    })
}

/// [`Inflater::inflate_exact`] with this thread's tables.
pub fn inflate_exact(input: &[u8], out: &mut [u8]) -> Result<usize, ZlibError> {
    with_inflater(|inflater| inflater.inflate_exact(input, out))
}

/// [`Inflater::inflate_prefix`] with this thread's tables.
pub fn inflate_prefix(input: &[u8], out: &mut [u8]) -> Result<usize, ZlibError> {
    with_inflater(|inflater| inflater.inflate_prefix(input, out))
}

/// How far one step of a stream went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// The bytes of input used up.
    pub consumed: usize,
    /// The bytes of output written.
    pub written: usize,
}

/// A stream that is inflated piece by piece, in a window of 32 KiB.
pub struct InflateStream {
    inflate: Inflate,
    done: bool,
}

impl InflateStream {
    /// At the start of a stream.
    pub fn new() -> Self {
        InflateStream { inflate: Inflate::new(true, 15), done: false }
    }

    /// Back to the start of another stream.
    pub fn reset(&mut self) {
        self.inflate.reset(true);
        self.done = false;
    }

    /// Inflates from `input` into `out` as far as either goes. Nothing consumed and nothing written means that
    /// it wants more of one of them, or is done.
    pub fn step(&mut self, input: &[u8], out: &mut [u8]) -> Result<Step, ZlibError> {
        if self.done {
            return Ok(Step { consumed: 0, written: 0 });
        }
        let (read, written) = (self.inflate.total_in(), self.inflate.total_out());
        let status =
            self.inflate.decompress(input, out, InflateFlush::NoFlush).map_err(|_| ZlibError::Damaged)?;
        self.done = status == Status::StreamEnd;
        // Both differences are at most the length of a slice.
        Ok(Step {
            consumed: (self.inflate.total_in() - read) as usize,
            written: (self.inflate.total_out() - written) as usize,
        })
    }

    /// Whether the stream ended and its checksum matched.
    pub fn is_done(&self) -> bool {
        self.done
    }
}

impl Default for InflateStream {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for InflateStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("InflateStream").field("done", &self.done).finish_non_exhaustive()
    }
}

/// Reads the inflated bytes of the stream that `input` starts with. The bytes after the stream stay unread.
#[derive(Debug)]
pub struct InflateReader<R> {
    input: R,
    stream: InflateStream,
    consumed: u64,
}

impl<R: BufRead> InflateReader<R> {
    /// At the start of the stream.
    pub fn new(input: R) -> Self {
        InflateReader { input, stream: InflateStream::new(), consumed: 0 }
    }

    /// How many bytes of the input the stream has taken up so far.
    pub fn consumed(&self) -> u64 {
        self.consumed
    }

    /// The input, where the reader stopped.
    pub fn into_inner(self) -> R {
        self.input
    }
}

impl<R: BufRead> Read for InflateReader<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while !self.stream.is_done() && !out.is_empty() {
            let input = self.input.fill_buf()?;
            let at_end = input.is_empty();
            let step = self.stream.step(input, out)?;
            self.input.consume(step.consumed);
            self.consumed += step.consumed as u64;
            if step.written > 0 {
                return Ok(step.written);
            }
            if at_end && !self.stream.is_done() {
                return Err(ZlibError::Truncated.into());
            }
        }
        Ok(0)
    }
}

/// Compresses whole buffers.
#[derive(Debug)]
pub struct Deflater(Deflate);

impl Deflater {
    /// At a level of `core.compression`: 0 (none) to 9 (smallest); anything else is zlib's default.
    pub fn new(level: i32) -> Self {
        Deflater(Deflate::new(level))
    }

    /// Appends the compressed stream of `data` to `out`.
    pub fn deflate(&mut self, data: &[u8], out: &mut Vec<u8>) {
        self.0.reset();
        let mut written = out.len();
        let mut rest = data;
        loop {
            // What does not compress grows a little.
            out.resize(written + rest.len() / 2 + 128, 0);
            let step = self.0.step(rest, &mut out[written..], true);
            written += step.written;
            rest = &rest[step.consumed..];
            if step.done {
                break;
            }
        }
        out.truncate(written);
    }
}

/// Compresses what is written to it piece by piece. [`DeflateWriter::finish`] ends the stream.
#[derive(Debug)]
pub struct DeflateWriter<W: Write> {
    out: W,
    deflate: Deflate,
    buffer: Box<[u8]>,
}

impl<W: Write> DeflateWriter<W> {
    /// Starts a stream at a level as [`Deflater::new`] takes it.
    pub fn new(out: W, level: i32) -> Self {
        DeflateWriter { out, deflate: Deflate::new(level), buffer: vec![0; 16 << 10].into() }
    }

    /// Ends the stream and returns what it was written to.
    pub fn finish(mut self) -> io::Result<W> {
        while !self.step(&[], true)?.done {}
        Ok(self.out)
    }

    /// Compresses from `input` what fits in the buffer, and passes it on.
    fn step(&mut self, input: &[u8], finish: bool) -> io::Result<adit_sys::deflate::Step> {
        let step = self.deflate.step(input, &mut self.buffer, finish);
        self.out.write_all(&self.buffer[..step.written])?;
        Ok(step)
    }
}

impl<W: Write> Write for DeflateWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut taken = 0;
        while taken < bytes.len() {
            taken += self.step(&bytes[taken..], false)?.consumed;
        }
        Ok(taken)
    }

    /// Flushes the writer below; what the compressor holds back comes out at the end.
    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn deflated(data: &[u8], level: i32) -> Vec<u8> {
        let mut out = Vec::new();
        Deflater::new(level).deflate(data, &mut out);
        out
    }

    #[test]
    fn a_stream_that_lies_about_its_size_is_refused() {
        let stream = deflated(b"hello, world", -1);
        assert_eq!(inflate_exact(&stream, &mut [0; 11]), Err(ZlibError::TooLong));
        assert_eq!(inflate_exact(&stream, &mut [0; 13]), Err(ZlibError::TooShort));
        assert_eq!(inflate_exact(&stream[..stream.len() - 1], &mut [0; 12]), Err(ZlibError::Damaged));
        assert_eq!(inflate_exact(b"", &mut [0; 12]), Err(ZlibError::Damaged));
        assert_eq!(inflate_exact(&deflated(b"", 1), &mut []), Ok(deflated(b"", 1).len()));
    }

    #[test]
    fn a_prefix_needs_no_more_of_the_stream_than_it_holds() {
        let data = vec![b'x'; 100_000];
        let mut stream = deflated(&data, 9);
        let mut out = [0; 32];
        stream.truncate(60);
        assert_eq!(inflate_prefix(&stream, &mut out), Ok(32));
        assert_eq!(out, [b'x'; 32]);
        assert_eq!(inflate_prefix(&deflated(b"short", 0), &mut out), Ok(5));
        assert_eq!(inflate_prefix(&stream[..3], &mut out), Err(ZlibError::Truncated));
        assert_eq!(inflate_prefix(b"no stream", &mut out), Err(ZlibError::Damaged));
    }

    #[test]
    fn a_stream_cut_short_is_told_from_a_damaged_one() {
        let mut stream = deflated(b"hello, world", 6);
        let read = |stream: &[u8]| {
            let mut out = Vec::new();
            InflateReader::new(stream).read_to_end(&mut out).map(|_| out).map_err(|error| error.kind())
        };
        assert_eq!(read(&stream).unwrap(), b"hello, world");
        assert_eq!(read(&stream[..stream.len() - 1]), Err(io::ErrorKind::UnexpectedEof));
        *stream.last_mut().unwrap() ^= 1;
        assert_eq!(read(&stream), Err(io::ErrorKind::InvalidData));
    }

    proptest! {
        #[test]
        fn whole_and_piecewise_agree(
            data in proptest::collection::vec(0_u8..4, 0..5000),
            level in -1..=9,
            rest in proptest::collection::vec(any::<u8>(), 0..20),
            piece in 1_usize..200,
        ) {
            let whole = deflated(&data, level);
            let mut writer = DeflateWriter::new(Vec::new(), level);
            for bytes in data.chunks(piece) {
                writer.write_all(bytes).unwrap();
            }
            for mut stream in [whole, writer.finish().unwrap()] {
                let len = stream.len();
                stream.extend_from_slice(&rest);
                let mut out = vec![0; data.len()];
                prop_assert_eq!(inflate_exact(&stream, &mut out), Ok(len));
                prop_assert_eq!(&out, &data);

                let mut reader = InflateReader::new(io::BufReader::with_capacity(piece, &stream[..]));
                out.clear();
                reader.read_to_end(&mut out).unwrap();
                prop_assert_eq!(&out, &data);
                prop_assert_eq!(reader.consumed(), len as u64);
                let mut after = Vec::new();
                reader.into_inner().read_to_end(&mut after).unwrap();
                prop_assert_eq!(&after, &rest);

                let mut start = vec![0; piece];
                let written = inflate_prefix(&stream, &mut start).unwrap();
                prop_assert_eq!(&start[..written], &data[..piece.min(data.len())]);
            }
        }

        #[test]
        fn any_bytes_inflate_or_fail(data in proptest::collection::vec(any::<u8>(), 0..300)) {
            let mut out = [0; 200];
            let _ = inflate_exact(&data, &mut out);
            let _ = inflate_prefix(&data, &mut out);
        }
    }
}
