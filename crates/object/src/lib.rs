//! Git's objects as values: no files, no processes, only bytes and what they mean.
//!
//! - [`ObjectId`] names an object in either [`ObjectFormat`]; [`IdMap`] and [`IdSet`] are tables keyed by it.
//! - [`ObjectKind`] tells commits, trees, blobs and tags apart.
//! - [`Commit`], [`Tag`], [`Tree`] and [`Ident`] read an object's bytes where they lie, leniently.
//! - [`Hasher`] and [`hash_object`] name objects (SHA-1 with collision detection); [`Checksum`] is for files' trailers.
//! - [`ewah`] reads and writes compressed bitmaps.
//! - [`zlib`] inflates and deflates, whole or streaming.
//! - [`delta_encode`] makes deltas.
//! - [`Source`] is the trait by which the crates above read objects without knowing where they are stored.
//!
//! ```
//! use adit_object::{Commit, ObjectFormat};
//!
//! let bytes = b"tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n\
//!     author A U Thor <a@example.com> 1000000000 +0000\n\
//!     committer A U Thor <a@example.com> 1000000000 +0000\n\nThe subject\n";
//! let commit = Commit::parse(ObjectFormat::Sha1, bytes)?;
//! assert_eq!(commit.message(), "The subject\n");
//! assert_eq!(commit.author().unwrap().email, "a@example.com");
//! # Ok::<(), adit_object::ParseError>(())
//! ```

mod commit;
pub mod commit_write;
pub mod delta_encode;
pub mod ewah;
mod hash;
mod id;
mod ident;
mod kind;
mod source;
mod tag;
mod tree;
pub mod zlib;

pub use commit::{Commit, HeaderField};
pub use commit_write::NewCommit;
pub use hash::{Checksum, CollisionError, Hasher, hash_object};
pub use id::{IdBuildHasher, IdHasher, IdMap, IdSet, ObjectFormat, ObjectId, ParseIdError, Prefix};
pub use ident::{Ident, Time};
pub use kind::ObjectKind;
pub use source::{CommitsAhead, Header, Shared, Source, SourceError};
pub use tag::Tag;
pub use tree::{EntryKind, Tree, TreeEntry};

/// Why an object's bytes could not be read as the kind of object they claim to be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("malformed {kind}: {what}")]
pub struct ParseError {
    /// The kind of object that was being read.
    pub kind: ObjectKind,
    /// What is wrong with it, in a few words.
    pub what: &'static str,
}
