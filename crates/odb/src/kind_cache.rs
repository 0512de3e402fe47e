//! The kinds of objects that are stored as deltas, so that a chain is not followed to its end for each of its objects.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use adit_object::ObjectKind;

use crate::delta_cache::Key;

const SLOTS: usize = 1 << 16;

/// A table in which a newer entry takes the slot of an older one. Each slot is one word, so no lock is needed.
#[derive(Debug, Default)]
pub(crate) struct KindCache {
    slots: OnceLock<Box<[AtomicU64]>>,
}

impl KindCache {
    fn slot(&self, key: Key) -> Option<(&AtomicU64, u64)> {
        // Offset (44 bits), pack (17 bits), kind (3 bits, never 0): what does not fit is not cached.
        if key.offset >> 44 != 0 || key.pack >> 17 != 0 {
            return None;
        }
        let word = key.offset << 20 | u64::from(key.pack) << 3;
        let slots = self.slots.get_or_init(|| (0..SLOTS).map(|_| AtomicU64::new(0)).collect());
        let place = (word >> 3).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48;
        Some((&slots[place as usize % SLOTS], word))
    }

    pub(crate) fn get(&self, key: Key) -> Option<ObjectKind> {
        let (slot, word) = self.slot(key)?;
        let found = slot.load(Ordering::Relaxed);
        if found & !7 != word {
            return None;
        }
        Some(match found & 7 {
            1 => ObjectKind::Commit,
            2 => ObjectKind::Tree,
            3 => ObjectKind::Blob,
            4 => ObjectKind::Tag,
            _ => return None,
        })
    }

    pub(crate) fn put(&self, key: Key, kind: ObjectKind) {
        let Some((slot, word)) = self.slot(key) else { return };
        let kind = match kind {
            ObjectKind::Commit => 1,
            ObjectKind::Tree => 2,
            ObjectKind::Blob => 3,
            ObjectKind::Tag => 4,
        };
        slot.store(word | kind, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_last_is_found_and_nothing_else() {
        let cache = KindCache::default();
        let key = |offset| Key { pack: 5, offset };
        assert_eq!(cache.get(key(0)), None);
        for offset in 0..200_000 {
            cache.put(key(offset), ObjectKind::Tag);
            assert_eq!(cache.get(key(offset)), Some(ObjectKind::Tag));
        }
        assert_eq!(cache.get(Key { pack: 6, offset: 199_999 }), None);
        cache.put(key(1 << 50), ObjectKind::Tag);
        assert_eq!(cache.get(key(1 << 50)), None);
    }
}
