//! The packs of all object folders as they stood at one moment. A rescan makes a new snapshot; readers keep the old one
//! as long as they need it.

use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use adit_object::{ObjectFormat, ObjectId};
use hashbrown::{HashMap, HashSet};

use crate::fault::Damage;
use crate::midx::MultiPackIndex;
use crate::pack::{Pack, PackMarks};

/// How many of the packs that answered last are tried first.
const RECENT: usize = 4;

/// A folder that changed less than this before it was read may change again without a sign of it: the clock of file
/// systems is coarse.
const RACY: Duration = Duration::from_secs(2);

/// The packs of a store.
#[derive(Debug, Default)]
pub(crate) struct Snapshot {
    pub(crate) midxes: Vec<MidxPacks>,
    /// Packs that no multi-pack-index lists: those of the first folder before others, newest first in each.
    pub(crate) packs: Vec<Arc<Pack>>,
    folders: Vec<FolderState>,
    recent: [AtomicU32; RECENT],
    next_recent: AtomicU32,
}

/// A multi-pack-index and the packs it lists, by number; `None` where one is gone.
#[derive(Debug)]
pub(crate) struct MidxPacks {
    pub(crate) index: MultiPackIndex,
    pub(crate) packs: Vec<Option<Arc<Pack>>>,
}

/// What tells whether a pack folder has changed since it was read.
#[derive(Debug)]
struct FolderState {
    path: PathBuf,
    changed: Option<SystemTime>,
    read: SystemTime,
}

impl FolderState {
    fn of(path: PathBuf) -> Self {
        let changed = fs::metadata(&path).and_then(|metadata| metadata.modified()).ok();
        FolderState { path, changed, read: SystemTime::now() }
    }

    fn may_have_changed(&self) -> bool {
        let now = fs::metadata(&self.path).and_then(|metadata| metadata.modified()).ok();
        if now != self.changed {
            return true;
        }
        let settled = |changed| self.read.duration_since(changed).is_ok_and(|age| age > RACY);
        !now.is_none_or(settled)
    }
}

/// What a scan needs to know.
pub(crate) struct Scan<'a> {
    pub(crate) format: ObjectFormat,
    pub(crate) use_midx: bool,
    /// Counts the packs of the store.
    pub(crate) next_number: &'a AtomicU32,
    /// Packs that were open before keep their maps.
    pub(crate) old: Option<&'a Snapshot>,
}

impl Snapshot {
    /// Reads the pack folders of `object_folders`.
    pub(crate) fn scan<'p>(
        object_folders: impl Iterator<Item = &'p Path>,
        scan: &Scan<'_>,
        damage: &mut dyn FnMut(Damage),
    ) -> Snapshot {
        let mut open: HashMap<&Path, &Arc<Pack>> = HashMap::new();
        if let Some(old) = scan.old {
            open.extend(old.all_packs().filter(|pack| !pack.has_failed()).map(|pack| (pack.path(), pack)));
        }
        let mut snapshot = Snapshot::default();
        for objects in object_folders {
            snapshot.add_folder(&objects.join("pack"), scan, &open, damage);
        }
        snapshot
    }

    /// One pack, in no folder that is looked at again.
    pub(crate) fn of_pack(pack: Arc<Pack>) -> Snapshot {
        Snapshot { packs: vec![pack], ..Snapshot::default() }
    }

    fn add_folder(
        &mut self,
        folder: &Path,
        scan: &Scan<'_>,
        open: &HashMap<&Path, &Arc<Pack>>,
        damage: &mut dyn FnMut(Damage),
    ) {
        // The state is taken first: a change while the folder is read then shows at the next look.
        self.folders.push(FolderState::of(folder.to_owned()));
        let mut found: HashMap<PathBuf, Arc<Pack>> = HashMap::new();
        for (stem, marks) in packs_in(folder) {
            let mut path = folder.join(std::ffi::OsStr::from_bytes(&stem)).into_os_string();
            path.push(".pack");
            let path = PathBuf::from(path);
            let pack = match open.get(&*path) {
                Some(pack) if pack.marks() == marks => Arc::clone(pack),
                _ => {
                    let number = scan.next_number.fetch_add(1, Ordering::Relaxed);
                    Arc::new(Pack::new(number, path.clone(), scan.format, marks))
                }
            };
            found.insert(path, pack);
        }
        if scan.use_midx {
            for index in MultiPackIndex::open_all(folder, scan.format, damage) {
                let name =
                    |name: &bstr::BStr| folder.join(std::ffi::OsStr::from_bytes(name)).with_extension("pack");
                let packs: Vec<_> = index.pack_names().map(|n| found.get(&name(n)).cloned()).collect();
                self.midxes.push(MidxPacks { index, packs });
            }
            let listed = self.midxes.iter().flat_map(|midx| midx.packs.iter().flatten());
            let listed: HashSet<u32> = listed.map(|pack| pack.number()).collect();
            found.retain(|_, pack| !listed.contains(&pack.number()));
        }
        let mut packs: Vec<_> = found.into_values().collect();
        if packs.len() > 1 {
            let modified = |pack: &Pack| fs::metadata(pack.path()).and_then(|m| m.modified()).ok();
            packs.sort_by_cached_key(|pack| (std::cmp::Reverse(modified(pack)), pack.path().to_owned()));
        }
        self.packs.extend(packs);
    }

    /// Whether a pack folder may hold something that this snapshot does not know.
    pub(crate) fn is_stale(&self) -> bool {
        self.folders.iter().any(FolderState::may_have_changed)
    }

    /// Every pack, those that a multi-pack-index lists included.
    pub(crate) fn all_packs(&self) -> impl Iterator<Item = &Arc<Pack>> {
        self.midxes.iter().flat_map(|midx| midx.packs.iter().flatten()).chain(&self.packs)
    }

    /// The pack that holds `id`, and where.
    #[inline]
    pub(crate) fn find(&self, id: &ObjectId) -> Option<(&Arc<Pack>, u64)> {
        for midx in &self.midxes {
            if let Some(found) = midx.find(id) {
                return Some(found);
            }
        }
        let mut tried = [u32::MAX; RECENT];
        for (tried, recent) in tried.iter_mut().zip(&self.recent) {
            *tried = recent.load(Ordering::Relaxed);
            if let Some(found) = self.packs.get(*tried as usize).and_then(|pack| find_in(pack, id)) {
                return Some(found);
            }
        }
        for (n, pack) in self.packs.iter().enumerate() {
            if tried.contains(&(n as u32)) {
                continue;
            }
            if let Some(found) = find_in(pack, id) {
                let slot = self.next_recent.fetch_add(1, Ordering::Relaxed) as usize % RECENT;
                self.recent[slot].store(n as u32, Ordering::Relaxed);
                return Some(found);
            }
        }
        None
    }

    /// Every copy of `id` in a pack.
    pub(crate) fn find_all(&self, id: &ObjectId) -> impl Iterator<Item = (&Arc<Pack>, u64)> {
        self.all_packs().filter_map(move |pack| find_in(pack, id))
    }
}

impl MidxPacks {
    fn find(&self, id: &ObjectId) -> Option<(&Arc<Pack>, u64)> {
        let (pack, offset) = self.index.place(self.index.find(id)?)?;
        self.packs.get(pack)?.as_ref().map(|pack| (pack, offset))
    }
}

fn find_in<'p>(pack: &'p Arc<Pack>, id: &ObjectId) -> Option<(&'p Arc<Pack>, u64)> {
    let index = pack.index_or_none()?;
    Some((pack, index.offset(index.find(id)?)?))
}

/// The packs of a folder that have both a `.pack` and an `.idx`: their names without either, and what lies beside them.
fn packs_in(folder: &Path) -> Vec<(Vec<u8>, PackMarks)> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<Vec<u8>> = entries.flatten().map(|entry| entry.file_name().into_vec()).collect();
    names.sort_unstable();
    let mut packs = Vec::new();
    let mut names = names.iter().filter_map(|name| split_extension(name)).peekable();
    while let Some((stem, extension)) = names.next() {
        let (mut pack, mut index, mut marks) = (false, false, PackMarks::default());
        let mut see = |extension: &[u8]| match extension {
            b"pack" => pack = true,
            b"idx" => index = true,
            b"rev" => marks.rev = true,
            b"keep" => marks.keep = true,
            b"promisor" => marks.promisor = true,
            b"mtimes" => marks.cruft = true,
            _ => {}
        };
        see(extension);
        while let Some((_, extension)) = names.next_if(|(other, _)| *other == stem) {
            see(extension);
        }
        if pack && index {
            packs.push((stem.to_vec(), marks));
        }
    }
    packs
}

fn split_extension(name: &[u8]) -> Option<(&[u8], &[u8])> {
    let dot = memchr::memrchr(b'.', name)?;
    Some((&name[..dot], &name[dot + 1..]))
}
