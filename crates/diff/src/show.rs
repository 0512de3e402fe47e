//! Prints pairs in all the formats that were asked for, in git's order.

use std::path::Path;
use std::sync::Arc;

use adit_object::{EntryKind, ObjectId};
use adit_text::wrap;
use bstr::{BStr, BString, ByteSlice};

use crate::contents::Contents;
use crate::diffcore::Error;
use crate::formats::{
    Count, Damage, DirstatOptions, FileDamage, FileStat, Ids, Names, StatOptions, dirstat, name_only,
    name_status, numstat, raw, shortstat, stat, summary,
};
use crate::patch::{self, Content, Writer};
use crate::programs::{self, External, ExternalCall, ExternalSide, Textconv};
use crate::similarity::Chunks;
use crate::userdiff::Driver;
use crate::whitespace::{self, Checker, Rules};
use crate::{FilePair, Side, Status};

/// Which formats are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Formats {
    /// `--raw`
    pub raw: bool,
    /// `--name-status`
    pub name_status: bool,
    /// `--name-only`
    pub name_only: bool,
    /// `--numstat`
    pub numstat: bool,
    /// `--stat`
    pub stat: bool,
    /// `--shortstat`
    pub shortstat: bool,
    /// `--dirstat`
    pub dirstat: Option<DirstatOptions>,
    /// `--summary`
    pub summary: bool,
    /// `--patch`
    pub patch: bool,
    /// `--check`
    pub check: bool,
}

impl Formats {
    /// Whether nothing is printed.
    pub fn is_empty(&self) -> bool {
        *self == Formats::default()
    }
}

/// What is printed, and how.
#[derive(Debug, Clone, Default)]
pub struct ShowOptions {
    /// The formats.
    pub formats: Formats,
    /// How paths are written.
    pub names: Names,
    /// Show all digits of ids in the raw format.
    pub full_raw_ids: bool,
    /// The widths of `--stat`.
    pub stat: StatOptions,
    /// Only what a patch shows counts as a difference, since some changes are ignored, or a program says what is one.
    pub from_patches: bool,
    /// How patches are written; its palette colours `--stat` as well.
    pub patch: patch::Options,
}

/// What attributes say of paths; the crates above know where they are written.
pub trait Attributes: Send + Sync {
    /// The driver that the `diff` attribute names.
    fn driver(&self, path: &BStr) -> Option<Arc<Driver>>;

    /// What counts as a white space error.
    fn rules(&self, path: &BStr) -> Rules;

    /// How long conflict markers are (`conflict-marker-size`).
    fn marker_size(&self, path: &BStr) -> usize;
}

/// No attributes at all.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoAttributes;

impl Attributes for NoAttributes {
    fn driver(&self, _: &BStr) -> Option<Arc<Driver>> {
        None
    }

    fn rules(&self, _: &BStr) -> Rules {
        Rules::default()
    }

    fn marker_size(&self, _: &BStr) -> usize {
        whitespace::MARKER_SIZE
    }
}

/// Prints pairs; keeps its buffers from one call to the next.
pub struct Printer<'a> {
    options: &'a ShowOptions,
    contents: &'a dyn Contents,
    attributes: &'a dyn Attributes,
    abbreviate: &'a (dyn Fn(&ObjectId) -> usize + Sync),
    writer: Writer,
    /// How many columns of the terminal are taken by something else.
    beside: usize,
    old: Loaded,
    new: Loaded,
    check_failed: bool,
    differs: bool,
    quiet: bool,
    /// How often programs have compared.
    calls: usize,
    /// A buffer for a patch that is looked at and not shown.
    patch: Vec<u8>,
}

/// One side's content and driver.
#[derive(Default)]
struct Loaded {
    bytes: Vec<u8>,
    /// What a program makes of the bytes, where `has_text`.
    text: Vec<u8>,
    has_text: bool,
    driver: Option<Arc<Driver>>,
}

impl Loaded {
    fn load(
        &mut self,
        side: &Side,
        contents: &dyn Contents,
        attributes: &dyn Attributes,
    ) -> Result<(), Error> {
        self.driver = if side.exists() { attributes.driver(side.path.as_bstr()) } else { None };
        self.has_text = false;
        Ok(contents.read(side, &mut self.bytes)?)
    }

    /// Lets a program make text of the content, when the driver names one.
    fn convert(&mut self, side: &Side, program: Option<&Arc<dyn Textconv>>) -> Result<(), Error> {
        if let Some(program) = program {
            let driver = self.driver.as_deref();
            self.has_text = programs::text_of(&**program, driver, side, &self.bytes, &mut self.text)?;
        }
        Ok(())
    }

    fn content(&self) -> Content<'_> {
        let driver = self.driver.as_deref();
        match self.has_text {
            true => Content { bytes: &self.text, raw: Some(&self.bytes), driver },
            false => Content { bytes: &self.bytes, raw: None, driver },
        }
    }
}

fn same_content(pair: &FilePair) -> bool {
    pair.old.exists() && pair.new.exists() && pair.old.id == pair.new.id && !pair.old.id.is_null()
}

fn has_tree(pair: &FilePair) -> bool {
    [&pair.old, &pair.new].into_iter().any(|side| side.kind() == Some(EntryKind::Tree))
}

impl<'a> Printer<'a> {
    /// A printer. `abbreviate` tells how many digits of an id (the null id too) are shown where ids are short.
    pub fn new(
        options: &'a ShowOptions,
        contents: &'a dyn Contents,
        attributes: &'a dyn Attributes,
        abbreviate: &'a (dyn Fn(&ObjectId) -> usize + Sync),
    ) -> Self {
        let (old, new) = (Loaded::default(), Loaded::default());
        Printer {
            options,
            contents,
            attributes,
            abbreviate,
            writer: Writer::default(),
            beside: 0,
            old,
            new,
            check_failed: false,
            differs: false,
            quiet: false,
            calls: 0,
            patch: Vec::new(),
        }
    }

    /// Whether a patch, or a program that compares, has shown a difference since this was last asked.
    pub fn take_differs(&mut self) -> bool {
        std::mem::take(&mut self.differs)
    }

    /// Lets programs that compare run without what they print.
    pub fn silence(&mut self) {
        self.quiet = true;
    }

    /// Whether `--check` has found anything since this was last asked.
    pub fn take_check_failed(&mut self) -> bool {
        std::mem::take(&mut self.check_failed)
    }

    /// Appends all formats of `pairs`; `beside` columns of the terminal are taken by something else.
    pub fn print_beside(
        &mut self,
        beside: usize,
        pairs: &[FilePair],
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        self.beside = beside;
        let result = self.print(pairs, out);
        self.beside = 0;
        result
    }

    /// Appends all formats of `pairs`.
    pub fn print(&mut self, pairs: &[FilePair], out: &mut Vec<u8>) -> Result<(), Error> {
        let ShowOptions { formats, names, .. } = self.options;
        if pairs.is_empty() {
            return Ok(());
        }
        if formats.check {
            return pairs.iter().try_for_each(|pair| self.check(pair, out));
        }
        let start = out.len();
        let mut separate = self.print_lists(pairs, out)?;
        separate |= self.print_stats(pairs, out)?;
        if formats.summary {
            let start = out.len();
            pairs.iter().for_each(|pair| summary(pair, names, out));
            separate |= out.len() > start;
        }
        if formats.patch {
            if separate {
                out.push(names.terminator());
            }
            self.prefix_lines(start, out);
            self.print_patches(pairs, out)?;
        } else {
            self.prefix_lines(start, out);
        }
        Ok(())
    }

    /// Puts the line prefix in front of the records that start at `start`; patches do that themselves.
    fn prefix_lines(&self, start: usize, out: &mut Vec<u8>) {
        wrap::prefix_lines(&self.options.patch.line_prefix, self.options.names.terminator(), start, out);
    }

    /// The formats with one record a pair.
    fn print_lists(&mut self, pairs: &[FilePair], out: &mut Vec<u8>) -> Result<bool, Error> {
        let ShowOptions { formats, names, full_raw_ids, .. } = self.options;
        if !(formats.raw || formats.name_status || formats.name_only) {
            return Ok(false);
        }
        let ids = if *full_raw_ids { Ids::Full } else { Ids::Short(self.abbreviate) };
        for pair in pairs {
            if !self.is_of_interest(pair)? {
                continue;
            }
            if formats.raw {
                raw(pair, &ids, names, out);
            } else if formats.name_status {
                name_status(pair, names, out);
            } else if formats.name_only {
                name_only(pair, names, out);
            }
        }
        Ok(true)
    }

    /// Whether a pair counts as a difference: where some changes are ignored, it must have others.
    fn is_of_interest(&mut self, pair: &FilePair) -> Result<bool, Error> {
        if !self.options.from_patches {
            return Ok(true);
        }
        let mut patch = std::mem::take(&mut self.patch);
        patch.clear();
        let (differs, quiet) = (self.differs, std::mem::replace(&mut self.quiet, true));
        self.differs = false;
        let printed = self.print_patches(std::slice::from_ref(pair), &mut patch);
        let is_shown = std::mem::replace(&mut self.differs, differs);
        self.quiet = quiet;
        self.patch = patch;
        printed.map(|()| is_shown)
    }

    fn print_stats(&mut self, pairs: &[FilePair], out: &mut Vec<u8>) -> Result<bool, Error> {
        let options = self.options;
        let ShowOptions { formats, names, .. } = options;
        let by_line = formats.dirstat.filter(|dirstat| dirstat.damage == Damage::Lines);
        let counts = formats.numstat || formats.stat || formats.shortstat || by_line.is_some();
        if counts {
            let files = self.count_all(pairs)?;
            if formats.numstat {
                numstat(&files, names, out);
            }
            if formats.stat {
                let mut columns = options.stat;
                if columns.shares_width {
                    columns.width = columns.width.saturating_sub(self.beside);
                }
                stat(&files, &columns, names, &options.patch.palette, out);
            }
            if formats.shortstat {
                shortstat(&files, out);
            }
            if let Some(by_line) = by_line {
                let damage = |file: &FileStat<'_>| {
                    let Count { added, deleted, binary } = file.count;
                    let damage = added + deleted;
                    // Binary files have no lines; 64 bytes stand for one.
                    if binary { damage.div_ceil(64) } else { damage }
                };
                let files = files.iter().map(|file| (file.pair, damage(file)));
                dirstat(damages(files), &by_line, names, out);
            }
        }
        match formats.dirstat {
            Some(options) if by_line.is_none() => {
                self.print_dirstat(pairs, &options, out)?;
                Ok(true)
            }
            _ => Ok(counts),
        }
    }

    /// The numbers of all files that have any.
    fn count_all<'p>(&mut self, pairs: &'p [FilePair]) -> Result<Vec<FileStat<'p>>, Error> {
        let mut files = Vec::with_capacity(pairs.len());
        for pair in pairs.iter().filter(|pair| !has_tree(pair)) {
            let count = self.count(pair)?;
            let is_nothing = pair.status == Status::Modified
                && (count.added, count.deleted) == (0, 0)
                && pair.old.mode == pair.new.mode;
            if !is_nothing {
                files.push(FileStat { pair, count });
            }
        }
        Ok(files)
    }

    fn count(&mut self, pair: &FilePair) -> Result<Count, Error> {
        if pair.status == Status::Unmerged {
            return Ok(Count::default());
        }
        self.old.load(&pair.old, self.contents, self.attributes)?;
        if same_content(pair) {
            return Ok(Count { binary: self.old.content().is_binary(), ..Count::default() });
        }
        self.new.load(&pair.new, self.contents, self.attributes)?;
        let (old, new) = (self.old.content(), self.new.content());
        if old.is_binary() || new.is_binary() {
            return Ok(Count {
                added: new.bytes.len() as u64,
                deleted: old.bytes.len() as u64,
                binary: true,
            });
        }
        let options = &self.options.patch;
        let is_rewrite = pair.status == Status::Modified && pair.score != 0;
        let counts_all = is_rewrite || old.bytes.is_empty() || new.bytes.is_empty();
        if counts_all && !options.ignore_blank_lines && options.ignore_matching.is_empty() {
            let lines = |bytes: &[u8]| crate::lines::count_lines(bytes) as u64;
            return Ok(Count { added: lines(new.bytes), deleted: lines(old.bytes), binary: false });
        }
        let driver = old.driver.or(new.driver);
        let (added, deleted) = self
            .writer
            .count(old.bytes, new.bytes, driver, options)
            .map_err(|_| Error::StatTooLarge(pair.new.path.clone()))?;
        Ok(Count { added, deleted, binary: false })
    }

    fn print_dirstat(
        &mut self,
        pairs: &[FilePair],
        options: &DirstatOptions,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let mut files = Vec::with_capacity(pairs.len());
        for pair in pairs {
            let damage = match options.damage {
                _ if same_content(pair) => 0,
                Damage::Files => 1,
                _ => self.damage(pair)?,
            };
            files.push((pair, damage));
        }
        dirstat(damages(files.into_iter()), options, &self.options.names, out);
        Ok(())
    }

    /// How many bytes were removed or added; at least one, since something is different.
    fn damage(&mut self, pair: &FilePair) -> Result<u64, Error> {
        if has_tree(pair) {
            return Ok(1);
        }
        self.old.load(&pair.old, self.contents, self.attributes)?;
        self.new.load(&pair.new, self.contents, self.attributes)?;
        let (old, new) = (&self.old.bytes, &self.new.bytes);
        let changes = match (pair.old.exists(), pair.new.exists()) {
            (true, true) => {
                let changes = Chunks::of(old).changes_to(&Chunks::of(new));
                (old.len() as u64).saturating_sub(changes.copied) + changes.added
            }
            _ => (old.len() + new.len()) as u64,
        };
        Ok(changes.max(1))
    }

    /// Reports white space errors and conflict markers among the lines that are new.
    fn check(&mut self, pair: &FilePair, out: &mut Vec<u8>) -> Result<(), Error> {
        if same_content(pair) || has_tree(pair) || !pair.new.exists() || !self.is_of_interest(pair)? {
            return Ok(());
        }
        self.old.load(&pair.old, self.contents, self.attributes)?;
        self.new.load(&pair.new, self.contents, self.attributes)?;
        if self.new.content().is_binary() {
            return Ok(());
        }
        let path = pair.new.path.as_bstr();
        let patch = &self.options.patch;
        let checker = Checker {
            rules: self.attributes.rules(path),
            marker_size: self.attributes.marker_size(path),
            line_prefix: &patch.line_prefix,
            palette: &patch.palette,
        };
        let (old, new) = (&self.old.bytes, &self.new.bytes);
        let changes = self.writer.plain_changes(old, new);
        let changes = changes.map_err(|_| Error::StatTooLarge(pair.new.path.clone()))?;
        self.check_failed |= checker.check(patch::shown_path(&pair.new.path, patch), old, new, changes, out);
        Ok(())
    }

    fn print_patches(&mut self, pairs: &[FilePair], out: &mut Vec<u8>) -> Result<(), Error> {
        for pair in pairs.iter().filter(|pair| !has_tree(pair)) {
            let start = out.len();
            if let Some(program) = &self.options.patch.external {
                let driver = self.attributes.driver(pair.old.path.as_bstr());
                if program.applies(driver.as_deref()) {
                    let program = Arc::clone(program);
                    self.differs |=
                        self.run_external(&*program, driver.as_deref(), pair, pairs.len(), out)?;
                    continue;
                }
            }
            self.print_patch(pair, out)?;
            self.differs |= out.len() > start;
        }
        Ok(())
    }

    fn print_patch(&mut self, pair: &FilePair, out: &mut Vec<u8>) -> Result<(), Error> {
        if same_content(pair) {
            // Only modes or names differ: the header needs no content.
            for side in [&mut self.old, &mut self.new] {
                side.bytes.clear();
                side.has_text = false;
            }
        } else {
            for (loaded, side) in [(&mut self.old, &pair.old), (&mut self.new, &pair.new)] {
                loaded.load(side, self.contents, self.attributes)?;
                loaded.convert(side, self.options.patch.textconv.as_ref())?;
            }
        }
        let sides = patch::Sides {
            old: self.old.content(),
            new: self.new.content(),
            rules: self.attributes.rules(pair.new.path.as_bstr()),
        };
        self.writer.write(pair, &sides, &self.options.patch, &self.abbreviate, out)?;
        Ok(())
    }

    /// Lets a program compare, and tells whether there is a difference; `of` is how many pairs there are.
    fn run_external(
        &mut self,
        program: &dyn External,
        driver: Option<&Driver>,
        pair: &FilePair,
        of: usize,
        out: &mut Vec<u8>,
    ) -> Result<bool, Error> {
        if let Some(parts) = pair.type_change() {
            let mut differs = false;
            for part in &parts {
                differs |= self.run_external(program, driver, part, of, out)?;
            }
            return Ok(differs);
        }
        self.calls += 1;
        self.old.load(&pair.old, self.contents, self.attributes)?;
        self.new.load(&pair.new, self.contents, self.attributes)?;
        let options = &self.options.patch;
        let mut header = Vec::new();
        patch::header::write_similarity(pair, options, &self.abbreviate, &mut header);
        let files = [&pair.old, &pair.new].map(|side| self.contents.file(side));
        let is_renamed = pair.old.path != pair.new.path;
        let renamed = patch::shown_path(&pair.new.path, options);
        let call = ExternalCall {
            path: patch::shown_path(&pair.old.path, options),
            old: external_side(&pair.old, files[0].as_deref(), &self.old.bytes),
            new: external_side(&pair.new, files[1].as_deref(), &self.new.bytes),
            renamed: is_renamed.then_some((renamed, header.as_bstr())),
            number: self.calls,
            of,
        };
        Ok(program.compare(driver, &call, self.quiet, out)?)
    }
}

fn external_side<'s>(side: &'s Side, file: Option<&'s Path>, content: &'s [u8]) -> ExternalSide<'s> {
    ExternalSide {
        path: side.path.as_bstr(),
        file,
        content: side.exists().then_some(content),
        id: side.id,
        mode: side.mode,
    }
}

fn damages<'p>(files: impl Iterator<Item = (&'p FilePair, u64)>) -> Vec<FileDamage> {
    files.map(|(pair, damage)| FileDamage { path: BString::clone(&pair.new.path), damage }).collect()
}
