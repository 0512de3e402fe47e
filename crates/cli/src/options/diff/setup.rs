//! From what was said on the command line and in the configuration to what the library needs.

use std::sync::Arc;

use adit::Repository;
use adit_config::Config;
use adit_diff::diffcore;
use adit_diff::filter::Filter;
use adit_diff::formats::{DirstatOptions, Names, StatOptions};
use adit_diff::lines::{self, Algorithm};
use adit_diff::order::OrderFile;
use adit_diff::palette::{Palette, Slot};
use adit_diff::patch;
use adit_diff::pathspec::Pathspec;
use adit_diff::pickaxe::{Counter, Pickaxe};
use adit_diff::programs::Texts;
use adit_diff::renames::RenameOptions;
use adit_diff::show::{Formats, ShowOptions};
use adit_diff::whitespace::Highlight;
use adit_object::{IdSet, ObjectId};
use bstr::{BString, ByteSlice};

use super::{Detect, DiffArgs, Relative};
use crate::context::Context;
use crate::error::Error;
use crate::format::color;
use crate::names::Said;
use crate::programs;

/// Which settings count for a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `diff-tree` and its like: only settings that no script minds.
    Plumbing,
    /// `diff`, `log`, `show`: all settings.
    Porcelain,
}

/// What a command that shows differences was asked to do.
#[derive(Debug)]
pub struct DiffSetup {
    /// What is compared and what becomes of the pairs.
    pub core: diffcore::Options,
    /// What is printed.
    pub show: ShowOptions,
    /// The fewest digits of abbreviated ids in differences.
    pub abbrev: usize,
    /// The fewest digits of abbreviated ids of commits.
    pub commit_abbrev: usize,
    /// Whether the exit status tells of differences (`--exit-code`).
    pub exit_code: bool,
    /// Whether the first difference settles everything (`--quiet`).
    pub quiet: bool,
}

impl DiffArgs {
    /// Joins the arguments with the configuration. `default` are the formats when none was asked for.
    ///
    /// # Errors
    /// When options contradict each other, or a setting cannot be used.
    pub fn setup(
        self,
        ctx: &mut Context<'_>,
        repo: Option<&Repository>,
        kind: Kind,
        default: Formats,
        pathspec: Pathspec,
    ) -> Result<DiffSetup, Error> {
        let config = ctx.config()?;
        self.check_conflicts()?;
        let formats = self.formats(&config, default)?;
        let mut core = self.stages(ctx, repo, kind, &config, pathspec)?;
        let needs_files = Formats { raw: false, name_only: false, name_status: false, ..formats };
        core.recursive = self.recursive || !needs_files.is_empty() || self.check || core.pickaxe.is_some();
        core.show_trees = self.show_trees;
        let mut show = self.show(ctx, kind, &config, formats, &core)?;
        self.add_programs(ctx, repo, kind, &config, &mut core, &mut show)?;
        let (abbrev, commit_abbrev) = self.digits(repo, kind)?;
        let quiet = self.quiet;
        Ok(DiffSetup { core, show, abbrev, commit_abbrev, exit_code: self.exit_code || quiet, quiet })
    }

    /// Adds what runs the programs that the configuration names.
    fn add_programs(
        &self,
        ctx: &Context<'_>,
        repo: Option<&Repository>,
        kind: Kind,
        config: &Config,
        core: &mut diffcore::Options,
        show: &mut ShowOptions,
    ) -> Result<(), Error> {
        if self.textconv.unwrap_or(kind == Kind::Porcelain) {
            show.patch.textconv = programs::textconv(ctx, repo, config);
            if let (Some(program), Some(repo), Some(_)) = (&show.patch.textconv, repo, &core.pickaxe) {
                let attributes = Arc::new(repo.attributes()?);
                core.texts = Some(Texts { attributes, program: Arc::clone(program) });
            }
        }
        if self.external.unwrap_or(false) {
            show.patch.external = programs::external(ctx, repo, config)?;
        }
        let has_programs = show.patch.external.is_some() || show.patch.textconv.is_some();
        let is_judged = (self.exit_code || self.quiet) && self.external == Some(true);
        show.from_patches = show.patch.ignores_changes() || is_judged && has_programs;
        Ok(())
    }

    fn check_conflicts(&self) -> Result<(), Error> {
        let exclusive = [self.formats.name_only, self.formats.name_status, self.check, self.no_output];
        if exclusive.into_iter().filter(|&said| said).count() > 1 {
            let names = "'--name-only', '--name-status', '--check', and '-s'";
            return Err(Error::fatal(format!("options {names} cannot be used together")));
        }
        let kinds = [self.changed_lines.is_some(), self.occurrences.is_some(), !self.find_objects.is_empty()];
        if kinds.into_iter().filter(|&said| said).count() > 1 {
            return Err(Error::fatal("options '-G', '-S', and '--find-object' cannot be used together"));
        }
        if self.changed_lines.is_some() && self.pickaxe_regex {
            return Err(Error::fatal(
                "options '-G' and '--pickaxe-regex' cannot be used together, use '--pickaxe-regex' with '-S'",
            ));
        }
        if self.pickaxe_all && !self.find_objects.is_empty() {
            return Err(Error::fatal(
                "options '--pickaxe-all' and '--find-object' cannot be used together, \
                 use '--pickaxe-all' with '-G' and '-S'",
            ));
        }
        Ok(())
    }

    fn formats(&self, config: &Config, default: Formats) -> Result<Formats, Error> {
        if self.quiet || self.no_output {
            return Ok(Formats::default());
        }
        if self.check {
            return Ok(Formats { check: true, ..Formats::default() });
        }
        let mut formats = self.formats;
        if let Some(said) = &self.dirstat {
            let mut dirstat = DirstatOptions::default();
            if let Some(configured) = config.string("diff.dirstat")? {
                dirstat.apply(configured);
            }
            for parameters in said {
                dirstat.apply(parameters);
            }
            formats.dirstat = Some(dirstat);
        }
        if formats.name_only || formats.name_status {
            let Formats { name_only, name_status, .. } = formats;
            formats = Formats { name_only, name_status, ..Formats::default() };
        }
        Ok(if formats.is_empty() { default } else { formats })
    }

    fn stages(
        &self,
        ctx: &mut Context<'_>,
        repo: Option<&Repository>,
        kind: Kind,
        config: &Config,
        pathspec: Pathspec,
    ) -> Result<diffcore::Options, Error> {
        let order_file = match (&self.order_file, kind) {
            (Some(file), _) => Some(file.clone()),
            (None, Kind::Porcelain) => config.string("diff.orderfile")?.map(ToOwned::to_owned),
            (None, Kind::Plumbing) => None,
        };
        let order = match order_file.filter(|file| !file.is_empty()) {
            None => OrderFile::default(),
            Some(file) => {
                let text = std::fs::read(ctx.env.cwd().join(file.to_path_lossy())).map_err(|error| {
                    let why = adit_sys::os_error(&error);
                    Error::fatal(format!("failed to read orderfile '{file}': {why}"))
                })?;
                OrderFile::parse(&text)
            }
        };
        let renames = self.renames(config, kind)?;
        let filter = (!self.filter.is_empty()).then(|| Filter::parse(&self.filter).ok()).flatten();
        Ok(diffcore::Options {
            pathspec,
            relative: self.relative_to(repo, config, kind)?,
            reverse: self.reverse,
            ignore_submodules: self.ignore_submodules,
            breaks: self.breaks,
            renames,
            pickaxe: self.pickaxe(ctx, repo)?,
            pickaxe_all: self.pickaxe_all,
            order,
            rotate: self.rotate.clone(),
            filter,
            lines: self.lines(config, kind)?,
            ..diffcore::Options::default()
        })
    }

    fn relative_to(&self, repo: Option<&Repository>, config: &Config, kind: Kind) -> Result<BString, Error> {
        let by_setting = kind == Kind::Porcelain && config.bool("diff.relative")?.unwrap_or(false);
        let prefix = || repo.map(|repo| repo.prefix().to_owned()).unwrap_or_default();
        Ok(match &self.relative {
            Some(Relative::To(path)) => path.clone(),
            Some(Relative::CurrentFolder) => prefix(),
            Some(Relative::No) => BString::default(),
            None if by_setting => prefix(),
            None => BString::default(),
        })
    }

    fn renames(&self, config: &Config, kind: Kind) -> Result<Option<RenameOptions>, Error> {
        let mut detect = self.detect.unwrap_or(Detect::Nothing);
        if self.detect.is_none() && kind == Kind::Porcelain {
            detect = match config.string("diff.renames")? {
                Some(value)
                    if value.eq_ignore_ascii_case(b"copies") || value.eq_ignore_ascii_case(b"copy") =>
                {
                    Detect::Copies
                }
                _ if config.bool("diff.renames")?.unwrap_or(true) => Detect::Renames,
                _ => Detect::Nothing,
            };
        }
        if self.harder {
            detect = Detect::Copies;
        }
        if detect == Detect::Nothing {
            return Ok(None);
        }
        let default = RenameOptions::default();
        let limit = match (self.rename_limit, config.integer("diff.renamelimit")?) {
            (Some(limit), _) => limit,
            (None, Some(limit)) => usize::try_from(limit).unwrap_or(default.limit),
            (None, None) => default.limit,
        };
        Ok(Some(RenameOptions {
            copies: detect == Detect::Copies,
            harder: self.harder,
            minimum: self.minimum.unwrap_or(default.minimum),
            limit,
            rename_empty: self.rename_empty.unwrap_or(default.rename_empty),
            broken: self.breaks.is_some(),
        }))
    }

    fn pickaxe(&self, ctx: &mut Context<'_>, repo: Option<&Repository>) -> Result<Option<Pickaxe>, Error> {
        let bad = |error| Error::fatal(format!("invalid regex: {error}"));
        let ignore_case = self.pickaxe_ignore_case;
        if let Some(text) = &self.occurrences {
            let counter = match self.pickaxe_regex {
                true => Counter::pattern(text, ignore_case),
                false => Counter::text(text, ignore_case),
            };
            return Ok(Some(Pickaxe::Occurrences(Box::new(counter.map_err(bad)?))));
        }
        if let Some(pattern) = &self.changed_lines {
            return Ok(Some(Pickaxe::changed_lines(pattern, ignore_case, self.text).map_err(bad)?));
        }
        if self.find_objects.is_empty() {
            return Ok(None);
        }
        let mut ids = IdSet::default();
        for name in &self.find_objects {
            ids.insert(resolve(ctx, repo, name)?);
        }
        Ok(Some(Pickaxe::Objects(ids)))
    }

    fn lines(&self, config: &Config, kind: Kind) -> Result<lines::Options, Error> {
        let mut algorithm = self.algorithm;
        if kind == Kind::Porcelain && algorithm.is_none() {
            algorithm = match config.string("diff.algorithm")? {
                None => None,
                Some(name) => Some(Algorithm::from_name(name).ok_or_else(|| {
                    Error::fatal(format!("unknown value for config 'diff.algorithm': {name}"))
                })?),
            };
        }
        let (algorithm, minimal) = algorithm.unwrap_or_default();
        let indent_heuristic = match self.indent_heuristic {
            Some(said) => said,
            None => config.bool("diff.indentheuristic")?.unwrap_or(true),
        };
        let (whitespace, anchors) = (self.whitespace, self.anchors.clone());
        Ok(lines::Options { algorithm, minimal, whitespace, indent_heuristic, anchors })
    }

    fn show(
        &self,
        ctx: &Context<'_>,
        kind: Kind,
        config: &Config,
        formats: Formats,
        core: &diffcore::Options,
    ) -> Result<ShowOptions, Error> {
        let quote_high = config.bool("core.quotepath")?.unwrap_or(true);
        let stat_number = |said: Option<usize>, key: &str| -> Result<Option<usize>, Error> {
            let configured = config.integer(key)?.and_then(|n| usize::try_from(n).ok());
            Ok(said.or(configured.filter(|_| kind == Kind::Porcelain)))
        };
        let stat = StatOptions {
            shares_width: self.stat_width.is_none_or(|width| width == 0),
            width: self.stat_width.filter(|&width| width > 0).unwrap_or_else(|| match kind {
                Kind::Porcelain => ctx.columns(),
                Kind::Plumbing => StatOptions::default().width,
            }),
            name_width: stat_number(self.stat_name_width, "diff.statnamewidth")?,
            graph_width: stat_number(self.stat_graph_width, "diff.statgraphwidth")?,
            count: self.stat_count.filter(|&count| count > 0),
            compact_summary: self.compact_summary,
        };
        let full_raw_ids = match self.abbrev {
            None => kind == Kind::Plumbing,
            Some(digits) => digits.is_none(),
        };
        let names = Names { nul: self.nul, quote_high, relative: core.relative.clone() };
        let patch = self.patch(ctx, kind, config, core, quote_high)?;
        Ok(ShowOptions { formats, names, full_raw_ids, stat, from_patches: false, patch })
    }

    fn patch(
        &self,
        ctx: &Context<'_>,
        kind: Kind,
        config: &Config,
        core: &diffcore::Options,
        quote_high: bool,
    ) -> Result<patch::Options, Error> {
        let terminal = ctx.streams.out_is_terminal && kind == Kind::Porcelain;
        let on = match (kind, self.color) {
            (Kind::Plumbing, None) => false,
            (_, said) => color::wanted(config, said, "color.diff", terminal)?,
        };
        let number = |key: &str| -> Result<Option<u32>, Error> {
            let configured = config.integer(key)?.filter(|_| kind == Kind::Porcelain);
            Ok(configured.and_then(|n| u32::try_from(n).ok()))
        };
        let highlight = match (&self.highlight, config.string("diff.wserrorhighlight")?) {
            (Some(said), _) => Highlight::parse(said)
                .ok_or_else(|| Error::usage_line(format!("unknown value after ws-error-highlight={said}")))?,
            (None, Some(configured)) => Highlight::parse(configured).unwrap_or_default(),
            (None, None) => Highlight::default(),
        };
        let context = patch::Context {
            lines: self.context.or(number("diff.context")?).unwrap_or(3),
            between_hunks: self.inter_hunk.or(number("diff.interhunkcontext")?).unwrap_or(0),
            functions: self.functions,
        };
        Ok(patch::Options {
            lines: core.lines.clone(),
            context,
            ignore_blank_lines: self.ignore_blank_lines,
            ignore_matching: self.ignore_matching.clone(),
            prefixes: self.prefixes(config, kind)?,
            reversed: self.reverse,
            line_prefix: self.line_prefix.clone(),
            indicators: self.indicators,
            full_index: self.full_index,
            text: self.text,
            irreversible_delete: self.irreversible_delete,
            binary: if self.binary { Some(compression(config)?) } else { None },
            textconv: None,
            external: None,
            suppress_blank_empty: config.bool("diff.suppressblankempty")?.unwrap_or(false),
            quote_high,
            relative: core.relative.clone(),
            palette: if on { palette(config)? } else { Palette::default() },
            highlight,
        })
    }

    /// What comes before paths. The options win over the settings, and `--no-prefix` is one of them.
    fn prefixes(&self, config: &Config, kind: Kind) -> Result<[BString; 2], Error> {
        let [mut source, mut target] = ["a/", "b/"].map(BString::from);
        if kind == Kind::Porcelain && self.prefixes.is_none() {
            if config.bool("diff.noprefix")?.unwrap_or(false) {
                (source, target) = Default::default();
            } else if config.bool("diff.mnemonicprefix")?.unwrap_or(false) {
                // Objects are compared with objects, which have no letters of their own.
            } else {
                let setting = |key, default| -> Result<BString, Error> {
                    Ok(config.string(key)?.map_or(default, ToOwned::to_owned))
                };
                source = setting("diff.srcprefix", source)?;
                target = setting("diff.dstprefix", target)?;
            }
        }
        if let Some([said_source, said_target]) = &self.prefixes {
            (source, target) = (said_source.clone(), said_target.clone());
        }
        source = self.source_prefix.clone().unwrap_or(source);
        target = self.target_prefix.clone().unwrap_or(target);
        Ok([source, target])
    }

    /// The fewest digits of abbreviated ids: in differences, and of commits, which `--no-abbrev` shows whole.
    fn digits(&self, repo: Option<&Repository>, kind: Kind) -> Result<(usize, usize), Error> {
        let configured = repo.map_or(Ok(7), Repository::abbrev)?;
        Ok(match self.abbrev {
            Some(Some(digits)) if digits > 0 => (digits, digits),
            Some(Some(_)) => (configured, configured),
            None if kind == Kind::Porcelain => (configured, configured),
            Some(None) | None => (configured, usize::MAX),
        })
    }
}

/// The level at which content is deflated (`core.compression`): the fastest unless it is set, as for loose objects.
fn compression(config: &Config) -> Result<i32, Error> {
    let Some(level) = config.integer("core.compression")? else { return Ok(1) };
    match i32::try_from(level) {
        Ok(level @ -1..=9) => Ok(level),
        _ => Err(Error::fatal(format!("bad zlib compression level {level}"))),
    }
}

/// The configured colours of diffs.
fn palette(config: &Config) -> Result<Palette, Error> {
    let mut palette = Palette::git();
    let slots = [
        (Slot::Context, "context"),
        (Slot::Meta, "meta"),
        (Slot::Frag, "frag"),
        (Slot::Func, "func"),
        (Slot::Old, "old"),
        (Slot::New, "new"),
        (Slot::Commit, "commit"),
        (Slot::Whitespace, "whitespace"),
    ];
    for (slot, name) in slots {
        let default = palette.get(slot).to_str_lossy().into_owned();
        let mut escape = color::slot(config, &format!("color.diff.{name}"), &default)?;
        if slot == Slot::Context && escape == default {
            // The older name of the slot.
            escape = color::slot(config, "color.diff.plain", &default)?;
        }
        palette.set(slot, escape);
    }
    Ok(palette)
}

fn resolve(ctx: &mut Context<'_>, repo: Option<&Repository>, name: &BString) -> Result<ObjectId, Error> {
    let unable = || Error::usage_line(format!("unable to resolve '{name}'"));
    let context = repo.ok_or_else(unable)?.name_context()?;
    let said = Said::new(&mut *ctx.streams.err);
    context
        .names(&said)?
        .resolve(name)
        .map_err(|error| if error.is_unknown() { unable() } else { error.into() })
}
