//! The patch format (`-p`): headers and hunks, as diff-generate-patch describes them.
//!
//! [`Writer`] turns a [`FilePair`] and the bytes of its two sides into text, in buffers of the caller. The
//! parts:
//!
//! - `header`: what comes before the hunks;
//! - `hunks`: which changes are shown together;
//! - `unified`: the hunks themselves;
//! - `binary`: what stands in place of hunks for binary files;
//! - `text`: walking a file by lines.

mod binary;
pub(crate) mod header;
mod hunks;
pub(crate) mod text;
mod unified;

use std::sync::Arc;

use adit_object::ObjectId;
use bstr::{BStr, BString, ByteSlice};
use regex::bytes::Regex;

pub use self::hunks::{Context, Hunk, Hunks};
use crate::contents::is_binary;
use crate::lines::{self, Change};
use crate::pair::{FilePair, Status};
use crate::palette::Palette;
use crate::programs::{External, Textconv};
use crate::userdiff::{Driver, FunctionFinder};
use crate::whitespace::{Highlight, Rules};

/// How patches are written.
#[derive(Debug, Clone)]
pub struct Options {
    /// How lines are compared.
    pub lines: lines::Options,
    /// What is shown around changes.
    pub context: Context,
    /// Changes of blank lines only are not shown by themselves (`--ignore-blank-lines`).
    pub ignore_blank_lines: bool,
    /// Changes of lines that all match one of these are not shown by themselves (`-I`).
    pub ignore_matching: Vec<Regex>,
    /// What comes before old and new paths: `a/` and `b/` unless told otherwise.
    pub prefixes: [BString; 2],
    /// The prefixes change places (`-R`), but for combined diffs.
    pub reversed: bool,
    /// What every line of output starts with (`--line-prefix`).
    pub line_prefix: BString,
    /// The characters that old, new and context lines start with (`--output-indicator-*`).
    pub indicators: Indicators,
    /// Full ids in index lines (`--full-index`).
    pub full_index: bool,
    /// Take all files for text (`--text`).
    pub text: bool,
    /// Say that a file was deleted without showing what was in it (`-D`).
    pub irreversible_delete: bool,
    /// Write changes of binary files so that they can be applied (`--binary`), deflated at this level of zlib.
    pub binary: Option<i32>,
    /// Makes text of contents whose drivers name a program for it.
    pub textconv: Option<Arc<dyn Textconv>>,
    /// Compares files by programs.
    pub external: Option<Arc<dyn External>>,
    /// Leave out the space on empty context lines (`diff.suppressBlankEmpty`).
    pub suppress_blank_empty: bool,
    /// Quote bytes outside ASCII in paths (`core.quotePath`).
    pub quote_high: bool,
    /// The folder that paths are shown relative to, with its slash; empty for the top (`--relative`).
    pub relative: BString,
    /// Escape sequences.
    pub palette: Palette,
    /// On which lines white space errors are shown in colour (`--ws-error-highlight`).
    pub highlight: Highlight,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            lines: lines::Options::default(),
            context: Context::default(),
            ignore_blank_lines: false,
            ignore_matching: Vec::new(),
            prefixes: ["a/".into(), "b/".into()],
            reversed: false,
            line_prefix: BString::default(),
            indicators: Indicators::default(),
            full_index: false,
            text: false,
            irreversible_delete: false,
            binary: None,
            textconv: None,
            external: None,
            suppress_blank_empty: false,
            quote_high: true,
            relative: BString::default(),
            palette: Palette::default(),
            highlight: Highlight::default(),
        }
    }
}

impl Options {
    /// Whether some changes of lines are no differences: white space is ignored, or blank lines, or those that match.
    pub fn ignores_changes(&self) -> bool {
        self.lines.whitespace != lines::Whitespace::Exact
            || self.ignore_blank_lines
            || !self.ignore_matching.is_empty()
    }
}

/// What old, new and context lines start with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Indicators {
    /// `-` unless told otherwise.
    pub old: u8,
    /// `+` unless told otherwise.
    pub new: u8,
    /// A space unless told otherwise.
    pub context: u8,
}

impl Default for Indicators {
    fn default() -> Self {
        Indicators { old: b'-', new: b'+', context: b' ' }
    }
}

/// The bytes of one side of a pair and what attributes say of it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Content<'a> {
    /// The content, as [`contents::Contents`](crate::contents::Contents) gives it, or the text that a program made of it.
    pub bytes: &'a [u8],
    /// The content itself, where `bytes` is what a program made of it.
    pub raw: Option<&'a [u8]>,
    /// The driver that the `diff` attribute names.
    pub driver: Option<&'a Driver>,
}

impl Content<'_> {
    /// Whether the bytes are not to be shown as lines: the driver says so, or there is a zero byte near their start.
    pub fn is_binary(&self) -> bool {
        self.raw.is_none() && self.holds_binary()
    }

    /// The same of the content itself.
    fn holds_binary(&self) -> bool {
        let told = self.driver.and_then(|driver| driver.binary);
        told.unwrap_or_else(|| is_binary(self.raw.unwrap_or(self.bytes)))
    }
}

/// Two sides of a file and the white space rules of its new side.
#[derive(Debug, Clone, Copy)]
pub struct Sides<'a> {
    /// Before.
    pub old: Content<'a>,
    /// After.
    pub new: Content<'a>,
    /// What counts as a white space error.
    pub rules: Rules,
}

/// Why a patch could not be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatchError {
    /// A side is too large to be compared by line.
    #[error("unable to generate diff for {0}")]
    TooLarge(BString),
    /// A merge has too many parents for a combined diff.
    #[error("too many parents for a combined diff of {0}")]
    TooManyParents(BString),
}

/// Writes patches; keeps its tables between files.
#[derive(Debug, Default)]
pub struct Writer {
    workspace: lines::Workspace,
    changes: Vec<Change>,
    ignored: Vec<bool>,
    header: Vec<u8>,
    function: Vec<u8>,
}

impl Writer {
    /// Appends the patch of `pair` to `out`; nothing when there is nothing to show. `abbreviate` tells how many digits of
    /// an id are shown.
    pub fn write(
        &mut self,
        pair: &FilePair,
        sides: &Sides<'_>,
        options: &Options,
        abbreviate: &dyn Fn(&ObjectId) -> usize,
        out: &mut Vec<u8>,
    ) -> Result<(), PatchError> {
        if pair.status == Status::Unmerged {
            header::unmerged(pair, options, out);
            return Ok(());
        }
        let absent = Content::default();
        if let Some([gone, made]) = pair.type_change() {
            self.write_one(&gone, &Sides { new: absent, ..*sides }, options, abbreviate, out)?;
            return self.write_one(&made, &Sides { old: absent, ..*sides }, options, abbreviate, out);
        }
        self.write_one(pair, sides, options, abbreviate, out)
    }

    fn write_one(
        &mut self,
        pair: &FilePair,
        sides: &Sides<'_>,
        options: &Options,
        abbreviate: &dyn Fn(&ObjectId) -> usize,
        out: &mut Vec<u8>,
    ) -> Result<(), PatchError> {
        let Sides { old, new, rules } = *sides;
        let is_binary = !options.text && (old.is_binary() || new.is_binary());
        let labels = header::Labels::new(pair, options);
        self.header.clear();
        let full_ids =
            options.full_index || options.binary.is_some() && (old.holds_binary() || new.holds_binary());
        let shown = header::write(pair, &labels, options, full_ids, abbreviate, &mut self.header);
        let deleted = !pair.new.exists();
        if is_binary && !(options.irreversible_delete && deleted) {
            if old.bytes != new.bytes {
                out.extend_from_slice(&self.header);
                match options.binary {
                    Some(level) => binary::write(old.bytes, new.bytes, level, &options.line_prefix, out),
                    None => labels.write_binary_differ(options, out),
                }
            } else if shown {
                out.extend_from_slice(&self.header);
            }
            return Ok(());
        }
        if shown {
            out.extend_from_slice(&self.header);
            self.header.clear();
        }
        if options.irreversible_delete && deleted {
            return Ok(());
        }
        let driver = old.driver.filter(|d| d.has_functions()).or(new.driver.filter(|d| d.has_functions()));
        let finder = driver.map_or(FunctionFinder::Default, FunctionFinder::Driver);
        let emitter = unified::Emitter::new(options, rules, old.bytes, new.bytes);
        if pair.status == Status::Modified && pair.score > 0 {
            out.extend_from_slice(&self.header);
            labels.write_files(options, out);
            emitter.rewrite(out);
            return Ok(());
        }
        self.find_changes(old.bytes, new.bytes, old.driver.or(new.driver), options)
            .map_err(|_| PatchError::TooLarge(pair.new.path.clone()))?;
        let hunks = Hunks {
            old: old.bytes,
            new: new.bytes,
            changes: &self.changes,
            ignored: &self.ignored,
            context: options.context,
            finder: &finder,
        };
        let Some(first) = hunks.next(0) else { return Ok(()) };
        out.extend_from_slice(&self.header);
        labels.write_files(options, out);
        emitter.hunks(&hunks, first, &finder, &mut self.function, out);
        Ok(())
    }

    /// Counts the lines that a patch adds and deletes.
    pub(crate) fn count(
        &mut self,
        old: &[u8],
        new: &[u8],
        driver: Option<&Driver>,
        options: &Options,
    ) -> Result<(u64, u64), lines::TooLarge> {
        self.find_changes(old, new, driver, options)?;
        let (changes, ignored, finder) = (&self.changes, &self.ignored, FunctionFinder::Default);
        let hunks = Hunks { old, new, changes, ignored, context: options.context, finder: &finder };
        let (mut added, mut deleted, mut at) = (0, 0, 0);
        while let Some(hunk) = hunks.next(at) {
            for change in &changes[hunk.first..=hunk.last] {
                added += u64::from(change.new.lines);
                deleted += u64::from(change.old.lines);
            }
            at = hunk.last + 1;
        }
        Ok((added, deleted))
    }

    /// The changes between two texts as the default algorithm finds them, whatever the options say.
    pub(crate) fn plain_changes(&mut self, old: &[u8], new: &[u8]) -> Result<&[Change], lines::TooLarge> {
        let plain = lines::Options { indent_heuristic: false, ..lines::Options::default() };
        lines::diff(old, new, &plain, &mut self.workspace, &mut self.changes)?;
        Ok(&self.changes)
    }

    /// Finds the changes between two texts, and which of them are to be ignored.
    fn find_changes(
        &mut self,
        old: &[u8],
        new: &[u8],
        driver: Option<&Driver>,
        options: &Options,
    ) -> Result<(), lines::TooLarge> {
        let chosen;
        let mut line_options = &options.lines;
        if let Some((algorithm, minimal)) = driver.and_then(|driver| driver.algorithm) {
            chosen = lines::Options { algorithm, minimal, ..options.lines.clone() };
            line_options = &chosen;
        }
        let (mut short_old, mut short_new) = (old, new);
        if options.context.lines == 0 && !options.context.functions {
            (short_old, short_new) = lines::without_common_tail(old, new);
        }
        lines::diff(short_old, short_new, line_options, &mut self.workspace, &mut self.changes)?;
        self.ignored.clear();
        if options.ignore_blank_lines || !options.ignore_matching.is_empty() {
            self.ignored.extend(self.changes.iter().map(|change| {
                let all = |test: &dyn Fn(&[u8]) -> bool| {
                    text::lines(change.old.of(old)).chain(text::lines(change.new.of(new))).all(test)
                };
                let blank = |line: &[u8]| lines::is_blank(line, options.lines.whitespace);
                let matching = |line: &[u8]| options.ignore_matching.iter().any(|regex| regex.is_match(line));
                (options.ignore_blank_lines && all(&blank))
                    || (!options.ignore_matching.is_empty() && all(&matching))
            }));
        }
        Ok(())
    }
}

/// A path as it is shown: relative to the folder that the options name.
pub(crate) fn shown_path<'a>(path: &'a BString, options: &Options) -> &'a BStr {
    match path.strip_prefix(options.relative.as_slice()) {
        // A folder name that was given without its slash leaves one.
        Some(rest) if !options.relative.is_empty() => rest.strip_prefix(b"/").unwrap_or(rest).as_bstr(),
        _ => path.as_bstr(),
    }
}
