//! Where a walk starts: what revisions, ranges and the options that stand for many references mean here.

use adit::Repository;
use adit_diff::pathspec::Pathspec;
use adit_object::{ObjectId, ObjectKind, Source, SourceError, Tag};
use adit_odb::Store;
use adit_refs::select::{Exclusions, Selection};
use adit_revision::Tip;
use adit_revision::names::{Argument, Logged, NameError, Names, Want};
use bstr::{BStr, BString, ByteSlice};

use crate::context::Context;
use crate::error::Error;
use crate::names::{Said, unknown_argument};
use crate::options::Args;
use crate::options::revision::{self, Item, RevisionOptions};

/// An object that was named.
#[derive(Debug, Clone)]
pub struct Named {
    /// The object, which may be no commit.
    pub id: ObjectId,
    /// What it was called.
    pub name: BString,
    /// The path in a tree by which it was called (`HEAD:path`).
    pub path: Option<BString>,
    /// Its mode, when it was called so.
    pub mode: Option<u32>,
    /// Whether what it reaches is left out.
    pub excluded: bool,
    /// Whether it is the left end of a symmetric range.
    pub left: bool,
}

/// What a command line names.
#[derive(Debug, Default)]
pub struct Start {
    /// The objects, in order.
    pub objects: Vec<Named>,
    /// Whether anything but paths was named, even if it stands for nothing.
    pub said: bool,
    /// The paths, as they were given.
    pub paths: Vec<BString>,
    /// The logs to walk, in order, when reflogs are walked.
    pub logs: Vec<Logged>,
}

/// The starts of a walk by what they are.
#[derive(Debug, Default)]
pub struct Roots {
    /// Commits, tags followed.
    pub tips: Vec<Tip>,
    /// What each of them was called.
    pub names: Vec<BString>,
    /// Tags that were passed on the way, and trees and blobs, in order.
    pub others: Vec<OtherRoot>,
}

/// A tag, tree or blob from which objects are listed.
#[derive(Debug, Clone)]
pub struct OtherRoot {
    /// The object.
    pub id: ObjectId,
    /// What it is.
    pub kind: ObjectKind,
    /// The name of a tag, or the path of a tree or blob.
    pub name: BString,
    /// Whether it and what it holds is left out.
    pub excluded: bool,
}

impl Start {
    /// Looks up what `options` name; `paths` are the words after `--`, when there was one.
    ///
    /// # Errors
    /// When a name leads nowhere.
    pub fn find(
        ctx: &mut Context<'_>,
        repo: &Repository,
        options: &RevisionOptions,
        paths: Option<&[BString]>,
    ) -> Result<Self, Error> {
        let mut lines = if options.stdin { read_lines(ctx)? } else { Lines::default() };
        let context = repo.name_context()?;
        let said = Said::new(&mut *ctx.streams.err);
        let names = context.names(&said)?;
        let mut finder = Finder {
            repo,
            names,
            start: Start::default(),
            not: false,
            out: Exclusions::default(),
            single: options.items.contains(&Item::SingleWorktree),
            ignore_missing: options.ignore_missing,
            reflogs: false,
            said: &said,
        };
        let mut items = options.items.iter();
        while let Some(item) = items.next() {
            let Item::Word(word, _) = item else {
                finder.many(item)?;
                continue;
            };
            if finder.revision(word.as_bstr())? {
                if paths.is_none() {
                    finder.check_is_no_file(word.as_bstr())?;
                }
                continue;
            }
            if paths.is_some() {
                return Err(Error::fatal(format!("bad revision '{word}'")));
            }
            finder.path(word)?;
            for item in items.by_ref() {
                if let Item::Word(word, _) = item {
                    finder.path(word)?;
                }
            }
        }
        // What holds for words on the command line does not hold for lines of the input.
        finder.not = false;
        for item in &lines.items {
            match item {
                Item::Word(word, _) if !finder.revision(word.as_bstr())? => {
                    return Err(Error::fatal(format!("bad revision '{word}'")));
                }
                Item::Word(..) => {}
                item => finder.many(item)?,
            }
        }
        finder.start.said |= options.stdin;
        finder.start.paths.extend_from_slice(paths.unwrap_or_default());
        finder.start.paths.append(&mut lines.paths);
        if options.reflogs {
            options.check_reflogs(repo.commit_table()?.has_generations())?;
        }
        Ok(finder.start)
    }

    /// Adds the log of `HEAD`.
    ///
    /// # Errors
    /// When references cannot be read.
    pub fn add_log_of_head(&mut self, ctx: &mut Context<'_>, repo: &Repository) -> Result<(), Error> {
        let context = repo.name_context()?;
        let said = Said::new(&mut *ctx.streams.err);
        self.logs.extend(context.names(&said)?.logged(b"HEAD")?);
        Ok(())
    }

    /// The pathspec that the paths make, from the folder in which the command runs.
    ///
    /// # Errors
    /// When one of them is no pathspec.
    pub fn pathspec(&self, repo: &Repository) -> Result<Pathspec, Error> {
        crate::pathspecs::read(repo, &self.paths)
    }

    /// The commits among the objects, tags followed, and the name of each.
    ///
    /// # Errors
    /// When an object cannot be read.
    pub fn tips(&self, repo: &Repository) -> Result<(Vec<Tip>, Vec<BString>), Error> {
        let roots = self.roots(repo, false)?;
        Ok((roots.tips, roots.names))
    }

    /// All objects, tags followed. One that is missing is passed over when `ignore_missing`.
    ///
    /// # Errors
    /// When an object cannot be read.
    pub fn roots(&self, repo: &Repository, ignore_missing: bool) -> Result<Roots, Error> {
        let objects = repo.objects()?;
        let mut roots = Roots::default();
        for named in &self.objects {
            match roots.add(objects, named) {
                Ok(()) => {}
                Err(SourceError::Missing(id)) if ignore_missing || (named.excluded && id != named.id) => {}
                Err(SourceError::Missing(id)) if id == named.id => {
                    return Err(Error::fatal(format!("bad object {}", named.name)));
                }
                Err(SourceError::Missing(id)) => return Err(Error::fatal(format!("bad object {id}"))),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(roots)
    }
}

impl Roots {
    fn add(&mut self, objects: &Store, named: &Named) -> Result<(), SourceError> {
        let mut id = named.id;
        let mut content = Vec::new();
        let mut name = named.path.clone().unwrap_or_default();
        loop {
            let kind = objects.header(&id)?.kind;
            let excluded = named.excluded;
            match kind {
                ObjectKind::Commit => {
                    self.tips.push(Tip { id, excluded, left: named.left });
                    self.names.push(named.name.clone());
                    return Ok(());
                }
                ObjectKind::Tree | ObjectKind::Blob => {
                    self.others.push(OtherRoot { id, kind, name, excluded });
                    return Ok(());
                }
                ObjectKind::Tag => {
                    objects.read(&id, &mut content)?;
                    let tag = Tag::parse(id.format(), &content)
                        .map_err(|error| SourceError::Malformed { id, error })?;
                    let tag_name = tag.name().unwrap_or_default().to_owned();
                    self.others.push(OtherRoot { id, kind, name: tag_name, excluded });
                    id = tag.target();
                    name.clear();
                }
            }
        }
    }
}

/// What was read from standard input.
#[derive(Default)]
struct Lines {
    items: Vec<Item>,
    paths: Vec<BString>,
}

/// Reads revisions and options for many, one a line, and paths after a line `--`.
fn read_lines(ctx: &mut Context<'_>) -> Result<Lines, Error> {
    let mut options = RevisionOptions::default();
    let zone = ctx.local_zone();
    let clock = adit_text::date::Clock { now: ctx.env.now(), zone: &zone };
    let mut paths = None;
    let mut line = Vec::new();
    while ctx.streams.input.read_until(b'\n', &mut line)? > 0 {
        let word = BString::from(line.strip_suffix(b"\n").unwrap_or(&line));
        line.clear();
        if let Some(paths) = &mut paths {
            Vec::push(paths, word);
            continue;
        }
        if word.is_empty() {
            break;
        }
        if word == "--" {
            paths = Some(Vec::new());
            continue;
        }
        if !word.starts_with(b"-") {
            options.items.push(Item::Word(word, 0));
            continue;
        }
        let invalid = || Error::fatal(format!("invalid option '{word}' in --stdin mode"));
        let words = [word.clone()];
        let before = options.items.len();
        let given = revision::TABLE.take(&mut Args::new(&words))?.ok_or_else(invalid)?;
        options.apply(&given, clock)?;
        if options.items.len() == before || options.reflogs {
            return Err(invalid());
        }
    }
    Ok(Lines { items: options.items, paths: paths.unwrap_or_default() })
}

/// The commit behind tags; `None` when they lead to something else.
fn commit_behind(objects: &Store, mut id: ObjectId) -> Result<Option<ObjectId>, Error> {
    let mut content = Vec::new();
    loop {
        match objects.header(&id)?.kind {
            ObjectKind::Commit => return Ok(Some(id)),
            ObjectKind::Tag => {
                objects.read(&id, &mut content)?;
                let tag = Tag::parse(id.format(), &content);
                id = tag.map_err(|error| SourceError::Malformed { id, error })?.target();
            }
            ObjectKind::Tree | ObjectKind::Blob => return Ok(None),
        }
    }
}

/// How many logs are kept open as files, to be read only as far as is asked for.
const OPEN_LOGS: usize = 64;

struct Finder<'f> {
    repo: &'f Repository,
    names: Names<'f>,
    start: Start,
    /// `--not` is in force.
    not: bool,
    /// What the next option for many leaves out.
    out: Exclusions,
    /// Only this working tree counts.
    single: bool,
    ignore_missing: bool,
    /// Commits stand for the logs of what they are called.
    reflogs: bool,
    said: &'f Said<'f>,
}

impl Finder<'_> {
    fn add(&mut self, id: ObjectId, name: &BStr, excluded: bool, left: bool) -> Result<(), Error> {
        let excluded = excluded != self.not;
        let is_commit = |header: adit_object::Header| header.kind == ObjectKind::Commit;
        if self.reflogs && self.repo.objects()?.try_header(&id)?.is_some_and(is_commit) {
            if excluded {
                return Err(Error::fatal(format!("cannot walk reflogs for {name}")));
            }
            return self.add_log(name);
        }
        self.start.objects.push(Named { id, name: name.to_owned(), path: None, mode: None, excluded, left });
        Ok(())
    }

    /// Adds the log of a reference, if it has one.
    fn add_log(&mut self, name: &BStr) -> Result<(), Error> {
        let Some(mut logged) = self.names.logged(name)? else { return Ok(()) };
        if self.start.logs.len() >= OPEN_LOGS {
            logged.log.load()?;
        }
        self.start.logs.push(logged);
        Ok(())
    }

    /// Takes a word as a revision or range; false when it is none.
    fn revision(&mut self, word: &BStr) -> Result<bool, Error> {
        let argument = match self.names.read_argument(word) {
            Ok(argument) => argument,
            Err(NameError::Unknown) if self.ignore_missing => return Ok(true),
            Err(NameError::Unknown) => return Ok(false),
            Err(error) => return Err(error.into()),
        };
        self.start.said = true;
        match argument {
            Argument::One(tip) => {
                self.add(tip.id, tip.name.as_bstr(), tip.excluded, false)?;
                if tip.name.contains(&b':') {
                    let entry = self.names.quiet().resolve_entry(&tip.name, Want::Any);
                    if let (Ok(entry), Some(named)) = (entry, self.start.objects.last_mut()) {
                        (named.path, named.mode) = (entry.path, entry.mode);
                    }
                }
            }
            Argument::Range { from, to } => {
                self.add(from.id, from.name.as_bstr(), true, false)?;
                self.add(to.id, to.name.as_bstr(), false, false)?;
            }
            Argument::Symmetric { left, right } => {
                let (objects, mut ends) = (self.repo.objects()?, Vec::new());
                for end in [&left, &right] {
                    let commit = commit_behind(objects, end.id)?;
                    ends.push(commit.ok_or_else(|| Error::fatal(format!("{word}: not a range of commits")))?);
                }
                for base in self.repo.merge_bases(&ends[0], &ends[1..])? {
                    self.add(base, base.to_string().as_bytes().as_bstr(), true, false)?;
                }
                self.add(left.id, left.name.as_bstr(), false, true)?;
                self.add(right.id, right.name.as_bstr(), false, false)?;
            }
            Argument::Parents(tips) | Argument::Only(tips) => {
                for tip in tips {
                    self.add(tip.id, tip.name.as_bstr(), tip.excluded, false)?;
                }
            }
            Argument::Without { parent, commit, .. } => {
                self.add(parent.id, parent.name.as_bstr(), true, false)?;
                self.add(commit.id, commit.name.as_bstr(), false, false)?;
            }
        }
        Ok(true)
    }

    /// Refuses a revision that could be a file of the same name.
    fn check_is_no_file(&self, word: &BStr) -> Result<(), Error> {
        let repo = self.repo;
        if !repo.is_inside_work_tree() || repo.is_inside_git_dir() || !self.exists(word) {
            return Ok(());
        }
        Err(Error::fatal(format!(
            "ambiguous argument '{word}': both revision and filename\n\
             Use '--' to separate paths from revisions, like this:\n\
             'git <command> [<revision>...] -- [<file>...]'"
        )))
    }

    fn exists(&self, word: &BStr) -> bool {
        std::fs::symlink_metadata(self.repo.env().cwd().join(word.to_path_lossy())).is_ok()
    }

    /// Takes a word that is no revision as a path, which must exist since nothing else says that it is one.
    fn path(&mut self, word: &BString) -> Result<(), Error> {
        let is_magic = word.starts_with(b":") || adit_text::wildmatch::has_wildcard(word);
        if !is_magic && !self.exists(word.as_bstr()) {
            if self.start.paths.is_empty() {
                return Err(unknown_argument(self.repo, &self.names, word.as_bstr())?);
            }
            return Err(Error::fatal(format!(
                "{word}: no such path in the working tree.\n\
                 Use 'git <command> -- <path>...' to specify paths that do not exist locally."
            )));
        }
        self.start.paths.push(word.clone());
        Ok(())
    }

    /// Takes an option that stands for many references, or changes what follows.
    fn many(&mut self, item: &Item) -> Result<(), Error> {
        match item {
            Item::Not => self.not = !self.not,
            Item::Exclude(pattern) => self.out.add(pattern),
            Item::ExcludeHidden(section) => self.exclude_hidden(section.as_bstr())?,
            Item::All => {
                self.select(&Selection::all())?;
                self.heads()?;
                self.out.clear();
            }
            Item::Under(folder, pattern) => {
                self.select(&Selection::under(folder, pattern.as_ref().map(|p| p.as_bytes())))?;
                self.out.clear();
            }
            Item::Glob(pattern) => {
                self.select(&Selection::glob(pattern))?;
                self.out.clear();
            }
            Item::Reflog => self.reflogs()?,
            Item::Bisect => self.bisection()?,
            Item::WalkReflogs => self.reflogs = true,
            Item::AlternateRefs => return Err(Error::unsupported("--alternate-refs")),
            Item::SingleWorktree | Item::Word(..) => {}
        }
        Ok(())
    }

    fn select(&mut self, selection: &Selection) -> Result<(), Error> {
        self.start.said = true;
        let refs = self.repo.refs()?;
        let mut found = Vec::new();
        selection.for_each(refs, |shown, entry| {
            if !self.out.excludes(shown)
                && let Some(id) = refs.entry_id(entry)?
            {
                let name = if self.reflogs { shown } else { entry.name };
                found.push((id, name.to_owned()));
            }
            Ok::<(), Error>(())
        })?;
        for (id, name) in found {
            self.add(id, name.as_bstr(), false, false)?;
        }
        Ok(())
    }

    /// What this working tree and the others are on.
    fn heads(&mut self) -> Result<(), Error> {
        let refs = self.repo.refs()?;
        if !self.out.excludes("HEAD".into())
            && let Some(id) = refs.head()?.id()
        {
            self.add(id, BStr::new("HEAD"), false, false)?;
        }
        let Ok(folders) = std::fs::read_dir(self.repo.common_dir().join("worktrees")) else { return Ok(()) };
        if self.single {
            return Ok(());
        }
        let mut names: Vec<BString> = vec!["main-worktree/HEAD".into()];
        for folder in folders.flatten() {
            let name = folder.file_name();
            names.push(format!("worktrees/{}/HEAD", name.to_string_lossy()).into());
        }
        names.sort();
        for name in names {
            if let Some(head) = refs.resolve(&name)? {
                self.add(head.id, name.as_bstr(), false, false)?;
            }
        }
        Ok(())
    }

    fn exclude_hidden(&mut self, section: &BStr) -> Result<(), Error> {
        if !matches!(section.as_bytes(), b"fetch" | b"receive" | b"uploadpack") {
            return Err(Error::fatal(format!("unsupported section for hidden refs: {section}")));
        }
        let own = format!("{section}.hiderefs");
        let entries = self.repo.config().entries().iter();
        let values = entries.filter(|entry| entry.name == "transfer.hiderefs" || entry.name == own.as_str());
        self.out.hide(values.filter_map(|entry| entry.value.clone()));
        Ok(())
    }

    /// Everything that references have stood at and that is still here.
    fn reflogs(&mut self) -> Result<(), Error> {
        let (refs, objects) = (self.repo.refs()?, self.repo.objects()?);
        let mut found = Vec::new();
        for name in refs.reflog_names()? {
            let Some(log) = refs.reflog(&name)? else { continue };
            let mut entries = log.forward();
            let mut pruned = false;
            while let Some(entry) = entries.advance()? {
                for id in [entry.old, entry.new].into_iter().filter(|id| !id.is_null()) {
                    if objects.contains(&id) {
                        found.push(id);
                    } else {
                        pruned = true;
                    }
                }
            }
            if pruned {
                self.said.warning(&format_args!("reflog of '{name}' references pruned commits"));
            }
        }
        for id in found {
            self.add(id, BStr::new(""), false, false)?;
            // Logs that are found this way do not keep `HEAD` from being walked.
            self.start.said |= !self.start.objects.is_empty();
        }
        Ok(())
    }

    /// The bad commit of a bisection, without what the good ones reach.
    fn bisection(&mut self) -> Result<(), Error> {
        self.start.said = true;
        for (name, id, good) in bisected(self.repo)? {
            self.add(id, name.as_bstr(), good, false)?;
        }
        Ok(())
    }
}

/// The references of a bisection, and whether what each reaches is known to be good; bad ones first.
///
/// # Errors
/// When references cannot be read.
pub fn bisected(repo: &Repository) -> Result<Vec<(BString, ObjectId, bool)>, Error> {
    let terms = std::fs::read(repo.git_dir().join("BISECT_TERMS")).unwrap_or_default();
    let mut terms = terms.lines();
    let bad = terms.next().unwrap_or(b"bad");
    let good = terms.next().unwrap_or(b"good");
    let refs = repo.refs()?;
    let mut found = Vec::new();
    for (term, is_good) in [(bad, false), (good, true)] {
        let mut entries = refs.iter(&[b"refs/bisect/", term].concat())?;
        while let Some(entry) = entries.advance()? {
            if let Some(id) = refs.entry_id(&entry)? {
                found.push((entry.name.to_owned(), id, is_good));
            }
        }
    }
    Ok(found)
}
