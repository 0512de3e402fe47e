//! Descriptions of commits by tags, as `describe` prints them and formats embed them.

use std::sync::{Mutex, PoisonError};

use adit::Repository;
use adit_object::{ObjectId, ObjectKind, Source, Tag};
use adit_revision::CommitTable;
use adit_revision::describe::{DescribeOptions, Describer, Name, Outcome, Rank};
use bstr::BString;

use super::pretty::DescribeStyle;
use crate::error::Error;

/// The tags that are compared when nothing is said.
pub const CANDIDATES: usize = 10;

/// How a description is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Suffix {
    /// The fewest digits of the id; 0 for no suffix.
    pub digits: usize,
    /// A suffix even for the tagged commit itself.
    pub always: bool,
}

/// What a name is called, and the object it stands for: those of the tag object, if there is one.
pub struct Called {
    /// The name.
    pub name: BString,
    /// The object that the tag tags.
    pub tagged: ObjectId,
    /// What the reference is called when that differs.
    pub known_as: Option<BString>,
}

/// Looks into a tag object for its own name.
pub fn called(repo: &Repository, name: &Name, all: bool) -> Result<Called, Error> {
    let plain = Called { name: name.path.clone(), tagged: name.id, known_as: None };
    if name.rank != Rank::Annotated {
        return Ok(plain);
    }
    let objects = repo.objects()?;
    let mut content = Vec::new();
    objects.read_kind(&name.id, ObjectKind::Tag, &mut content)?;
    let Ok(tag) = Tag::parse(objects.format(), &content) else { return Ok(plain) };
    let mut own = BString::from(if all { "tags/" } else { "" });
    own.extend_from_slice(tag.name().unwrap_or_default());
    let known_as = (own != name.path).then(|| name.path.clone());
    Ok(Called { name: own, tagged: tag.target(), known_as })
}

/// Appends `-<depth>-g<id>`.
pub fn append_suffix(
    repo: &Repository,
    depth: usize,
    id: &ObjectId,
    digits: usize,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    out.extend_from_slice(format!("-{depth}-g").as_bytes());
    id.append_hex(repo.objects()?.abbreviate(id, digits)?, out);
    Ok(())
}

/// Describes commits for formats (`%(describe)`), from any thread. What was gathered for a style serves again.
pub struct Describing<'r> {
    repo: &'r Repository,
    state: Mutex<State<'r>>,
}

struct State<'r> {
    table: Option<CommitTable<'r>>,
    describers: Vec<(DescribeOptions, Describer)>,
}

impl<'r> Describing<'r> {
    /// Descriptions of commits of `repo`.
    pub fn new(repo: &'r Repository) -> Self {
        Describing { repo, state: Mutex::new(State { table: None, describers: Vec::new() }) }
    }

    /// Appends the description of a commit; nothing when no tag reaches it.
    pub fn append(&self, id: &ObjectId, style: &DescribeStyle, out: &mut Vec<u8>) -> Result<(), Error> {
        let options = DescribeOptions {
            tags: style.tags,
            matching: style.matching.clone(),
            excluded: style.excluded.clone(),
            candidates: CANDIDATES,
            ..DescribeOptions::default()
        };
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let State { table, describers } = &mut *state;
        let table = match table.take() {
            Some(known) => table.insert(known),
            None => table.insert(self.repo.commit_table()?),
        };
        let at = match describers.iter().position(|(known, _)| *known == options) {
            Some(at) => at,
            None => {
                let describer = Describer::new(self.repo.refs()?, self.repo.objects()?, options.clone())?;
                describers.push((options, describer));
                describers.len() - 1
            }
        };
        let digits = match style.abbrev {
            None => self.repo.abbrev()?,
            Some(0) => 0,
            Some(digits) => usize::try_from(digits).unwrap_or(0).max(adit::MIN_ABBREV),
        };
        match describers[at].1.describe(table, id)? {
            Outcome::Exact(name) => {
                let called = called(self.repo, &name, false)?;
                out.extend_from_slice(&called.name);
                if called.known_as.is_some() {
                    append_suffix(self.repo, 0, &called.tagged, digits, out)?;
                }
            }
            Outcome::Near(search) => {
                let Some(best) = search.candidates.first() else { return Ok(()) };
                out.extend_from_slice(&called(self.repo, &best.name, false)?.name);
                if digits > 0 {
                    append_suffix(self.repo, best.depth, id, digits, out)?;
                }
            }
            Outcome::Nothing { .. } => {}
        }
        Ok(())
    }
}
