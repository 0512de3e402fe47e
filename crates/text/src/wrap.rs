//! Wrapping text to a width, the way `git shortlog -w` and the `%w()` placeholder do it.

use crate::width::{char_width, color_escape_len};

/// Where the first line of a wrapped text starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// On a line of its own, behind so many spaces.
    Indent(usize),
    /// Behind what a line already holds, so many columns of it; even the first word may move to the next line.
    Column(usize),
}

/// Appends `text` in lines of at most `width` columns, those after the first one behind `indent` spaces.
///
/// Words are never cut. A newline is a space when an ASCII letter or digit follows it, and stays a newline
/// otherwise; an empty line stays one. With `width` 0 lines are indented but not wrapped.
pub fn wrap(text: &[u8], start: Start, indent: usize, width: usize, out: &mut Vec<u8>) {
    if width == 0 {
        let first = match start {
            Start::Indent(first) => first,
            Start::Column(_) => 0,
        };
        return indent_lines(text, first, indent, out);
    }
    Wrapper::new(text, start, indent, width, out).run();
}

/// Appends `text` with `first` spaces before its first line and `rest` spaces before the others.
pub fn indent_lines(text: &[u8], first: usize, rest: usize, out: &mut Vec<u8>) {
    let mut indent = first;
    for line in text.split_inclusive(|&b| b == b'\n') {
        spaces(indent, out);
        out.extend_from_slice(line);
        indent = rest;
    }
}

struct Wrapper<'a> {
    text: &'a [u8],
    /// Whether columns are counted by characters; otherwise by bytes.
    utf8: bool,
    indent: usize,
    width: usize,
    out: &'a mut Vec<u8>,
    /// Spaces owed to the line before its first word.
    owed: usize,
    /// Where the line starts in `text`.
    line: usize,
    column: usize,
    /// Where the white space before the current word starts; `None` for a line's first word, which is placed
    /// however long it is.
    gap: Option<usize>,
}

impl<'a> Wrapper<'a> {
    fn new(text: &'a [u8], start: Start, indent: usize, width: usize, out: &'a mut Vec<u8>) -> Self {
        let (owed, column, gap) = match start {
            Start::Indent(first) => (first, first, None),
            Start::Column(column) => (0, column, Some(0)),
        };
        let utf8 = std::str::from_utf8(text).is_ok();
        Wrapper { text, utf8, indent, width, out, owed, line: 0, column, gap }
    }

    fn run(mut self) {
        let mut at = 0;
        loop {
            let word = self.word(at);
            let column = self.column + word.columns;
            if let Some(gap) = self.gap.filter(|_| column > self.width) {
                at = self.break_line(gap);
                continue;
            }
            let Some(&separator) = self.text.get(word.end) else {
                if word.end > self.line {
                    self.place(at, word.end);
                }
                return;
            };
            self.place(at, word.end);
            self.gap = Some(word.end);
            at = word.end + 1;
            self.column = column + 1;
            match separator {
                b'\t' => self.column = (column | 7) + 1,
                b'\n' => match self.text.get(at) {
                    Some(next) if next.is_ascii_alphanumeric() => {
                        self.out.push(b' ');
                        self.gap = Some(at);
                    }
                    next => {
                        if next == Some(&b'\n') {
                            self.out.push(b'\n');
                        }
                        at = self.break_line(at);
                    }
                },
                _ => {}
            }
        }
    }

    /// Writes the word with the white space before it, or with the indent that the line is owed.
    fn place(&mut self, word: usize, end: usize) {
        spaces(std::mem::take(&mut self.owed), self.out);
        self.out.extend_from_slice(&self.text[self.gap.unwrap_or(word)..end]);
    }

    /// Starts a new line with what lies at `from`, less one white space, and returns where that is.
    fn break_line(&mut self, from: usize) -> usize {
        self.out.push(b'\n');
        let skip = self.text.get(from).is_some_and(|&b| is_space(b));
        self.line = from + usize::from(skip);
        (self.gap, self.owed, self.column) = (None, self.indent, self.indent);
        self.line
    }

    /// Measures the word at `at`, which is empty where white space follows white space.
    fn word(&self, at: usize) -> Word {
        let mut word = Word { end: at, columns: 0 };
        while let Some(&byte) = self.text.get(word.end) {
            let rest = &self.text[word.end..];
            if is_space(byte) {
                break;
            } else if let Some(len) = color_escape_len(rest) {
                word.end += len;
            } else if self.utf8 {
                let (c, len) = bstr::decode_utf8(rest);
                word.columns += c.map_or(0, char_width);
                word.end += len;
            } else {
                word.columns += 1;
                word.end += 1;
            }
        }
        word
    }
}

struct Word {
    end: usize,
    columns: usize,
}

/// What git's own `isspace` says.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

fn spaces(count: usize, out: &mut Vec<u8>) {
    out.resize(out.len() + count, b' ');
}

/// Puts `prefix` in front of every line of `out` from byte `start` on; lines end with `terminator`.
pub fn prefix_lines(prefix: &[u8], terminator: u8, start: usize, out: &mut Vec<u8>) {
    if prefix.is_empty() || start >= out.len() {
        return;
    }
    let text = out.split_off(start);
    for line in text.split_inclusive(|&byte| byte == terminator) {
        out.extend_from_slice(prefix);
        out.extend_from_slice(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapped(text: &str, first: usize, indent: usize, width: usize) -> String {
        let mut out = Vec::new();
        wrap(text.as_bytes(), Start::Indent(first), indent, width, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn words_move_to_the_next_line() {
        let fox = "The quick brown fox jumps over the lazy dog|";
        assert_eq!(wrapped(fox, 2, 4, 20), "  The quick brown\n    fox jumps over\n    the lazy dog|");
        assert_eq!(wrapped("abcdefghijklm op", 2, 0, 10), "  abcdefghijklm\nop");
        assert_eq!(wrapped("one two three", 20, 2, 10), format!("{}one\n  two\n  three", " ".repeat(20)));
        assert_eq!(wrapped("日本語日本語 日本語", 0, 0, 10), "日本語日本語\n日本語");
        assert_eq!(wrapped("ab\x1b[31m cd ef gh", 0, 0, 8), "ab\x1b[31m cd ef\ngh");
    }

    #[test]
    fn white_space_is_kept_but_for_the_break() {
        assert_eq!(wrapped("a  b   c    d     e", 0, 0, 10), "a  b   c  \n d     e");
        assert_eq!(wrapped("   lead", 0, 0, 10), "   lead");
        assert_eq!(wrapped("trail    ", 0, 0, 10), "trail    ");
        assert_eq!(wrapped("a\tb\tc d e f g", 0, 0, 10), "a\tb\nc d e f g");
        assert_eq!(wrapped("", 2, 4, 10), "");
    }

    #[test]
    fn newlines_join_or_stay() {
        let text = "short\nnext line\n\npara two\n - item\n9 nine\nlast";
        assert_eq!(
            wrapped(text, 2, 4, 20),
            "  short next line\n\n    para two\n    - item 9 nine \n    last"
        );
        assert_eq!(wrapped("a\n\n\nb", 0, 0, 10), "a\n\n b");
        assert_eq!(wrapped("abc\n   def", 2, 4, 10), "  abc\n      def");
        assert_eq!(wrapped("\n\n", 2, 4, 10), "  \n\n");
        assert_eq!(wrapped("aaaaa bb \nccccccccc", 0, 0, 10), "aaaaa bb  \nccccccccc");
    }

    #[test]
    fn bytes_that_are_no_text_count_one_each() {
        let mut out = Vec::new();
        wrap(b"\xff\xfe aaa bbb ccc", Start::Indent(0), 0, 10, &mut out);
        assert_eq!(out, b"\xff\xfe aaa bbb\nccc");
    }

    #[test]
    fn no_width_only_indents() {
        assert_eq!(wrapped("one two\nthree\n\nfour", 3, 5, 0), "   one two\n     three\n     \n     four");
    }

    #[test]
    fn behind_a_prefix_even_the_first_word_moves() {
        let mut out = b"Subject: ".to_vec();
        wrap(b"longer words", Start::Column(9), 1, 13, &mut out);
        assert_eq!(out, b"Subject: \n longer words");
    }

    #[test]
    fn every_line_from_a_place_on_is_prefixed() {
        let mut out = b"a\nb\n\nc".to_vec();
        prefix_lines(b"> ", b'\n', 2, &mut out);
        assert_eq!(out, b"a\n> b\n> \n> c");
        prefix_lines(b"", b'\n', 0, &mut out);
        prefix_lines(b"> ", b'\n', out.len(), &mut out);
        assert_eq!(out.len(), 12);
    }
}
