//! The options that all commands which show differences share (diff-options).
//!
//! A command offers its arguments to [`DiffArgs::take`] in turn with its own tables, then joins what was said with the
//! configuration by [`DiffArgs::setup`], which gives what [`adit_diff`] needs.

mod parse;
mod setup;
mod table;

use adit_diff::breaks::BreakOptions;
use adit_diff::formats::DirstatOptions;
use adit_diff::lines::{Algorithm, Whitespace};
use adit_diff::order::Rotate;
use adit_diff::patch::Indicators;
use adit_diff::show::Formats;
use adit_text::color::When;
use bstr::{BString, ByteSlice};
use regex::bytes::Regex;

pub use setup::{DiffSetup, Kind};
use table::{O, TABLE};

use crate::error::Error;
use crate::options::{Args, Given};

/// Whether renames and copies were asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Detect {
    Nothing,
    Renames,
    Copies,
}

/// What paths are shown relative to.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Relative {
    No,
    CurrentFolder,
    To(BString),
}

/// What the diff options of a command line said.
#[derive(Debug, Clone, Default)]
pub struct DiffArgs {
    formats: Formats,
    no_output: bool,
    check: bool,
    dirstat: Option<Vec<BString>>,
    recursive: bool,
    show_trees: bool,
    nul: bool,
    abbrev: Option<Option<usize>>,
    full_index: bool,
    binary: bool,
    textconv: Option<bool>,
    external: Option<bool>,
    text: bool,
    reverse: bool,
    exit_code: bool,
    quiet: bool,
    detect: Option<Detect>,
    harder: bool,
    minimum: Option<u32>,
    rename_limit: Option<usize>,
    rename_empty: Option<bool>,
    breaks: Option<BreakOptions>,
    irreversible_delete: bool,
    filter: BString,
    occurrences: Option<BString>,
    changed_lines: Option<BString>,
    find_objects: Vec<BString>,
    pickaxe_regex: bool,
    pickaxe_all: bool,
    pickaxe_ignore_case: bool,
    order_file: Option<BString>,
    rotate: Option<Rotate>,
    relative: Option<Relative>,
    stat_width: Option<usize>,
    stat_name_width: Option<usize>,
    stat_graph_width: Option<usize>,
    stat_count: Option<usize>,
    compact_summary: bool,
    context: Option<u32>,
    inter_hunk: Option<u32>,
    functions: bool,
    algorithm: Option<(Algorithm, bool)>,
    anchors: Vec<BString>,
    whitespace: Whitespace,
    ignore_blank_lines: bool,
    ignore_matching: Vec<Regex>,
    indent_heuristic: Option<bool>,
    prefixes: Option<[BString; 2]>,
    source_prefix: Option<BString>,
    target_prefix: Option<BString>,
    line_prefix: BString,
    indicators: Indicators,
    color: Option<When>,
    highlight: Option<BString>,
    ignore_submodules: bool,
}

impl DiffArgs {
    /// Takes the next argument if it is a diff option; otherwise `args` is left as it was.
    ///
    /// # Errors
    /// When the option's value is none that it may have, or it is an option that Adit does not have.
    pub fn take(&mut self, args: &mut Args<'_>) -> Result<bool, Error> {
        match TABLE.take(args)? {
            Some(given) => self.apply(given).map(|()| true),
            None => Ok(false),
        }
    }

    /// Whether a format was asked for, or no output at all.
    pub fn chooses_format(&self) -> bool {
        self.no_output || self.check || !self.formats.is_empty() || self.dirstat.is_some()
    }

    /// Whether no output was asked for (`-s`), with nothing after it that takes that back.
    pub fn is_silent(&self) -> bool {
        self.no_output
    }

    /// Whether a patch was asked for.
    pub fn wants_patch(&self) -> bool {
        self.formats.patch
    }

    /// Asks for a patch, as `--cc` and its like do.
    pub fn ask_for_patch(&mut self) {
        self.formats.patch = true;
        self.no_output = false;
    }

    /// Whether records end in NUL (`-z`).
    pub fn is_nul_terminated(&self) -> bool {
        self.nul
    }

    /// What the arguments say of colours.
    pub fn color(&self) -> Option<When> {
        self.color
    }

    /// Lets `-S` and `-G` ignore case, as `log -i` does.
    pub fn ignore_case(&mut self) {
        self.pickaxe_ignore_case = true;
    }

    /// Lets programs that compare files run unless that is forbidden (`--no-ext-diff`).
    pub fn allow_external(&mut self) {
        self.external.get_or_insert(true);
    }

    /// Lets the exit status tell of differences (`--exit-code`).
    pub fn tell_of_differences(&mut self) {
        self.exit_code = true;
    }

    /// Whether programs were asked to make text of contents (`--textconv`), or forbidden to.
    pub fn textconv(&self) -> Option<bool> {
        self.textconv
    }

    /// Descends into folders and, with `show`, shows them too.
    pub fn recurse(&mut self, show: bool) {
        self.recursive = true;
        self.show_trees |= show;
    }

    fn format(&mut self, set: impl FnOnce(&mut Formats)) {
        set(&mut self.formats);
        self.no_output = false;
    }

    fn apply(&mut self, given: Given<O>) -> Result<(), Error> {
        match given.id {
            O::Patch
            | O::PatchRaw
            | O::PatchStat
            | O::Unified
            | O::Raw
            | O::Stat
            | O::Numstat
            | O::Shortstat
            | O::Summary
            | O::CompactSummary
            | O::NameOnly
            | O::NameStatus
            | O::NoPatch
            | O::Check
            | O::Binary
            | O::Dirstat
            | O::Cumulative
            | O::DirstatByFile
            | O::StatWidth
            | O::StatNameWidth
            | O::StatGraphWidth
            | O::StatCount => self.apply_format(given),
            O::FindRenames
            | O::FindCopies
            | O::FindCopiesHarder
            | O::NoRenames
            | O::RenameEmpty
            | O::Limit
            | O::BreakRewrites
            | O::IrreversibleDelete
            | O::Filter
            | O::Occurrences
            | O::ChangedLines
            | O::PickaxeAll
            | O::PickaxeRegex
            | O::FindObject
            | O::OrderFile
            | O::RotateTo
            | O::SkipTo
            | O::Relative
            | O::Reverse => self.apply_stage(given),
            O::Unsupported => Err(Error::unsupported(&format!("option {}", given.spelling))),
            _ => self.apply_text(given),
        }
    }

    /// The formats and their widths.
    fn apply_format(&mut self, given: Given<O>) -> Result<(), Error> {
        match given.id {
            O::Patch => self.ask_for_patch(),
            O::PatchRaw => self.format(|formats| (formats.patch, formats.raw) = (true, true)),
            O::PatchStat => self.format(|formats| (formats.patch, formats.stat) = (true, true)),
            O::Unified => {
                if given.value.is_some() {
                    self.context = Some(parse::number("unified", given.text())?);
                }
                self.ask_for_patch();
            }
            O::Raw => self.format(|formats| formats.raw = true),
            O::Stat => {
                self.format(|formats| formats.stat = true);
                self.apply_stat(&given)?;
            }
            O::StatWidth | O::StatNameWidth | O::StatGraphWidth | O::StatCount => {
                self.format(|formats| formats.stat = true);
                let name = given.spelling.strip_prefix(b"--").unwrap_or(&given.spelling).to_str_lossy();
                let number = parse::number(&name, given.text())? as usize;
                *match given.id {
                    O::StatWidth => &mut self.stat_width,
                    O::StatNameWidth => &mut self.stat_name_width,
                    O::StatGraphWidth => &mut self.stat_graph_width,
                    _ => &mut self.stat_count,
                } = Some(number);
            }
            O::Numstat => self.format(|formats| formats.numstat = true),
            O::Shortstat => self.format(|formats| formats.shortstat = true),
            O::Summary => self.format(|formats| formats.summary = true),
            O::CompactSummary if given.negated => self.compact_summary = false,
            O::CompactSummary => {
                self.compact_summary = true;
                self.format(|formats| formats.stat = true);
            }
            O::NameOnly => self.formats.name_only = true,
            O::NameStatus => self.formats.name_status = true,
            O::Check => self.check = true,
            O::NoPatch => {
                (self.formats, self.dirstat, self.check) = (Formats::default(), None, false);
                self.no_output = true;
            }
            O::Binary => {
                self.binary = true;
                self.ask_for_patch();
            }
            _ => self.apply_dirstat(&given)?,
        }
        Ok(())
    }

    fn apply_dirstat(&mut self, given: &Given<O>) -> Result<(), Error> {
        let parameters: BString = match given.id {
            O::Cumulative => "cumulative".into(),
            O::DirstatByFile => [b"files,", given.text().as_bytes()].concat().into(),
            _ => given.text().to_owned(),
        };
        let complaints = DirstatOptions::default().apply(parameters.trim_end_with(|c| c == ','));
        if !complaints.is_empty() {
            let what = complaints.concat();
            return Err(Error::fatal(format!("Failed to parse --dirstat/-X option parameter:\n{what}")));
        }
        self.dirstat.get_or_insert_default().push(parameters.trim_end_with(|c| c == ',').into());
        self.no_output = false;
        Ok(())
    }

    fn apply_stat(&mut self, given: &Given<O>) -> Result<(), Error> {
        if given.text().is_empty() {
            return Ok(());
        }
        let invalid = || Error::usage_line(format!("invalid --stat value: {}", given.text()));
        let mut fields = [&mut self.stat_width, &mut self.stat_name_width, &mut self.stat_count].into_iter();
        for part in given.text().split_str(",") {
            let field = fields.next().ok_or_else(invalid)?;
            if !part.is_empty() {
                *field = Some(part.to_str().ok().and_then(|text| text.parse().ok()).ok_or_else(invalid)?);
            }
        }
        Ok(())
    }

    /// The stages between comparison and output.
    fn apply_stage(&mut self, given: Given<O>) -> Result<(), Error> {
        match given.id {
            O::FindRenames => {
                self.detect = Some(Detect::Renames);
                self.minimum = Some(parse::score(&given, "find-renames")?);
            }
            O::FindCopies => {
                self.harder |= self.detect == Some(Detect::Copies);
                self.detect = Some(Detect::Copies);
                self.minimum = Some(parse::score(&given, "find-copies")?);
            }
            O::FindCopiesHarder => self.harder = given.on(),
            O::NoRenames => self.detect = Some(if given.on() { Detect::Nothing } else { Detect::Renames }),
            O::RenameEmpty => self.rename_empty = Some(given.on()),
            O::Limit => self.rename_limit = Some(usize::try_from(given.integer()?).unwrap_or(0)),
            O::BreakRewrites => self.breaks = Some(parse::breaks(given.text())?),
            O::IrreversibleDelete => self.irreversible_delete = true,
            O::Filter => {
                adit_diff::filter::Filter::parse(given.text()).map_err(|letter| {
                    let (letter, all) = (char::from(letter), given.text());
                    Error::usage_line(format!("unknown change class '{letter}' in --diff-filter={all}"))
                })?;
                self.filter.extend_from_slice(given.text());
            }
            O::Occurrences if given.text().is_empty() => {
                return Err(Error::usage_line("-S requires a non-empty argument".into()));
            }
            O::Occurrences => self.occurrences = given.value,
            O::ChangedLines if given.text().is_empty() => {
                return Err(Error::usage_line("-G requires a non-empty argument".into()));
            }
            O::ChangedLines => self.changed_lines = given.value,
            O::PickaxeAll => self.pickaxe_all = true,
            O::PickaxeRegex => self.pickaxe_regex = true,
            O::FindObject => self.find_objects.extend(given.value),
            O::OrderFile => self.order_file = given.value,
            O::RotateTo | O::SkipTo => {
                let (path, skip) = (given.text().to_owned(), matches!(given.id, O::SkipTo));
                self.rotate = Some(Rotate { path, skip, strict: true });
            }
            O::Relative => {
                self.relative = Some(match (given.negated, given.value) {
                    (true, _) => Relative::No,
                    (false, None) => Relative::CurrentFolder,
                    (false, Some(path)) => Relative::To(path),
                });
            }
            _ => self.reverse = true,
        }
        Ok(())
    }

    /// How lines are compared and shown.
    fn apply_text(&mut self, given: Given<O>) -> Result<(), Error> {
        match given.id {
            O::Nul => self.nul = true,
            O::Abbrev if given.negated => self.abbrev = Some(None),
            O::Abbrev => {
                self.abbrev = Some(given.value.is_some().then(|| parse::abbrev(given.text())));
                if given.value.is_none() {
                    self.abbrev = Some(Some(0));
                }
            }
            O::FullIndex => self.full_index = given.on(),
            O::Text => self.text = given.on(),
            O::ExitCode => self.exit_code = given.on(),
            O::Quiet => self.quiet = given.on(),
            O::InterHunkContext => {
                self.inter_hunk = Some(u32::try_from(given.unsigned()?).unwrap_or(u32::MAX))
            }
            O::FunctionContext => self.functions = given.on(),
            O::Minimal => self.algorithm = Some((self.algorithm.unwrap_or_default().0, given.on())),
            O::Patience => {
                self.algorithm = Some((Algorithm::Patience, false));
                self.anchors.clear();
            }
            O::Histogram => self.algorithm = Some((Algorithm::Histogram, false)),
            O::Anchored => {
                self.algorithm = Some((Algorithm::Patience, false));
                self.anchors.extend(given.value);
            }
            O::DiffAlgorithm => {
                self.algorithm = Some(Algorithm::from_name(given.text()).ok_or_else(|| {
                    let names = r#""myers", "minimal", "patience" and "histogram""#;
                    Error::usage_line(format!("option diff-algorithm accepts {names}"))
                })?);
                self.anchors.clear();
            }
            O::IndentHeuristic => self.indent_heuristic = Some(given.on()),
            O::IgnoreAllSpace => self.whitespace = self.whitespace.max(Whitespace::IgnoreAll),
            O::IgnoreSpaceChange => self.whitespace = self.whitespace.max(Whitespace::IgnoreChange),
            O::IgnoreSpaceAtEol => self.whitespace = self.whitespace.max(Whitespace::IgnoreAtEol),
            O::IgnoreCrAtEol => self.whitespace = self.whitespace.max(Whitespace::IgnoreCrAtEol),
            O::IgnoreBlankLines => self.ignore_blank_lines = true,
            O::IgnoreMatching => {
                let compiled = adit_text::posix_regex::compile(
                    given.text(),
                    adit_text::posix_regex::Syntax::Extended,
                    false,
                );
                let invalid = |_| Error::usage_line(format!("invalid regex given to -I: '{}'", given.text()));
                self.ignore_matching.push(compiled.map_err(invalid)?);
            }
            O::NoPrefix => self.prefixes = Some(Default::default()),
            O::DefaultPrefix => {
                self.prefixes = Some(["a/".into(), "b/".into()]);
                (self.source_prefix, self.target_prefix) = (None, None);
            }
            O::SourcePrefix => self.source_prefix = given.value,
            O::TargetPrefix => self.target_prefix = given.value,
            O::LinePrefix => self.line_prefix = given.text().to_owned(),
            O::IndicatorNew => self.indicators.new = parse::character(&given)?,
            O::IndicatorOld => self.indicators.old = parse::character(&given)?,
            O::IndicatorContext => self.indicators.context = parse::character(&given)?,
            O::Color => self.color = Some(parse::color(&given)?),
            O::WsErrorHighlight => self.highlight = given.value,
            O::IgnoreSubmodules => self.ignore_submodules = parse::ignores_submodules(given.text())?,
            O::Textconv => self.textconv = Some(given.on()),
            O::ExtDiff => self.external = Some(given.on()),
            _ => parse::off_or_unsupported(&given)?,
        }
        Ok(())
    }
}
