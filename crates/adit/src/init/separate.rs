//! Where a repository is made: a `.git` file leads elsewhere, and one that is there can be moved elsewhere
//! (gitrepository-layout; git-init, `--separate-git-dir`; git-worktree, 'DETAILS').

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use adit_config::{Config, Scope};
use bstr::ByteSlice;

use super::{InitError, InitOptions, make_folder};
use crate::discovery::{normalize, read_git_file};
use crate::{Environment, OpenError};

/// Where a repository is made.
pub(super) struct Place {
    /// Where it was asked for: a folder, or the file that leads to it.
    pub(super) dot_git: PathBuf,
    /// The folder of this working tree's part.
    pub(super) git_dir: PathBuf,
    /// The folder that all working trees share.
    pub(super) common_dir: PathBuf,
    /// Whether they are the same.
    pub(super) is_main: bool,
}

/// Finds the place, and moves what is there when it is to be elsewhere.
pub(super) fn place(env: &Environment, options: &InitOptions) -> Result<Place, InitError> {
    let dot_git = real_path(&options.git_dir)?;
    let there = match fs::metadata(&dot_git) {
        Ok(meta) if meta.is_file() => Some(led_to(&dot_git)?),
        Ok(_) => Some(dot_git.clone()),
        Err(_) => None,
    };
    let there = there.map(|git_dir| {
        let common_dir = common_dir(&git_dir);
        Place { dot_git: dot_git.clone(), is_main: common_dir == git_dir, git_dir, common_dir }
    });
    let Some(separate) = &options.separate else {
        let new = || Place { git_dir: dot_git.clone(), common_dir: dot_git.clone(), dot_git, is_main: true };
        return Ok(there.unwrap_or_else(new));
    };
    let separate = real_path(separate)?;
    let file = match &there {
        None => dot_git.clone(),
        Some(place) if place.is_main => {
            move_repository(env, &place.git_dir, &separate)?;
            dot_git.clone()
        }
        Some(place) => {
            let main = place.common_dir.clone();
            if main.file_name().is_none_or(|name| name != ".git") || is_bare(&main)? {
                return Err(InitError::SeparateBare);
            }
            move_repository(env, &main, &separate)?;
            main
        }
    };
    make_folder(&separate)?;
    write_git_file(&file, &separate)?;
    Ok(Place { dot_git, git_dir: separate.clone(), common_dir: separate, is_main: true })
}

/// What a `.git` file leads to.
fn led_to(file: &Path) -> Result<PathBuf, InitError> {
    let path = read_git_file(file)?;
    if path.is_dir() { Ok(path) } else { Err(InitError::NoRepository { path }) }
}

fn common_dir(git_dir: &Path) -> PathBuf {
    match fs::read(git_dir.join("commondir")) {
        Ok(content) => normalize(&git_dir.join(content.trim_end().to_path_lossy())),
        Err(_) => git_dir.to_owned(),
    }
}

fn is_bare(git_dir: &Path) -> Result<bool, OpenError> {
    let mut config = Config::default();
    config.add_file(&git_dir.join("config"), Scope::Local)?;
    Ok(config.bool("core.bare")?.unwrap_or(false))
}

fn write_git_file(path: &Path, git_dir: &Path) -> Result<(), InitError> {
    let content = [b"gitdir: ", git_dir.as_os_str().as_bytes(), b"\n"].concat();
    fs::write(path, content).map_err(|error| InitError::Write { path: path.to_owned(), error })
}

/// Moves a repository, and tells its linked working trees.
fn move_repository(env: &Environment, from: &Path, to: &Path) -> Result<(), InitError> {
    if from == to {
        return Ok(());
    }
    let trees = linked_trees(from);
    fs::rename(from, to).map_err(|error| InitError::Move {
        from: from.to_owned(),
        to: to.to_owned(),
        error,
    })?;
    let relative = links_are_relative(env, to)?;
    for tree in trees {
        let git_dir = to.join("worktrees").join(&tree.name);
        let back = git_dir.join("gitdir");
        let Some(top) = tree.dot_git.parent().filter(|_| tree.dot_git.is_file()) else { continue };
        let (there, here) = match relative {
            true => (relative_to(&git_dir, top), relative_to(&tree.dot_git, &git_dir)),
            false => (git_dir.clone(), tree.dot_git.clone()),
        };
        write_git_file(&tree.dot_git, &there)?;
        let content = [here.as_os_str().as_bytes(), b"\n"].concat();
        fs::write(&back, content).map_err(|error| InitError::Write { path: back, error })?;
    }
    Ok(())
}

/// Whether linked working trees and the repository are to find each other by relative paths.
fn links_are_relative(env: &Environment, git_dir: &Path) -> Result<bool, OpenError> {
    let mut config = crate::config_files::without_repository(env)?;
    config.add_file(&git_dir.join("config"), Scope::Local)?;
    Ok(config.bool("worktree.userelativepaths")?.unwrap_or(false))
}

/// A linked working tree: its name in the repository, and the `.git` file that leads there.
struct LinkedTree {
    name: std::ffi::OsString,
    dot_git: PathBuf,
}

fn linked_trees(git_dir: &Path) -> Vec<LinkedTree> {
    let Ok(entries) = fs::read_dir(git_dir.join("worktrees")) else { return Vec::new() };
    let tree = |entry: io::Result<fs::DirEntry>| {
        let entry = entry.ok()?;
        let content = fs::read(entry.path().join("gitdir")).ok()?;
        let dot_git = normalize(&entry.path().join(content.trim_end().to_path_lossy()));
        Some(LinkedTree { name: entry.file_name(), dot_git })
    };
    entries.filter_map(tree).collect()
}

/// The way from the folder `base` to `path`.
fn relative_to(path: &Path, base: &Path) -> PathBuf {
    let (path, base): (Vec<Component<'_>>, Vec<_>) =
        (path.components().collect(), base.components().collect());
    let shared = path.iter().zip(&base).take_while(|(a, b)| a == b).count();
    let up = base[shared..].iter().map(|_| Component::ParentDir);
    up.chain(path[shared..].iter().copied()).collect()
}

/// A path without links in it; its last part need not be there.
///
/// # Errors
/// When another part is not.
pub fn real_path(path: &Path) -> Result<PathBuf, InitError> {
    if let Ok(real) = fs::canonicalize(path) {
        return Ok(real);
    }
    if let Ok(target) = fs::read_link(path) {
        let folder = path.parent().unwrap_or(Path::new("/"));
        return Ok(normalize(&folder.join(target)));
    }
    let normal = normalize(path);
    let (Some(folder), Some(name)) = (normal.parent(), normal.file_name()) else { return Ok(normal) };
    match fs::canonicalize(folder) {
        Ok(folder) => Ok(folder.join(name)),
        Err(error) => {
            let missing = folder.ancestors().filter(|part| !part.exists()).last().unwrap_or(folder);
            Err(InitError::BadPath { path: missing.to_owned(), error })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_between_folders() {
        for (path, base, expected) in
            [("/a/b/c", "/a/d", "../b/c"), ("/a/b", "/a/b/c/d", "../.."), ("/x", "/", "x")]
        {
            assert_eq!(relative_to(Path::new(path), Path::new(base)), Path::new(expected));
        }
    }
}
