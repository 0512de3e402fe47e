//! The line that a batch mode prints for an object.

use adit_object::{ObjectId, ObjectKind};
use adit_odb::{Info, Want};
use bstr::{BStr, BString, ByteSlice};

use crate::error::Error;

/// A format, taken apart once.
pub(super) struct Format {
    parts: Vec<Part>,
    /// What must be known of an object to print it.
    pub(super) want: Want,
    /// Whether input lines are split at their first white space.
    pub(super) has_rest: bool,
}

enum Part {
    Text(BString),
    Name,
    Kind,
    Mode,
    Size,
    DiskSize,
    DeltaBase,
    Rest,
}

/// What is printed for one object.
pub(super) struct Fields<'a> {
    pub(super) id: &'a ObjectId,
    pub(super) mode: Option<u32>,
    pub(super) info: &'a Info,
    pub(super) rest: &'a BStr,
}

impl Format {
    /// Takes `text` apart.
    pub(super) fn parse(text: &[u8]) -> Result<Format, Error> {
        let mut format = Format { parts: Vec::new(), want: Want::default(), has_rest: false };
        let mut rest = text;
        while let Some(at) = rest.find(b"%(") {
            format.text(&rest[..at]);
            let atom = &rest[at + 1..];
            let Some(end) = atom.find_byte(b')') else {
                return Err(Error::fatal(format!(
                    "bad cat-file format: element '{}' does not end in ')'",
                    atom.as_bstr()
                )));
            };
            format.atom(&atom[1..end])?;
            rest = &atom[end + 1..];
        }
        format.text(rest);
        Ok(format)
    }

    fn text(&mut self, text: &[u8]) {
        if !text.is_empty() {
            self.parts.push(Part::Text(text.into()));
        }
    }

    fn atom(&mut self, name: &[u8]) -> Result<(), Error> {
        let want = &mut self.want;
        let (part, needed) = match name {
            b"objectname" => (Part::Name, &mut false),
            b"objecttype" => (Part::Kind, &mut want.kind),
            b"objectmode" => (Part::Mode, &mut false),
            b"objectsize" => (Part::Size, &mut want.size),
            b"objectsize:disk" => (Part::DiskSize, &mut want.disk_size),
            b"deltabase" => (Part::DeltaBase, &mut want.delta_base),
            b"rest" => (Part::Rest, &mut self.has_rest),
            _ => return Err(Error::fatal(format!("bad cat-file format: %({})", name.as_bstr()))),
        };
        *needed = true;
        self.parts.push(part);
        Ok(())
    }

    /// Appends the line without its end.
    pub(super) fn write(&self, fields: &Fields<'_>, out: &mut Vec<u8>) {
        for part in &self.parts {
            match part {
                Part::Text(text) => out.extend_from_slice(text),
                Part::Name => fields.id.append_hex(usize::MAX, out),
                Part::Kind => {
                    out.extend_from_slice(fields.info.kind.map_or("", ObjectKind::as_str).as_bytes())
                }
                Part::Mode => {
                    if let Some(mode) = fields.mode {
                        out.extend_from_slice(format!("{mode:06o}").as_bytes());
                    }
                }
                Part::Size => push_number(fields.info.size, out),
                Part::DiskSize => push_number(fields.info.disk_size, out),
                Part::DeltaBase => {
                    let base = fields.info.delta_base.unwrap_or(ObjectId::null(fields.id.format()));
                    base.append_hex(usize::MAX, out);
                }
                Part::Rest => out.extend_from_slice(fields.rest),
            }
        }
    }
}

/// Appends a number in decimal digits.
pub(super) fn push_number(mut number: u64, out: &mut Vec<u8>) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_bad_formats() {
        let mut out = Vec::new();
        for number in [0, 7, 10, 12345, u64::MAX] {
            out.clear();
            push_number(number, &mut out);
            assert_eq!(out, number.to_string().as_bytes());
        }
        for bad in [&b"%(objectname"[..], b"%(foo)", b"x%()"] {
            assert!(Format::parse(bad).is_err());
        }
        assert!(Format::parse(b"%% %x %(rest)").unwrap().has_rest);
    }
}
