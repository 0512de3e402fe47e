//! What can be wrong with a file of the store, before it is known which object it is needed for.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use adit_object::{ObjectId, SourceError};

/// Why a file of the store cannot be used.
#[derive(Debug, Clone)]
pub(crate) enum Fault {
    /// It is not there any more: another process repacked.
    Gone(PathBuf),
    /// It, or something in it, is damaged or cannot be read.
    Bad(Damage),
}

/// A file of the store that is damaged or cannot be read, and was passed over where something else served.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {what}", .path.display())]
pub struct Damage {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub what: Cow<'static, str>,
}

impl Fault {
    pub(crate) fn bad(path: &Path, what: impl Into<Cow<'static, str>>) -> Fault {
        Fault::Bad(Damage { path: path.to_owned(), what: what.into() })
    }

    pub(crate) fn io(path: &Path, error: &std::io::Error) -> Fault {
        if error.kind() == std::io::ErrorKind::NotFound {
            Fault::Gone(path.to_owned())
        } else {
            Fault::bad(path, error.to_string())
        }
    }

    pub(crate) fn damage(self) -> Damage {
        match self {
            Fault::Gone(path) => Damage { path, what: "file is gone".into() },
            Fault::Bad(damage) => damage,
        }
    }

    /// The error for a caller who asked for `id`.
    pub(crate) fn for_object(self, id: Option<&ObjectId>) -> SourceError {
        let Damage { path, what } = self.damage();
        SourceError::Corrupt { path, id: id.copied(), what: what.into_owned() }
    }
}
