//! Git as a library: open a repository, read its objects, references and history.
//!
//! - [`Repository`] is an open repository: where it is, its configuration, its stores.
//! - [`Environment`] is what a process was given; a program that embeds Adit makes its own.
//! - [`Mailmap`] maps names and addresses to the ones people go by now; [`NotesTree`] finds the notes on commits.
//!
//! The parts stand alone and can be used without this crate: `adit-object` reads objects, `adit-odb` stores them,
//! `adit-refs` holds references, `adit-revision` walks, `adit-diff` compares.
//!
//! ```
//! # let fixture = adit_testkit::Repo::new("sha1");
//! # fixture.write("README.md", "one\n").commit("first").write("README.md", "two\n").commit("second");
//! # let path = fixture.path();
//! let repo = adit::Repository::open(path)?;
//! let head = repo.resolve("HEAD")?;
//! let commits = repo.history(&head)?.collect::<Result<Vec<_>, _>>()?;
//! println!("{} commits, the first is {}", commits.len(), commits[commits.len() - 1]);
//! for pair in repo.changes(&repo.resolve("HEAD~1")?, &head)? {
//!     println!("{} {}", char::from(pair.status.letter()), pair.new.path);
//! }
//! let before = repo.read_file("HEAD~1", "README.md")?;
//! # assert_eq!((commits.len(), before.as_slice()), (2, &b"one\n"[..]));
//! # Ok::<(), adit::OpenError>(())
//! ```

mod attributes;
mod branch_config;
mod broken_commits;
pub mod config_files;
mod discovery;
mod environment;
mod everyday;
mod filters;
mod format;
mod grafts;
mod history;
mod hooks;
pub mod ident;
mod ignore;
mod index;
mod index_trees;
pub mod init;
mod mailmap;
mod mailmap_sources;
mod names;
mod notes;
pub mod object_check;
mod open_error;
mod programs;
mod reference_writes;
mod reflog_expiry;
mod refresh;
mod repository;
mod settings;
pub mod sharing;
pub mod signature;
mod stores;
mod work_files;
mod worktrees;

pub use attributes::PathAttributes;
pub use branch_config::Tracking;
pub use discovery::Location;
pub use environment::{BadBoolean, Environment};
pub use everyday::History;
pub use filters::PathFilters;
pub use format::{RefStorage, RepositoryFormat};
pub use hooks::{HookProgram, ReferenceHook};
pub use index::IndexLock;
pub use mailmap::Mailmap;
pub use names::NameContext;
pub use notes::NotesTree;
pub use open_error::OpenError;
pub use programs::Launcher;
pub use reflog_expiry::{ExpireError, ExpireOptions, ReflogExpiry};
pub use refresh::{Need, RefreshOptions};
pub use repository::Repository;
pub use settings::MIN_ABBREV;
pub use work_files::{FileError, FileState, WorkFiles};
pub use worktrees::Worktree;
