//! `git merge-base`: find the best common ancestors of commits.

use std::io::Write;

use adit::Repository;
use adit_object::ObjectKind;
use adit_revision::names::{NameError, Names};
use adit_revision::{CommitTable, merge_base};
use bstr::BString;

use crate::context::Context;
use crate::error::Error;
use crate::names::Said;
use crate::options::{Given, Opt, Table, Usage};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum O {
    All,
    Mode(Mode),
}

/// Which question is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Mode {
    #[default]
    Bases,
    Octopus,
    Independent,
    IsAncestor,
    ForkPoint,
}

impl Mode {
    fn option(self) -> &'static str {
        match self {
            Mode::Bases => "",
            Mode::Octopus => "--octopus",
            Mode::Independent => "--independent",
            Mode::IsAncestor => "--is-ancestor",
            Mode::ForkPoint => "--fork-point",
        }
    }
}

const USAGE: Usage = Usage {
    name: "merge-base",
    synopsis: &[
        "git merge-base [-a | --all] <commit> <commit>...",
        "git merge-base [-a | --all] --octopus <commit>...",
        "git merge-base --is-ancestor <commit> <commit>",
        "git merge-base --independent <commit>...",
        "git merge-base --fork-point <ref> [<commit>]",
    ],
};
const OPTIONS: Table<O> = Table::new(&[
    Opt::flag(O::All, "all", "print every best common ancestor").short(b'a').no(),
    Opt::flag(O::Mode(Mode::Octopus), "octopus", "find the base of one merge of all commits"),
    Opt::flag(O::Mode(Mode::Independent), "independent", "print the commits that no other one reaches"),
    Opt::flag(
        O::Mode(Mode::IsAncestor),
        "is-ancestor",
        "tell whether the first is an ancestor of the second",
    ),
    Opt::flag(O::Mode(Mode::ForkPoint), "fork-point", "find where <commit> left what <ref> has stood at"),
]);

/// What was asked for.
#[derive(Default)]
struct Options {
    all: bool,
    mode: Mode,
}

impl Options {
    fn take(&mut self, given: &Given<O>) -> Result<(), Error> {
        match given.id {
            O::All => self.all = given.on(),
            O::Mode(mode) if self.mode == Mode::Bases || self.mode == mode => self.mode = mode,
            O::Mode(mode) => {
                let (one, other) = (mode.option(), self.mode.option());
                let message = format!("options '{one}' and '{other}' cannot be used together");
                return Err(Error::Failed(message.into(), 129));
            }
        }
        Ok(())
    }

    /// How many commits may be named.
    fn wants(&self, count: usize) -> bool {
        match self.mode {
            Mode::Bases => count >= 2,
            Mode::Octopus | Mode::Independent => count >= 1,
            Mode::IsAncestor => count == 2,
            Mode::ForkPoint => (1..=2).contains(&count),
        }
    }
}

/// Runs the command.
pub fn run(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let mut options = Options::default();
    let words = OPTIONS.parse(&USAGE, args, |given| options.take(&given))?;
    if options.all && !matches!(options.mode, Mode::Bases | Mode::Octopus) {
        let message = format!("options '{}' and '--all' cannot be used together", options.mode.option());
        return Err(Error::fatal(message));
    }
    let count_is_wrong = !options.wants(words.len());
    if count_is_wrong && options.mode == Mode::IsAncestor {
        return Err(Error::fatal("--is-ancestor takes exactly two commits"));
    }
    if count_is_wrong {
        return Err(Error::Usage { message: None, usage: OPTIONS.usage(&USAGE) });
    }
    let repo = ctx.repo()?;
    let mut table = repo.commit_table()?;
    let bases = find(ctx, &repo, &mut table, &options, &words)?;
    let Some(bases) = bases else { return Ok(0) };
    let shown = match options.mode {
        Mode::Bases | Mode::Octopus if !options.all => bases.len().min(1),
        _ => bases.len(),
    };
    for &base in &bases[..shown] {
        writeln!(ctx.streams.out, "{}", table.id(base))?;
    }
    Ok(u8::from(bases.is_empty()))
}

/// The commits that answer the question; `None` when the answer is a plain yes.
fn find(
    ctx: &mut Context<'_>,
    repo: &Repository,
    table: &mut CommitTable<'_>,
    options: &Options,
    words: &[BString],
) -> Result<Option<Vec<u32>>, Error> {
    let context = repo.name_context()?;
    let said = Said::new(&mut *ctx.streams.err);
    let names = context.names(&said)?;
    if options.mode == Mode::ForkPoint {
        return fork_point(repo, &names, table, words).map(Some);
    }
    let commits = words.iter().map(|name| commit(&names, table, name)).collect::<Result<Vec<_>, _>>()?;
    Ok(match options.mode {
        Mode::Bases | Mode::ForkPoint => Some(merge_base::merge_bases(table, commits[0], &commits[1..])?),
        Mode::Octopus => {
            let bases = merge_base::octopus(table, &commits)?;
            Some(merge_base::independent(table, &bases)?)
        }
        Mode::Independent => Some(merge_base::independent(table, &commits)?),
        Mode::IsAncestor => (!merge_base::is_ancestor(table, commits[0], &commits[1..])?).then(Vec::new),
    })
}

/// The commit that `name` means.
fn commit(names: &Names<'_>, table: &mut CommitTable<'_>, name: &BString) -> Result<u32, Error> {
    let id = match names.resolve(name) {
        Err(NameError::Unknown) => return Err(Error::fatal(format!("Not a valid object name {name}"))),
        other => other?,
    };
    match names.resolve_commit(id.to_string().as_bytes()) {
        Err(NameError::Unknown) => Err(Error::fatal(format!("Not a valid commit name {name}"))),
        other => Ok(table.intern(&other?)),
    }
}

/// Where the second commit (or `HEAD`) left the reference that the first word names.
fn fork_point(
    repo: &Repository,
    names: &Names<'_>,
    table: &mut CommitTable<'_>,
    words: &[BString],
) -> Result<Vec<u32>, Error> {
    let Some(found) = names.dwim(&words[0])? else {
        return Err(Error::fatal(format!("No such ref: '{}'", words[0])));
    };
    let derived = commit(names, table, words.get(1).unwrap_or(&"HEAD".into()))?;
    let mut ids = Vec::new();
    if let Some(log) = repo.refs()?.reflog(&found.stored)? {
        let mut entries = log.forward();
        while let Some(entry) = entries.advance()? {
            if ids.is_empty() && !entry.old.is_null() {
                ids.push(entry.old);
            }
            ids.push(entry.new);
        }
    }
    if ids.is_empty() {
        ids.push(found.id);
    }
    let mut stood_at = Vec::new();
    for id in ids {
        // A log may speak of commits that are gone.
        if let Ok(Some(commit)) = names.peeled(&id, ObjectKind::Commit) {
            stood_at.push(table.intern(&commit));
        }
    }
    Ok(merge_base::fork_point(table, derived, &stood_at)?.into_iter().collect())
}
