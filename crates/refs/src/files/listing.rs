//! The names of loose references under a prefix: a walk over only those folders that can hold some.

use std::path::Path;

use adit_sys::{EntryType, Folder};
use bstr::{BStr, ByteSlice};

use super::Files;
use crate::Error;
use crate::backend::IterOptions;
use crate::name::WORKTREE_FOLDERS;

/// Names in byte order, one after the other in one buffer.
#[derive(Debug, Default)]
pub(super) struct Names {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Names {
    fn push(&mut self, folder: &[u8], name: &[u8]) {
        self.bytes.extend_from_slice(folder);
        self.bytes.extend_from_slice(name);
        self.ends.push(self.bytes.len());
    }

    /// The name at `index`.
    pub(super) fn get(&self, index: usize) -> Option<&BStr> {
        let end = *self.ends.get(index)?;
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        Some(self.bytes[start..end].as_bstr())
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &BStr> {
        (0..self.ends.len()).filter_map(|index| self.get(index))
    }
}

/// A name longer than this is no path, so a folder that deep is not entered.
const LONGEST: usize = 4096;

/// Gathers the names of the loose references that `options` ask for.
pub(super) fn loose_names(files: &Files, options: &IterOptions) -> Result<Names, Error> {
    let mut walk = Walk { files, options, top: b"", names: Names::default() };
    walk.start(b"refs/")?;
    Ok(walk.names)
}

/// Gathers the names of the references that have a log under `refs/`.
pub(super) fn log_names(files: &Files) -> Result<Names, Error> {
    let options = IterOptions::default();
    let mut walk = Walk { files, options: &options, top: b"logs/", names: Names::default() };
    walk.start(b"refs/")?;
    Ok(walk.names)
}

struct Walk<'a> {
    files: &'a Files,
    options: &'a IterOptions,
    /// What stands before a name to make it a path: nothing, or `logs/`.
    top: &'static [u8],
    names: Names,
}

impl Walk<'_> {
    /// Enters the deepest folder that holds all of the prefix's names.
    fn start(&mut self, root: &[u8]) -> Result<(), Error> {
        let prefix = self.options.prefix.as_slice();
        let deepest = prefix.rfind_byte(b'/').map_or(0, |slash| slash + 1);
        if root.starts_with(&prefix[..deepest]) {
            return self.enter(root);
        }
        if prefix.starts_with(root) && prefix.split(|&b| b == b'/').all(|part| !part.starts_with(b".")) {
            return self.enter(&prefix[..deepest]);
        }
        Ok(())
    }

    /// Lists `folder`, a name that ends with a slash, and the folders in it.
    fn enter(&mut self, folder: &[u8]) -> Result<(), Error> {
        let base = self.files.base_of(folder);
        let Some(open) = self.open(base, folder)? else { return Ok(()) };
        let linked = folder == b"refs/" && self.files.is_linked();
        let mut entries = Entries::default();
        let mut unsure = Vec::new();
        open.for_each(|name, kind| {
            if name.starts_with(b".") || name.ends_with(b".lock") {
                return;
            }
            match kind {
                EntryType::File => entries.push(name, false),
                EntryType::Folder => entries.push(name, true),
                EntryType::Link | EntryType::Unknown => unsure.push(name.to_vec()),
                EntryType::Other => {}
            }
        })
        .map_err(|error| self.error(base, folder, error))?;
        for name in unsure {
            match open.entry_type(&name).map_err(|error| self.error(base, folder, error))? {
                Some(EntryType::File) => entries.push(&name, false),
                Some(EntryType::Folder) => entries.push(&name, true),
                _ => {}
            }
        }
        drop(open);
        if linked {
            // Those of this working tree lie elsewhere; the ones here are the main working tree's.
            entries.retain(|name| !is_worktree_folder(name));
            WORKTREE_FOLDERS.iter().for_each(|full| entries.push(&full[folder.len()..full.len() - 1], true));
        }
        entries.sort();
        let mut path = folder.to_vec();
        for entry in entries.iter() {
            path.truncate(folder.len());
            path.extend_from_slice(entry);
            if !self.wants(&path) {
                continue;
            }
            if !entry.ends_with(b"/") {
                self.names.push(folder, entry);
            } else if path.len() < LONGEST {
                self.enter(&path)?;
            }
        }
        Ok(())
    }

    fn open(&self, base: &Path, folder: &[u8]) -> Result<Option<Folder>, Error> {
        let path = self.path(base, folder);
        Folder::open(&path).map_err(Error::io(&path))
    }

    fn path(&self, base: &Path, folder: &[u8]) -> std::path::PathBuf {
        base.join([self.top, folder].concat().to_path_lossy())
    }

    fn error(&self, base: &Path, folder: &[u8], error: std::io::Error) -> Error {
        Error::Io { path: self.path(base, folder), error }
    }

    /// Whether the name `path`, or any name under it when it ends with a slash, is asked for.
    fn wants(&self, path: &[u8]) -> bool {
        let prefix = self.options.prefix.as_slice();
        (path.starts_with(prefix) || (path.ends_with(b"/") && prefix.starts_with(path)))
            && !self.options.exclude.iter().any(|excluded| covers(excluded, path))
    }
}

/// Whether `excluded` leaves out the name `path` or, when it ends with a slash, all names under it.
pub(super) fn covers(excluded: &[u8], path: &[u8]) -> bool {
    path.strip_prefix(excluded)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/") || excluded.ends_with(b"/"))
}

fn is_worktree_folder(name: &[u8]) -> bool {
    WORKTREE_FOLDERS.iter().any(|full| full.strip_prefix(b"refs/") == Some(name))
}

/// The entries of one folder; the names of folders end with a slash, by which they sort as the names under them do.
#[derive(Default)]
struct Entries {
    bytes: Vec<u8>,
    spans: Vec<(usize, usize)>,
}

impl Entries {
    fn push(&mut self, name: &[u8], is_folder: bool) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(name);
        if is_folder {
            self.bytes.push(b'/');
        }
        self.spans.push((start, self.bytes.len()));
    }

    fn retain(&mut self, keep: impl Fn(&[u8]) -> bool) {
        let bytes = &self.bytes;
        self.spans.retain(|&(start, end)| keep(&bytes[start..end]));
    }

    fn sort(&mut self) {
        let bytes = &self.bytes;
        self.spans.sort_unstable_by(|a, b| bytes[a.0..a.1].cmp(&bytes[b.0..b.1]));
    }

    fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.spans.iter().map(|&(start, end)| &self.bytes[start..end])
    }
}
