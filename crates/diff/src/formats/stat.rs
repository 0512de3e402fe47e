//! The numbers of changed lines: `--numstat`, `--shortstat` and the graph of `--stat`.

use std::io::Write;

use adit_text::quote::quote_path;
use adit_text::width::{char_width, display_width};
use bstr::{BString, ByteSlice};

use crate::formats::Names;
use crate::palette::{Palette, Slot};
use crate::{FilePair, Status};

/// How much of a file changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Count {
    /// Added lines; for a binary file the size of the new content.
    pub added: u64,
    /// Deleted lines; for a binary file the size of the old content.
    pub deleted: u64,
    /// Whether the file is binary.
    pub binary: bool,
}

/// One line of a stat: a pair and its numbers.
#[derive(Debug, Clone, Copy)]
pub struct FileStat<'p> {
    /// The pair.
    pub pair: &'p FilePair,
    /// Its numbers.
    pub count: Count,
}

/// The widths of `--stat` and what goes with them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatOptions {
    /// Columns of the whole (`--stat-width`); the caller knows the terminal.
    pub width: usize,
    /// What stands beside the differences, such as a graph of history, takes from the width: it is the terminal's.
    pub shares_width: bool,
    /// The most columns for names (`--stat-name-width`).
    pub name_width: Option<usize>,
    /// The most columns for the graph (`--stat-graph-width`).
    pub graph_width: Option<usize>,
    /// The most files shown (`--stat-count`).
    pub count: Option<usize>,
    /// Tell of new, gone and mode changes (`--compact-summary`).
    pub compact_summary: bool,
}

impl Default for StatOptions {
    fn default() -> Self {
        StatOptions {
            width: 80,
            shares_width: false,
            name_width: None,
            graph_width: None,
            count: None,
            compact_summary: false,
        }
    }
}

/// Whether two names are shown: also for blobs and files that were compared under different names.
fn is_rename(pair: &FilePair) -> bool {
    pair.old.path != pair.new.path
}

/// Appends `--numstat` lines.
pub fn numstat(files: &[FileStat<'_>], names: &Names, out: &mut Vec<u8>) {
    for FileStat { pair, count } in files {
        if count.binary {
            out.extend_from_slice(b"-\t-\t");
        } else {
            number(count.added, out);
            out.push(b'\t');
            number(count.deleted, out);
            out.push(b'\t');
        }
        if !is_rename(pair) {
            names.path(pair.new.path.as_ref(), out);
        } else if names.nul {
            out.push(0);
            names.path(pair.old.path.as_ref(), out);
            out.push(0);
            names.path(pair.new.path.as_ref(), out);
        } else {
            names.rename(pair.old.path.as_ref(), pair.new.path.as_ref(), out);
        }
        out.push(names.terminator());
    }
}

/// Appends the line that sums everything up, unless no file changed.
pub fn shortstat(files: &[FileStat<'_>], out: &mut Vec<u8>) {
    if files.is_empty() {
        return;
    }
    let text = files.iter().filter(|file| !file.count.binary);
    let (added, deleted) =
        text.fold((0, 0), |(added, deleted), file| (added + file.count.added, deleted + file.count.deleted));
    let shown = files.iter().filter(|file| file.pair.status != Status::Unmerged).count();
    summary_line(shown, added, deleted, out);
}

/// Appends ` 2 files changed, 3 insertions(+), 1 deletion(-)`.
pub fn summary_line(files: usize, added: u64, deleted: u64, out: &mut Vec<u8>) {
    let plural = |n: u64| if n == 1 { "" } else { "s" };
    out.push(b' ');
    number(files as u64, out);
    out.extend_from_slice(if files == 1 { b" file changed" } else { b" files changed" });
    if files > 0 && (added > 0 || deleted == 0) {
        out.extend_from_slice(b", ");
        number(added, out);
        out.extend_from_slice(format!(" insertion{}(+)", plural(added)).as_bytes());
    }
    if files > 0 && (deleted > 0 || added == 0) {
        out.extend_from_slice(b", ");
        number(deleted, out);
        out.extend_from_slice(format!(" deletion{}(-)", plural(deleted)).as_bytes());
    }
    out.push(b'\n');
}

fn number(n: u64, out: &mut Vec<u8>) {
    // Writing to a vector cannot fail.
    let _ = write!(out, "{n}");
}

/// One line, ready to be laid out.
struct Row {
    name: BString,
    width: usize,
    count: Count,
    unmerged: bool,
}

/// The widths of the columns.
struct Layout {
    name: usize,
    number: usize,
    graph: usize,
    largest: u64,
}

/// Appends the graph and the line that sums it up; nothing when no file changed.
pub fn stat(
    files: &[FileStat<'_>],
    options: &StatOptions,
    names: &Names,
    palette: &Palette,
    out: &mut Vec<u8>,
) {
    if files.is_empty() {
        return;
    }
    let limit = options.count.unwrap_or(usize::MAX);
    let rows: Vec<Row> = files.iter().take(limit).map(|file| row(file, options, names)).collect();
    let layout = Layout::new(&rows, options);
    for row in &rows {
        layout.write(row, palette, out);
    }
    if files.len() > rows.len() {
        out.extend_from_slice(b" ...\n");
    }
    shortstat(files, out);
}

fn row(file: &FileStat<'_>, options: &StatOptions, names: &Names) -> Row {
    let pair = file.pair;
    let mut name = Vec::new();
    if is_rename(pair) {
        names.rename(pair.old.path.as_ref(), pair.new.path.as_ref(), &mut name);
    } else {
        quote_path(names.shown(pair.new.path.as_ref()), names.quote_high, &mut name);
    }
    if let Some(comment) = compact_comment(pair).filter(|_| options.compact_summary) {
        name.extend_from_slice(format!(" ({comment})").as_bytes());
    }
    let width = display_width(&name, false);
    Row { name: name.into(), width, count: file.count, unmerged: pair.status == Status::Unmerged }
}

/// What `--compact-summary` says of a file's modes.
fn compact_comment(pair: &FilePair) -> Option<&'static str> {
    const LINK: u32 = 0o120000;
    let (old, new) = (pair.old.mode, pair.new.mode);
    let is_executable = |mode: u32| mode & 0o111 != 0;
    match pair.status {
        Status::Added if new == LINK => Some("new +l"),
        Status::Added if new & 0o777 == 0o755 => Some("new +x"),
        Status::Added => Some("new"),
        Status::Deleted => Some("gone"),
        _ if old == new => None,
        _ if old == LINK => Some("mode -l"),
        _ if new == LINK => Some("mode +l"),
        _ if !is_executable(old) && is_executable(new) => Some("mode +x"),
        _ if is_executable(old) && !is_executable(new) => Some("mode -x"),
        _ => None,
    }
}

fn decimal_width(n: u64) -> usize {
    n.checked_ilog10().unwrap_or(0) as usize + 1
}

impl Layout {
    /// Shares the columns out ('--stat' in git-diff): names and graph get what they want when that fits; else names
    /// get five eighths and the graph the rest, and what one does not need the other may use.
    fn new(rows: &[Row], options: &StatOptions) -> Self {
        let text = rows.iter().filter(|row| !row.count.binary && !row.unmerged);
        let largest = text.map(|row| row.count.added + row.count.deleted).max().unwrap_or(0);
        let longest = rows.iter().map(|row| row.width).max().unwrap_or(0);
        let (mut number, mut message) = (decimal_width(largest), 0);
        for row in rows {
            if row.unmerged {
                message = message.max("Unmerged".len());
            } else if row.count.binary {
                let sizes = decimal_width(row.count.added) + decimal_width(row.count.deleted);
                message = message.max("Bin  ->  bytes".len() + sizes);
                number = number.max("Bin".len());
            }
        }
        let width = options.width.max(16 + 6 + number);
        let wanted = usize::try_from(largest).unwrap_or(usize::MAX);
        let mut graph = if wanted.saturating_add(4) > message { wanted } else { message.saturating_sub(4) };
        let graph_limit = options.graph_width.filter(|&limit| limit > 0).unwrap_or(usize::MAX);
        graph = graph.min(graph_limit);
        let mut name = match options.name_width.filter(|&limit| limit > 0) {
            Some(limit) => limit.min(longest),
            None => longest,
        };
        let fixed = number + 6;
        if name.saturating_add(fixed).saturating_add(graph) > width {
            let share = (width * 3 / 8).saturating_sub(fixed);
            if graph > share {
                graph = share.max(6);
            }
            graph = graph.min(graph_limit);
            let left = width.saturating_sub(fixed);
            if name > left.saturating_sub(graph) {
                name = left.saturating_sub(graph);
            } else {
                graph = left - name;
            }
        }
        Layout { name, number, graph, largest }
    }

    fn write(&self, row: &Row, palette: &Palette, out: &mut Vec<u8>) {
        let Layout { name: name_width, number: number_width, .. } = *self;
        out.push(b' ');
        let padding = self.write_name(row, out);
        out.resize(out.len() + padding, b' ');
        out.extend_from_slice(b" | ");
        let colored = |slot: Slot, text: &[u8], out: &mut Vec<u8>| {
            out.extend_from_slice(palette.get(slot));
            out.extend_from_slice(text);
            out.extend_from_slice(palette.reset());
        };
        debug_assert!(padding <= name_width);
        if row.unmerged {
            out.extend_from_slice(format!("{:>number_width$}\n", "Unmerged").as_bytes());
            return;
        }
        if row.count.binary {
            out.extend_from_slice(format!("{:>number_width$}", "Bin").as_bytes());
            if row.count.added > 0 || row.count.deleted > 0 {
                out.push(b' ');
                colored(Slot::Old, row.count.deleted.to_string().as_bytes(), out);
                out.extend_from_slice(b" -> ");
                colored(Slot::New, row.count.added.to_string().as_bytes(), out);
                out.extend_from_slice(b" bytes");
            }
            out.push(b'\n');
            return;
        }
        let (added, deleted) = self.scale(row.count.added, row.count.deleted);
        let total = row.count.added + row.count.deleted;
        out.extend_from_slice(format!("{total:>number_width$}").as_bytes());
        if total > 0 {
            out.push(b' ');
        }
        for (slot, sign, columns) in [(Slot::New, b'+', added), (Slot::Old, b'-', deleted)] {
            if columns > 0 {
                colored(slot, &vec![sign; columns], out);
            }
        }
        out.push(b'\n');
    }

    /// Writes the name, its start cut off when it is too long; tells how many columns are left.
    fn write_name(&self, row: &Row, out: &mut Vec<u8>) -> usize {
        if row.width <= self.name {
            out.extend_from_slice(&row.name);
            return self.name - row.width;
        }
        let room = self.name.saturating_sub(3);
        let (mut rest, mut width) = (row.name.as_slice(), row.width);
        while width > room && !rest.is_empty() {
            let (columns, len) = match bstr::decode_utf8(rest) {
                (Some(c), len) => (char_width(c), len),
                (None, _) => (1, 1),
            };
            rest = &rest[len..];
            width = width.saturating_sub(columns);
        }
        // A whole folder is better than a part of its name.
        if let Some(slash) = rest.find_byte(b'/') {
            rest = &rest[slash..];
            width = display_width(rest, false);
        }
        out.extend_from_slice(b"...");
        out.extend_from_slice(rest);
        room.saturating_sub(width)
    }

    /// The columns of the graph for a file, its two parts in proportion.
    fn scale(&self, added: u64, deleted: u64) -> (usize, usize) {
        let (graph, largest) = (self.graph as u64, self.largest);
        if graph > largest {
            return (added as usize, deleted as usize);
        }
        let scaled = |n: u64| match n {
            0 => 0,
            n => {
                1 + (u128::from(n) * u128::from(graph.saturating_sub(1)) / u128::from(largest.max(1)))
                    as usize
            }
        };
        let mut total = scaled(added + deleted);
        if total < 2 && added > 0 && deleted > 0 {
            total = 2;
        }
        if added < deleted {
            let added = scaled(added);
            (added, total.saturating_sub(added))
        } else {
            let deleted = scaled(deleted);
            (total.saturating_sub(deleted), deleted)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Side;
    use adit_object::{ObjectFormat, ObjectId};

    fn pair(path: &str) -> FilePair {
        let id = ObjectId::null(ObjectFormat::Sha1);
        let side = Side { mode: 0o100644, id, path: path.into() };
        FilePair::new(side.clone(), side)
    }

    fn graph(files: &[(&FilePair, u64, u64)], options: &StatOptions) -> String {
        let files: Vec<_> = files
            .iter()
            .map(|&(pair, added, deleted)| FileStat { pair, count: Count { added, deleted, binary: false } })
            .collect();
        let mut out = Vec::new();
        stat(&files, options, &Names::default(), &Palette::default(), &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_graph_is_scaled_to_its_width() {
        let (long, short) = (pair("a/rather/long/folder/name/for/a/file"), pair("b"));
        let options = StatOptions { width: 40, ..StatOptions::default() };
        // As git 2.55 prints them.
        let expected = " .../name/for/a/file       | 400 ++++--\n b                         |   1 -\n";
        let sum = " 2 files changed, 300 insertions(+), 101 deletions(-)\n";
        assert_eq!(graph(&[(&long, 300, 100), (&short, 0, 1)], &options), [expected, sum].concat());
        assert_eq!(graph(&[], &options), "");
    }
}
