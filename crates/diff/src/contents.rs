//! What the sides of a pair hold.

use std::path::PathBuf;

use adit_object::{EntryKind, ObjectKind, Source, SourceError};

use crate::Side;

/// Where the content of a side comes from.
pub trait Contents: Send + Sync {
    /// Puts the content of `side` into `out`: nothing when it does not exist, the line that stands for a submodule's
    /// commit, the target of a link, else the file.
    fn read(&self, side: &Side, out: &mut Vec<u8>) -> Result<(), SourceError>;

    /// Where the content of `side` lies as a file that programs can read, if it does.
    fn file(&self, _side: &Side) -> Option<PathBuf> {
        None
    }

    /// The length of what [`Contents::read`] would give.
    fn size(&self, side: &Side) -> Result<u64, SourceError>;
}

/// The contents of sides whose ids name objects.
#[derive(Debug)]
pub struct Objects<'s, S: ?Sized>(pub &'s S);

impl<S: Source + ?Sized> Contents for Objects<'_, S> {
    fn read(&self, side: &Side, out: &mut Vec<u8>) -> Result<(), SourceError> {
        out.clear();
        match side.kind() {
            None => Ok(()),
            Some(EntryKind::Gitlink) => {
                gitlink_line(side, out);
                Ok(())
            }
            Some(_) => self.0.read_kind(&side.id, ObjectKind::Blob, out),
        }
    }

    fn size(&self, side: &Side) -> Result<u64, SourceError> {
        match side.kind() {
            None => Ok(0),
            Some(EntryKind::Gitlink) => Ok((GITLINK_WORDS.len() + side.id.format().hex_len() + 1) as u64),
            Some(_) => Ok(self.0.header(&side.id)?.size),
        }
    }
}

const GITLINK_WORDS: &[u8] = b"Subproject commit ";

/// Appends the line that stands for a submodule's commit in patches.
pub fn gitlink_line(side: &Side, out: &mut Vec<u8>) {
    out.extend_from_slice(GITLINK_WORDS);
    side.id.append_hex(usize::MAX, out);
    out.push(b'\n');
}

/// Whether git takes this content for binary: there is a NUL among its first 8000 bytes.
pub fn is_binary(content: &[u8]) -> bool {
    memchr::memchr(0, &content[..content.len().min(8000)]).is_some()
}
