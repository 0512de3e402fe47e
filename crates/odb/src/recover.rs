//! Reading an object whose delta base is damaged, from a copy of the base elsewhere.

use adit_object::{ObjectId, ObjectKind, SourceError};

use crate::pack::Pack;
use crate::pack::entry::{Base, Entry, Storage};
use crate::snapshot::Snapshot;
use crate::store::{Location, Store};

/// How many damaged packs are worked around for one object.
const MAX_PACKS: usize = 8;

impl Store {
    /// Every copy of `id` is damaged or built on something damaged, as `failed` says. A copy of one of the objects in a
    /// chain of deltas may be sound elsewhere, and what is above it can be built again.
    #[cold]
    pub(crate) fn read_through_damage(
        &self,
        id: &ObjectId,
        out: &mut Vec<u8>,
        failed: Result<Option<ObjectKind>, SourceError>,
    ) -> Result<Option<ObjectKind>, SourceError> {
        match self.rebuild(&self.snapshot(), id, &mut Vec::new()) {
            Some((kind, bytes)) => {
                *out = bytes;
                Ok(Some(kind))
            }
            None => failed,
        }
    }

    /// Reads `id` from any place but the packs in `damaged`. Each level of recursion adds a pack to them.
    fn rebuild(
        &self,
        snapshot: &Snapshot,
        id: &ObjectId,
        damaged: &mut Vec<u32>,
    ) -> Option<(ObjectKind, Vec<u8>)> {
        let mut bytes = Vec::new();
        for place in self.places(snapshot, id) {
            match place {
                Location::Loose { folder } => {
                    if let Ok(Some(kind)) = self.folders()[folder].read(id, &mut bytes) {
                        return Some((kind, bytes));
                    }
                }
                Location::Packed { pack, offset } => {
                    if damaged.contains(&pack.number()) || damaged.len() >= MAX_PACKS {
                        continue;
                    }
                    if let Ok(kind) = pack.read_into(offset, &self.cache, &mut bytes) {
                        return Some((kind, bytes));
                    }
                    damaged.push(pack.number());
                    let rebuilt = self.rebuild_in(snapshot, &pack, offset, damaged);
                    damaged.pop();
                    if rebuilt.is_some() {
                        return rebuilt;
                    }
                }
            }
        }
        None
    }

    /// Builds the object at `offset` of a damaged pack on the nearest of its bases that is sound elsewhere.
    fn rebuild_in(
        &self,
        snapshot: &Snapshot,
        pack: &Pack,
        offset: u64,
        damaged: &mut Vec<u32>,
    ) -> Option<(ObjectKind, Vec<u8>)> {
        let chain = pack.chain(offset);
        for (n, (at, entry)) in chain.iter().enumerate() {
            let Some(base) = base_id(pack, *at, entry) else { break };
            let Some((kind, mut bytes)) = self.rebuild(snapshot, &base, damaged) else { continue };
            let mut next = Vec::new();
            for (at, entry) in chain[..=n].iter().rev() {
                pack.apply(*at, entry, &bytes, &mut next).ok()?;
                std::mem::swap(&mut bytes, &mut next);
            }
            return Some((kind, bytes));
        }
        None
    }
}

/// The id of the base of the delta at `offset`.
pub(crate) fn base_id(pack: &Pack, offset: u64, entry: &Entry) -> Option<ObjectId> {
    let Storage::Delta(base) = entry.storage else { return None };
    match base {
        Base::Id(at) => pack.id_in_data(at).ok(),
        Base::Offset(_) => {
            let base = pack.base_offset(offset, base).ok()?;
            Some(pack.index().ok()?.id(pack.position_at(base).ok()?))
        }
    }
}
