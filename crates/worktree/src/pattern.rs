//! One pattern of an ignore or attributes file, classified once so that most paths need no glob (gitignore).

use adit_text::wildmatch::{Options, has_wildcard, literal_prefix_len, wildmatch};
use bstr::{BStr, BString, ByteSlice};

/// A pattern without what its file gives a meaning of its own: a `!` before it, a slash after it.
#[derive(Debug, Clone)]
pub(crate) struct Pattern {
    text: BString,
    kind: Kind,
    /// It has no slash, and matches the last part of a path.
    is_name: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Equal.
    Exact,
    /// `*` and then characters that mean themselves.
    Suffix,
    /// Characters that mean themselves and then `*`.
    Prefix,
    /// Anything else; so many bytes at its start mean themselves.
    Glob(usize),
}

impl Pattern {
    /// Classifies `text`.
    pub(crate) fn new(text: &[u8]) -> Self {
        // A name anywhere below is a name.
        let text = match text.strip_prefix(b"**/") {
            Some(name) if !name.is_empty() && !name.contains(&b'/') => name,
            _ => text,
        };
        let is_name = !text.contains(&b'/');
        let text = text.strip_prefix(b"/").unwrap_or(text);
        let kind = match literal_prefix_len(text) {
            length if length == text.len() => Kind::Exact,
            0 if is_name && text[0] == b'*' && !has_wildcard(&text[1..]) => Kind::Suffix,
            length if is_name && length + 1 == text.len() && text[length] == b'*' => Kind::Prefix,
            length => Kind::Glob(length),
        };
        Pattern { text: text.into(), kind, is_name }
    }

    /// Whether it matches `path`, which is seen from the file's folder and whose last part starts at `name`.
    pub(crate) fn matches(&self, path: &BStr, name: usize, ignore_case: bool) -> bool {
        let path = if self.is_name { &path[name..] } else { path };
        let same = |a: &[u8], b: &[u8]| if ignore_case { a.eq_ignore_ascii_case(b) } else { a == b };
        let text = self.text.as_bytes();
        match self.kind {
            Kind::Exact => same(path, text),
            Kind::Suffix => {
                let suffix = &text[1..];
                path.len() >= suffix.len() && same(&path[path.len() - suffix.len()..], suffix)
            }
            Kind::Prefix => {
                let prefix = &text[..text.len() - 1];
                path.len() >= prefix.len() && same(&path[..prefix.len()], prefix)
            }
            Kind::Glob(literal) => {
                path.len() >= literal
                    && same(&path[..literal], &text[..literal])
                    && wildmatch(text, path, Options { pathname: !self.is_name, ignore_case })
            }
        }
    }
}

/// Where the last part of `path` starts.
pub(crate) fn name_start(path: &[u8]) -> usize {
    path.rfind_byte(b'/').map_or(0, |slash| slash + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_match_as_the_glob_would() {
        let patterns = [
            "a", "*.c", "*", "a*", "**/a", "**/a*", "**/a/b", "/a", "/*.c", "a/b", "a/*", "a/**", "*a*", "?",
            "", "**", "**/", "a**", "*/b", "[ab]", "A*", "*.C", "a\\*",
        ];
        let paths = [
            "a", "b", "x.c", "d/x.c", "a/b", "d/a", "d/a/b", "d/e/a", "ab", "a/b/c", "*", "a*", "A", "X.C",
            ".c",
        ];
        for text in patterns {
            for path in paths {
                for ignore_case in [false, true] {
                    let bytes = text.as_bytes();
                    let (whole, glob) = if bytes.contains(&b'/') {
                        (path, bytes.strip_prefix(b"/").unwrap_or(bytes))
                    } else {
                        (&path[name_start(path.as_bytes())..], bytes)
                    };
                    let options = Options { pathname: bytes.contains(&b'/'), ignore_case };
                    let expected = wildmatch(glob, whole.as_bytes(), options);
                    let pattern = Pattern::new(bytes);
                    let actual = pattern.matches(path.into(), name_start(path.as_bytes()), ignore_case);
                    assert_eq!(actual, expected, "{text} {path} {ignore_case}");
                }
            }
        }
    }
}
