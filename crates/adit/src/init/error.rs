//! Why a repository is not made, and what is told while one is.

use std::path::PathBuf;

use bstr::BString;

use crate::OpenError;

/// Why a repository is not made.
#[derive(Debug, thiserror::Error)]
pub enum InitError {
    /// What is there cannot be used.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A `.git` file that leads to no repository.
    #[error("not a git repository: {}", .path.display())]
    NoRepository {
        /// Where it leads.
        path: PathBuf,
    },
    /// Objects have another hash already.
    #[error("attempt to reinitialize repository with different hash")]
    DifferentHash,
    /// References are stored otherwise already.
    #[error("attempt to reinitialize repository with different reference storage format")]
    DifferentRefStorage,
    /// A hash that does not exist.
    #[error("unknown hash algorithm '{0}'")]
    UnknownHash(BString),
    /// A way to store references that does not exist.
    #[error("unknown ref storage format '{0}'")]
    UnknownRefStorage(BString),
    /// No branch can be called so.
    #[error("invalid initial branch name: '{0}'")]
    BadBranch(BString),
    /// The configured name is one that no branch can have.
    #[error("invalid branch name: init.defaultBranch = {0}")]
    BadDefaultBranch(BString),
    /// A bare repository lies where it is.
    #[error("--separate-git-dir incompatible with bare repository")]
    SeparateBare,
    /// A part of a path is missing.
    #[error("Invalid path '{}': {}", .path.display(), adit_sys::os_error(.error))]
    BadPath {
        /// The part that is missing.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// The repository does not move.
    #[error("unable to move {} to {}: {}", .from.display(), .to.display(), adit_sys::os_error(.error))]
    Move {
        /// Where it is.
        from: PathBuf,
        /// Where it should go.
        to: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// A folder cannot be made.
    #[error("cannot mkdir {}: {}", .path.display(), adit_sys::os_error(.error))]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// A file cannot be written.
    #[error("could not write '{}': {}", .path.display(), adit_sys::os_error(.error))]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// The configuration cannot be written.
    #[error(transparent)]
    Config(#[from] adit_config::file::UpdateError),
}

/// What is worth telling while a repository is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// The branch has its name because nobody chose one.
    BranchByDefault,
    /// A branch was named, and the repository is on one already.
    BranchIgnored(BString),
    /// A configured hash does not exist.
    UnknownHash(BString),
    /// A configured way to store references does not exist.
    UnknownRefStorage(BString),
    /// There is no such folder of templates.
    NoTemplates(PathBuf),
    /// The templates are for another kind of repository.
    OtherTemplates {
        /// The folder.
        path: PathBuf,
        /// Why they do not fit.
        why: String,
    },
    /// A template is no file, folder or link.
    OddTemplate(PathBuf),
}
