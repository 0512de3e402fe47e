//! Git as a library: open a repository, read its objects, references and history.

mod mailmap;

pub use mailmap::Mailmap;
