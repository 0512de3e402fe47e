//! Arguments that name one or more objects: revisions, ranges, and the parents of a revision.

use adit_object::ObjectId;
use bstr::{BString, ByteSlice};

use super::{NameError, Names, Want};

/// An object to start from, or to stop at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tip {
    /// The object.
    pub id: ObjectId,
    /// The part of the argument that names it.
    pub name: BString,
    /// Whether what it reaches is left out.
    pub excluded: bool,
}

/// What an argument means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Argument {
    /// `rev` or `^rev`.
    One(Tip),
    /// `a..b`: what `b` reaches and `a` does not.
    Range {
        /// The end that is left out.
        from: Tip,
        /// The end that is shown.
        to: Tip,
    },
    /// `a...b`: what one of them reaches and the other does not.
    Symmetric {
        /// The left end.
        left: Tip,
        /// The right end.
        right: Tip,
    },
    /// `rev^@`: the parents, in order.
    Parents(Vec<Tip>),
    /// `rev^!`: the commit, which may be named by a tag of it, without its parents; the commit first.
    Only(Vec<Tip>),
    /// `rev^-N`: the commit without what its Nth parent reaches.
    Without {
        /// Which parent, counted from one.
        number: usize,
        /// The parent.
        parent: Tip,
        /// The commit.
        commit: Tip,
    },
}

impl Names<'_> {
    /// Reads an argument.
    pub fn read_argument(&self, argument: &[u8]) -> Result<Argument, NameError> {
        if let Some(range) = self.read_range(argument)? {
            return Ok(range);
        }
        if let Some(parents) = self.read_parents(argument)? {
            return Ok(parents);
        }
        let (excluded, name) = match argument.strip_prefix(b"^") {
            Some(name) => (true, name),
            None => (false, argument),
        };
        let id = self.resolve_as(name, Want::Committish)?;
        Ok(Argument::One(Tip { id, name: name.into(), excluded }))
    }

    /// Reads `a..b` and `a...b`; `None` when it is none, or an end leads nowhere.
    pub fn read_range(&self, argument: &[u8]) -> Result<Option<Argument>, NameError> {
        let Some(dots) = argument.find(b"..") else { return Ok(None) };
        let symmetric = argument[dots + 2..].starts_with(b".");
        let left = &argument[..dots];
        let right = &argument[dots + if symmetric { 3 } else { 2 }..];
        // Alone, it is the folder above.
        if left.is_empty() && right.is_empty() && !symmetric {
            return Ok(None);
        }
        let end = |name: &[u8], excluded| -> Result<Option<Tip>, NameError> {
            let name = if name.is_empty() { &b"HEAD"[..] } else { name };
            match self.resolve_as(name, Want::Committish) {
                Ok(id) => Ok(Some(Tip { id, name: name.into(), excluded })),
                Err(NameError::Unknown) => Ok(None),
                Err(error) => Err(error),
            }
        };
        let Some(left) = end(left, !symmetric)? else { return Ok(None) };
        let Some(right) = end(right, false)? else { return Ok(None) };
        Ok(Some(if symmetric {
            Argument::Symmetric { left, right }
        } else {
            Argument::Range { from: left, to: right }
        }))
    }

    /// Reads `rev^@`, `rev^!` and `rev^-N`; `None` when it is none of them, or the revision leads nowhere.
    pub fn read_parents(&self, argument: &[u8]) -> Result<Option<Argument>, NameError> {
        let (stem, kind) = if let Some(stem) = argument.strip_suffix(b"^@") {
            (stem, Kind::Parents)
        } else if let Some(stem) = argument.strip_suffix(b"^!") {
            (stem, Kind::Only)
        } else {
            let Some(at) = argument.rfind(b"^-") else { return Ok(None) };
            let digits = &argument[at + 2..];
            let number = match digits {
                b"" => 1,
                _ => match std::str::from_utf8(digits).ok().and_then(|text| text.parse().ok()) {
                    Some(number) if number > 0 && digits.iter().all(u8::is_ascii_digit) => number,
                    _ => return Ok(None),
                },
            };
            (&argument[..at], Kind::Without(number))
        };
        let (negated, stem) = match stem.strip_prefix(b"^") {
            Some(rest) => (true, rest),
            None => (false, stem),
        };
        let commit = match self.resolve_as(stem, Want::Committish) {
            Err(NameError::Unknown) => return Ok(None),
            other => other?,
        };
        let parents = match self.commit_of(&commit) {
            Err(NameError::Unknown) => return Ok(None),
            behind => self.parents(&behind?)?,
        };
        let tip = |id, excluded| Tip { id, name: stem.into(), excluded };
        Ok(match kind {
            Kind::Parents => Some(Argument::Parents(parents.iter().map(|id| tip(*id, negated)).collect())),
            Kind::Only => {
                let rest = parents.iter().map(|id| tip(*id, !negated));
                Some(Argument::Only([tip(commit, negated)].into_iter().chain(rest).collect()))
            }
            Kind::Without(number) => parents.get(number - 1).map(|parent| Argument::Without {
                number,
                parent: tip(*parent, !negated),
                commit: tip(commit, negated),
            }),
        })
    }
}

enum Kind {
    Parents,
    Only,
    Without(usize),
}
