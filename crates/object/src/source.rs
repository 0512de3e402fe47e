//! How the crates above read objects without knowing where they are stored.

use std::path::PathBuf;
use std::sync::Arc;

use crate::{ObjectFormat, ObjectId, ObjectKind};

/// What an object's header says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// The kind of object.
    pub kind: ObjectKind,
    /// The length of its content in bytes.
    pub size: u64,
}

/// Why an object could not be read.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// No store has it.
    #[error("missing object {0}")]
    Missing(ObjectId),
    /// No store has it, but a promisor remote has promised it.
    #[error("object {0} is promised by a remote and is not here")]
    Promised(ObjectId),
    /// What is stored is not what it should be.
    #[error("{}: {what}{}", .path.display(), .id.map(|id| format!(" (object {id})")).unwrap_or_default())]
    Corrupt {
        /// The file that holds the damage.
        path: PathBuf,
        /// The object that was asked for, when it is known.
        id: Option<ObjectId>,
        /// What is wrong, in a few words.
        what: String,
    },
    /// It is an object of another kind than the caller needs.
    #[error("object {id} is a {actual}, not a {expected}")]
    WrongKind {
        /// The object.
        id: ObjectId,
        /// What the caller needs.
        expected: ObjectKind,
        /// What it is.
        actual: ObjectKind,
    },
    /// Its content cannot be parsed as its kind.
    #[error("object {id}: {error}")]
    Malformed {
        /// The object.
        id: ObjectId,
        /// What is wrong with it.
        error: crate::ParseError,
    },
    /// The operating system said no.
    #[error("{}: {error}", .path.display())]
    Io {
        /// The file that was being read.
        path: PathBuf,
        /// What the system said.
        #[source]
        error: std::io::Error,
    },
}

/// The content of an object, which several hold at once.
pub type Shared = Arc<Vec<u8>>;

/// Something that objects can be read from.
///
/// Buffers belong to the caller: `read` clears `out` and fills it, so that a loop allocates once. What is read many times,
/// as trees are, is better shared with the source, which may have it at hand: then nothing is copied.
pub trait Source: Send + Sync {
    /// The hash that names objects here.
    fn format(&self) -> ObjectFormat;

    /// Reads the content of `id` into `out` and returns its kind; `None` when there is no such object.
    fn try_read(&self, id: &ObjectId, out: &mut Vec<u8>) -> Result<Option<ObjectKind>, SourceError>;

    /// Reads the header of `id` without its content; `None` when there is no such object.
    fn try_header(&self, id: &ObjectId) -> Result<Option<Header>, SourceError>;

    /// Reads the content of `id` and its kind, as [`Source::try_read`] does, and shares it.
    fn try_share(&self, id: &ObjectId) -> Result<Option<(ObjectKind, Shared)>, SourceError> {
        let mut content = Vec::new();
        Ok(self.try_read(id, &mut content)?.map(|kind| (kind, Arc::new(content))))
    }

    /// What reads commits ahead for a caller who has read many and will read many more, most of them near to each
    /// other in history; `None` when that would gain nothing here.
    fn commits_ahead(&self) -> Option<Box<dyn CommitsAhead + '_>> {
        None
    }

    /// A view of the same objects for a walk that reads many of them, each once or twice and none again much later; `None`
    /// when that makes no difference here. A source that keeps what it reads keeps less of it for such a walk, so that it
    /// stays in the processor's caches.
    fn passing_view(&self) -> Option<Box<dyn Source + '_>> {
        None
    }

    /// Like [`Source::try_read`], but a missing object is an error.
    fn read(&self, id: &ObjectId, out: &mut Vec<u8>) -> Result<ObjectKind, SourceError> {
        self.try_read(id, out)?.ok_or(SourceError::Missing(*id))
    }

    /// Like [`Source::try_header`], but a missing object is an error.
    fn header(&self, id: &ObjectId) -> Result<Header, SourceError> {
        self.try_header(id)?.ok_or(SourceError::Missing(*id))
    }

    /// Like [`Source::read`], but an object of another kind than `expected` is an error.
    fn read_kind(&self, id: &ObjectId, expected: ObjectKind, out: &mut Vec<u8>) -> Result<(), SourceError> {
        let actual = self.read(id, out)?;
        if actual == expected { Ok(()) } else { Err(SourceError::WrongKind { id: *id, expected, actual }) }
    }

    /// Like [`Source::try_share`], but a missing object is an error.
    fn share(&self, id: &ObjectId) -> Result<(ObjectKind, Shared), SourceError> {
        self.try_share(id)?.ok_or(SourceError::Missing(*id))
    }

    /// Like [`Source::share`], but an object of another kind than `expected` is an error.
    fn share_kind(&self, id: &ObjectId, expected: ObjectKind) -> Result<Shared, SourceError> {
        let (actual, content) = self.share(id)?;
        if actual == expected {
            Ok(content)
        } else {
            Err(SourceError::WrongKind { id: *id, expected, actual })
        }
    }
}

/// Commits that were read before they were asked for. Reading ends when this is dropped.
pub trait CommitsAhead: Send {
    /// Puts the content of commit `id` into `out` when it is here. That it is not says nothing about the commit, and
    /// leaves `out` undefined: the caller then reads it from the source, and hears there what is wrong with it.
    fn take(&mut self, id: &ObjectId, out: &mut Vec<u8>) -> bool;
}
