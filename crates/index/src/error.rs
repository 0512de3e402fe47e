//! What can go wrong with an index file.

use std::io;
use std::path::{Path, PathBuf};

/// Why an index could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The system did not let it be read.
    #[error("{}: index file open failed: {}", .path.display(), adit_sys::os_error(.error))]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        error: io::Error,
    },
    /// It is shorter than any index file.
    #[error("{}: index file smaller than expected", .path.display())]
    TooShort {
        /// The file.
        path: PathBuf,
    },
    /// Its bytes make no sense.
    #[error("index file corrupt: {}: {what}", .path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What is wrong, in a few words.
        what: String,
    },
    /// It is locked, or the lock cannot be made.
    #[error("Unable to create '{}': {}{}", .lock.display(), adit_sys::os_error(.error), hint(.error))]
    Lock {
        /// The lock.
        lock: PathBuf,
        /// What the system said; [`io::ErrorKind::AlreadyExists`] when another process holds it.
        #[source]
        error: io::Error,
    },
    /// The new file could not be written; the old one is as it was.
    #[error("unable to write new index file '{}': {}", .path.display(), adit_sys::os_error(.error))]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        error: io::Error,
    },
}

/// What is to be done about a lock that is held.
fn hint(error: &io::Error) -> &'static str {
    if error.kind() == io::ErrorKind::AlreadyExists {
        ".\n\nAnother program seems to be at work in this repository: wait until it is done. If there is none, one was\n\
         stopped before its end, and its lock can be removed by hand."
    } else {
        ""
    }
}

/// What is wrong with the bytes, before it is known whose they are.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    TooShort,
    Corrupt(String),
}

impl Fault {
    pub(crate) fn corrupt(what: impl Into<String>) -> Self {
        Fault::Corrupt(what.into())
    }

    pub(crate) fn of(self, path: &Path) -> Error {
        let path = path.to_owned();
        match self {
            Fault::TooShort => Error::TooShort { path },
            Fault::Corrupt(what) => Error::Corrupt { path, what },
        }
    }
}
