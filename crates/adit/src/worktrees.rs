//! The working trees of a repository: the main one and the linked ones (git-worktree).

use std::path::{Path, PathBuf};

use adit_refs::{Head, Options, Store};
use bstr::{BStr, ByteSlice};

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

    /// The working tree that a branch, named in full, must stay for: it is checked out there, or will be again when a
    /// rebase or a bisection ends.
    ///
    /// # Errors
    /// When a `HEAD` cannot be read.
    pub fn worktree_on(&self, branch: &BStr) -> Result<Option<Worktree>, OpenError> {
        let on = |tree: &Worktree| {
            !tree.is_bare && (tree.head.branch() == Some(branch) || tree.returns_to(branch))
        };
        Ok(self.worktrees()?.into_iter().find(on))
    }

    fn worktree_at(&self, path: PathBuf, git_dir: PathBuf, is_bare: bool) -> Result<Worktree, OpenError> {
        let refs = Store::open(&git_dir, self.common_dir(), self.object_format(), Options::default())?;
        Ok(Worktree { path, head: refs.head()?, git_dir, is_bare })
    }
}

impl Worktree {
    /// Whether something that is under way here ends with `branch` checked out, or moves it.
    pub fn returns_to(&self, branch: &BStr) -> bool {
        self.is_rebasing(branch) || self.is_bisecting(branch)
    }

    /// Whether `branch` is being rebased here.
    pub fn is_rebasing(&self, branch: &BStr) -> bool {
        let says = |file: &str| {
            std::fs::read(self.git_dir.join(file))
                .is_ok_and(|content| content.trim_end() == branch.as_bytes())
        };
        let moves = || {
            let listed = std::fs::read(self.git_dir.join("rebase-merge/update-refs")).unwrap_or_default();
            // Each reference has three lines: its name and two ids.
            listed.lines().step_by(3).any(|line| line == branch.as_bytes())
        };
        says("rebase-merge/head-name") || says("rebase-apply/head-name") || moves()
    }

    /// Whether a bisection that started on `branch` is under way here.
    pub fn is_bisecting(&self, branch: &BStr) -> bool {
        let short = branch.strip_prefix(b"refs/heads/").unwrap_or(branch);
        std::fs::read(self.git_dir.join("BISECT_START")).is_ok_and(|content| content.trim_end() == short)
    }
}
