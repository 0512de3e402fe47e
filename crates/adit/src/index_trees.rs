//! Writing the trees that the index makes.

use adit_index::{Index, TreeSink, WriteTreeError};
use adit_object::{ObjectId, ObjectKind, Source, hash_object};
use adit_odb::{LooseOptions, Store, WriteError};

use crate::{OpenError, Repository};

/// Writes trees as loose objects.
struct LooseTrees<'r> {
    store: &'r Store,
    options: LooseOptions,
}

impl TreeSink for LooseTrees<'_> {
    type Error = WriteError;

    fn contains(&mut self, id: &ObjectId) -> bool {
        self.store.contains(id)
    }

    fn write_tree(&mut self, content: &[u8]) -> Result<Option<ObjectId>, WriteError> {
        self.store.write(ObjectKind::Tree, content, self.options).map(Some)
    }
}

/// Finds the trees that are there already.
struct KnownTrees<'r>(&'r Store);

impl TreeSink for KnownTrees<'_> {
    type Error = WriteError;

    fn contains(&mut self, id: &ObjectId) -> bool {
        self.0.contains(id)
    }

    fn write_tree(&mut self, content: &[u8]) -> Result<Option<ObjectId>, WriteError> {
        let id = hash_object(Source::format(self.0), ObjectKind::Tree, content)?;
        // The empty tree is known everywhere.
        Ok((content.is_empty() || self.0.contains_quick(&id)).then_some(id))
    }
}

impl Repository {
    /// Fills the cache tree of an index that was put together anew with the trees that are there. Nothing is known of one
    /// that makes no tree.
    ///
    /// # Errors
    /// When the objects cannot be opened.
    pub fn find_index_trees(&self, index: &mut Index) -> Result<(), OpenError> {
        index.set_cache_tree(None);
        if index.write_tree(&mut KnownTrees(self.objects()?), true).is_err() {
            index.set_cache_tree(None);
        }
        Ok(())
    }

    /// Writes the trees that the entries make, and returns the topmost: see [`Index::write_tree`].
    ///
    /// # Errors
    /// When the objects cannot be opened; the inner error when the entries make no tree or one cannot be written.
    pub fn write_index_tree(
        &self,
        index: &mut Index,
        missing_ok: bool,
    ) -> Result<Result<ObjectId, WriteTreeError<WriteError>>, OpenError> {
        let mut trees = LooseTrees { store: self.objects()?, options: self.loose_options()? };
        Ok(index.write_tree(&mut trees, missing_ok))
    }
}
