//! Literal formatting codes: `%n`, `%%` and `%x41` in the options of long placeholders.

use bstr::{BString, ByteSlice};

/// Reads `x` and two hexadecimal digits: the byte they stand for, and how many bytes were read.
pub(super) fn hex_byte(text: &[u8]) -> Option<(u8, usize)> {
    let digits = text.strip_prefix(b"x")?.get(..2)?;
    let digit = |b: u8| char::from(b).to_digit(16).and_then(|d| u8::try_from(d).ok());
    Some((digit(digits[0])? << 4 | digit(digits[1])?, 3))
}

/// Replaces the codes in `text`; other `%` stay.
pub(super) fn expand(text: &[u8]) -> BString {
    let mut out = BString::default();
    let mut rest = text;
    while let Some(percent) = rest.find_byte(b'%') {
        out.extend_from_slice(&rest[..percent]);
        rest = &rest[percent + 1..];
        let (byte, len) = match rest.first() {
            Some(b'n') => (b'\n', 1),
            Some(b'%') => (b'%', 1),
            _ => hex_byte(rest).unwrap_or((b'%', 0)),
        };
        out.push(byte);
        rest = &rest[len..];
    }
    out.extend_from_slice(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_others() {
        assert_eq!(expand(b"a%x2C%n%h%%%x4%"), "a,\n%h%%x4%");
    }
}
