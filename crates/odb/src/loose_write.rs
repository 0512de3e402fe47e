//! Writing loose objects: under another name, then renamed into place, so that readers see an object whole or not at all.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

use adit_object::zlib::DeflateWriter;
use adit_object::{CollisionError, Hasher, ObjectFormat, ObjectId, ObjectKind, hash_object};
use adit_sys::cleanup::{Registration, register};

use crate::Store;

/// How loose objects are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LooseOptions {
    /// The compression level, 0 to 9, or -1 for the library's default.
    pub level: i32,
    /// Whether the content is on disk before the object is seen under its name.
    pub sync: bool,
}

/// Why an object was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The content is part of an attack.
    #[error(transparent)]
    Collision(#[from] CollisionError),
    /// The content could not be read, or is not as long as was said.
    #[error("{0}")]
    Input(#[source] io::Error),
    /// The object could not be stored.
    #[error("{}: {error}", .path.display())]
    Io {
        /// The file or folder concerned.
        path: PathBuf,
        /// What the system said.
        #[source]
        error: io::Error,
    },
}

/// What is copied at a time: little enough to stay in the cache of one core.
const CHUNK: usize = 128 << 10;

impl Store {
    /// Writes an object, unless it is here already, and returns its id.
    ///
    /// # Errors
    /// When it cannot be stored, or is part of an attack.
    pub fn write(
        &self,
        kind: ObjectKind,
        content: &[u8],
        options: LooseOptions,
    ) -> Result<ObjectId, WriteError> {
        let id = hash_object(self.objects_format(), kind, content)?;
        if !self.holds(&id) {
            self.write_loose(kind, content.len() as u64, &mut &*content, options, Some(id))?;
        }
        Ok(id)
    }

    /// Writes an object whose content of `size` bytes is read piece by piece, and returns its id.
    ///
    /// # Errors
    /// When the content ends early or goes on, when it cannot be stored, or is part of an attack.
    pub fn write_from(
        &self,
        kind: ObjectKind,
        size: u64,
        content: &mut dyn Read,
        options: LooseOptions,
    ) -> Result<ObjectId, WriteError> {
        self.write_loose(kind, size, content, options, None)
    }

    /// Whether the object need not be written. One that lies loose here counts as new again, for those who would
    /// remove what is old and unreachable.
    fn holds(&self, id: &ObjectId) -> bool {
        if let Ok(file) = File::open(loose_path(self.objects_dir(), id)) {
            // Without the right to touch it, it still is there.
            let _ = file.set_modified(std::time::SystemTime::now());
            return true;
        }
        self.contains(id)
    }

    fn write_loose(
        &self,
        kind: ObjectKind,
        size: u64,
        content: &mut dyn Read,
        options: LooseOptions,
        known: Option<ObjectId>,
    ) -> Result<ObjectId, WriteError> {
        let mut unfinished = Unfinished::create(self.objects_dir(), known.as_ref())?;
        let id = unfinished.fill(self.objects_format(), kind, size, content, options, known)?;
        if known.is_none() && self.holds(&id) {
            return Ok(id);
        }
        unfinished.finish(&loose_path(self.objects_dir(), &id), options.sync)?;
        Ok(id)
    }

    fn objects_format(&self) -> ObjectFormat {
        adit_object::Source::format(self)
    }
}

/// The id of an object whose content of `size` bytes is read piece by piece.
///
/// # Errors
/// When the content ends early or goes on, or is part of an attack.
pub fn hash_from(
    format: ObjectFormat,
    kind: ObjectKind,
    size: u64,
    content: &mut dyn Read,
) -> Result<ObjectId, WriteError> {
    let mut hasher = Hasher::object(format, kind, size);
    copy(size, content, |bytes| {
        hasher.update(bytes);
        Ok(())
    })?;
    Ok(hasher.finalize()?)
}

/// Hands over exactly `size` bytes.
fn copy(
    size: u64,
    content: &mut dyn Read,
    mut take: impl FnMut(&[u8]) -> Result<(), WriteError>,
) -> Result<(), WriteError> {
    let mut chunk = vec![0; CHUNK];
    let mut left = size;
    loop {
        let read = match content.read(&mut chunk) {
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(WriteError::Input(error)),
        };
        if read == 0 && left == 0 {
            return Ok(());
        }
        left = left
            .checked_sub(read as u64)
            .filter(|_| read > 0)
            .ok_or_else(|| WriteError::Input(io::Error::other("the content changed while it was read")))?;
        take(&chunk[..read])?;
    }
}

fn loose_path(objects: &Path, id: &ObjectId) -> PathBuf {
    let hex = id.to_string();
    objects.join(&hex[..2]).join(&hex[2..])
}

/// A loose object under another name, which is removed unless it is finished.
struct Unfinished {
    path: PathBuf,
    file: File,
    finished: bool,
    /// Removes the file when a signal ends the process.
    _registration: Registration,
}

impl Unfinished {
    /// In the folder where it will stay if the id is known, so that it need not move far.
    fn create(objects: &Path, id: Option<&ObjectId>) -> Result<Self, WriteError> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let folder = id.map_or(objects.to_owned(), |id| objects.join(&id.to_string()[..2]));
        make_folder(&folder)?;
        loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let path = folder.join(format!("tmp_obj_{}_{number}", process::id()));
            match File::options().write(true).create_new(true).mode(0o444).open(&path) {
                Ok(file) => {
                    let _registration = register(&path);
                    return Ok(Unfinished { path, file, finished: false, _registration });
                }
                // Left behind by another process of the same number.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(WriteError::Io { path, error }),
            }
        }
    }

    fn fill(
        &mut self,
        format: ObjectFormat,
        kind: ObjectKind,
        size: u64,
        content: &mut dyn Read,
        options: LooseOptions,
        known: Option<ObjectId>,
    ) -> Result<ObjectId, WriteError> {
        let path = &self.path;
        let failed = |error| WriteError::Io { path: path.clone(), error };
        let mut hasher = Hasher::object(format, kind, size);
        let mut deflated = DeflateWriter::new(&self.file, options.level);
        write!(deflated, "{kind} {size}\0").map_err(failed)?;
        copy(size, content, |bytes| {
            if known.is_none() {
                hasher.update(bytes);
            }
            deflated.write_all(bytes).map_err(failed)
        })?;
        deflated.finish().map_err(failed)?;
        match known {
            Some(id) => Ok(id),
            None => Ok(hasher.finalize()?),
        }
    }

    fn finish(mut self, path: &Path, sync: bool) -> Result<(), WriteError> {
        let failed = |error| WriteError::Io { path: path.to_owned(), error };
        if sync {
            self.file.sync_all().map_err(failed)?;
        }
        if let Some(folder) = path.parent() {
            make_folder(folder)?;
        }
        fs::rename(&self.path, path).map_err(failed)?;
        self.finished = true;
        Ok(())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if !self.finished {
            // There is nobody to tell, and a file of this name harms nobody.
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn make_folder(path: &Path) -> Result<(), WriteError> {
    match fs::create_dir(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            Err(WriteError::Io { path: path.to_owned(), error })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use adit_testkit::{FORMATS, Repo};

    use super::*;
    use crate::Options;

    const LOOSE: LooseOptions = LooseOptions { level: 1, sync: true };

    fn store(repo: &Repo, format: &str) -> Store {
        let format = ObjectFormat::from_name(format.as_bytes()).unwrap();
        Store::open(&repo.git_dir().join("objects"), format, Options::default()).unwrap()
    }

    #[test]
    fn git_reads_what_is_written() {
        for format in FORMATS {
            let repo = Repo::new(format);
            let store = store(&repo, format);
            let content: Vec<u8> = (0..300_000_u32).map(|n| (n % 1013) as u8).collect();
            let whole = store.write(ObjectKind::Blob, &content, LOOSE).unwrap();
            let more = [&content[..], b"more"].concat();
            let pieces =
                store.write_from(ObjectKind::Blob, more.len() as u64, &mut &more[..], LOOSE).unwrap();
            for (id, content) in [(whole, &content), (pieces, &more)] {
                let path = loose_path(store.objects_dir(), &id);
                assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o444);
                let output = repo.try_git(&["cat-file", "blob", &id.to_string()], b"");
                assert_eq!(&output.stdout, content);
            }
            repo.git(&["fsck", "--strict"]);
            // Nothing is left of what is written twice.
            store.write(ObjectKind::Blob, &content, LOOSE).unwrap();
            store.write_from(ObjectKind::Blob, more.len() as u64, &mut &more[..], LOOSE).unwrap();
            let count = repo.git(&["count-objects", "-v"]);
            assert!(count.starts_with("count: 2\n") && count.contains("garbage: 0\n"), "{count}");
        }
    }

    #[test]
    fn content_of_another_size_is_refused_and_leaves_nothing() {
        let repo = Repo::new("sha1");
        let store = store(&repo, "sha1");
        for size in [4, 6] {
            let error = store.write_from(ObjectKind::Blob, size, &mut &b"hello"[..], LOOSE).unwrap_err();
            assert!(matches!(error, WriteError::Input(_)), "{error}");
            assert!(hash_from(ObjectFormat::Sha1, ObjectKind::Blob, size, &mut &b"hello"[..]).is_err());
        }
        assert_eq!(fs::read_dir(store.objects_dir()).unwrap().count(), 2, "only info and pack");
    }
}
