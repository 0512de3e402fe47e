//! What commands say when references cannot be changed.

use adit::Repository;
use adit_refs::UpdateError;

use crate::error::Error;

/// The end of a command: `fatal:` and what was in the way.
pub fn fatal(repo: &Repository, error: UpdateError) -> Error {
    Error::fatal(error.told_from(repo.env().cwd()).to_string())
}
