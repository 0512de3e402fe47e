//! The patience algorithm (Bram Cohen): match the longest ascending sequence of lines that both files have exactly once,
//! then do the same between them; where there are none, compare in the classic way.

use std::ops::Range;

use bstr::BString;

use super::classic::{Classic, Pair};

/// Not there, and there several times.
const ABSENT: u32 = u32::MAX;
const SEVERAL: u32 = u32::MAX - 1;

/// The texts by which lines are kept in place, and the file in which they are looked for.
#[derive(Clone, Copy)]
pub(super) struct Anchors<'a> {
    pub(super) file: &'a [u8],
    /// Where each line of the file starts.
    pub(super) starts: &'a [u32],
    pub(super) texts: &'a [BString],
}

impl Anchors<'_> {
    fn hold(&self, line: u32) -> bool {
        let rest = &self.file[self.starts[line as usize] as usize..];
        self.texts.iter().any(|text| rest.starts_with(text))
    }
}

/// The search; keeps its tables between files.
#[derive(Debug, Default)]
pub(super) struct Patience {
    /// For each number, its line in either part, when it occurs there once.
    in_old: Vec<u32>,
    in_new: Vec<u32>,
    /// The lines that both parts have once.
    unique: Vec<Unique>,
    /// For each length, the unique line that ends the ascending sequence of that length which leaves most room.
    ends: Vec<u32>,
    pending: Vec<(Range<usize>, Range<usize>)>,
}

#[derive(Debug, Clone, Copy)]
struct Unique {
    old: u32,
    new: u32,
    /// The one before it in its sequence; [`ABSENT`] when it is the first.
    previous: u32,
}

impl Patience {
    /// Marks the changed lines; `classes` is how many numbers there are.
    pub(super) fn diff(
        &mut self,
        mut pair: Pair<'_>,
        classes: usize,
        minimal: bool,
        anchors: Anchors<'_>,
        classic: &mut Classic,
    ) {
        self.in_old.clear();
        self.in_old.resize(classes, ABSENT);
        self.in_new.clear();
        self.in_new.resize(classes, ABSENT);
        self.pending.clear();
        self.pending.push((0..pair.old.len(), 0..pair.new.len()));
        while let Some((old, new)) = self.pending.pop() {
            let any_common = !old.is_empty() && !new.is_empty() && self.find_unique(&pair, &old, &new);
            if !any_common {
                pair.changed_old[old].fill(true);
                pair.changed_new[new].fill(true);
                continue;
            }
            match self.longest_ascent(anchors) {
                Some(last) => self.split(&pair, old, new, last),
                None => classic.diff_part(pair.part(old, new), minimal),
            }
        }
    }

    /// Collects the lines that both parts have once, in the old part's order; tells whether any line is common.
    fn find_unique(&mut self, pair: &Pair<'_>, old: &Range<usize>, new: &Range<usize>) -> bool {
        for (table, classes, lines) in [(&mut self.in_old, pair.old, old), (&mut self.in_new, pair.new, new)]
        {
            for line in lines.clone() {
                let place = &mut table[classes[line] as usize];
                *place = if *place == ABSENT { line as u32 } else { SEVERAL };
            }
        }
        self.unique.clear();
        let mut any_common = false;
        for line in old.clone() {
            let class = pair.old[line] as usize;
            let place = self.in_new[class];
            any_common |= place != ABSENT;
            if self.in_old[class] == line as u32 && place < SEVERAL {
                self.unique.push(Unique { old: line as u32, new: place, previous: ABSENT });
            }
        }
        for line in old.clone() {
            self.in_old[pair.old[line] as usize] = ABSENT;
        }
        for line in new.clone() {
            self.in_new[pair.new[line] as usize] = ABSENT;
        }
        any_common
    }

    /// Finds the longest sequence of unique lines that ascends in the new part too, by patience sorting; returns its
    /// last line. An anchored line is part of it, at the expense of all that cross it.
    fn longest_ascent(&mut self, anchors: Anchors<'_>) -> Option<u32> {
        self.ends.clear();
        let mut fixed = 0;
        for index in 0..self.unique.len() {
            let Unique { old, new, .. } = self.unique[index];
            let length = self.ends.partition_point(|&end| self.unique[end as usize].new < new);
            self.unique[index].previous = length.checked_sub(1).map_or(ABSENT, |at| self.ends[at]);
            if length < fixed {
                continue;
            }
            let anchored = anchors.hold(old);
            if anchored {
                self.ends.truncate(length);
                fixed = length + 1;
            }
            match self.ends.get_mut(length) {
                Some(end) => *end = index as u32,
                None => self.ends.push(index as u32),
            }
        }
        self.ends.last().copied()
    }

    /// Puts the parts between the matched lines on the pile.
    fn split(&mut self, pair: &Pair<'_>, old: Range<usize>, new: Range<usize>, last: u32) {
        let (mut old_end, mut new_end) = (old.end, new.end);
        let mut at = last;
        let mut before_match = false;
        loop {
            let (old_start, new_start, previous) = match self.unique.get(at as usize) {
                Some(unique) => (unique.old as usize + 1, unique.new as usize + 1, Some(unique.previous)),
                None => (old.start, new.start, None),
            };
            self.push_gap(pair, old_start..old_end, new_start..new_end, before_match);
            before_match = true;
            let Some(previous) = previous else { break };
            (old_end, new_end) = (old_start - 1, new_start - 1);
            at = previous;
        }
    }

    /// Puts what is left of a gap on the pile when the equal lines next to the matches around it are matched too.
    fn push_gap(
        &mut self,
        pair: &Pair<'_>,
        mut old: Range<usize>,
        mut new: Range<usize>,
        before_match: bool,
    ) {
        while before_match
            && !old.is_empty()
            && !new.is_empty()
            && pair.old[old.end - 1] == pair.new[new.end - 1]
        {
            old.end -= 1;
            new.end -= 1;
        }
        while !old.is_empty() && !new.is_empty() && pair.old[old.start] == pair.new[new.start] {
            old.start += 1;
            new.start += 1;
        }
        if !old.is_empty() || !new.is_empty() {
            self.pending.push((old, new));
        }
    }
}
