//! Finding the repository that a folder belongs to (git, "The Git Repository"; gitrepository-layout).

use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use adit_config::Config;
use bstr::{BStr, BString, ByteSlice};

use crate::{Environment, OpenError};

/// Where a repository is, and where the caller stands in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// The repository of this working tree: `.git`, or `.git/worktrees/<name>` for a linked one.
    pub git_dir: PathBuf,
    /// What all working trees share: objects, references, configuration.
    pub common_dir: PathBuf,
    /// The folder whose `.git`, file or folder, led here; `None` for a bare repository or an explicit `GIT_DIR`.
    pub found_in: Option<PathBuf>,
    /// Whether the caller named the repository (`GIT_DIR`), so that nothing was searched.
    pub explicit: bool,
    /// How git would name the repository to a person: `.git`, `.`, what `GIT_DIR` says, or its absolute path.
    pub shown: PathBuf,
}

impl Location {
    /// Finds the repository that `env` points to: `GIT_DIR`, or the first one at or above its working directory.
    ///
    /// # Errors
    /// When there is none, or what is found is broken.
    pub fn find(env: &Environment) -> Result<Self, OpenError> {
        match env.path("GIT_DIR") {
            Some(named) => Self::named(env, &named),
            None => Self::search(env),
        }
    }

    fn named(env: &Environment, named: &Path) -> Result<Self, OpenError> {
        let none = || OpenError::NotARepository { named: Some(named.to_owned()), stopped_at: None };
        let path = env.cwd().join(named);
        let git_dir = if path.is_file() { read_git_file(&path)? } else { path };
        let common_dir = common_dir_of(env, &git_dir);
        if !is_repository(env, &git_dir, &common_dir) {
            return Err(none());
        }
        Ok(Location { git_dir, common_dir, found_in: None, explicit: true, shown: named.to_owned() })
    }

    fn search(env: &Environment) -> Result<Self, OpenError> {
        let ceilings = ceilings(env);
        let across = env.bool("GIT_DISCOVERY_ACROSS_FILESYSTEM", false)?;
        let start = env.cwd();
        let device = std::fs::metadata(start).map(|meta| meta.dev()).ok();
        let mut below: Option<&Path> = None;
        for dir in start.ancestors() {
            if below.is_some() && ceilings.iter().any(|ceiling| ceiling == dir) {
                break;
            }
            if !across && device.is_some() && std::fs::metadata(dir).map(|meta| meta.dev()).ok() != device {
                return Err(OpenError::NotARepository { named: None, stopped_at: below.map(Path::to_owned) });
            }
            if let Some(location) = Self::at(env, dir, dir == start)? {
                return Ok(location);
            }
            below = Some(dir);
        }
        Err(OpenError::NotARepository { named: None, stopped_at: None })
    }

    /// The repository in `dir/.git`, or `dir` itself when it is a bare one.
    fn at(env: &Environment, dir: &Path, is_start: bool) -> Result<Option<Self>, OpenError> {
        let dot_git = dir.join(".git");
        let kind = std::fs::metadata(&dot_git).map(|meta| meta.file_type()).ok();
        let git_dir = match kind {
            Some(kind) if kind.is_file() => {
                let git_dir = read_git_file(&dot_git)?;
                let common_dir = common_dir_of(env, &git_dir);
                if !is_repository(env, &git_dir, &common_dir) {
                    return Err(OpenError::NotARepository { named: Some(git_dir), stopped_at: None });
                }
                git_dir
            }
            Some(kind) if kind.is_dir() => dot_git.clone(),
            _ => PathBuf::new(),
        };
        if !git_dir.as_os_str().is_empty() {
            let common_dir = common_dir_of(env, &git_dir);
            if is_repository(env, &git_dir, &common_dir) {
                let shown =
                    if is_start && git_dir == dot_git { PathBuf::from(".git") } else { git_dir.clone() };
                let found_in = Some(dir.to_owned());
                return Ok(Some(Location { git_dir, common_dir, found_in, explicit: false, shown }));
            }
        }
        let common_dir = common_dir_of(env, dir);
        if is_repository(env, dir, &common_dir) {
            let shown = if is_start { PathBuf::from(".") } else { dir.to_owned() };
            let git_dir = dir.to_owned();
            return Ok(Some(Location { git_dir, common_dir, found_in: None, explicit: false, shown }));
        }
        Ok(None)
    }

    /// Refuses a repository of another user that the configuration does not declare safe, and an unasked-for bare
    /// one where `safe.bareRepository` says so. `config` must hold system, global and command values only:
    /// a repository does not vouch for itself.
    ///
    /// # Errors
    /// When it is refused.
    pub fn check_safe(&self, env: &Environment, config: &Config) -> Result<(), OpenError> {
        if self.explicit {
            return Ok(());
        }
        if self.found_in.is_none()
            && !self.git_dir.ends_with(".git")
            && !self.git_dir.components().any(|part| part.as_os_str() == ".git")
            && config.string("safe.barerepository")?.is_some_and(|value| value == "explicit")
        {
            return Err(OpenError::BareNotAllowed { path: self.git_dir.clone() });
        }
        let tree = self.found_in.as_deref();
        let files = [tree.map(|dir| dir.join(".git")), tree.map(Path::to_owned), Some(self.git_dir.clone())];
        let assume_other = env.bool("GIT_TEST_ASSUME_DIFFERENT_OWNER", false)?;
        if !assume_other && files.iter().flatten().all(|file| is_own(env, file)) {
            return Ok(());
        }
        let checked = tree.unwrap_or(&self.git_dir);
        if is_declared_safe(env, config, checked) {
            return Ok(());
        }
        Err(OpenError::DubiousOwnership { path: checked.to_owned() })
    }
}

/// Reads a `.git` file: one line, `gitdir: <path>`, relative to the file.
pub(crate) fn read_git_file(path: &Path) -> Result<PathBuf, OpenError> {
    let malformed = || OpenError::BadGitFile { path: path.to_owned() };
    let content = std::fs::read(path).map_err(|error| OpenError::Io { path: path.to_owned(), error })?;
    let target = content.strip_prefix(b"gitdir: ").ok_or_else(malformed)?;
    let target = target.trim_end_with(|c| matches!(c, '\n' | '\r'));
    if target.is_empty() {
        return Err(malformed());
    }
    let parent = path.parent().unwrap_or(Path::new("/"));
    Ok(normalize(&parent.join(target.to_path_lossy())))
}

/// What the `commondir` file of a linked working tree's folder says, else the folder itself.
fn common_dir_of(env: &Environment, git_dir: &Path) -> PathBuf {
    if let Some(common) = env.path("GIT_COMMON_DIR") {
        return env.cwd().join(common);
    }
    match std::fs::read(git_dir.join("commondir")) {
        Ok(content) => {
            let target = content.trim_end_with(|c| matches!(c, '\n' | '\r'));
            normalize(&git_dir.join(target.to_path_lossy()))
        }
        Err(_) => git_dir.to_owned(),
    }
}

/// Whether a folder looks like a repository: a plausible `HEAD`, objects, and references.
fn is_repository(env: &Environment, git_dir: &Path, common_dir: &Path) -> bool {
    is_head(&git_dir.join("HEAD"))
        && env
            .path("GIT_OBJECT_DIRECTORY")
            .map_or_else(|| common_dir.join("objects").is_dir(), |objects| env.cwd().join(objects).is_dir())
        && common_dir.join("refs").is_dir()
}

/// Whether `path` could be a `HEAD`: a symbolic reference below `refs/`, a link to one, or an object id.
fn is_head(path: &Path) -> bool {
    if let Ok(target) = std::fs::read_link(path) {
        return target.as_os_str().as_bytes().starts_with(b"refs/");
    }
    let Ok(content) = std::fs::read(path) else { return false };
    if let Some(target) = content.strip_prefix(b"ref:") {
        return target.trim_ascii_start().starts_with(b"refs/");
    }
    let digits = content.iter().take_while(|b| b.is_ascii_hexdigit()).count();
    digits >= 40
}

/// The folders that the search may not climb to, links resolved unless an empty entry came before.
fn ceilings(env: &Environment) -> Vec<PathBuf> {
    let Some(list) = env.var_non_empty("GIT_CEILING_DIRECTORIES") else { return Vec::new() };
    let mut resolve = true;
    let mut found = Vec::new();
    for entry in list.split_str(":") {
        if entry.is_empty() {
            resolve = false;
            continue;
        }
        let path = entry.to_path_lossy().into_owned();
        if !path.is_absolute() {
            continue;
        }
        let resolved = if resolve { std::fs::canonicalize(&path).ok() } else { None };
        found.push(resolved.unwrap_or_else(|| normalize(&path)));
    }
    found
}

/// Whether the user who runs this owns `path`; under sudo, root also passes for the user who called it.
fn is_own(env: &Environment, path: &Path) -> bool {
    let Ok(meta) = std::fs::symlink_metadata(path) else { return true };
    let user = adit_sys::effective_user_id();
    if meta.uid() == user {
        return true;
    }
    let caller = env.var("SUDO_UID").and_then(|uid| uid.to_str().ok()?.parse::<u32>().ok());
    user == 0 && caller == Some(meta.uid())
}

/// Whether `safe.directory` names `path`; an empty value forgets those before it.
fn is_declared_safe(env: &Environment, config: &Config, path: &Path) -> bool {
    let canonical = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mut safe = false;
    for entry in config.all(b"safe.directory") {
        let value: &BStr = entry.value.as_ref().map_or(b"".as_bstr(), |value| value.as_bstr());
        if value.is_empty() {
            safe = false;
        } else if value == "*" {
            safe = true;
        } else if let Some(pattern) = adit_config::value::path(value, env.home().as_deref()) {
            let pattern_bytes = pattern.as_os_str().as_bytes();
            safe |= match pattern_bytes.strip_suffix(b"/*") {
                Some(prefix) => canonical.starts_with(BString::from(prefix).to_path_lossy()),
                None => std::fs::canonicalize(&pattern).unwrap_or(pattern) == canonical,
            };
        }
    }
    safe
}

/// Removes `.`, doubled slashes and `name/..` from a path, by its text alone.
pub(crate) fn normalize(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(clean.components().next_back(), Some(Component::Normal(_))) => {
                clean.pop();
            }
            Component::ParentDir if clean.has_root() => {}
            other => clean.push(other),
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_cleaned_by_their_text() {
        for (path, clean) in
            [("/a/./b//c/../d", "/a/b/d"), ("/..", "/"), ("a/../../b", "../b"), ("/a/..", "/")]
        {
            assert_eq!(normalize(Path::new(path)), Path::new(clean), "{path}");
        }
    }
}
