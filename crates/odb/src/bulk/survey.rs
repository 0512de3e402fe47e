//! What can be said of all objects without unpacking them.

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use adit_object::{ObjectId, ObjectKind, SourceError};

use super::plan::{Chunk, Item, PackPlan};
use super::{BulkRead, cores};
use crate::enumerate::Order;
use crate::fault::Fault;
use crate::info::{Info, Want};
use crate::pack::entry::Storage;
use crate::store::Store;

/// The info of an object in a pack, small enough to keep one for each object.
#[derive(Debug, Clone, Copy)]
struct Row {
    size: u64,
    disk_size: u64,
    /// The place in the index of its delta base.
    base: Option<u32>,
    kind: Option<ObjectKind>,
    /// It could not be looked at here; the store is asked again, and says why.
    failed: bool,
}

const EMPTY: Row = Row { size: 0, disk_size: 0, base: None, kind: None, failed: false };

impl Store {
    /// Hands the info of every object, those of alternates included, to `each`, which may break. Replacements do not
    /// apply.
    pub fn info_all(
        &self,
        order: Order,
        want: Want,
        each: impl FnMut(&ObjectId, Result<Info, SourceError>) -> ControlFlow<()>,
    ) -> Result<(), SourceError> {
        let bulk = self.bulk_all()?;
        // Sizes on disk stand in the tables alone; the rest needs a look at each object.
        let heavy = want.kind || want.size || want.delta_base;
        let threads = if heavy { cores() } else { 1 };
        Survey { bulk: &bulk, want }.run(order, threads, each);
        Ok(())
    }
}

struct Survey<'a> {
    bulk: &'a BulkRead<'a>,
    want: Want,
}

impl Survey<'_> {
    fn run(
        &self,
        order: Order,
        threads: usize,
        mut each: impl FnMut(&ObjectId, Result<Info, SourceError>) -> ControlFlow<()>,
    ) {
        let plan = &self.bulk.plan;
        let tables = self.tables(threads);
        let packed = |n: usize, item: usize| self.packed(&plan.packs[n], &tables[n], item);
        let loose = |id: &ObjectId| {
            self.bulk.store.info_raw(id, self.want).and_then(|info| info.ok_or(SourceError::Missing(*id)))
        };
        if order == Order::Storage {
            let _ = plan.loose.iter().try_for_each(|id| each(id, loose(id)));
            for (n, pack) in plan.packs.iter().enumerate() {
                for item in 0..pack.items.len() {
                    let (id, info) = packed(n, item);
                    if each(&id, info).is_break() {
                        return;
                    }
                }
            }
            return;
        }
        for (id, place) in self.by_id() {
            let info = match place {
                None => loose(&id),
                Some((n, item)) => packed(n as usize, item as usize).1,
            };
            if each(&id, info).is_break() {
                return;
            }
        }
    }

    /// Every object by id, with its pack and its place among the pack's objects.
    fn by_id(&self) -> Vec<(ObjectId, Option<(u32, u32)>)> {
        let plan = &self.bulk.plan;
        let mut all: Vec<_> = Vec::with_capacity(plan.len());
        for (n, pack) in plan.packs.iter().enumerate() {
            let Some(index) = pack.pack.index_or_none() else { continue };
            // The index is sorted already: the places are, with no comparison, too.
            let mut places = vec![u32::MAX; index.count() as usize];
            for (item, place) in pack.items.iter().zip(0..) {
                places[item.position as usize] = place;
            }
            let listed = places.into_iter().zip(0..).filter(|(place, _)| *place != u32::MAX);
            all.extend(listed.map(|(place, position)| (index.id(position), Some((n as u32, place)))));
        }
        all.extend(plan.loose.iter().map(|id| (*id, None)));
        if plan.packs.len() > 1 || !plan.loose.is_empty() {
            // Runs that are sorted already are merged.
            all.sort_by_key(|(id, _)| *id);
        }
        all
    }

    /// The rows of all packs' objects, filled by several threads.
    fn tables(&self, threads: usize) -> Vec<Vec<Row>> {
        let plan = &self.bulk.plan;
        let mut tables: Vec<Vec<Row>> = plan.packs.iter().map(|pack| vec![EMPTY; pack.items.len()]).collect();
        let mut rest: Vec<&mut [Row]> = tables.iter_mut().map(|table| &mut table[..]).collect();
        let mut runs = Vec::new();
        for chunk in plan.chunks() {
            let Chunk::Packed(n, range) = chunk else { continue };
            let (rows, after) = std::mem::take(&mut rest[n]).split_at_mut(range.len());
            rest[n] = after;
            runs.push((&plan.packs[n], range, rows));
        }
        let runs = Mutex::new(runs.into_iter());
        let work = || {
            loop {
                let run = runs.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some((pack, range, rows)) = run else { return };
                self.fill(pack, range, rows);
            }
        };
        if threads == 1 {
            work();
        } else {
            std::thread::scope(|scope| {
                for _ in 1..threads {
                    scope.spawn(work);
                }
                work();
            });
        }
        drop(runs);
        tables
    }

    /// Looks at a run of objects.
    fn fill(&self, plan: &PackPlan, range: std::ops::Range<usize>, rows: &mut [Row]) {
        for n in 0..rows.len() {
            let at = range.start + n;
            rows[n] = self
                .look(plan, &plan.items[range.clone()], at, &rows[..n])
                .unwrap_or(Row { failed: true, ..EMPTY });
        }
    }

    /// Looks at the object `at` of the pack; `before` are the rows of the run before it.
    fn look(&self, plan: &PackPlan, run: &[Item], at: usize, before: &[Row]) -> Result<Row, Fault> {
        let pack = &plan.pack;
        let offset = plan.items[at].offset;
        let mut row = EMPTY;
        if self.want.disk_size {
            row.disk_size = self.disk_size(plan, at)?;
        }
        if !(self.want.kind || self.want.size || self.want.delta_base) {
            return Ok(row);
        }
        let entry = pack.entry(offset)?;
        if self.want.size {
            row.size = pack.size_of(offset, &entry)?;
        }
        match entry.storage {
            Storage::Whole(kind) => row.kind = Some(kind),
            Storage::Delta(base) => {
                let base = pack.base_offset(offset, base)?;
                let here = run[..before.len()].binary_search_by_key(&base, |item| item.offset).ok();
                if self.want.kind {
                    row.kind = match here.and_then(|here| before[here].kind) {
                        Some(kind) => Some(kind),
                        None => Some(pack.kind(base, &self.bulk.store.kinds)?),
                    };
                }
                if self.want.delta_base {
                    row.base = Some(match here {
                        Some(here) => run[here].position,
                        None => pack.position_at(base)?,
                    });
                }
            }
        }
        Ok(row)
    }

    fn disk_size(&self, plan: &PackPlan, at: usize) -> Result<u64, Fault> {
        let pack = &plan.pack;
        let offset = plan.items[at].offset;
        if plan.items.len() != pack.index()?.count() as usize {
            return pack.disk_size(offset);
        }
        let end = match plan.items.get(at + 1) {
            Some(next) => next.offset,
            None => pack.data()?.len() as u64,
        };
        end.checked_sub(offset).ok_or_else(|| pack.bad_at(offset, "the object after it does not follow it"))
    }

    fn packed(&self, plan: &PackPlan, rows: &[Row], item: usize) -> (ObjectId, Result<Info, SourceError>) {
        let row = &rows[item];
        let Some(index) = plan.pack.index_or_none() else {
            let id = ObjectId::null(self.bulk.store.format);
            return (id, Err(SourceError::Missing(id)));
        };
        let id = index.id(plan.items[item].position);
        if row.failed {
            let info = self.bulk.store.info_raw(&id, self.want);
            return (id, info.and_then(|info| info.ok_or(SourceError::Missing(id))));
        }
        let delta_base = row.base.map(|position| index.id(position));
        (id, Ok(Info { kind: row.kind, size: row.size, disk_size: row.disk_size, delta_base }))
    }
}
