//! The lexer of configuration files (git-config, "Configuration File").
//!
//! It yields section headers and entries with the bytes that each covers, so that an editor can change one and leave
//! the rest of the file as it is.

use std::ops::Range;

use bstr::{BString, ByteSlice};

/// What some editors put in front of UTF-8; it means nothing.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What stands at one place of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// `[section]` or `[section "subsection"]`: the canonical name up to and including the last dot.
    Section {
        /// The section in lower case, then `.`, then, for a subsection, its exact bytes and another `.`.
        prefix: BString,
    },
    /// `key = value` or `key`.
    Entry {
        /// The key in lower case.
        key: BString,
        /// The value, unquoted; `None` when there is no `=`.
        value: Option<BString>,
    },
}

/// An [`Item`] and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// What it is.
    pub item: Item,
    /// The bytes it covers: from `[` to `]`, or from the key to the end of the value, the newline included.
    pub span: Range<usize>,
    /// The line on which it ends, from 1, as error messages and `--show-origin` count.
    pub line: u32,
}

/// A line that is no configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("bad config line {line}")]
pub struct SyntaxError {
    /// The line, from 1.
    pub line: u32,
}

/// Reads a file item by item; after an error there is nothing more.
#[derive(Debug, Clone)]
pub struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
    line: u32,
    failed: bool,
}

impl<'a> Lexer<'a> {
    /// Starts at the beginning of `bytes`, after a byte order mark.
    pub fn new(bytes: &'a [u8]) -> Self {
        let at = if bytes.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
        Lexer { bytes, at, line: 1, failed: false }
    }

    /// Takes the next byte; a carriage return before a newline is passed over.
    fn bump(&mut self) -> Option<u8> {
        let mut byte = *self.bytes.get(self.at)?;
        self.at += 1;
        if byte == b'\r' && self.bytes.get(self.at) == Some(&b'\n') {
            self.at += 1;
            byte = b'\n';
        }
        if byte == b'\n' {
            self.line += 1;
        }
        Some(byte)
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_comment(&mut self) {
        // The newline stays, so that the caller counts the line.
        self.at += self.bytes[self.at..].find_byte(b'\n').unwrap_or(self.bytes.len() - self.at);
    }

    /// Reads the next item; `None` at the end of the file.
    fn item(&mut self) -> Result<Option<Located>, SyntaxError> {
        loop {
            let start = self.at;
            let line = self.line;
            let Some(byte) = self.bump() else { return Ok(None) };
            match byte {
                b'\n' => {}
                b' ' | b'\t' | b'\r' => {}
                b'#' | b';' => self.skip_comment(),
                b'[' => {
                    let prefix = self.section().ok_or_else(|| self.bad_header(start))?;
                    let span = start..self.at;
                    return Ok(Some(Located { item: Item::Section { prefix }, span, line: self.line }));
                }
                byte if byte.is_ascii_alphabetic() => {
                    let mut key = vec![byte.to_ascii_lowercase()];
                    while let Some(byte) = self.peek().filter(|b| b.is_ascii_alphanumeric() || *b == b'-') {
                        key.push(byte.to_ascii_lowercase());
                        self.at += 1;
                    }
                    let value = self.value_if_any().ok_or(SyntaxError { line: self.line })?;
                    let span = start..self.at;
                    return Ok(Some(Located { item: Item::Entry { key: key.into(), value }, span, line }));
                }
                _ => return Err(SyntaxError { line }),
            }
        }
    }

    /// The error for a header that broke off: at its line end the line is still that of the header, and at the end of the
    /// file git counts one more, if that is within the name.
    fn bad_header(&self, start: usize) -> SyntaxError {
        let ended_line = self.at > 0 && self.bytes[self.at - 1] == b'\n';
        let ended_file = self.at == self.bytes.len() && !ended_line;
        let in_name = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.');
        let broke_off = ended_file && self.bytes[start + 1..].iter().all(in_name);
        SyntaxError { line: self.line - u32::from(ended_line) + u32::from(broke_off) }
    }

    /// Reads a section header after its `[`; `None` when it is malformed.
    fn section(&mut self) -> Option<BString> {
        let mut name = Vec::new();
        loop {
            match self.bump()? {
                b']' if !name.is_empty() => {
                    name.push(b'.');
                    return Some(name.into());
                }
                byte if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.') => {
                    name.push(byte.to_ascii_lowercase());
                }
                b' ' | b'\t' => break,
                _ => return None,
            }
        }
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.at += 1;
        }
        if self.bump()? != b'"' {
            return None;
        }
        name.push(b'.');
        loop {
            match self.bump()? {
                b'"' => break,
                b'\n' => return None,
                b'\\' => match self.bump()? {
                    b'\n' => return None,
                    byte => name.push(byte),
                },
                byte => name.push(byte),
            }
        }
        name.push(b'.');
        (self.bump()? == b']').then(|| name.into())
    }

    /// Reads what follows a key: nothing, or `=` and a value.
    fn value_if_any(&mut self) -> Option<Option<BString>> {
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.at += 1;
        }
        match self.bump() {
            None | Some(b'\n') => Some(None),
            Some(b'=') => self.value().map(Some),
            Some(_) => None,
        }
    }

    /// Reads a value to the end of its line; `None` when a quote stays open or an escape is unknown.
    fn value(&mut self) -> Option<BString> {
        let mut value = Vec::new();
        // What lies beyond `keep` is unquoted white space, dropped at the end of the line.
        let mut keep = 0;
        let mut quoted = false;
        loop {
            let byte = self.bump();
            match byte {
                None | Some(b'\n') => {
                    if quoted {
                        // The line that stays open is the one to name.
                        self.line -= u32::from(byte.is_some());
                        return None;
                    }
                    value.truncate(keep);
                    return Some(value.into());
                }
                Some(b' ' | b'\t' | b'\r') if !quoted => {
                    if !value.is_empty() || keep > 0 {
                        value.extend(byte);
                    }
                    continue;
                }
                Some(b'#' | b';') if !quoted => {
                    self.skip_comment();
                    continue;
                }
                Some(b'"') => quoted = !quoted,
                // A backslash at the end of the file goes on with nothing.
                Some(b'\\') => match self.bump().unwrap_or(b'\n') {
                    b'\n' => continue,
                    b't' => value.push(b'\t'),
                    b'b' => value.push(8),
                    b'n' => value.push(b'\n'),
                    byte @ (b'\\' | b'"') => value.push(byte),
                    _ => return None,
                },
                Some(byte) => value.push(byte),
            }
            keep = value.len();
        }
    }
}

impl Iterator for Lexer<'_> {
    type Item = Result<Located, SyntaxError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let item = self.item().transpose();
        self.failed = matches!(item, Some(Err(_)));
        item
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(text: &str) -> Result<Vec<(String, Option<String>)>, SyntaxError> {
        let mut prefix = BString::default();
        let mut found = Vec::new();
        for located in Lexer::new(text.as_bytes()) {
            match located?.item {
                Item::Section { prefix: new } => prefix = new,
                Item::Entry { key, value } => {
                    found.push((format!("{prefix}{key}"), value.map(|v| v.to_string())))
                }
            }
        }
        Ok(found)
    }

    #[test]
    fn sections_keys_and_values() {
        let text = "[Core] Bare = true\r\n[a \"B \\\"c\"] x\n y = a  b # c\n z = \"  q;\" r \\\n  s\n[old.Style]k=\\t\\n\n";
        let found = entries(text).unwrap();
        let expected = [
            ("core.bare", Some("true")),
            ("a.B \"c.x", None),
            ("a.B \"c.y", Some("a  b")),
            ("a.B \"c.z", Some("  q; r   s")),
            ("old.style.k", Some("\t\n")),
        ];
        let expected: Vec<_> =
            expected.iter().map(|(k, v)| ((*k).to_owned(), v.map(str::to_owned))).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn mistakes_name_their_line() {
        for (text, line) in [
            ("= 1\n", 1),
            ("[]\n", 1),
            ("[a]\n1 = 2\n", 2),
            ("[a]\nb = \"c\nd = e\n", 2),
            ("[a]\nb = \\q\n", 2),
            ("[a \"b\nc\"]\n", 1),
            ("\n[a", 3),
            ("[a \"", 1),
        ] {
            assert_eq!(entries(text).unwrap_err().line, line, "{text:?}");
        }
    }

    #[test]
    fn any_bytes_end() {
        let text = b"[a \"\\\"\"]\nb = \"c\\\nd\" ; e\n\xff";
        for cut in 0..=text.len() {
            let _ = Lexer::new(&text[..cut]).count();
        }
    }
}
