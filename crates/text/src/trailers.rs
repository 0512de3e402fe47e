//! Trailers: the `Key: value` lines at the end of a message (git-interpret-trailers).

use std::ops::Range;

use bstr::ByteSlice;

/// What counts as a trailer.
#[derive(Debug, Clone)]
pub struct Rules<'a> {
    /// The characters that may follow a key (`trailer.separators`).
    pub separators: &'a [u8],
    /// What a comment line starts with (`core.commentChar`).
    pub comment: &'a [u8],
    /// The keys that configuration knows; one of them, or one that git writes itself, makes a block of trailers
    /// of a paragraph that holds other lines too.
    pub known_keys: &'a [Vec<u8>],
}

impl Default for Rules<'_> {
    fn default() -> Self {
        Rules { separators: b":", comment: b"#", known_keys: &[] }
    }
}

/// A key and its value.
pub type Trailer = (Vec<u8>, Vec<u8>);

/// One item of a block of trailers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item<'a> {
    /// A trailer, its lines folded as they stand.
    Trailer {
        /// The key, without white space around it.
        key: &'a [u8],
        /// The value, without white space around it; further lines included.
        value: &'a [u8],
    },
    /// Another line of the block.
    Other(&'a [u8]),
}

/// Finds the block of trailers at the end of `message`, which starts with its subject; empty when there is none.
pub fn block(message: &[u8], rules: &Rules<'_>) -> Range<usize> {
    let end = content_end(message, rules);
    let text = &message[..end];
    let nothing = end..end;
    let Some(title) = title_end(text, rules) else { return nothing };
    // The last paragraph, without the blank lines behind it.
    let mut start = end;
    let mut found = false;
    while let Some(line) = last_line(text, title, start) {
        let blank = is_blank(&text[line..start]);
        if blank && found {
            break;
        }
        found |= !blank;
        start = line;
    }
    if found && is_block(&text[start..], rules) { start..end } else { nothing }
}

/// The items of a block, in order; comments are left out.
pub fn items<'a>(block: &'a [u8], rules: &Rules<'a>) -> impl Iterator<Item = Item<'a>> + use<'a> {
    Items { block, at: 0, rules: rules.clone() }
}

/// Adds trailers to a message, each at the end of its block; a new block follows an empty line. One that the last one of
/// the block repeats is left out.
pub fn add(message: &[u8], trailers: &[Trailer], rules: &Rules<'_>) -> Vec<u8> {
    let block = block(message, rules);
    let mut last = items(&message[block.clone()], rules).last().and_then(|item| match item {
        Item::Trailer { key, value } => Some((key.to_vec(), value.to_vec())),
        Item::Other(_) => None,
    });
    let mut out = message[..block.end].to_vec();
    if out.last().is_some_and(|&byte| byte != b'\n') {
        out.push(b'\n');
    }
    let starts_block = block.is_empty() && !out.ends_with(b"\n\n") && out != b"\n";
    if starts_block && !trailers.is_empty() {
        out.push(b'\n');
    }
    for (key, value) in trailers {
        let repeats =
            |(old_key, old_value): &Trailer| old_key.eq_ignore_ascii_case(key) && old_value == value;
        if !last.as_ref().is_some_and(repeats) {
            out.extend_from_slice(key);
            out.extend_from_slice(b": ");
            out.extend_from_slice(value);
            out.push(b'\n');
        }
        last = Some((key.clone(), value.clone()));
    }
    out.extend_from_slice(message[block.end..].trim_start_with(|c| c == '\n').as_bytes());
    out
}

/// Appends a value with its further lines joined by single spaces.
pub fn unfold(value: &[u8], out: &mut Vec<u8>) {
    let mut lines = value.split(|&b| b == b'\n');
    out.extend_from_slice(lines.next().unwrap_or(&[]).trim_ascii());
    for line in lines.map(|line| line.trim_ascii()).filter(|line| !line.is_empty()) {
        out.push(b' ');
        out.extend_from_slice(line);
    }
}

struct Items<'a> {
    block: &'a [u8],
    at: usize,
    rules: Rules<'a>,
}

impl<'a> Iterator for Items<'a> {
    type Item = Item<'a>;

    fn next(&mut self) -> Option<Item<'a>> {
        loop {
            let start = self.at;
            let line = first_line(&self.block[start..])?;
            self.at += line.len();
            if line.starts_with(self.rules.comment) {
                continue;
            }
            let Some(separator) = separator(line, self.rules.separators) else {
                return Some(Item::Other(line.strip_suffix(b"\n").unwrap_or(line)));
            };
            while let Some(next) = first_line(&self.block[self.at..]).filter(|next| starts_blank(next)) {
                self.at += next.len();
            }
            let (key, value) = self.block[start..self.at].split_at(separator);
            return Some(Item::Trailer { key: key.trim_ascii(), value: value[1..].trim_ascii() });
        }
    }
}

/// Where the message ends that a person wrote: before trailing comments, a list of conflicts and the scissors line.
fn content_end(message: &[u8], rules: &Rules<'_>) -> usize {
    let mut at = 0;
    let mut end = None;
    let mut conflicts = false;
    while let Some(line) = first_line(&message[at..]) {
        if is_scissors(line, rules) {
            return end.unwrap_or(at);
        }
        if line.starts_with(rules.comment) || line == b"\n" {
            end.get_or_insert(at);
        } else if line == b"Conflicts:\n" {
            conflicts = true;
            end.get_or_insert(at);
        } else if !(conflicts && line.first() == Some(&b'\t')) {
            (conflicts, end) = (false, None);
        }
        at += line.len();
    }
    end.unwrap_or(message.len())
}

fn is_scissors(line: &[u8], rules: &Rules<'_>) -> bool {
    line.strip_prefix(rules.comment)
        .is_some_and(|rest| rest == b" ------------------------ >8 ------------------------\n")
}

/// Where the first blank line starts; trailers can only follow one.
fn title_end(text: &[u8], rules: &Rules<'_>) -> Option<usize> {
    let mut at = 0;
    while let Some(line) = first_line(&text[at..]) {
        if !line.starts_with(rules.comment) && is_blank(line) {
            return Some(at);
        }
        at += line.len();
    }
    None
}

/// Where the line starts that ends at `end`, unless that is before `first`.
fn last_line(text: &[u8], first: usize, end: usize) -> Option<usize> {
    let before = end.checked_sub(1)?;
    let line = text[..before].rfind_byte(b'\n').map_or(0, |newline| newline + 1);
    (line >= first).then_some(line)
}

/// Whether a paragraph is all trailers, or has a trailer that git wrote and a quarter of trailers at least.
fn is_block(paragraph: &[u8], rules: &Rules<'_>) -> bool {
    let (mut trailers, mut others, mut git_made) = (0usize, 0usize, false);
    let mut in_trailer = false;
    for line in paragraph.split_inclusive(|&b| b == b'\n') {
        if line.starts_with(rules.comment) {
            in_trailer = false;
        } else if starts_blank(line) {
            others += usize::from(!in_trailer);
        } else if line.starts_with(b"Signed-off-by: ") || line.starts_with(b"(cherry picked from commit ") {
            (trailers, git_made, in_trailer) = (trailers + 1, true, true);
        } else if let Some(at) = separator(line, rules.separators) {
            let key = line[..at].trim_ascii_end();
            git_made |= rules.known_keys.iter().any(|known| known.eq_ignore_ascii_case(key));
            (trailers, in_trailer) = (trailers + 1, true);
        } else {
            (others, in_trailer) = (others + 1, false);
        }
    }
    (git_made && trailers.saturating_mul(3) >= others) || (trailers > 0 && others == 0)
}

/// Finds the separator after a key of letters, digits and dashes and, perhaps, white space.
fn separator(line: &[u8], separators: &[u8]) -> Option<usize> {
    let key = line.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'-').count();
    let space = line[key..].iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
    let at = key + space;
    (key > 0 && separators.contains(line.get(at)?)).then_some(at)
}

fn starts_blank(line: &[u8]) -> bool {
    line.first().is_some_and(u8::is_ascii_whitespace)
}

fn is_blank(line: &[u8]) -> bool {
    line.trim_ascii().is_empty()
}

/// The first line with its newline; `None` at the end.
fn first_line(text: &[u8]) -> Option<&[u8]> {
    let end = text.find_byte(b'\n').map_or(text.len(), |newline| newline + 1);
    (!text.is_empty()).then(|| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(message: &str) -> &str {
        &message[block(message.as_bytes(), &Rules::default())]
    }

    #[test]
    fn trailers_are_added_to_their_block() {
        let added = |message: &str, trailers: &[(&str, &str)]| {
            let trailers: Vec<_> = trailers
                .iter()
                .map(|(key, value)| (key.as_bytes().to_vec(), value.as_bytes().to_vec()))
                .collect();
            String::from_utf8(add(message.as_bytes(), &trailers, &Rules::default())).unwrap()
        };
        for (message, expected) in [
            ("", "\nA: b\n"),
            ("\n", "\nA: b\n"),
            ("subject\n", "subject\n\nA: b\n"),
            ("subject\n\nbody\n# comment\n", "subject\n\nbody\n\nA: b\n# comment\n"),
            ("subject\n\nX: y\n", "subject\n\nX: y\nA: b\n"),
            ("subject\n\na: b\n", "subject\n\na: b\n"),
        ] {
            assert_eq!(added(message, &[("A", "b")]), expected, "{message:?}");
        }
        assert_eq!(added("s\n", &[("A", "b"), ("A", "b"), ("A", "c")]), "s\n\nA: b\nA: c\n");
    }

    #[test]
    fn a_block_is_the_last_paragraph() {
        assert_eq!(found("s\n\nbody\n\nA: b\nC-d:\n\n\n"), "A: b\nC-d:\n");
        assert_eq!(found("s\n\nA: b\n   \nC: d\n"), "C: d\n");
        assert_eq!(found("s\n\nFoo: x"), "Foo: x");
        for none in ["A: b\n", "s\nA: b\n", "# c\nA: b\n", "s\n\nA: b\n\nend\n", "s\n\nA: b\n\n---\nd\n", ""]
        {
            assert_eq!(found(none), "", "{none:?}");
        }
        assert_eq!(found("# c\n\nFoo: a\n"), "Foo: a\n");
    }

    #[test]
    fn other_lines_need_a_trailer_of_gits() {
        assert_eq!(found("s\n\nother\n1\n2\nSigned-off-by: x\n"), "other\n1\n2\nSigned-off-by: x\n");
        assert_eq!(found("s\n\nother\n1\n2\n3\nSigned-off-by: x\n"), "");
        assert_eq!(found("s\n\nother\nFoo: x\n"), "");
        assert_eq!(found("s\n\n(cherry picked from commit 1)\nx\n"), "(cherry picked from commit 1)\nx\n");
        assert_eq!(found("s\n\n  indented\nFoo: A\n"), "");
        assert_eq!(found("s\n\nFoo: x\n# c\n  cont\n"), "");
        assert_eq!(found("s\n\nx_1: y\n"), "");
        let known_keys = [b"foo".to_vec()];
        let rules = Rules { known_keys: &known_keys, ..Rules::default() };
        assert_eq!(block(b"s\n\nother\nFoo: x\n", &rules), 3..16);
    }

    #[test]
    fn comments_and_conflicts_at_the_end_do_not_count() {
        for tail in [
            "\n# c\n# d\n",
            "# c\n",
            "Conflicts:\n\tx\n",
            "\n# ------------------------ >8 ------------------------\nx\n",
        ] {
            assert_eq!(found(&format!("s\n\nFoo: a\n{tail}")), "Foo: a\n", "{tail:?}");
        }
    }

    #[test]
    fn items_fold_and_unfold() {
        let text = b"Key: value\n  more\n\tand more\n# c\nother line\nkey \t:  x  \n";
        let all: Vec<_> = items(text, &Rules::default()).collect();
        let value = &b"value\n  more\n\tand more"[..];
        assert_eq!(all[0], Item::Trailer { key: b"Key", value });
        assert_eq!(all[1..], [Item::Other(b"other line"), Item::Trailer { key: b"key", value: b"x" }]);
        let mut out = Vec::new();
        unfold(value, &mut out);
        assert_eq!(out, b"value more and more");
    }
}
