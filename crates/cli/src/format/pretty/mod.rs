//! Commit messages in every format that `--pretty` and `--format` know (pretty-formats).
//!
//! A [`Style`] says which format; it is found by name or compiled from a user's format ([`Template`]). A [`Printer`]
//! joins it with what the repository and the options say, and is run for each [`Shown`] commit, from any thread.

mod email;
mod escapes;
mod expand;
mod layout;
mod message;
mod options;
mod pad;
mod person;
mod printer;
mod style;
mod template;

pub use message::Message;
pub use options::{DecorateStyle, DescribeStyle, TrailerStyle};
pub use person::Dates;
pub use printer::{Abbrev, Describe, Printer, ReflogLine, Shown};
pub use style::{Layout, Style};
pub use template::{Needs, Template};

/// Why a format cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    /// No format of that name.
    #[error("invalid --pretty format: {0}")]
    Unknown(String),
    /// A configured format that leads back to itself.
    #[error("invalid --pretty format: '{0}' references an alias which points to itself")]
    Circular(String),
    /// A colour that is none, in a user's format.
    #[error("unable to parse --pretty format")]
    Color(String),
}
