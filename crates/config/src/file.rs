//! Configuration files that are changed: read, edited and replaced under their lock.

use std::io::Write;
use std::path::{Path, PathBuf};

use adit_sys::{Durability, LockFile};
use bstr::BString;

use crate::edit::EditError;

/// Why a file was not changed.
#[derive(Debug, thiserror::Error)]
pub enum UpdateError {
    /// It is locked, or the lock cannot be made.
    #[error("could not lock config file {}: {}", .path.display(), adit_sys::os_error(.error))]
    Lock {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// It is there and cannot be read.
    #[error("unable to access '{}': {}", .path.display(), adit_sys::os_error(.error))]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// It cannot be written.
    #[error("could not write config file {}: {}", .path.display(), adit_sys::os_error(.error))]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// The edit was refused.
    #[error(transparent)]
    Edit(#[from] EditError),
}

/// Replaces the file at `path`, which need not exist and which messages call `shown`, by what `edit` makes of its text; it stays as it is when there
/// is nothing to change (`None`) or anything fails.
///
/// # Errors
/// When the file cannot be locked, read or written, or `edit` refuses.
pub fn update(
    path: &Path,
    shown: &Path,
    edit: impl FnOnce(&[u8]) -> Result<Option<BString>, EditError>,
) -> Result<(), UpdateError> {
    let owned = || shown.to_owned();
    let mut lock = LockFile::acquire(path).map_err(|error| UpdateError::Lock { path: owned(), error })?;
    let old = match std::fs::read(path) {
        Ok(old) => old,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(UpdateError::Read { path: owned(), error }),
    };
    let Some(new) = edit(&old)? else { return Ok(()) };
    let written = lock
        .keep_permissions()
        .and_then(|()| lock.write_all(&new))
        .and_then(|()| lock.commit(Durability::Content));
    written.map_err(|error| UpdateError::Write { path: owned(), error })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_changes_as_a_whole_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config");
        update(&path, &path, |old| Ok(Some([old, b"[a]\n"].concat().into()))).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"[a]\n");
        let refused = update(&path, &path, |_| Err(EditError::Several));
        assert!(matches!(refused, Err(UpdateError::Edit(EditError::Several))));
        update(&path, &path, |_| Ok(None)).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"[a]\n");
        std::fs::write(dir.path().join("config.lock"), "").unwrap();
        let error = update(&path, &path, |_| Ok(None)).unwrap_err().to_string();
        assert!(error.ends_with("File exists"), "{error}");
    }
}
