//! What a writer of references must know besides the references themselves.

use std::time::Duration;

use adit_object::Source;
use adit_sys::{Durability, Sharing};
use bstr::BString;

/// Which references get a log when they have none (`core.logAllRefUpdates`). One that has a log always adds to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LogPolicy {
    /// None.
    #[default]
    Never,
    /// Branches, remote-tracking branches, notes and `HEAD`.
    Usual,
    /// All of them.
    Always,
}

impl LogPolicy {
    /// Whether a log is made for the reference `name`.
    pub fn creates(self, name: &[u8]) -> bool {
        const USUAL: [&[u8]; 3] = [b"refs/heads/", b"refs/remotes/", b"refs/notes/"];
        match self {
            LogPolicy::Never => false,
            LogPolicy::Usual => name == b"HEAD" || USUAL.iter().any(|folder| name.starts_with(folder)),
            LogPolicy::Always => true,
        }
    }
}

/// How long to wait for a lock that another process holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// As long as it takes.
    Endless,
    /// So long; zero for a single attempt.
    For(Duration),
}

/// How references are written.
#[derive(Clone)]
pub struct WriteOptions<'a> {
    /// Who changes them and when, as a log has it: `Name <email> seconds zone`.
    pub who: BString,
    /// Which references get a log.
    pub log: LogPolicy,
    /// How long to wait for the lock of one reference (`core.filesRefLockTimeout`).
    pub reference_patience: Patience,
    /// How long to wait for the lock of `packed-refs` (`core.packedRefsTimeout`).
    pub packed_patience: Patience,
    /// Whether references are on disk before they are seen (`core.fsync`).
    pub durability: Durability,
    /// Who else may read and write the files (`core.sharedRepository`).
    pub sharing: Sharing,
    /// The objects: a reference is refused an object that is not there, a branch one that is no commit. Without them
    /// nothing is checked.
    pub objects: Option<&'a dyn Source>,
}

// The objects have nothing to show.
impl std::fmt::Debug for WriteOptions<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WriteOptions").field("who", &self.who).field("log", &self.log).finish_non_exhaustive()
    }
}

impl WriteOptions<'_> {
    /// git's own settings, for changes made by `who`; nothing is checked of objects.
    pub fn new(who: impl Into<BString>) -> Self {
        WriteOptions {
            who: who.into(),
            log: LogPolicy::default(),
            reference_patience: Patience::For(Duration::from_millis(100)),
            packed_patience: Patience::For(Duration::from_secs(1)),
            durability: Durability::None,
            sharing: Sharing::Umask,
            objects: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn which_references_get_a_log() {
        for (name, usual) in [
            ("HEAD", true),
            ("ORIG_HEAD", false),
            ("refs/heads/a", true),
            ("refs/remotes/o/a", true),
            ("refs/notes/commits", true),
            ("refs/tags/a", false),
            ("refs/bisect/bad", false),
        ] {
            assert_eq!(LogPolicy::Usual.creates(name.as_bytes()), usual, "{name}");
            assert!(LogPolicy::Always.creates(name.as_bytes()) && !LogPolicy::Never.creates(name.as_bytes()));
        }
    }
}
