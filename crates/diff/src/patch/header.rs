//! What comes before the hunks of a file: extended headers and the two file names.

use adit_object::ObjectId;
use adit_text::quote::{quote_path, quote_two};

use super::{Options, shown_path};
use crate::pair::{FilePair, Status};

/// The two paths as headers show them, quoted where needed.
pub(super) struct Labels {
    /// The paths with their prefixes.
    git: [Vec<u8>; 2],
    /// Whether each side exists.
    exists: [bool; 2],
}

impl Labels {
    pub(super) fn new(pair: &FilePair, options: &Options) -> Self {
        let label = |prefix: &[u8], path| {
            let mut label = Vec::new();
            quote_two(prefix, shown_path(path, options), options.quote_high, &mut label);
            label
        };
        let (old, new) = if options.reversed { (1, 0) } else { (0, 1) };
        let prefixes = &options.prefixes;
        Labels {
            git: [label(&prefixes[old], &pair.old.path), label(&prefixes[new], &pair.new.path)],
            exists: [pair.old.exists(), pair.new.exists()],
        }
    }

    fn file(&self, side: usize) -> &[u8] {
        if self.exists[side] { &self.git[side] } else { b"/dev/null" }
    }

    /// Writes the `---` and `+++` lines.
    pub(super) fn write_files(&self, options: &Options, out: &mut Vec<u8>) {
        for (side, sign) in [(0, b"--- "), (1, b"+++ ")] {
            let label = self.file(side);
            out.extend_from_slice(&options.line_prefix);
            out.extend_from_slice(options.palette.meta());
            out.extend_from_slice(sign);
            out.extend_from_slice(label);
            out.extend_from_slice(options.palette.reset());
            if label.contains(&b' ') {
                // So that tools that look for a time stamp know where the name ends.
                out.push(b'\t');
            }
            out.push(b'\n');
        }
    }

    /// Writes the line that takes the place of hunks when a side is binary.
    pub(super) fn write_binary_differ(&self, options: &Options, out: &mut Vec<u8>) {
        out.extend_from_slice(&options.line_prefix);
        for part in [b"Binary files ", self.file(0), b" and ", self.file(1), b" differ\n"] {
            out.extend_from_slice(part);
        }
    }
}

/// Writes the line of a path that the index holds in several stages.
pub(super) fn unmerged(pair: &FilePair, options: &Options, out: &mut Vec<u8>) {
    out.extend_from_slice(&options.line_prefix);
    out.extend_from_slice(b"* Unmerged path ");
    out.extend_from_slice(shown_path(&pair.new.path, options));
    out.push(b'\n');
}

/// Writes the header up to the index line; tells whether it is shown even when no line differs.
pub(super) fn write(
    pair: &FilePair,
    labels: &Labels,
    options: &Options,
    full_ids: bool,
    abbreviate: &dyn Fn(&ObjectId) -> usize,
    out: &mut Vec<u8>,
) -> bool {
    let mut lines = Lines { options, out };
    lines.write(&[b"diff --git ", &labels.git[0], b" ", &labels.git[1]]);
    let mode = |mode: u32| format!("{mode:06o}");
    let (old, new) = (&pair.old, &pair.new);
    let mut shown = true;
    if !old.exists() {
        lines.write(&[b"new file mode ", mode(new.mode).as_bytes()]);
    } else if !new.exists() {
        lines.write(&[b"deleted file mode ", mode(old.mode).as_bytes()]);
    } else if old.mode != new.mode {
        lines.write(&[b"old mode ", mode(old.mode).as_bytes()]);
        lines.write(&[b"new mode ", mode(new.mode).as_bytes()]);
    } else {
        shown = false;
    }
    shown |= lines.similarity(pair);
    lines.ids(pair, full_ids, abbreviate);
    shown
}

/// Writes the part of the header that tells of a rename or copy and of ids, for programs that compare.
pub(crate) fn write_similarity(
    pair: &FilePair,
    options: &Options,
    abbreviate: &dyn Fn(&ObjectId) -> usize,
    out: &mut Vec<u8>,
) {
    let mut lines = Lines { options, out };
    lines.similarity(pair);
    lines.ids(pair, options.full_index, abbreviate);
}

/// Writes lines in the colour of headers.
struct Lines<'a> {
    options: &'a Options,
    out: &'a mut Vec<u8>,
}

impl Lines<'_> {
    fn write(&mut self, parts: &[&[u8]]) {
        let Options { line_prefix, palette, .. } = self.options;
        self.out.extend_from_slice(line_prefix);
        self.out.extend_from_slice(palette.meta());
        parts.iter().for_each(|part| self.out.extend_from_slice(part));
        self.out.extend_from_slice(palette.reset());
        self.out.push(b'\n');
    }

    /// Writes the line of ids, unless they are equal.
    fn ids(&mut self, pair: &FilePair, full: bool, abbreviate: &dyn Fn(&ObjectId) -> usize) {
        let (old, new) = (&pair.old, &pair.new);
        if old.id == new.id && old.exists() == new.exists() {
            return;
        }
        let digits = |id: &ObjectId| {
            let mut hex = Vec::with_capacity(64);
            id.append_hex(if full { usize::MAX } else { abbreviate(id) }, &mut hex);
            hex
        };
        let suffix = if old.mode == new.mode { format!(" {:06o}", old.mode) } else { String::new() };
        self.write(&[b"index ", &digits(&old.id), b"..", &digits(&new.id), suffix.as_bytes()]);
    }

    /// Writes how similar the sides of a rename, copy or rewrite are; tells whether it is one of these.
    fn similarity(&mut self, pair: &FilePair) -> bool {
        let percent = format!("{}%", pair.percent());
        let verb: &[u8] = match pair.status {
            Status::Copied => b"copy",
            Status::Renamed => b"rename",
            Status::Modified if pair.score > 0 => {
                self.write(&[b"dissimilarity index ", percent.as_bytes()]);
                return true;
            }
            _ => return false,
        };
        self.write(&[b"similarity index ", percent.as_bytes()]);
        for (preposition, side) in [(b" from ".as_slice(), &pair.old), (b" to ", &pair.new)] {
            let mut path = Vec::new();
            quote_path(shown_path(&side.path, self.options), self.options.quote_high, &mut path);
            self.write(&[verb, preposition, &path]);
        }
        true
    }
}
