//! Names of attributes, numbered in the order in which they are first seen.

use std::collections::HashMap;

use bstr::{BStr, BString, ByteSlice};

/// The number of a name.
pub(super) type NameId = u32;

/// All names that were seen.
#[derive(Debug, Default)]
pub(super) struct Names {
    ids: HashMap<BString, NameId>,
    list: Vec<BString>,
}

impl Names {
    /// The number of `name`.
    pub(super) fn intern(&mut self, name: &[u8]) -> NameId {
        if let Some(id) = self.ids.get(name.as_bstr()) {
            return *id;
        }
        // Names come from files that fit in memory, and lines are short.
        let id = NameId::try_from(self.list.len()).unwrap_or(NameId::MAX);
        self.ids.insert(name.into(), id);
        self.list.push(name.into());
        id
    }

    /// The name of a number.
    pub(super) fn name(&self, id: NameId) -> &BStr {
        self.list.get(id as usize).map_or(BStr::new(b""), |name| name.as_bstr())
    }
}

/// Whether an attribute can be called so.
pub fn is_attribute_name(name: &[u8]) -> bool {
    let fits = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
    !name.is_empty() && name[0] != b'-' && name.iter().all(fits)
}

/// Whether a file may say something of the attribute: it can be called so, and is none of git's own.
pub(super) fn is_settable(name: &[u8]) -> bool {
    is_attribute_name(name) && !name.starts_with(b"builtin_")
}
