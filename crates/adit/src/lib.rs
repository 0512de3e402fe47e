//! Git as a library: open a repository, read its objects, references and history.
//!
//! - [`Repository`] is an open repository: where it is, its configuration, its stores.
//! - [`Environment`] is what a process was given; a program that embeds Adit makes its own.
//! - [`Mailmap`] maps names and addresses to the ones people go by now; [`NotesTree`] finds the notes on commits.

pub mod config_files;
mod discovery;
mod environment;
mod format;
mod grafts;
mod history;
mod mailmap;
mod mailmap_sources;
mod names;
mod notes;
mod open_error;
mod repository;
mod settings;
mod stores;
mod worktrees;

pub use discovery::Location;
pub use environment::{BadBoolean, Environment};
pub use format::{RefStorage, RepositoryFormat};
pub use mailmap::Mailmap;
pub use names::NameContext;
pub use notes::NotesTree;
pub use open_error::OpenError;
pub use repository::Repository;
pub use settings::MIN_ABBREV;
pub use worktrees::Worktree;
