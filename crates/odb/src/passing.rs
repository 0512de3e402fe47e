//! Reading many objects once: the bases of deltas lie in a cache of its own, a small one.
//!
//! A walk that looks into the root tree of every commit builds each from the one before, and never needs an older one.
//! In the store's cache they would all stay until its limit: memory that is new each time, and never in the processor's
//! caches. On git.git that is a quarter of the time of `log -- Makefile`.

use adit_object::{Header, ObjectFormat, ObjectId, ObjectKind, Shared, Source, SourceError};

use crate::delta_cache::DeltaCache;
use crate::store::Store;

/// How many bytes are kept while objects are small: about what a processor's core has near it.
const LIMIT: usize = 4 << 20;

/// A view of a store that keeps little of what it reads.
pub(crate) struct PassingView<'s> {
    store: &'s Store,
    cache: DeltaCache,
}

impl<'s> PassingView<'s> {
    pub(crate) fn new(store: &'s Store) -> Self {
        let most = store.cache.limit();
        PassingView { store, cache: DeltaCache::growing(LIMIT.min(most), most) }
    }
}

impl Source for PassingView<'_> {
    fn format(&self) -> ObjectFormat {
        self.store.format()
    }

    fn try_read(&self, id: &ObjectId, out: &mut Vec<u8>) -> Result<Option<ObjectKind>, SourceError> {
        self.store.try_read_with(&self.cache, &self.store.replacement(id)?, out)
    }

    fn try_share(&self, id: &ObjectId) -> Result<Option<(ObjectKind, Shared)>, SourceError> {
        self.store.try_share_with(&self.cache, &self.store.replacement(id)?)
    }

    fn try_header(&self, id: &ObjectId) -> Result<Option<Header>, SourceError> {
        self.store.try_header(id)
    }

    fn read(&self, id: &ObjectId, out: &mut Vec<u8>) -> Result<ObjectKind, SourceError> {
        self.try_read(id, out)?.ok_or_else(|| self.store.missing(id))
    }

    fn share(&self, id: &ObjectId) -> Result<(ObjectKind, Shared), SourceError> {
        self.try_share(id)?.ok_or_else(|| self.store.missing(id))
    }

    fn header(&self, id: &ObjectId) -> Result<Header, SourceError> {
        self.store.header(id)
    }
}
