//! Cells laid out in columns, as `git column`, `branch --column` and `tag --column` print them.
//!
//! The layouts and their settings are described under `column.ui` in git-config.

use crate::width::display_width;

/// How cells fill the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layout {
    /// Down the first column, then the second.
    #[default]
    Column,
    /// Along the first row, then the second.
    Row,
    /// One cell a line.
    Plain,
}

/// When cells are laid out at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum When {
    /// Never: one cell a line, unadorned.
    #[default]
    Never,
    /// Always.
    Always,
    /// When the output is a terminal.
    Auto,
}

/// A value of `column.ui` or `--column`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Mode {
    /// When to lay out.
    pub when: When,
    /// How.
    pub layout: Layout,
    /// Columns take only the width that they need.
    pub dense: bool,
}

/// A word in a column setting that is none of its tokens.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unsupported option '{0}'")]
pub struct UnknownToken(pub String);

impl Mode {
    /// Changes the mode by the tokens of `value`, separated by spaces or commas; a layout without a word on when
    /// means always.
    pub fn apply(mut self, value: &str) -> Result<Self, UnknownToken> {
        let (mut when_said, mut layout_said) = (false, false);
        for token in value.split([' ', ',']).filter(|token| !token.is_empty()) {
            match token {
                "always" => (self.when, when_said) = (When::Always, true),
                "never" => (self.when, when_said) = (When::Never, true),
                "auto" => (self.when, when_said) = (When::Auto, true),
                "column" => (self.layout, layout_said) = (Layout::Column, true),
                "row" => (self.layout, layout_said) = (Layout::Row, true),
                "plain" => (self.layout, layout_said) = (Layout::Plain, true),
                "dense" => (self.dense, layout_said) = (true, true),
                "nodense" => (self.dense, layout_said) = (false, true),
                _ => return Err(UnknownToken(token.to_owned())),
            }
        }
        if layout_said && !when_said {
            self.when = When::Always;
        }
        Ok(self)
    }

    /// Whether cells are laid out, given whether the output is a terminal.
    pub fn is_active(&self, to_terminal: bool) -> bool {
        self.when == When::Always || (self.when == When::Auto && to_terminal)
    }
}

/// The surroundings of a table.
#[derive(Debug, Clone, Copy)]
pub struct Frame<'a> {
    /// The columns of the terminal; git takes 80 when it cannot tell.
    pub width: usize,
    /// Spaces between columns.
    pub padding: usize,
    /// What each line starts with.
    pub indent: &'a [u8],
    /// What each line ends with, the newline included.
    pub end: &'a [u8],
}

impl Default for Frame<'_> {
    fn default() -> Self {
        Frame { width: 80, padding: 1, indent: b"", end: b"\n" }
    }
}

/// Appends `cells` to `out` in the layout of `mode`. The caller has asked [`Mode::is_active`].
pub fn lay_out<C: AsRef<[u8]>>(cells: &[C], mode: Mode, frame: &Frame<'_>, out: &mut Vec<u8>) {
    if cells.is_empty() {
        return;
    }
    let table = Table::new(cells, mode, frame);
    if mode.layout == Layout::Plain || table.columns <= 1 {
        for cell in cells {
            out.extend_from_slice(frame.indent);
            out.extend_from_slice(cell.as_ref());
            out.extend_from_slice(frame.end);
        }
        return;
    }
    for row in 0..table.rows {
        out.extend_from_slice(frame.indent);
        for column in 0..table.columns {
            let Some(index) = table.index(row, column) else { break };
            out.extend_from_slice(cells[index].as_ref());
            if table.index(row, column + 1).is_some() {
                let spaces = table.widths[column].saturating_sub(table.lengths[index]);
                out.resize(out.len() + spaces, b' ');
            }
        }
        out.extend_from_slice(frame.end);
    }
}

struct Table {
    row_wise: bool,
    rows: usize,
    columns: usize,
    /// The width of each cell.
    lengths: Vec<usize>,
    /// The width of each column, padding included.
    widths: Vec<usize>,
}

impl Table {
    fn new<C: AsRef<[u8]>>(cells: &[C], mode: Mode, frame: &Frame<'_>) -> Self {
        let lengths: Vec<usize> = cells.iter().map(|cell| display_width(cell.as_ref(), true)).collect();
        let widest = lengths.iter().max().map_or(0, |&w| w.saturating_add(frame.padding)).max(1);
        let room = frame.width.saturating_sub(frame.indent.len());
        let columns = (room / widest).max(1);
        let rows = cells.len().div_ceil(columns);
        let mut table =
            Table { row_wise: mode.layout == Layout::Row, rows, columns, lengths, widths: Vec::new() };
        table.widths = vec![widest; columns];
        if mode.dense {
            table.condense(room, frame.padding);
        }
        table
    }

    /// Takes as few rows as fit when each column is as wide as its widest cell.
    fn condense(&mut self, room: usize, padding: usize) {
        while self.rows > 1 {
            let before = (self.rows, self.columns);
            self.rows -= 1;
            self.columns = self.lengths.len().div_ceil(self.rows);
            let widths = self.needed_widths(padding);
            if widths.iter().fold(0, |sum: usize, &w| sum.saturating_add(w)) > room {
                (self.rows, self.columns) = before;
                break;
            }
        }
        self.widths = self.needed_widths(padding);
    }

    fn needed_widths(&self, padding: usize) -> Vec<usize> {
        let mut widths = vec![0; self.columns];
        for (index, &length) in self.lengths.iter().enumerate() {
            let column = if self.row_wise { index % self.columns } else { index / self.rows };
            widths[column] = widths[column].max(length + padding);
        }
        widths
    }

    fn index(&self, row: usize, column: usize) -> Option<usize> {
        let index = if self.row_wise { row * self.columns + column } else { column * self.rows + row };
        (column < self.columns && index < self.lengths.len()).then_some(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: [&str; 11] =
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"];

    fn table(mode: &str, frame: Frame<'_>) -> String {
        let mut out = Vec::new();
        lay_out(&WORDS, Mode::default().apply(mode).unwrap(), &frame, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn layouts() {
        let narrow = Frame { width: 20, ..Frame::default() };
        assert_eq!(
            table("column", narrow),
            "one    seven\ntwo    eight\nthree  nine\nfour   ten\nfive   eleven\nsix\n"
        );
        assert_eq!(
            table("column,dense", narrow),
            "one   five  nine\ntwo   six   ten\nthree seven eleven\nfour  eight\n"
        );
        assert_eq!(
            table("row dense", narrow),
            "one   two    three\nfour  five   six\nseven eight  nine\nten   eleven\n"
        );
        let framed = Frame { width: 30, padding: 2, indent: b"> ", end: b"|\n" };
        assert_eq!(
            table("row", framed),
            "> one     two     three|\n> four    five    six|\n> seven   eight   nine|\n> ten     eleven|\n"
        );
    }

    #[test]
    fn modes() {
        let mode = |value| Mode::default().apply(value);
        assert_eq!(mode("auto,row").unwrap().when, When::Auto);
        assert_eq!(mode("dense").unwrap(), Mode { when: When::Always, dense: true, ..Mode::default() });
        assert_eq!(mode("").unwrap().when, When::Never);
        assert_eq!(mode("Row"), Err(UnknownToken("Row".into())));
    }
}
