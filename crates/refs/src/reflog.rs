//! Reflogs: what a reference held before, one line a change, the latest last (gitrepository-layout, git-reflog).
//!
//! `<old id> SP <new id> SP <name> SP <email> SP <seconds> SP <zone> TAB <message>`. A line that is not of this form
//! is passed over, as git does: a log is an aid, not a record.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use adit_object::{ObjectFormat, ObjectId, Time};
use bstr::{BStr, ByteSlice};
use memchr::memrchr;

use crate::Error;

/// One change of a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogEntry<'a> {
    /// What the reference held before; the null id when it was created.
    pub old: ObjectId,
    /// What it held after; the null id when it was deleted.
    pub new: ObjectId,
    /// Who changed it: `Name <email>`.
    pub who: &'a BStr,
    /// When.
    pub time: Time,
    /// Why, without a newline; may be empty.
    pub message: &'a BStr,
}

impl<'a> LogEntry<'a> {
    /// Reads one line, with or without its newline.
    pub fn parse(format: ObjectFormat, line: &'a [u8]) -> Option<Self> {
        let hex_len = format.hex_len();
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let old = ObjectId::from_hex(format, line.get(..hex_len)?).ok()?;
        let rest = line[hex_len..].strip_prefix(b" ")?;
        let new = ObjectId::from_hex(format, rest.get(..hex_len)?).ok()?;
        let rest = rest[hex_len..].strip_prefix(b" ")?;
        let close = rest.find_byte(b'>')?;
        let (who, rest) = rest.split_at(close + 1);
        let rest = rest.strip_prefix(b" ")?;
        let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        let seconds: u64 = std::str::from_utf8(&rest[..digits]).ok()?.parse().ok()?;
        let zone = rest[digits..].strip_prefix(b" ")?;
        let sign = match zone.first()? {
            b'+' => 1,
            b'-' => -1,
            _ => return None,
        };
        let zone_digits = zone.get(1..5).filter(|digits| digits.iter().all(u8::is_ascii_digit))?;
        let value = zone_digits.iter().fold(0, |n, digit| n * 10 + i32::from(digit - b'0'));
        let message = &zone[5..];
        let message = message.strip_prefix(b"\t").unwrap_or(message).as_bstr();
        if seconds == 0 {
            return None;
        }
        Some(LogEntry { old, new, who: who.as_bstr(), time: Time { seconds, zone: sign * value }, message })
    }
}

/// The log of one reference.
#[derive(Debug)]
pub struct Reflog {
    content: Content,
    path: PathBuf,
    format: ObjectFormat,
}

/// Where the lines are.
#[derive(Debug)]
enum Content {
    File(File),
    Memory(Vec<u8>),
}

impl Content {
    fn len(&self) -> io::Result<u64> {
        match self {
            Content::File(file) => Ok(file.metadata()?.len()),
            Content::Memory(bytes) => Ok(bytes.len() as u64),
        }
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        match self {
            Content::File(file) => file.read_at(buf, offset),
            Content::Memory(bytes) => {
                let start = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
                let n = buf.len().min(bytes.len() - start);
                buf[..n].copy_from_slice(&bytes[start..start + n]);
                Ok(n)
            }
        }
    }

    fn read_exact_at(&self, buf: &mut [u8], offset: u64) -> io::Result<()> {
        let mut done = 0;
        while done < buf.len() {
            match self.read_at(&mut buf[done..], offset + done as u64) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(n) => done += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

impl Reflog {
    pub(crate) fn open(path: &Path, format: ObjectFormat) -> Result<Option<Self>, Error> {
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error)
                if matches!(
                    error.kind(),
                    std::io::ErrorKind::NotFound
                        | std::io::ErrorKind::NotADirectory
                        | std::io::ErrorKind::InvalidFilename
                ) =>
            {
                return Ok(None);
            }
            Err(error) => return Err(Error::io(path)(error)),
        };
        let is_file = file.metadata().map_err(Error::io(path))?.is_file();
        Ok(is_file.then(|| Reflog { content: Content::File(file), path: path.to_owned(), format }))
    }

    /// Reads the whole log into memory and lets go of the file, for who holds more logs than files may be open.
    pub fn load(&mut self) -> Result<(), Error> {
        if let Content::File(file) = &mut self.content {
            let mut bytes = Vec::new();
            io::Read::read_to_end(file, &mut bytes).map_err(Error::io(&self.path))?;
            self.content = Content::Memory(bytes);
        }
        Ok(())
    }

    /// Reads from the oldest change on.
    pub fn forward(&self) -> Forward<'_> {
        Forward {
            log: self,
            reader: BufReader::new(At { content: &self.content, offset: 0 }),
            line: Vec::new(),
        }
    }

    /// Reads from the latest change back, a block at a time from the end of the file.
    pub fn backward(&self) -> Result<Backward<'_>, Error> {
        let start = self.content.len().map_err(Error::io(&self.path))?;
        Ok(Backward { log: self, block: Vec::new(), start, end: 0, next_size: BLOCK })
    }
}

const BLOCK: u64 = 4096;

/// Reads a shared log from its own position on.
struct At<'l> {
    content: &'l Content,
    offset: u64,
}

impl io::Read for At<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.content.read_at(buf, self.offset)?;
        self.offset += n as u64;
        Ok(n)
    }
}

/// Changes from the oldest to the latest.
pub struct Forward<'l> {
    log: &'l Reflog,
    reader: BufReader<At<'l>>,
    line: Vec<u8>,
}

impl Forward<'_> {
    /// The next change.
    pub fn advance(&mut self) -> Result<Option<LogEntry<'_>>, Error> {
        loop {
            self.line.clear();
            let n = self.reader.read_until(b'\n', &mut self.line).map_err(Error::io(&self.log.path))?;
            if n == 0 {
                return Ok(None);
            }
            if LogEntry::parse(self.log.format, &self.line).is_some() {
                return Ok(LogEntry::parse(self.log.format, &self.line));
            }
        }
    }
}

/// Changes from the latest to the oldest.
pub struct Backward<'l> {
    log: &'l Reflog,
    /// A part of the file, of which what lies before `end` is still to be read.
    block: Vec<u8>,
    /// Where in the file the block starts.
    start: u64,
    end: usize,
    /// How much to read next; it grows, so that a line longer than a block costs no more than its length.
    next_size: u64,
}

impl Backward<'_> {
    /// The change before.
    pub fn advance(&mut self) -> Result<Option<LogEntry<'_>>, Error> {
        loop {
            let before_newline = self.end.saturating_sub(1);
            match memrchr(b'\n', &self.block[..before_newline]) {
                None if self.start > 0 => self.read_block()?,
                None if self.end == 0 => return Ok(None),
                found => {
                    let from = found.map_or(0, |newline| newline + 1);
                    let to = std::mem::replace(&mut self.end, from);
                    self.next_size = BLOCK;
                    let line = from..to;
                    if LogEntry::parse(self.log.format, &self.block[line.clone()]).is_some() {
                        return Ok(LogEntry::parse(self.log.format, &self.block[line]));
                    }
                }
            }
        }
    }

    fn read_block(&mut self) -> Result<(), Error> {
        let size = self.next_size.min(self.start);
        self.next_size = size.saturating_mul(2);
        let unread = self.block[..self.end].to_vec();
        self.start -= size;
        self.block.clear();
        // `size` doubles from a small number and is never more than the part of the file that is left.
        self.block.resize(usize::try_from(size).unwrap_or(usize::MAX), 0);
        self.log.content.read_exact_at(&mut self.block, self.start).map_err(Error::io(&self.log.path))?;
        self.block.extend_from_slice(&unread);
        self.end = self.block.len();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

    fn log(content: &str) -> (tempfile::TempDir, Reflog) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        std::fs::write(&path, content).unwrap();
        let log = Reflog::open(&path, ObjectFormat::Sha1).unwrap().unwrap();
        (dir, log)
    }

    #[test]
    fn both_ways_read_the_same_lines() {
        let long = "x".repeat(30_000);
        let mut content = String::new();
        for i in 1..500 {
            let message = if i % 100 == 0 { &long } else { "step" };
            content.push_str(&format!("{ID} {ID} A U Thor <a@b> {i} -0700\t{message}\n"));
            if i % 7 == 0 {
                content.push_str("not a line of a log\n\n");
            }
        }
        for cut in [0, 1, 10] {
            let (_dir, mut log) = log(&content[..content.len() - cut]);
            let (mut ahead, mut back) = (Vec::new(), Vec::new());
            let mut forward = log.forward();
            while let Some(entry) = forward.advance().unwrap() {
                ahead.push((entry.time.seconds, entry.message.len()));
            }
            let mut backward = log.backward().unwrap();
            while let Some(entry) = backward.advance().unwrap() {
                back.push((entry.time.seconds, entry.message.len()));
            }
            back.reverse();
            assert_eq!(ahead, back);
            assert!(ahead.len() >= 498);
            log.load().unwrap();
            let (mut forward, mut backward) = (log.forward(), log.backward().unwrap());
            for seconds in &ahead {
                assert_eq!(forward.advance().unwrap().unwrap().time.seconds, seconds.0);
            }
            for seconds in ahead.iter().rev() {
                assert_eq!(backward.advance().unwrap().unwrap().time.seconds, seconds.0);
            }
            assert!(forward.advance().unwrap().is_none() && backward.advance().unwrap().is_none());
        }
    }

    #[test]
    fn a_line_and_its_parts() {
        let line = format!("{ID} {ID} A U Thor <a@b> 1112911993 -0730\tcommit: x y\n");
        let entry = LogEntry::parse(ObjectFormat::Sha1, line.as_bytes()).unwrap();
        assert_eq!((entry.who, entry.message), (b"A U Thor <a@b>".as_bstr(), b"commit: x y".as_bstr()));
        assert_eq!(entry.time, Time { seconds: 1_112_911_993, zone: -730 });
        for cut in 0..line.len() - b"\tcommit: x y\n".len() {
            assert!(LogEntry::parse(ObjectFormat::Sha1, &line.as_bytes()[..cut]).is_none(), "{cut}");
        }
    }

    #[test]
    fn an_empty_log_has_no_lines() {
        let (_dir, log) = log("");
        assert!(log.forward().advance().unwrap().is_none());
        assert!(log.backward().unwrap().advance().unwrap().is_none());
    }
}
