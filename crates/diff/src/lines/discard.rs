//! Lines that need no search: those that the other file does not have at all, and those that it has so often that, among
//! lines it does not have, a match would mean nothing.

/// How many lines before and after a frequent line are looked at.
const REACH: usize = 100;

/// No line is called frequent that occurs fewer times than this or the limit that the file's length gives.
const MOST_OCCURRENCES: u32 = 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// The other file does not have it: it is changed.
    Absent,
    /// It takes part.
    Plain,
    /// The other file has it very often: it takes part unless its surroundings are changed anyhow.
    Frequent,
}

/// The lines of a file that take part: their numbers, and where they are.
#[derive(Debug, Default)]
pub(super) struct Kept {
    pub(super) classes: Vec<u32>,
    pub(super) places: Vec<u32>,
}

/// Sorts lines out; keeps its table between files.
#[derive(Debug, Default)]
pub(super) struct Discard {
    fates: Vec<Fate>,
}

impl Discard {
    /// Fills `kept` with the lines that take part, and marks the others as changed. `occurrences` tells how often the
    /// other file has each line, and `lines` how many lines this file has.
    pub(super) fn sort(
        &mut self,
        classes: &[u32],
        occurrences: &[u32],
        lines: usize,
        minimal: bool,
        changed: &mut [bool],
        kept: &mut Kept,
    ) {
        let frequent = if minimal { u32::MAX } else { frequent_from(lines) };
        self.fates.clear();
        self.fates.extend(classes.iter().map(|&class| match occurrences[class as usize] {
            0 => Fate::Absent,
            n if n >= frequent => Fate::Frequent,
            _ => Fate::Plain,
        }));
        kept.classes.clear();
        kept.places.clear();
        for (line, &class) in classes.iter().enumerate() {
            let takes_part = match self.fates[line] {
                Fate::Absent => false,
                Fate::Plain => true,
                Fate::Frequent => !self.is_among_absent(line),
            };
            if takes_part {
                kept.classes.push(class);
                kept.places.push(line as u32);
            } else {
                changed[line] = true;
            }
        }
    }

    /// Whether the run of lines around this one that are not plain has absent ones on both sides, and more than three
    /// times as many of them as frequent ones.
    fn is_among_absent(&self, line: usize) -> bool {
        let before = Run::of(self.fates[line.saturating_sub(REACH)..line].iter().rev());
        let after = Run::of(self.fates[line + 1..].iter().take(REACH));
        if before.absent == 0 || after.absent == 0 {
            return false;
        }
        let absent = before.absent + after.absent;
        // The line itself is counted once for each direction.
        let frequent = before.frequent + after.frequent + 2;
        frequent * 4 < frequent + absent
    }
}

/// How many lines of each fate come before the next plain one.
#[derive(Default)]
struct Run {
    absent: usize,
    frequent: usize,
}

impl Run {
    fn of<'a>(fates: impl Iterator<Item = &'a Fate>) -> Self {
        let mut run = Run::default();
        for fate in fates {
            match fate {
                Fate::Absent => run.absent += 1,
                Fate::Frequent => run.frequent += 1,
                Fate::Plain => break,
            }
        }
        run
    }
}

/// From how many occurrences on a line is frequent, in a file of so many lines.
fn frequent_from(lines: usize) -> u32 {
    rough_root(lines).min(MOST_OCCURRENCES)
}

/// A power of two that is larger than the square root of `n`, by less than a factor of four.
pub(super) fn rough_root(n: usize) -> u32 {
    let digits = (usize::BITS - n.leading_zeros()).div_ceil(2);
    1 << digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rough_roots() {
        let roots = [0, 1, 3, 4, 15, 16, 63, 64, 1 << 20].map(rough_root);
        assert_eq!(roots, [1, 2, 2, 4, 4, 8, 8, 16, 2048]);
    }

    #[test]
    fn frequent_lines_among_absent_ones_are_dropped() {
        // Class 0 occurs often on the other side, 1 never, 2 once.
        let occurrences = [100, 0, 1];
        let mut kept = Kept::default();
        let mut sort = |classes: &[u32], minimal| {
            let mut changed = vec![false; classes.len()];
            Discard::default().sort(classes, &occurrences, 100, minimal, &mut changed, &mut kept);
            changed
        };
        assert_eq!(sort(&[1, 0, 1], false), [true, false, true]);
        assert_eq!(sort(&[1, 1, 1, 1, 0, 1, 1, 1], false), [true; 8]);
        assert!(!sort(&[1, 1, 1, 1, 0, 2, 1, 1, 1], false)[4]);
        assert!(!sort(&[1, 1, 1, 1, 0, 1, 1, 1], true)[4]);
    }
}
