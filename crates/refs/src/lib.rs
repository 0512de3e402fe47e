//! Git's references: loose, packed, symbolic, reflogs.
//!
//! A [`Store`] reads the references of one working tree of one repository. It reads only what is asked for: one
//! reference is one small file, or one search in the mapped `packed-refs`; a listing opens only the folders under its
//! prefix.
//!
//! ```no_run
//! use adit_object::ObjectFormat;
//! use adit_refs::{Options, Store};
//! use std::path::Path;
//!
//! let git_dir = Path::new("/src/project/.git");
//! let store = Store::open(git_dir, git_dir, ObjectFormat::Sha1, Options::default())?;
//! if let Some(resolved) = store.resolve(b"HEAD")? {
//!     println!("{} is at {}", resolved.name, resolved.id);
//! }
//! let mut tags = store.iter(b"refs/tags/")?;
//! while let Some(tag) = tags.advance()? {
//!     println!("{}", tag.name);
//! }
//! # Ok::<(), adit_refs::Error>(())
//! ```

mod backend;
mod error;
mod files;
pub mod name;
mod reference;
mod reflog;
pub mod refspec;
mod rename;
pub mod select;
mod shorten;
mod store;
mod transaction;
mod update_error;
mod write_options;

pub use backend::IterOptions;
pub use error::Error;
pub use files::log_rewrite::LogRewrite;
pub use files::pack::{PackOptions, PackReport};
pub use reference::{Entry, Followed, Head, Problem, Reference, Resolved, Target};
pub use reflog::{Backward, Forward, LogEntry, Reflog};
pub use shorten::{RULES, Shortener, expand};
pub use store::{Iter, Options, Storage, Store};
pub use transaction::{Change, Edit, Expected, Hook, NoHook, Phase, Prepared, Rejected, Transaction};
pub use update_error::{LockFailure, Obstacle, Rejection, UpdateError};
pub use write_options::{LogPolicy, Patience, WriteOptions};
