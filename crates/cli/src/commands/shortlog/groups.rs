//! Commits grouped by people, and how the groups are printed.

use std::io::Write;

use adit_text::wrap::{Start, wrap};
use bstr::{BString, ByteSlice};
use hashbrown::HashMap;

use crate::error::Error;
use crate::format::pretty::Message;

/// How wide lines are, and how far they are indented (`-w`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Margins {
    pub(super) width: usize,
    pub(super) first: usize,
    pub(super) rest: usize,
}

impl Margins {
    /// What `-w` alone means.
    pub(super) const DEFAULT: Margins = Margins { width: 76, first: 6, rest: 9 };

    /// Reads `<width>[,<first>[,<rest>]]`.
    pub(super) fn parse(text: &[u8]) -> Option<Self> {
        let mut numbers = [Self::DEFAULT.width, Self::DEFAULT.first, Self::DEFAULT.rest];
        for (i, word) in text.split(|&b| b == b',').enumerate() {
            let number = numbers.get_mut(i)?;
            if !word.is_empty() {
                *number = word.to_str().ok()?.parse().ok().filter(|number| *number <= LARGEST)?;
            }
        }
        let [width, first, rest] = numbers;
        let fits = width == 0 || (first < width && rest < width);
        fits.then_some(Margins { width, first, rest })
    }
}

/// No terminal is wider, and no indent should fill the memory.
const LARGEST: usize = 1 << 16;

/// How the groups are printed.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Layout {
    /// By the number of commits, most first (`-n`).
    pub(super) by_count: bool,
    /// Only the numbers (`-s`).
    pub(super) summary: bool,
    /// Lines are wrapped.
    pub(super) margins: Option<Margins>,
}

/// The groups so far.
#[derive(Debug, Default)]
pub(super) struct Groups {
    by_name: HashMap<BString, Group>,
}

#[derive(Debug, Default)]
struct Group {
    count: usize,
    /// What is said of each commit, latest first; nothing where only numbers are shown.
    entries: Vec<BString>,
}

impl Groups {
    /// Counts a commit for the group `name`; `entry` is what is said of it where more than numbers are shown.
    pub(super) fn add(&mut self, name: &[u8], entry: Option<&[u8]>) {
        let group = match self.by_name.get_mut(name.as_bstr()) {
            Some(group) => group,
            None => self.by_name.entry(name.into()).or_default(),
        };
        group.count += 1;
        group.entries.extend(entry.map(BString::from));
    }

    /// Prints all groups, in the order of their names or sizes.
    pub(super) fn print(&self, layout: &Layout, out: &mut dyn Write) -> Result<(), Error> {
        let mut groups: Vec<(&BString, &Group)> = self.by_name.iter().collect();
        groups.sort_unstable_by_key(|(name, _)| *name);
        if layout.by_count {
            groups.sort_by_key(|(_, group)| std::cmp::Reverse(group.count));
        }
        let mut text = Vec::new();
        for (name, group) in groups {
            text.clear();
            if layout.summary {
                writeln!(text, "{:6}\t{name}", group.count)?;
            } else {
                writeln!(text, "{name} ({}):", group.count)?;
                for entry in group.entries.iter().rev() {
                    let Margins { width, first, rest } =
                        layout.margins.unwrap_or(Margins { width: 0, first: 6, rest: 6 });
                    wrap(entry, Start::Indent(first), rest, width, &mut text);
                    text.push(b'\n');
                }
                text.push(b'\n');
            }
            out.write_all(&text)?;
        }
        Ok(())
    }
}

/// What is said of a commit: its subject on one line, without the mark of a patch in a mail.
pub(super) fn entry_of(text: &[u8]) -> BString {
    let mut subject = Vec::new();
    Message::new(text).append_subject(&mut subject);
    let mut entry = subject.trim_ascii_start();
    if entry.starts_with(b"[PATCH")
        && let Some(end) = entry.find_byte(b']')
    {
        entry = entry[end + 1..].trim_ascii_start();
    }
    entry.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn margins_have_defaults_and_must_fit() {
        assert_eq!(Margins::parse(b"40"), Some(Margins { width: 40, first: 6, rest: 9 }));
        assert_eq!(Margins::parse(b",3,"), Some(Margins { width: 76, first: 3, rest: 9 }));
        assert_eq!(Margins::parse(b"0,2,3"), Some(Margins { width: 0, first: 2, rest: 3 }));
        for bad in ["x", "1,2,3,4", "10,10", "5", "1,,2"] {
            assert_eq!(Margins::parse(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn marks_of_patches_are_taken_off() {
        assert_eq!(entry_of(b"  [PATCH 1/2]  x  y \nz\n\nbody"), "x  y z");
        assert_eq!(entry_of(b"[PATCH x"), "[PATCH x");
        assert_eq!(entry_of(b"[patch] x"), "[patch] x");
    }

    #[test]
    fn groups_by_name_or_number() {
        let mut groups = Groups::default();
        for (name, entry) in [("b", "2"), ("a", "x"), ("b", "1")] {
            groups.add(name.as_bytes(), Some(entry.as_bytes()));
        }
        let print = |layout: Layout| {
            let mut out = Vec::new();
            groups.print(&layout, &mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        assert_eq!(print(Layout::default()), "a (1):\n      x\n\nb (2):\n      1\n      2\n\n");
        let summary = Layout { summary: true, by_count: true, margins: None };
        assert_eq!(print(summary), "     2\tb\n     1\ta\n");
    }
}
