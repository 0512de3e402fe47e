//! `git show-ref`: lists references with their objects, and tells whether they exist.

use std::io::{Read, Write};

use adit::Repository;
use adit_object::{ObjectId, ObjectKind, Source, Tag};
use adit_refs::name::{self, Rules};
use adit_refs::{Entry, Target};
use bstr::{BStr, BString, ByteSlice};

use crate::context::{Context, Streams};
use crate::error::Error;
use crate::names::Said;
use crate::options::{Opt, Table, Usage};

#[derive(Clone, Copy)]
enum O {
    Tags,
    Branches,
    Exists,
    Verify,
    Head,
    Dereference,
    Hash,
    Abbrev,
    Quiet,
    ExcludeExisting,
}

const USAGE: Usage = Usage {
    name: "show-ref",
    synopsis: &[
        "git show-ref [--head] [-d | --dereference] [-s | --hash[=<n>]] [--abbrev[=<n>]] [--branches] [--tags] [--] \
         [<pattern>...]",
        "git show-ref --verify [-q | --quiet] [-d | --dereference] [-s | --hash[=<n>]] [--abbrev[=<n>]] [--] [<ref>...]",
        "git show-ref --exclude-existing[=<pattern>]",
        "git show-ref --exists <ref>",
    ],
};

const OPTIONS: Table<O> = Table::new(&[
    Opt::flag(O::Tags, "tags", "show only tags (with --branches, those too)").no(),
    Opt::flag(O::Branches, "branches", "show only branches (with --tags, those too)").no(),
    Opt::flag(O::Branches, "heads", "an old name of --branches").no().hidden(),
    Opt::flag(O::Exists, "exists", "tell whether the reference exists, and no more").no(),
    Opt::flag(O::Verify, "verify", "take names as they are, in full").no(),
    Opt::flag(O::Head, "head", "show HEAD, even if it would be left out").no(),
    Opt::flag(O::Head, "", "").short(b'h').hidden(),
    Opt::flag(O::Dereference, "dereference", "show what tags lead to as well").short(b'd').no(),
    Opt::optional(O::Hash, "hash", "n", "show only ids, with <n> digits").short(b's').no(),
    Opt::optional(O::Abbrev, "abbrev", "n", "show ids with <n> digits").no(),
    Opt::flag(O::Quiet, "quiet", "print nothing").short(b'q').no(),
    Opt::optional(
        O::ExcludeExisting,
        "exclude-existing",
        "pattern",
        "print the references of standard input that do not exist",
    ),
]);

#[derive(Default)]
struct Asked {
    tags: bool,
    branches: bool,
    exists: bool,
    verify: bool,
    head: bool,
    dereference: bool,
    hash_only: bool,
    digits: Option<Digits>,
    quiet: bool,
    exclude_existing: Option<BString>,
}

#[derive(Clone, Copy)]
enum Digits {
    Usual,
    AtLeast(usize),
}

/// Runs the command.
pub fn run(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    if args.len() == 1 && args[0] == "-h" {
        return Err(Error::help_asked().with_usage(OPTIONS.usage(&USAGE)));
    }
    let mut asked = Asked::default();
    let names = OPTIONS.parse(&USAGE, args, |given| {
        match given.id {
            O::Tags => asked.tags = given.on(),
            O::Branches => asked.branches = given.on(),
            O::Exists => asked.exists = given.on(),
            O::Verify => asked.verify = given.on(),
            O::Head => asked.head = given.on(),
            O::Dereference => asked.dereference = given.on(),
            O::Quiet => asked.quiet = given.on(),
            O::Hash | O::Abbrev => {
                let is_hash = matches!(given.id, O::Hash);
                asked.hash_only |= is_hash && given.on();
                asked.digits = match given.value {
                    None if is_hash => asked.digits.filter(|_| given.on()),
                    None => given.on().then_some(Digits::Usual),
                    Some(value) => Some(digits(&value, if is_hash { "hash" } else { "abbrev" })?),
                };
            }
            O::ExcludeExisting => asked.exclude_existing = Some(given.text().to_owned()),
        }
        Ok(())
    })?;
    let modes = [
        ("--exclude-existing", asked.exclude_existing.is_some()),
        ("--verify", asked.verify),
        ("--exists", asked.exists),
    ];
    let modes: Vec<_> = modes.iter().filter(|(_, on)| *on).map(|(name, _)| format!("'{name}'")).collect();
    match modes.as_slice() {
        [] | [_] => {}
        [one, other] => {
            return Err(Error::fatal(format!("options {one} and {other} cannot be used together")));
        }
        [one, two, three, ..] => {
            return Err(Error::fatal(format!("options {one}, {two}, and {three} cannot be used together")));
        }
    }
    let repo = ctx.repo()?;
    if let Some(pattern) = &asked.exclude_existing {
        return exclude_existing(ctx, &repo, pattern);
    }
    if asked.exists {
        return exists(ctx, &repo, &names);
    }
    let Streams { out, err, .. } = &mut ctx.streams;
    let said = Said::new(err);
    let mut shower = Shower { repo: &repo, asked: &asked, out, found: false };
    if asked.verify {
        return shower.verify(&names);
    }
    shower.list(&names, &said)?;
    Ok(u8::from(!shower.found))
}

fn digits(value: &BString, option: &str) -> Result<Digits, Error> {
    let number: Option<i64> = value.to_str().ok().and_then(|value| value.parse().ok());
    let number = number
        .ok_or_else(|| Error::Failed(format!("option `{option}' expects a numerical value").into(), 129))?;
    Ok(Digits::AtLeast(usize::try_from(number).unwrap_or(0).max(adit::MIN_ABBREV)))
}

/// Prints the lines of standard input whose references do not exist here.
fn exclude_existing(ctx: &mut Context<'_>, repo: &Repository, pattern: &BString) -> Result<u8, Error> {
    let mut text = Vec::new();
    ctx.streams.input.read_to_end(&mut text)?;
    for line in text.lines() {
        let line = line.strip_suffix(b"^{}").unwrap_or(line);
        let start = line.iter().rposition(|b| b.is_ascii_whitespace()).map_or(0, |space| space + 1);
        let name = line[start..].as_bstr();
        if !name.starts_with(pattern) {
            continue;
        }
        if !name::is_valid(name, Rules::default()) {
            ctx.warn(format!("ref '{name}' ignored"));
            continue;
        }
        if repo.refs()?.find(name)?.is_none() {
            ctx.streams.out.write_all(line)?;
            ctx.streams.out.write_all(b"\n")?;
        }
    }
    Ok(0)
}

fn exists(ctx: &mut Context<'_>, repo: &Repository, names: &[BString]) -> Result<u8, Error> {
    let name = match names {
        [] => return Err(Error::fatal("--exists requires a reference")),
        [name] => name,
        _ => return Err(Error::fatal("--exists requires exactly one reference")),
    };
    match repo.refs()?.find(name)? {
        Some(_) => Ok(0),
        None => {
            ctx.complain("reference does not exist");
            Ok(2)
        }
    }
}

struct Shower<'a> {
    repo: &'a Repository,
    asked: &'a Asked,
    out: &'a mut (dyn Write + Send + 'a),
    found: bool,
}

impl Shower<'_> {
    fn verify(&mut self, names: &[BString]) -> Result<u8, Error> {
        if names.is_empty() {
            return Err(Error::fatal("--verify requires a reference"));
        }
        for name in names {
            let full = name.starts_with(b"refs/") || name::has_root_syntax(name);
            match self.repo.refs()?.resolve(name)?.filter(|_| full) {
                Some(found) => self.show(name.as_bstr(), &found.id, found.peeled)?,
                None if self.asked.quiet => return Ok(1),
                None => return Err(Error::fatal(format!("'{name}' - not a valid ref"))),
            }
        }
        Ok(0)
    }

    fn list(&mut self, patterns: &[BString], said: &Said<'_>) -> Result<(), Error> {
        let refs = self.repo.refs()?;
        if self.asked.head
            && let Some(found) = refs.resolve(b"HEAD")?
        {
            self.show("HEAD".into(), &found.id, found.peeled)?;
        }
        let folders: &[&[u8]] = match (self.asked.branches, self.asked.tags) {
            (false, false) => &[b""],
            (true, false) => &[b"refs/heads/"],
            (false, true) => &[b"refs/tags/"],
            (true, true) => &[b"refs/heads/", b"refs/tags/"],
        };
        for folder in folders {
            let mut iter = refs.iter(folder)?;
            while let Some(entry) = iter.advance()? {
                if patterns.is_empty() || patterns.iter().any(|pattern| ends_with_parts(entry.name, pattern))
                {
                    self.show_entry(&entry, said)?;
                }
            }
        }
        Ok(())
    }

    fn show_entry(&mut self, entry: &Entry<'_>, said: &Said<'_>) -> Result<(), Error> {
        let refs = self.repo.refs()?;
        let bad = |id: &ObjectId| Error::fatal(format!("git show-ref: bad ref {} ({id})", entry.name));
        match refs.entry_id(entry)? {
            Some(id) if !id.is_null() => self.show(entry.name, &id, entry.peeled),
            Some(id) => Err(bad(&id)),
            None if matches!(entry.target, Target::Symbolic(_)) => {
                // One that leads nowhere is no reference to an object.
                let _ = said;
                Ok(())
            }
            None => Err(bad(&ObjectId::null(self.repo.object_format()))),
        }
    }

    fn show(&mut self, name: &BStr, id: &ObjectId, peeled: Option<ObjectId>) -> Result<(), Error> {
        let objects = self.repo.objects()?;
        if !objects.contains(id) {
            return Err(Error::fatal(format!("git show-ref: bad ref {name} ({id})")));
        }
        self.found = true;
        if self.asked.quiet {
            return Ok(());
        }
        self.line(id, name, b"")?;
        if !self.asked.dereference {
            return Ok(());
        }
        let behind = match peeled {
            Some(peeled) => peeled,
            None => self.peel(id)?,
        };
        if behind != *id { self.line(&behind, name, b"^{}") } else { Ok(()) }
    }

    fn line(&mut self, id: &ObjectId, name: &BStr, suffix: &[u8]) -> Result<(), Error> {
        let mut text = Vec::with_capacity(64 + name.len());
        let len = match self.asked.digits {
            None => usize::MAX,
            Some(Digits::Usual) => self.repo.objects()?.abbreviate(id, self.repo.abbrev()?)?,
            Some(Digits::AtLeast(digits)) => self.repo.objects()?.abbreviate(id, digits)?,
        };
        id.append_hex(len, &mut text);
        // What a tag leads to is named even where names are not asked for.
        if !self.asked.hash_only || !suffix.is_empty() {
            text.push(b' ');
            text.extend_from_slice(name);
            text.extend_from_slice(suffix);
        }
        text.push(b'\n');
        Ok(self.out.write_all(&text)?)
    }

    fn peel(&self, id: &ObjectId) -> Result<ObjectId, Error> {
        let objects = self.repo.objects()?;
        let mut id = *id;
        let mut content = Vec::new();
        while objects.header(&id)?.kind == ObjectKind::Tag {
            objects.read_kind(&id, ObjectKind::Tag, &mut content)?;
            let tag = Tag::parse(objects.format(), &content);
            id = tag.map_err(|error| adit_object::SourceError::Malformed { id, error })?.target();
        }
        Ok(id)
    }
}

/// Whether `pattern` is the whole name, or its last parts.
fn ends_with_parts(name: &[u8], pattern: &[u8]) -> bool {
    name.strip_suffix(pattern).is_some_and(|before| before.is_empty() || before.ends_with(b"/"))
}
