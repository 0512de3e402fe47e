//! Files mapped into memory.

use std::fs::File;
use std::io;
use std::ops::Deref;
use std::path::Path;

/// The bytes of a file, read by the system when they are touched.
#[derive(Debug)]
pub struct Map {
    /// `None` for an empty file, which cannot be mapped.
    map: Option<memmap2::Mmap>,
}

impl Map {
    /// Maps the whole file at `path`.
    ///
    /// Git's files are written under another name and renamed into place, never changed or cut where they lie; a
    /// program that does so anyway makes the reader see the change, or die.
    pub fn open(path: &Path) -> io::Result<Map> {
        Map::of(&File::open(path)?)
    }

    /// Maps the whole of an open file.
    pub fn of(file: &File) -> io::Result<Map> {
        let len = file.metadata()?.len();
        if len == 0 {
            return Ok(Map { map: None });
        }
        if usize::try_from(len).is_err() {
            return Err(io::Error::new(io::ErrorKind::OutOfMemory, "file too large to map"));
        }
        // SAFETY: the mapping is private and read-only, and is handed out only as `&[u8]` that lives as long as the
        // map. That the file is not changed in place meanwhile is git's own rule for the files that are mapped.
        #[expect(unsafe_code, reason = "mapping a file")]
        let map = unsafe { memmap2::Mmap::map(file)? };
        Ok(Map { map: Some(map) })
    }
}

impl Deref for Map {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.map.as_deref().unwrap_or(&[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_an_empty_file_and_none() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        std::fs::write(&path, "content").unwrap();
        assert_eq!(&*Map::open(&path).unwrap(), b"content");
        std::fs::write(&path, "").unwrap();
        assert!(Map::open(&path).unwrap().is_empty());
        assert!(Map::open(&dir.path().join("b")).is_err());
    }
}
