//! How `ls-files` prints an entry: its path, with mode, object and stage, or by `--format`.

use std::io::Write;

use adit::Repository;
use adit_index::Entry;
use adit_object::{EntryKind, ObjectId, ObjectKind, Source};
use adit_text::path::relative_to;
use adit_text::quote;
use bstr::{BStr, BString, ByteSlice};

use crate::error::Error;

/// A compiled `--format`.
pub(super) struct Format(Vec<Part>);

enum Part {
    Text(BString),
    Mode,
    Kind,
    Id,
    Size { padded: bool },
    Stage,
    Path,
}

impl Format {
    /// Compiles a format (git-ls-files, "Field names").
    pub(super) fn parse(format: &BStr) -> Result<Self, Error> {
        let bad = |what: String| Error::fatal(format!("bad ls-files format: {what}"));
        let mut parts = Vec::new();
        let mut text = BString::default();
        let mut rest = format.as_bytes();
        while let Some(at) = rest.find_byte(b'%') {
            text.extend_from_slice(&rest[..at]);
            rest = &rest[at + 1..];
            match rest {
                [b'%', after @ ..] => {
                    text.push(b'%');
                    rest = after;
                }
                [b'n', after @ ..] => {
                    text.push(b'\n');
                    rest = after;
                }
                [b'x', hi, lo, after @ ..] if hi.is_ascii_hexdigit() && lo.is_ascii_hexdigit() => {
                    let digit = |byte: &u8| char::from(*byte).to_digit(16).unwrap_or(0) as u8;
                    text.push(digit(hi) << 4 | digit(lo));
                    rest = after;
                }
                [b'(', ..] => {
                    let end = rest
                        .find_byte(b')')
                        .ok_or_else(|| bad(format!("element '{}' does not end in ')'", rest.as_bstr())))?;
                    let part = match &rest[1..end] {
                        b"objectmode" => Part::Mode,
                        b"objecttype" => Part::Kind,
                        b"objectname" => Part::Id,
                        b"objectsize" => Part::Size { padded: false },
                        b"objectsize:padded" => Part::Size { padded: true },
                        b"stage" => Part::Stage,
                        b"path" => Part::Path,
                        b"eolinfo:index" | b"eolinfo:worktree" | b"eolattr" => {
                            return Err(Error::unsupported(&format!("%{}", rest[..=end].as_bstr())));
                        }
                        _ => return Err(bad(format!("%{}", rest[..=end].as_bstr()))),
                    };
                    parts.push(Part::Text(std::mem::take(&mut text)));
                    parts.push(part);
                    rest = &rest[end + 1..];
                }
                _ => return Err(bad(format!("element '{}' does not start with '('", rest.as_bstr()))),
            }
        }
        text.extend_from_slice(rest);
        parts.push(Part::Text(text));
        Ok(Format(parts))
    }
}

/// What the lines of one listing have in common.
pub(super) struct Line<'r> {
    pub(super) repo: &'r Repository,
    pub(super) nul: bool,
    pub(super) abbrev: Option<usize>,
    pub(super) debug: bool,
    /// The folder that paths are shown relative to.
    pub(super) prefix: &'r BStr,
    pub(super) quotes_high: bool,
    pub(super) format: Option<Format>,
}

impl Line<'_> {
    /// Appends the lines for an entry.
    pub(super) fn write(&self, entry: &Entry<'_>, stage: bool, out: &mut Vec<u8>) -> Result<(), Error> {
        if let Some(Format(parts)) = &self.format {
            for part in parts {
                match part {
                    Part::Text(text) => out.extend_from_slice(text),
                    Part::Mode => write!(out, "{:06o}", entry.mode())?,
                    Part::Kind => out.extend_from_slice(entry.kind().object_kind().as_str().as_bytes()),
                    Part::Id => self.id(&entry.id(), out)?,
                    Part::Size { padded } => self.size(entry, *padded, out)?,
                    Part::Stage => write!(out, "{}", entry.stage().number())?,
                    Part::Path => self.path(entry.path(), out),
                }
            }
            out.push(if self.nul { 0 } else { b'\n' });
        } else if stage {
            self.staged(entry.mode(), &entry.id(), entry.stage().number(), entry.path(), out)?;
        } else {
            self.path(entry.path(), out);
            out.push(if self.nul { 0 } else { b'\n' });
        }
        if self.debug {
            let (stat, flags) = (entry.stat(), entry.memory_flags());
            writeln!(out, "  ctime: {}:{}", stat.ctime.seconds, stat.ctime.nanos)?;
            writeln!(out, "  mtime: {}:{}", stat.mtime.seconds, stat.mtime.nanos)?;
            writeln!(out, "  dev: {}\tino: {}", stat.dev, stat.ino)?;
            writeln!(out, "  uid: {}\tgid: {}", stat.uid, stat.gid)?;
            writeln!(out, "  size: {}\tflags: {flags:x}", stat.size)?;
        }
        Ok(())
    }

    /// Appends mode, object, stage and path.
    pub(super) fn staged(
        &self,
        mode: u32,
        id: &ObjectId,
        stage: u8,
        path: &BStr,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        // Six digits without the machinery of formatting: there may be millions of lines.
        out.extend((0..6).rev().map(|digit| b'0' + (mode >> (3 * digit) & 7) as u8));
        out.push(b' ');
        self.id(id, out)?;
        out.extend_from_slice(&[b' ', b'0' + stage, b'\t']);
        self.path(path, out);
        out.push(if self.nul { 0 } else { b'\n' });
        Ok(())
    }

    fn id(&self, id: &ObjectId, out: &mut Vec<u8>) -> Result<(), Error> {
        let len = match self.abbrev {
            Some(min) => self.repo.objects()?.abbreviate(id, min)?,
            None => usize::MAX,
        };
        id.append_hex(len, out);
        Ok(())
    }

    fn path(&self, path: &BStr, out: &mut Vec<u8>) {
        let path = if self.prefix.is_empty() { path.into() } else { relative_to(path, self.prefix) };
        if self.nul {
            out.extend_from_slice(&path);
        } else {
            quote::quote_path(&path, self.quotes_high, out);
        }
    }

    fn size(&self, entry: &Entry<'_>, padded: bool, out: &mut Vec<u8>) -> Result<(), Error> {
        let width = if padded { 7 } else { 0 };
        if entry.kind().object_kind() != ObjectKind::Blob || entry.kind() == EntryKind::Gitlink {
            return Ok(write!(out, "{:>width$}", "-")?);
        }
        let size = self.repo.objects()?.header(&entry.id())?.size;
        Ok(write!(out, "{size:>width$}")?)
    }
}
