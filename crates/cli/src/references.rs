//! What commands say when references cannot be changed.

use adit::Repository;
use adit_refs::UpdateError;

use crate::error::Error;

/// The end of a command: `fatal:` and what was in the way.
pub fn fatal(repo: &Repository, error: UpdateError) -> Error {
    Error::fatal(told(repo, error))
}

/// What was in the way, paths told from the working directory.
pub fn told(repo: &Repository, error: UpdateError) -> String {
    error.told_from(repo.env().cwd()).to_string()
}
