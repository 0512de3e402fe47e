//! How `ls-tree` prints an entry: the fixed forms, and `--format`.

use adit::Repository;
use adit_diff::trees::normal_mode;
use adit_object::{ObjectKind, Source, TreeEntry};
use adit_text::quote;
use bstr::BStr;
use std::io::Write;

use crate::error::Error;
use crate::format::fields::{self, Part};

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
    Custom(Vec<Part<Field>>),
}

/// What a format can say of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Field {
    Mode,
    Kind,
    Id,
    Size { padded: bool },
    Path,
}

impl Style {
    /// Compiles a format (git-ls-tree, "Field names").
    pub(super) fn custom(format: &BStr) -> Result<Self, Error> {
        let field = |name: &[u8]| {
            Ok(Some(match name {
                b"objectmode" => Field::Mode,
                b"objecttype" => Field::Kind,
                b"objectname" => Field::Id,
                b"objectsize" => Field::Size { padded: false },
                b"objectsize:padded" => Field::Size { padded: true },
                b"path" => Field::Path,
                _ => return Ok(None),
            }))
        };
        Ok(Style::Custom(fields::compile("ls-tree", format, field)?))
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
                        Part::Field(Field::Mode) => write!(out, "{:06o}", normal_mode(entry.mode))?,
                        Part::Field(Field::Kind) => out.extend_from_slice(kind(entry).as_bytes()),
                        Part::Field(Field::Id) => self.id(entry, out)?,
                        Part::Field(Field::Size { padded }) => self.size(entry, *padded, out)?,
                        Part::Field(Field::Path) => self.path(path, out),
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
        assert_eq!(parts, [Part::Text("%A".into()), Part::Field(Field::Path), Part::Text("\n".into())]);
        for (format, message) in [
            ("%(foo)", "bad ls-tree format: %(foo)"),
            ("%(path", "bad ls-tree format: element '(path' does not end in ')'"),
            ("%a", "bad ls-tree format: element 'a' does not start with '('"),
        ] {
            assert_eq!(Style::custom(format.into()).unwrap_err().to_string(), message);
        }
    }
}
