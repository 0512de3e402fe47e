//! `git name-rev`: calls commits after references that reach them.

use std::io::{Read, Write};

use adit::Repository;
use adit_object::{ObjectId, ObjectKind, Source};
use adit_revision::CommitTable;
use adit_revision::describe::DescribeOptions;
use adit_revision::name_rev::{Cutoff, NameOptions, Namer};
use adit_revision::names::{NameError, Names};
use bstr::{BString, ByteSlice};

use crate::context::{Context, Streams};
use crate::error::Error;
use crate::names::Said;
use crate::options::{Opt, Table, Usage};

#[derive(Clone, Copy)]
enum O {
    NameOnly,
    Tags,
    Refs,
    Exclude,
    All,
    AnnotateStdin,
    Undefined,
    Always,
    PeelTag,
}

const USAGE: Usage = Usage {
    name: "name-rev",
    synopsis: &[
        "git name-rev [<options>] <commit>...",
        "git name-rev [<options>] --all",
        "git name-rev [<options>] --annotate-stdin",
    ],
};

const OPTIONS: Table<O> = Table::new(&[
    Opt::flag(O::NameOnly, "name-only", "print only names, no ids").no(),
    Opt::flag(O::Tags, "tags", "use only tags").no(),
    Opt::value(O::Refs, "refs", "pattern", "use only references that match").no(),
    Opt::value(O::Exclude, "exclude", "pattern", "use no references that match").no(),
    Opt::flag(O::All, "all", "list all commits that references reach").no(),
    Opt::flag(O::AnnotateStdin, "annotate-stdin", "add names to the ids in standard input").no(),
    Opt::flag(O::AnnotateStdin, "stdin", "an old name of --annotate-stdin").no().hidden(),
    Opt::flag(O::Undefined, "undefined", "print `undefined` for what has no name").no(),
    Opt::flag(O::Always, "always", "print the id of what has no name").no(),
    Opt::flag(O::PeelTag, "peel-tag", "name what tags lead to").no().hidden(),
]);

struct Asked {
    options: NameOptions,
    all: bool,
    annotate: bool,
    undefined: bool,
    always: bool,
    peel: bool,
}

impl Default for Asked {
    fn default() -> Self {
        Asked {
            options: NameOptions::default(),
            all: false,
            annotate: false,
            undefined: true,
            always: false,
            peel: false,
        }
    }
}

/// Runs the command.
pub fn run(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let mut asked = Asked::default();
    let mut old_name = false;
    let words = OPTIONS.parse(&USAGE, args, |given| {
        let on = given.on();
        match given.id {
            O::NameOnly => asked.options.short = on,
            O::Tags => asked.options.tags_only = on,
            O::Refs => match given.value {
                Some(pattern) => asked.options.matching.push(pattern),
                None => asked.options.matching.clear(),
            },
            O::Exclude => match given.value {
                Some(pattern) => asked.options.excluded.push(pattern),
                None => asked.options.excluded.clear(),
            },
            O::All => asked.all = on,
            O::AnnotateStdin => {
                asked.annotate = on;
                old_name |= given.spelling == "--stdin";
            }
            O::Undefined => asked.undefined = on,
            O::Always => asked.always = on,
            O::PeelTag => asked.peel = on,
        }
        Ok(())
    })?;
    if old_name {
        ctx.warn(
            "--stdin is deprecated. Please use --annotate-stdin instead, which is functionally equivalent.",
        );
        writeln!(ctx.streams.err, "This option will be removed in a future release.")?;
    }
    if usize::from(asked.all) + usize::from(asked.annotate) + usize::from(!words.is_empty()) > 1 {
        let message = "Specify either a list, or --all, not both!".to_owned();
        return Err(Error::usage_line(message).with_usage(OPTIONS.usage(&USAGE)));
    }
    name(ctx, &asked, words)
}

/// `describe --contains`: the same with other defaults.
pub(super) fn contains(
    ctx: &mut Context<'_>,
    describe: &DescribeOptions,
    always: bool,
    words: Vec<BString>,
) -> Result<u8, Error> {
    let mut options = NameOptions { tags_only: !describe.all, short: true, ..NameOptions::default() };
    let folders: &[&str] =
        if describe.all { &["refs/tags/", "refs/heads/", "refs/remotes/"] } else { &["refs/tags/"] };
    for (patterns, found) in
        [(&describe.matching, &mut options.matching), (&describe.excluded, &mut options.excluded)]
    {
        for pattern in patterns {
            let below = |folder: &&str| BString::from([folder.as_bytes(), pattern.as_slice()].concat());
            found.extend(folders.iter().map(below));
        }
    }
    let words = if words.is_empty() { vec!["HEAD".into()] } else { words };
    let asked = Asked { options, undefined: false, always, peel: true, ..Asked::default() };
    name(ctx, &asked, words)
}

/// Something that a name is asked for.
struct Wanted {
    shown: BString,
    id: ObjectId,
    /// The commit, when it is one or leads to one.
    commit: Option<u32>,
}

fn name(ctx: &mut Context<'_>, asked: &Asked, words: Vec<BString>) -> Result<u8, Error> {
    let repo = ctx.repo()?;
    let context = repo.name_context()?;
    let mut table = repo.commit_table()?;
    let Streams { out, err, input, .. } = &mut ctx.streams;
    let said = Said::new(err);
    let names = context.names(&said)?;
    let mut wanted = Vec::new();
    for word in words {
        wanted.extend(find(&repo, &names, &mut table, asked, word, &said)?);
    }
    let mut namer = Namer::new(repo.refs()?, repo.objects()?, &asked.options)?;
    let cutoff = if asked.all || asked.annotate { None } else { cutoff(&table, &wanted) };
    namer.name_commits(&mut table, cutoff)?;
    let printer = Printer { repo: &repo, asked, namer: &namer };
    if asked.annotate {
        let mut text = Vec::new();
        input.read_to_end(&mut text)?;
        let mut annotated = Vec::with_capacity(text.len());
        printer.annotate(&mut table, &text, &mut annotated)?;
        out.write_all(&annotated)?;
    } else if asked.all {
        let mut commits: Vec<u32> = namer.named().collect();
        commits.sort_by_key(|&position| table.id(position));
        for position in commits {
            let id = table.id(position);
            let wanted = Wanted { shown: id.to_string().into(), id, commit: Some(position) };
            printer.print(&wanted, out)?;
        }
    } else {
        for wanted in &wanted {
            printer.print(wanted, out)?;
        }
    }
    Ok(0)
}

fn find(
    repo: &Repository,
    names: &Names<'_>,
    table: &mut CommitTable<'_>,
    asked: &Asked,
    word: BString,
    said: &Said<'_>,
) -> Result<Option<Wanted>, Error> {
    let id = match names.resolve(&word) {
        Ok(id) => id,
        Err(NameError::Unknown) => {
            said.plain(&format!("Could not get sha1 for {word}. Skipping."));
            return Ok(None);
        }
        Err(error) => return Err(error.into()),
    };
    let Some(header) = repo.objects()?.try_header(&id)? else {
        said.plain(&format!("Could not get object for {word}. Skipping."));
        return Ok(None);
    };
    let behind = match header.kind {
        ObjectKind::Commit => Some(id),
        ObjectKind::Tag => names.quiet().commit_of(&id).ok(),
        _ => None,
    };
    let mut commit = None;
    if let Some(behind) = behind {
        let position = table.intern(&behind);
        table.load(position)?;
        commit = Some(position);
    }
    let id = if asked.peel { behind.unwrap_or(id) } else { id };
    Ok(Some(Wanted { shown: word, id, commit }))
}

/// How far names must reach for the commits that are wanted.
fn cutoff(table: &CommitTable<'_>, wanted: &[Wanted]) -> Option<Cutoff> {
    let commits = || wanted.iter().filter_map(|wanted| wanted.commit);
    Some(Cutoff {
        generation: commits().map(|commit| table.generation(commit)).min().unwrap_or(u64::MAX),
        time: commits().map(|commit| table.time(commit)).min().unwrap_or(u64::MAX),
    })
}

struct Printer<'a> {
    repo: &'a Repository,
    asked: &'a Asked,
    namer: &'a Namer,
}

impl Printer<'_> {
    /// The name of an object. A tag has the name of its reference, whatever it leads to.
    fn name(&self, id: &ObjectId, commit: Option<(u32, ObjectId)>) -> Option<BString> {
        match commit {
            Some((position, commit)) if commit == *id => self.namer.name(position),
            _ => self.namer.exact(id).map(ToOwned::to_owned),
        }
    }

    fn print(&self, wanted: &Wanted, out: &mut dyn Write) -> Result<(), Error> {
        if !self.asked.options.short {
            write!(out, "{} ", wanted.shown)?;
        }
        let is_commit =
            self.repo.objects()?.try_header(&wanted.id)?.is_some_and(|h| h.kind == ObjectKind::Commit);
        let commit = wanted.commit.filter(|_| is_commit).map(|position| (position, wanted.id));
        match self.name(&wanted.id, commit) {
            Some(name) => writeln!(out, "{name}")?,
            None if self.asked.undefined => writeln!(out, "undefined")?,
            None if self.asked.always => {
                let mut hex = Vec::new();
                let digits = self.repo.objects()?.abbreviate(&wanted.id, self.repo.abbrev()?)?;
                wanted.id.append_hex(digits, &mut hex);
                writeln!(out, "{}", hex.as_bstr())?;
            }
            None => return Err(Error::fatal(format!("cannot describe '{}'", wanted.id))),
        }
        Ok(())
    }

    /// Copies text, adding names to the full ids in it.
    fn annotate(&self, table: &mut CommitTable<'_>, text: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
        let format = self.repo.object_format();
        let is_digit = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
        let mut rest = text;
        while !rest.is_empty() {
            let before = rest.iter().take_while(|&&b| !is_digit(b)).count();
            out.extend_from_slice(&rest[..before]);
            rest = &rest[before..];
            let digits = rest.iter().take_while(|&&b| is_digit(b)).count();
            let (word, after) = rest.split_at(digits);
            rest = after;
            // A longer run of digits that letters go on with is no id.
            let id = ObjectId::from_hex(format, word)
                .ok()
                .filter(|_| !after.first().is_some_and(u8::is_ascii_alphanumeric));
            let name = match id {
                Some(id) => {
                    let position = table.find(&id);
                    self.name(&id, position.map(|position| (position, id)))
                }
                None => None,
            };
            match name {
                Some(name) if self.asked.options.short => out.extend_from_slice(&name),
                Some(name) => {
                    out.extend_from_slice(word);
                    out.extend_from_slice(format!(" ({name})").as_bytes());
                }
                None => out.extend_from_slice(word),
            }
        }
        Ok(())
    }
}
