//! Why references could not be changed. The words are git's: scripts match on them.

use std::io;
use std::path::{Path, PathBuf};

use adit_object::{ObjectId, SourceError};
use bstr::BString;

use crate::transaction::Phase;
use crate::{Error, Target};

/// Why references could not be changed.
#[derive(Debug, thiserror::Error)]
pub enum UpdateError {
    /// A reference is not in the state that the edit needs, or is being changed by someone else.
    #[error("cannot lock ref '{name}': {why}")]
    Lock {
        /// The reference as the edit names it.
        name: BString,
        /// What is in the way.
        why: Obstacle,
    },
    /// The name is taken, by what is in `packed-refs` or by another edit.
    #[error("{0}")]
    Taken(Obstacle),
    /// Two edits are for one reference.
    #[error("multiple updates for ref '{name}' not allowed")]
    Twice {
        /// The reference.
        name: BString,
    },
    /// An edit leads through a symbolic reference to one that has an edit of its own.
    #[error("multiple updates for '{name}' (including one via {what} '{via}') are not allowed")]
    TwiceVia {
        /// The reference.
        name: BString,
        /// `symref` or `its referent`.
        what: &'static str,
        /// The other reference.
        via: BString,
    },
    /// A symbolic reference stands for another one than expected.
    #[error("verifying symref target: '{name}': is at {actual} but expected {expected}")]
    OtherTarget {
        /// The symbolic reference.
        name: BString,
        /// What it stands for.
        actual: BString,
        /// What was expected.
        expected: BString,
    },
    /// No reference may be called so.
    #[error("refusing to update {what} '{name}'")]
    BadName {
        /// `ref with bad name` or `pseudoref`.
        what: &'static str,
        /// The name.
        name: BString,
    },
    /// A reference cannot lead to that object.
    #[error("{}", bad_object(.name, .id, *.missing))]
    BadObject {
        /// The reference.
        name: BString,
        /// The object.
        id: ObjectId,
        /// Whether it does not exist; else it is no commit.
        missing: bool,
    },
    /// A reference that cannot have another name.
    #[error("refname {name} {what}")]
    NotMovable {
        /// The reference.
        name: BString,
        /// Why not.
        what: &'static str,
    },
    /// A hook said no.
    #[error("in '{0}' phase, update aborted by the reference-transaction hook")]
    Hook(Phase),
    /// A log cannot be written.
    #[error("cannot update the ref '{name}': {}", bad_log(.path, .error))]
    Log {
        /// The reference.
        name: BString,
        /// The file of the log.
        path: PathBuf,
        /// What the system said; that it is a folder means that there are other logs in it.
        error: io::Error,
    },
    /// `packed-refs`, or another file that is no reference, is locked or cannot be.
    #[error(transparent)]
    File(#[from] LockFailure),
    /// A file could not be written or put in its place.
    #[error("couldn't write '{}': {}", .path.display(), adit_sys::os_error(.error))]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        error: io::Error,
    },
    /// The references cannot be read.
    #[error(transparent)]
    Read(#[from] Error),
    /// An object cannot be read.
    #[error(transparent)]
    Object(#[from] SourceError),
}

fn bad_object(name: &BString, id: &ObjectId, missing: bool) -> String {
    if missing {
        format!("trying to write ref '{name}' with nonexistent object {id}")
    } else {
        format!("trying to write non-commit object {id} to branch '{name}'")
    }
}

fn bad_log(path: &Path, error: &io::Error) -> String {
    let path = path.display();
    match error.kind() {
        io::ErrorKind::IsADirectory => format!("there are still logs under '{path}'"),
        _ => format!("unable to append to '{path}': {}", adit_sys::os_error(error)),
    }
}

/// What is in the way of an edit.
#[derive(Debug, thiserror::Error)]
pub enum Obstacle {
    /// There is no such reference.
    #[error("unable to resolve reference '{0}'")]
    Missing(BString),
    /// What is stored is damaged.
    #[error("unable to resolve reference '{0}': reference broken")]
    Broken(BString),
    /// There should be no such reference.
    #[error("reference already exists")]
    Exists,
    /// It holds something else.
    #[error("is at {} but expected {}", shown(.actual), shown(.expected))]
    Differs {
        /// What it holds.
        actual: Target,
        /// What was expected.
        expected: Target,
    },
    /// A symbolic reference was expected.
    #[error("expected symref with target '{0}': but is a regular ref")]
    Direct(BString),
    /// A reference that exists is a folder in the name of the new one, or the other way round.
    #[error("'{existing}' exists; cannot create '{name}'")]
    Conflict {
        /// The one that exists.
        existing: BString,
        /// The new one.
        name: BString,
    },
    /// The same for two names in one transaction.
    #[error("cannot process '{name}' and '{other}' at the same time")]
    Together {
        /// The name that is a folder in the other.
        name: BString,
        /// The other.
        other: BString,
    },
    /// A folder that holds something else than references is where the reference should be.
    #[error("there is a non-empty directory '{}' blocking reference '{name}'", .path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The reference.
        name: BString,
    },
    /// The lock itself.
    #[error(transparent)]
    File(#[from] LockFailure),
}

fn shown(target: &Target) -> String {
    match target {
        Target::Direct(id) => id.to_string(),
        Target::Symbolic(name) => name.to_string(),
        Target::Broken(_) => "nothing".to_owned(),
    }
}

/// A lock that cannot be had.
#[derive(Debug, thiserror::Error)]
#[error("Unable to create '{}': {}{}", .path.display(), lock_error(.error), hint(.error))]
pub struct LockFailure {
    /// The file of the lock.
    pub path: PathBuf,
    /// What the system said.
    #[source]
    pub error: io::Error,
}

fn lock_error(error: &io::Error) -> String {
    let dot = if error.kind() == io::ErrorKind::AlreadyExists { "." } else { "" };
    adit_sys::os_error(error) + dot
}

fn hint(error: &io::Error) -> &'static str {
    if error.kind() == io::ErrorKind::AlreadyExists {
        "\n\nAnother program seems to be at work in this repository: wait until it is done. If there is none, one was\n\
         stopped before its end, and its lock can be removed by hand."
    } else {
        ""
    }
}

/// Why one edit of a batch was left out, in the words of `update-ref --batch-updates`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rejection {
    /// The name conflicts with another one.
    NameConflict,
    /// There should be no such reference.
    Exists,
    /// There is no such reference.
    Missing,
    /// It holds something else.
    WrongOld,
    /// The new object does not do.
    WrongNew,
    /// A symbolic reference was expected.
    NotSymbolic,
}

impl Rejection {
    /// git's words.
    pub fn as_str(self) -> &'static str {
        match self {
            Rejection::NameConflict => "refname conflict",
            Rejection::Exists => "reference already exists",
            Rejection::Missing => "reference does not exist",
            Rejection::WrongOld => "incorrect old value provided",
            Rejection::WrongNew => "invalid new value provided",
            Rejection::NotSymbolic => "expected symref but found regular ref",
        }
    }
}

impl UpdateError {
    /// Has paths told relative to `folder`, where git does that; locks keep their full paths.
    #[must_use]
    pub fn told_from(mut self, folder: &Path) -> Self {
        if let UpdateError::Log { path, .. } | UpdateError::Lock { why: Obstacle::Folder { path, .. }, .. } =
            &mut self
            && let Ok(relative) = path.strip_prefix(folder)
        {
            *path = relative.to_owned();
        }
        self
    }

    /// The reason for which a batch leaves an edit out and goes on; `None` for what ends the whole batch.
    pub fn rejection(&self) -> Option<Rejection> {
        match self {
            UpdateError::BadObject { .. } => Some(Rejection::WrongNew),
            UpdateError::OtherTarget { .. } => Some(Rejection::WrongOld),
            UpdateError::Lock { why, .. } | UpdateError::Taken(why) => match why {
                Obstacle::Missing(_) => Some(Rejection::Missing),
                Obstacle::Exists => Some(Rejection::Exists),
                Obstacle::Differs { .. } => Some(Rejection::WrongOld),
                Obstacle::Direct(_) => Some(Rejection::NotSymbolic),
                Obstacle::Conflict { .. } | Obstacle::Together { .. } => Some(Rejection::NameConflict),
                Obstacle::Broken(_) | Obstacle::Folder { .. } | Obstacle::File(_) => None,
            },
            _ => None,
        }
    }
}
