//! The folders and files that every repository has (gitrepository-layout), and what its configuration says of it.

use std::fs;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use adit_config::edit::{self, EditError};
use adit_config::{Config, ConfigError, Name, Scope, file};
use adit_object::ObjectFormat;
use adit_sys::{Durability, LockFile, Sharing};
use bstr::{BString, ByteSlice};

use super::separate::Place;
use super::{InitError, InitOptions, make_folder};
use crate::{Environment, OpenError, sharing};

/// Makes the folders for references. Those that are there keep their permissions, but for the top ones.
pub(super) fn make_ref_folders(place: &Place, sharing: Sharing) -> Result<(), InitError> {
    let refs = place.common_dir.join("refs");
    make_folder(&refs)?;
    for top in [&place.git_dir, &refs] {
        sharing.adjust(top).map_err(|error| InitError::Folder { path: top.clone(), error })?;
    }
    make_missing([refs.join("heads"), refs.join("tags")], sharing)
}

/// Makes the folders for objects.
pub(super) fn make_object_folders(
    env: &Environment,
    place: &Place,
    sharing: Sharing,
) -> Result<(), InitError> {
    let objects = match env.path("GIT_OBJECT_DIRECTORY") {
        Some(folder) => env.cwd().join(folder),
        None => place.common_dir.join("objects"),
    };
    make_missing([objects.clone(), objects.join("pack"), objects.join("info")], sharing)
}

fn make_missing<const N: usize>(folders: [PathBuf; N], sharing: Sharing) -> Result<(), InitError> {
    for path in folders.into_iter().filter(|folder| !folder.is_dir()) {
        make_folder(&path)?;
        sharing.adjust(&path).map_err(|error| InitError::Folder { path, error })?;
    }
    Ok(())
}

/// Writes `HEAD`, on a branch that does not exist yet.
pub(super) fn write_head(path: &Path, branch: &BString, sharing: Sharing) -> Result<(), InitError> {
    let failed = |error| InitError::Write { path: path.to_owned(), error };
    let mut lock = LockFile::acquire(path).map_err(failed)?;
    let written = writeln!(lock, "ref: {branch}").and_then(|()| sharing.adjust(lock.lock_path()));
    written.and_then(|()| lock.commit(Durability::Content)).map_err(failed)
}

/// Extensions that a repository of version 0 cannot have, and that stay when one is made anew.
const KEPT: [&str; 2] = ["extensions.relativeworktrees", "extensions.submodulepathconfig"];

/// Writes what the repository's configuration must say; all else in it stays.
pub(super) fn write_config(
    options: &InitOptions,
    place: &Place,
    config: &Config,
    object_format: ObjectFormat,
    sharing: Sharing,
    was_there: bool,
) -> Result<(), InitError> {
    let path = place.common_dir.join("config");
    let is_new = !path.exists();
    let setting = |name: &str| config.bool(name).map_err(OpenError::from);
    let submodule_paths = setting("init.defaultsubmodulepathconfig")?.unwrap_or(false);
    let is_version_1 = object_format != ObjectFormat::Sha1
        || submodule_paths
        || KEPT.iter().any(|name| config.all(name.as_bytes()).any(|entry| entry.scope == Scope::Local));

    let mut changes: Vec<(&str, BString)> = Vec::new();
    if object_format != ObjectFormat::Sha1 {
        changes.push(("extensions.objectformat", object_format.as_str().into()));
    }
    if submodule_paths {
        changes.push(("extensions.submodulepathconfig", "true".into()));
    }
    changes.push(("core.repositoryformatversion", if is_version_1 { "1" } else { "0" }.into()));
    let trusted = keeps_modes(&place.git_dir) && !is_executable(&path);
    changes.push(("core.filemode", trusted.to_string().into()));
    if place.is_main {
        changes.push(("core.bare", options.bare.to_string().into()));
    }
    if !options.bare {
        if config.last(b"core.logallrefupdates").is_none() {
            changes.push(("core.logallrefupdates", "true".into()));
        }
        if let Some(tree) = &options.work_tree
            && place.dot_git != tree.join(".git")
        {
            changes.push(("core.worktree", tree.as_os_str().as_bytes().into()));
        }
    }
    if !was_there {
        if !makes_links(&place.git_dir) {
            changes.push(("core.symlinks", "false".into()));
        }
        if place.common_dir.join("rEfS").exists() {
            changes.push(("core.ignorecase", "true".into()));
        }
    }
    if sharing != Sharing::Umask {
        changes.push(("core.sharedrepository", sharing::recorded(sharing).into()));
        changes.push(("receive.denyNonFastforwards", "true".into()));
    }
    let mut removed = vec![name("extensions.refstorage")?];
    if object_format == ObjectFormat::Sha1 {
        removed.push(name("extensions.objectformat")?);
    }
    let changes = changes.into_iter().map(|(key, value)| Ok((name(key)?, value)));
    let changes = changes.collect::<Result<Vec<_>, InitError>>()?;
    file::update(&path, &path, |old| {
        let mut text = BString::from(old);
        for name in &removed {
            match edit::unset(&text, name, &|_| true, true) {
                Ok(without) => text = without,
                Err(EditError::NotFound) => {}
                Err(error) => return Err(error),
            }
        }
        for (name, value) in &changes {
            text = edit::set(&text, name, value.as_bstr(), &|_| true, true, b"".as_bstr())?;
        }
        Ok(if text == old { None } else { Some(text) })
    })?;
    if is_new {
        sharing.adjust(&path).map_err(|error| InitError::Write { path, error })?;
    }
    Ok(())
}

fn name(text: &str) -> Result<Name, InitError> {
    Name::parse(text.into()).map_err(|error| OpenError::from(ConfigError::from(error)).into())
}

fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|meta| meta.permissions().mode() & 0o100 != 0)
}

/// A file or link in `folder` that is there to try something out on.
struct Probe {
    path: PathBuf,
}

impl Probe {
    fn in_folder(folder: &Path) -> Self {
        Probe { path: folder.join(format!("tmp_probe_{}", std::process::id())) }
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        // It may never have been made.
        let _ = fs::remove_file(&self.path);
    }
}

/// Whether the file system remembers that a file is a program.
fn keeps_modes(folder: &Path) -> bool {
    let probe = Probe::in_folder(folder);
    let try_out = || -> io::Result<bool> {
        fs::File::options().write(true).create_new(true).mode(0o600).open(&probe.path)?;
        if is_executable(&probe.path) {
            return Ok(false);
        }
        fs::set_permissions(&probe.path, fs::Permissions::from_mode(0o700))?;
        Ok(is_executable(&probe.path))
    };
    try_out().unwrap_or(false)
}

/// Whether the file system has symbolic links.
fn makes_links(folder: &Path) -> bool {
    let probe = Probe::in_folder(folder);
    std::os::unix::fs::symlink("testing", &probe.path).is_ok()
        && fs::symlink_metadata(&probe.path).is_ok_and(|meta| meta.is_symlink())
}
