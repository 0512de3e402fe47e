//! Why a walk cannot go on.

use adit_object::{ObjectId, SourceError};
use adit_odb::CommitGraphError;

/// Why history could not be walked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An object could not be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// References could not be read.
    #[error(transparent)]
    Refs(#[from] adit_refs::Error),
    /// The commit-graph is damaged where it was needed.
    #[error(transparent)]
    Graph(#[from] CommitGraphError),
    /// A parent could not be read.
    #[error("Failed to traverse parents of commit {commit}")]
    Parents {
        /// The commit whose parent it is.
        commit: ObjectId,
        /// Why.
        #[source]
        error: Box<Error>,
    },
    /// `--ancestry-path` without anything excluded to start from.
    #[error("--ancestry-path given but there are no bottom commits")]
    NoBottom,
}
