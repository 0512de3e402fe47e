//! Which changes are shown together, and with which unchanged lines around them.

use crate::lines::{Change, Span, Whitespace, is_blank};
use crate::patch::text::{Place, Text};
use crate::userdiff::FunctionFinder;

/// How much is shown around changes.
#[derive(Debug, Clone, Copy)]
pub struct Context {
    /// Unchanged lines before and after each change (`-U`).
    pub lines: u32,
    /// Hunks with no more unchanged lines than this between their contexts are shown as one
    /// (`--inter-hunk-context`).
    pub between_hunks: u32,
    /// Show the whole function around each change (`-W`).
    pub functions: bool,
}

impl Default for Context {
    fn default() -> Self {
        Context { lines: 3, between_hunks: 0, functions: false }
    }
}

/// Changes that are shown together: their indexes, and the lines they span with the context around them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hunk {
    /// The first change.
    pub first: usize,
    /// The last change.
    pub last: usize,
    /// The lines of the old file.
    pub old: Span,
    /// The lines of the new file.
    pub new: Span,
}

/// Two files, what changed, and how much to show.
pub struct Hunks<'a> {
    /// The old file.
    pub old: &'a [u8],
    /// The new file.
    pub new: &'a [u8],
    /// What changed.
    pub changes: &'a [Change],
    /// For each change whether it is shown only along with another; empty when there is none such.
    pub ignored: &'a [bool],
    /// How much to show.
    pub context: Context,
    /// Tells where functions start, for [`Context::functions`].
    pub finder: &'a FunctionFinder<'a>,
}

impl Hunks<'_> {
    /// The first hunk at or after the change `from`.
    pub fn next(&self, from: usize) -> Option<Hunk> {
        let (first, mut last) = self.group(from)?;
        let mut first_shown = first;
        let (mut old_start, mut new_start) = self.starts(first);
        if self.context.functions {
            while let Some((old, new)) = self.reach_back(first_shown, old_start, new_start) {
                (old_start, new_start) = (old, new);
                // Changes that were to be ignored show up when the context reaches them.
                let reached = (from..first_shown).find(|&at| {
                    let change = &self.changes[at];
                    !(change.old.line_end() <= old.line && change.new.line_end() <= new.line)
                });
                let Some(reached) = reached else { break };
                first_shown = reached;
                (old_start, new_start) = self.starts(reached);
            }
        }
        let (mut old_end, mut new_end) = self.ends(last);
        if self.context.functions {
            loop {
                (old_end, new_end) = self.reach_ahead(last, old_end, new_end);
                if !self.touches_next(last, old_end) {
                    break;
                }
                last += 1;
                (old_end, new_end) = self.ends(last);
            }
        }
        Some(Hunk {
            first: first_shown,
            last,
            old: Text::span(old_start, old_end),
            new: Text::span(new_start, new_end),
        })
    }

    fn is_ignored(&self, change: usize) -> bool {
        self.ignored.get(change).is_some_and(|&ignored| ignored)
    }

    /// Unchanged lines between a change and the next one.
    fn gap(&self, before: usize, after: usize) -> u32 {
        self.changes[after].old.line - self.changes[before].old.line_end()
    }

    /// The first and last change of a hunk. Changes that are to be ignored only hold a hunk together when they lie
    /// within the context of others.
    fn group(&self, from: usize) -> Option<(usize, usize)> {
        let near = self.context.lines;
        let joined = near.saturating_mul(2).saturating_add(self.context.between_hunks);
        let mut first = from;
        let mut at = from;
        while at < self.changes.len() && self.is_ignored(at) {
            if at + 1 == self.changes.len() || self.gap(at, at + 1) >= near {
                first = at + 1;
            }
            at += 1;
        }
        if first >= self.changes.len() {
            return None;
        }
        let mut last = first;
        // New lines of ignored changes since the last change that counts.
        let mut ignored_lines = 0;
        for at in first + 1..self.changes.len() {
            let gap = self.gap(at - 1, at);
            if gap > joined {
                break;
            }
            let counts = !self.is_ignored(at);
            if gap < near && (counts || last == at - 1) {
                last = at;
                ignored_lines = 0;
            } else if gap < near {
                ignored_lines += self.changes[at].new.lines;
            } else if last != at - 1 && self.gap(last, at).saturating_add(ignored_lines) > joined {
                break;
            } else if counts {
                last = at;
                ignored_lines = 0;
            } else {
                ignored_lines += self.changes[at].new.lines;
            }
        }
        Some((first, last))
    }

    /// Where the context before a change starts.
    fn starts(&self, change: usize) -> (Place, Place) {
        let change = &self.changes[change];
        let old = Text(self.old).back(Place::start_of(&change.old), self.context.lines);
        let new = Text(self.new).back(Place::start_of(&change.new), self.context.lines);
        (old, new)
    }

    /// Where the context after a change ends.
    fn ends(&self, change: usize) -> (Place, Place) {
        let change = &self.changes[change];
        let (old_end, new_end) = (Place::end_of(&change.old), Place::end_of(&change.new));
        let old = Text(self.old).forward(old_end, self.context.lines);
        let new = Text(self.new).forward(new_end, self.context.lines);
        let lines = (old.line - old_end.line).min(new.line - new_end.line);
        if lines == self.context.lines {
            return (old, new);
        }
        (Text(self.old).forward(old_end, lines), Text(self.new).forward(new_end, lines))
    }

    fn starts_function(&self, text: Text<'_>, place: Place) -> bool {
        text.line(place).is_some_and(|line| self.finder.name(line).is_some())
    }

    fn is_empty_line(text: Text<'_>, place: Place) -> bool {
        text.line(place).is_some_and(|line| is_blank(line, Whitespace::IgnoreAll))
    }

    /// Where the context starts when it takes in the function that the change is in; `None` when it does already.
    fn reach_back(&self, change: usize, old_start: Place, new_start: Place) -> Option<(Place, Place)> {
        let (old, new) = (Text(self.old), Text(self.new));
        let mut at = Place::start_of(&self.changes[change].old);
        if old.is_end(at) {
            // When a whole function was appended, none of the old file's need be shown.
            let mut added = Place::start_of(&self.changes[change].new);
            while let Some(next) = new.next(added) {
                if self.starts_function(new, added) {
                    return None;
                }
                added = next;
            }
            at = old.previous(at)?;
        }
        // Back to the line that starts the function, and to the comment above it.
        let mut top = loop {
            if self.starts_function(old, at) {
                break at;
            }
            match old.previous(at) {
                Some(previous) => at = previous,
                None => break at,
            }
        };
        while let Some(previous) = old.previous(top) {
            if Self::is_empty_line(old, previous) || self.starts_function(old, previous) {
                break;
            }
            top = previous;
        }
        (top < old_start).then(|| (top, new.back(new_start, old_start.line - top.line)))
    }

    /// Where the context ends when it takes in the function that the change is in.
    fn reach_ahead(&self, change: usize, old_end: Place, new_end: Place) -> (Place, Place) {
        let (old, new) = (Text(self.old), Text(self.new));
        let mut at = Place::end_of(&self.changes[change].old);
        while !old.is_end(at) && !self.starts_function(old, at) {
            at = old.next(at).unwrap_or(at);
        }
        if !old.is_end(at) {
            // The blank lines above the next function are not part of this one.
            while let Some(previous) = old.previous(at).filter(|&above| Self::is_empty_line(old, above)) {
                at = previous;
            }
        }
        if at > old_end { (at, new.forward(new_end, at.line - old_end.line)) } else { (old_end, new_end) }
    }

    /// Whether the next change lies within this context, or in the same function.
    fn touches_next(&self, last: usize, old_end: Place) -> bool {
        let Some(next) = self.changes.get(last + 1) else { return false };
        let old = Text(self.old);
        let mut at = Place::start_of(&next.old);
        if old.is_end(at) {
            at = old.previous(at).unwrap_or(at);
        }
        if at.line <= old_end.line.saturating_add(self.context.lines) {
            return true;
        }
        // Between the end of the context and the change, no function starts.
        while at > old_end {
            if self.starts_function(old, at) {
                return false;
            }
            at = old.previous(at).unwrap_or(old_end);
        }
        true
    }
}
