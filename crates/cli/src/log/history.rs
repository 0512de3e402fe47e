//! Where a walk starts: what revisions, ranges and the options that stand for many references mean here.

use adit::Repository;
use adit_diff::pathspec::Pathspec;
use adit_object::{ObjectId, ObjectKind, Source, Tag};
use adit_refs::select::{Exclusions, Selection};
use adit_revision::Tip;
use adit_revision::names::{Argument, NameError, Names};
use bstr::{BStr, BString, ByteSlice};

use crate::context::Context;
use crate::error::Error;
use crate::names::{Said, unknown_argument};
use crate::options::revision::{Item, RevisionOptions};

/// An object that was named.
#[derive(Debug, Clone)]
pub struct Named {
    /// The object, which may be no commit.
    pub id: ObjectId,
    /// What it was called.
    pub name: BString,
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
        let context = repo.name_context()?;
        let said = Said::new(&mut *ctx.streams.err);
        let names = context.names(&said)?;
        let mut finder =
            Finder { repo, names, start: Start::default(), not: false, out: Exclusions::default() };
        let mut items = options.items.iter();
        while let Some(item) = items.next() {
            let Item::Word(word, _) = item else {
                finder.many(item)?;
                continue;
            };
            if finder.revision(word.as_bstr(), options.ignore_missing)? {
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
        finder.start.paths.extend_from_slice(paths.unwrap_or_default());
        Ok(finder.start)
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
        let mut found = (Vec::new(), Vec::new());
        for named in &self.objects {
            if let Some(id) = commit_behind(repo.objects()?, named.id)? {
                found.0.push(Tip { id, excluded: named.excluded, left: named.left });
                found.1.push(named.name.clone());
            }
        }
        Ok(found)
    }
}

/// The commit behind tags; `None` when they lead to something else.
fn commit_behind(objects: &adit_odb::Store, mut id: ObjectId) -> Result<Option<ObjectId>, Error> {
    let mut content = Vec::new();
    loop {
        match objects.header(&id)?.kind {
            ObjectKind::Commit => return Ok(Some(id)),
            ObjectKind::Tag => {
                objects.read(&id, &mut content)?;
                let tag = Tag::parse(id.format(), &content);
                id = tag.map_err(|error| adit_object::SourceError::Malformed { id, error })?.target();
            }
            ObjectKind::Tree | ObjectKind::Blob => return Ok(None),
        }
    }
}

struct Finder<'f> {
    repo: &'f Repository,
    names: Names<'f>,
    start: Start,
    /// `--not` is in force.
    not: bool,
    /// What the next option for many leaves out.
    out: Exclusions,
}

impl Finder<'_> {
    fn add(&mut self, id: ObjectId, name: &BStr, excluded: bool, left: bool) {
        self.start.objects.push(Named { id, name: name.to_owned(), excluded: excluded != self.not, left });
    }

    /// Takes a word as a revision or range; false when it is none.
    fn revision(&mut self, word: &BStr, ignore_missing: bool) -> Result<bool, Error> {
        let argument = match self.names.read_argument(word) {
            Ok(argument) => argument,
            Err(NameError::Unknown) if ignore_missing => return Ok(true),
            Err(NameError::Unknown) => return Ok(false),
            Err(error) => return Err(error.into()),
        };
        self.start.said = true;
        match argument {
            Argument::One(tip) => self.add(tip.id, tip.name.as_bstr(), tip.excluded, false),
            Argument::Range { from, to } => {
                self.add(from.id, from.name.as_bstr(), true, false);
                self.add(to.id, to.name.as_bstr(), false, false);
            }
            Argument::Symmetric { left, right } => {
                let (objects, mut ends) = (self.repo.objects()?, Vec::new());
                for end in [&left, &right] {
                    let commit = commit_behind(objects, end.id)?;
                    ends.push(commit.ok_or_else(|| Error::fatal(format!("{word}: not a range of commits")))?);
                }
                for base in self.repo.merge_bases(&ends[0], &ends[1..])? {
                    self.add(base, base.to_string().as_bytes().as_bstr(), true, false);
                }
                self.add(left.id, left.name.as_bstr(), false, true);
                self.add(right.id, right.name.as_bstr(), false, false);
            }
            Argument::Parents(tips) | Argument::Only(tips) => {
                for tip in tips {
                    self.add(tip.id, tip.name.as_bstr(), tip.excluded, false);
                }
            }
            Argument::Without { parent, commit, .. } => {
                self.add(parent.id, parent.name.as_bstr(), true, false);
                self.add(commit.id, commit.name.as_bstr(), false, false);
            }
        }
        Ok(true)
    }

    /// Takes a word that is no revision as a path, which must exist since nothing else says that it is one.
    fn path(&mut self, word: &BString) -> Result<(), Error> {
        let is_magic = word.starts_with(b":") || adit_text::wildmatch::has_wildcard(word);
        let exists = || std::fs::symlink_metadata(self.repo.env().cwd().join(word.to_path_lossy())).is_ok();
        if !is_magic && !exists() {
            return Err(unknown_argument(self.repo, &self.names, word.as_bstr())?);
        }
        self.start.paths.push(word.clone());
        Ok(())
    }

    /// Takes an option that stands for many references, or changes what follows.
    fn many(&mut self, item: &Item) -> Result<(), Error> {
        let selection = match item {
            Item::Not => {
                self.not = !self.not;
                return Ok(());
            }
            Item::Exclude(pattern) => {
                self.out.add(pattern);
                return Ok(());
            }
            Item::All => Selection::all(),
            Item::Under(folder, pattern) => Selection::under(folder, pattern.as_ref().map(|p| p.as_bytes())),
            Item::Glob(pattern) => Selection::glob(pattern),
            _ => return Err(Error::unsupported("an option for the start of a walk that was given")),
        };
        self.start.said = true;
        let refs = self.repo.refs()?;
        let mut found = Vec::new();
        selection.for_each(refs, |shown, entry| {
            if !self.out.excludes(shown)
                && let Some(id) = refs.entry_id(entry)?
            {
                found.push((id, entry.name.to_owned()));
            }
            Ok::<(), Error>(())
        })?;
        for (id, name) in found {
            self.add(id, name.as_bstr(), false, false);
        }
        if matches!(item, Item::All)
            && let Some(id) = refs.head()?.id()
        {
            self.add(id, BStr::new("HEAD"), false, false);
        }
        self.out.clear();
        Ok(())
    }
}
