//! Notes on commits (git-notes): a tree whose paths are the ids of the noted objects, fanned out into folders.

use std::sync::{Arc, Mutex, PoisonError};

use adit_object::{Commit, IdMap, ObjectId, ObjectKind, Source, SourceError, Tree};

/// The notes of one reference. Folders are read when an object under them is asked for, and kept.
///
/// It can be asked from several threads.
#[derive(Debug)]
pub struct NotesTree {
    root: ObjectId,
    folders: Mutex<IdMap<Arc<Vec<u8>>>>,
}

impl NotesTree {
    /// The notes that the commit or tree `id` holds.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn open(objects: &dyn Source, id: ObjectId) -> Result<Self, SourceError> {
        let mut content = Vec::new();
        let root = match objects.read(&id, &mut content)? {
            ObjectKind::Commit => Commit::parse(objects.format(), &content)
                .map_err(|error| SourceError::Malformed { id, error })?
                .tree(),
            _ => id,
        };
        Ok(NotesTree { root, folders: Mutex::default() })
    }

    /// The blob that holds the note on `id`; `None` when there is none.
    ///
    /// # Errors
    /// When a folder cannot be read.
    pub fn find(&self, objects: &dyn Source, id: &ObjectId) -> Result<Option<ObjectId>, SourceError> {
        let mut buffer = [0; 64];
        let mut digits = id.encode_hex(&mut buffer);
        let mut folder = self.root;
        // Each folder takes two digits, so that there are no more levels than bytes in an id.
        loop {
            let bytes = self.folder(objects, &folder)?;
            let mut next = None;
            for entry in Tree::new(objects.format(), &bytes) {
                let entry = entry.map_err(|error| SourceError::Malformed { id: folder, error })?;
                let is_tree = entry.kind().object_kind() == ObjectKind::Tree;
                if !is_tree && entry.name == digits {
                    return Ok(Some(entry.id(objects.format())));
                }
                if is_tree && digits.len() > 2 && entry.name == &digits[..2] {
                    next = Some(entry.id(objects.format()));
                }
            }
            let Some(next) = next else { return Ok(None) };
            (folder, digits) = (next, &digits[2..]);
        }
    }

    fn folder(&self, objects: &dyn Source, id: &ObjectId) -> Result<Arc<Vec<u8>>, SourceError> {
        let known = || self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bytes) = known().get(id) {
            return Ok(Arc::clone(bytes));
        }
        let mut content = Vec::new();
        objects.read_kind(id, ObjectKind::Tree, &mut content)?;
        let bytes = Arc::new(content);
        known().insert(*id, Arc::clone(&bytes));
        Ok(bytes)
    }
}
