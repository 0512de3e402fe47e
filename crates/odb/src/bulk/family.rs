//! Reading a run of objects in the order in which they lie, with each base at hand while objects are built on it.

use std::sync::Arc;

use adit_object::{ObjectKind, Shared, SourceError};

use super::plan::Item;
use crate::fault::Fault;
use crate::pack::Pack;
use crate::pack::entry::{Entry, Storage};
use crate::store::Store;

/// Bases that are held may take this much over all threads. What has to go is built again from the pack.
const HELD_LIMIT: usize = 64 << 20;

/// What an object of a run is built from.
#[derive(Clone, Copy)]
enum Source {
    /// Its own data.
    Whole(ObjectKind),
    /// The object at this place of the run, and its offset.
    Here(u32, u64),
    /// The object at this offset, which is not part of the run.
    Elsewhere(u64),
}

/// The buffers of one thread.
pub(super) struct RunReader {
    entries: Vec<Option<(Entry, Source)>>,
    /// How many objects of the run still need this one.
    wanted: Vec<u32>,
    held: Vec<Option<(ObjectKind, Shared)>>,
    held_len: usize,
    held_limit: usize,
    /// Nothing is held below this place.
    first_held: usize,
    last: Vec<u8>,
}

/// An object that was read: held for others to build on, or in the reader's own buffer.
pub(super) enum Content<'a> {
    Shared(Shared),
    Borrowed(&'a mut Vec<u8>),
}

impl RunReader {
    /// The reader of one of so many threads.
    pub(super) fn one_of(threads: usize) -> Self {
        RunReader {
            entries: Vec::new(),
            wanted: Vec::new(),
            held: Vec::new(),
            held_len: 0,
            held_limit: HELD_LIMIT / threads.max(1),
            first_held: 0,
            last: Vec::new(),
        }
    }

    /// Reads `items`, which are sorted by offset, and hands over each as `(place, kind and content)` until `each` says no.
    pub(super) fn read(
        &mut self,
        store: &Store,
        pack: &Pack,
        items: &[Item],
        mut each: impl FnMut(Item, Result<(ObjectKind, Content<'_>), SourceError>) -> bool,
    ) -> bool {
        self.look(pack, items);
        for (n, item) in items.iter().enumerate() {
            let read = self.read_one(store, pack, n, item);
            let go_on = match read {
                Ok((kind, Some(shared))) => each(*item, Ok((kind, Content::Shared(shared)))),
                Ok((kind, None)) => each(*item, Ok((kind, Content::Borrowed(&mut self.last)))),
                // Other copies, and bases elsewhere, are the store's business.
                Err(fault) => {
                    let id = pack.index_or_none().map(|index| index.id(item.position));
                    let read = id.map(|id| store.try_read_raw(&id, &mut self.last));
                    match read {
                        Some(Ok(Some(kind))) => each(*item, Ok((kind, Content::Borrowed(&mut self.last)))),
                        Some(Err(error)) => each(*item, Err(error)),
                        _ => each(*item, Err(fault.for_object(id.as_ref()))),
                    }
                }
            };
            if !go_on {
                return false;
            }
        }
        true
    }

    /// Finds out what builds on what.
    fn look(&mut self, pack: &Pack, items: &[Item]) {
        self.entries.clear();
        self.wanted.clear();
        self.wanted.resize(items.len(), 0);
        self.held.clear();
        self.held.resize(items.len(), None);
        (self.held_len, self.first_held) = (0, 0);
        for (n, item) in items.iter().enumerate() {
            let entry = pack.entry(item.offset).and_then(|entry| {
                let source = match entry.storage {
                    Storage::Whole(kind) => Source::Whole(kind),
                    Storage::Delta(base) => {
                        let base = pack.base_offset(item.offset, base)?;
                        match items[..n].binary_search_by_key(&base, |item| item.offset) {
                            Ok(at) => Source::Here(at as u32, base),
                            Err(_) => Source::Elsewhere(base),
                        }
                    }
                };
                Ok((entry, source))
            });
            if let Ok((_, Source::Here(base, _))) = entry {
                self.wanted[base as usize] += 1;
            }
            self.entries.push(entry.ok());
        }
    }

    /// Reads the object at place `n`, into `self.last` unless others want it.
    fn read_one(
        &mut self,
        store: &Store,
        pack: &Pack,
        n: usize,
        item: &Item,
    ) -> Result<(ObjectKind, Option<Shared>), Fault> {
        let Some((entry, source)) = self.entries[n] else {
            return Err(pack.bad_at(item.offset, "object header is damaged"));
        };
        let shared = self.wanted[n] > 0;
        let mut new = Vec::new();
        let out = if shared { &mut new } else { &mut self.last };
        let kind = match source {
            Source::Whole(kind) => {
                pack.inflate(item.offset, &entry, out)?;
                kind
            }
            Source::Here(base, offset) => {
                let base = base as usize;
                self.wanted[base] -= 1;
                let (kind, bytes) = match &self.held[base] {
                    Some((kind, bytes)) => (*kind, Arc::clone(bytes)),
                    None => pack.share_base(offset, &store.cache)?,
                };
                pack.apply(item.offset, &entry, &bytes, out)?;
                if self.wanted[base] == 0
                    && let Some((_, bytes)) = self.held[base].take()
                {
                    self.held_len -= bytes.len();
                }
                kind
            }
            Source::Elsewhere(base) => {
                let (kind, bytes) = pack.share_base(base, &store.cache)?;
                pack.apply(item.offset, &entry, &bytes, out)?;
                kind
            }
        };
        if !shared {
            return Ok((kind, None));
        }
        let new = Arc::new(new);
        self.hold(n, kind, &new);
        Ok((kind, Some(new)))
    }

    fn hold(&mut self, n: usize, kind: ObjectKind, bytes: &Shared) {
        self.held_len += bytes.len();
        self.held[n] = Some((kind, Arc::clone(bytes)));
        while self.held_len > self.held_limit && self.first_held < n {
            if let Some((_, bytes)) = self.held[self.first_held].take() {
                self.held_len -= bytes.len();
            }
            self.first_held += 1;
        }
    }
}
