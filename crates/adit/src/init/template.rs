//! What new repositories are furnished with (git-init, 'TEMPLATE DIRECTORY').

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use adit_config::{Config, Scope};
use adit_sys::Sharing;

use super::{InitError, Notice, make_folder};
use crate::{OpenError, RepositoryFormat};

/// What a new repository is furnished with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Template {
    /// A description to fill in, a file for patterns to ignore, and a folder for hooks.
    BuiltIn,
    /// Nothing.
    Nothing,
    /// Everything in a folder whose name does not start with a dot.
    Folder {
        /// The folder.
        path: PathBuf,
        /// What messages call it.
        shown: PathBuf,
    },
}

/// Folders of templates within each other that are followed.
const DEEPEST: usize = 128;

const DESCRIPTION: &str = "Unnamed repository; edit this file 'description' to name the repository.\n";

const EXCLUDE: &str = "\
# Patterns of files that this clone alone is to ignore, one a line as in a .gitignore file.
# A line that starts with '#' is a comment.
";

/// Copies a template into a repository. What is there stays.
pub(super) fn copy(
    template: &Template,
    git_dir: &Path,
    sharing: Sharing,
    notify: &mut dyn FnMut(Notice),
) -> Result<(), InitError> {
    match template {
        Template::Nothing => Ok(()),
        Template::BuiltIn => {
            copy_file(git_dir, "description", DESCRIPTION, sharing)?;
            copy_folder(&git_dir.join("hooks"), sharing)?;
            copy_folder(&git_dir.join("info"), sharing)?;
            copy_file(&git_dir.join("info"), "exclude", EXCLUDE, sharing)
        }
        Template::Folder { path: folder, shown } => {
            if !folder.is_dir() {
                notify(Notice::NoTemplates(shown.clone()));
                return Ok(());
            }
            let mut config = Config::default();
            config.add_file(&folder.join("config"), Scope::Local).map_err(OpenError::from)?;
            if let Err(error) = RepositoryFormat::read(&config) {
                notify(Notice::OtherTemplates { path: shown.clone(), why: error.to_string() });
                return Ok(());
            }
            copy_all([folder, shown], git_dir, sharing, DEEPEST, notify)
        }
    }
}

fn copy_file(folder: &Path, name: &str, content: &str, sharing: Sharing) -> Result<(), InitError> {
    let path = folder.join(name);
    if fs::symlink_metadata(&path).is_ok() {
        return Ok(());
    }
    let written = fs::write(&path, content).and_then(|()| sharing.adjust(&path));
    written.map_err(|error| InitError::Write { path, error })
}

fn copy_folder(path: &Path, sharing: Sharing) -> Result<(), InitError> {
    if path.is_dir() {
        return Ok(());
    }
    make_folder(path)?;
    sharing.adjust(path).map_err(|error| InitError::Folder { path: path.to_owned(), error })
}

/// Copies what is in the folder `from`, which messages call `shown`.
fn copy_all(
    [from, shown]: [&Path; 2],
    to: &Path,
    sharing: Sharing,
    depth: usize,
    notify: &mut dyn FnMut(Notice),
) -> Result<(), InitError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |error| InitError::Open(OpenError::Io { path, error })
    };
    for entry in fs::read_dir(from).map_err(failed(from))? {
        let name = entry.map_err(failed(from))?.file_name();
        if name.as_bytes().starts_with(b".") {
            continue;
        }
        let (source, target) = (from.join(&name), to.join(&name));
        let meta = fs::symlink_metadata(&source).map_err(failed(&source))?;
        let written =
            |result: io::Result<()>| result.map_err(|error| InitError::Write { path: target.clone(), error });
        if meta.is_dir() {
            if depth == 0 {
                return Err(failed(&source)(io::Error::other("too many folders within each other")));
            }
            copy_folder(&target, sharing)?;
            copy_all([&source, &shown.join(&name)], &target, sharing, depth - 1, notify)?;
        } else if fs::symlink_metadata(&target).is_ok() {
            // What the repository has is its own.
        } else if meta.is_symlink() {
            let leads_to = fs::read_link(&source).map_err(failed(&source))?;
            written(std::os::unix::fs::symlink(leads_to, &target))?;
        } else if meta.is_file() {
            let content = fs::read(&source).map_err(failed(&source))?;
            written(write_new(&target, &content, &meta).and_then(|()| sharing.adjust(&target)))?;
        } else {
            notify(Notice::OddTemplate(shown.join(&name)));
        }
    }
    Ok(())
}

/// Writes a file that was not there; it is a program when the template is one.
fn write_new(path: &Path, content: &[u8], template: &fs::Metadata) -> io::Result<()> {
    use std::io::Write;
    use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
    let mode = if template.mode() & 0o100 == 0 { 0o666 } else { 0o777 };
    fs::File::options().write(true).create_new(true).mode(mode).open(path)?.write_all(content)
}
