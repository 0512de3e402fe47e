//! From a command line and the configuration to a [`Reporter`](super::Reporter) and a walk.

use std::sync::Arc;

use adit::Repository;
use adit_diff::pathspec::Pathspec;
use adit_diff::show::{Formats, ShowOptions};
use adit_revision::message::{IdentMap, MessageFilter, MessagePatterns};
use adit_text::posix_regex::Syntax;
use bstr::{BString, ByteSlice};

use super::Command;
use super::arguments::{Decorate, LogArguments};
use crate::context::Context;
use crate::error::Error;
use crate::format::color;
use crate::format::entry::{Entries, Heading};
use crate::format::lookups::{Lookups, Wants};
use crate::format::pretty::{Describe, Layout};
use crate::options::diff::{DiffSetup, Kind};
use crate::options::merges::Merges;

/// What was looked up for a command; reporters borrow from it.
pub struct Setup<'r> {
    /// What printers draw on.
    pub lookups: Lookups<'r>,
    /// How changes are found and shown.
    pub diff: DiffSetup,
    /// What is shown of merges.
    pub merges: Merges,
    /// How the changes of merges against their first parent are shown beside combined ones.
    pub first_parent: ShowOptions,
    /// Whether a file is listed with its names in all parents of a merge.
    pub all_paths: bool,
    /// Whether commits without parents are shown as additions.
    pub root: bool,
    /// Whether commits without changes are shown.
    pub always: bool,
    abbrev_commit: bool,
    decorate: bool,
    parents: bool,
    source: bool,
    log_size: bool,
}

impl<'r> Setup<'r> {
    /// Joins what was said with the configuration; `pathspec` limits the changes that are shown.
    ///
    /// # Errors
    /// When options contradict each other, or a setting cannot be used.
    pub fn new(
        ctx: &mut Context<'_>,
        repo: &'r Repository,
        said: &mut LogArguments,
        pathspec: Pathspec,
        command: Command,
    ) -> Result<Self, Error> {
        let config = repo.config();
        if config.bool("log.showsignature")? == Some(true) {
            return Err(Error::unsupported("log.showSignature"));
        }
        if pathspec.items().len() == 1 && config.bool("log.follow")? == Some(true) {
            return Err(Error::unsupported("log.follow"));
        }
        let decorate = decoration(ctx, repo, said)?;
        let wants = Wants {
            default_format: config.string("format.pretty")?.map(BString::from),
            default_date: config.string("log.date")?.map(BString::from),
            color: color::wanted(config, said.diff.color(), "color.diff", ctx.out_shows_colors())?,
            notes: true,
            decorations: decorate != Decorate::No || said.revisions.by_decoration,
            full_names: decorate == Decorate::Full,
            filter: filter(repo, said)?,
            map_people: match said.mailmap {
                Some(said) => said,
                None => config.bool("log.mailmap")?.unwrap_or(true),
            },
            abbrev: None,
        };
        let merges = said.merges.merges(config, default_merges(said, command))?;
        let implied = said.merges.implies_patch && !said.diff.chooses_format();
        // `-q` holds only where no format was asked for.
        let default = Formats {
            raw: command == Command::WhatChanged && !implied && !said.quiet,
            patch: (implied || command == Command::Show) && !said.quiet,
            ..Formats::default()
        };
        let mut args = std::mem::take(&mut said.diff);
        args.recurse(false);
        let diff = args.setup(ctx, Some(repo), Kind::Porcelain, default, pathspec)?;
        let lookups =
            Lookups::read(ctx, repo, &said.pretty, &Wants { abbrev: Some(diff.commit_abbrev), ..wants })?;
        let is_raw = matches!(lookups.style().layout, Layout::Raw) && said.decorate.is_none();
        Ok(Setup {
            merges,
            first_parent: super::for_first_parent(&diff.show),
            all_paths: said.merges.all_paths,
            root: said.root || config.bool("log.showroot")?.unwrap_or(true),
            always: command != Command::WhatChanged
                && diff.core.pickaxe.is_none()
                && diff.core.filter.is_none(),
            abbrev_commit: match said.pretty.abbrev_commit {
                Some(said) => said,
                None => config.bool("log.abbrevcommit")?.unwrap_or(false),
            },
            decorate: decorate != Decorate::No && !is_raw,
            parents: said.revisions.parents,
            source: said.source,
            log_size: said.log_size,
            lookups,
            diff,
        })
    }

    /// Whether changes have to be looked at.
    pub fn wants_changes(&self) -> bool {
        let core = &self.diff.core;
        !self.diff.show.formats.is_empty()
            || core.pickaxe.is_some()
            || core.filter.is_some()
            || !self.always
            || self.diff.exit_code
    }

    /// What prints entries; `describe` describes commits for formats that ask for it.
    ///
    /// # Errors
    /// When objects cannot be opened.
    pub fn entries<'e>(&'e self, describe: &'e Describe<'e>) -> Result<Entries<'e>, Error> {
        Ok(Entries {
            heading: Heading::Commit,
            printer: self.lookups.printer(Some(describe))?,
            abbrev_commit: self.abbrev_commit,
            decorate: self.decorate,
            parents: self.parents,
            source: self.source,
            log_size: self.log_size,
            separator: if self.diff.show.names.nul { 0 } else { b'\n' },
            line_prefix: self.diff.show.patch.line_prefix.clone(),
        })
    }
}

fn default_merges(said: &LogArguments, command: Command) -> Merges {
    if said.revisions.walk.first_parent {
        Merges::FirstParent
    } else if command == Command::Show {
        Merges::Dense
    } else {
        Merges::Off
    }
}

fn decoration(ctx: &mut Context<'_>, repo: &Repository, said: &LogArguments) -> Result<Decorate, Error> {
    let configured = || -> Result<Option<Decorate>, Error> {
        let Some(entry) = repo.config().last(b"log.decorate") else { return Ok(None) };
        // Without a value it is a boolean that is true; a value that is none counts for nothing.
        Ok(entry.value.as_ref().map_or(Some(Decorate::Short), |value| Decorate::parse(value)))
    };
    let how = match said.decorate {
        Some(how) => how,
        None => configured()?.unwrap_or(Decorate::Auto),
    };
    Ok(match how {
        Decorate::Auto if ctx.streams.out_is_terminal => Decorate::Short,
        Decorate::Auto => Decorate::No,
        how => how,
    })
}

fn filter(repo: &Repository, said: &LogArguments) -> Result<crate::format::decorate::Filter, Error> {
    let config = repo.config();
    let mut filter = said.filter.clone();
    for pattern in config.all(b"log.excludedecoration").filter_map(|entry| entry.value.as_ref()) {
        filter.exclude_by_config(pattern);
    }
    let all = match config.string("log.initialdecorationset")? {
        Some(value) => value == "all",
        None => false,
    };
    if filter.is_empty() && !all && !said.all_decorations {
        filter.include_defaults();
    }
    Ok(filter)
}

/// The conditions on people and messages, with people as the mailmap has them.
///
/// # Errors
/// When a pattern is none, or the mailmap cannot be read.
pub fn message_filter(
    repo: &Repository,
    patterns: &MessagePatterns,
    mapped: bool,
) -> Result<Option<MessageFilter>, Error> {
    if patterns.is_empty() {
        return Ok(None);
    }
    let idents: Option<IdentMap> = match mapped {
        true => {
            let map = repo.mailmap()?;
            let resolve = move |name: &[u8], email: &[u8]| {
                let (to_name, to_email) = map.resolve(name.as_bstr(), email.as_bstr());
                let same = to_name == name && to_email == email;
                (!same).then(|| (to_name.to_owned(), to_email.to_owned()))
            };
            Some(Arc::new(resolve))
        }
        false => None,
    };
    let mut patterns = patterns.clone();
    // Options that say how patterns are written win, as far as they can be told from the default.
    if patterns.syntax == Syntax::Basic {
        patterns.syntax = pattern_syntax(repo)?;
    }
    MessageFilter::new(&patterns, idents).map(Some).map_err(|bad| Error::fatal(bad.to_string()))
}

/// How patterns are written when no option says so (`grep.patternType`, `grep.extendedRegexp`).
fn pattern_syntax(repo: &Repository) -> Result<Syntax, Error> {
    let config = repo.config();
    Ok(match config.string("grep.patterntype")?.map(|value| value.as_bytes()) {
        Some(b"basic") => Syntax::Basic,
        Some(b"extended") => Syntax::Extended,
        Some(b"fixed") => Syntax::Fixed,
        Some(b"perl") => return Err(Error::unsupported("grep.patternType=perl")),
        _ if config.bool("grep.extendedregexp")?.unwrap_or(false) => Syntax::Extended,
        _ => Syntax::Basic,
    })
}
