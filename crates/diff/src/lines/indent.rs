//! Where a group of changed lines reads best, judged by indentation and blank lines.
//!
//! This is the heuristic that Michael Haggerty trained on many projects and published: each place where the file would be
//! split gets a score from what is indented how around it, and the place with the lowest sum for both ends of the
//! group wins.

use super::WindowTooSmall;
use super::compact::Lines;
use super::whitespace::is_space;

/// No indent counts as more than this.
const MOST_INDENT: i32 = 200;
/// No more blank lines than this are counted.
const MOST_BLANKS: i32 = 20;
/// How far a group is slid at most.
const MOST_SLIDING: usize = 100;

// The weights that training found.
const START_OF_FILE: i32 = 1;
const END_OF_FILE: i32 = 21;
const EACH_BLANK: i32 = -30;
const EACH_BLANK_AFTER: i32 = 6;
const INDENTED: i32 = -4;
const INDENTED_AFTER_BLANK: i32 = 10;
const OUTDENTED: i32 = 24;
const OUTDENTED_AFTER_BLANK: i32 = 17;
const DEDENTED: i32 = 23;
const DEDENTED_AFTER_BLANK: i32 = 17;
/// What being indented less than the other place is worth.
const LESS_INDENT: i32 = 60;

/// Finds the best end, between `highest` and `lowest`, for a group of `size` lines that can be slid to each of them.
pub(super) fn best_end(
    lines: &Lines<'_>,
    highest: usize,
    lowest: usize,
    size: usize,
) -> Result<usize, WindowTooSmall> {
    let first = highest.max(lowest.saturating_sub(size + 1)).max(lowest.saturating_sub(MOST_SLIDING));
    let mut best: Option<(usize, Score)> = None;
    for end in first..=lowest {
        let mut score = Score::default();
        score.add(&Place::look(lines, end)?);
        score.add(&Place::look(lines, end - size)?);
        if best.as_ref().is_none_or(|(_, best)| score.is_no_worse_than(best)) {
            best = Some((end, score));
        }
    }
    Ok(best.map_or(lowest, |(end, _)| end))
}

/// What lies around the place before a line.
struct Place {
    at_end_of_file: bool,
    /// The indent of the line after the place; `None` when it is blank.
    indent: Option<i32>,
    blanks_before: i32,
    /// The indent of the last line before the place that is not blank.
    indent_before: Option<i32>,
    /// Blank lines after the line after the place, and the indent of the first one that is not blank.
    blanks_after: i32,
    indent_after: Option<i32>,
}

impl Place {
    fn look(lines: &Lines<'_>, line: usize) -> Result<Self, WindowTooSmall> {
        let count = lines.side.len();
        let at_end_of_file = line >= count;
        if at_end_of_file && !lines.side.at_end {
            return Err(WindowTooSmall);
        }
        let (blanks_before, indent_before) = skip_blanks(lines, (0..line).rev(), lines.side.at_start)?;
        let (blanks_after, indent_after) =
            skip_blanks(lines, (line + 1).min(count)..count, lines.side.at_end)?;
        let indent = if at_end_of_file { None } else { indent_of(lines.line(line)) };
        Ok(Place { at_end_of_file, indent, blanks_before, indent_before, blanks_after, indent_after })
    }
}

/// Counts blank lines up to the first other one; returns its indent too.
fn skip_blanks(
    lines: &Lines<'_>,
    order: impl Iterator<Item = usize>,
    is_whole: bool,
) -> Result<(i32, Option<i32>), WindowTooSmall> {
    let mut blanks = 0;
    for line in order {
        if let Some(indent) = indent_of(lines.line(line)) {
            return Ok((blanks, Some(indent)));
        }
        blanks += 1;
        if blanks == MOST_BLANKS {
            return Ok((blanks, Some(0)));
        }
    }
    if is_whole { Ok((blanks, None)) } else { Err(WindowTooSmall) }
}

/// How many columns a line is indented; `None` when it is blank.
fn indent_of(line: &[u8]) -> Option<i32> {
    let mut indent = 0;
    for &byte in line {
        match byte {
            b' ' => indent += 1,
            b'\t' => indent += 8 - indent % 8,
            _ if is_space(byte) => {}
            _ => return Some(indent),
        }
        if indent >= MOST_INDENT {
            return Some(MOST_INDENT);
        }
    }
    None
}

/// How badly a group reads; the sum for its two ends.
#[derive(Default)]
struct Score {
    indent: i32,
    penalty: i32,
}

impl Score {
    fn add(&mut self, place: &Place) {
        if place.indent_before.is_none() && place.blanks_before == 0 {
            self.penalty += START_OF_FILE;
        }
        if place.at_end_of_file {
            self.penalty += END_OF_FILE;
        }
        let blanks_after = if place.indent.is_none() { 1 + place.blanks_after } else { 0 };
        let blanks = place.blanks_before + blanks_after;
        self.penalty += EACH_BLANK * blanks + EACH_BLANK_AFTER * blanks_after;
        let indent = place.indent.or(place.indent_after);
        self.indent += indent.unwrap_or(-1);
        let (Some(indent), Some(before)) = (indent, place.indent_before) else { return };
        let either = |plain, after_blank| if blanks == 0 { plain } else { after_blank };
        if indent > before {
            self.penalty += either(INDENTED, INDENTED_AFTER_BLANK);
        } else if indent < before {
            // A line that is followed by deeper ones opens a block; else it ends one.
            self.penalty += if place.indent_after.is_some_and(|after| after > indent) {
                either(OUTDENTED, OUTDENTED_AFTER_BLANK)
            } else {
                either(DEDENTED, DEDENTED_AFTER_BLANK)
            };
        }
    }

    fn is_no_worse_than(&self, other: &Score) -> bool {
        let by_indent = (self.indent - other.indent).signum() * LESS_INDENT;
        by_indent + self.penalty - other.penalty <= 0
    }
}
