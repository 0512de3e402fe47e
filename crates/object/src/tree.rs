//! Tree objects: `<mode> SP <name> NUL <raw id>`, over and over.

use bstr::{BStr, ByteSlice};

use crate::{ObjectFormat, ObjectId, ObjectKind, ParseError};

/// What a tree entry points to, read from its mode's type bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EntryKind {
    /// A regular file, executable or not.
    File,
    /// A symbolic link; the blob is its target.
    Symlink,
    /// A folder.
    Tree,
    /// A commit of another repository (a submodule).
    Gitlink,
}

impl EntryKind {
    /// The kind for a mode, by git's rule: whatever is no folder, link or submodule is a file.
    pub fn of_mode(mode: u32) -> Self {
        match mode & 0o170000 {
            0o040000 => EntryKind::Tree,
            0o120000 => EntryKind::Symlink,
            0o160000 => EntryKind::Gitlink,
            _ => EntryKind::File,
        }
    }

    /// The kind of object such an entry names.
    pub fn object_kind(self) -> ObjectKind {
        match self {
            EntryKind::Tree => ObjectKind::Tree,
            EntryKind::Gitlink => ObjectKind::Commit,
            EntryKind::File | EntryKind::Symlink => ObjectKind::Blob,
        }
    }
}

/// One entry of a tree, borrowed from the tree's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeEntry<'a> {
    /// The mode as written, not normalised.
    pub mode: u32,
    /// The entry's own name, without folders.
    pub name: &'a BStr,
    /// The raw bytes of the id, as many as the format has.
    pub raw_id: &'a [u8],
}

impl TreeEntry<'_> {
    /// What the entry points to.
    pub fn kind(&self) -> EntryKind {
        EntryKind::of_mode(self.mode)
    }

    /// The id, given the format of the tree it was read from.
    pub fn id(&self, format: ObjectFormat) -> ObjectId {
        ObjectId::from_bytes(format, self.raw_id).unwrap_or(ObjectId::null(format))
    }
}

/// A tree's bytes, read entry by entry.
///
/// Iterating yields each entry in stored order, then at most one error: nothing after damage is trusted.
#[derive(Debug, Clone, Copy)]
pub struct Tree<'a> {
    format: ObjectFormat,
    rest: &'a [u8],
}

impl<'a> Tree<'a> {
    /// Starts reading `bytes`. Nothing is checked until entries are asked for.
    pub fn new(format: ObjectFormat, bytes: &'a [u8]) -> Self {
        Tree { format, rest: bytes }
    }

    /// The bytes that have not been read yet; a position that `Tree::new` can resume from.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    fn parse_entry(&mut self) -> Result<TreeEntry<'a>, ParseError> {
        let error = |what| ParseError { kind: ObjectKind::Tree, what };
        let mut mode = 0u32;
        let mut at = 0;
        loop {
            match self.rest.get(at) {
                Some(&digit @ b'0'..=b'7') if mode >> 29 == 0 => mode = mode << 3 | u32::from(digit - b'0'),
                Some(b' ') if at > 0 => break,
                Some(_) => return Err(error("malformed mode in tree entry")),
                None => return Err(error("too-short tree object")),
            }
            at += 1;
        }
        let after_mode = &self.rest[at + 1..];
        let nul = after_mode.find_byte(0).ok_or_else(|| error("too-short tree object"))?;
        if nul == 0 {
            return Err(error("empty filename in tree entry"));
        }
        let (name, after_name) = (&after_mode[..nul], &after_mode[nul + 1..]);
        let (raw_id, rest) =
            after_name.split_at_checked(self.format.len()).ok_or_else(|| error("too-short tree object"))?;
        self.rest = rest;
        Ok(TreeEntry { mode, name: name.as_bstr(), raw_id })
    }
}

impl<'a> Iterator for Tree<'a> {
    type Item = Result<TreeEntry<'a>, ParseError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let entry = self.parse_entry();
        if entry.is_err() {
            self.rest = &[];
        }
        Some(entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_in_stored_order_then_one_error() {
        let mut bytes = Vec::new();
        for (mode, name) in [("100644", "a"), ("040000", "b"), ("120000", "c"), ("160000", "d")] {
            bytes.extend_from_slice(format!("{mode} {name}\0").as_bytes());
            bytes.extend_from_slice(&[7; 20]);
        }
        let entries: Result<Vec<_>, _> = Tree::new(ObjectFormat::Sha1, &bytes).collect();
        let kinds: Vec<_> = entries.unwrap().iter().map(TreeEntry::kind).collect();
        assert_eq!(kinds, [EntryKind::File, EntryKind::Tree, EntryKind::Symlink, EntryKind::Gitlink]);
        for cut in 1..bytes.len() {
            let read: Vec<_> = Tree::new(ObjectFormat::Sha1, &bytes[..cut]).collect();
            assert_eq!(
                read.iter().filter(|e| e.is_err()).count(),
                usize::from(cut % 29 != 0),
                "cut at {cut}"
            );
        }
    }

    #[test]
    fn absurd_modes_and_empty_names_are_refused() {
        for bytes in [&b"777777777777 a\0"[..], b" a\0", b"100644 \0aaaaaaaaaaaaaaaaaaaa", b"1x a\0"] {
            assert!(Tree::new(ObjectFormat::Sha1, bytes).next().unwrap().is_err());
        }
    }
}
