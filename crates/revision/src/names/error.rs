//! How a name can fail, and what is said on the way.

use adit_object::SourceError;
use bstr::BString;

/// Why a name leads to no object.
#[derive(Debug, thiserror::Error)]
pub enum NameError {
    /// Nothing is called that. Each command has its own words for it.
    #[error("unknown revision")]
    Unknown,
    /// The name is understood, and what it asks for is not there.
    #[error("{0}")]
    Refused(BString),
    /// References could not be read.
    #[error(transparent)]
    Refs(#[from] adit_refs::Error),
    /// An object could not be read.
    #[error(transparent)]
    Source(#[from] SourceError),
}

impl NameError {
    pub(crate) fn refused(text: impl Into<BString>) -> Self {
        NameError::Refused(text.into())
    }

    /// Whether the name simply leads nowhere.
    pub fn is_unknown(&self) -> bool {
        matches!(self, NameError::Unknown)
    }
}

/// Something worth telling the user, without its prefix (`warning: `, ...).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    /// It may not be what was meant.
    Warning(BString),
    /// It is why the name fails.
    Error(BString),
    /// It may help; several lines are separated by newlines.
    Hint(BString),
    /// Lines without a prefix.
    Plain(BString),
}

/// Where messages go.
pub trait Report {
    /// Takes one message.
    fn report(&self, message: Message);
}

impl<F: Fn(Message)> Report for F {
    fn report(&self, message: Message) {
        self(message);
    }
}
