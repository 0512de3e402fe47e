//! Open folders: listing them and reading small files relative to them, without walking the path again.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use rustix::fs::{self, CWD, Dir, Mode, OFlags};
use rustix::io::Errno;

/// What a folder says an entry is, without a look at the entry itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryType {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// A device, socket or pipe.
    Other,
    /// The file system does not tell; ask with [`Folder::entry_type`].
    Unknown,
}

/// What was found under a name that was read as a small file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SmallFile {
    /// A file; its content was appended to the buffer.
    Content,
    /// A symbolic link; its target was appended to the buffer.
    Link,
    /// A folder.
    Folder,
    /// Nothing: no entry, or a part of the path before the last is no folder.
    Missing,
}

/// A folder that was opened once and is read from many times.
#[derive(Debug)]
pub struct Folder {
    fd: OwnedFd,
}

const OPEN_FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
const OPEN_FILE: OFlags = OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

impl Folder {
    /// Opens the folder at `path`; `None` when nothing is there or it is no folder.
    pub fn open(path: &Path) -> io::Result<Option<Folder>> {
        found(fs::openat(CWD, path, OPEN_FOLDER, Mode::empty())).map(|fd| fd.map(|fd| Folder { fd }))
    }

    /// Opens the folder `name` of this one; `None` when nothing is there or it is no folder.
    pub fn open_folder(&self, name: &[u8]) -> io::Result<Option<Folder>> {
        found(fs::openat(&self.fd, name, OPEN_FOLDER, Mode::empty())).map(|fd| fd.map(|fd| Folder { fd }))
    }

    /// Like [`Folder::open_folder`], but a link to a folder is none.
    pub fn open_folder_itself(&self, name: &[u8]) -> io::Result<Option<Folder>> {
        let flags = OPEN_FOLDER | OFlags::NOFOLLOW;
        found(fs::openat(&self.fd, name, flags, Mode::empty())).map(|fd| fd.map(|fd| Folder { fd }))
    }

    /// Opens the file `name` for writing, which must not be there yet; `mode` is cut by the process's mask.
    pub fn create_new(&self, name: &[u8], mode: u32) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        Ok(fs::openat(&self.fd, name, flags, Mode::from_raw_mode(mode))?.into())
    }

    /// Gives the file at `path` the second name `name` in this folder, where nothing of that name may be yet.
    pub fn link(&self, path: &Path, name: &[u8]) -> io::Result<()> {
        Ok(fs::linkat(CWD, path, &self.fd, name, fs::AtFlags::empty())?)
    }

    /// Opens the file `name` for writing at its end; it is made with `mode` when `create` says so.
    pub fn open_append(&self, name: &[u8], create: Option<u32>) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::CLOEXEC | OFlags::NOCTTY;
        let flags = if create.is_some() { flags | OFlags::CREATE } else { flags };
        Ok(fs::openat(&self.fd, name, flags, Mode::from_raw_mode(create.unwrap_or_default()))?.into())
    }

    /// Renames the entry `from` of this folder to `to`, which is replaced if it is there.
    pub fn rename(&self, from: &[u8], to: &[u8]) -> io::Result<()> {
        Ok(fs::renameat(&self.fd, from, &self.fd, to)?)
    }

    /// Removes the file `name`; false when it is not there.
    pub fn remove_file(&self, name: &[u8]) -> io::Result<bool> {
        match fs::unlinkat(&self.fd, name, fs::AtFlags::empty()) {
            Ok(()) => Ok(true),
            Err(Errno::NOENT | Errno::NOTDIR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Calls `each` with every entry but `.` and `..`, in the file system's order.
    pub fn for_each(&self, mut each: impl FnMut(&[u8], EntryType)) -> io::Result<()> {
        for entry in Dir::read_from(&self.fd)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name != b"." && name != b".." {
                each(name, type_of(entry.file_type()));
            }
        }
        Ok(())
    }

    /// What the entry `name` is, symbolic links followed; `None` when there is none, or the link leads nowhere.
    pub fn entry_type(&self, name: &[u8]) -> io::Result<Option<EntryType>> {
        let stat = found(fs::statat(&self.fd, name, fs::AtFlags::empty()))?;
        Ok(stat.map(|stat| type_of(fs::FileType::from_raw_mode(stat.st_mode))))
    }

    /// What the entry `name` is itself, be it a link; `None` when there is none.
    pub fn own_type(&self, name: &[u8]) -> io::Result<Option<EntryType>> {
        let stat = found(fs::statat(&self.fd, name, fs::AtFlags::SYMLINK_NOFOLLOW))?;
        Ok(stat.map(|stat| type_of(fs::FileType::from_raw_mode(stat.st_mode))))
    }

    /// Appends the content of the file `name` to `out`, at most `limit` bytes of it; a link is read, not followed.
    pub fn read_small(&self, name: &[u8], limit: usize, out: &mut Vec<u8>) -> io::Result<SmallFile> {
        read_small(self.fd.as_fd(), name, limit, out)
    }

    /// Like [`Folder::read_small`], but a link is followed.
    pub fn read_small_through(&self, name: &[u8], limit: usize, out: &mut Vec<u8>) -> io::Result<SmallFile> {
        match found(fs::openat(&self.fd, name, OPEN_FILE, Mode::empty()))? {
            Some(fd) => read_all(fd, limit, out),
            None => Ok(SmallFile::Missing),
        }
    }
}

/// Appends the content of the file at `path` to `out`, at most `limit` bytes of it; a link is read, not followed.
pub fn read_small_file(path: &Path, limit: usize, out: &mut Vec<u8>) -> io::Result<SmallFile> {
    use std::os::unix::ffi::OsStrExt;
    read_small(CWD, path.as_os_str().as_bytes(), limit, out)
}

/// Opens the file at `path` to read it; a link is not followed, but an error.
pub fn open_itself(path: &Path) -> io::Result<File> {
    Ok(fs::openat(CWD, path, OPEN_FILE | OFlags::NOFOLLOW, Mode::empty())?.into())
}

/// Like [`read_small_file`], but a link is followed.
pub fn read_small_file_through(path: &Path, limit: usize, out: &mut Vec<u8>) -> io::Result<SmallFile> {
    match found(fs::openat(CWD, path, OPEN_FILE, Mode::empty()))? {
        Some(fd) => read_all(fd, limit, out),
        None => Ok(SmallFile::Missing),
    }
}

fn read_small(
    folder: std::os::fd::BorrowedFd<'_>,
    name: &[u8],
    limit: usize,
    out: &mut Vec<u8>,
) -> io::Result<SmallFile> {
    match fs::openat(folder, name, OPEN_FILE | OFlags::NOFOLLOW, Mode::empty()) {
        Ok(fd) => read_all(fd, limit, out),
        // The last part is a link (or the path loops, which reading it tells).
        Err(Errno::LOOP | Errno::MLINK) => match found(fs::readlinkat(folder, name, Vec::new()))? {
            Some(target) => {
                out.extend_from_slice(target.as_bytes());
                Ok(SmallFile::Link)
            }
            None => Ok(SmallFile::Missing),
        },
        Err(error) => found::<()>(Err(error)).map(|_| SmallFile::Missing),
    }
}

fn read_all(fd: OwnedFd, limit: usize, out: &mut Vec<u8>) -> io::Result<SmallFile> {
    let mut chunk = [0; 1024];
    let mut left = limit;
    while left > 0 {
        let want = left.min(chunk.len());
        match rustix::io::read(&fd, &mut chunk[..want]) {
            Ok(0) => break,
            Ok(n) => {
                out.extend_from_slice(&chunk[..n]);
                left -= n;
                // A file that is written whole under another name and renamed ends at a short read.
                if n < want {
                    break;
                }
            }
            Err(Errno::INTR) => {}
            Err(Errno::ISDIR) => return Ok(SmallFile::Folder),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(SmallFile::Content)
}

/// Turns the ways in which nothing can be at a path into `None`.
fn found<T>(result: rustix::io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(Errno::NOENT | Errno::NOTDIR | Errno::NAMETOOLONG | Errno::LOOP | Errno::INVAL) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn type_of(file_type: fs::FileType) -> EntryType {
    match file_type {
        fs::FileType::RegularFile => EntryType::File,
        fs::FileType::Directory => EntryType::Folder,
        fs::FileType::Symlink => EntryType::Link,
        fs::FileType::Unknown => EntryType::Unknown,
        _ => EntryType::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_made_renamed_and_removed() {
        use std::io::Write;
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::open(dir.path()).unwrap().unwrap();
        folder.create_new(b"a.lock", 0o666).unwrap().write_all(b"one").unwrap();
        assert_eq!(folder.create_new(b"a.lock", 0o666).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        folder.link(&dir.path().join("a.lock"), b"c").unwrap();
        assert!(folder.link(&dir.path().join("a.lock"), b"c").is_err());
        folder.rename(b"a.lock", b"a").unwrap();
        assert!(folder.open_append(b"b", None).is_err());
        folder.open_append(b"a", None).unwrap().write_all(b" two").unwrap();
        folder.open_append(b"b", Some(0o600)).unwrap();
        assert_eq!(std::fs::read(dir.path().join("a")).unwrap(), b"one two");
        assert!(folder.remove_file(b"a").unwrap() && !folder.remove_file(b"a").unwrap());
    }

    #[test]
    fn files_links_folders_and_nothing() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("sub")).unwrap();
        std::fs::write(dir.path().join("sub/a"), "one\n").unwrap();
        std::fs::write(dir.path().join("sub/long"), vec![b'x'; 5000]).unwrap();
        std::os::unix::fs::symlink("a", dir.path().join("sub/link")).unwrap();
        let top = Folder::open(dir.path()).unwrap().unwrap();
        let sub = top.open_folder(b"sub").unwrap().unwrap();
        let mut names = Vec::new();
        sub.for_each(|name, kind| names.push((name.to_vec(), kind))).unwrap();
        names.sort_by(|a, b| a.0.cmp(&b.0));
        let kinds: Vec<_> = names.iter().map(|(_, kind)| *kind).collect();
        assert_eq!(kinds, [EntryType::File, EntryType::Link, EntryType::File]);

        let mut out = Vec::new();
        let mut read = |name: &[u8], limit| {
            out.clear();
            (sub.read_small(name, limit, &mut out).unwrap(), out.clone())
        };
        assert_eq!(read(b"a", 100), (SmallFile::Content, b"one\n".to_vec()));
        assert_eq!(read(b"long", 4000), (SmallFile::Content, vec![b'x'; 4000]));
        assert_eq!(read(b"long", 9000).1.len(), 5000);
        assert_eq!(read(b"link", 100), (SmallFile::Link, b"a".to_vec()));
        assert_eq!(read(b"none", 100), (SmallFile::Missing, vec![]));
        assert_eq!(read(b"a/b", 100), (SmallFile::Missing, vec![]));
        assert_eq!(read(b"nul\0", 100), (SmallFile::Missing, vec![]));
        assert_eq!(read(&[b'n'; 300], 100), (SmallFile::Missing, vec![]));
        out.clear();
        assert_eq!(top.read_small(b"sub", 100, &mut out).unwrap(), SmallFile::Folder);
        assert_eq!(sub.read_small_through(b"link", 100, &mut out).unwrap(), SmallFile::Content);
        assert!(Folder::open(&dir.path().join("sub/a")).unwrap().is_none());
        assert_eq!(top.entry_type(b"sub").unwrap(), Some(EntryType::Folder));
        assert_eq!(sub.entry_type(b"gone").unwrap(), None);
        assert_eq!(sub.entry_type(b"link").unwrap(), Some(EntryType::File));
        assert_eq!(sub.own_type(b"link").unwrap(), Some(EntryType::Link));
        std::os::unix::fs::symlink("sub", dir.path().join("to-sub")).unwrap();
        assert!(top.open_folder(b"to-sub").unwrap().is_some());
        assert!(top.open_folder_itself(b"to-sub").unwrap().is_none());
        assert!(top.open_folder_itself(b"sub").unwrap().is_some());
    }
}
