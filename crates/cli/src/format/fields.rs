//! Formats of plain fields, as `ls-tree` and `ls-files` have them: `%(name)`, `%n`, `%xHH`, `%%`.

use bstr::{BStr, BString, ByteSlice};

use crate::error::Error;

/// A part of a format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part<F> {
    /// What is printed as it stands.
    Text(BString),
    /// What an entry has in this field.
    Field(F),
}

/// Compiles a format of `command`. `field` knows the names of its fields; `None` is for one that does not exist.
///
/// # Errors
/// When the format is not well formed, or `field` says so.
pub fn compile<F>(
    command: &str,
    format: &BStr,
    field: impl Fn(&[u8]) -> Result<Option<F>, Error>,
) -> Result<Vec<Part<F>>, Error> {
    let bad = |what: String| Error::fatal(format!("bad {command} format: {what}"));
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
                let known = field(&rest[1..end])?;
                let known = known.ok_or_else(|| bad(format!("%{}", rest[..=end].as_bstr())))?;
                parts.push(Part::Text(std::mem::take(&mut text)));
                parts.push(Part::Field(known));
                rest = &rest[end + 1..];
            }
            _ => return Err(bad(format!("element '{}' does not start with '('", rest.as_bstr()))),
        }
    }
    text.extend_from_slice(rest);
    parts.push(Part::Text(text));
    Ok(parts)
}
