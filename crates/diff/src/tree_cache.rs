//! Trees that were read lately, for a history walk that meets each tree twice: as new, then as old.

use adit_object::{ObjectId, ObjectKind, Source, SourceError};

/// How many trees are kept when nothing needs more at once.
const KEPT: usize = 96;
/// A buffer that grew beyond this is not kept for later.
const LARGEST_KEPT: usize = 4 << 20;

/// Tree contents in buffers that are used again and again.
#[derive(Debug, Default)]
pub(crate) struct TreeCache {
    slots: Vec<Slot>,
    clock: u64,
}

#[derive(Debug, Default)]
struct Slot {
    id: Option<ObjectId>,
    bytes: Vec<u8>,
    used: u64,
    /// How many readers hold it now; a held slot is not given to another tree.
    held: u32,
}

/// A tree that the cache holds in place until it is released.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Held(usize);

impl TreeCache {
    /// Makes sure that tree `id` is here and holds it.
    pub(crate) fn hold<S: Source + ?Sized>(
        &mut self,
        source: &S,
        id: &ObjectId,
    ) -> Result<Held, SourceError> {
        self.clock += 1;
        if let Some(at) = self.slots.iter().position(|slot| slot.id.as_ref() == Some(id)) {
            self.slots[at].used = self.clock;
            self.slots[at].held += 1;
            return Ok(Held(at));
        }
        let at = self.free_slot();
        let slot = &mut self.slots[at];
        slot.id = None;
        source.read_kind(id, ObjectKind::Tree, &mut slot.bytes)?;
        slot.id = Some(*id);
        slot.used = self.clock;
        slot.held = 1;
        Ok(Held(at))
    }

    /// Gives a tree back; it stays here until its slot is needed.
    pub(crate) fn release(&mut self, held: Held) {
        let slot = &mut self.slots[held.0];
        slot.held -= 1;
        if slot.held == 0 && slot.bytes.capacity() > LARGEST_KEPT {
            *slot = Slot::default();
        }
    }

    /// Gives all trees back, after an error or an early end.
    pub(crate) fn release_all(&mut self) {
        for slot in &mut self.slots {
            slot.held = 0;
        }
    }

    /// The content of a held tree.
    pub(crate) fn bytes(&self, held: Held) -> &[u8] {
        &self.slots[held.0].bytes
    }

    /// The id of a held tree.
    pub(crate) fn id(&self, held: Held) -> Option<ObjectId> {
        self.slots[held.0].id
    }

    fn free_slot(&mut self) -> usize {
        let unheld = self.slots.iter().enumerate().filter(|(_, slot)| slot.held == 0);
        match unheld.min_by_key(|(_, slot)| slot.used) {
            Some((at, _)) if self.slots.len() >= KEPT => at,
            _ => {
                self.slots.push(Slot::default());
                self.slots.len() - 1
            }
        }
    }
}
