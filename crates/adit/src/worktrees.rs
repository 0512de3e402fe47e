//! The working trees of a repository: the main one and the linked ones (git-worktree).

use std::path::{Path, PathBuf};

use adit_refs::{Head, Options, Store};
use bstr::ByteSlice;

use crate::{OpenError, Repository};

/// One working tree.
#[derive(Debug, Clone)]
pub struct Worktree {
    /// Its top folder.
    pub path: PathBuf,
    /// Its own part of the repository.
    pub git_dir: PathBuf,
    /// What it is on.
    pub head: Head,
    /// Whether it is a bare repository and has no files.
    pub is_bare: bool,
}

impl Repository {
    /// The working trees: the main one first, then the linked ones by name. A linked one whose description is damaged is
    /// left out.
    ///
    /// # Errors
    /// When a `HEAD` cannot be read.
    pub fn worktrees(&self) -> Result<Vec<Worktree>, OpenError> {
        let common = self.common_dir();
        let is_bare = self.config().bool("core.bare")?.unwrap_or(false);
        let top = match common.file_name() {
            Some(name) if name == ".git" => common.parent().unwrap_or(common),
            _ => common,
        };
        let mut found = vec![self.worktree_at(top.to_owned(), common.to_owned(), is_bare)?];
        let mut names: Vec<_> = match std::fs::read_dir(common.join("worktrees")) {
            Ok(entries) => entries.filter_map(|entry| Some(entry.ok()?.path())).collect(),
            Err(_) => Vec::new(),
        };
        names.sort();
        for git_dir in names {
            let Ok(content) = std::fs::read(git_dir.join("gitdir")) else { continue };
            let named = git_dir.join(content.trim_end().to_path_lossy());
            let top = match named.file_name() {
                Some(name) if name == ".git" => named.parent().map(Path::to_owned).unwrap_or(named),
                _ => named,
            };
            found.push(self.worktree_at(top, git_dir, false)?);
        }
        Ok(found)
    }

    fn worktree_at(&self, path: PathBuf, git_dir: PathBuf, is_bare: bool) -> Result<Worktree, OpenError> {
        let refs = Store::open(&git_dir, self.common_dir(), self.object_format(), Options::default())?;
        Ok(Worktree { path, head: refs.head()?, git_dir, is_bare })
    }
}
