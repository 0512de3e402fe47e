//! What can be said of all objects without unpacking them.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use adit_object::{ObjectId, ObjectKind, SourceError};

use super::plan::{Chunk, Item, PackPlan};
use super::{BulkRead, cores};
use crate::enumerate::Order;
use crate::fault::Fault;
use crate::info::{Info, Want};
use crate::pack::entry::Storage;
use crate::store::Store;

impl Store {
    /// Hands the info of every object, those of alternates included, to `each`, which may break. Replacements do not
    /// apply.
    ///
    /// # Errors
    /// When the objects cannot be listed. What is wrong with a single object goes to `each`.
    pub fn info_all(
        &self,
        order: Order,
        want: Want,
        each: impl FnMut(&ObjectId, Result<Info, SourceError>) -> ControlFlow<()>,
    ) -> Result<(), SourceError> {
        let bulk = self.bulk_all()?;
        Survey { bulk: &bulk, want }.run(order, each);
        Ok(())
    }
}

struct Survey<'a> {
    bulk: &'a BulkRead<'a>,
    want: Want,
}

/// What was found, by place in the pack's index; threads fill it together. A column that is not wanted is empty.
struct Columns {
    /// The size, and the number of the kind in the lowest bits. Nothing yet, or damage, is [`UNKNOWN`].
    sizes: Vec<AtomicU64>,
    disk_sizes: Vec<AtomicU64>,
    /// The place of the delta base; [`NO_BASE`] for none.
    bases: Vec<AtomicU32>,
}

const UNKNOWN: u64 = u64::MAX;
const NO_BASE: u32 = u32::MAX;
const KIND_BITS: u32 = 3;

const KINDS: [ObjectKind; 4] = [ObjectKind::Commit, ObjectKind::Tree, ObjectKind::Blob, ObjectKind::Tag];

impl Survey<'_> {
    fn run(
        &self,
        order: Order,
        mut each: impl FnMut(&ObjectId, Result<Info, SourceError>) -> ControlFlow<()>,
    ) {
        let plan = &self.bulk.plan;
        let columns: Vec<Columns> = plan.packs.iter().map(|pack| self.columns(pack)).collect();
        self.fill(&columns);
        let mut show = |id: Option<&ObjectId>, place: Option<(u32, u32)>| match (id, place) {
            (_, Some((n, position))) => {
                let (id, info) = self.packed(&plan.packs[n as usize], &columns[n as usize], position);
                each(&id, info)
            }
            (Some(id), None) => each(id, self.ask(id)),
            (None, None) => ControlFlow::Continue(()),
        };
        let _ = match order {
            Order::Id if plan.packs.len() == 1 && plan.loose.is_empty() => {
                // The index has all of them in order.
                (0..plan.packs[0].items.len() as u32).try_for_each(|position| show(None, Some((0, position))))
            }
            Order::Id => self.by_id().iter().try_for_each(|(id, place)| show(Some(id), *place)),
            Order::Storage => {
                let packs = plan.packs.iter().zip(0..);
                let mut packed =
                    packs.flat_map(|(pack, n)| pack.items.iter().map(move |item| (n, item.position)));
                let loose = plan.loose.iter().try_for_each(|id| show(Some(id), None));
                if loose.is_continue() { packed.try_for_each(|place| show(None, Some(place))) } else { loose }
            }
        };
    }

    /// Every object by id, with the number of its pack and its place in the pack's index.
    fn by_id(&self) -> Vec<(ObjectId, Option<(u32, u32)>)> {
        let plan = &self.bulk.plan;
        let mut all: Vec<_> = Vec::with_capacity(plan.len());
        for (pack, n) in plan.packs.iter().zip(0..) {
            let Some(index) = pack.pack.index_or_none() else { continue };
            all.extend(pack.items.iter().map(|item| (index.id(item.position), Some((n, item.position)))));
        }
        all.extend(plan.loose.iter().map(|id| (*id, None)));
        all.sort_unstable_by_key(|(id, _)| *id);
        all
    }

    fn ask(&self, id: &ObjectId) -> Result<Info, SourceError> {
        self.bulk.store.info_raw(id, self.want).and_then(|info| info.ok_or(SourceError::Missing(*id)))
    }

    fn packed(
        &self,
        plan: &PackPlan,
        columns: &Columns,
        position: u32,
    ) -> (ObjectId, Result<Info, SourceError>) {
        let Some(index) = plan.pack.index_or_none() else {
            let id = ObjectId::null(self.bulk.store.format);
            return (id, Err(SourceError::Missing(id)));
        };
        let id = index.id(position);
        let info = columns.info(position as usize, |base| index.id(base));
        // Damage is looked into by the store, which finds another copy or says what is wrong.
        (id, info.map_or_else(|| self.ask(&id), Ok))
    }

    /// Whether the objects themselves must be looked at; sizes on disk stand in the tables.
    fn is_heavy(&self) -> bool {
        self.want.kind || self.want.size || self.want.delta_base
    }

    fn columns(&self, plan: &PackPlan) -> Columns {
        let count = plan.pack.index_or_none().map_or(0, |index| index.count() as usize);
        let rows = |wanted| if wanted { count } else { 0 };
        Columns {
            sizes: (0..rows(self.is_heavy())).map(|_| AtomicU64::new(UNKNOWN)).collect(),
            disk_sizes: (0..rows(self.want.disk_size)).map(|_| AtomicU64::new(UNKNOWN)).collect(),
            bases: (0..rows(self.want.delta_base)).map(|_| AtomicU32::new(NO_BASE)).collect(),
        }
    }

    /// Looks at all objects in packs, on several threads where there is something to look at.
    fn fill(&self, columns: &[Columns]) {
        let plan = &self.bulk.plan;
        if self.want.disk_size {
            for (pack, columns) in plan.packs.iter().zip(columns) {
                for (at, item) in pack.items.iter().enumerate() {
                    let size = pack.disk_size(at).unwrap_or(UNKNOWN);
                    columns.disk_sizes[item.position as usize].store(size, Ordering::Relaxed);
                }
            }
        }
        if !self.is_heavy() {
            return;
        }
        let chunks = Mutex::new(plan.chunks().into_iter());
        let work = || {
            loop {
                let chunk = chunks.lock().unwrap_or_else(PoisonError::into_inner).next();
                match chunk {
                    Some(Chunk::Packed(n, range)) => {
                        self.look_at_run(&plan.packs[n], &plan.packs[n].items[range], &columns[n]);
                    }
                    Some(Chunk::Loose(_)) => {}
                    None => return,
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..cores() {
                scope.spawn(work);
            }
            work();
        });
    }

    fn look_at_run(&self, plan: &PackPlan, run: &[Item], columns: &Columns) {
        let mut kinds = Vec::with_capacity(run.len());
        for item in run {
            let found = self.look(plan, run, item, &kinds, columns);
            let (kind, word) = match found {
                Ok((kind, size)) if size >> (64 - KIND_BITS) == 0 => {
                    (Some(kind), size << KIND_BITS | kind.map_or(KINDS.len(), |kind| kind as usize) as u64)
                }
                _ => (None, UNKNOWN),
            };
            columns.sizes[item.position as usize].store(word, Ordering::Relaxed);
            kinds.push(kind.flatten());
        }
    }

    /// The kind and size of one object of a run; `kinds` are those of the objects before it.
    fn look(
        &self,
        plan: &PackPlan,
        run: &[Item],
        item: &Item,
        kinds: &[Option<ObjectKind>],
        columns: &Columns,
    ) -> Result<(Option<ObjectKind>, u64), Fault> {
        let pack = &plan.pack;
        let entry = pack.entry(item.offset)?;
        let size = if self.want.size { pack.size_of(item.offset, &entry)? } else { 0 };
        let base = match entry.storage {
            Storage::Whole(kind) => return Ok((Some(kind), size)),
            Storage::Delta(base) => pack.base_offset(item.offset, base)?,
        };
        let here = run[..kinds.len()].binary_search_by_key(&base, |item| item.offset).ok();
        if self.want.delta_base {
            let position = match here {
                Some(here) => run[here].position,
                None => pack.position_at(base)?,
            };
            columns.bases[item.position as usize].store(position, Ordering::Relaxed);
        }
        if !self.want.kind {
            return Ok((None, size));
        }
        let kind = match here.and_then(|here| kinds[here]) {
            Some(kind) => kind,
            None => pack.kind(base, &self.bulk.store.kinds)?,
        };
        Ok((Some(kind), size))
    }
}

impl PackPlan {
    /// How many bytes the object at place `at` takes in the pack.
    fn disk_size(&self, at: usize) -> Result<u64, Fault> {
        let offset = self.items[at].offset;
        if self.items.len() != self.pack.index()?.count() as usize {
            return self.pack.disk_size(offset);
        }
        let end = match self.items.get(at + 1) {
            Some(next) => next.offset,
            None => self.pack.data()?.len() as u64,
        };
        end.checked_sub(offset)
            .ok_or_else(|| self.pack.bad_at(offset, "the object after it does not follow it"))
    }
}

impl Columns {
    /// The row at `position`; `None` when it could not be filled.
    fn info(&self, position: usize, id: impl Fn(u32) -> ObjectId) -> Option<Info> {
        let mut info = Info::default();
        if let Some(word) = self.sizes.get(position) {
            let word = word.load(Ordering::Relaxed);
            if word == UNKNOWN {
                return None;
            }
            info.kind = KINDS.get((word & ((1 << KIND_BITS) - 1)) as usize).copied();
            info.size = word >> KIND_BITS;
        }
        if let Some(size) = self.disk_sizes.get(position) {
            info.disk_size = size.load(Ordering::Relaxed);
            if info.disk_size == UNKNOWN {
                return None;
            }
        }
        if let Some(base) = self.bases.get(position) {
            let base = base.load(Ordering::Relaxed);
            info.delta_base = (base != NO_BASE).then(|| id(base));
        }
        Some(info)
    }
}
