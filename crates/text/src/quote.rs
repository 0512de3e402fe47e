//! Quoting of paths and words, and C-style unquoting.
//!
//! C style is what commands print paths in when they are unusual (`core.quotePath` in git-config): in double
//! quotes, with C escapes for control characters and octal for other bytes. The other styles are those of
//! `for-each-ref` (`--shell`, `--perl`, `--python`, `--tcl`) and of `rev-parse --sq-quote`.

use bstr::{BString, ByteSlice};

/// A language whose string literals [`Style::write`] makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// A POSIX shell word.
    Shell,
    /// A Perl single-quoted string.
    Perl,
    /// A Python single-quoted string.
    Python,
    /// A Tcl double-quoted string.
    Tcl,
}

impl Style {
    /// Appends `text` to `out` as a literal of this language.
    pub fn write(self, text: &[u8], out: &mut Vec<u8>) {
        match self {
            Style::Shell => sq_quote(text, out),
            Style::Perl => perl_quote(text, out),
            Style::Python => python_quote(text, out),
            Style::Tcl => tcl_quote(text, out),
        }
    }
}

/// Whether `path` must be quoted in C style; `quote_high` is `core.quotePath`: bytes from 0x80 up count too.
pub fn needs_c_quotes(path: &[u8], quote_high: bool) -> bool {
    path.iter().any(|&b| needs_escape(b, quote_high))
}

/// Appends `path` to `out`, in C-style quotes only when it needs them.
pub fn quote_path(path: &[u8], quote_high: bool, out: &mut Vec<u8>) {
    match path.iter().position(|&b| needs_escape(b, quote_high)) {
        None => out.extend_from_slice(path),
        Some(_) => {
            out.push(b'"');
            escape_c(path, quote_high, out);
            out.push(b'"');
        }
    }
}

/// Appends `prefix` and `path` as one C-style quoted name when either needs quotes, as in `"a/x\ty"` of a patch.
pub fn quote_two(prefix: &[u8], path: &[u8], quote_high: bool, out: &mut Vec<u8>) {
    if needs_c_quotes(prefix, quote_high) || needs_c_quotes(path, quote_high) {
        out.push(b'"');
        escape_c(prefix, quote_high, out);
        escape_c(path, quote_high, out);
        out.push(b'"');
    } else {
        out.extend_from_slice(prefix);
        out.extend_from_slice(path);
    }
}

/// Appends `text` with C escapes but without the quotes around it.
pub fn escape_c(text: &[u8], quote_high: bool, out: &mut Vec<u8>) {
    let mut rest = text;
    while let Some(at) = rest.iter().position(|&b| needs_escape(b, quote_high)) {
        out.extend_from_slice(&rest[..at]);
        push_escape(rest[at], out);
        rest = &rest[at + 1..];
    }
    out.extend_from_slice(rest);
}

/// Reads a C-style quoted string at the start of `text`: the bytes it stands for, and how many bytes of `text`
/// it takes, quotes included. `None` when it does not start with a quote, is not closed, or has a bad escape.
pub fn unquote_c(text: &[u8]) -> Option<(BString, usize)> {
    let mut rest = text.strip_prefix(b"\"")?;
    let mut value = Vec::new();
    loop {
        let at = rest.find_byteset(b"\"\\")?;
        value.extend_from_slice(&rest[..at]);
        let escape = rest[at] == b'\\';
        rest = &rest[at + 1..];
        if !escape {
            return Some((value.into(), text.len() - rest.len()));
        }
        let (byte, taken) = read_escape(rest)?;
        value.push(byte);
        rest = &rest[taken..];
    }
}

/// Appends `text` as one single-quoted shell word; `'` and `!` leave the quotes.
pub fn sq_quote(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'\'');
    for &byte in text {
        match byte {
            b'\'' | b'!' => out.extend_from_slice(&[b'\'', b'\\', byte, b'\'']),
            _ => out.push(byte),
        }
    }
    out.push(b'\'');
}

/// Like [`sq_quote`], but a word of letters, digits and `+,-./:=@_^` stays as it is; an empty one becomes `''`.
pub fn sq_quote_pretty(text: &[u8], out: &mut Vec<u8>) {
    let plain = |b: &u8| b.is_ascii_alphanumeric() || b"+,-./:=@_^".contains(b);
    if text.is_empty() || !text.iter().all(plain) {
        sq_quote(text, out);
    } else {
        out.extend_from_slice(text);
    }
}

/// Takes the quotes off one word that [`sq_quote`] made, at the start of `text`: the word, and the bytes after it.
/// `None` when it is no such word.
pub fn sq_dequote(text: &[u8]) -> Option<(BString, &[u8])> {
    let mut rest = text.strip_prefix(b"'")?;
    let mut value = Vec::new();
    loop {
        let close = rest.find_byte(b'\'')?;
        value.extend_from_slice(&rest[..close]);
        rest = &rest[close + 1..];
        match rest {
            [b'\\', byte @ (b'\'' | b'!'), b'\'', tail @ ..] => {
                value.push(*byte);
                rest = tail;
            }
            [b'\\', ..] => return None,
            _ => return Some((value.into(), rest)),
        }
    }
}

fn needs_escape(byte: u8, quote_high: bool) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\' || byte == 0x7f || (quote_high && byte >= 0x80)
}

fn push_escape(byte: u8, out: &mut Vec<u8>) {
    let letter = match byte {
        0x07 => b'a',
        0x08 => b'b',
        b'\t' => b't',
        b'\n' => b'n',
        0x0b => b'v',
        0x0c => b'f',
        b'\r' => b'r',
        b'"' | b'\\' => byte,
        _ => {
            let digit = |shift: u8| b'0' + (byte >> shift & 7);
            return out.extend_from_slice(&[b'\\', digit(6), digit(3), digit(0)]);
        }
    };
    out.extend_from_slice(&[b'\\', letter]);
}

/// The byte that the escape after a backslash stands for, and how many bytes it takes.
fn read_escape(text: &[u8]) -> Option<(u8, usize)> {
    let byte = match *text.first()? {
        b'a' => 0x07,
        b'b' => 0x08,
        b't' => b'\t',
        b'n' => b'\n',
        b'v' => 0x0b,
        b'f' => 0x0c,
        b'r' => b'\r',
        plain @ (b'"' | b'\\') => plain,
        b'0'..=b'3' => {
            let octal = |b: &u8| matches!(b, b'0'..=b'7').then(|| b - b'0');
            let [a, b, c] = text.first_chunk::<3>()?;
            return Some(((octal(a)? << 6) | (octal(b)? << 3) | octal(c)?, 3));
        }
        _ => return None,
    };
    Some((byte, 1))
}

fn perl_quote(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'\'');
    for &byte in text {
        if matches!(byte, b'\'' | b'\\') {
            out.push(b'\\');
        }
        out.push(byte);
    }
    out.push(b'\'');
}

fn python_quote(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'\'');
    for &byte in text {
        match byte {
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\'' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            _ => out.push(byte),
        }
    }
    out.push(b'\'');
}

fn tcl_quote(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    for &byte in text {
        match byte {
            b'[' | b']' | b'{' | b'}' | b'$' | b'\\' | b'"' => out.extend_from_slice(&[b'\\', byte]),
            b'\t' | b'\n' | 0x0b | 0x0c | b'\r' => push_escape(byte, out),
            _ => out.push(byte),
        }
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn made(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn paths_are_quoted_only_when_unusual() {
        assert_eq!(made(|o| quote_path(b"a b'c", true, o)), "a b'c");
        assert_eq!(made(|o| quote_path("a\tü\x01\"\\".as_bytes(), true, o)), r#""a\t\303\274\001\"\\""#);
        assert_eq!(made(|o| quote_path("ü".as_bytes(), false, o)), "ü");
        assert_eq!(made(|o| quote_path("ü\x7f".as_bytes(), false, o)), "\"ü\\177\"");
        assert_eq!(made(|o| quote_two(b"a/", b"x\ny", true, o)), r#""a/x\ny""#);
    }

    #[test]
    fn bad_c_quotes_are_refused() {
        for bad in ["", "x", "\"", "\"a", r#""\"#, r#""\q""#, r#""\400""#, r#""\08""#] {
            assert_eq!(unquote_c(bad.as_bytes()), None, "{bad}");
        }
        assert_eq!(unquote_c(br#""a\142" tail"#), Some(("ab".into(), 7)));
    }

    #[test]
    fn literals_of_other_languages() {
        let text = b"a\tb'c\"d$e[f]{g}\\h!i\nj\x0bk";
        assert_eq!(made(|o| Style::Shell.write(text, o)), "'a\tb'\\''c\"d$e[f]{g}\\h'\\!'i\nj\x0bk'");
        assert_eq!(made(|o| Style::Perl.write(text, o)), "'a\tb\\'c\"d$e[f]{g}\\\\h!i\nj\x0bk'");
        assert_eq!(made(|o| Style::Python.write(text, o)), "'a\tb\\'c\"d$e[f]{g}\\\\h!i\\nj\x0bk'");
        let tcl = "\"a\\tb'c\\\"d\\$e\\[f\\]\\{g\\}\\\\h!i\\nj\\vk\"";
        assert_eq!(made(|o| Style::Tcl.write(text, o)), tcl);
        assert_eq!(made(|o| sq_quote_pretty(b"--x=y", o)), "--x=y");
        assert_eq!(made(|o| sq_quote_pretty(b"", o)), "''");
    }

    proptest! {
        #[test]
        fn quotes_come_off_as_they_went_on(text: Vec<u8>, high: bool) {
            let mut quoted = vec![b'"'];
            escape_c(&text, high, &mut quoted);
            quoted.push(b'"');
            prop_assert_eq!(unquote_c(&quoted), Some((text.clone().into(), quoted.len())));
            let mut word = Vec::new();
            sq_quote(&text, &mut word);
            word.extend_from_slice(b" tail");
            prop_assert_eq!(sq_dequote(&word), Some((text.into(), &b" tail"[..])));
        }
    }
}
