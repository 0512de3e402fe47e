//! One file of ignore patterns (gitignore, "PATTERN FORMAT").

use bstr::{BStr, BString, ByteSlice};

use crate::pattern::Pattern;

/// The patterns of one source.
#[derive(Debug, Default)]
pub struct IgnoreFile {
    source: BString,
    rules: Vec<Rule>,
}

/// One pattern and where it stands.
#[derive(Debug)]
pub struct Rule {
    pattern: Pattern,
    is_negative: bool,
    is_for_folders: bool,
    line: usize,
    text: BString,
}

impl Rule {
    /// Whether what it matches is not ignored (`!`).
    pub fn is_negative(&self) -> bool {
        self.is_negative
    }

    /// The number of its line, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// The pattern as it is written, but for spaces at its end.
    pub fn text(&self) -> &BStr {
        self.text.as_bstr()
    }
}

impl IgnoreFile {
    /// Reads a file, which is called `source`.
    pub fn parse(content: &[u8], source: impl Into<BString>) -> Self {
        let content = content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(content);
        let mut file = IgnoreFile { source: source.into(), rules: Vec::new() };
        for (number, line) in content.lines().enumerate() {
            if !line.starts_with(b"#") {
                file.add(without_trailing_spaces(line), number + 1);
            }
        }
        file
    }

    /// Adds a pattern that stands in line `line`.
    pub fn add(&mut self, text: &[u8], line: usize) {
        if text.is_empty() {
            return;
        }
        let (is_negative, rest) = match text.strip_prefix(b"!") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (is_for_folders, rest) = match rest.strip_suffix(b"/") {
            Some(rest) => (true, rest),
            None => (false, rest),
        };
        let pattern = Pattern::new(rest);
        self.rules.push(Rule { pattern, is_negative, is_for_folders, line, text: text.into() });
    }

    /// What the file is called.
    pub fn source(&self) -> &BStr {
        self.source.as_bstr()
    }

    /// Whether it has no pattern.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    pub(super) fn rule(&self, number: usize) -> Option<&Rule> {
        self.rules.get(number)
    }

    /// The number of the last rule that matches `path`, which is seen from the file's folder and whose last part starts at
    /// `name`. `is_folder` is asked only when that matters.
    pub(super) fn last_match(
        &self,
        path: &BStr,
        name: usize,
        ignore_case: bool,
        is_folder: &mut impl FnMut() -> bool,
    ) -> Option<usize> {
        self.rules.iter().rposition(|rule| {
            (!rule.is_for_folders || is_folder()) && rule.pattern.matches(path, name, ignore_case)
        })
    }
}

/// A line without the spaces at its end, unless a backslash protects them, and without a carriage return.
fn without_trailing_spaces(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let mut end = 0;
    let mut at = 0;
    while at < line.len() {
        match line[at] {
            b'\\' => at = (at + 2).min(line.len()),
            b' ' => {
                at += 1;
                continue;
            }
            _ => at += 1,
        }
        end = at;
    }
    &line[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_written() {
        let file = IgnoreFile::parse(b"\xef\xbb\xbfa  \n#c\n\n!b/\r\nc\\ \nd\\  \ne f\n\\#g\n/\n\\", "x");
        let texts: Vec<_> = file.rules.iter().map(|rule| (rule.line, rule.text.to_string())).collect();
        let expected =
            [(1, "a"), (4, "!b/"), (5, "c\\ "), (6, "d\\ "), (7, "e f"), (8, "\\#g"), (9, "/"), (10, "\\")];
        assert_eq!(texts, expected.map(|(line, text)| (line, text.to_owned())));
        assert!(file.rules[1].is_negative && file.rules[1].is_for_folders);
        let last = |path: &str, is_folder: bool| {
            file.last_match(path.into(), 0, false, &mut || is_folder).map(|number| file.rules[number].line)
        };
        assert_eq!((last("a", false), last("b", false), last("b", true)), (Some(1), None, Some(4)));
        assert_eq!((last("c ", false), last("#g", false), last("\\", false)), (Some(5), Some(8), None));
    }
}
