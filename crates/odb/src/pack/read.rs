//! Reading objects out of a pack: chains of deltas are followed down to what is whole or cached, then built up again.
//!
//! Nothing here recurses, so a chain may be as long as it likes; one that loops is longer than the pack has objects.

use std::cell::Cell;
use std::sync::Arc;

use adit_object::{ObjectKind, Shared, zlib};
use smallvec::SmallVec;

use super::Pack;
use super::delta::{self, Sizes};
use super::entry::{Entry, Storage};
use crate::delta_cache::{DeltaCache, Key};
use crate::fault::Fault;
use crate::kind_cache::KindCache;

/// A delta of at most this many bytes is inflated whole to read its sizes; that is faster than to start a stream.
const SMALL_DELTA: u64 = 1 << 10;

/// Scratch buffers up to this size are kept for the next read.
const KEPT_SCRATCH: usize = 4 << 20;

thread_local! {
    static SCRATCH: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Lends this thread's scratch buffer, which comes with whatever was left in it.
fn with_scratch<T>(work: impl FnOnce(&mut Vec<u8>) -> T) -> T {
    let mut scratch = SCRATCH.take();
    let result = work(&mut scratch);
    if scratch.capacity() <= KEPT_SCRATCH {
        SCRATCH.set(scratch);
    }
    result
}

impl Pack {
    fn key(&self, offset: u64) -> Key {
        Key { pack: self.number(), offset }
    }

    /// Reads the object at `offset` into `out`.
    pub(crate) fn read_into(
        &self,
        offset: u64,
        cache: &DeltaCache,
        out: &mut Vec<u8>,
    ) -> Result<ObjectKind, Fault> {
        if let Some((kind, bytes)) = cache.get(self.key(offset)) {
            out.clear();
            out.extend_from_slice(&bytes);
            return Ok(kind);
        }
        let kind = self.build(offset, cache, out)?;
        // Trees are asked for again, by the commit before or as a base, and are small.
        if kind == ObjectKind::Tree && cache.takes(out.len()) {
            cache.put(self.key(offset), kind, Arc::new(out.clone()));
        }
        Ok(kind)
    }

    /// Reads the object at `offset`, and shares it with the cache if it has it, or is to have it.
    pub(crate) fn share(&self, offset: u64, cache: &DeltaCache) -> Result<(ObjectKind, Shared), Fault> {
        if let Some(hit) = cache.get(self.key(offset)) {
            return Ok(hit);
        }
        let mut bytes = Vec::new();
        let kind = self.build(offset, cache, &mut bytes)?;
        let bytes = Arc::new(bytes);
        if kind == ObjectKind::Tree {
            cache.put(self.key(offset), kind, Arc::clone(&bytes));
        }
        Ok((kind, bytes))
    }

    /// Makes the object at `offset`, which is not in the cache; its bases go there.
    fn build(&self, offset: u64, cache: &DeltaCache, out: &mut Vec<u8>) -> Result<ObjectKind, Fault> {
        let entry = self.entry(offset)?;
        match entry.storage {
            Storage::Whole(kind) => {
                self.inflate(offset, &entry, out)?;
                Ok(kind)
            }
            Storage::Delta(base) => {
                let base = self.base_offset(offset, base)?;
                let (kind, base) = self.share_base(base, cache)?;
                self.apply(offset, &entry, &base, out)?;
                Ok(kind)
            }
        }
    }

    /// Reads the object at `offset` as a base of others: it, and all that it is built from, goes to the cache.
    pub(crate) fn share_base(&self, offset: u64, cache: &DeltaCache) -> Result<(ObjectKind, Shared), Fault> {
        let mut pending: SmallVec<[(u64, Entry); 16]> = SmallVec::new();
        let mut at = offset;
        let (kind, mut bytes) = loop {
            if let Some(hit) = cache.get(self.key(at)) {
                break hit;
            }
            let entry = self.entry(at)?;
            match entry.storage {
                Storage::Whole(kind) => {
                    let mut bytes = Vec::new();
                    self.inflate(at, &entry, &mut bytes)?;
                    let bytes = Arc::new(bytes);
                    cache.put(self.key(at), kind, Arc::clone(&bytes));
                    break (kind, bytes);
                }
                Storage::Delta(base) => {
                    self.check_chain(at, pending.len())?;
                    pending.push((at, entry));
                    at = self.base_offset(at, base)?;
                }
            }
        };
        while let Some((at, entry)) = pending.pop() {
            let mut next = Vec::new();
            self.apply(at, &entry, &bytes, &mut next)?;
            bytes = Arc::new(next);
            cache.put(self.key(at), kind, Arc::clone(&bytes));
        }
        Ok((kind, bytes))
    }

    /// Refuses a chain with more deltas than the pack has objects.
    fn check_chain(&self, offset: u64, len: usize) -> Result<(), Fault> {
        if len > self.index()?.count() as usize {
            return Err(self.bad_at(offset, "delta chain loops"));
        }
        Ok(())
    }

    /// Makes the object of the delta at `offset` from its base.
    pub(crate) fn apply(
        &self,
        offset: u64,
        entry: &Entry,
        base: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), Fault> {
        with_scratch(|delta| {
            self.inflate(offset, entry, delta)?;
            delta::apply(base, delta, out).map_err(|what| self.bad_at(offset, what))
        })
    }

    /// The offsets of the object at `offset` and of its bases, as far as they can be followed.
    pub(crate) fn chain(&self, offset: u64) -> Vec<(u64, Entry)> {
        let mut chain = Vec::new();
        let mut at = offset;
        while let Ok(entry) = self.entry(at) {
            if self.check_chain(at, chain.len()).is_err() {
                break;
            }
            chain.push((at, entry));
            let Storage::Delta(base) = entry.storage else { break };
            match self.base_offset(at, base) {
                Ok(base) => at = base,
                Err(_) => break,
            }
        }
        chain
    }

    /// The kind of the object at `offset`: that of the whole object at the end of its chain.
    pub(crate) fn kind(&self, offset: u64, kinds: &KindCache) -> Result<ObjectKind, Fault> {
        let mut passed: SmallVec<[u64; 16]> = SmallVec::new();
        let mut at = offset;
        let kind = loop {
            if let Some(kind) = kinds.get(self.key(at)) {
                break kind;
            }
            let entry = self.entry(at)?;
            match entry.storage {
                Storage::Whole(kind) => break kind,
                Storage::Delta(base) => {
                    self.check_chain(at, passed.len())?;
                    passed.push(at);
                    at = self.base_offset(at, base)?;
                }
            }
        };
        for at in passed {
            kinds.put(self.key(at), kind);
        }
        Ok(kind)
    }

    /// The size of the object at `offset`. Of a delta, just its first bytes are needed.
    pub(crate) fn size(&self, offset: u64) -> Result<u64, Fault> {
        self.size_of(offset, &self.entry(offset)?)
    }

    /// The size of the object at `offset`, whose header is `entry`.
    pub(crate) fn size_of(&self, offset: u64, entry: &Entry) -> Result<u64, Fault> {
        if !entry.is_delta() {
            return Ok(entry.size);
        }
        with_scratch(|delta| {
            let data = &self.data()?[entry.data as usize..];
            if entry.size <= SMALL_DELTA {
                self.inflate(offset, entry, delta)?;
            } else {
                delta.resize(Sizes::MAX_LEN, 0);
                let len = zlib::inflate_prefix(data, delta).map_err(|error| self.bad_at(offset, error))?;
                delta.truncate(len);
            }
            let sizes = Sizes::parse(delta).map_err(|what| self.bad_at(offset, what))?;
            Ok(sizes.result)
        })
    }
}
