//! What became of each line of a merge's file.

use super::lost::{Lost, coalesce};
use super::{File, Parents};
use crate::lines::{self, Change};
use crate::patch::Options;
use crate::patch::text;

/// A line of the result.
#[derive(Debug, Default)]
pub(super) struct Line {
    /// The parents that do not have it.
    pub(super) added: Parents,
    /// Lines of parents that are gone from before it.
    pub(super) lost: Vec<Lost>,
    /// Whether it is shown.
    pub(super) shown: bool,
    /// Whether it is shown without the lines that are lost before it.
    pub(super) without_lost: bool,
}

/// The lines of the result, and one entry more for what is lost at its end.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) lines: Vec<Line>,
    /// The number, counted from 1, of the line of each parent that each entry and the end stand at: a row a parent.
    numbers: Vec<u32>,
    /// The texts of lost lines.
    texts: Vec<u8>,
    workspace: lines::Workspace,
    changes: Vec<Change>,
}

impl Table {
    /// Compares the file with each parent.
    pub(super) fn fill(&mut self, file: &File<'_>, options: &Options) -> Result<(), lines::TooLarge> {
        let result = file.content.bytes;
        let count = lines::count_lines(result);
        self.lines.clear();
        self.lines.resize_with(count + 1, Line::default);
        self.numbers.clear();
        self.texts.clear();
        for (number, parent) in file.parents.iter().enumerate() {
            let twin = file.parents[..number].iter().position(|p| p.id == parent.id && p.mode != 0);
            match twin {
                Some(twin) => self.copy(twin, number),
                None => self.compare(parent.content.bytes, result, number, options)?,
            }
            self.count(number);
        }
        Ok(())
    }

    fn compare(
        &mut self,
        parent: &[u8],
        result: &[u8],
        number: usize,
        options: &Options,
    ) -> Result<(), lines::TooLarge> {
        let (old, new) = lines::without_common_tail(parent, result);
        let Table { lines: table, texts, workspace, changes, .. } = self;
        lines::diff(old, new, &options.lines, workspace, changes)?;
        let mut gone = Vec::new();
        for change in changes.iter() {
            let first = change.new.line as usize;
            for line in &mut table[first..first + change.new.lines as usize] {
                line.added |= 1 << number;
            }
            gone.clear();
            for text in text::lines(change.old.of(parent)) {
                let start = texts.len();
                texts.extend_from_slice(text.strip_suffix(b"\n").unwrap_or(text));
                gone.push(Lost { parents: 1 << number, text: start..texts.len() });
            }
            coalesce(&mut table[first].lost, &gone, texts, options.lines.whitespace);
        }
        Ok(())
    }

    /// What holds for the parent `twin` holds for the parent `number`.
    fn copy(&mut self, twin: usize, number: usize) {
        for line in &mut self.lines {
            line.added |= (line.added >> twin & 1) << number;
            for lost in &mut line.lost {
                lost.parents |= (lost.parents >> twin & 1) << number;
            }
        }
    }

    /// Counts the lines of a parent.
    fn count(&mut self, parent: usize) {
        let mut number = 1;
        let last = self.lines.len() - 1;
        for (at, line) in self.lines.iter().enumerate() {
            self.numbers.push(number);
            number += line.lost.iter().filter(|lost| lost.parents >> parent & 1 == 1).count() as u32;
            number += u32::from(at < last && line.added >> parent & 1 == 0);
        }
        self.numbers.push(number);
    }

    /// The line of a parent that an entry stands at.
    pub(super) fn number(&self, line: usize, parent: usize) -> u32 {
        self.numbers[parent * (self.lines.len() + 1) + line]
    }

    pub(super) fn lost_text(&self, lost: &Lost) -> &[u8] {
        &self.texts[lost.text.clone()]
    }
}
