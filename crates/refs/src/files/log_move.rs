//! Logs that follow their references to other names.

use std::io;

use bstr::BStr;

use super::folders::{self, Folders, Tree};
use super::{Files, log_write};
use crate::{UpdateError, WriteOptions};

/// Gives `to` the log of `from`, which loses it unless `keeps` says otherwise. The log that `to` had goes, whether or
/// not `from` has one.
pub(super) fn carry(
    files: &Files,
    from: &BStr,
    to: &BStr,
    keeps: bool,
    options: &WriteOptions<'_>,
) -> Result<(), UpdateError> {
    if from == to {
        return Ok(());
    }
    let (source, target) = (files.log_path(from), files.log_path(to));
    if !source.is_file() {
        log_write::remove(files, to)?;
        return Ok(());
    }
    if target.is_dir() {
        folders::remove_empty(&target);
    }
    let mut folders = Folders::new(files, Tree::Logs, options.sharing);
    let carried = folders
        .with(to, |_, _| if keeps { copy(&source, &target) } else { std::fs::rename(&source, &target) });
    carried.map_err(|error| UpdateError::Log { name: to.to_owned(), path: target, error })?;
    if !keeps {
        folders::remove_empty_parents(files, Tree::Logs, from);
    }
    Ok(())
}

/// Copies a file so that its copy is there whole or not at all.
fn copy(source: &std::path::Path, target: &std::path::Path) -> io::Result<()> {
    let mut unfinished = target.as_os_str().to_owned();
    unfinished.push(".lock");
    std::fs::copy(source, &unfinished)?;
    std::fs::rename(&unfinished, target).inspect_err(|_| {
        // The copy is of no use to anybody.
        let _ = std::fs::remove_file(&unfinished);
    })
}
