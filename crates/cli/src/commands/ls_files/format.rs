//! How `ls-files` prints an entry: its path, with mode, object and stage, or by `--format`.

use std::io::Write;

use adit::Repository;
use adit_index::Entry;
use adit_object::{EntryKind, ObjectId, ObjectKind, Source};
use adit_text::path::relative_to;
use adit_text::quote;
use bstr::{BStr, ByteSlice};

use crate::error::Error;
use crate::format::fields::{self, Part};

/// A compiled `--format`.
pub(super) struct Format(Vec<Part<Field>>);

enum Field {
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
        let field = |name: &[u8]| {
            Ok(Some(match name {
                b"objectmode" => Field::Mode,
                b"objecttype" => Field::Kind,
                b"objectname" => Field::Id,
                b"objectsize" => Field::Size { padded: false },
                b"objectsize:padded" => Field::Size { padded: true },
                b"stage" => Field::Stage,
                b"path" => Field::Path,
                b"eolinfo:index" | b"eolinfo:worktree" | b"eolattr" => {
                    return Err(Error::unsupported(&format!("%({})", name.as_bstr())));
                }
                _ => return Ok(None),
            }))
        };
        Ok(Format(fields::compile("ls-files", format, field)?))
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
                    Part::Field(Field::Mode) => write!(out, "{:06o}", entry.mode())?,
                    Part::Field(Field::Kind) => {
                        out.extend_from_slice(entry.kind().object_kind().as_str().as_bytes())
                    }
                    Part::Field(Field::Id) => self.id(&entry.id(), out)?,
                    Part::Field(Field::Size { padded }) => self.size(entry, *padded, out)?,
                    Part::Field(Field::Stage) => write!(out, "{}", entry.stage().number())?,
                    Part::Field(Field::Path) => self.path(entry.path(), out),
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
