//! Hunks: a line that says where, then context, old and new lines.

use super::text::{Place, Text, lines};
use super::{Hunk, Hunks, Options};
use crate::lines::{Span, count_lines, is_space};
use crate::palette::Slot;
use crate::userdiff::FunctionFinder;
use crate::whitespace::{Rules, new_blank_at_eof, write_line};

/// No more bytes of a function's first line than this are shown.
const FUNCTION_LEN: usize = 80;

/// What follows a last line without a newline.
const INCOMPLETE: &[u8] = b"\\ No newline at end of file";

/// Writes the hunks of one file.
pub(super) struct Emitter<'a> {
    options: &'a Options,
    rules: Rules,
    old: &'a [u8],
    new: &'a [u8],
    /// Where the blank lines start that are an error, when they are to be shown.
    blank_at_eof: Option<(u32, u32)>,
}

impl<'a> Emitter<'a> {
    pub(super) fn new(options: &'a Options, rules: Rules, old: &'a [u8], new: &'a [u8]) -> Self {
        let wanted = options.palette.is_on() && options.highlight.new && rules.blank_at_eof;
        let blank_at_eof = if wanted { new_blank_at_eof(old, new) } else { None };
        Emitter { options, rules, old, new, blank_at_eof }
    }

    /// Writes all hunks, of which `first` is the first. `function` is a buffer.
    pub(super) fn hunks(
        &self,
        hunks: &Hunks<'_>,
        first: Hunk,
        finder: &FunctionFinder<'_>,
        function: &mut Vec<u8>,
        out: &mut Vec<u8>,
    ) {
        function.clear();
        let mut searched = None;
        let mut hunk = Some(first);
        while let Some(current) = hunk {
            self.find_function(&current, finder, &mut searched, function);
            self.hunk_header(&current.old, &current.new, function, out);
            self.hunk_lines(hunks, &current, out);
            hunk = hunks.next(current.last + 1);
        }
    }

    /// Puts into `function` the last line before the hunk that starts a function. Without one since the line
    /// `searched`, the function of the hunk before it stands.
    fn find_function(
        &self,
        hunk: &Hunk,
        finder: &FunctionFinder<'_>,
        searched: &mut Option<u32>,
        function: &mut Vec<u8>,
    ) {
        let text = Text(self.old);
        let mut place = Place::start_of(&hunk.old);
        let from = hunk.old.line.checked_sub(1);
        while let Some(above) =
            text.previous(place).filter(|above| searched.is_none_or(|line| above.line > line))
        {
            if let Some(name) = text.line(above).and_then(|line| finder.name(line)) {
                function.clear();
                let name = &name[..name.len().min(FUNCTION_LEN)];
                function.extend_from_slice(whole_characters(trim_end(name)));
                break;
            }
            place = above;
        }
        *searched = from.or(*searched);
    }

    fn hunk_header(&self, old: &Span, new: &Span, function: &[u8], out: &mut Vec<u8>) {
        let palette = &self.options.palette;
        out.extend_from_slice(&self.options.line_prefix);
        out.extend_from_slice(palette.frag());
        out.extend_from_slice(b"@@ -");
        range(old, out);
        out.extend_from_slice(b" +");
        range(new, out);
        out.extend_from_slice(b" @@");
        out.extend_from_slice(palette.reset());
        if !function.is_empty() {
            let blank = function.iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
            let (blank, name) = function.split_at(blank);
            out.extend_from_slice(palette.context());
            out.push(b' ');
            out.extend_from_slice(blank);
            out.extend_from_slice(palette.reset());
            if !name.is_empty() {
                out.extend_from_slice(palette.func());
                out.extend_from_slice(name);
                out.extend_from_slice(palette.reset());
            }
        }
        out.push(b'\n');
    }

    fn hunk_lines(&self, hunks: &Hunks<'_>, hunk: &Hunk, out: &mut Vec<u8>) {
        // Git takes the line of the header for the next one, even when the hunk has no old lines.
        let skew = u32::from(hunk.old.lines == 0);
        let mut at = hunk.new.start as usize;
        for change in &hunks.changes[hunk.first..=hunk.last] {
            self.context(&self.new[at..change.new.start as usize], out);
            self.removed(change.old.of(self.old), out);
            self.added(change.new.of(self.new), (change.old.line_end() + 1) - skew, change.new.line, out);
            at = change.new.end as usize;
        }
        self.context(&self.new[at..hunk.new.end as usize], out);
    }

    fn context(&self, text: &[u8], out: &mut Vec<u8>) {
        let Options { palette, indicators, highlight, .. } = self.options;
        if palette.is_on() {
            self.coloured(indicators.context, text, palette.context(), highlight.context, out);
        } else if self.options.suppress_blank_empty {
            for line in lines(text) {
                let sign = if line == b"\n" { None } else { Some(indicators.context) };
                self.plain(sign, line, out);
            }
        } else {
            self.plain(Some(indicators.context), text, out);
        }
    }

    fn removed(&self, text: &[u8], out: &mut Vec<u8>) {
        let Options { palette, indicators, highlight, .. } = self.options;
        if palette.is_on() {
            self.coloured(indicators.old, text, palette.get(Slot::Old), highlight.old, out);
        } else {
            self.plain(Some(indicators.old), text, out);
        }
    }

    /// Writes added lines, which start at `line` of the new file, and come before `old_line` of the old one, counted
    /// from 1.
    fn added(&self, text: &[u8], old_line: u32, line: u32, out: &mut Vec<u8>) {
        let Options { palette, indicators, highlight, .. } = self.options;
        if !palette.is_on() {
            return self.plain(Some(indicators.new), text, out);
        }
        let (mut proper, mut blank) = (text, &b""[..]);
        if let Some((old_start, new_start)) = self.blank_at_eof
            && old_start < old_line
            && new_start < line + count_lines(text) as u32
        {
            let skipped = lines(text).take(new_start.saturating_sub(line) as usize).map(<[u8]>::len).sum();
            (proper, blank) = text.split_at(skipped);
        }
        self.coloured(indicators.new, proper, palette.get(Slot::New), highlight.new, out);
        // Blank lines at the end of the file have no text: their sign shows that they are an error.
        self.coloured(indicators.new, blank, palette.get(Slot::Whitespace), false, out);
    }

    /// Writes lines without colours.
    fn plain(&self, sign: Option<u8>, text: &[u8], out: &mut Vec<u8>) {
        out.reserve(text.len() + text.len() / 8);
        for line in lines(text) {
            out.extend_from_slice(&self.options.line_prefix);
            out.extend(sign);
            out.extend_from_slice(line);
        }
        if text.last().is_some_and(|&b| b != b'\n') {
            out.push(b'\n');
            out.extend_from_slice(&self.options.line_prefix);
            out.extend_from_slice(INCOMPLETE);
            out.push(b'\n');
        }
    }

    /// Writes lines in the colour `set`, and white space errors in theirs if wanted.
    fn coloured(&self, sign: u8, text: &[u8], set: &[u8], errors: bool, out: &mut Vec<u8>) {
        let Options { palette, line_prefix, suppress_blank_empty, indicators, .. } = self.options;
        let errors = errors && !palette.get(Slot::Whitespace).is_empty();
        for line in lines(text) {
            let body = line.strip_suffix(b"\n").unwrap_or(line);
            out.extend_from_slice(line_prefix);
            out.extend_from_slice(set);
            if !(*suppress_blank_empty && sign == indicators.context && body.is_empty()) {
                out.push(sign);
            }
            if errors {
                out.extend_from_slice(palette.reset());
                write_line(body, self.rules, set, palette, out);
            } else {
                let (body, end) = body.strip_suffix(b"\r").map_or((body, &b""[..]), |body| (body, b"\r"));
                out.extend_from_slice(body);
                out.extend_from_slice(palette.reset());
                out.extend_from_slice(end);
            }
            out.push(b'\n');
        }
        if text.last().is_some_and(|&b| b != b'\n') {
            let is_error = errors && self.rules.incomplete_line;
            out.extend_from_slice(line_prefix);
            out.extend_from_slice(if is_error { palette.get(Slot::Whitespace) } else { palette.context() });
            out.extend_from_slice(INCOMPLETE);
            out.extend_from_slice(palette.reset());
            out.push(b'\n');
        }
    }

    /// Shows all old lines as removed and all new ones as added.
    pub(super) fn rewrite(&self, out: &mut Vec<u8>) {
        let whole =
            |file| Span { line: 0, lines: count_lines(file) as u32, start: 0, end: file.len() as u32 };
        self.hunk_header(&whole(self.old), &whole(self.new), b"", out);
        self.removed(self.old, out);
        self.added(self.new, count_lines(self.old) as u32 + 1, 0, out);
    }
}

fn trim_end(name: &[u8]) -> &[u8] {
    &name[..name.iter().rposition(|&b| !is_space(b)).map_or(0, |last| last + 1)]
}

/// The part of a name before the first byte that is no UTF-8, which may be a character that was cut.
fn whole_characters(name: &[u8]) -> &[u8] {
    let valid = name.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let end = valid.find(['\u{fffe}', '\u{ffff}']).unwrap_or(valid.len());
    &name[..end]
}

/// Writes `start,count` as hunk headers have it: lines count from 1, a count of 1 is left out, and no lines start at the
/// line before them.
fn range(span: &Span, out: &mut Vec<u8>) {
    let start = if span.lines == 0 { span.line } else { span.line + 1 };
    number(start, out);
    if span.lines != 1 {
        out.push(b',');
        number(span.lines, out);
    }
}

fn number(mut n: u32, out: &mut Vec<u8>) {
    let mut digits = [0; 10];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (n % 10) as u8;
        n /= 10;
        if n == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}
