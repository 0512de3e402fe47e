//! The clean-up of messages that `git stripspace` does: trailing space, runs of empty lines, comments.

use bstr::ByteSlice;

/// How a message is cleaned up (git-commit, `--cleanup`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cleanup {
    /// Not at all.
    Verbatim,
    /// White space goes.
    Whitespace,
    /// White space and comments go.
    Strip,
    /// White space goes, and all from the line with the scissors on.
    Scissors,
}

const SCISSORS: &[u8] = b" ------------------------ >8 ------------------------\n";

impl Cleanup {
    /// The one that git calls so.
    pub fn from_name(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"verbatim" => Cleanup::Verbatim,
            b"whitespace" => Cleanup::Whitespace,
            b"strip" => Cleanup::Strip,
            b"scissors" => Cleanup::Scissors,
            _ => return None,
        })
    }

    /// The message without what it does not need; comments start with `comment`.
    pub fn apply(self, message: &[u8], comment: &[u8]) -> Vec<u8> {
        match self {
            Cleanup::Verbatim => message.to_vec(),
            Cleanup::Whitespace => stripspace(message, None),
            Cleanup::Strip => stripspace(message, Some(comment)),
            Cleanup::Scissors => {
                let scissors = [comment, SCISSORS].concat();
                let mut end = 0;
                for line in message.lines_with_terminator() {
                    if line == scissors {
                        break;
                    }
                    end += line.len();
                }
                stripspace(&message[..end], None)
            }
        }
    }
}

/// Removes trailing white space from lines, empty lines at both ends and all but one of a run of empty lines;
/// the last line ends with a newline. Lines that start with `comment` are removed, when it is given.
pub fn stripspace(text: &[u8], comment: Option<&[u8]>) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 1);
    let mut gap = false;
    for line in text.lines() {
        if comment.is_some_and(|prefix| line.starts_with(prefix)) {
            continue;
        }
        let line = trim_end(line);
        if line.is_empty() {
            gap = !out.is_empty();
            continue;
        }
        if std::mem::take(&mut gap) {
            out.push(b'\n');
        }
        out.extend_from_slice(line);
        out.push(b'\n');
    }
    out
}

/// Puts `comment` before each line, and a space unless the line is empty or starts with a tab.
pub fn comment_lines(text: &[u8], comment: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() * 2);
    for line in text.lines_with_terminator() {
        out.extend_from_slice(comment);
        if !matches!(line.first(), Some(b'\n' | b'\t')) {
            out.push(b' ');
        }
        out.extend_from_slice(line);
    }
    if out.last().is_some_and(|&b| b != b'\n') {
        out.push(b'\n');
    }
    out
}

/// Trims what git counts as white space (no vertical tab, no form feed).
fn trim_end(line: &[u8]) -> &[u8] {
    let kept = line.iter().rposition(|b| !matches!(b, b' ' | b'\t' | b'\r' | b'\n'));
    &line[..kept.map_or(0, |at| at + 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_of_cleaning_up() {
        let message = b"\n# a\nb \n\n# ------------------------ >8 ------------------------\nc\n";
        for (mode, expected) in [
            ("verbatim", &message[..]),
            ("whitespace", b"# a\nb\n\n# ------------------------ >8 ------------------------\nc\n"),
            ("strip", b"b\n\nc\n"),
            ("scissors", b"# a\nb\n"),
        ] {
            assert_eq!(Cleanup::from_name(mode.as_bytes()).unwrap().apply(message, b"#"), expected, "{mode}");
        }
        assert_eq!(Cleanup::from_name(b"default"), None);
    }

    #[test]
    fn space_is_stripped() {
        let clean = |text: &str| String::from_utf8(stripspace(text.as_bytes(), None)).unwrap();
        assert_eq!(clean("a  \n\n\n b\n"), "a\n\n b\n");
        assert_eq!(clean("\n \n\t\n"), "");
        assert_eq!(clean("a\r\n\r\nb"), "a\n\nb\n");
        assert_eq!(clean("a\x0b\n \x0c\nb"), "a\x0b\n \x0c\nb\n");
    }

    #[test]
    fn comments() {
        assert_eq!(stripspace(b"#x\na\n#y\n\nb", Some(b"#")), b"a\n\nb\n");
        assert_eq!(stripspace(b" #x\na", Some(b"#")), b" #x\na\n");
        assert_eq!(comment_lines(b"a\n\n\tb", b"#"), b"# a\n#\n#\tb\n");
        assert_eq!(comment_lines(b"", b"#"), b"");
    }
}
