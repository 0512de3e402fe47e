//! Signatures of commits and tags: made and checked by programs that the user trusts (gitformat-signature).

mod program;
mod sign;
mod status;
mod verify;

use std::path::PathBuf;

use bstr::{BString, ByteSlice};

pub use program::SignatureFormat;
pub use verify::Verification;

/// What a check says of a signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Verdict {
    /// There is none.
    #[default]
    None,
    /// It fits.
    Good,
    /// It does not fit.
    Bad,
    /// It fits and is too old.
    Expired,
    /// It fits, and its key is too old.
    ExpiredKey,
    /// It fits, and its key was revoked.
    RevokedKey,
    /// It could not be checked: the key is missing, say.
    Unchecked,
}

/// How much a key is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Trust {
    /// Nothing is known.
    #[default]
    Undefined,
    /// Not at all.
    Never,
    /// A little.
    Marginal,
    /// Fully.
    Fully,
    /// As one's own.
    Ultimate,
}

impl Trust {
    /// git's word.
    pub fn as_str(self) -> &'static str {
        match self {
            Trust::Undefined => "undefined",
            Trust::Never => "never",
            Trust::Marginal => "marginal",
            Trust::Fully => "fully",
            Trust::Ultimate => "ultimate",
        }
    }

    /// The level of that name.
    pub fn from_name(name: &[u8]) -> Option<Self> {
        let levels = [Trust::Undefined, Trust::Never, Trust::Marginal, Trust::Fully, Trust::Ultimate];
        levels.into_iter().find(|level| name.eq_ignore_ascii_case(level.as_str().as_bytes()))
    }
}

impl Verification {
    /// The letter of `%G?`.
    pub fn letter(&self) -> char {
        match self.verdict {
            Verdict::Good if self.trust <= Trust::Never => 'U',
            Verdict::Good => 'G',
            Verdict::Bad => 'B',
            Verdict::Expired => 'X',
            Verdict::ExpiredKey => 'Y',
            Verdict::RevokedKey => 'R',
            Verdict::Unchecked => 'E',
            Verdict::None => 'N',
        }
    }
}

/// Why a signature could not be made or checked.
#[derive(Debug, thiserror::Error)]
pub enum SignatureError {
    /// GnuPG said no.
    #[error("gpg failed to sign the data:\n{said}")]
    GpgFailed {
        /// What it said.
        said: BString,
    },
    /// `ssh-keygen` said no.
    #[error("{said}")]
    SshFailed {
        /// What it said.
        said: BString,
    },
    /// `ssh-keygen` is too old.
    #[error("ssh-keygen -Y sign is needed for ssh signing (available in openssh version 8.2p1+)")]
    OldSsh,
    /// No key is configured.
    #[error("user.signingKey needs to be set for ssh signing")]
    NoSshKey,
    /// It is not known whose keys count.
    #[error("gpg.ssh.allowedSignersFile needs to be configured and exist for ssh signature verification")]
    NoAllowedSigners,
    /// The signature is in no known format.
    #[error("bad/incompatible signature")]
    UnknownFormat,
    /// A program could not be run.
    #[error("cannot run {}: {}", .program.display(), adit_sys::os_error(.error))]
    Program {
        /// The program.
        program: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// A temporary file could not be used.
    #[error("could not use a temporary file at '{}': {}", .path.display(), adit_sys::os_error(.error))]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// A setting makes no sense.
    #[error("invalid value for '{name}': '{value}'")]
    BadSetting {
        /// The setting.
        name: &'static str,
        /// Its value.
        value: BString,
    },
    /// The configuration cannot be used.
    #[error(transparent)]
    Config(#[from] adit_config::ConfigError),
    /// It is not known who signs.
    #[error(transparent)]
    Ident(#[from] crate::ident::IdentError),
}

impl SignatureError {
    fn ssh(said: BString) -> Self {
        if said.contains_str("usage:") { SignatureError::OldSsh } else { SignatureError::SshFailed { said } }
    }
}

/// Line ends as git has them.
fn without_carriage_returns(text: &[u8]) -> BString {
    text.replace("\r\n", "\n").into()
}

/// Where the signature at the end of a tag's message or content starts; its length when there is none.
pub fn signature_start(text: &[u8]) -> usize {
    const STARTS: [&[u8]; 4] = [
        b"-----BEGIN PGP SIGNATURE-----",
        b"-----BEGIN PGP MESSAGE-----",
        b"-----BEGIN SIGNED MESSAGE-----",
        b"-----BEGIN SSH SIGNATURE-----",
    ];
    let mut at = 0;
    let mut found = text.len();
    for line in text.split_inclusive(|&b| b == b'\n') {
        if STARTS.iter().any(|start| line.starts_with(start)) {
            found = at;
        }
        at += line.len();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_starts_at_the_last_line_that_can_start_one() {
        assert_eq!(signature_start(b"text\n"), 5);
        let twice = b"-----BEGIN PGP SIGNATURE-----\nx\n-----BEGIN SSH SIGNATURE-----\ny\n";
        assert_eq!(signature_start(twice), 32);
    }
}
