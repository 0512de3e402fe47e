//! White space errors: what counts as one (`core.whitespace`, the `whitespace` attribute), how a line is shown that has
//! some, and `--check`.

use std::ops::Range;

use crate::lines::{Change, count_lines, is_space};
use crate::palette::{Palette, Slot};
use crate::patch::text::lines;

/// What counts as an error, and how wide a tab is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// White space at the end of a line.
    pub blank_at_eol: bool,
    /// Blank lines added at the end of a file.
    pub blank_at_eof: bool,
    /// A space right before a tab in the indent.
    pub space_before_tab: bool,
    /// As many spaces in the indent as a tab is wide.
    pub indent_with_non_tab: bool,
    /// A tab in the indent.
    pub tab_in_indent: bool,
    /// No newline at the end of a file.
    pub incomplete_line: bool,
    /// A carriage return belongs to the end of line, and is no error.
    pub cr_at_eol: bool,
    /// The columns from one tab stop to the next.
    pub tab_width: u8,
}

impl Default for Rules {
    fn default() -> Self {
        Rules { blank_at_eol: true, blank_at_eof: true, space_before_tab: true, ..Rules::none(8) }
    }
}

/// Why a list of rules is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RulesError {
    /// The two contradict each other.
    #[error("cannot enforce both tab-in-indent and indent-with-non-tab")]
    BothIndents,
}

impl Rules {
    /// No rule.
    pub fn none(tab_width: u8) -> Self {
        Rules {
            blank_at_eol: false,
            blank_at_eof: false,
            space_before_tab: false,
            indent_with_non_tab: false,
            tab_in_indent: false,
            incomplete_line: false,
            cr_at_eol: false,
            tab_width,
        }
    }

    /// The rules for a file whose `whitespace` attribute is set.
    pub fn all(tab_width: u8) -> Self {
        Rules { indent_with_non_tab: true, tab_width, ..Rules::default() }
    }

    /// Reads a list such as `core.whitespace` has, changing the default rules. Words that are not known are skipped, as
    /// is a tab width that is not between 1 and 63.
    pub fn parse(list: &[u8]) -> Result<Self, RulesError> {
        let mut rules = Rules::default();
        for word in list.split(|&b| b == b',' || is_space(b)).filter(|word| !word.is_empty()) {
            let (value, name) = word.strip_prefix(b"-").map_or((true, word), |name| (false, name));
            if let Some(width) = name.strip_prefix(b"tabwidth=") {
                let width = std::str::from_utf8(width).ok().and_then(|width| width.parse().ok());
                if let Some(width) = width.filter(|width| (1..64).contains(width)) {
                    rules.tab_width = width;
                }
                continue;
            }
            // Any start of a name will do.
            for field in rules.named(name) {
                *field = value;
            }
        }
        if rules.tab_in_indent && rules.indent_with_non_tab {
            return Err(RulesError::BothIndents);
        }
        Ok(rules)
    }

    /// The rules that a word names.
    fn named(&mut self, start: &[u8]) -> Vec<&mut bool> {
        let is = |name: &str| !start.is_empty() && name.as_bytes().starts_with(start);
        if is("trailing-space") {
            return vec![&mut self.blank_at_eol, &mut self.blank_at_eof];
        }
        let fields = [
            ("space-before-tab", &mut self.space_before_tab),
            ("indent-with-non-tab", &mut self.indent_with_non_tab),
            ("cr-at-eol", &mut self.cr_at_eol),
            ("blank-at-eol", &mut self.blank_at_eol),
            ("blank-at-eof", &mut self.blank_at_eof),
            ("tab-in-indent", &mut self.tab_in_indent),
            ("incomplete-line", &mut self.incomplete_line),
        ];
        fields.into_iter().find(|(name, _)| is(name)).map(|(_, field)| field).into_iter().collect()
    }
}

/// The lines on which white space errors are shown (`--ws-error-highlight`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Highlight {
    /// Removed lines.
    pub old: bool,
    /// Added lines.
    pub new: bool,
    /// Unchanged lines.
    pub context: bool,
}

impl Default for Highlight {
    fn default() -> Self {
        Highlight { old: false, new: true, context: false }
    }
}

impl Highlight {
    /// Reads a list such as `old,new`; `None` when a word is not known.
    pub fn parse(list: &[u8]) -> Option<Self> {
        let mut highlight = Highlight { old: false, new: false, context: false };
        for word in list.split(|&b| b == b',') {
            match word {
                b"none" => highlight = Highlight { old: false, new: false, context: false },
                b"default" => highlight = Highlight::default(),
                b"all" => highlight = Highlight { old: true, new: true, context: true },
                b"old" => highlight.old = true,
                b"new" => highlight.new = true,
                b"context" => highlight.context = true,
                _ => return None,
            }
        }
        Some(highlight)
    }
}

/// The errors of one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Errors {
    trailing: bool,
    space_before_tab: bool,
    indent_with_spaces: bool,
    tab_in_indent: bool,
}

impl Errors {
    fn any(self) -> bool {
        self != Errors::default()
    }

    fn text(self) -> String {
        let named = [
            (self.trailing, "trailing whitespace"),
            (self.space_before_tab, "space before tab in indent"),
            (self.indent_with_spaces, "indent with spaces"),
            (self.tab_in_indent, "tab in indent"),
        ];
        let found: Vec<&str> = named.into_iter().filter(|(is, _)| *is).map(|(_, name)| name).collect();
        found.join(", ")
    }
}

/// A part of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// White space that is no error.
    Indent,
    /// The line proper.
    Text,
    /// White space that is an error.
    Error,
}

/// Takes a line apart, without its newline; hands each part to `part` in order.
fn dissect(line: &[u8], rules: Rules, mut part: impl FnMut(Part, Range<usize>)) -> Errors {
    let mut errors = Errors::default();
    let body = if rules.cr_at_eol { line.strip_suffix(b"\r").unwrap_or(line) } else { line };
    let mut end = body.len();
    if rules.blank_at_eol {
        end = body.iter().rposition(|&b| !is_space(b)).map_or(0, |last| last + 1);
        errors.trailing = end < body.len();
    }
    // The tabs of the indent, each with the spaces before it.
    let mut done = 0;
    let indent = body[..end].iter().take_while(|&&b| b == b' ' || b == b'\t').count();
    while let Some(tab) = memchr::memchr(b'\t', &body[done..indent]).map(|tab| done + tab) {
        if rules.space_before_tab && tab > done {
            errors.space_before_tab = true;
            part(Part::Error, done..tab);
            part(Part::Indent, tab..tab + 1);
        } else if rules.tab_in_indent {
            errors.tab_in_indent = true;
            part(Part::Indent, done..tab);
            part(Part::Error, tab..tab + 1);
        } else {
            part(Part::Indent, done..tab + 1);
        }
        done = tab + 1;
    }
    if rules.indent_with_non_tab && indent - done >= usize::from(rules.tab_width) {
        errors.indent_with_spaces = true;
        part(Part::Error, done..indent);
        done = indent;
    }
    part(Part::Text, done..end);
    part(Part::Error, end..body.len());
    part(Part::Indent, body.len()..line.len());
    errors
}

/// Writes a line without its newline, errors in their colour and the rest in the colour `set`.
pub(crate) fn write_line(line: &[u8], rules: Rules, set: &[u8], palette: &Palette, out: &mut Vec<u8>) {
    dissect(line, rules, |part, range| {
        let bytes = &line[range];
        let colour = match part {
            _ if bytes.is_empty() => return,
            Part::Indent => return out.extend_from_slice(bytes),
            Part::Text => set,
            Part::Error => palette.get(Slot::Whitespace),
        };
        out.extend_from_slice(colour);
        out.extend_from_slice(bytes);
        out.extend_from_slice(palette.reset());
    });
}

/// Whether a line holds nothing but white space.
pub(crate) fn is_blank_line(line: &[u8]) -> bool {
    line.iter().all(|&b| is_space(b))
}

/// Where the blank lines start that the new file has at its end and the old one has not: a line of the old file and one
/// of the new, counted from 0. `None` when the new file has no more of them.
pub(crate) fn new_blank_at_eof(old: &[u8], new: &[u8]) -> Option<(u32, u32)> {
    let (old_blank, new_blank) = (trailing_blank_lines(old), trailing_blank_lines(new));
    if new_blank <= old_blank {
        return None;
    }
    let start = |file, blank| (count_lines(file) - blank) as u32;
    Some((start(old, old_blank), start(new, new_blank)))
}

fn trailing_blank_lines(file: &[u8]) -> usize {
    let mut rest = file;
    let mut blank = 0;
    // A first line that is only a newline is not counted.
    while rest.len() > 1 {
        let body = rest.strip_suffix(b"\n").unwrap_or(rest);
        let start = memchr::memrchr(b'\n', body).map_or(0, |newline| newline + 1);
        if !is_blank_line(&rest[start..]) {
            break;
        }
        blank += 1;
        rest = &rest[..start];
    }
    blank
}

/// How long conflict markers are unless an attribute says otherwise.
pub const MARKER_SIZE: usize = 7;

/// Looks for what `--check` reports.
#[derive(Debug, Clone)]
pub struct Checker<'a> {
    /// What counts as an error.
    pub rules: Rules,
    /// How long conflict markers are: [`MARKER_SIZE`] unless the attribute `conflict-marker-size` says otherwise.
    pub marker_size: usize,
    /// What every line of output starts with.
    pub line_prefix: &'a [u8],
    /// Escape sequences.
    pub palette: &'a Palette,
}

impl Checker<'_> {
    /// Writes what is wrong with the lines that `changes` add to a file; tells whether there was anything.
    pub fn check(&self, path: &[u8], old: &[u8], new: &[u8], changes: &[Change], out: &mut Vec<u8>) -> bool {
        let before = out.len();
        for change in changes {
            for (number, line) in (change.new.line + 1..).zip(lines(change.new.of(new))) {
                self.check_line(path, number, line, out);
            }
        }
        if self.rules.blank_at_eof
            && let Some((_, line)) = new_blank_at_eof(old, new)
        {
            // The only line of git's without the prefix.
            report(path, line + 1, "new blank line at EOF.", out);
        }
        out.len() > before
    }

    fn check_line(&self, path: &[u8], number: u32, line: &[u8], out: &mut Vec<u8>) {
        if is_conflict_marker(line, self.marker_size) {
            self.report(path, number, "leftover conflict marker", out);
        }
        let body = line.strip_suffix(b"\n").unwrap_or(line);
        let errors = dissect(body, self.rules, |_, _| {});
        if errors.any() {
            self.report(path, number, &format!("{}.", errors.text()), out);
            let set = self.palette.get(Slot::New);
            out.extend_from_slice(self.line_prefix);
            out.extend_from_slice(set);
            out.push(b'+');
            out.extend_from_slice(self.palette.reset());
            write_line(body, self.rules, set, self.palette, out);
            out.push(b'\n');
        }
        if self.rules.incomplete_line && body.len() == line.len() {
            self.report(path, number, "no newline at the end of file.", out);
        }
    }

    fn report(&self, path: &[u8], number: u32, what: &str, out: &mut Vec<u8>) {
        out.extend_from_slice(self.line_prefix);
        report(path, number, what, out);
    }
}

fn report(path: &[u8], number: u32, what: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(path);
    out.extend_from_slice(format!(":{number}: {what}\n").as_bytes());
}

/// Whether a line is a conflict marker: so many of one of the marker characters, then white space.
fn is_conflict_marker(line: &[u8], size: usize) -> bool {
    let Some((marker, rest)) = line.split_at_checked(size) else { return false };
    let Some(&first) = marker.first() else { return false };
    matches!(first, b'=' | b'>' | b'<' | b'|')
        && marker.iter().all(|&b| b == first)
        && rest.first().is_some_and(|&b| is_space(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_change_the_default_rules() {
        assert_eq!(Rules::parse(b""), Ok(Rules::default()));
        let none = Rules::parse(b"-trailing-space, -space-before-tab tabwidth=4").unwrap();
        assert_eq!(none, Rules::none(4));
        assert!(Rules::parse(b"indent,tabwidth=64").unwrap().indent_with_non_tab);
        assert_eq!(Rules::parse(b"tab-in-indent,indent-with-non-tab"), Err(RulesError::BothIndents));
    }

    #[test]
    fn errors_of_a_line() {
        let text = |line: &str, rules: &str| {
            dissect(line.as_bytes(), Rules::parse(rules.as_bytes()).unwrap(), |_, _| {}).text()
        };
        assert_eq!(text(" \t x ", ""), "trailing whitespace, space before tab in indent");
        assert_eq!(text("\r", "cr-at-eol"), "");
        assert_eq!(text("\tx", "tab-in-indent"), "tab in indent");
        assert_eq!(text("    x", "indent-with-non-tab,tabwidth=4"), "indent with spaces");
        assert_eq!(text("\tx y", ""), "");
    }

    #[test]
    fn blank_lines_at_the_end() {
        assert_eq!(new_blank_at_eof(b"a\n", b"a\n\n \n"), Some((1, 1)));
        assert_eq!(new_blank_at_eof(b"a\n\n", b"b\n\n"), None);
        assert_eq!(new_blank_at_eof(b"", b"\n"), None);
    }
}
