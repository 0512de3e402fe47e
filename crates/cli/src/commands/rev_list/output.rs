//! How commits are printed, counted and weighed.

use adit_object::{Commit, ObjectId, SourceError};
use adit_odb::{Store, Want};
use adit_revision::graph::Graph;
use adit_revision::{Cherry, Walk};
use bstr::ByteSlice;

use super::Options;
use crate::error::Error;
use crate::format::lookups::Lookups;
use crate::format::pretty::{DecorateStyle, Layout, Printer, Shown};

/// Prints commits as the options say.
pub(super) struct CommitPrinter<'a> {
    said: &'a Options,
    printer: Printer<'a>,
    /// Ids are shortened.
    abbreviate: bool,
    /// A line with the id stands before the format.
    named: bool,
    /// What is drawn beside the lines.
    graph: Option<Graph>,
}

impl<'a> CommitPrinter<'a> {
    pub(super) fn new(said: &'a Options, lookups: &'a Lookups<'_>) -> Result<Self, Error> {
        let printer = lookups.printer(None)?;
        let is_user = said.pretty.format.is_some() && printer.style.layout.template().is_some();
        Ok(CommitPrinter {
            abbreviate: said.pretty.abbrev_commit.unwrap_or(false) && said.abbrev != Some(0),
            named: !(is_user && said.no_commit_header),
            graph: said.revisions.graph.then(|| Graph::new(Vec::new(), String::new())),
            said,
            printer,
        })
    }

    /// Appends what is printed for a commit that the walk has yielded.
    pub(super) fn append(
        &mut self,
        walk: &mut Walk<'_>,
        position: u32,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let said = self.said;
        let id = walk.table().id(position);
        self.draw_to_the_mark(walk, position, out)?;
        let is_oneline = matches!(self.printer.style.layout, Layout::Oneline);
        if said.timestamp {
            out.extend_from_slice(format!("{} ", walk.table().time(position)).as_bytes());
        }
        if said.pretty.format.is_some() && !is_oneline && self.named {
            out.extend_from_slice(b"commit ");
        }
        if self.named {
            if !said.nul && self.graph.is_none() {
                out.extend(walk.mark(position, said.revisions.left_right));
            }
            self.append_id(&id, out)?;
        }
        let table = walk.table();
        let parents = if said.revisions.parents { table.parents(position) } else { &[] };
        for &related in parents.iter().chain(walk.children(position)) {
            out.push(b' ');
            table.id(related).append_hex(usize::MAX, out);
        }
        if let Some(names) = self.printer.decorations.filter(|_| said.halves_all()) {
            names.append(&id, &DecorateStyle::default(), &self.printer.palette, out);
        }
        if said.nul && walk.is_boundary(position) {
            out.extend_from_slice(b"\0boundary=yes");
        }
        if !said.is_verbose() {
            out.push(if said.nul { 0 } else { b'\n' });
            if self.draw_rest(out) {
                out.push(b'\n');
            }
            return Ok(());
        }
        if is_oneline {
            out.push(b' ');
        } else if self.named {
            out.push(b'\n');
        }
        self.append_content(walk, position, is_oneline, out)
    }

    fn append_content(
        &mut self,
        walk: &mut Walk<'_>,
        position: u32,
        is_oneline: bool,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let said = self.said;
        let id = walk.table().id(position);
        let content = match walk.table_mut().take_content(position) {
            Some(content) => content.into_vec(),
            None => {
                let mut content = Vec::new();
                walk.table().read(position, &mut content)?;
                content
            }
        };
        let commit = Commit::parse(id.format(), &content)
            .map_err(|error| Error::from(SourceError::Malformed { id, error }))?;
        let rewritten = said.revisions.walk.rewrite_parents || said.revisions.walk.children;
        let parents: Vec<ObjectId> = match rewritten {
            true => walk.table().parents(position).iter().map(|&at| walk.table().id(at)).collect(),
            false => Vec::new(),
        };
        let mut shown = Shown::new(id, commit);
        shown.parents = rewritten.then_some(parents.as_slice());
        shown.mark = walk.mark(position, true).unwrap_or(b'>');
        let mut text = Vec::new();
        self.printer.append(&shown, &mut text)?;
        if text.is_empty() {
            if self.draw_rest(out) {
                out.push(b'\n');
            }
            if is_oneline {
                out.push(b'\n');
            }
            return Ok(());
        }
        self.paint(&text, is_oneline, out);
        out.push(if said.pretty.format.is_some() { b'\n' } else { 0 });
        Ok(())
    }

    /// Draws the rows up to the one with the commit's mark.
    fn draw_to_the_mark(
        &mut self,
        walk: &mut Walk<'_>,
        position: u32,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let Some(graph) = &mut self.graph else { return Ok(()) };
        let followed = if self.said.revisions.walk.first_parent { 1 } else { usize::MAX };
        let mut parents = Vec::new();
        for parent in walk.table().parents(position).to_vec().into_iter().take(followed) {
            if walk.will_show(parent)? {
                parents.push(parent);
            }
        }
        let mark = match walk.mark(position, self.said.revisions.left_right) {
            Some(b'-') => b'o',
            Some(b'+') | None => b'*',
            Some(other) => other,
        };
        graph.start(position, mark, &parents);
        while !graph.next_row(out) {
            out.push(b'\n');
        }
        Ok(())
    }

    /// Draws the rows that are left; whether there were any.
    fn draw_rest(&mut self, out: &mut Vec<u8>) -> bool {
        let Some(graph) = self.graph.as_mut().filter(|graph| !graph.is_settled()) else { return false };
        loop {
            graph.next_row(out);
            if graph.is_settled() {
                return true;
            }
            out.push(b'\n');
        }
    }

    /// Appends a message, with the graph before its lines.
    fn paint(&mut self, text: &[u8], is_oneline: bool, out: &mut Vec<u8>) {
        if self.graph.is_none() {
            out.extend_from_slice(text);
            return;
        }
        for (n, line) in text.lines_with_terminator().enumerate() {
            if let Some(graph) = self.graph.as_mut().filter(|_| n > 0 || !is_oneline) {
                graph.next_row(out);
            }
            out.extend_from_slice(line);
        }
        let is_open = !text.ends_with(b"\n");
        let unsettled = self.graph.as_ref().is_some_and(|graph| !graph.is_settled());
        if unsettled && is_open {
            out.push(b'\n');
        }
        if self.draw_rest(out) && !is_open {
            out.push(b'\n');
        }
        if let Some(graph) = self.graph.as_mut().filter(|_| !is_open) {
            graph.padding_row(out);
        }
    }

    fn append_id(&self, id: &ObjectId, out: &mut Vec<u8>) -> Result<(), Error> {
        if self.abbreviate {
            return self.printer.abbrev.append(id, out);
        }
        id.append_hex(usize::MAX, out);
        Ok(())
    }
}

/// Numbers and sizes of what was listed.
#[derive(Debug, Default)]
pub(super) struct Totals {
    left: u64,
    right: u64,
    same: u64,
    bytes: u64,
}

impl Totals {
    pub(super) fn count(&mut self, walk: &Walk<'_>, position: u32, left_right: bool) {
        if walk.is_patch_same(position) {
            self.same += 1;
        } else if left_right && walk.is_left(position) {
            self.left += 1;
        } else {
            self.right += 1;
        }
    }

    pub(super) fn count_object(&mut self) {
        self.right += 1;
    }

    pub(super) fn append_counts(&self, said: &Options, out: &mut Vec<u8>) {
        let marks = said.revisions.walk.cherry == Cherry::Mark;
        let text = match (said.revisions.left_right, marks) {
            (true, true) => format!("{}\t{}\t{}\n", self.left, self.right, self.same),
            (true, false) => format!("{}\t{}\n", self.left, self.right),
            (false, true) => format!("{}\t{}\n", self.left + self.right, self.same),
            (false, false) => format!("{}\n", self.left + self.right),
        };
        out.extend_from_slice(text.as_bytes());
    }

    pub(super) fn add_size(&mut self, objects: &Store, id: &ObjectId) -> Result<(), Error> {
        let info = objects
            .info(id, Want { disk_size: true, ..Want::default() })?
            .ok_or(SourceError::Missing(*id))?;
        self.bytes += info.disk_size;
        Ok(())
    }

    pub(super) fn append_size(&self, for_people: bool, out: &mut Vec<u8>) {
        let bytes = self.bytes;
        let text = if for_people { human(bytes) } else { bytes.to_string() };
        out.extend_from_slice(text.as_bytes());
        out.push(b'\n');
    }
}

/// A size in the unit that suits it, with two decimals unless it is in bytes.
fn human(bytes: u64) -> String {
    let unit = |bytes: u64, shift: u32, name: &str| {
        let part = ((bytes & ((1 << shift) - 1)) * 100) >> shift;
        format!("{}.{part:02} {name}", bytes >> shift)
    };
    // Halves of a hundredth are rounded up, except in gibibytes.
    match bytes {
        _ if bytes > 1 << 30 => unit(bytes, 30, "GiB"),
        _ if bytes > 1 << 20 => unit(bytes + 5243, 20, "MiB"),
        _ if bytes > 1 << 10 => unit(bytes + 5, 10, "KiB"),
        1 => "1 byte".into(),
        _ => format!("{bytes} bytes"),
    }
}
