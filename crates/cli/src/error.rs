//! The one error type of the command line: what is printed for it, and the status that the process ends with.

use std::fmt;
use std::io;

use bstr::BString;

/// Why a command ended without doing all it was asked.
#[derive(Debug)]
pub enum Error {
    /// `fatal: <message>`, status 128.
    Fatal(BString),
    /// `error: <message>`, with a status of the command's choosing.
    Failed(BString, u8),
    /// A mistake in the command line: `error: <message>` (when there is one), then the usage; status 129.
    Usage {
        /// What is wrong; `None` when the usage says it all.
        message: Option<String>,
        /// The usage text; empty when there is none to show.
        usage: String,
    },
    /// `-h`: the usage on standard output, status 129.
    Help(String),
    /// Nothing more to say: only a status.
    Exit(u8),
    /// Standard output could not be written.
    Output(io::Error),
}

impl Error {
    /// A message that ends the command with `fatal:`.
    pub fn fatal(message: impl Into<BString>) -> Self {
        Error::Fatal(message.into())
    }

    /// A message that ends the command with `error:` and status 1.
    pub fn failed(message: impl Into<BString>) -> Self {
        Error::Failed(message.into(), 1)
    }

    /// A mistake in the command line; [`Error::with_usage`] adds the usage text.
    pub fn usage_line(message: String) -> Self {
        Error::Usage { message: Some(message), usage: String::new() }
    }

    /// The answer to `-h`; [`Error::with_usage`] adds the usage text.
    pub fn help_asked() -> Self {
        Error::Help(String::new())
    }

    /// Something that git has and Adit does not have yet.
    pub fn unsupported(what: &str) -> Self {
        Error::fatal(format!("{what} is not supported by adit yet"))
    }

    /// A setting whose value makes no sense, after that was said.
    pub fn bad_setting(entry: &adit_config::Entry) -> Self {
        let name = &entry.name;
        Error::fatal(match &*entry.origin {
            adit_config::Origin::CommandLine => format!("unable to parse '{name}' from command-line config"),
            origin => {
                let kind = if origin.kind() == "file" { "file " } else { "" };
                format!("bad config variable '{name}' in {kind}'{}' at line {}", origin.name(), entry.line)
            }
        })
    }

    /// Adds the usage text to an error about the command line that has none yet; others stay as they are.
    #[must_use]
    pub fn with_usage(self, text: String) -> Self {
        match self {
            Error::Usage { message, usage } if usage.is_empty() => Error::Usage { message, usage: text },
            Error::Help(usage) if usage.is_empty() => Error::Help(text),
            other => other,
        }
    }

    /// The status that the process ends with.
    pub fn status(&self) -> u8 {
        match self {
            Error::Fatal(_) => 128,
            Error::Failed(_, status) | Error::Exit(status) => *status,
            Error::Usage { .. } | Error::Help(_) => 129,
            Error::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => 128 + 13,
            Error::Output(_) => 128,
        }
    }

    /// Prints what there is to say, `fatal:` and `error:` lines to `err` and help to `out`.
    pub fn report(&self, out: &mut dyn io::Write, err: &mut dyn io::Write) {
        // There is nobody left to tell when these writes fail.
        let _ = match self {
            Error::Fatal(message) => writeln!(err, "fatal: {message}"),
            Error::Failed(message, _) => writeln!(err, "error: {message}"),
            Error::Usage { message, usage } => {
                let first = message.as_ref().map_or(Ok(()), |message| writeln!(err, "error: {message}"));
                first.and_then(|()| err.write_all(usage.as_bytes()))
            }
            Error::Help(usage) => out.write_all(usage.as_bytes()),
            Error::Output(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                writeln!(err, "fatal: write failure on standard output: {}", adit_sys::os_error(error))
            }
            Error::Exit(_) | Error::Output(_) => Ok(()),
        };
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Fatal(message) | Error::Failed(message, _) => write!(f, "{message}"),
            Error::Usage { message, usage } => f.write_str(message.as_deref().unwrap_or(usage)),
            Error::Help(usage) => f.write_str(usage),
            Error::Exit(status) => write!(f, "exit status {status}"),
            Error::Output(error) => write!(f, "standard output: {error}"),
        }
    }
}

impl std::error::Error for Error {}

/// Only standard output is written through `?`; other files name themselves in their errors.
impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Error::Output(error)
    }
}

/// Errors of the library end a command with `fatal:` and their own words.
macro_rules! fatal_from {
    ($($error:ty),* $(,)?) => {
        $(impl From<$error> for Error {
            fn from(error: $error) -> Self {
                Error::fatal(error.to_string())
            }
        })*
    };
}

fatal_from!(
    adit::BadBoolean,
    adit::ident::IdentError,
    adit::init::InitError,
    adit::OpenError,
    adit::signature::SignatureError,
    adit_config::ConfigError,
    adit_diff::diffcore::Error,
    adit_diff::pathspec::PathspecError,
    adit_object::SourceError,
    adit_odb::WriteError,
    adit_refs::Error,
    adit_revision::Error,
);
