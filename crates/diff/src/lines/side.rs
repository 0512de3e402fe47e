//! Where the lines of one file lie, for the part of the file that two files do not share.

use std::ops::Range;

use super::{Change, Span};

/// The window of a file that is looked at: the core, where the files differ, and a margin of unchanged lines on either
/// side of it.
///
/// Lines are counted from the window's start.
#[derive(Debug, Default)]
pub(super) struct Side {
    /// The byte at which each line starts, and one entry more for the end of the last one.
    pub(super) starts: Vec<u32>,
    /// The lines outside the bytes that both files share at their ends.
    pub(super) core: Range<usize>,
    /// The number of each line of the core: equal lines have equal numbers.
    pub(super) classes: Vec<u32>,
    /// Whether each line is changed, with an unchanged one more at the end.
    pub(super) changed: Vec<bool>,
    /// The number of the window's first line in the file.
    pub(super) first_line: u32,
    /// Whether the window starts where the file does.
    pub(super) at_start: bool,
    /// Whether the window ends where the file does.
    pub(super) at_end: bool,
}

impl Side {
    /// Cuts `file` into lines: the core lies between `prefix` bytes at the start and `suffix` bytes at the end, the
    /// margin is up to `margin` lines of those.
    pub(super) fn split(&mut self, file: &[u8], prefix: usize, suffix: usize, margin: usize) {
        let core_end = file.len() - suffix;
        let window_start = back_lines(file, prefix, margin);
        self.starts.clear();
        self.push_lines(file, window_start..prefix);
        let core_start = self.starts.len();
        self.push_lines(file, prefix..core_end);
        self.core = core_start..self.starts.len();
        let window_end = forward_lines(file, core_end, margin);
        self.push_lines(file, core_end..window_end);
        self.changed.clear();
        self.changed.resize(self.starts.len() + 1, false);
        self.starts.push(window_end as u32);
        self.classes.clear();
        self.first_line = count_lines(&file[..window_start]) as u32;
        self.at_start = window_start == 0;
        self.at_end = window_end == file.len();
    }

    fn push_lines(&mut self, file: &[u8], range: Range<usize>) {
        let mut start = range.start;
        for newline in memchr::memchr_iter(b'\n', &file[range.clone()]) {
            self.starts.push(start as u32);
            start = range.start + newline + 1;
        }
        if start < range.end {
            self.starts.push(start as u32);
        }
    }

    /// How many lines the window has.
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The bytes of a line, its newline included.
    pub(super) fn line<'a>(&self, file: &'a [u8], line: usize) -> &'a [u8] {
        &file[self.starts[line] as usize..self.starts[line + 1] as usize]
    }

    /// Marks the whole core as changed.
    pub(super) fn mark_core(&mut self) {
        let core = self.core.clone();
        self.changed[core].fill(true);
    }

    fn span(&self, lines: Range<usize>) -> Span {
        Span {
            line: self.first_line + lines.start as u32,
            lines: lines.len() as u32,
            start: self.starts[lines.start],
            end: self.starts[lines.end],
        }
    }
}

/// Where the line starts that is `count` lines before the line that starts at `at`.
fn back_lines(file: &[u8], at: usize, count: usize) -> usize {
    if count >= at {
        return 0;
    }
    // The newline right before `at` ends the line before it; one newline more is where that line starts.
    memchr::memrchr_iter(b'\n', &file[..at]).nth(count).map_or(0, |newline| newline + 1)
}

/// Where the line starts that is `count` lines after the line that starts at `at`.
fn forward_lines(file: &[u8], at: usize, count: usize) -> usize {
    if count == 0 {
        return at;
    }
    memchr::memchr_iter(b'\n', &file[at..]).nth(count - 1).map_or(file.len(), |newline| at + newline + 1)
}

/// How many lines `bytes` hold, an unfinished last one included.
pub(crate) fn count_lines(bytes: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', bytes).count() + usize::from(bytes.last().is_some_and(|&b| b != b'\n'))
}

/// How many bytes of whole lines two files share at their starts, and at their ends apart from those.
pub(super) fn common_ends(old: &[u8], new: &[u8]) -> (usize, usize) {
    let shared = common_prefix(old, new);
    let prefix = memchr::memrchr(b'\n', &old[..shared]).map_or(0, |newline| newline + 1);
    let (old_rest, new_rest) = (&old[prefix..], &new[prefix..]);
    let shared = common_suffix(old_rest, new_rest);
    let starts_line = |rest: &[u8]| shared == rest.len() || rest[rest.len() - shared - 1] == b'\n';
    if starts_line(old_rest) && starts_line(new_rest) {
        return (prefix, shared);
    }
    let tail = &old[old.len() - shared..];
    (prefix, memchr::memchr(b'\n', tail).map_or(0, |newline| shared - newline - 1))
}

/// Long enough for the comparison of two blocks to be one call, short enough to find the place quickly.
const BLOCK: usize = 64;

fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    let blocks = a.chunks_exact(BLOCK).zip(b.chunks_exact(BLOCK)).take_while(|(x, y)| x == y).count() * BLOCK;
    blocks + a[blocks..].iter().zip(&b[blocks..]).take_while(|(x, y)| x == y).count()
}

fn common_suffix(a: &[u8], b: &[u8]) -> usize {
    let blocks =
        a.rchunks_exact(BLOCK).zip(b.rchunks_exact(BLOCK)).take_while(|(x, y)| x == y).count() * BLOCK;
    let (a, b) = (&a[..a.len() - blocks], &b[..b.len() - blocks]);
    blocks + a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count()
}

/// Turns the marks of two windows into changes.
pub(super) fn collect(old: &Side, new: &Side, changes: &mut Vec<Change>) {
    let (mut i, mut j) = (0, 0);
    while i < old.len() || j < new.len() {
        let (start_old, start_new) = (i, j);
        i += run_length(&old.changed, i);
        j += run_length(&new.changed, j);
        if i > start_old || j > start_new {
            changes.push(Change { old: old.span(start_old..i), new: new.span(start_new..j) });
        }
        i += 1;
        j += 1;
    }
}

/// How many marked lines follow each other from `at`.
fn run_length(changed: &[bool], at: usize) -> usize {
    changed[at..].iter().take_while(|&&c| c).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_ends_are_whole_lines_and_do_not_overlap() {
        assert_eq!(common_ends(b"a\nb\nc\n", b"a\nx\nc\n"), (2, 2));
        assert_eq!(common_ends(b"a\na\n", b"a\na\na\n"), (4, 0));
        assert_eq!(common_ends(b"a\nxb\n", b"a\nyb\n"), (2, 0));
        assert_eq!(common_ends(b"b\n", b"a\nb\n"), (0, 2));
        assert_eq!(common_ends(b"a\nb", b"a\nb\n"), (2, 0));
        assert_eq!(common_ends(b"", b"a\n"), (0, 0));
        assert_eq!(common_ends(b"ab\n", b"b\n"), (0, 0));
        let long = "0123456789".repeat(40) + "\n";
        let (old, new) = (long.clone() + "x\n" + &long, long.clone() + "y\n" + &long);
        assert_eq!(common_ends(old.as_bytes(), new.as_bytes()), (401, 401));
    }

    #[test]
    fn a_window_has_a_core_and_margins() {
        let mut side = Side::default();
        side.split(b"0\n1\n2\n3\n4\n5\n6", 6, 5, 2);
        assert_eq!(side.starts, [2, 4, 6, 8, 10, 12]);
        assert_eq!((side.core.clone(), side.first_line), (2..3, 1));
        assert_eq!((side.at_start, side.at_end), (false, false));
        side.split(b"0\n1\n2\n3\n4\n5\n6", 6, 5, 3);
        assert_eq!((side.starts[0], side.starts[7]), (0, 13));
        assert_eq!((side.at_start, side.at_end), (true, true));
    }
}
