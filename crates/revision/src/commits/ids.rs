//! A column of object ids, as many bytes each as the format has.

use adit_object::{ObjectFormat, ObjectId};

/// Raw ids, one after the other.
pub(super) struct IdColumn {
    format: ObjectFormat,
    bytes: Vec<u8>,
}

impl IdColumn {
    pub(super) fn new(format: ObjectFormat) -> Self {
        IdColumn { format, bytes: Vec::new() }
    }

    /// Adds an id, which is of the column's format.
    pub(super) fn push(&mut self, raw: &[u8]) {
        debug_assert_eq!(raw.len(), self.format.len());
        self.bytes.extend_from_slice(raw);
    }

    pub(super) fn raw(&self, at: u32) -> &[u8] {
        let len = self.format.len();
        &self.bytes[at as usize * len..][..len]
    }

    pub(super) fn get(&self, at: u32) -> ObjectId {
        ObjectId::from_bytes(self.format, self.raw(at)).unwrap_or(ObjectId::null(self.format))
    }

    pub(super) fn set(&mut self, at: u32, raw: &[u8]) {
        let len = self.format.len();
        self.bytes[at as usize * len..][..len].copy_from_slice(raw);
    }

    /// The hash of an id in tables: its first eight bytes.
    pub(super) fn first_u64(&self, at: u32) -> u64 {
        self.raw(at).first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes))
    }
}
