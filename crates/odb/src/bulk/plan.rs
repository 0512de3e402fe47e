//! Which objects to read, in the order in which they lie, and where that order is cut so that threads can share it.

use std::ops::Range;
use std::sync::Arc;

use adit_object::{IdSet, ObjectId, SourceError};

use crate::fault::Fault;
use crate::pack::Pack;
use crate::snapshot::Snapshot;
use crate::store::Store;

/// A cut is made at the first whole object after this many: families of deltas start with one.
const CHUNK: usize = 512;

/// A cut is made here even inside a family.
const MOST: usize = 8 * CHUNK;

/// An object in a pack.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    pub(super) offset: u64,
    /// Its place in the pack's index.
    pub(super) position: u32,
}

/// What is read, pack by pack.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(super) loose: Vec<ObjectId>,
    pub(super) packs: Vec<PackPlan>,
}

/// The objects of one pack, by offset.
#[derive(Debug)]
pub(super) struct PackPlan {
    pub(super) pack: Arc<Pack>,
    pub(super) items: Vec<Item>,
}

/// A run of objects that one thread reads.
#[derive(Debug, Clone)]
pub(super) enum Chunk {
    Loose(Range<usize>),
    Packed(usize, Range<usize>),
}

impl Plan {
    /// Every object, each once: the loose ones first.
    pub(crate) fn all(store: &Store) -> Result<Plan, SourceError> {
        let snapshot = store.snapshot();
        let mut plan = Plan::default();
        for first in 0..=255 {
            let from = plan.loose.len();
            for folder in store.folders() {
                plan.loose.extend(folder.list(first)?);
            }
            plan.loose[from..].sort_unstable();
        }
        plan.loose.dedup();
        let mut seen: IdSet = plan.loose.iter().copied().collect();
        let several = snapshot.all_packs().count() > 1;
        for pack in snapshot.all_packs() {
            let index = match pack.index() {
                Ok(index) => index,
                Err(fault) => {
                    store.note(fault.damage());
                    continue;
                }
            };
            let mut items = pack.items()?;
            if several {
                items.retain(|item| seen.insert(index.id(item.position)));
            } else if !seen.is_empty() {
                items.retain(|item| !seen.contains(&index.id(item.position)));
            }
            plan.packs.push(PackPlan { pack: Arc::clone(pack), items });
        }
        Ok(plan)
    }

    /// The objects of promisor packs. A pack whose tables are damaged is left out.
    pub(crate) fn promisor_packs(snapshot: &Snapshot) -> Plan {
        let packs = snapshot.all_packs().filter(|pack| pack.marks().promisor);
        let plan = |pack: &Arc<Pack>| Some(PackPlan { items: pack.items().ok()?, pack: Arc::clone(pack) });
        Plan { loose: Vec::new(), packs: packs.filter_map(plan).collect() }
    }

    /// The objects of `ids` that are here, and those that are not in any pack that is known (they may be loose).
    pub(crate) fn of(snapshot: &Snapshot, ids: impl IntoIterator<Item = ObjectId>) -> Plan {
        let mut plan = Plan::default();
        let mut by_number: hashbrown::HashMap<u32, usize> = hashbrown::HashMap::new();
        for id in ids {
            let found = snapshot.find(&id).and_then(|(pack, offset)| {
                let position = pack.index_or_none()?.find(&id)?;
                Some((pack, Item { offset, position }))
            });
            let Some((pack, item)) = found else {
                plan.loose.push(id);
                continue;
            };
            let n = *by_number.entry(pack.number()).or_insert_with(|| {
                plan.packs.push(PackPlan { pack: Arc::clone(pack), items: Vec::new() });
                plan.packs.len() - 1
            });
            plan.packs[n].items.push(item);
        }
        for pack in &mut plan.packs {
            pack.items.sort_unstable_by_key(|item| item.offset);
            pack.items.dedup_by_key(|item| item.offset);
        }
        plan.loose.sort_unstable();
        plan.loose.dedup();
        plan
    }

    /// How many objects are to be read.
    pub(crate) fn len(&self) -> usize {
        self.loose.len() + self.packs.iter().map(|pack| pack.items.len()).sum::<usize>()
    }

    /// The runs that threads take one after the other.
    pub(super) fn chunks(&self) -> Vec<Chunk> {
        let mut chunks: Vec<Chunk> = (0..self.loose.len())
            .step_by(CHUNK)
            .map(|at| Chunk::Loose(at..(at + CHUNK).min(self.loose.len())))
            .collect();
        for (n, pack) in self.packs.iter().enumerate() {
            let mut start = 0;
            while start < pack.items.len() {
                let end = pack.cut(start);
                chunks.push(Chunk::Packed(n, start..end));
                start = end;
            }
        }
        chunks
    }
}

impl PackPlan {
    /// Where the run that starts at `start` ends.
    fn cut(&self, start: usize) -> usize {
        let most = (start + MOST).min(self.items.len());
        let from = (start + CHUNK).min(most);
        let whole = |item: &Item| !self.pack.entry(item.offset).is_ok_and(|entry| entry.is_delta());
        self.items[from..most].iter().position(whole).map_or(most, |n| from + n)
    }
}

impl Pack {
    /// All objects as they lie.
    fn items(&self) -> Result<Vec<Item>, SourceError> {
        let failed = |fault: Fault| fault.for_object(None);
        let index = self.index().map_err(failed)?;
        let reverse = self.reverse().map_err(failed)?;
        let item = |rank| {
            let position = reverse.position(rank);
            let offset = reverse.offset(index, rank);
            offset.map(|offset| Item { offset, position }).ok_or_else(|| {
                let what = "reverse-index file has a position outside the index";
                failed(Fault::bad(&self.path().with_extension("rev"), what))
            })
        };
        (0..index.count()).map(item).collect()
    }
}
