//! `git rev-parse`: picks revisions out of a command line and prints their ids; tells where the repository is.

mod output;
mod parseopt;
mod paths;

use std::io::Write;

use adit::Repository;
use adit_object::Prefix;
use adit_refs::select::{Exclusions, Selection};
use adit_revision::names::{Argument, NameError, Names};
use adit_text::date::{Clock, LocalZone, approxidate, parse_expiry};
use adit_text::quote::sq_quote;
use bstr::{BStr, BString, ByteSlice};

use crate::context::{Context, Streams};
use crate::error::Error;
use crate::names::{Said, unknown_argument};
use crate::options::Usage;
use output::{Kind, Output, Symbolic};
use paths::PathFormat;

const USAGE: Usage = Usage {
    name: "rev-parse",
    synopsis: &[
        "git rev-parse --parseopt [<options>] -- [<args>...]",
        "git rev-parse --sq-quote [<arg>...]",
        "git rev-parse [<options>] [<arg>...]",
    ],
};

/// Runs the command.
pub fn run(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    match args.first().map(|first| first.as_slice()) {
        Some(b"--parseopt") => return parseopt::run(ctx, &args[1..]),
        Some(b"--sq-quote") => return quote_words(ctx, &args[1..]),
        Some(b"-h") if args.len() == 1 => return Err(Error::help_asked().with_usage(USAGE.head())),
        _ => {}
    }
    let Some(start) = run_outside(ctx, args)? else { return Ok(0) };
    ctx.open_repository()?;
    let repo = ctx.repo()?;
    let context = repo.name_context()?;
    let Streams { out, err, .. } = &mut ctx.streams;
    let said = Said::new(err);
    let names = context.names(&said)?;
    let output = Output::new(&repo, names, &said, out);
    let parser = Parser {
        repo: &repo,
        output,
        words: args[start..].iter(),
        paths_follow: Paths::No,
        options_ended: false,
        has_dashes: args.iter().any(|word| word == "--"),
        verify: None,
        exclusions: Exclusions::default(),
        hidden: false,
        path_format: PathFormat::Default,
    };
    parser.run()
}

/// The options that need no repository, which may come first. The number of words read; `None` when all is done.
fn run_outside(ctx: &mut Context<'_>, args: &[BString]) -> Result<Option<usize>, Error> {
    let mut at = 0;
    while let Some(word) = args.get(at) {
        match word.as_slice() {
            b"--local-env-vars" => {
                for name in paths::LOCAL_VARIABLES {
                    writeln!(ctx.streams.out, "{name}")?;
                }
                at += 1;
            }
            b"--resolve-git-dir" => {
                let path = args.get(at + 1).ok_or_else(|| needs_argument("--resolve-git-dir"))?;
                let found = paths::resolve_git_dir(&ctx.env, path.as_bstr())?;
                writeln!(ctx.streams.out, "{found}")?;
                at += 2;
            }
            _ => break,
        }
    }
    Ok((at == 0 || at < args.len()).then_some(at))
}

fn quote_words(ctx: &mut Context<'_>, words: &[BString]) -> Result<u8, Error> {
    let mut line = Vec::new();
    for word in words {
        line.push(b' ');
        sq_quote(word, &mut line);
    }
    line.push(b'\n');
    ctx.streams.out.write_all(&line)?;
    Ok(0)
}

fn needs_argument(option: &str) -> Error {
    Error::fatal(format!("{option} requires an argument"))
}

/// Whether what is left are paths.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Paths {
    No,
    /// A word was no revision: it and all after it must be there as files.
    Checked,
    /// After `--`.
    Unchecked,
}

/// `--verify`: just one revision is wanted.
struct Verify {
    quiet: bool,
    found: Vec<(adit_object::ObjectId, BString, bool)>,
}

struct Parser<'a> {
    repo: &'a Repository,
    output: Output<'a>,
    words: std::slice::Iter<'a, BString>,
    paths_follow: Paths,
    options_ended: bool,
    has_dashes: bool,
    verify: Option<Verify>,
    exclusions: Exclusions,
    hidden: bool,
    path_format: PathFormat,
}

impl<'a> Parser<'a> {
    fn run(mut self) -> Result<u8, Error> {
        while let Some(word) = self.words.next() {
            if self.paths_follow != Paths::No {
                if self.output.file(word)? && self.paths_follow == Paths::Checked {
                    self.check_file(word, false)?;
                }
                continue;
            }
            if word == "--" {
                self.paths_follow = Paths::Unchecked;
                self.output.separator(word)?;
            } else if !self.options_ended && word.starts_with(b"-") {
                if let Step::End(status) = self.option(word)? {
                    return Ok(status);
                }
            } else {
                self.argument(word)?;
            }
        }
        self.finish()
    }

    fn finish(mut self) -> Result<u8, Error> {
        let Some(verify) = self.verify.take() else {
            self.output.default()?;
            return Ok(0);
        };
        match verify.found.as_slice() {
            [(id, name, negated)] => {
                let kind = if *negated { Kind::Excluded } else { Kind::Included };
                self.output.revision(kind, id, Some(name.as_bstr()))?;
                Ok(0)
            }
            [] if self.output.default()? => Ok(0),
            _ => Err(no_single_revision(verify.quiet)),
        }
    }

    fn quiet_names(&self) -> Names<'a> {
        match &self.verify {
            Some(verify) if verify.quiet => self.output.names.quiet(),
            _ => self.output.names,
        }
    }

    /// A word that is no option: a revision, a range, or a path.
    fn argument(&mut self, word: &'a BString) -> Result<(), Error> {
        let names = self.quiet_names();
        if let Some(range) = names.read_range(word)? {
            if self.show_range(range)? {
                return Ok(());
            }
        } else if !word.starts_with(b"^")
            && let Some(parents) = names.read_parents(word)?
        {
            return self.output.parents(parents);
        }
        let (negated, name) = match word.strip_prefix(b"^") {
            Some(name) => (true, name.as_bstr()),
            None => (false, word.as_bstr()),
        };
        match names.resolve(name) {
            Ok(id) => match &mut self.verify {
                Some(verify) => {
                    verify.found.push((id, name.to_owned(), negated));
                    Ok(())
                }
                None => {
                    let kind = if negated { Kind::Excluded } else { Kind::Included };
                    self.output.revision(kind, &id, Some(name))
                }
            },
            Err(NameError::Unknown) => self.not_a_revision(word),
            // A question that is asked quietly fails quietly.
            Err(NameError::Refused(_)) if names.is_quiet() => Err(Error::Exit(128)),
            Err(error) => Err(error.into()),
        }
    }

    fn show_range(&mut self, range: Argument) -> Result<bool, Error> {
        match range {
            Argument::Range { from, to } => {
                self.output.revision(Kind::Included, &to.id, Some(to.name.as_bstr()))?;
                self.output.revision(Kind::Excluded, &from.id, Some(from.name.as_bstr()))?;
            }
            Argument::Symmetric { left, right } => {
                self.output.revision(Kind::Included, &right.id, Some(right.name.as_bstr()))?;
                self.output.revision(Kind::Included, &left.id, Some(left.name.as_bstr()))?;
                let names = self.quiet_names();
                let ends = (names.commit_of(&left.id), names.commit_of(&right.id));
                let (a, b) = match ends {
                    (Ok(a), Ok(b)) => (a, b),
                    (Err(NameError::Unknown), _) | (_, Err(NameError::Unknown)) => return Ok(false),
                    (Err(error), _) | (_, Err(error)) => return Err(error.into()),
                };
                for base in self.repo.merge_bases(&a, &[b])? {
                    self.output.revision(Kind::Excluded, &base, None)?;
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn not_a_revision(&mut self, word: &'a BString) -> Result<(), Error> {
        if let Some(verify) = &self.verify {
            return Err(no_single_revision(verify.quiet));
        }
        if self.has_dashes {
            return Err(Error::fatal(format!("bad revision '{word}'")));
        }
        self.paths_follow = Paths::Checked;
        if self.output.file(word)? { self.check_file(word, true) } else { Ok(()) }
    }

    /// Ends the command unless there is a file of that name; the `first` path could have been meant as a revision.
    fn check_file(&self, word: &BString, first: bool) -> Result<(), Error> {
        if word.starts_with(b"-") {
            return Err(Error::fatal(format!("option '{word}' must come before non-option arguments")));
        }
        let path = paths::as_path(self.repo, self.output.prefix.as_ref(), word.as_bstr());
        if looks_like_pathspec(word) || std::fs::symlink_metadata(path).is_ok() {
            return Ok(());
        }
        if first {
            return Err(unknown_argument(self.repo, &self.output.names, word.as_bstr())?);
        }
        Err(Error::fatal(format!(
            "{word}: no such path in the working tree.\n\
             Use 'git <command> -- <path>...' to specify paths that do not exist locally."
        )))
    }
}

/// Magic and wildcards make a word a pathspec, whether or not there is a file of that name.
fn looks_like_pathspec(word: &[u8]) -> bool {
    let unescaped_star = word
        .iter()
        .enumerate()
        .any(|(at, &b)| matches!(b, b'*' | b'?' | b'[') && (at == 0 || word[at - 1] != b'\\'));
    unescaped_star || word.starts_with(b":(")
}

fn no_single_revision(quiet: bool) -> Error {
    if quiet { Error::Exit(1) } else { Error::fatal("Needed a single revision") }
}

/// What became of a word that looks like an option.
enum Step {
    Taken,
    End(u8),
}

impl<'a> Parser<'a> {
    fn option(&mut self, word: &'a BString) -> Result<Step, Error> {
        if let Some(step) = self.mode_option(word)? {
            return Ok(step);
        }
        if let Some(step) = self.reference_option(word)? {
            return Ok(step);
        }
        if self.path_option(word)? {
            return Ok(Step::Taken);
        }
        // A lone dash, or an option of another command.
        self.output.flag(word)?;
        if let Some(verify) = &self.verify {
            return Err(no_single_revision(verify.quiet));
        }
        Ok(Step::Taken)
    }

    fn value(&mut self, option: &str) -> Result<&'a BString, Error> {
        self.words.next().ok_or_else(|| needs_argument(option))
    }

    /// Options that change how the rest is read and printed.
    fn mode_option(&mut self, word: &'a BString) -> Result<Option<Step>, Error> {
        match word.as_slice() {
            b"--end-of-options" => {
                self.options_ended = true;
                self.output.separator(word)?;
            }
            b"-n" => {
                let value = self.value("-n")?;
                self.output.rev_list_option(word)?;
                self.output.rev_list_option(value)?;
            }
            b"--flags" => self.output.filter.files = false,
            b"--no-flags" => self.output.filter.flags = false,
            b"--revs-only" => self.output.filter.others = false,
            b"--no-revs" => self.output.filter.revisions = false,
            b"--default" => self.output.default = Some(self.value("--default")?.clone()),
            b"--prefix" => {
                let prefix = self.value("--prefix")?;
                self.output.names = self.output.names.with_prefix(prefix.as_bstr());
                self.output.prefix = Some(prefix.clone());
            }
            b"--verify" => self.verify_one(),
            b"-q" | b"--quiet" => self.set_quiet(),
            b"--sq" => self.output.quoted = true,
            b"--not" => self.output.negate(),
            b"--symbolic" => self.output.symbolic = Symbolic::AsGiven,
            b"--symbolic-full-name" => self.output.symbolic = Symbolic::FullName,
            b"--local-env-vars" => {
                paths::LOCAL_VARIABLES.iter().try_for_each(|name| self.output.line(name))?
            }
            b"--resolve-git-dir" => {
                let path = self.value("--resolve-git-dir")?;
                let found = paths::resolve_git_dir(self.repo.env(), path.as_bstr())?;
                self.output.line(&found)?;
            }
            _ => return self.valued_mode_option(word),
        }
        Ok(Some(Step::Taken))
    }

    fn valued_mode_option(&mut self, word: &'a BString) -> Result<Option<Step>, Error> {
        if word.starts_with(b"-n") {
            self.output.rev_list_option(word)?;
        } else if let Some(mode) = optional_value(word, "--short") {
            self.verify_one();
            self.output.abbreviation = Some(self.abbreviation(mode)?);
        } else if let Some(mode) = optional_value(word, "--abbrev-ref") {
            self.output.symbolic = Symbolic::Short { strict: self.is_strict(mode)? };
        } else if let Some(mode) = optional_value(word, "--output-object-format") {
            let mode = mode.ok_or_else(|| Error::fatal("no object format specified"))?;
            if mode != "storage" && mode != self.repo.object_format().as_str() {
                return Err(Error::fatal(format!("unsupported object format: {mode}")));
            }
        } else if let Some(text) = date_value(word, &["--since=", "--after="]) {
            let text = format!("--max-age={}", self.seconds(text));
            self.output.rev_list_option(text.as_bytes().as_bstr())?;
        } else if let Some(text) = date_value(word, &["--until=", "--before="]) {
            let text = format!("--min-age={}", self.seconds(text));
            self.output.rev_list_option(text.as_bytes().as_bstr())?;
        } else {
            return Ok(None);
        }
        Ok(Some(Step::Taken))
    }

    fn verify_one(&mut self) {
        self.output.filter.flags = false;
        self.output.filter.others = false;
        let quiet = self.output.quiet;
        self.verify.get_or_insert(Verify { quiet, found: Vec::new() });
    }

    fn set_quiet(&mut self) {
        self.output.quiet = true;
        if let Some(verify) = &mut self.verify {
            verify.quiet = true;
        }
    }

    fn abbreviation(&self, value: Option<&BStr>) -> Result<usize, Error> {
        let Some(value) = value else { return Ok(self.repo.abbrev()?) };
        let digits: Vec<u8> = value.bytes().take_while(u8::is_ascii_digit).collect();
        let len = std::str::from_utf8(&digits).ok().and_then(|digits| digits.parse().ok());
        let len: usize = if digits.is_empty() { 0 } else { len.unwrap_or(usize::MAX) };
        Ok(len.clamp(adit::MIN_ABBREV, self.repo.object_format().hex_len()))
    }

    fn is_strict(&self, mode: Option<&BStr>) -> Result<bool, Error> {
        match mode.map(|mode| mode.as_bytes()) {
            None => Ok(self.repo.warns_of_ambiguous_references()?),
            Some(b"strict") => Ok(true),
            Some(b"loose") => Ok(false),
            Some(other) => Err(Error::fatal(format!("unknown mode for --abbrev-ref: {}", other.as_bstr()))),
        }
    }

    fn seconds(&self, text: &BStr) -> u64 {
        let zone = LocalZone::from_tz(self.repo.env().var("TZ").map(|tz| tz.to_str_lossy()).as_deref());
        let clock = Clock { now: self.repo.env().now(), zone: &zone };
        match text.as_bytes() {
            b"never" | b"false" => parse_expiry(text, clock).unwrap_or(0),
            _ => approxidate(text, clock).seconds,
        }
    }

    /// Options that stand for many references or objects.
    fn reference_option(&mut self, word: &'a BString) -> Result<Option<Step>, Error> {
        if let Some(pattern) = word.strip_prefix(b"--exclude=") {
            self.exclusions.add(pattern);
            return Ok(Some(Step::Taken));
        }
        if let Some(section) = word.strip_prefix(b"--exclude-hidden=") {
            self.exclude_hidden(section.as_bstr())?;
            return Ok(Some(Step::Taken));
        }
        if let Some(prefix) = word.strip_prefix(b"--disambiguate=") {
            if let Ok(prefix) = Prefix::from_hex(self.repo.object_format(), prefix) {
                for id in self.output.names.all_with_prefix(&prefix)? {
                    self.output.revision(Kind::Included, &id, None)?;
                }
            }
            return Ok(Some(Step::Taken));
        }
        if word == "--bisect" {
            self.show_bisected()?;
            return Ok(Some(Step::Taken));
        }
        let folders =
            [("--branches", "refs/heads/"), ("--tags", "refs/tags/"), ("--remotes", "refs/remotes/")];
        let mut selection = None;
        for (option, folder) in folders {
            if let Some(pattern) = optional_value(word, option) {
                if self.hidden {
                    self.output
                        .said
                        .error(&format!("options '--exclude-hidden' and '{option}' cannot be used together"));
                    return Ok(Some(Step::End(255)));
                }
                selection = Some(Selection::under(folder, pattern.map(|p| p.as_bytes())));
            }
        }
        if let Some(pattern) = word.strip_prefix(b"--glob=") {
            selection = Some(Selection::glob(pattern));
        } else if word == "--all" {
            selection = Some(Selection::all());
        }
        let Some(selection) = selection else { return Ok(None) };
        self.show_selection(&selection)?;
        Ok(Some(Step::Taken))
    }

    fn exclude_hidden(&mut self, section: &BStr) -> Result<(), Error> {
        if !matches!(section.as_bytes(), b"fetch" | b"receive" | b"uploadpack") {
            return Err(Error::fatal(format!("unsupported section for hidden refs: {section}")));
        }
        if self.hidden {
            return Err(Error::fatal("--exclude-hidden= passed more than once"));
        }
        self.hidden = true;
        let own = format!("{section}.hiderefs");
        let entries = self.repo.config().entries().iter();
        let values = entries.filter(|entry| entry.name == "transfer.hiderefs" || entry.name == own);
        self.exclusions.hide(values.filter_map(|entry| entry.value.clone()));
        Ok(())
    }

    fn show_selection(&mut self, selection: &Selection) -> Result<(), Error> {
        let refs = self.repo.refs()?;
        let objects = self.repo.objects()?;
        let (output, exclusions) = (&mut self.output, &self.exclusions);
        selection.for_each(refs, |name, entry| {
            let Some(id) = refs.entry_id(entry)?.filter(|id| !id.is_null()) else { return Ok(()) };
            if !objects.contains(&id) {
                output.said.error(&format!("{} does not point to a valid object!", entry.name));
                return Ok(());
            }
            if exclusions.excludes(name) { Ok(()) } else { output.revision(Kind::Included, &id, Some(name)) }
        })?;
        self.exclusions.clear();
        self.hidden = false;
        Ok(())
    }

    /// What bisection has found out: the bad commit, and the good ones to leave out.
    fn show_bisected(&mut self) -> Result<(), Error> {
        for (name, id, good) in crate::revisions::bisected(self.repo)? {
            let kind = if good { Kind::Excluded } else { Kind::Included };
            self.output.revision(kind, &id, Some(name.as_bstr()))?;
        }
        Ok(())
    }

    /// Options that tell where and what the repository is.
    fn path_option(&mut self, word: &'a BString) -> Result<bool, Error> {
        if let Some(mode) = optional_value(word, "--path-format") {
            let mode = mode.ok_or_else(|| needs_argument("--path-format"))?;
            self.path_format = PathFormat::parse(mode)?;
            return Ok(true);
        }
        if word == "--git-path" {
            let path = self.value("--git-path")?;
            let shown = paths::git_path(self.repo, path.as_bstr(), self.path_format);
            self.output.line(&shown)?;
            return Ok(true);
        }
        match paths::answer(self.repo, word.as_bstr(), self.path_format)? {
            Some(Some(text)) => self.output.line(&text)?,
            Some(None) => {}
            None => return Ok(false),
        }
        Ok(true)
    }
}

/// The value of `--name=<value>`; `Some(None)` for `--name` alone.
fn optional_value<'w>(word: &'w BString, name: &str) -> Option<Option<&'w BStr>> {
    let rest = word.strip_prefix(name.as_bytes())?;
    if rest.is_empty() { Some(None) } else { rest.strip_prefix(b"=").map(|value| Some(value.as_bstr())) }
}

fn date_value<'w>(word: &'w BString, names: &[&str]) -> Option<&'w BStr> {
    names.iter().find_map(|name| word.strip_prefix(name.as_bytes())).map(ByteSlice::as_bstr)
}
