//! References as values.

use adit_object::ObjectId;
use bstr::{BStr, BString};

/// What a reference holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// An object.
    Direct(ObjectId),
    /// Another reference, which need not exist.
    Symbolic(BString),
    /// Nothing that can be used.
    Broken(Problem),
}

/// Why a reference cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    /// What is stored is neither an object id nor the name of a reference.
    Content,
    /// Its own name breaks the rules for reference names.
    Name,
}

/// A reference, owned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The full name.
    pub name: BString,
    /// What it holds.
    pub target: Target,
    /// The object behind annotated tags, when the store knows without reading objects; equal to the target when the
    /// store knows that it is no tag.
    pub peeled: Option<ObjectId>,
}

/// A reference as iteration yields it, its name borrowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry<'a> {
    /// The full name.
    pub name: &'a BStr,
    /// What it holds.
    pub target: Target,
    /// As in [`Reference`].
    pub peeled: Option<ObjectId>,
}

impl Entry<'_> {
    /// A copy that owns its name.
    pub fn to_reference(&self) -> Reference {
        Reference { name: self.name.to_owned(), target: self.target.clone(), peeled: self.peeled }
    }
}

/// A reference followed to the object it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// The reference at the end of the symbolic ones.
    pub name: BString,
    /// The object it holds.
    pub id: ObjectId,
    /// As in [`Reference`].
    pub peeled: Option<ObjectId>,
}

/// What came of following a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Followed {
    /// It leads to an object.
    Found(Resolved),
    /// There is no such reference.
    Missing,
    /// It is symbolic and leads to no reference that exists; the last name that was looked up.
    Dangling(BString),
    /// It is symbolic, and leads round in a circle, through too many others, or to a name that is none.
    Endless,
    /// What is stored under this name, itself or at the end of symbolic ones, is damaged.
    Broken(BString),
}

/// What the working tree is on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Head {
    /// A branch (or, unusually, another reference), with its object unless it is unborn.
    Branch {
        /// The full name at the end of symbolic references.
        name: BString,
        /// Its object.
        id: Option<ObjectId>,
    },
    /// No branch: a commit itself.
    Detached(ObjectId),
    /// `HEAD` is missing or damaged.
    Invalid,
}

impl Head {
    /// The object, unless the branch is unborn.
    pub fn id(&self) -> Option<ObjectId> {
        match self {
            Head::Branch { id, .. } => *id,
            Head::Detached(id) => Some(*id),
            Head::Invalid => None,
        }
    }

    /// The full name of the branch.
    pub fn branch(&self) -> Option<&BStr> {
        match self {
            Head::Branch { name, .. } => Some(name.as_ref()),
            Head::Detached(_) | Head::Invalid => None,
        }
    }
}
