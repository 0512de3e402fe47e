//! Combined diffs (`-c`, `--cc`): a file of a merge against all its parents at once, as diff-generate-patch describes.
//!
//! Each line of the result knows from which parents it differs, and which lines of parents are gone before it. The parts:
//!
//! - `table`: that knowledge, collected from a comparison with each parent;
//! - `lost`: lines that several parents lost together;
//! - `select`: which lines are shown.

mod lost;
mod select;
mod table;

use adit_object::ObjectId;
use adit_text::quote::quote_two;
use bstr::BStr;

use self::table::{Line, Table};
use crate::pair::Status;
use crate::palette::Slot;
use crate::patch::text::{Place, Text};
use crate::patch::{Content, Options, PatchError};
use crate::userdiff::FunctionFinder;

/// A set of parents, by their numbers.
type Parents = u128;

/// More parents than this cannot be shown side by side.
pub const MOST_PARENTS: usize = 128;

/// No more bytes of a function's first line than this are shown.
const FUNCTION_LEN: usize = 40;

/// A file as one parent has it.
#[derive(Debug, Clone, Copy)]
pub struct Parent<'a> {
    /// Its mode; 0 when the parent does not have it.
    pub mode: u32,
    /// Its id; null when the parent does not have it.
    pub id: ObjectId,
    /// Its path.
    pub path: &'a BStr,
    /// What the merge did to it.
    pub status: Status,
    /// Its content.
    pub content: Content<'a>,
}

/// A file that differs from every parent.
#[derive(Debug, Clone, Copy)]
pub struct File<'a> {
    /// Its mode; 0 when the merge does not have it.
    pub mode: u32,
    /// Its id; null when the merge does not have it.
    pub id: ObjectId,
    /// Its path.
    pub path: &'a BStr,
    /// Its content.
    pub content: Content<'a>,
    /// What the parents have.
    pub parents: &'a [Parent<'a>],
}

/// Which of the two kinds of combined diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Style {
    /// Leave out what only one parent differs in (`--cc`).
    pub dense: bool,
    /// Show the path of each parent (`--combined-all-paths`).
    pub all_paths: bool,
}

/// Writes combined diffs; keeps its tables between files.
#[derive(Debug, Default)]
pub struct Writer {
    table: Table,
}

impl Writer {
    /// Appends the combined diff of `file` to `out`, nothing when there is nothing to show. `abbreviate` tells how many
    /// digits of an id are shown.
    pub fn write(
        &mut self,
        file: &File<'_>,
        style: Style,
        options: &Options,
        abbreviate: &dyn Fn(&ObjectId) -> usize,
        out: &mut Vec<u8>,
    ) -> Result<(), PatchError> {
        if file.parents.len() > MOST_PARENTS {
            return Err(PatchError::TooManyParents(file.path.to_owned()));
        }
        let header = Header { file, style, options };
        let mut contents =
            std::iter::once(&file.content).chain(file.parents.iter().map(|parent| &parent.content));
        // Git does not heed `--text` here.
        if contents.any(Content::is_binary) {
            header.write(abbreviate, false, out);
            out.extend_from_slice(&options.line_prefix);
            out.extend_from_slice(b"Binary files differ\n");
            return Ok(());
        }
        self.table.fill(file, options).map_err(|_| PatchError::TooLarge(file.path.to_owned()))?;
        let shows =
            select::select(&mut self.table.lines, file.parents.len(), style.dense, options.context.lines);
        if shows || header.mode_differs() {
            header.write(abbreviate, true, out);
            let dump =
                Dump { table: &self.table, result: file.content.bytes, options, parents: file.parents.len() };
            dump.hunks(out);
        }
        Ok(())
    }
}

/// What comes before the hunks.
struct Header<'a> {
    file: &'a File<'a>,
    style: Style,
    options: &'a Options,
}

impl Header<'_> {
    fn mode_differs(&self) -> bool {
        self.file.parents.iter().any(|parent| parent.mode != self.file.mode)
    }

    fn line(&self, parts: &[&[u8]], out: &mut Vec<u8>) {
        let Options { line_prefix, palette, .. } = self.options;
        out.extend_from_slice(line_prefix);
        out.extend_from_slice(palette.get(Slot::Meta));
        parts.iter().for_each(|part| out.extend_from_slice(part));
        out.extend_from_slice(palette.reset());
        out.push(b'\n');
    }

    fn path(&self, words: &str, prefix: &[u8], path: &[u8], out: &mut Vec<u8>) {
        let mut quoted = Vec::new();
        quote_two(prefix, path, self.options.quote_high, &mut quoted);
        self.line(&[words.as_bytes(), &quoted], out);
    }

    fn write(&self, abbreviate: &dyn Fn(&ObjectId) -> usize, with_files: bool, out: &mut Vec<u8>) {
        let File { mode, id, path, parents, .. } = *self.file;
        let words = if self.style.dense { "diff --cc " } else { "diff --combined " };
        self.path(words, b"", path, out);
        let digits = |id: &ObjectId| {
            let len = if self.options.full_index { usize::MAX } else { abbreviate(id) };
            let mut hex = Vec::with_capacity(64);
            id.append_hex(len, &mut hex);
            hex
        };
        let ids: Vec<Vec<u8>> = parents.iter().map(|parent| digits(&parent.id)).collect();
        self.line(&[b"index ", &ids.join(&b','), b"..", &digits(&id)], out);
        let is_added = mode != 0 && parents.iter().all(|parent| parent.status == Status::Added);
        if self.mode_differs() {
            if is_added {
                self.line(&[format!("new file mode {mode:06o}").as_bytes()], out);
            } else {
                self.write_modes(out);
            }
        }
        if with_files {
            self.write_files(is_added, out);
        }
    }

    /// Writes the modes of parents and result; only when the file was deleted in the colour of headers.
    fn write_modes(&self, out: &mut Vec<u8>) {
        let File { mode, parents, .. } = *self.file;
        if mode == 0 {
            out.extend_from_slice(&self.options.line_prefix);
            out.extend_from_slice(self.options.palette.get(Slot::Meta));
            out.extend_from_slice(b"deleted file ");
        }
        let modes: Vec<String> = parents.iter().map(|parent| format!("{:06o}", parent.mode)).collect();
        let result = if mode == 0 { String::new() } else { format!("..{mode:06o}") };
        out.extend_from_slice(format!("mode {}{result}", modes.join(",")).as_bytes());
        out.extend_from_slice(self.options.palette.reset());
        out.push(b'\n');
    }

    fn write_files(&self, is_added: bool, out: &mut Vec<u8>) {
        let File { mode, path, parents, .. } = *self.file;
        let [old, new] = &self.options.prefixes;
        if self.style.all_paths {
            for parent in parents {
                if parent.status == Status::Added {
                    self.path("--- ", b"", b"/dev/null", out);
                } else {
                    self.path("--- ", old, parent.path, out);
                }
            }
        } else if is_added {
            self.path("--- ", b"", b"/dev/null", out);
        } else {
            self.path("--- ", old, path, out);
        }
        if mode == 0 {
            self.path("+++ ", b"", b"/dev/null", out);
        } else {
            self.path("+++ ", new, path, out);
        }
    }
}

/// Writes the hunks.
struct Dump<'a> {
    table: &'a Table,
    result: &'a [u8],
    options: &'a Options,
    parents: usize,
}

impl Dump<'_> {
    fn hunks(&self, out: &mut Vec<u8>) {
        let lines = &self.table.lines;
        let mut place = Place { line: 0, at: 0 };
        let text = Text(self.result);
        let mut at = 0;
        loop {
            let mut function: Option<&[u8]> = None;
            while at < lines.len() && !lines[at].shown {
                function =
                    text.line(place).filter(|l| FunctionFinder::Default.name(l).is_some()).or(function);
                place = text.next(place).unwrap_or(place);
                at += 1;
            }
            if at >= lines.len() {
                return;
            }
            let end = at + lines[at..].iter().take_while(|line| line.shown).count();
            self.hunk_header(at, end, function, out);
            for line in &lines[at..end] {
                self.line(line, text.line(place), out);
                place = text.next(place).unwrap_or(place);
            }
            at = end;
        }
    }

    fn hunk_header(&self, start: usize, end: usize, function: Option<&[u8]>, out: &mut Vec<u8>) {
        let lines = &self.table.lines;
        let Options { palette, line_prefix, context, .. } = self.options;
        // The last entry of the table is no line, but the place for what is lost at the end.
        let mut count = (end - start - usize::from(end == lines.len())) as u64;
        let mut bare = 0;
        if context.lines == 0 {
            // Lines that are there only for what was lost before them are not shown.
            // At the end of the file, where there is no line to leave out, git counts below zero and wraps.
            bare = lines[start..end].iter().filter(|line| line.added == 0).count() as u64;
            count = count.wrapping_sub(bare);
        }
        let marks = vec![b'@'; self.parents + 1];
        out.extend_from_slice(line_prefix);
        out.extend_from_slice(palette.get(Slot::Frag));
        out.extend_from_slice(&marks);
        for parent in 0..self.parents {
            let (from, to) = (self.table.number(start, parent), self.table.number(end, parent));
            out.extend_from_slice(format!(" -{from},{}", u64::from(to - from).wrapping_sub(bare)).as_bytes());
        }
        out.extend_from_slice(format!(" +{},{count} ", start + 1).as_bytes());
        out.extend_from_slice(&marks);
        if let Some(function) = function {
            let body = function.strip_suffix(b"\n").unwrap_or(function);
            let body = &body[..body.len().min(FUNCTION_LEN)];
            // The last character that is not blank is left out too, as git does.
            let shown = body.iter().rposition(|&b| !crate::lines::is_space(b)).unwrap_or(0);
            if shown > 0 {
                for part in [palette.reset(), palette.get(Slot::Context), b" ", palette.reset()] {
                    out.extend_from_slice(part);
                }
                out.extend_from_slice(palette.get(Slot::Func));
                out.extend_from_slice(&body[..shown]);
            }
        }
        out.extend_from_slice(palette.reset());
        out.push(b'\n');
    }

    /// Writes what was lost before a line, and the line.
    fn line(&self, line: &Line, text: Option<&[u8]>, out: &mut Vec<u8>) {
        if !line.without_lost {
            for lost in &line.lost {
                self.text(Slot::Old, lost.parents, b'-', self.table.lost_text(lost), out);
            }
        }
        let Some(text) = text else { return };
        if line.added != 0 {
            self.text(Slot::New, line.added, b'+', text, out);
        } else if self.options.context.lines > 0 {
            self.text(Slot::Context, 0, b'+', text, out);
        } else {
            out.extend_from_slice(&self.options.line_prefix);
        }
    }

    fn text(&self, slot: Slot, parents: Parents, sign: u8, text: &[u8], out: &mut Vec<u8>) {
        let Options { palette, line_prefix, .. } = self.options;
        out.extend_from_slice(line_prefix);
        out.extend_from_slice(palette.get(slot));
        out.extend((0..self.parents).map(|parent| if parents >> parent & 1 == 1 { sign } else { b' ' }));
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        // Git's lines end at a zero byte.
        let text = &text[..memchr::memchr(0, text).unwrap_or(text.len())];
        let (body, end) = text.strip_suffix(b"\r").map_or((text, &b""[..]), |body| (body, b"\r"));
        out.extend_from_slice(body);
        out.extend_from_slice(palette.reset());
        out.extend_from_slice(end);
        out.push(b'\n');
    }
}
