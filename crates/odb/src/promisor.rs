//! Objects that are not here and need not be: a remote has promised them (partial clones).
//!
//! Promised is what lies in a pack marked `.promisor`, and what an object there refers to.

use std::ops::ControlFlow;

use adit_object::{Commit, EntryKind, IdSet, ObjectId, ObjectKind, SourceError, Tag, Tree};

use crate::bulk::BulkObject;
use crate::store::Store;

impl Store {
    /// Whether a remote has promised `id`. The first question reads all promisor packs.
    pub fn is_promised(&self, id: &ObjectId) -> bool {
        if !self.snapshot().all_packs().any(|pack| pack.marks().promisor) {
            return false;
        }
        self.promised.get_or_init(|| self.find_promised()).contains(id)
    }

    /// The error for an object that is not here.
    pub(crate) fn missing(&self, id: &ObjectId) -> SourceError {
        if self.is_promised(id) { SourceError::Promised(*id) } else { SourceError::Missing(*id) }
    }

    fn find_promised(&self) -> IdSet {
        let mut all = IdSet::default();
        for ids in self.bulk_promisor_packs().fold(IdSet::default, collect) {
            all.extend(ids);
        }
        all
    }
}

/// Adds an object and what it refers to. A damaged object promises nothing.
fn collect(ids: &mut IdSet, id: &ObjectId, object: BulkObject<'_>) -> ControlFlow<()> {
    let format = id.format();
    ids.insert(*id);
    match object {
        Ok((ObjectKind::Commit, content)) => {
            if let Ok(commit) = Commit::parse(format, content) {
                ids.insert(commit.tree());
                ids.extend(commit.parents());
            }
        }
        Ok((ObjectKind::Tag, content)) => ids.extend(Tag::parse(format, content).map(|tag| tag.target())),
        Ok((ObjectKind::Tree, content)) => {
            let entries = Tree::new(format, content).map_while(Result::ok);
            ids.extend(
                entries.filter(|entry| entry.kind() != EntryKind::Gitlink).map(|entry| entry.id(format)),
            );
        }
        Ok((ObjectKind::Blob, _)) | Err(_) => {}
    }
    ControlFlow::Continue(())
}
