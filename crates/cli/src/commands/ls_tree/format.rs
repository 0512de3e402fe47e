//! How `ls-tree` prints an entry: the fixed forms, and `--format`.

use adit::Repository;
use adit_diff::trees::normal_mode;
use adit_object::{ObjectKind, Source, TreeEntry};
use adit_text::quote;
use bstr::{BStr, BString, ByteSlice};
use std::io::Write;

use crate::error::Error;

/// Which form an entry is printed in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) enum Style {
    /// Mode, kind, id and path.
    #[default]
    Default,
    /// The same with the size of blobs.
    Long,
    /// The path.
    NameOnly,
    /// The id.
    ObjectOnly,
    /// `--format`
    Custom(Vec<Part>),
}

/// One part of a format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    Text(BString),
    Mode,
    Kind,
    Id,
    Size { padded: bool },
    Path,
}

impl Style {
    /// Compiles a format (git-ls-tree, "Field names").
    pub(super) fn custom(format: &BStr) -> Result<Self, Error> {
        let bad = |what: String| Error::fatal(format!("bad ls-tree format: {what}"));
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
                        b"path" => Part::Path,
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
        Ok(Style::Custom(parts))
    }
}

/// What the lines of one listing have in common.
pub(super) struct Line<'r> {
    pub(super) repo: &'r Repository,
    pub(super) style: &'r Style,
    pub(super) abbrev: Option<usize>,
    pub(super) nul: bool,
    /// The folder that paths are shown relative to.
    pub(super) prefix: &'r BStr,
}

impl Line<'_> {
    /// Appends the line for `entry`, whose whole path is `path`.
    pub(super) fn write(&self, entry: &TreeEntry<'_>, path: &BStr, out: &mut Vec<u8>) -> Result<(), Error> {
        match self.style {
            Style::Default => {
                self.mode_kind_id(entry, out)?;
                out.push(b'\t');
                self.path(path, out);
            }
            Style::Long => {
                self.mode_kind_id(entry, out)?;
                out.push(b' ');
                self.size(entry, true, out)?;
                out.push(b'\t');
                self.path(path, out);
            }
            Style::NameOnly => self.path(path, out),
            Style::ObjectOnly => self.id(entry, out)?,
            Style::Custom(parts) => {
                for part in parts {
                    match part {
                        Part::Text(text) => out.extend_from_slice(text),
                        Part::Mode => write!(out, "{:06o}", normal_mode(entry.mode))?,
                        Part::Kind => out.extend_from_slice(kind(entry).as_bytes()),
                        Part::Id => self.id(entry, out)?,
                        Part::Size { padded } => self.size(entry, *padded, out)?,
                        Part::Path => self.path(path, out),
                    }
                }
            }
        }
        out.push(if self.nul { 0 } else { b'\n' });
        Ok(())
    }

    fn mode_kind_id(&self, entry: &TreeEntry<'_>, out: &mut Vec<u8>) -> Result<(), Error> {
        write!(out, "{:06o} {} ", normal_mode(entry.mode), kind(entry))?;
        self.id(entry, out)
    }

    fn id(&self, entry: &TreeEntry<'_>, out: &mut Vec<u8>) -> Result<(), Error> {
        let id = entry.id(self.repo.object_format());
        let len = match self.abbrev {
            Some(min) => self.repo.objects()?.abbreviate(&id, min)?,
            None => usize::MAX,
        };
        id.append_hex(len, out);
        Ok(())
    }

    fn size(&self, entry: &TreeEntry<'_>, padded: bool, out: &mut Vec<u8>) -> Result<(), Error> {
        let width = if padded { 7 } else { 0 };
        if entry.kind().object_kind() == ObjectKind::Blob {
            let id = entry.id(self.repo.object_format());
            let header = self.repo.objects()?.try_header(&id)?;
            let size =
                header.ok_or_else(|| Error::fatal(format!("could not get object info about '{id}'")))?;
            write!(out, "{:>width$}", size.size)?;
        } else {
            write!(out, "{:>width$}", "-")?;
        }
        Ok(())
    }

    /// The path as seen from the current folder, quoted unless lines end with NUL.
    fn path(&self, path: &BStr, out: &mut Vec<u8>) {
        let shown = adit_text::path::relative_to(path, self.prefix);
        if self.nul {
            out.extend_from_slice(&shown);
        } else {
            quote::quote_path(&shown, self.repo.quotes_high_bytes(), out);
        }
    }
}

fn kind(entry: &TreeEntry<'_>) -> &'static str {
    entry.kind().object_kind().as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_compile_or_say_why_not() {
        let Style::Custom(parts) = Style::custom("%%%x41%(path)%n".into()).unwrap() else { panic!() };
        assert_eq!(parts, [Part::Text("%A".into()), Part::Path, Part::Text("\n".into())]);
        for (format, message) in [
            ("%(foo)", "bad ls-tree format: %(foo)"),
            ("%(path", "bad ls-tree format: element '(path' does not end in ')'"),
            ("%a", "bad ls-tree format: element 'a' does not start with '('"),
        ] {
            assert_eq!(Style::custom(format.into()).unwrap_err().to_string(), message);
        }
    }
}
