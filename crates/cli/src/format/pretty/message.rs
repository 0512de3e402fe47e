//! The parts of a commit message: subject, body, and their forms.

use bstr::ByteSlice;

/// A message, cut into subject and body.
///
/// Blank lines (of nothing but white space) before the subject and between subject and body belong to neither.
#[derive(Debug, Clone, Copy)]
pub struct Message<'a> {
    /// All of it, up to the first zero byte.
    pub whole: &'a [u8],
    /// From the first line that is not blank.
    pub subject_on: &'a [u8],
    /// From the first line that is not blank after the subject's paragraph.
    pub body: &'a [u8],
}

impl<'a> Message<'a> {
    /// Cuts a message as it follows the header of a commit or tag.
    pub fn new(message: &'a [u8]) -> Self {
        // git handles messages as C strings.
        let whole = message.find_byte(0).map_or(message, |nul| &message[..nul]);
        let subject_on = skip_blank_lines(whole);
        let mut body = subject_on;
        while let Some((line, rest)) = split_line(body).filter(|(line, _)| !trim_end(line).is_empty()) {
            debug_assert!(!line.is_empty());
            body = rest;
        }
        Message { whole, subject_on, body: skip_blank_lines(body) }
    }

    /// The lines of the subject, without white space at their ends.
    pub fn subject_lines(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        lines(self.subject_on).map(trim_end).take_while(|line| !line.is_empty())
    }

    /// Appends the subject on one line.
    pub fn append_subject(&self, out: &mut Vec<u8>) {
        for (i, line) in self.subject_lines().enumerate() {
            if i > 0 {
                out.push(b' ');
            }
            out.extend_from_slice(line);
        }
    }

    /// Appends the subject's first line in a form that fits a file name.
    pub fn append_sanitized_subject(&self, out: &mut Vec<u8>) {
        let start = out.len();
        let mut gap = false;
        let mut last = 0;
        for &byte in split_line(self.subject_on).map_or(&[][..], |(line, _)| line) {
            if byte == b'\n' {
                break;
            }
            if !(byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_')) {
                gap = true;
                continue;
            }
            if gap && out.len() > start {
                out.push(b'-');
                last = b'-';
            }
            gap = false;
            if byte != b'.' || last != b'.' {
                out.push(byte);
            }
            last = byte;
        }
        while out.len() > start && matches!(out.last(), Some(b'.' | b'-')) {
            out.pop();
        }
    }
}

/// The lines of `text`, without their newlines.
pub(crate) fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    text.split(|&b| b == b'\n')
}

/// `text` from its first line that is not blank.
pub(crate) fn skip_blank_lines(mut text: &[u8]) -> &[u8] {
    while let Some((_, rest)) = split_line(text).filter(|(line, _)| trim_end(line).is_empty()) {
        text = rest;
    }
    text
}

/// Takes what git calls white space off the end.
pub(crate) fn trim_end(line: &[u8]) -> &[u8] {
    let end =
        line.iter().rposition(|b| !matches!(b, b' ' | b'\t' | b'\n' | b'\r')).map_or(0, |last| last + 1);
    &line[..end]
}

/// Appends `line` with each tab replaced by the spaces to the next multiple of `width` columns.
pub(crate) fn append_expanding_tabs(line: &[u8], width: usize, out: &mut Vec<u8>) {
    let mut rest = line;
    // Columns can be counted only in text; git stops expanding at a control character or a stray byte.
    while let Some(tab) = rest.find_byte(b'\t') {
        let before = &rest[..tab];
        if before.iter().any(u8::is_ascii_control) || before.to_str().is_err() {
            break;
        }
        let columns = adit_text::width::display_width(before, false);
        out.extend_from_slice(before);
        out.resize(out.len() + width - columns % width, b' ');
        rest = &rest[tab + 1..];
    }
    out.extend_from_slice(rest);
}

fn split_line(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = text.find_byte(b'\n').map_or(text.len(), |newline| newline + 1);
    (!text.is_empty()).then(|| text.split_at(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(message: &str) -> String {
        let mut out = Vec::new();
        Message::new(message.as_bytes()).append_subject(&mut out);
        String::from_utf8(out).unwrap()
    }

    fn sanitized(message: &str) -> String {
        let mut out = Vec::new();
        Message::new(message.as_bytes()).append_sanitized_subject(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn subjects_fold_into_one_line() {
        let odd = "\n\n  \nline one  \n  line two \nthree\n \n\nbody 1\n  body 2 \n\n";
        assert_eq!(subject(odd), "line one   line two three");
        assert_eq!(Message::new(odd.as_bytes()).body, b"body 1\n  body 2 \n\n");
        for (message, body) in
            [("subject only", ""), ("", ""), ("\n\n", ""), ("s\n\n\n\tb\n", "\tb\n"), ("s\n\0x", "")]
        {
            assert_eq!(Message::new(message.as_bytes()).body, body.as_bytes(), "{message:?}");
        }
    }

    #[test]
    fn file_names_of_subjects() {
        assert_eq!(sanitized("..a..b_c  d--e.!.lock.\nx y\n"), ".a.b_c-d-e.-.lock");
        assert_eq!(sanitized("  !x: y!"), "x-y");
        assert_eq!(sanitized(""), "");
    }

    #[test]
    fn tabs_go_to_columns() {
        let mut out = Vec::new();
        append_expanding_tabs("\tb\té\tx".as_bytes(), 8, &mut out);
        assert_eq!(out, "        b       é       x".as_bytes());
        out.clear();
        append_expanding_tabs(b"a\tb\x1b[m\tc", 8, &mut out);
        assert_eq!(out, b"a       b\x1b[m\tc");
    }
}
