//! Conflicts that were resolved (extension REUC), so that they can be made again.

use std::collections::BTreeMap;

use adit_object::{ObjectFormat, ObjectId};
use bstr::{BStr, BString, ByteSlice};

/// The sides of a conflict that was resolved, stages 1 to 3: mode and object of each that there was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UndoneEntry {
    /// Mode and object by stage, the first for stage 1.
    pub sides: [Option<(u32, ObjectId)>; 3],
}

/// The conflicts that were resolved, by path.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ResolveUndo {
    entries: BTreeMap<BString, UndoneEntry>,
}

impl ResolveUndo {
    /// The sides of the conflict at `path`.
    pub fn get(&self, path: &[u8]) -> Option<&UndoneEntry> {
        self.entries.get(path.as_bstr())
    }

    /// All of them, by path.
    pub fn iter(&self) -> impl Iterator<Item = (&BStr, &UndoneEntry)> {
        self.entries.iter().map(|(path, entry)| (path.as_bstr(), entry))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entry for `path`, made if there is none.
    pub(crate) fn entry(&mut self, path: &[u8]) -> &mut UndoneEntry {
        self.entries.entry(path.into()).or_default()
    }

    /// Forgets the conflict at `path`.
    pub(crate) fn remove(&mut self, path: &[u8]) -> Option<UndoneEntry> {
        self.entries.remove(path.as_bstr())
    }

    /// Reads the content of the extension; `None` when it makes no sense.
    pub(crate) fn parse(format: ObjectFormat, bytes: &[u8]) -> Option<Self> {
        let mut found = Self::default();
        let mut rest = bytes;
        while !rest.is_empty() {
            let (path, mut after) = rest.split_once_str(b"\0")?;
            let mut modes = [0; 3];
            for mode in &mut modes {
                let (text, next) = after.split_once_str(b"\0")?;
                *mode = u32::from_str_radix(text.to_str().ok()?, 8).ok()?;
                after = next;
            }
            let mut entry = UndoneEntry::default();
            for (side, mode) in entry.sides.iter_mut().zip(modes) {
                if mode != 0 {
                    let (id, next) = after.split_at_checked(format.len())?;
                    *side = Some((mode, ObjectId::from_bytes(format, id)?));
                    after = next;
                }
            }
            found.entries.insert(path.into(), entry);
            rest = after;
        }
        Some(found)
    }

    /// Appends the content of the extension.
    pub(crate) fn append(&self, out: &mut Vec<u8>) {
        for (path, entry) in &self.entries {
            out.extend_from_slice(path);
            out.push(0);
            for side in &entry.sides {
                out.extend_from_slice(format!("{:o}\0", side.map_or(0, |(mode, _)| mode)).as_bytes());
            }
            entry.sides.iter().flatten().for_each(|(_, id)| out.extend_from_slice(id.as_bytes()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_cuts_are_noticed() {
        let id = ObjectId::from_bytes(ObjectFormat::Sha1, &[5; 20]);
        let mut undo = ResolveUndo::default();
        undo.entry(b"a").sides = [id.map(|id| (0o100_644, id)), None, id.map(|id| (0o120_000, id))];
        undo.entry(b"b/c").sides[1] = id.map(|id| (0o100_755, id));
        let mut bytes = Vec::new();
        undo.append(&mut bytes);
        assert_eq!(ResolveUndo::parse(ObjectFormat::Sha1, &bytes).as_ref(), Some(&undo));
        let whole = bytes.len();
        let read = (1..whole).filter(|cut| ResolveUndo::parse(ObjectFormat::Sha1, &bytes[..*cut]).is_some());
        assert_eq!(read.count(), 1, "only between the two");
    }
}
