//! Where a repository's ignore patterns are (gitignore, git-config `core.excludesFile`).

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use adit_worktree::Ignore;
use adit_worktree::ignore::IgnoreFile;
use bstr::BStr;

use crate::attributes::{DiskFolders, NoFolders};
use crate::{OpenError, Repository, config_files};

impl Repository {
    /// The patterns that apply here: those of `.gitignore` files, of `info/exclude`, and of the user's file.
    ///
    /// # Errors
    /// When a setting cannot be used, or a file for the whole tree cannot be read.
    pub fn ignore(&self) -> Result<Ignore, OpenError> {
        let name = ".gitignore";
        let folders = match self.work_tree() {
            Some(top) => Ignore::new(Box::new(DiskFolders { top: top.to_owned(), name }), name),
            None => Ignore::new(Box::new(NoFolders), name),
        };
        let mut ignore = folders.ignoring_case(self.config().bool("core.ignorecase")?.unwrap_or(false));
        let user = config_files::global_ignore(self.env(), self.config());
        let info = self.common_dir().join("info").join("exclude");
        for path in user.into_iter().chain([info]) {
            let path = self.work_tree().map_or(path.clone(), |top| top.join(&path));
            if let Some(content) = read(&path)? {
                ignore = ignore.with_file(IgnoreFile::parse(&content, self.shown(&path)));
            }
        }
        Ok(ignore)
    }

    /// A file as messages call it: from the top of the working tree when it lies there.
    fn shown<'p>(&self, path: &'p Path) -> &'p BStr {
        let below = self.work_tree().and_then(|top| path.strip_prefix(top).ok());
        BStr::new(below.unwrap_or(path).as_os_str().as_bytes())
    }
}

/// Reads a file that need not be there, nor be readable.
fn read(path: &PathBuf) -> Result<Option<Vec<u8>>, OpenError> {
    use std::io::ErrorKind::{IsADirectory, NotADirectory, NotFound, PermissionDenied};
    match std::fs::read(path) {
        Ok(content) => Ok(Some(content)),
        Err(error) if matches!(error.kind(), NotFound | NotADirectory | PermissionDenied | IsADirectory) => {
            Ok(None)
        }
        Err(error) => Err(OpenError::Io { path: path.clone(), error }),
    }
}
