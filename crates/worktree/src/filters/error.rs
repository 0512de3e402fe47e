//! What can go wrong in a conversion, and what is to be told of one that went through.

use std::io;

use bstr::BString;

use super::Irreversible;

/// Why a content cannot be converted.
#[derive(Debug, thiserror::Error)]
pub enum FilterError {
    /// An encoding that is only set or unset.
    #[error("true/false are no valid working-tree-encodings")]
    EncodingWithoutName,
    /// An encoding that needs a byte order mark, and the file has none.
    #[error("BOM is required in '{path}' if encoded as {encoding}")]
    MarkRequired {
        /// The file.
        path: BString,
        /// The encoding.
        encoding: BString,
    },
    /// An encoding that allows no byte order mark, and the file has one.
    #[error("BOM is prohibited in '{path}' if encoded as {encoding}")]
    MarkProhibited {
        /// The file.
        path: BString,
        /// The encoding.
        encoding: BString,
        /// The encoding that would allow it.
        instead: String,
    },
    /// A content that is not in its encoding, or an encoding that is not known.
    #[error("failed to encode '{path}' from {encoding} to UTF-8")]
    NotInEncoding {
        /// The file.
        path: BString,
        /// The encoding.
        encoding: BString,
    },
    /// A content that would not come back the same.
    #[error("encoding '{path}' from {encoding} to UTF-8 and back is not the same")]
    NoRoundTrip {
        /// The file.
        path: BString,
        /// The encoding.
        encoding: BString,
    },
    /// A change of line ends that a checkout would not undo, where that is refused.
    #[error("{} in {path}", match change {
        Irreversible::CrlfToLf => "CRLF would be replaced by LF",
        Irreversible::LfToCrlf => "LF would be replaced by CRLF",
    })]
    Irreversible {
        /// The file.
        path: BString,
        /// The change.
        change: Irreversible,
    },
    /// A driver that must clean and did not.
    #[error("{path}: clean filter '{driver}' failed")]
    Clean {
        /// The file.
        path: BString,
        /// The driver.
        driver: BString,
    },
    /// A driver that must smudge and did not.
    #[error("{path}: smudge filter {driver} failed")]
    Smudge {
        /// The file.
        path: BString,
        /// The driver.
        driver: BString,
    },
    /// A driver that does not tell which delayed contents are there.
    #[error("external filter '{command}' is not available anymore although not all paths have been filtered")]
    Available {
        /// Its command line.
        command: BString,
    },
    /// A long-running filter that does not send packets.
    #[error("protocol error: {what}")]
    Packet {
        /// What is wrong with it.
        what: String,
    },
    /// A driver that asks for what was not offered.
    #[error("subprocess '{command}' requested unsupported capability '{capability}'")]
    Capability {
        /// Its command line.
        command: BString,
        /// What it asked for.
        capability: BString,
    },
}

impl FilterError {
    /// What may help, in a sentence.
    pub fn hint(&self) -> Option<String> {
        match self {
            FilterError::MarkRequired { encoding, .. } => Some(format!(
                "To store a file that has no byte order mark, name the order: working-tree-encoding={encoding}LE or \
                 {encoding}BE."
            )),
            FilterError::MarkProhibited { instead, .. } => Some(format!(
                "To store a file that has a byte order mark, leave the order out: working-tree-encoding={instead}."
            )),
            _ => None,
        }
    }
}

/// Something to tell the user of; the conversion went on, if need be without a step.
#[derive(Debug, thiserror::Error)]
pub enum Notice {
    /// What would have been an error were the content to be stored.
    #[error(transparent)]
    PassedOver(FilterError),
    /// A content that cannot be written in the encoding of the working tree.
    #[error("failed to encode '{path}' from UTF-8 to {encoding}")]
    NotEncoded {
        /// The file.
        path: BString,
        /// The encoding.
        encoding: BString,
    },
    /// A change of line ends that a checkout would not undo.
    #[error("in the working copy of '{path}', {} the next time Git touches it", match change {
        Irreversible::CrlfToLf => "CRLF will be replaced by LF",
        Irreversible::LfToCrlf => "LF will be replaced by CRLF",
    })]
    Irreversible {
        /// The file.
        path: BString,
        /// The change.
        change: Irreversible,
    },
    /// A program that cannot be started.
    #[error("cannot run {command}: {}", adit_sys::os_error(.error))]
    NotStarted {
        /// Its command line.
        command: BString,
        /// What the system said.
        error: io::Error,
    },
    /// A program that ended badly.
    #[error("external filter '{command}' failed {status}")]
    Status {
        /// Its command line.
        command: BString,
        /// The status, 128 and the signal for one that was killed.
        status: i32,
    },
    /// A filter that did not do its work.
    #[error("external filter '{command}' failed")]
    Failed {
        /// Its command line.
        command: BString,
    },
    /// A long-running filter that does not speak the protocol.
    #[error("{what}\nerror: initialization for subprocess '{command}' failed")]
    Handshake {
        /// Its command line.
        command: BString,
        /// What it said instead.
        what: String,
    },
}

impl Notice {
    /// Whether it is a warning; else it is an error that was survived.
    pub fn is_warning(&self) -> bool {
        matches!(self, Notice::Irreversible { .. })
    }
}
