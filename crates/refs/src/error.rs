//! What can go wrong when references are read.

use std::path::{Path, PathBuf};

use bstr::BString;

/// Why references could not be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A line of `packed-refs` is not what gitformat says.
    #[error("{what} in {}: {line}", .path.display())]
    Packed {
        /// The file.
        path: PathBuf,
        /// `unexpected line` or `unterminated line`.
        what: &'static str,
        /// The line.
        line: BString,
    },
    /// A stored name would lead out of the folder of references.
    #[error("{place} refname is dangerous: {name}")]
    Dangerous {
        /// `packed` or `loose`.
        place: &'static str,
        /// The name.
        name: BString,
    },
    /// The repository stores its references in a way that cannot be read.
    #[error("unknown ref storage format '{0}'")]
    Storage(BString),
    /// The operating system said no.
    #[error("cannot read {}: {error}", .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        #[source]
        error: std::io::Error,
    },
}

impl Error {
    pub(crate) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> Error + '_ {
        |error| Error::Io { path: path.to_owned(), error }
    }
}
