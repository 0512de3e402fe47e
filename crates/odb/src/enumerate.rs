//! All objects of a store, by id or as they lie.

use std::ops::ControlFlow;

use adit_object::{IdSet, ObjectId, SourceError};

use crate::snapshot::Snapshot;
use crate::store::Store;

/// In which order objects are visited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// By id.
    Id,
    /// Loose objects first, then pack by pack as they lie: the order in which they are read fastest.
    Storage,
}

impl Store {
    /// Calls `each` with every object, those of alternates included, each once, until it breaks.
    pub fn for_each_object(
        &self,
        order: Order,
        mut each: impl FnMut(ObjectId) -> ControlFlow<()>,
    ) -> Result<(), SourceError> {
        let snapshot = self.snapshot();
        for fault in snapshot.all_packs().filter_map(|pack| pack.index().err()) {
            self.note(fault.damage());
        }
        let _ = match order {
            Order::Id => self.for_each_by_id(&snapshot, &mut each)?,
            Order::Storage => self.for_each_as_stored(&snapshot, &mut each)?,
        };
        Ok(())
    }

    /// Merges all places byte by byte of the ids' start, so that no more than a 256th of the ids is held at once.
    fn for_each_by_id(
        &self,
        snapshot: &Snapshot,
        each: &mut impl FnMut(ObjectId) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, SourceError> {
        let mut ids = Vec::new();
        for first in 0..=255 {
            ids.clear();
            for table in snapshot.tables() {
                ids.extend(table.starting_with(first));
            }
            for folder in self.folders() {
                ids.extend(folder.list(first)?);
            }
            ids.sort();
            ids.dedup();
            if ids.iter().try_for_each(|id| each(*id)).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn for_each_as_stored(
        &self,
        snapshot: &Snapshot,
        each: &mut impl FnMut(ObjectId) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, SourceError> {
        let mut seen = IdSet::default();
        for first in 0..=255 {
            for folder in self.folders() {
                for id in folder.list(first)? {
                    if seen.insert(id) && each(id).is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
            }
        }
        let several = snapshot.all_packs().count() > 1;
        for pack in snapshot.all_packs() {
            let Some(index) = pack.index_or_none() else { continue };
            let reverse = pack.reverse().map_err(|fault| fault.for_object(None))?;
            for rank in 0..index.count() {
                let position = reverse.position(rank);
                if position >= index.count() {
                    let what = "reverse-index file has a position outside the index";
                    return Err(
                        crate::fault::Fault::bad(&pack.path().with_extension("rev"), what).for_object(None)
                    );
                }
                let id = index.id(position);
                let new = if several { seen.insert(id) } else { !seen.contains(&id) };
                if new && each(id).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}
