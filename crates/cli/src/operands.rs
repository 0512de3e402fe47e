//! What `diff` and `diff-tree` compare: the trees, commits and blobs that their arguments name, and the paths.

use adit::Repository;
use adit_object::{Commit, ObjectId, ObjectKind, Source, SourceError, Tag};
use adit_revision::names::{Argument, NameError, Names, Tip, Want};
use bstr::{BStr, BString, ByteSlice};

use crate::context::Context;
use crate::error::Error;
use crate::names::{Said, unknown_argument};

/// An object that was named.
#[derive(Debug, Clone)]
pub struct Operand {
    /// The object.
    pub id: ObjectId,
    /// What it was called.
    pub name: BString,
    /// Whether it is the end that a range leaves out.
    pub excluded: bool,
    /// Whether it is an end of a range `a..b` or `a...b`.
    pub of_range: bool,
    /// Whether it was named as a parent (`a^@`, `a^!`, `a^-`).
    pub is_parent: bool,
    /// Its mode, when it was named by a path in a tree.
    pub mode: Option<u32>,
    /// That path.
    pub path: Option<BString>,
}

/// All that was named.
#[derive(Debug, Default)]
pub struct Operands {
    /// The objects, in order.
    pub objects: Vec<Operand>,
    /// The ends of a range `a...b`, when there was one.
    pub symmetric: Option<[ObjectId; 2]>,
    /// The paths, as they were given.
    pub paths: Vec<BString>,
}

impl Operands {
    /// Looks the words up; `paths` are those after `--`, when there was one.
    ///
    /// # Errors
    /// When a word is neither a revision nor a path.
    pub fn find(
        ctx: &mut Context<'_>,
        repo: &Repository,
        words: &[BString],
        paths: Option<&[BString]>,
    ) -> Result<Self, Error> {
        let context = repo.name_context()?;
        let said = Said::new(&mut *ctx.streams.err);
        let names = context.names(&said)?;
        let mut found = Operands::default();
        let exists =
            |word: &BString| std::fs::symlink_metadata(repo.env().cwd().join(word.to_path_lossy())).is_ok();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if found.revision(repo, &names, word)? {
                if paths.is_none() && !repo.is_bare() && repo.is_inside_work_tree() && exists(word) {
                    return Err(both(word.as_bstr()));
                }
                continue;
            }
            if paths.is_some() {
                return Err(Error::fatal(format!("bad revision '{word}'")));
            }
            for word in std::iter::once(word).chain(words.by_ref()) {
                let is_magic = word.starts_with(b":") || adit_text::wildmatch::has_wildcard(word);
                if !is_magic && !exists(word) {
                    return Err(unknown_argument(repo, &names, word.as_bstr())?);
                }
                found.paths.push(word.clone());
            }
        }
        found.paths.extend_from_slice(paths.unwrap_or_default());
        Ok(found)
    }

    /// Takes a word as an object or a range; false when it is none.
    fn revision(&mut self, repo: &Repository, names: &Names<'_>, word: &BString) -> Result<bool, Error> {
        match self.range(repo, names, word) {
            Ok(true) => return Ok(true),
            Ok(false) => {}
            Err(error) => return Err(error),
        }
        let (excluded, name) = match word.strip_prefix(b"^") {
            Some(name) => (true, name),
            None => (false, word.as_slice()),
        };
        let entry = match names.resolve_entry(name, Want::Any) {
            Ok(entry) => entry,
            Err(NameError::Unknown) => return Ok(false),
            Err(error) => return Err(error.into()),
        };
        self.objects.push(Operand {
            id: entry.id,
            name: name.into(),
            excluded,
            of_range: false,
            is_parent: false,
            mode: entry.mode,
            path: entry.path,
        });
        Ok(true)
    }

    fn range(&mut self, repo: &Repository, names: &Names<'_>, word: &BString) -> Result<bool, Error> {
        let argument = match names.read_range(word)? {
            Some(range) => Some(range),
            None => names.read_parents(word)?,
        };
        let Some(argument) = argument else { return Ok(false) };
        let start = self.objects.len();
        match argument {
            Argument::One(tip) => self.tip(tip),
            Argument::Range { from, to } => {
                self.tip(Tip { excluded: true, ..from });
                self.tip(to);
                self.since(start, |operand| operand.of_range = true);
            }
            Argument::Symmetric { left, right } => {
                let objects = repo.objects()?;
                let ends = [commit_id(objects, left.id)?, commit_id(objects, right.id)?];
                for base in repo.merge_bases(&ends[0], &ends[1..])? {
                    self.tip(Tip { id: base, name: base.to_string().into(), excluded: true });
                }
                self.tip(left);
                self.tip(right);
                self.since(start, |operand| operand.of_range = true);
                self.symmetric = Some(ends);
            }
            Argument::Parents(tips) => {
                tips.into_iter().for_each(|tip| self.tip(tip));
                self.since(start, |operand| operand.is_parent = true);
            }
            Argument::Only(tips) => {
                tips.into_iter().for_each(|tip| self.tip(tip));
                // The commit comes first.
                self.since(start + 1, |operand| operand.is_parent = true);
            }
            Argument::Without { parent, commit, .. } => {
                self.tip(Tip { excluded: true, ..parent });
                self.since(start, |operand| operand.is_parent = true);
                self.tip(commit);
            }
        }
        Ok(true)
    }

    fn tip(&mut self, tip: Tip) {
        let Tip { id, name, excluded } = tip;
        let (of_range, is_parent) = (false, false);
        self.objects.push(Operand { id, name, excluded, of_range, is_parent, mode: None, path: None });
    }

    /// Notes something of the objects from number `start` on.
    fn since(&mut self, start: usize, note: impl Fn(&mut Operand)) {
        self.objects.iter_mut().skip(start).for_each(note);
    }
}

fn both(word: &BStr) -> Error {
    Error::fatal(format!(
        "ambiguous argument '{word}': both revision and filename\n\
         Use '--' to separate paths from revisions, like this:\n\
         'git <command> [<revision>...] -- [<file>...]'"
    ))
}

/// The object behind tags, and its kind.
///
/// # Errors
/// When an object cannot be read.
pub fn peel(objects: &adit_odb::Store, mut id: ObjectId) -> Result<(ObjectId, ObjectKind), Error> {
    let mut content = Vec::new();
    loop {
        let kind = objects.header(&id)?.kind;
        if kind != ObjectKind::Tag {
            return Ok((id, kind));
        }
        objects.read(&id, &mut content)?;
        let tag = Tag::parse(id.format(), &content);
        id = tag.map_err(|error| SourceError::Malformed { id, error })?.target();
    }
}

/// The commit behind tags.
///
/// # Errors
/// When there is none.
pub fn commit_id(objects: &adit_odb::Store, id: ObjectId) -> Result<ObjectId, Error> {
    match peel(objects, id)? {
        (id, ObjectKind::Commit) => Ok(id),
        _ => Err(Error::failed(format!("Object {id} not a commit"))),
    }
}

/// The tree behind tags and commits; `None` when they lead to a blob.
///
/// # Errors
/// When an object cannot be read.
pub fn tree_id(objects: &adit_odb::Store, id: ObjectId) -> Result<Option<ObjectId>, Error> {
    match peel(objects, id)? {
        (id, ObjectKind::Tree) => Ok(Some(id)),
        (id, ObjectKind::Commit) => {
            let mut content = Vec::new();
            objects.read_kind(&id, ObjectKind::Commit, &mut content)?;
            let commit = Commit::parse(id.format(), &content);
            Ok(Some(commit.map_err(|error| SourceError::Malformed { id, error })?.tree()))
        }
        _ => Ok(None),
    }
}
