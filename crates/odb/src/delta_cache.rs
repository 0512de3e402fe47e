//! Objects that were unpacked and may soon be the base of a delta again (`core.deltaBaseCacheLimit`).
//!
//! The only limit is bytes, and there is one order of use for all kinds of object. Threads share the cache: it is cut
//! into shards by key, each with its own lock and order, and the bytes are counted over all of them. An insert evicts
//! from its own shard first, so that nothing has to lock two shards at once.

use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use adit_object::{IdBuildHasher, ObjectKind, Shared};
use hashbrown::HashTable;

use crate::spare;

const SHARDS: usize = 16;

/// How many objects a growing cache has room for, however large they are: more than lie between a base and its delta in
/// most histories.
const ROOM: usize = 64;

/// What one entry costs beside its bytes.
const OVERHEAD: usize = 128;

/// A pack's number and the offset of an object in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) pack: u32,
    pub(crate) offset: u64,
}

impl Key {
    fn spread(self) -> u64 {
        (self.offset ^ u64::from(self.pack) << 44).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.spread());
    }
}

/// The cache. See the module's head.
#[derive(Debug)]
pub(crate) struct DeltaCache {
    limit: AtomicUsize,
    /// How far the limit may grow.
    most: usize,
    used: AtomicUsize,
    shards: [Mutex<Shard>; SHARDS],
}

impl DeltaCache {
    /// An empty cache that holds at most `limit` bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self::growing(limit, limit)
    }

    /// An empty cache that holds at most `limit` bytes, but [`ROOM`] objects of whatever size it meets, as far as `most`
    /// bytes allow.
    pub(crate) fn growing(limit: usize, most: usize) -> Self {
        DeltaCache {
            limit: AtomicUsize::new(limit),
            most,
            used: AtomicUsize::new(0),
            shards: Default::default(),
        }
    }

    /// How many bytes it holds at most.
    pub(crate) fn limit(&self) -> usize {
        self.limit.load(Ordering::Relaxed)
    }

    fn lock(shard: &Mutex<Shard>) -> MutexGuard<'_, Shard> {
        // No code that can panic half-way through a change runs under the lock.
        shard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn shard(&self, hash: u64) -> &Mutex<Shard> {
        &self.shards[(hash >> 40) as usize % SHARDS]
    }

    /// The object under `key`, which becomes the most recently used.
    #[inline]
    pub(crate) fn get(&self, key: Key) -> Option<(ObjectKind, Shared)> {
        let hash = IdBuildHasher::default().hash_one(key);
        Self::lock(self.shard(hash)).get(hash, key)
    }

    /// Whether an object of `len` bytes may be kept at all.
    pub(crate) fn takes(&self, len: usize) -> bool {
        len.saturating_add(OVERHEAD) <= self.most / 2
    }

    /// Keeps `bytes` under `key`, and drops what was used least recently until all fits.
    pub(crate) fn put(&self, key: Key, kind: ObjectKind, bytes: Shared) {
        if !self.takes(bytes.capacity()) {
            return;
        }
        let hash = IdBuildHasher::default().hash_one(key);
        let wanted = cost(&bytes).saturating_mul(ROOM).min(self.most);
        let limit = self.limit.fetch_max(wanted, Ordering::Relaxed).max(wanted);
        let home = self.shard(hash);
        let mut dropped = Vec::new();
        {
            let mut shard = Self::lock(home);
            let added = shard.put(hash, key, kind, bytes);
            let mut used = self.used.fetch_add(added, Ordering::Relaxed) + added;
            while used > limit {
                let Some(oldest) = shard.pop_oldest(key) else { break };
                let freed = cost(&oldest);
                used = self.used.fetch_sub(freed, Ordering::Relaxed) - freed;
                dropped.push(oldest);
            }
        }
        if self.used.load(Ordering::Relaxed) > limit {
            self.evict_elsewhere(home, &mut dropped);
        }
        // No lock is held any more.
        dropped.into_iter().filter_map(Shared::into_inner).for_each(spare::give);
    }

    /// The home shard holds no more than the new entry: the others give way.
    #[cold]
    fn evict_elsewhere(&self, home: &Mutex<Shard>, dropped: &mut Vec<Shared>) {
        for shard in self.shards.iter().filter(|shard| !std::ptr::eq(*shard, home)) {
            let mut shard = Self::lock(shard);
            while self.used.load(Ordering::Relaxed) > self.limit() {
                let Some(oldest) = shard.pop_oldest(Key { pack: u32::MAX, offset: u64::MAX }) else { break };
                self.used.fetch_sub(cost(&oldest), Ordering::Relaxed);
                dropped.push(oldest);
            }
        }
    }
}

fn cost(bytes: &Shared) -> usize {
    bytes.capacity() + OVERHEAD
}

/// One part of the cache: a table of slots, linked from the least to the most recently used.
#[derive(Debug)]
struct Shard {
    table: HashTable<u32>,
    slots: Vec<Slot>,
    free: Vec<u32>,
    oldest: u32,
    newest: u32,
}

#[derive(Debug)]
struct Slot {
    key: Key,
    kind: ObjectKind,
    bytes: Shared,
    older: u32,
    newer: u32,
}

/// No slot.
const NONE: u32 = u32::MAX;

impl Default for Shard {
    fn default() -> Self {
        Shard { table: HashTable::new(), slots: Vec::new(), free: Vec::new(), oldest: NONE, newest: NONE }
    }
}

impl Shard {
    fn get(&mut self, hash: u64, key: Key) -> Option<(ObjectKind, Shared)> {
        let at = *self.table.find(hash, |&at| self.slots[at as usize].key == key)?;
        if self.newest != at {
            self.unlink(at);
            self.link_newest(at);
        }
        let slot = &self.slots[at as usize];
        Some((slot.kind, Shared::clone(&slot.bytes)))
    }

    /// Adds an entry and returns what it costs: nothing when it was there already.
    fn put(&mut self, hash: u64, key: Key, kind: ObjectKind, bytes: Shared) -> usize {
        if self.table.find(hash, |&at| self.slots[at as usize].key == key).is_some() {
            return 0;
        }
        let added = cost(&bytes);
        let slot = Slot { key, kind, bytes, older: NONE, newer: NONE };
        let at = match self.free.pop() {
            Some(at) => {
                self.slots[at as usize] = slot;
                at
            }
            None => {
                self.slots.push(slot);
                self.slots.len() as u32 - 1
            }
        };
        let slots = &self.slots;
        let rehash = |&at: &u32| IdBuildHasher::default().hash_one(slots[at as usize].key);
        self.table.insert_unique(hash, at, rehash);
        self.link_newest(at);
        added
    }

    /// Takes out the least recently used entry, unless it is `keep`.
    fn pop_oldest(&mut self, keep: Key) -> Option<Shared> {
        let at = self.oldest;
        let slot = self.slots.get(at as usize)?;
        if slot.key == keep {
            return None;
        }
        let hash = IdBuildHasher::default().hash_one(slot.key);
        self.unlink(at);
        if let Ok(entry) = self.table.find_entry(hash, |&other| other == at) {
            entry.remove();
        }
        self.free.push(at);
        Some(std::mem::take(&mut self.slots[at as usize].bytes))
    }

    fn unlink(&mut self, at: u32) {
        let (older, newer) = (self.slots[at as usize].older, self.slots[at as usize].newer);
        match older {
            NONE => self.oldest = newer,
            older => self.slots[older as usize].newer = newer,
        }
        match newer {
            NONE => self.newest = older,
            newer => self.slots[newer as usize].older = older,
        }
    }

    fn link_newest(&mut self, at: u32) {
        self.slots[at as usize].older = self.newest;
        self.slots[at as usize].newer = NONE;
        match self.newest {
            NONE => self.oldest = at,
            newest => self.slots[newest as usize].newer = at,
        }
        self.newest = at;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn key(offset: u64) -> Key {
        Key { pack: 1, offset }
    }

    fn put(cache: &DeltaCache, offset: u64, len: usize) {
        cache.put(key(offset), ObjectKind::Blob, Arc::new(vec![offset as u8; len]));
    }

    fn held(cache: &DeltaCache) -> usize {
        let sum = |shard: &Mutex<Shard>| -> usize {
            let shard = shard.lock().unwrap();
            shard.table.iter().map(|&at| cost(&shard.slots[at as usize].bytes)).sum()
        };
        cache.shards.iter().map(sum).sum()
    }

    #[test]
    fn what_is_used_stays_and_bytes_are_the_limit() {
        let cache = DeltaCache::new(100_000);
        for offset in 0..10_000 {
            put(&cache, offset, 500);
            put(&cache, 3, 500);
            assert_eq!(cache.get(key(3)).unwrap().1.len(), 500);
            assert_eq!(cache.get(key(offset)).unwrap().1[0], offset as u8);
        }
        assert!(cache.used.load(Ordering::Relaxed) <= 100_000);
        assert!(cache.used.load(Ordering::Relaxed) > 90_000);
        assert_eq!(cache.used.load(Ordering::Relaxed), held(&cache));
        assert!(cache.get(key(5)).is_none());
    }

    #[test]
    fn a_large_object_displaces_small_ones_of_every_shard_and_one_too_large_is_not_kept() {
        let cache = DeltaCache::new(100_000);
        for offset in 0..1000 {
            put(&cache, offset, 500);
        }
        put(&cache, 5000, 49_000);
        assert!(cache.get(key(5000)).is_some());
        assert!(cache.used.load(Ordering::Relaxed) <= 100_000);
        put(&cache, 5001, 100_000);
        assert!(cache.get(key(5001)).is_none());
        assert_eq!(cache.used.load(Ordering::Relaxed), held(&cache));
        let none = DeltaCache::new(0);
        put(&none, 1, 1);
        assert!(none.get(key(1)).is_none());
    }

    #[test]
    fn threads_share_it() {
        let cache = DeltaCache::new(50_000);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let cache = &cache;
                scope.spawn(move || {
                    for i in 0..5000u64 {
                        put(cache, i * 7 % 300 + thread, 400);
                        if let Some((_, bytes)) = cache.get(key(i % 300)) {
                            assert_eq!(bytes[0], (i % 300) as u8);
                        }
                    }
                });
            }
        });
        assert!(held(&cache) <= 50_000);
        assert_eq!(cache.used.load(Ordering::Relaxed), held(&cache));
    }
}
