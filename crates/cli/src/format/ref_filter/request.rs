//! The options of listings that name objects, and the objects they name.

use adit_revision::names::{NameError, Names};
use bstr::{BStr, BString};

use super::Filter;
use crate::error::Error;

/// What `--points-at`, `--contains` and their kin were given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Request {
    /// `--points-at`.
    pub points_at: Vec<BString>,
    /// `--merged`.
    pub merged: Vec<BString>,
    /// `--no-merged`.
    pub no_merged: Vec<BString>,
    /// `--contains`.
    pub contains: Vec<BString>,
    /// `--no-contains`.
    pub no_contains: Vec<BString>,
}

/// `words` with `HEAD` after a last one that wants a commit and is given none.
pub fn with_default_commit(words: &[BString]) -> Vec<BString> {
    const TAKERS: [&[u8]; 6] =
        [b"--merged", b"--no-merged", b"--contains", b"--no-contains", b"--with", b"--without"];
    let mut words = words.to_vec();
    if words.last().is_some_and(|last| TAKERS.contains(&last.as_slice())) {
        words.push("HEAD".into());
    }
    words
}

impl Request {
    /// Whether any option was given that makes a command list.
    pub fn is_empty(&self) -> bool {
        *self == Request::default()
    }

    /// Finds the objects and puts them into `filter`.
    ///
    /// # Errors
    /// When a name means none, or none of the right kind.
    pub fn resolve(&self, names: &Names<'_>, filter: &mut Filter) -> Result<(), Error> {
        for name in &self.points_at {
            match names.resolve(name) {
                Ok(id) => filter.points_at.push(id),
                Err(NameError::Unknown) => {
                    return Err(Error::Failed(format!("malformed object name '{name}'").into(), 129));
                }
                Err(error) => return Err(error.into()),
            }
        }
        let malformed = |name: &BStr| format!("malformed object name {name}").into();
        for (given, found) in
            [(&self.contains, &mut filter.contains), (&self.no_contains, &mut filter.no_contains)]
        {
            for name in given {
                let id = resolve(names, name, Error::Failed(malformed(name.as_ref()), 129))?;
                let no_commit = || Error::Failed(format!("no such commit {name}").into(), 129);
                found.push(names.commit_of(&id).map_err(|error| or(error, no_commit()))?);
            }
        }
        let pairs = [
            (&self.merged, "merged", &mut filter.merged),
            (&self.no_merged, "no-merged", &mut filter.no_merged),
        ];
        for (given, option, found) in pairs {
            for name in given {
                let id = resolve(names, name, Error::Fatal(malformed(name.as_ref())))?;
                let no_commit =
                    || Error::Failed(format!("option `{option}' must point to a commit").into(), 129);
                found.push(names.commit_of(&id).map_err(|error| or(error, no_commit()))?);
            }
        }
        Ok(())
    }
}

fn resolve(names: &Names<'_>, name: &BString, unknown: Error) -> Result<adit_object::ObjectId, Error> {
    names.resolve(name).map_err(|error| or(error, unknown))
}

/// What a command says of a name that leads nowhere.
fn or(error: NameError, unknown: Error) -> Error {
    if error.is_unknown() { unknown } else { error.into() }
}
