//! Adding to logs, and removing them (git-reflog).

use std::io::{self, Write};
use std::path::Path;

use adit_object::ObjectId;
use bstr::{BStr, ByteSlice};

use super::Files;
use super::folders::{self, Folders, Tree};
use super::is_absent;
use crate::write_options::WriteOptions;
use crate::{Error, UpdateError};

/// Adds lines to logs.
#[derive(Debug)]
pub(super) struct LogWriter<'s> {
    options: &'s WriteOptions<'s>,
    folders: Folders<'s>,
    line: Vec<u8>,
}

impl<'s> LogWriter<'s> {
    pub(super) fn new(files: &'s Files, options: &'s WriteOptions<'s>) -> Self {
        let folders = Folders::new(files, Tree::Logs, options.sharing);
        LogWriter { options, folders, line: Vec::new() }
    }

    /// Adds a change to the log of `name`, if that has one or should have one.
    pub(super) fn append(
        &mut self,
        name: &BStr,
        [old, new]: [&ObjectId; 2],
        message: &BStr,
        create: bool,
    ) -> Result<(), UpdateError> {
        self.line.clear();
        append_line([old, new], self.options.who.as_bstr(), message, &mut self.line);
        let create = create || self.options.log.creates(name);
        let outcome = match self.write(name, create) {
            // Where the log should be there may be a folder, left behind when the last log in it was removed.
            Err(error) if create && error.kind() == io::ErrorKind::IsADirectory => {
                let path = self.folders.path_of(name);
                if !folders::remove_empty(&path) {
                    return Err(UpdateError::Log { name: name.to_owned(), path, error });
                }
                self.write(name, create)
            }
            outcome => outcome,
        };
        match outcome {
            Ok(()) => Ok(()),
            Err(error) if !create && (is_absent(&error) || error.kind() == io::ErrorKind::IsADirectory) => {
                Ok(())
            }
            Err(error) => {
                Err(UpdateError::Log { name: name.to_owned(), path: self.folders.path_of(name), error })
            }
        }
    }

    fn write(&mut self, name: &BStr, create: bool) -> io::Result<()> {
        let last = &name[name.rfind_byte(b'/').map_or(0, |slash| slash + 1)..];
        let (sharing, line) = (self.options.sharing, &self.line);
        // One write, so that the lines of two processes do not mix.
        let add = |mut file: std::fs::File, path: &Path| {
            file.write_all(line).and_then(|()| sharing.adjust(&path.join(last.to_path_lossy())))
        };
        if create {
            self.folders.with(name, |folder, path| add(folder.open_append(last, Some(0o666))?, path))
        } else {
            match self.folders.existing(name)? {
                Some((folder, path)) => add(folder.open_append(last, None)?, path),
                None => Ok(()),
            }
        }
    }
}

/// Appends a line of a log to `out`; `who` is `Name <email> seconds zone`.
pub(super) fn append_line([old, new]: [&ObjectId; 2], who: &BStr, message: &BStr, out: &mut Vec<u8>) {
    old.append_hex(usize::MAX, out);
    out.push(b' ');
    new.append_hex(usize::MAX, out);
    out.push(b' ');
    out.extend_from_slice(who);
    let mut before = b'\t';
    for word in message.fields_with(|c| c.is_ascii_whitespace() || c == '\x0b') {
        out.push(before);
        out.extend_from_slice(word);
        before = b' ';
    }
    out.push(b'\n');
}

/// Removes the log of `name`, and the folders that it leaves empty; whether there was one.
pub(super) fn remove(files: &Files, name: &BStr) -> Result<bool, Error> {
    let path = files.log_path(name);
    match std::fs::remove_file(&path) {
        Ok(()) => {
            folders::remove_empty_parents(files, Tree::Logs, name);
            Ok(true)
        }
        Err(error) if is_absent(&error) || is_folder(&path) => Ok(false),
        Err(error) => Err(Error::Io { path, error }),
    }
}

fn is_folder(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|meta| meta.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;
    use adit_object::ObjectFormat;

    #[test]
    fn messages_are_one_line() {
        let id = ObjectId::null(ObjectFormat::Sha1);
        let line = |message: &str| {
            let mut out = Vec::new();
            append_line([&id, &id], b"A <a@b> 1 +0000".as_bstr(), message.into(), &mut out);
            out[82..].as_bstr().to_string()
        };
        assert_eq!(line(""), "A <a@b> 1 +0000\n");
        assert_eq!(line(" \n"), "A <a@b> 1 +0000\n");
        assert_eq!(line(" a \t b\nc\n"), "A <a@b> 1 +0000\ta b c\n");
    }
}
