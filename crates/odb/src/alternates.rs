//! Other object folders that a repository borrows from (gitrepository-layout, 'objects/info/alternates').

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use bstr::ByteSlice;

use crate::fault::Damage;

/// Alternates of alternates are followed this deep.
const MAX_DEPTH: usize = 5;

/// All object folders of a store: its own, then those that `extra` names (absolute, or made so by the caller), then those
/// that alternates files name, each followed by its own.
pub(crate) fn object_folders(
    objects: &Path,
    extra: &[PathBuf],
    damage: &mut dyn FnMut(Damage),
) -> Vec<PathBuf> {
    let mut found = Folders { folders: vec![objects.to_owned()], seen: vec![identity(objects)], damage };
    for folder in extra {
        found.add(folder.clone(), 0, objects);
    }
    found.follow(objects, 0);
    found.folders
}

/// Splits the value of `GIT_ALTERNATE_OBJECT_DIRECTORIES`: paths separated by `:`, each quoted or not.
pub fn split_alternates(value: &[u8]) -> Vec<PathBuf> {
    entries(value, b':').map(PathBuf::from).collect()
}

struct Folders<'a> {
    folders: Vec<PathBuf>,
    /// Where each of them really is, so that none is searched twice.
    seen: Vec<PathBuf>,
    damage: &'a mut dyn FnMut(Damage),
}

impl Folders<'_> {
    /// Adds the alternates of `objects`, which was itself found at `depth`. Recursion ends at `MAX_DEPTH`.
    fn follow(&mut self, objects: &Path, depth: usize) {
        let file = objects.join("info/alternates");
        let Ok(content) = std::fs::read(&file) else { return };
        if depth > MAX_DEPTH {
            let what = "ignoring alternate object stores, nesting too deep";
            (self.damage)(Damage { path: file, what: what.into() });
            return;
        }
        for path in entries(&content, b'\n') {
            let path = objects.join(path);
            self.add(path, depth, &file);
        }
    }

    fn add(&mut self, path: PathBuf, depth: usize, named_in: &Path) {
        let path = normalised(&path);
        if !path.is_dir() {
            let what = format!("object directory {} does not exist", path.display());
            (self.damage)(Damage { path: named_in.to_owned(), what: what.into() });
            return;
        }
        let identity = identity(&path);
        if self.seen.contains(&identity) {
            return;
        }
        self.seen.push(identity);
        self.folders.push(path.clone());
        self.follow(&path, depth + 1);
    }
}

fn identity(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// The path without `.`, `..` and doubled slashes.
fn normalised(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(clean.components().next_back(), Some(Component::Normal(_))) => {
                clean.pop();
            }
            part => clean.push(part),
        }
    }
    clean
}

/// The paths in `text`: comments and empty entries left out, quotes taken off.
fn entries(text: &[u8], separator: u8) -> impl Iterator<Item = std::ffi::OsString> {
    let mut rest = text;
    std::iter::from_fn(move || {
        while !rest.is_empty() {
            if rest[0] == b'"'
                && let Some((path, len)) = adit_text::quote::unquote_c(rest)
            {
                rest = &rest[len..];
                rest = rest.strip_prefix(&[separator]).unwrap_or(rest);
                return Some(OsStr::from_bytes(&path).to_owned());
            }
            let end = rest.find_byte(separator).unwrap_or(rest.len());
            let path = &rest[..end];
            rest = rest.get(end + 1..).unwrap_or(&[]);
            if !path.is_empty() && path[0] != b'#' {
                return Some(OsStr::from_bytes(path).to_owned());
            }
        }
        None
    })
}
