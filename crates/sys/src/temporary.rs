//! Files that are in the making: they are renamed into place, or removed again.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::{Folder, cleanup};

/// A file that is removed when this is dropped, and when a signal ends the process, unless it got its name before.
#[derive(Debug)]
pub struct Temporary {
    /// `None` once it has its name.
    path: Option<PathBuf>,
    _registration: cleanup::Registration,
}

impl Temporary {
    /// Makes the file at `path`, which is `name` in `folder`; it must not be there yet.
    ///
    /// # Errors
    /// As [`Folder::create_new`].
    pub fn create_in(folder: &Folder, name: &[u8], path: PathBuf, mode: u32) -> io::Result<(Self, File)> {
        let file = folder.create_new(name, mode)?;
        let _registration = cleanup::register(&std::path::absolute(&path).unwrap_or_else(|_| path.clone()));
        Ok((Temporary { path: Some(path), _registration }, file))
    }

    /// Makes the file at `path`, which is `name` in `folder`, a second name of this one.
    ///
    /// # Errors
    /// As [`Folder::link`].
    pub fn link_in(&self, folder: &Folder, name: &[u8], path: PathBuf) -> io::Result<Self> {
        folder.link(self.path(), name)?;
        let _registration = cleanup::register(&std::path::absolute(&path).unwrap_or_else(|_| path.clone()));
        Ok(Temporary { path: Some(path), _registration })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.path.as_deref().unwrap_or(Path::new(""))
    }

    /// Renames it from `name` to `to`, both in `folder`, where it was made. When that fails, it is removed.
    ///
    /// # Errors
    /// As [`Folder::rename`].
    pub fn rename(mut self, folder: &Folder, name: &[u8], to: &[u8]) -> io::Result<()> {
        folder.rename(name, to)?;
        self.path = None;
        Ok(())
    }

    /// Leaves it where it is, or where it was renamed to.
    pub fn keep(mut self) {
        self.path = None;
    }

    /// Removes it.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn remove(mut self) -> io::Result<()> {
        self.path.take().map_or(Ok(()), std::fs::remove_file)
    }

    /// Removes it; it is `name` in `folder`.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn remove_in(mut self, folder: &Folder, name: &[u8]) -> io::Result<()> {
        self.path = None;
        folder.remove_file(name).map(|_| ())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            // There is nobody to tell; the next writer will say that the file is there.
            let _ = std::fs::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_get_their_name_or_go() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::open(dir.path()).unwrap().unwrap();
        let make = || Temporary::create_in(&folder, b"t", dir.path().join("t"), 0o666);
        let (first, _) = make().unwrap();
        assert_eq!(make().unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        drop(first);
        make().unwrap().0.remove().unwrap();
        make().unwrap().0.keep();
        assert!(folder.remove_file(b"t").unwrap());
        let (first, _) = make().unwrap();
        let second = first.link_in(&folder, b"v", dir.path().join("v")).unwrap();
        drop(first);
        assert!(second.path().exists());
        drop(second);
        make().unwrap().0.remove_in(&folder, b"t").unwrap();
        make().unwrap().0.rename(&folder, b"t", b"u").unwrap();
        let names: Vec<_> = std::fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names, ["u"]);
    }
}
