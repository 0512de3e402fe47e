//! The store: where an object is looked for, in which order, and what happens when it is not there.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use adit_object::{
    CommitsAhead, Header, IdMap, IdSet, ObjectFormat, ObjectId, ObjectKind, Shared, Source, SourceError,
};

use crate::ahead::StoreAhead;
use crate::alternates::object_folders;
use crate::delta_cache::DeltaCache;
use crate::fault::{Damage, Fault};
use crate::kind_cache::KindCache;
use crate::loose::LooseFolder;
use crate::pack::Pack;
use crate::passing::PassingView;
use crate::snapshot::{Scan, Snapshot};

/// How a store is to work. The default is git's.
#[derive(Debug, Clone)]
pub struct Options {
    /// How many bytes of unpacked objects are kept as possible delta bases (`core.deltaBaseCacheLimit`).
    pub delta_cache_limit: u64,
    /// Blobs of at least this size are not held in memory to be written out (`core.bigFileThreshold`).
    pub big_file_threshold: u64,
    /// Whether multi-pack-indexes are used (`core.multiPackIndex`).
    pub multi_pack_index: bool,
    /// More object folders to borrow from (`GIT_ALTERNATE_OBJECT_DIRECTORIES`).
    pub alternates: Vec<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            delta_cache_limit: 96 << 20,
            big_file_threshold: 512 << 20,
            multi_pack_index: true,
            alternates: Vec::new(),
        }
    }
}

/// All objects that a repository has or borrows. Threads share one store.
///
/// Nothing is opened before the first object is asked for. Lookups go to the multi-pack-indexes, then to the packs, those
/// that answered last first, then to the loose objects; a miss looks for new packs once.
#[derive(Debug)]
pub struct Store {
    pub(crate) format: ObjectFormat,
    objects: PathBuf,
    options: Options,
    folders: OnceLock<Vec<LooseFolder>>,
    snapshot: RwLock<Option<Arc<Snapshot>>>,
    next_pack_number: AtomicU32,
    pub(crate) cache: DeltaCache,
    pub(crate) kinds: KindCache,
    replacements: IdMap<ObjectId>,
    damage: Mutex<Vec<Damage>>,
    /// What a remote has promised, once that was asked.
    pub(crate) promised: OnceLock<IdSet>,
}

/// How much a lookup does about an object that is not found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// Nothing.
    Quick,
    /// It looks for packs that have come since.
    Full,
}

/// Where an object is.
#[derive(Debug, Clone)]
pub(crate) enum Location {
    Packed { pack: Arc<Pack>, offset: u64 },
    Loose { folder: usize },
}

impl Location {
    fn packed(pack: &Arc<Pack>, offset: u64) -> Self {
        Location::Packed { pack: Arc::clone(pack), offset }
    }

    fn is(&self, other: &Location) -> bool {
        match (self, other) {
            (Location::Packed { pack, .. }, Location::Packed { pack: other, .. }) => Arc::ptr_eq(pack, other),
            (Location::Loose { folder }, Location::Loose { folder: other }) => folder == other,
            _ => false,
        }
    }
}

/// Replacements of replacements are followed this far.
const MAX_REPLACE_DEPTH: usize = 5;

/// Repacks that happen under a reader are followed this often.
const MAX_RESCANS: usize = 10;

impl Store {
    /// The store whose own folder is `objects_dir`.
    pub fn open(objects_dir: &Path, format: ObjectFormat, options: Options) -> Result<Store, SourceError> {
        let limit = usize::try_from(options.delta_cache_limit).unwrap_or(usize::MAX);
        Ok(Store {
            format,
            objects: objects_dir.to_owned(),
            cache: DeltaCache::new(limit),
            options,
            folders: OnceLock::new(),
            snapshot: RwLock::new(None),
            next_pack_number: AtomicU32::new(0),
            kinds: KindCache::default(),
            replacements: IdMap::default(),
            damage: Mutex::new(Vec::new()),
            promised: OnceLock::new(),
        })
    }

    /// A store that holds one pack and nothing else.
    pub(crate) fn of_pack(pack: Arc<Pack>, format: ObjectFormat) -> Store {
        Store {
            format,
            objects: pack.path().to_owned(),
            cache: DeltaCache::new(Options::default().delta_cache_limit as usize),
            options: Options::default(),
            folders: OnceLock::from(Vec::new()),
            snapshot: RwLock::new(Some(Arc::new(Snapshot::of_pack(pack)))),
            next_pack_number: AtomicU32::new(1),
            kinds: KindCache::default(),
            replacements: IdMap::default(),
            damage: Mutex::new(Vec::new()),
            promised: OnceLock::new(),
        }
    }

    /// The store's own object folder.
    pub fn objects_dir(&self) -> &Path {
        &self.objects
    }

    pub(crate) fn options(&self) -> &Options {
        &self.options
    }

    /// Reads of the keys give the values from now on (`refs/replace/`). Chains of them are followed.
    pub fn set_replacements(&mut self, replacements: IdMap<ObjectId>) {
        self.replacements = replacements;
    }

    /// The object that is read instead of `id`, or `id` itself.
    pub fn replacement(&self, id: &ObjectId) -> Result<ObjectId, SourceError> {
        let mut id = *id;
        if self.replacements.is_empty() {
            return Ok(id);
        }
        for _ in 0..=MAX_REPLACE_DEPTH {
            match self.replacements.get(&id) {
                Some(other) => id = *other,
                None => return Ok(id),
            }
        }
        let what = "replace depth too high".into();
        Err(SourceError::Corrupt { path: self.objects.clone(), id: Some(id), what })
    }

    /// What was found damaged and passed over since this was last asked: each file once.
    pub fn take_damage(&self) -> Vec<Damage> {
        std::mem::take(&mut self.damage.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Remembers that something damaged was passed over.
    pub(crate) fn note(&self, damage: Damage) {
        let mut noted = self.damage.lock().unwrap_or_else(PoisonError::into_inner);
        if !noted.contains(&damage) {
            noted.push(damage);
        }
    }

    /// The folders with loose objects: the store's own and those it borrows from.
    pub(crate) fn folders(&self) -> &[LooseFolder] {
        self.folders.get_or_init(|| {
            let folders =
                object_folders(&self.objects, &self.options.alternates, &mut |damage| self.note(damage));
            folders.into_iter().map(|folder| LooseFolder::new(folder, self.format)).collect()
        })
    }

    /// The object folders: the store's own and those it borrows from.
    pub fn object_folders(&self) -> impl ExactSizeIterator<Item = &Path> {
        self.folders().iter().map(LooseFolder::path)
    }

    /// The packs as they are known.
    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        let known = self.snapshot.read().unwrap_or_else(PoisonError::into_inner).clone();
        known.unwrap_or_else(|| self.rescan(None))
    }

    /// Reads the pack folders again, unless another thread has done so since `old` was made.
    pub(crate) fn rescan(&self, old: Option<&Arc<Snapshot>>) -> Arc<Snapshot> {
        let folders = self.folders();
        let mut known = self.snapshot.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(newer) = &*known
            && !old.is_some_and(|old| Arc::ptr_eq(old, newer))
        {
            return Arc::clone(newer);
        }
        let scan = Scan {
            format: self.format,
            use_midx: self.options.multi_pack_index,
            next_number: &self.next_pack_number,
            old: old.map(|old| &**old),
        };
        let folders = folders.iter().map(LooseFolder::path);
        let snapshot = Arc::new(Snapshot::scan(folders, &scan, &mut |damage| self.note(damage)));
        *known = Some(Arc::clone(&snapshot));
        snapshot
    }

    /// Forgets what is known of the packs, so that the next lookup sees what was written since.
    pub fn refresh(&self) {
        let known = self.snapshot();
        self.rescan(Some(&known));
    }

    /// Looks `id` up and hands each place that may have it to `visit`, until one gives a value; a place that turns out
    /// to be gone is looked up again, and one that is damaged is passed over for another copy. `None` when no place
    /// has it.
    pub(crate) fn visit<T>(
        &self,
        id: &ObjectId,
        effort: Effort,
        mut visit: impl FnMut(&Location) -> Result<Option<T>, Fault>,
    ) -> Result<Option<T>, SourceError> {
        let mut snapshot = self.snapshot();
        let mut looked_again = effort == Effort::Quick;
        for _ in 0..MAX_RESCANS {
            let mut gone = false;
            let mut places =
                snapshot.find(id).map(|(pack, offset)| Location::packed(pack, offset)).into_iter();
            let mut loose = (0..self.folders().len()).map(|folder| Location::Loose { folder });
            while let Some(place) = places.next().or_else(|| loose.next()) {
                match visit(&place) {
                    Ok(None) => {}
                    Ok(value) => return Ok(value),
                    Err(Fault::Gone(_)) => gone = true,
                    Err(fault) => return self.visit_others(&snapshot, id, &place, fault, visit),
                }
            }
            if !gone && (looked_again || !snapshot.is_stale()) {
                break;
            }
            looked_again = true;
            snapshot = self.rescan(Some(&snapshot));
        }
        // An index that cannot be read may have held it.
        match snapshot.all_packs().find_map(|pack| pack.index_failure()) {
            Some(fault) if effort == Effort::Full => Err(fault.clone().for_object(Some(id))),
            _ => Ok(None),
        }
    }

    /// The copy of `id` at `place` is damaged: looks for another.
    #[cold]
    fn visit_others<T>(
        &self,
        snapshot: &Snapshot,
        id: &ObjectId,
        place: &Location,
        fault: Fault,
        mut visit: impl FnMut(&Location) -> Result<Option<T>, Fault>,
    ) -> Result<Option<T>, SourceError> {
        for other in self.places(snapshot, id).filter(|other| !other.is(place)) {
            if let Ok(Some(value)) = visit(&other) {
                self.note(fault.damage());
                return Ok(Some(value));
            }
        }
        Err(fault.for_object(Some(id)))
    }

    /// Every place that may have `id`.
    pub(crate) fn places(&self, snapshot: &Snapshot, id: &ObjectId) -> impl Iterator<Item = Location> {
        let packed = snapshot.find_all(id).map(|(pack, offset)| Location::packed(pack, offset));
        packed.chain((0..self.folders().len()).map(|folder| Location::Loose { folder }))
    }

    /// Whether the object is here.
    pub fn contains(&self, id: &ObjectId) -> bool {
        self.exists(id, Effort::Full)
    }

    /// Whether the object is here, as far as is known: packs that came since the last look do not count. For asking
    /// about many objects most of which are not here.
    pub fn contains_quick(&self, id: &ObjectId) -> bool {
        self.exists(id, Effort::Quick)
    }

    fn exists(&self, id: &ObjectId, effort: Effort) -> bool {
        let found = self.visit(id, effort, |place| {
            Ok(match place {
                Location::Packed { .. } => Some(()),
                Location::Loose { folder } => self.folders()[*folder].contains(id).then_some(()),
            })
        });
        matches!(found, Ok(Some(())))
    }

    /// Like [`Source::try_read`], but of `id` itself, whatever replaces it.
    pub fn try_read_raw(&self, id: &ObjectId, out: &mut Vec<u8>) -> Result<Option<ObjectKind>, SourceError> {
        self.try_read_with(&self.cache, id, out)
    }

    /// Reads `id` itself, with the bases of deltas in `cache`.
    pub(crate) fn try_read_with(
        &self,
        cache: &DeltaCache,
        id: &ObjectId,
        out: &mut Vec<u8>,
    ) -> Result<Option<ObjectKind>, SourceError> {
        let read = self.visit(id, Effort::Full, |place| match place {
            Location::Packed { pack, offset } => pack.read_into(*offset, cache, out).map(Some),
            Location::Loose { folder } => self.folders()[*folder].read(id, out),
        });
        match read {
            Err(SourceError::Corrupt { .. }) => self.read_through_damage(id, out, read),
            read => read,
        }
    }

    /// Like [`Source::try_share`], but of `id` itself, whatever replaces it.
    pub fn try_share_raw(&self, id: &ObjectId) -> Result<Option<(ObjectKind, Shared)>, SourceError> {
        self.try_share_with(&self.cache, id)
    }

    /// Shares `id` itself, with the bases of deltas in `cache`.
    pub(crate) fn try_share_with(
        &self,
        cache: &DeltaCache,
        id: &ObjectId,
    ) -> Result<Option<(ObjectKind, Shared)>, SourceError> {
        let shared = self.visit(id, Effort::Full, |place| match place {
            Location::Packed { pack, offset } => pack.share(*offset, cache).map(Some),
            Location::Loose { folder } => {
                let mut content = Vec::new();
                let kind = self.folders()[*folder].read(id, &mut content)?;
                Ok(kind.map(|kind| (kind, Arc::new(content))))
            }
        });
        if let Err(SourceError::Corrupt { .. }) = shared {
            let mut content = Vec::new();
            let failed = shared.map(|found| found.map(|(kind, _)| kind));
            let kind = self.read_through_damage(id, &mut content, failed)?;
            return Ok(kind.map(|kind| (kind, Arc::new(content))));
        }
        shared
    }

    /// Like [`Source::try_header`], but of `id` itself, whatever replaces it.
    pub fn try_header_raw(&self, id: &ObjectId) -> Result<Option<Header>, SourceError> {
        self.visit(id, Effort::Full, |place| match place {
            Location::Packed { pack, offset } => {
                let size = pack.size(*offset)?;
                Ok(Some(Header { kind: pack.kind(*offset, &self.kinds)?, size }))
            }
            Location::Loose { folder } => Ok(self.folders()[*folder].header(id)?.map(|(header, _)| header)),
        })
    }
}

impl Source for Store {
    fn format(&self) -> ObjectFormat {
        self.format
    }

    fn try_read(&self, id: &ObjectId, out: &mut Vec<u8>) -> Result<Option<ObjectKind>, SourceError> {
        self.try_read_raw(&self.replacement(id)?, out)
    }

    fn try_share(&self, id: &ObjectId) -> Result<Option<(ObjectKind, Shared)>, SourceError> {
        self.try_share_raw(&self.replacement(id)?)
    }

    fn try_header(&self, id: &ObjectId) -> Result<Option<Header>, SourceError> {
        self.try_header_raw(&self.replacement(id)?)
    }

    fn commits_ahead(&self) -> Option<Box<dyn CommitsAhead + '_>> {
        Some(Box::new(StoreAhead::new(self)?))
    }

    /// A missing object that a remote has promised is [`SourceError::Promised`].
    fn read(&self, id: &ObjectId, out: &mut Vec<u8>) -> Result<ObjectKind, SourceError> {
        self.try_read(id, out)?.ok_or_else(|| self.missing(id))
    }

    fn share(&self, id: &ObjectId) -> Result<(ObjectKind, Shared), SourceError> {
        self.try_share(id)?.ok_or_else(|| self.missing(id))
    }

    fn header(&self, id: &ObjectId) -> Result<Header, SourceError> {
        self.try_header(id)?.ok_or_else(|| self.missing(id))
    }

    fn passing_view(&self) -> Option<Box<dyn Source + '_>> {
        Some(Box::new(PassingView::new(self)))
    }
}
