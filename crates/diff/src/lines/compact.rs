//! Sliding changes to where they read best.
//!
//! A group of changed lines whose last line equals the unchanged line before it can as well be shown one line further up,
//! and likewise down. Groups that touch when they are slid become one; a group is put beside a change of the other
//! file when it can be, else where the indentation suggests (`indent`), else as far down as it goes.

use super::classic::{Classic, Pair};
use super::indent;
use super::side::Side;
use super::whitespace::{Whitespace, same};
use super::{Algorithm, Options, WindowTooSmall};

/// One of the two files.
pub(super) struct Lines<'a> {
    pub(super) file: &'a [u8],
    pub(super) side: &'a mut Side,
    pub(super) whitespace: Whitespace,
}

/// The changed lines, maybe none, between two unchanged ones; both files have as many unchanged lines, and so groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Group {
    start: usize,
    end: usize,
}

impl Group {
    fn is_empty(&self) -> bool {
        self.start == self.end
    }

    fn len(&self) -> usize {
        self.end - self.start
    }
}

/// Slides the changes of the old file, then those of the new one.
pub(super) fn compact<'a>(
    mut old: Lines<'a>,
    mut new: Lines<'a>,
    options: &Options,
    classic: &mut Classic,
) -> Result<(), WindowTooSmall> {
    slide_all(&mut old, &mut new, options, classic)?;
    slide_all(&mut new, &mut old, options, classic)
}

fn slide_all<'a>(
    lines: &mut Lines<'a>,
    other: &mut Lines<'a>,
    options: &Options,
    classic: &mut Classic,
) -> Result<(), WindowTooSmall> {
    let mut pair = Slider { group: lines.first_group(), twin: other.first_group(), lines, other };
    loop {
        if !pair.group.is_empty() {
            let before = pair.group;
            pair.slide(options.indent_heuristic)?;
            if options.algorithm == Algorithm::Histogram && pair.group != before && !pair.twin.is_empty() {
                pair.compare_again(options.minimal, classic);
            }
        }
        match (pair.lines.group_after(pair.group), pair.other.group_after(pair.twin)) {
            (Some(group), Some(twin)) => (pair.group, pair.twin) = (group, twin),
            _ => return Ok(()),
        }
    }
}

/// A group, and the group at the same place of the other file.
struct Slider<'s, 'a> {
    lines: &'s mut Lines<'a>,
    other: &'s mut Lines<'a>,
    group: Group,
    twin: Group,
}

impl Slider<'_, '_> {
    fn slide(&mut self, by_indent: bool) -> Result<(), WindowTooSmall> {
        let (mut highest, mut beside_twin);
        // A slide that runs into another group takes it along, and may then go further.
        loop {
            let size = self.group.len();
            while self.up()? {}
            highest = self.group.end;
            beside_twin = !self.twin.is_empty();
            while self.down()? {
                beside_twin |= !self.twin.is_empty();
            }
            if self.group.len() == size {
                break;
            }
        }
        if self.group.end == highest {
            return Ok(());
        }
        if beside_twin {
            while self.twin.is_empty() && self.up()? {}
        } else if by_indent {
            let best = indent::best_end(self.lines, highest, self.group.end, self.group.len())?;
            while self.group.end > best && self.up()? {}
        }
        Ok(())
    }

    /// Compares the lines of a group with those of the group that it came to lie beside, as they may have lines in
    /// common. What comes of it is not slid again.
    fn compare_again(&mut self, minimal: bool, classic: &mut Classic) {
        let (lines, twins) = (self.group.start..self.group.end, self.twin.start..self.twin.end);
        self.lines.side.changed[lines.clone()].fill(false);
        self.other.side.changed[twins.clone()].fill(false);
        // The side that is being slid comes first, whichever it is: that decides between equally good answers.
        let (mine, theirs) = (&mut *self.lines.side, &mut *self.other.side);
        let pair = Pair {
            old: &mine.classes[lines.clone()],
            new: &theirs.classes[twins.clone()],
            changed_old: &mut mine.changed[lines],
            changed_new: &mut theirs.changed[twins],
        };
        classic.diff_part(pair, minimal);
    }

    fn up(&mut self) -> Result<bool, WindowTooSmall> {
        let Group { start, end } = self.group;
        if start == 0 {
            return if self.lines.side.at_start { Ok(false) } else { Err(WindowTooSmall) };
        }
        if !self.lines.same(start - 1, end - 1) {
            return Ok(false);
        }
        let changed = &mut self.lines.side.changed;
        changed[start - 1] = true;
        changed[end - 1] = false;
        self.group = Group { start: run_start(changed, start - 1), end: end - 1 };
        if let Some(twin) = self.other.group_before(self.twin) {
            self.twin = twin;
        }
        Ok(true)
    }

    fn down(&mut self) -> Result<bool, WindowTooSmall> {
        let Group { start, end } = self.group;
        if end == self.lines.side.len() {
            return if self.lines.side.at_end { Ok(false) } else { Err(WindowTooSmall) };
        }
        if !self.lines.same(start, end) {
            return Ok(false);
        }
        let changed = &mut self.lines.side.changed;
        changed[start] = false;
        changed[end] = true;
        self.group = Group { start: start + 1, end: run_end(changed, end + 1) };
        if let Some(twin) = self.other.group_after(self.twin) {
            self.twin = twin;
        }
        Ok(true)
    }
}

/// Where the marked lines start that end before `at`.
fn run_start(changed: &[bool], at: usize) -> usize {
    changed[..at].iter().rposition(|&c| !c).map_or(0, |line| line + 1)
}

/// Where the marked lines end that start at `at`; there is always an unmarked one after the last line.
fn run_end(changed: &[bool], at: usize) -> usize {
    at + changed[at..].iter().take_while(|&&c| c).count()
}

impl Lines<'_> {
    fn first_group(&self) -> Group {
        Group { start: 0, end: run_end(&self.side.changed, 0) }
    }

    fn group_after(&self, group: Group) -> Option<Group> {
        let start = group.end + 1;
        (start <= self.side.len()).then(|| Group { start, end: run_end(&self.side.changed, start) })
    }

    fn group_before(&self, group: Group) -> Option<Group> {
        let end = group.start.checked_sub(1)?;
        Some(Group { start: run_start(&self.side.changed, end), end })
    }

    fn same(&self, a: usize, b: usize) -> bool {
        same(self.line(a), self.line(b), self.whitespace)
    }

    pub(super) fn line(&self, line: usize) -> &[u8] {
        self.side.line(self.file, line)
    }
}
