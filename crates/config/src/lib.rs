//! Git's configuration: files, scopes and typed values (git-config).
//!
//! - [`Config`] holds the values of all files and scopes in order, each an [`Entry`] that knows its [`Scope`] and
//!   [`Origin`], and looks them up by canonical name.
//! - [`Includes`] is what the conditions of included files are decided by.
//! - [`lex`] reads the file format item by item, with the bytes that each item covers.
//! - [`edit`] changes a file's text and leaves the rest of it as it is; [`file::update`] does so under the file's lock.
//! - [`parameters`] reads and writes the values that one command is given.
//! - [`value`] says what a value means: a boolean, an integer with a unit, a path.
//!
//! ```
//! use adit_config::{Config, Origin, Scope};
//!
//! let mut config = Config::default();
//! config.add_bytes(b"[core]\n\tabbrev = 12\n", Origin::CommandLine, Scope::Command)?;
//! assert_eq!(config.integer("core.abbrev")?, Some(12));
//! # Ok::<(), adit_config::ConfigError>(())
//! ```

mod config;
pub mod edit;
pub mod file;
mod include;
pub mod lex;
mod name;
pub mod parameters;
mod url_match;
pub mod value;

pub use config::{Config, ConfigError, Entry, Origin, Scope};
pub use include::Includes;
pub use name::{Name, NameError, canonical_name, section_header};
pub use url_match::{Url, UrlError};
