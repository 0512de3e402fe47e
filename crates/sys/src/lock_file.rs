//! Files that are replaced as a whole: written beside their place as `<name>.lock`, then renamed.
//!
//! The lock is the new file itself, created only if it is not there: of two writers one is refused, and readers see the
//! old content or the new, never a part. It is removed when the [`LockFile`] is dropped before it is committed, and
//! when a signal ends the process ([`cleanup`]).

use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::cleanup;

/// How much is certain to survive a crash of the machine when a file has been replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// Whatever the system does.
    #[default]
    None,
    /// The content is on disk before it is seen under its name.
    Content,
}

/// A file that is being replaced.
#[derive(Debug)]
pub struct LockFile {
    target: PathBuf,
    lock: PathBuf,
    /// `None` once it is committed.
    file: Option<File>,
    /// Removes the lock when a signal ends the process.
    _registration: cleanup::Registration,
}

impl LockFile {
    /// Locks `path`, which need not exist. A symbolic link is followed: the file that it leads to is replaced.
    ///
    /// # Errors
    /// When it is locked already ([`io::ErrorKind::AlreadyExists`]), or the lock cannot be made.
    pub fn acquire(path: &Path) -> io::Result<Self> {
        let target = follow(path);
        let mut lock = target.as_os_str().to_owned();
        lock.push(".lock");
        let lock = PathBuf::from(lock);
        let file = OpenOptions::new().write(true).create_new(true).open(&lock)?;
        let _registration = cleanup::register(&std::path::absolute(&lock).unwrap_or_else(|_| lock.clone()));
        Ok(LockFile { target, lock, file: Some(file), _registration })
    }

    /// The path of the lock itself.
    pub fn lock_path(&self) -> &Path {
        &self.lock
    }

    /// The path of the file that is locked, links followed.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Gives the new file the permissions of the one that it replaces, if there is one.
    ///
    /// # Errors
    /// When they cannot be set.
    pub fn keep_permissions(&self) -> io::Result<()> {
        match std::fs::metadata(&self.target) {
            Ok(old) => self.set_permissions(old.permissions()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn set_permissions(&self, permissions: Permissions) -> io::Result<()> {
        self.file.as_ref().map_or(Ok(()), |file| file.set_permissions(permissions))
    }

    /// Puts the new file in its place.
    ///
    /// # Errors
    /// When it cannot be written out or renamed; the old file is then as it was, and the lock is gone.
    pub fn commit(mut self, durability: Durability) -> io::Result<()> {
        if let Some(file) = &self.file
            && durability == Durability::Content
        {
            file.sync_all()?;
        }
        std::fs::rename(&self.lock, &self.target)?;
        self.file = None;
        Ok(())
    }
}

impl Write for LockFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.as_mut().map_or(Ok(0), |file| file.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), |file| file.flush())
    }
}

impl Drop for LockFile {
    fn drop(&mut self) {
        if self.file.is_some() {
            // There is nobody to tell; the next writer will say that the lock is there.
            let _ = std::fs::remove_file(&self.lock);
        }
    }
}

/// The file that `path` leads to through symbolic links, whether or not the last one leads anywhere.
fn follow(path: &Path) -> PathBuf {
    /// As many links as the system itself would follow.
    const MAX_LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        match std::fs::read_link(&path) {
            Ok(next) => path = path.parent().map_or(next.clone(), |folder| folder.join(&next)),
            Err(_) => break,
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_or_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        let mut lock = LockFile::acquire(&path).unwrap();
        lock.write_all(b"one").unwrap();
        assert_eq!(LockFile::acquire(&path).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        lock.commit(Durability::Content).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"one");

        let mut lock = LockFile::acquire(&path).unwrap();
        lock.write_all(b"two").unwrap();
        drop(lock);
        assert_eq!(std::fs::read(&path).unwrap(), b"one");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn links_and_permissions_stay() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let (file, link) = (dir.path().join("f"), dir.path().join("l"));
        std::fs::write(&file, "one").unwrap();
        std::fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink("f", &link).unwrap();
        let mut lock = LockFile::acquire(&link).unwrap();
        lock.write_all(b"two").unwrap();
        lock.keep_permissions().unwrap();
        lock.commit(Durability::None).unwrap();
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(std::fs::read(&file).unwrap(), b"two");
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    }
}
