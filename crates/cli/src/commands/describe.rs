//! `git describe`: calls a commit after the nearest tag behind it.

mod blob;

use std::io::Write;

use adit::Repository;
use adit_object::{ObjectId, ObjectKind, Source};
use adit_revision::describe::{DescribeOptions, Describer, Name, Outcome, Rank, Search};
use adit_revision::names::{NameError, Names};
use bstr::{BStr, BString, ByteSlice};

use super::name_rev;
use crate::context::{Context, Streams};
use crate::error::Error;
use crate::format::describe::{CANDIDATES, append_suffix, called};
use crate::names::Said;
use crate::options::{Opt, Table, Usage};

#[derive(Clone, Copy)]
enum O {
    Contains,
    Debug,
    All,
    Tags,
    Long,
    FirstParent,
    Abbrev,
    ExactMatch,
    Candidates,
    Match,
    Exclude,
    Always,
    Dirty,
    Broken,
}

const USAGE: Usage = Usage {
    name: "describe",
    synopsis: &[
        "git describe [--all] [--tags] [--contains] [--abbrev=<n>] [<commit-ish>...]",
        "git describe [--all] [--tags] [--contains] [--abbrev=<n>] --dirty[=<mark>]",
        "git describe <blob>",
    ],
};

const OPTIONS: Table<O> = Table::new(&[
    Opt::flag(O::Contains, "contains", "find the tag that comes after the commit").no(),
    Opt::flag(O::Debug, "debug", "tell how the search goes").no(),
    Opt::flag(O::All, "all", "use any reference").no(),
    Opt::flag(O::Tags, "tags", "use tags without a message too").no(),
    Opt::flag(O::Long, "long", "always add the count and the id").no(),
    Opt::flag(O::FirstParent, "first-parent", "follow only first parents").no(),
    Opt::optional(O::Abbrev, "abbrev", "n", "show ids with <n> digits").no(),
    Opt::flag(O::ExactMatch, "exact-match", "take only a tag of the commit itself").no(),
    Opt::value(O::Candidates, "candidates", "n", "compare the last <n> tags").no(),
    Opt::value(O::Match, "match", "pattern", "use only tags that match").no(),
    Opt::value(O::Exclude, "exclude", "pattern", "use no tags that match").no(),
    Opt::flag(O::Always, "always", "print the id when nothing else will do").no(),
    Opt::optional(O::Dirty, "dirty", "mark", "add <mark> when files are changed").no(),
    Opt::optional(O::Broken, "broken", "mark", "add <mark> when files cannot be compared").no(),
]);

struct Asked {
    options: DescribeOptions,
    contains: bool,
    debug: bool,
    long: bool,
    always: bool,
    abbrev: Option<usize>,
    dirty: Option<&'static str>,
}

/// Runs the command.
pub fn run(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let options = DescribeOptions { candidates: CANDIDATES, ..DescribeOptions::default() };
    let mut asked = Asked {
        options,
        contains: false,
        debug: false,
        long: false,
        always: false,
        abbrev: None,
        dirty: None,
    };
    let names = OPTIONS.parse(&USAGE, args, |given| {
        match given.id {
            O::Contains => asked.contains = given.on(),
            O::Debug => asked.debug = given.on(),
            O::All => asked.options.all = given.on(),
            O::Tags => asked.options.tags = given.on(),
            O::Long => asked.long = given.on(),
            O::FirstParent => asked.options.first_parent = given.on(),
            O::Abbrev => {
                asked.abbrev = match &given.value {
                    _ if !given.on() => Some(0),
                    None => None,
                    Some(value) => Some(digits(value)?),
                }
            }
            O::ExactMatch => asked.options.candidates = if given.on() { 0 } else { CANDIDATES },
            O::Candidates => {
                let count = if given.on() { given.integer()? } else { 0 };
                asked.options.candidates = usize::try_from(count).unwrap_or(0);
            }
            O::Match => match given.value {
                Some(pattern) => asked.options.matching.push(pattern),
                None => asked.options.matching.clear(),
            },
            O::Exclude => match given.value {
                Some(pattern) => asked.options.excluded.push(pattern),
                None => asked.options.excluded.clear(),
            },
            O::Always => asked.always = given.on(),
            O::Dirty => asked.dirty = given.on().then_some("--dirty"),
            O::Broken => asked.dirty = given.on().then_some("--broken"),
        }
        Ok(())
    })?;
    if asked.long && asked.abbrev == Some(0) {
        return Err(Error::fatal("options '--long' and '--abbrev=0' cannot be used together"));
    }
    if asked.contains {
        return name_rev::contains(ctx, &asked.options, asked.always, names);
    }
    if let Some(option) = asked.dirty {
        if !names.is_empty() {
            return Err(Error::fatal(format!("option '{option}' and commit-ishes cannot be used together")));
        }
        return Err(Error::unsupported(&format!("describe {option}")));
    }
    describe_all(ctx, asked, names)
}

fn digits(value: &BString) -> Result<usize, Error> {
    let number: Option<i64> = value.to_str().ok().and_then(|value| value.parse().ok());
    let number =
        number.ok_or_else(|| Error::Failed("option `abbrev' expects a numerical value".into(), 129))?;
    Ok(match usize::try_from(number).unwrap_or(0) {
        0 => 0,
        digits => digits.max(adit::MIN_ABBREV),
    })
}

fn describe_all(ctx: &mut Context<'_>, asked: Asked, names: Vec<BString>) -> Result<u8, Error> {
    let repo = ctx.repo()?;
    let context = repo.name_context()?;
    let Streams { out, err, .. } = &mut ctx.streams;
    let said = Said::new(err);
    let resolver = context.names(&said)?;
    let describer = Describer::new(repo.refs()?, repo.objects()?, asked.options.clone())?;
    if describer.is_empty() && !asked.always {
        return Err(Error::fatal("No names found, cannot describe anything."));
    }
    let digits = match asked.abbrev {
        Some(digits) => digits,
        None => repo.abbrev()?,
    };
    let mut run = Run { repo: &repo, asked: &asked, describer, digits, said: &said };
    let names = if names.is_empty() { vec!["HEAD".into()] } else { names };
    for name in &names {
        let text = run.describe(&resolver, name.as_bstr())?;
        out.write_all(&text)?;
        out.write_all(b"\n")?;
    }
    Ok(0)
}

struct Run<'a> {
    repo: &'a Repository,
    asked: &'a Asked,
    describer: Describer,
    digits: usize,
    said: &'a Said<'a>,
}

impl Run<'_> {
    fn describe(&mut self, names: &Names<'_>, name: &BStr) -> Result<Vec<u8>, Error> {
        if self.asked.debug {
            self.said.plain(&format!("describe {name}"));
        }
        let id = match names.resolve(name) {
            Ok(id) => id,
            Err(NameError::Unknown) => return Err(Error::fatal(format!("Not a valid object name {name}"))),
            Err(error) => return Err(error.into()),
        };
        match names.quiet().commit_of(&id) {
            Ok(commit) => self.describe_commit(&commit),
            Err(NameError::Unknown) => {
                match self.repo.objects()?.try_header(&id)?.map(|header| header.kind) {
                    Some(ObjectKind::Blob) => self.describe_blob(&id),
                    _ => Err(Error::fatal(format!("{name} is neither a commit nor blob"))),
                }
            }
            Err(error) => Err(error.into()),
        }
    }

    fn describe_blob(&mut self, blob: &ObjectId) -> Result<Vec<u8>, Error> {
        let Some((commit, path)) = blob::first_commit_with(self.repo, blob)? else {
            return Err(Error::fatal(format!("blob '{blob}' not reachable from HEAD")));
        };
        let mut text = self.describe_commit(&commit)?;
        text.push(b':');
        text.extend_from_slice(&path);
        Ok(text)
    }

    fn describe_commit(&mut self, commit: &ObjectId) -> Result<Vec<u8>, Error> {
        let mut table = self.repo.commit_table()?;
        let exact = self.describer.exact(commit).cloned();
        if exact.is_none() && self.asked.options.candidates == 0 {
            return Err(Error::fatal(format!("no tag exactly matches '{commit}'")));
        }
        if self.asked.debug && exact.is_none() {
            self.said.plain(&"No exact match on refs or tags, searching to describe");
        }
        let outcome = match exact {
            Some(name) => Outcome::Exact(name),
            None => self.describer.describe(&mut table, commit)?,
        };
        let mut text = Vec::new();
        match outcome {
            Outcome::Exact(name) => {
                let (tagged, misnamed) = self.append_name(&name, &mut text)?;
                if self.asked.long || misnamed {
                    // A tag stands for what it tags, another reference for the commit itself.
                    let tagged = if name.rank == Rank::Annotated { tagged } else { *commit };
                    append_suffix(self.repo, 0, &tagged, self.suffix_digits()?, &mut text)?;
                }
            }
            Outcome::Near(search) => {
                if self.asked.debug {
                    self.report(&search);
                }
                let Some(best) = search.candidates.first() else { return Ok(text) };
                let (_, misnamed) = self.append_name(&best.name, &mut text)?;
                if self.digits > 0 || misnamed {
                    append_suffix(self.repo, best.depth, commit, self.suffix_digits()?, &mut text)?;
                }
            }
            Outcome::Nothing { .. } if self.asked.always => {
                let digits = if self.digits == 0 { usize::MAX } else { self.digits };
                commit.append_hex(self.repo.objects()?.abbreviate(commit, digits)?, &mut text);
            }
            Outcome::Nothing { lightweight: true } => {
                return Err(Error::fatal(format!(
                    "No annotated tags can describe '{commit}'.\nHowever, there were unannotated tags: try --tags."
                )));
            }
            Outcome::Nothing { lightweight: false } => {
                return Err(Error::fatal(format!(
                    "No tags can describe '{commit}'.\nTry --always, or create some tags."
                )));
            }
        }
        Ok(text)
    }

    /// The digits of a suffix that must be there, though none was wanted.
    fn suffix_digits(&self) -> Result<usize, Error> {
        Ok(if self.digits == 0 { self.repo.abbrev()? } else { self.digits })
    }

    /// Appends what a name is called; the object it stands for, and whether the tag calls itself otherwise.
    fn append_name(&self, name: &Name, text: &mut Vec<u8>) -> Result<(ObjectId, bool), Error> {
        let called = called(self.repo, name, self.asked.options.all)?;
        text.extend_from_slice(&called.name);
        let misnamed = called.known_as.is_some();
        if let Some(path) = called.known_as {
            let own = called.name.strip_prefix(b"tags/").filter(|_| self.asked.options.all);
            let own = own.unwrap_or(&called.name).as_bstr();
            self.said.warning(&format!("tag '{path}' is externally known as '{own}'"));
        }
        Ok((called.tagged, misnamed))
    }

    fn report(&self, search: &Search) {
        if let Some(finished) = search.finished {
            self.said.plain(&format!("finished search at {finished}"));
        }
        for candidate in &search.candidates {
            let rank = match candidate.name.rank {
                Rank::Head => "head",
                Rank::Lightweight => "lightweight",
                Rank::Annotated => "annotated",
            };
            self.said.plain(&format!(" {rank:<11} {:8} {}", candidate.depth, candidate.name.path));
        }
        self.said.plain(&format!("traversed {} commits", search.traversed));
        if let Some(gave_up) = search.gave_up {
            let count = search.candidates.len();
            self.said.plain(&format!("found {count} tags; gave up search at {gave_up}"));
        }
    }
}
