//! How much the store's own folder holds, and what in it should not be there (git-count-objects).

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use adit_object::ObjectId;

use crate::store::Store;

/// What the store's own folder holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Counts {
    /// Loose objects.
    pub loose: u64,
    /// The bytes of disk that they take.
    pub loose_size: u64,
    /// Loose objects that are also in a pack.
    pub prunable: u64,
    /// Objects in packs.
    pub packed: u64,
    /// Packs.
    pub packs: u64,
    /// The sizes of packs and their indexes.
    pub pack_size: u64,
    /// Files that do not belong here.
    pub garbage: Vec<Garbage>,
    /// Their sizes.
    pub garbage_size: u64,
}

/// A file that does not belong in an object folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Garbage {
    /// The file.
    pub path: PathBuf,
    /// Why it does not.
    pub why: Misplaced,
}

/// Why a file does not belong in an object folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Misplaced {
    /// It is nothing that git puts here.
    Unknown,
    /// A pack without an index.
    NoIndex,
    /// An index without a pack.
    NoPack,
    /// What lies beside a pack, without pack or index.
    Neither,
}

/// What may lie beside a pack of the same name.
const BESIDE: [&[u8]; 7] = [b"idx", b"pack", b"rev", b"bitmap", b"keep", b"promisor", b"mtimes"];

impl Store {
    /// Counts the store's own objects, not those it borrows. Garbage is only looked for when it is asked for.
    pub fn counts(&self, with_garbage: bool) -> Counts {
        let mut counts = Counts::default();
        let objects = self.objects_dir();
        if with_garbage {
            self.count_packs(&objects.join("pack"), &mut counts);
        }
        for first in 0..=255u8 {
            let prefix = format!("{first:02x}");
            for path in sorted_entries(&objects.join(&prefix)) {
                let name = path.file_name().map(OsStrExt::as_bytes).unwrap_or_default();
                let id = ObjectId::from_hex(self.format, &[prefix.as_bytes(), name].concat());
                match (id, fs::symlink_metadata(&path)) {
                    (Ok(id), Ok(metadata)) if metadata.is_file() => {
                        counts.loose += 1;
                        counts.loose_size += metadata.blocks() * 512;
                        counts.prunable += u64::from(with_garbage && self.snapshot().find(&id).is_some());
                    }
                    _ => counts.add_garbage(path, Misplaced::Unknown),
                }
            }
        }
        counts
    }

    fn count_packs(&self, folder: &Path, counts: &mut Counts) {
        let size = |path: &Path| fs::metadata(path).map_or(0, |metadata| metadata.len());
        for pack in self.snapshot().all_packs().filter(|pack| pack.path().parent() == Some(folder)) {
            let Some(index) = pack.index_or_none() else { continue };
            counts.packs += 1;
            counts.packed += u64::from(index.count());
            counts.pack_size += size(pack.path()) + index.bytes().len() as u64;
        }
        let paths = sorted_entries(folder);
        let mut beside: Vec<(&[u8], &[u8], &PathBuf)> = Vec::new();
        for path in &paths {
            let name = path.file_name().map(OsStrExt::as_bytes).unwrap_or_default();
            let (stem, extension) = match memchr::memrchr(b'.', name) {
                Some(dot) => (&name[..dot], &name[dot + 1..]),
                None => (name, &b""[..]),
            };
            if BESIDE.contains(&extension) && !name.starts_with(b"multi-pack-index") {
                beside.push((stem, extension, path));
            } else if name != b"multi-pack-index"
                && name != b"multi-pack-index.d"
                && !(name.starts_with(b"multi-pack-index-") && matches!(extension, b"rev" | b"bitmap"))
            {
                counts.add_garbage(path.clone(), Misplaced::Unknown);
            }
        }
        for group in beside.chunk_by(|a, b| a.0 == b.0) {
            let has = |extension: &[u8]| group.iter().any(|file| file.1 == extension);
            let why = match (has(b"pack"), has(b"idx")) {
                (true, true) => continue,
                (true, false) => Misplaced::NoIndex,
                (false, true) => Misplaced::NoPack,
                (false, false) => Misplaced::Neither,
            };
            for file in group {
                counts.add_garbage(file.2.clone(), why);
            }
        }
    }
}

impl Counts {
    fn add_garbage(&mut self, path: PathBuf, why: Misplaced) {
        self.garbage_size += fs::symlink_metadata(&path).map_or(0, |metadata| metadata.len());
        self.garbage.push(Garbage { path, why });
    }
}

fn sorted_entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort_unstable();
    paths
}
