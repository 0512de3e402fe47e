//! From what a person types to the objects that are meant (gitrevisions).
//!
//! [`Names`] resolves one name to one object: [`Names::resolve`]. [`Names::read_argument`] reads an argument of a
//! command, which may be a range. What is said along the way (an ambiguous name, a log that does not go far enough
//! back) goes to the caller's [`Report`]. A name that leads nowhere is [`NameError::Unknown`]: commands phrase that
//! themselves, with [`Names::explain`] for the details.

mod argument;
mod at;
mod basic;
mod branch;
mod error;
mod explain;
mod logged;
mod path;
mod peel;
mod search;
mod short_id;

use std::ops::ControlFlow;

use adit_object::{IdMap, ObjectFormat, ObjectId, ObjectKind, Prefix, Source, SourceError};
use adit_refs::Store as Refs;
use adit_text::date::{Clock, LocalZone};
use bstr::{BStr, BString};

pub use argument::{Argument, Tip};
pub use basic::Dwim;
pub use branch::{Branches, NoBranches};
pub use error::{Message, NameError, Report};
pub use explain::{Surroundings, ambiguous_argument};
pub use logged::{LogStart, Logged};
pub use path::{Followed, PathEntry};

/// Objects that can also be looked up by the first digits of their id.
pub trait Objects: Source {
    /// Calls `each` with every object whose id starts with `prefix`, each once, until it breaks.
    fn with_prefix(
        &self,
        prefix: &Prefix,
        each: &mut dyn FnMut(ObjectId) -> ControlFlow<()>,
    ) -> Result<(), SourceError>;

    /// How many digits ids have at least when nothing is configured.
    fn usual_len(&self) -> usize;

    /// How many digits, at least `min_len`, tell `id` from every other object here.
    fn unique_len(&self, id: &ObjectId, min_len: usize) -> Result<usize, SourceError>;
}

/// Which kind of object an abbreviated id likely means (`core.disambiguate`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Want {
    /// Any.
    #[default]
    Any,
    /// A commit.
    Commit,
    /// A commit, or a tag that leads to one.
    Committish,
    /// A tree.
    Tree,
    /// A tree, a commit, or a tag that leads to either.
    Treeish,
    /// A blob.
    Blob,
}

impl Want {
    /// The value of `core.disambiguate` with that name.
    pub fn from_name(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"none" => Want::Any,
            b"commit" => Want::Commit,
            b"committish" => Want::Committish,
            b"tree" => Want::Tree,
            b"treeish" => Want::Treeish,
            b"blob" => Want::Blob,
            _ => return None,
        })
    }
}

/// What configuration says about names.
#[derive(Debug, Clone)]
pub struct Settings {
    /// `core.warnAmbiguousRefs`.
    pub warn_ambiguous: bool,
    /// Whether a full id is checked for a reference of that name, which it would hide (`advice.objectNameWarning`).
    pub warn_object_names: bool,
    /// `core.disambiguate`.
    pub disambiguate: Want,
    /// The top of the working tree, for messages.
    pub work_tree: BString,
    /// The number of digits that hints abbreviate ids to; `None` is as many as suit the number of objects.
    pub abbreviation: Option<usize>,
    /// Commits that have other parents than they record: shallow boundaries and grafts.
    pub grafts: IdMap<Vec<ObjectId>>,
    /// Seconds since 1970 of the present moment, for dates like `yesterday`.
    pub now: i64,
    /// The value of `TZ`, which tells the zone of dates that have none; it is looked up when a date needs it.
    pub tz: Option<String>,
}

impl Settings {
    fn zone(&self) -> LocalZone {
        LocalZone::from_tz(self.tz.as_deref())
    }

    fn clock<'z>(&self, zone: &'z LocalZone) -> Clock<'z> {
        Clock { now: self.now, zone }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            warn_ambiguous: true,
            warn_object_names: true,
            disambiguate: Want::Any,
            work_tree: BString::default(),
            abbreviation: None,
            grafts: IdMap::default(),
            now: 0,
            tz: Some("UTC".to_owned()),
        }
    }
}

/// Resolves names in one repository.
#[derive(Clone, Copy)]
pub struct Names<'a> {
    objects: &'a dyn Objects,
    refs: &'a Refs,
    branches: &'a dyn Branches,
    settings: &'a Settings,
    report: &'a dyn Report,
    prefix: Option<&'a BStr>,
    quiet: bool,
    /// Whether candidates for an abbreviated id were listed before.
    explaining: bool,
}

impl<'a> Names<'a> {
    /// Names that lead through `refs` to `objects`. `prefix` is where the working directory lies below the top of the
    /// working tree, for paths like `./file`; `None` outside of one.
    pub fn new(
        objects: &'a dyn Objects,
        refs: &'a Refs,
        branches: &'a dyn Branches,
        settings: &'a Settings,
        report: &'a dyn Report,
        prefix: Option<&'a BStr>,
    ) -> Self {
        Names { objects, refs, branches, settings, report, prefix, quiet: false, explaining: false }
    }

    /// The same, but saying nothing along the way.
    pub fn quiet(self) -> Self {
        Names { quiet: true, ..self }
    }

    /// The same, for a working directory that lies elsewhere below the top of the working tree.
    pub fn with_prefix(self, prefix: &'a BStr) -> Self {
        Names { prefix: Some(prefix), ..self }
    }

    /// Whether nothing is said along the way.
    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// The references that names lead through.
    pub fn refs(&self) -> &'a Refs {
        self.refs
    }

    /// The objects that names lead to.
    pub fn objects(&self) -> &'a dyn Objects {
        self.objects
    }

    /// The object that `name` means.
    pub fn resolve(&self, name: &[u8]) -> Result<ObjectId, NameError> {
        self.resolve_as(name, Want::Any)
    }

    /// Like [`Names::resolve`]; an abbreviated id that several objects share means the one of the kind in `want`, if
    /// there is just one. The result may still be of another kind.
    pub fn resolve_as(&self, name: &[u8], want: Want) -> Result<ObjectId, NameError> {
        self.resolve_entry(name, want).map(|entry| entry.id)
    }

    /// The commit that `name` means, tags followed.
    pub fn resolve_commit(&self, name: &[u8]) -> Result<ObjectId, NameError> {
        let id = self.resolve_as(name, Want::Committish)?;
        self.commit_of(&id)
    }

    fn say(&self, message: Message) {
        if !self.quiet {
            self.report.report(message);
        }
    }

    fn format(&self) -> ObjectFormat {
        self.objects.format()
    }

    /// The kind of an object; `None` when it is not here.
    fn kind(&self, id: &ObjectId) -> Result<Option<ObjectKind>, NameError> {
        Ok(self.objects.try_header(id)?.map(|header| header.kind))
    }
}

impl Objects for adit_odb::Store {
    fn with_prefix(
        &self,
        prefix: &Prefix,
        each: &mut dyn FnMut(ObjectId) -> ControlFlow<()>,
    ) -> Result<(), SourceError> {
        self.for_each_with_prefix(prefix, each)
    }

    fn usual_len(&self) -> usize {
        self.auto_abbreviation()
    }

    fn unique_len(&self, id: &ObjectId, min_len: usize) -> Result<usize, SourceError> {
        self.abbreviate(id, min_len)
    }
}
