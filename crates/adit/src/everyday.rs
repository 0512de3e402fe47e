//! The everyday questions, each in one call: what a name means, what came before a commit, what changed, what a file held.

use std::ops::ControlFlow;

use adit_diff::FilePair;
use adit_diff::trees::{self, TreeOptions};
use adit_object::{ObjectId, ObjectKind, Source};
use adit_revision::names::{Message, NameError};
use adit_revision::{Tip, Walk, WalkOptions};
use bstr::ByteSlice;

use crate::{OpenError, Repository};

impl Repository {
    /// The object that `name` means (gitrevisions). Names that may not be what was meant resolve silently.
    ///
    /// # Errors
    /// When it means nothing here, or the repository cannot be read.
    pub fn resolve(&self, name: impl AsRef<[u8]>) -> Result<ObjectId, OpenError> {
        let name = name.as_ref();
        let context = self.name_context()?;
        let silent = |_: Message| {};
        match context.names(&silent)?.quiet().resolve(name) {
            Err(NameError::Unknown) => Err(OpenError::UnknownName { name: name.as_bstr().to_owned() }),
            other => Ok(other?),
        }
    }

    /// The object of kind `wanted` that `id` leads to: a tag to what it tags, a commit to its tree. `None` when it leads
    /// to another kind.
    ///
    /// # Errors
    /// When an object on the way cannot be read.
    pub fn peel(&self, id: &ObjectId, wanted: ObjectKind) -> Result<Option<ObjectId>, OpenError> {
        let context = self.name_context()?;
        let silent = |_: Message| {};
        Ok(context.names(&silent)?.quiet().peeled(id, wanted)?)
    }

    /// The commit `tip` and all that came before it, newest first by committer date. [`Walk`] has every other order and
    /// limit.
    ///
    /// # Errors
    /// When history cannot be read.
    pub fn history(&self, tip: &ObjectId) -> Result<History<'_>, OpenError> {
        let walk = Walk::new(self.commit_table()?, &[Tip::included(*tip)], WalkOptions::default())?;
        Ok(History { walk })
    }

    /// The files that differ between two commits or trees, in git's order, without looking for renames.
    ///
    /// # Errors
    /// When one of them is no tree, or a tree cannot be read.
    pub fn changes(&self, old: &ObjectId, new: &ObjectId) -> Result<Vec<FilePair>, OpenError> {
        let (old, new) = (self.tree_behind(old)?, self.tree_behind(new)?);
        let options = TreeOptions { recursive: true, ..TreeOptions::default() };
        let mut pairs = Vec::new();
        // The visitor never asks to stop, so what is returned says nothing.
        let _ = trees::diff(self.objects()?, Some(&old), Some(&new), &options, |change| {
            pairs.push(change.to_pair());
            ControlFlow::Continue(())
        })?;
        Ok(pairs)
    }

    /// The content of the file that `revision` has at `path`, which is seen from the top.
    ///
    /// # Errors
    /// When there is no such file there.
    pub fn read_file(
        &self,
        revision: impl AsRef<[u8]>,
        path: impl AsRef<[u8]>,
    ) -> Result<Vec<u8>, OpenError> {
        let id = self.resolve([revision.as_ref(), b":", path.as_ref()].concat())?;
        let mut content = Vec::new();
        self.objects()?.read_kind(&id, ObjectKind::Blob, &mut content)?;
        Ok(content)
    }

    fn tree_behind(&self, id: &ObjectId) -> Result<ObjectId, OpenError> {
        self.peel(id, ObjectKind::Tree)?.ok_or(OpenError::NotATree { id: *id })
    }
}

/// The commits of [`Repository::history`].
pub struct History<'r> {
    walk: Walk<'r>,
}

impl Iterator for History<'_> {
    type Item = Result<ObjectId, OpenError>;

    fn next(&mut self) -> Option<Self::Item> {
        let position = self.walk.next().transpose()?;
        Some(position.map(|position| self.walk.table().id(position)).map_err(OpenError::from))
    }
}
