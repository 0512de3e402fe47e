//! The folders that writers work in: held open from one file to the next, made when they are missing, removed when
//! they are empty.

use std::io;
use std::path::{Path, PathBuf};

use adit_sys::{Folder, Sharing};
use bstr::{BStr, BString, ByteSlice};

use super::{Files, is_absent};

/// Which of the two trees of files: the references themselves or their logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tree {
    References,
    Logs,
}

/// The folder that was used last. References are written in order of name, so that the next is likely to be the same.
#[derive(Debug)]
pub(super) struct Folders<'s> {
    files: &'s Files,
    tree: Tree,
    sharing: Sharing,
    /// The part of the name before the last slash, the folder's path, and the folder unless it is missing.
    current: Option<(BString, PathBuf, Option<Folder>)>,
}

/// How often a folder is made again that others keep removing because it is empty.
const ATTEMPTS: usize = 16;

impl<'s> Folders<'s> {
    pub(super) fn new(files: &'s Files, tree: Tree, sharing: Sharing) -> Self {
        Folders { files, tree, sharing, current: None }
    }

    /// The path of the file of the reference `name`.
    pub(super) fn path_of(&self, name: &BStr) -> PathBuf {
        match self.tree {
            Tree::References => self.files.path_of(name),
            Tree::Logs => self.files.log_path(name),
        }
    }

    fn find(&mut self, name: &BStr) -> io::Result<()> {
        let part = &name[..name.rfind_byte(b'/').unwrap_or(0)];
        if self.current.as_ref().is_some_and(|(current, ..)| current == part) {
            return Ok(());
        }
        let mut path = self.path_of(name);
        path.pop();
        let folder = Folder::open(&path)?;
        self.current = Some((part.into(), path, folder));
        Ok(())
    }

    /// The folder of the reference `name`, and the folder's path; `None` when there is no such folder.
    pub(super) fn existing(&mut self, name: &BStr) -> io::Result<Option<(&Folder, &Path)>> {
        self.find(name)?;
        Ok(self.current.as_ref().and_then(|(_, path, folder)| Some((folder.as_ref()?, path.as_path()))))
    }

    /// Calls `work` with the folder of the reference `name`, which is made if it is missing, and again should
    /// somebody remove it meanwhile.
    pub(super) fn with<T>(
        &mut self,
        name: &BStr,
        mut work: impl FnMut(&Folder, &Path) -> io::Result<T>,
    ) -> io::Result<T> {
        for _ in 0..ATTEMPTS {
            self.find(name)?;
            match &self.current {
                Some((_, path, Some(folder))) => match work(folder, path) {
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    outcome => return outcome,
                },
                Some((_, path, None)) => self.make(&path.clone())?,
                None => {}
            }
            self.current = None;
        }
        Err(io::ErrorKind::NotFound.into())
    }

    /// Makes the folder at `path`, and those above it that are missing.
    fn make(&self, path: &Path) -> io::Result<()> {
        match std::fs::create_dir(path) {
            Ok(()) => self.sharing.adjust(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                // A file there is for the next attempt to tell of; a folder was made by somebody else just now.
                if path.is_dir() { Ok(()) } else { Err(io::ErrorKind::NotADirectory.into()) }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let parent = path.parent().ok_or(error)?;
                self.make(parent)?;
                match std::fs::create_dir(path) {
                    Ok(()) => self.sharing.adjust(path),
                    // Made or removed by somebody else just now.
                    Err(_) => Ok(()),
                }
            }
            Err(error) => Err(error),
        }
    }
}

/// Removes the folder at `path` and the folders in it, provided that they hold no files; whether it is gone.
pub(super) fn remove_empty(path: &Path) -> bool {
    /// Deeper folders than any name of a reference has parts.
    const DEEPEST: usize = 2048;
    fn clear(path: &Path, depth: usize) {
        if depth < DEEPEST
            && let Ok(entries) = std::fs::read_dir(path)
        {
            for entry in entries.flatten() {
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    clear(&entry.path(), depth + 1);
                }
            }
        }
        let _ = std::fs::remove_dir(path);
    }
    clear(path, 0);
    std::fs::symlink_metadata(path).is_err_and(|error| is_absent(&error))
}

/// Removes the folders above the file of `name` that are empty, from the innermost out; those of the first two parts
/// of the name (`refs/heads`) stay.
pub(super) fn remove_empty_parents(files: &Files, tree: Tree, name: &BStr) {
    let (_, plain) = crate::name::split_worktree(name);
    let mut deep = plain.find_iter(b"/").count();
    let mut path = match tree {
        Tree::References => files.path_of(name),
        Tree::Logs => files.log_path(name),
    };
    while deep > 2 && path.pop() && std::fs::remove_dir(&path).is_ok() {
        deep -= 1;
    }
}
