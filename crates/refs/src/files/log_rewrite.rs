//! Taking entries out of a log: it is written anew beside its place, under the lock of its reference (git-reflog).

use std::io::{BufWriter, Write};

use adit_object::ObjectId;
use adit_sys::{Durability, Temporary};
use bstr::BStr;

use super::folders::{Folders, Tree};
use super::{Files, lock};
use crate::reflog::{LogEntry, Reflog};
use crate::update_error::{LockFailure, Obstacle};
use crate::write_options::WriteOptions;
use crate::{Target, UpdateError};

/// How entries are taken out.
#[derive(Debug, Clone, Copy, Default)]
pub struct LogRewrite {
    /// An entry that follows one that went gets the new value of the entry that is before it now as its old one.
    pub join: bool,
    /// The reference gets the value of the last entry that is left, unless it is symbolic.
    pub update_reference: bool,
    /// Nothing is changed: it is only told what would be.
    pub dry_run: bool,
}

/// Takes out of the log of `name` what `keep` does not want.
pub(super) fn rewrite(
    files: &Files,
    name: &BStr,
    how: LogRewrite,
    write: &WriteOptions<'_>,
    keep: &mut dyn FnMut(&LogEntry<'_>) -> bool,
) -> Result<(), UpdateError> {
    let path = files.log_path(name);
    let mut references = Folders::new(files, Tree::References, write.sharing);
    let locked = |why: LockFailure| UpdateError::Lock { name: name.to_owned(), why: Obstacle::File(why) };
    let (held, file) = lock::reference(&mut references, name, write.reference_patience).map_err(locked)?;
    let Some(log) = Reflog::open(&path, files.format)? else { return Ok(()) };
    if how.dry_run {
        let mut entries = log.forward();
        while let Some(entry) = entries.advance()? {
            keep(&entry);
        }
        return Ok(());
    }
    let mut folders = Folders::new(files, Tree::Logs, write.sharing);
    let (new_log, out) = lock::reference(&mut folders, name, write.reference_patience)?;
    let last = copy(&log, out, &new_log, how, write, keep)?;
    let update = last.filter(|id| how.update_reference && !id.is_null() && !is_symbolic(files, name));
    let failed = |error| UpdateError::Write { path: path.clone(), error };
    let (file_name, lock_name) = lock::file_names(name);
    let Some((folder, _)) = folders.existing(name).map_err(failed)? else { return Ok(()) };
    new_log.rename(folder, &lock_name, file_name).map_err(failed)?;
    if let Some(id) = update {
        set(files, name, &id, held, file, &mut references, write)?;
    }
    Ok(())
}

/// Copies what is kept, and returns the new value of the last entry of it.
fn copy(
    log: &Reflog,
    out: std::fs::File,
    temporary: &Temporary,
    how: LogRewrite,
    write: &WriteOptions<'_>,
    keep: &mut dyn FnMut(&LogEntry<'_>) -> bool,
) -> Result<Option<ObjectId>, UpdateError> {
    let mut out = BufWriter::new(out);
    let mut last: Option<ObjectId> = None;
    let mut line = Vec::new();
    let mut entries = log.forward();
    while let Some(entry) = entries.advance()? {
        if !keep(&entry) {
            continue;
        }
        let before = last.unwrap_or_else(|| ObjectId::null(entry.new.format()));
        last = Some(entry.new);
        line.clear();
        append_entry(&LogEntry { old: if how.join { before } else { entry.old }, ..entry }, &mut line);
        out.write_all(&line)
            .map_err(|error| UpdateError::Write { path: temporary.path().to_owned(), error })?;
    }
    let finished = out.into_inner().map_err(std::io::IntoInnerError::into_error);
    let finished = finished.and_then(|file| match write.durability {
        Durability::None => Ok(()),
        Durability::Content => file.sync_all(),
    });
    finished
        .and_then(|()| write.sharing.adjust(temporary.path()))
        .map_err(|error| UpdateError::Write { path: temporary.path().to_owned(), error })?;
    Ok(last)
}

/// Appends an entry as a line; unlike a new one it has its tab even without a message.
fn append_entry(entry: &LogEntry<'_>, out: &mut Vec<u8>) {
    entry.old.append_hex(usize::MAX, out);
    out.push(b' ');
    entry.new.append_hex(usize::MAX, out);
    out.push(b' ');
    out.extend_from_slice(entry.who);
    out.extend_from_slice(format!(" {} {:+05}\t", entry.time.seconds, entry.time.zone).as_bytes());
    out.extend_from_slice(entry.message);
    out.push(b'\n');
}

fn is_symbolic(files: &Files, name: &BStr) -> bool {
    let found = files.find_loose(name).ok().flatten();
    found.is_some_and(|reference| matches!(reference.target, Target::Symbolic(_)))
}

/// Puts a new value into the lock of a reference, and that in its place.
fn set(
    files: &Files,
    name: &BStr,
    id: &ObjectId,
    held: Temporary,
    mut file: std::fs::File,
    folders: &mut Folders<'_>,
    write: &WriteOptions<'_>,
) -> Result<(), UpdateError> {
    let failed = |error| UpdateError::Write { path: files.path_of(name), error };
    let mut content = Vec::with_capacity(80);
    id.append_hex(usize::MAX, &mut content);
    content.push(b'\n');
    file.write_all(&content).and_then(|()| write.sharing.adjust(held.path())).map_err(failed)?;
    let (file_name, lock_name) = lock::file_names(name);
    match folders.existing(name).map_err(failed)? {
        Some((folder, _)) => held.rename(folder, &lock_name, file_name).map_err(failed),
        None => Ok(()),
    }
}
