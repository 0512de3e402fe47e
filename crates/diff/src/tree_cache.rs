//! Trees that were read lately, for a history walk that meets each tree twice: as new, then as old.

use adit_object::{IdMap, ObjectId, ObjectKind, Shared, Source, SourceError};

/// How many trees are kept when nothing needs more at once.
const KEPT: usize = 96;
/// A tree larger than this is not kept for later.
const LARGEST_KEPT: usize = 4 << 20;

/// Trees, shared with where they come from.
#[derive(Debug, Default)]
pub(crate) struct TreeCache {
    slots: Vec<Slot>,
    by_id: IdMap<usize>,
    /// Where the search for a slot to use again goes on.
    hand: usize,
}

#[derive(Debug, Default)]
struct Slot {
    id: Option<ObjectId>,
    bytes: Shared,
    /// Whether it was asked for since the hand last passed.
    used: bool,
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
        if let Some(&at) = self.by_id.get(id) {
            self.slots[at].used = true;
            self.slots[at].held += 1;
            return Ok(Held(at));
        }
        let at = self.free_slot();
        let slot = &mut self.slots[at];
        if let Some(id) = slot.id.take() {
            self.by_id.remove(&id);
        }
        slot.bytes = source.share_kind(id, ObjectKind::Tree)?;
        (slot.id, slot.used, slot.held) = (Some(*id), true, 1);
        self.by_id.insert(*id, at);
        Ok(Held(at))
    }

    /// Gives a tree back; it stays here until its slot is needed.
    pub(crate) fn release(&mut self, held: Held) {
        let slot = &mut self.slots[held.0];
        slot.held -= 1;
        if slot.held == 0 && slot.bytes.len() > LARGEST_KEPT {
            if let Some(id) = slot.id {
                self.by_id.remove(&id);
            }
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

    /// A slot that nobody holds: a new one while there are few, else one that was not used for a while.
    fn free_slot(&mut self) -> usize {
        if self.slots.len() >= KEPT {
            // Twice around: the first time clears the marks.
            for _ in 0..2 * self.slots.len() {
                self.hand = (self.hand + 1) % self.slots.len();
                let slot = &mut self.slots[self.hand];
                if slot.held == 0 && !std::mem::take(&mut slot.used) {
                    return self.hand;
                }
            }
        }
        self.slots.push(Slot::default());
        self.slots.len() - 1
    }
}
