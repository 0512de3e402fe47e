//! Mail headers: long ones folded, and text that is not ASCII as encoded words (RFC 5322, RFC 2047).

use crate::wrap::{Start, wrap};

/// The columns that a folded header line may take.
const WIDTH: usize = 78;
/// The longest line that holds an encoded word, the limit of RFC 2047.
const ENCODED_WIDTH: usize = 76;

/// Appends `text` to the header line that `out` ends with, folded or as encoded words in `charset`.
pub fn append_text(text: &[u8], charset: &str, out: &mut Vec<u8>) {
    if needs_encoding(text) {
        encode(text, charset, is_safe_in_text, out);
    } else {
        wrap(text, Start::Column(line_columns(out)), 1, WIDTH, out);
    }
}

/// Appends `name <email>` to the header line that `out` ends with; a name that needs it is quoted or encoded.
pub fn append_address(name: &[u8], email: &[u8], charset: &str, out: &mut Vec<u8>) {
    if needs_encoding(name) {
        encode(name, charset, is_safe_in_phrase, out);
    } else if name.iter().any(|b| SPECIAL.contains(b)) {
        wrap(&quoted(name), Start::Column(line_columns(out)), 1, WIDTH, out);
    } else {
        wrap(name, Start::Column(line_columns(out)), 1, WIDTH, out);
    }
    if line_columns(out) + email.len() + " <>".len() > WIDTH {
        out.push(b'\n');
    }
    out.extend_from_slice(b" <");
    out.extend_from_slice(email);
    out.push(b'>');
}

/// Whether mail software of seven bits would spoil the byte; the escape character opens other character sets.
pub fn needs_8bit(byte: u8) -> bool {
    !byte.is_ascii() || byte == 0x1b
}

/// The characters that must be quoted in a name.
const SPECIAL: &[u8] = b"()<>[]:;@\\,.\"";

fn needs_encoding(text: &[u8]) -> bool {
    text.iter().any(|&b| needs_8bit(b) || b == b'\n') || text.windows(2).any(|pair| pair == b"=?")
}

fn is_safe_in_text(byte: u8) -> bool {
    matches!(byte, b'!'..=b'~') && !matches!(byte, b'=' | b'?' | b'_')
}

fn is_safe_in_phrase(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!*+-/".contains(&byte)
}

fn quoted(name: &[u8]) -> Vec<u8> {
    let mut quoted = vec![b'"'];
    for &byte in name {
        if matches!(byte, b'"' | b'\\') {
            quoted.push(b'\\');
        }
        quoted.push(byte);
    }
    quoted.push(b'"');
    quoted
}

/// Appends encoded words, a new line for each that would grow too long; no character is cut in two.
fn encode(text: &[u8], charset: &str, is_safe: fn(u8) -> bool, out: &mut Vec<u8>) {
    let open = format!("=?{charset}?q?");
    let utf8 = !charset.is_empty() && crate::encoding::is_utf8(charset);
    let mut columns = line_columns(out) + open.len();
    out.extend_from_slice(open.as_bytes());
    let mut rest = text;
    while !rest.is_empty() {
        let len = if utf8 { bstr::decode_utf8(rest).1.max(1) } else { 1 };
        let (character, after) = rest.split_at(len);
        rest = after;
        let safe = len == 1 && is_safe(character[0]);
        let needed = if safe { 1 } else { 3 * len };
        if columns + needed + "?=".len() > ENCODED_WIDTH {
            out.extend_from_slice(b"?=\n ");
            out.extend_from_slice(open.as_bytes());
            columns = open.len() + 1;
        }
        columns += needed;
        if safe {
            out.push(character[0]);
            continue;
        }
        for byte in character {
            const HEX: &[u8; 16] = b"0123456789ABCDEF";
            out.extend_from_slice(&[b'=', HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
        }
    }
    out.extend_from_slice(b"?=");
}

/// The bytes after the last newline.
fn line_columns(out: &[u8]) -> usize {
    out.iter().rev().take_while(|b| **b != b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(text: &str) -> String {
        let mut out = b"Subject: [PATCH] ".to_vec();
        append_text(text.as_bytes(), "UTF-8", &mut out);
        String::from_utf8(out).unwrap()
    }

    fn from(name: &str, email: &str) -> String {
        let mut out = b"From: ".to_vec();
        append_address(name.as_bytes(), email.as_bytes(), "UTF-8", &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn long_subjects_are_folded() {
        let x = "x".repeat(60);
        assert_eq!(subject(&format!("{x} bc def")), format!("Subject: [PATCH] {x}\n bc def"));
        assert_eq!(subject(&format!("{x}xx bc")), format!("Subject: [PATCH] \n {x}xx bc"));
    }

    #[test]
    fn other_subjects_are_encoded() {
        assert_eq!(
            subject("A véry long subject line that goes on and on"),
            "Subject: [PATCH] =?UTF-8?q?A=20v=C3=A9ry=20long=20subject=20line=20that=20?=\n =?UTF-8?q?goes=20on=20and=20on?="
        );
        assert_eq!(subject("with =? _"), "Subject: [PATCH] =?UTF-8?q?with=20=3D=3F=20=5F?=");
        assert_eq!(
            subject("x 日本語日本語"),
            "Subject: [PATCH] =?UTF-8?q?x=20=E6=97=A5=E6=9C=AC=E8=AA=9E=E6=97=A5?=\n =?UTF-8?q?=E6=9C=AC=E8=AA=9E?="
        );
    }

    #[test]
    fn names_are_quoted_encoded_or_folded() {
        assert_eq!(from("A U Thor", "a@b"), "From: A U Thor <a@b>");
        assert_eq!(from("x.y \"q\"", "ab@"), "From: \"x.y \\\"q\\\"\" <ab@>");
        assert_eq!(from("ö!#*", "a@b"), "From: =?UTF-8?q?=C3=B6!=23*?= <a@b>");
        let x = "x".repeat(66);
        assert_eq!(from(&x, "a@b"), format!("From: {x} <a@b>"));
        assert_eq!(from(&format!("{x}x"), "a@b"), format!("From: {x}x\n <a@b>"));
        assert_eq!(from("", ""), "From:  <>");
    }
}
