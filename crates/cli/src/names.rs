//! Revision names on the command line: what is said while they are resolved, and what a failure is called.

use std::cell::RefCell;
use std::io::Write;

use adit::Repository;
use adit_revision::names::{Message, NameError, Names, Report, ambiguous_argument};
use bstr::{BStr, ByteSlice};

use crate::error::Error;

/// Prints messages on standard error, as they come.
pub struct Said<'e> {
    err: RefCell<&'e mut (dyn Write + Send + 'e)>,
}

impl<'e> Said<'e> {
    /// Messages go to `err`.
    pub fn new(err: &'e mut (dyn Write + Send + 'e)) -> Self {
        Said { err: RefCell::new(err) }
    }

    /// Prints `error: <text>`.
    pub fn error(&self, text: &dyn std::fmt::Display) {
        self.report(Message::Error(text.to_string().into()));
    }

    /// Prints a line without a prefix.
    pub fn plain(&self, text: &dyn std::fmt::Display) {
        self.report(Message::Plain(text.to_string().into()));
    }

    /// Prints `warning: <text>`.
    pub fn warning(&self, text: &dyn std::fmt::Display) {
        self.report(Message::Warning(text.to_string().into()));
    }
}

impl Report for Said<'_> {
    fn report(&self, message: Message) {
        let (prefix, text) = match &message {
            Message::Warning(text) => ("warning: ", text),
            Message::Error(text) => ("error: ", text),
            Message::Hint(text) => ("hint: ", text),
            Message::Plain(text) => ("", text),
        };
        let mut err = self.err.borrow_mut();
        for line in text.lines() {
            // There is nobody left to tell when this fails.
            let _ = writeln!(err, "{prefix}{}", line.as_bstr());
        }
    }
}

impl From<NameError> for Error {
    /// A name that leads nowhere is for the command to phrase; here it gets git's most general words.
    fn from(error: NameError) -> Self {
        match error {
            NameError::Unknown => Error::fatal("Needed a single revision"),
            other => Error::fatal(other.to_string()),
        }
    }
}

/// The error for an argument that is neither a revision nor, by `paths`, a path: what is known about why, or git's
/// advice on `--`.
///
/// # Errors
/// When the repository cannot be read.
pub fn unknown_argument(repo: &Repository, names: &Names<'_>, argument: &BStr) -> Result<Error, Error> {
    let on_disk =
        |path: &BStr| std::fs::symlink_metadata(repo.env().cwd().join(path.to_path_lossy())).is_ok();
    Ok(match names.explain(argument, &on_disk)? {
        Some(text) => Error::fatal(text),
        None => Error::fatal(ambiguous_argument(argument)),
    })
}
