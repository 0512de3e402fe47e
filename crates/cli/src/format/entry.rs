//! One entry of a log: the line that names the commit, and its message.

use adit_object::ObjectId;
use adit_text::wrap;
use bstr::{BString, ByteSlice};

use super::pretty::{DecorateStyle, Layout, Printer, Shown};
use crate::error::Error;

/// What an entry shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Heading {
    /// The commit in the printer's format.
    #[default]
    Commit,
    /// Only the id, as `diff-tree` does unless told otherwise.
    Id,
    /// Nothing (`--no-commit-id`).
    Nothing,
}

/// How entries are printed, messages aside.
pub struct Entries<'a> {
    /// What entries show.
    pub heading: Heading,
    /// What prints messages.
    pub printer: Printer<'a>,
    /// Commits are named by shortened ids (`--abbrev-commit`).
    pub abbrev_commit: bool,
    /// Names of references are shown beside commits (`--decorate`).
    pub decorate: bool,
    /// Parents are listed after the commit's id (`--parents`).
    pub parents: bool,
    /// The name by which a commit was reached is shown (`--source`).
    pub source: bool,
    /// The length of each message is told (`--log-size`).
    pub log_size: bool,
    /// What ends or sets apart entries: a newline, or the zero byte (`-z`).
    pub separator: u8,
    /// What every line starts with (`--line-prefix`).
    pub line_prefix: BString,
}

/// What an entry tells of its commit besides the commit itself.
#[derive(Debug, Clone, Copy, Default)]
pub struct Extra<'a> {
    /// `<`, `>`, `-`, ... before the id.
    pub mark: Option<u8>,
    /// The commit's children, when they are listed.
    pub children: &'a [ObjectId],
    /// The parent that the diff below is against, where it is one of several.
    pub from: Option<ObjectId>,
}

impl Entries<'_> {
    /// Appends an entry, with the separator that stands before all entries but the first of an output: the one
    /// who writes them drops as many bytes there as [`Entries::apart_len`] says.
    ///
    /// # Errors
    /// When something that is shown cannot be read.
    pub fn append(&self, shown: &Shown<'_>, extra: &Extra<'_>, out: &mut Vec<u8>) -> Result<(), Error> {
        if self.sets_apart() {
            if self.separator == b'\n' {
                out.extend_from_slice(&self.line_prefix);
            }
            out.push(self.separator);
        }
        self.append_alone(shown, extra, out)
    }

    /// Appends an entry without a separator before it.
    ///
    /// # Errors
    /// As [`Entries::append`].
    pub fn append_alone(&self, shown: &Shown<'_>, extra: &Extra<'_>, out: &mut Vec<u8>) -> Result<(), Error> {
        let layout = &self.printer.style.layout;
        match self.heading {
            Heading::Commit => {}
            Heading::Nothing => return Ok(()),
            Heading::Id => {
                self.id(&shown.id, out)?;
                out.push(self.separator);
                return Ok(());
            }
        }
        let start = out.len();
        if let (Layout::Oneline, Some(entry)) = (layout, shown.reflog) {
            // What was done to the reference takes the place of the message.
            self.name_commit(shown, extra, out)?;
            out.extend_from_slice(&[entry.selector.as_bytes(), b": ", entry.message, b"\n"].concat());
            wrap::prefix_lines(&self.line_prefix, b'\n', start, out);
            return Ok(());
        }
        match layout {
            Layout::User(_) => {}
            _ if layout.is_mail() => {
                out.extend_from_slice(b"From ");
                shown.id.append_hex(usize::MAX, out);
                // The date by which programs know that the line starts a mail of git's.
                out.extend_from_slice(b" Mon Sep 17 00:00:00 2001\n");
            }
            _ => self.name_commit(shown, extra, out)?,
        }
        if self.log_size {
            let mut message = Vec::new();
            self.printer.append(shown, &mut message)?;
            out.extend_from_slice(format!("log size {}\n", message.len()).as_bytes());
            out.extend_from_slice(&message);
        } else {
            self.printer.append(shown, out)?;
        }
        wrap::prefix_lines(&self.line_prefix, b'\n', start, out);
        if self.printer.style.is_terminated && !self.is_silent() {
            out.push(self.separator);
        }
        Ok(())
    }

    /// Appends what stands between an entry and the diff below it; `dashes` for a patch with a summary above it.
    pub fn append_gap(&self, dashes: bool, out: &mut Vec<u8>) {
        if matches!(self.printer.style.layout, Layout::Oneline) || self.is_silent() {
            return;
        }
        out.extend_from_slice(&self.line_prefix);
        out.extend_from_slice(if dashes { b"---\n" } else { b"\n" });
    }

    /// How many bytes stand between entries.
    pub fn apart_len(&self) -> usize {
        match (self.sets_apart(), self.separator) {
            (false, _) => 0,
            (true, b'\n') => self.line_prefix.len() + 1,
            (true, _) => 1,
        }
    }

    /// Whether a separator stands between entries, rather than a terminator after each.
    fn sets_apart(&self) -> bool {
        self.heading == Heading::Commit && !self.printer.style.is_terminated
    }

    /// Whether the format shows nothing whatever the commit.
    pub fn is_silent(&self) -> bool {
        self.heading != Heading::Commit
            || self.printer.style.layout.template().is_some_and(|template| template.is_empty())
    }

    /// `commit <id>` and what goes on the same line; all of it before the subject in `oneline`.
    fn name_commit(&self, shown: &Shown<'_>, extra: &Extra<'_>, out: &mut Vec<u8>) -> Result<(), Error> {
        let palette = &self.printer.palette;
        let is_oneline = matches!(self.printer.style.layout, Layout::Oneline);
        out.extend_from_slice(palette.commit.as_bytes());
        if !is_oneline {
            out.extend_from_slice(b"commit ");
        }
        if let Some(mark) = extra.mark {
            out.extend_from_slice(&[mark, b' ']);
        }
        self.id(&shown.id, out)?;
        let parents = if self.parents { shown.parents() } else { Default::default() };
        for id in parents.iter().chain(extra.children) {
            out.push(b' ');
            self.id(id, out)?;
        }
        if let Some(from) = extra.from {
            out.extend_from_slice(b" (from ");
            self.id(&from, out)?;
            out.push(b')');
        }
        out.extend_from_slice(palette.reset.as_bytes());
        if let Some(source) = shown.source.filter(|_| self.source) {
            out.push(b'\t');
            out.extend_from_slice(source);
        }
        if let Some(decorations) = self.printer.decorations.filter(|_| self.decorate) {
            decorations.append(&shown.id, &DecorateStyle::default(), palette, out);
        }
        out.push(if is_oneline { b' ' } else { b'\n' });
        if let Some(entry) = shown.reflog.filter(|_| !is_oneline) {
            let parts: [&[u8]; 7] =
                [b"Reflog: ", entry.selector, b" (", entry.who, b")\nReflog message: ", entry.message, b"\n"];
            out.extend_from_slice(&parts.concat());
        }
        Ok(())
    }

    fn id(&self, id: &ObjectId, out: &mut Vec<u8>) -> Result<(), Error> {
        if self.abbrev_commit {
            return self.printer.abbrev.append(id, out);
        }
        id.append_hex(usize::MAX, out);
        Ok(())
    }
}
