//! The stores of a repository, each opened when it is first asked for.

use std::path::PathBuf;

use adit_object::{IdMap, ObjectFormat, ObjectId};
use adit_refs::{Storage, Target};
use bstr::ByteSlice;

use crate::{OpenError, RefStorage, Repository};

impl Repository {
    /// Opens the references.
    pub(crate) fn open_refs(&self) -> Result<adit_refs::Store, OpenError> {
        let storage = match self.format().ref_storage {
            RefStorage::Files => Storage::Files,
            other => Storage::Other(other.as_str().into()),
        };
        let namespace = match self.env().var_non_empty("GIT_NAMESPACE") {
            Some(name) => adit_refs::name::namespace_prefix(name)
                .ok_or_else(|| OpenError::BadNamespace { name: name.to_string() })?,
            None => Default::default(),
        };
        let options = adit_refs::Options { storage, namespace };
        Ok(adit_refs::Store::open(self.git_dir(), self.common_dir(), self.object_format(), options)?)
    }

    /// Opens the object store, replacement references applied.
    pub(crate) fn open_objects(&self) -> Result<adit_odb::Store, OpenError> {
        let mut options = adit_odb::Options { alternates: self.borrowed_folders(), ..Default::default() };
        if let Some(limit) = self.config().integer("core.deltabasecachelimit")? {
            options.delta_cache_limit = u64::try_from(limit).unwrap_or(0);
        }
        if let Some(size) = self.config().integer("core.bigfilethreshold")? {
            options.big_file_threshold = u64::try_from(size).unwrap_or(0);
        }
        if let Some(used) = self.config().bool("core.multipackindex")? {
            options.multi_pack_index = used;
        }
        let mut store = adit_odb::Store::open(&self.objects_dir(), self.object_format(), options)?;
        store.set_replacements(self.replacements()?);
        Ok(store)
    }

    /// The object folders of `GIT_ALTERNATE_OBJECT_DIRECTORIES`.
    fn borrowed_folders(&self) -> Vec<PathBuf> {
        let list = self.env().var("GIT_ALTERNATE_OBJECT_DIRECTORIES").unwrap_or_default();
        adit_odb::split_alternates(list).into_iter().map(|dir| self.env().cwd().join(dir)).collect()
    }

    /// Whether objects are read instead of others where `refs/replace/` says so (`core.useReplaceRefs`).
    ///
    /// # Errors
    /// When the setting is no boolean.
    pub fn uses_replacements(&self) -> Result<bool, OpenError> {
        Ok(self.env().var("GIT_NO_REPLACE_OBJECTS").is_none()
            && self.config().bool("core.usereplacerefs")?.unwrap_or(true))
    }

    /// Whether any object is read instead of another.
    pub(crate) fn has_replacements(&self) -> Result<bool, OpenError> {
        Ok(!self.replacements()?.is_empty())
    }

    /// Which objects are read instead of which: the references below `refs/replace/` (git-replace).
    fn replacements(&self) -> Result<IdMap<ObjectId>, OpenError> {
        let mut found = IdMap::default();
        if !self.uses_replacements()? {
            return Ok(found);
        }
        let base =
            self.env().var("GIT_REPLACE_REF_BASE").map_or(b"refs/replace/".to_vec(), |base| base.to_vec());
        let mut refs = self.refs()?.iter(&base)?;
        while let Some(entry) = refs.advance()? {
            if let (Some(original), Target::Direct(replacement)) =
                (replaced_id(self.object_format(), &base, entry.name), &entry.target)
            {
                found.insert(original, *replacement);
            }
        }
        Ok(found)
    }
}

/// The object that the replacement reference `name` stands for; its last part is the object's id.
fn replaced_id(format: ObjectFormat, base: &[u8], name: &[u8]) -> Option<ObjectId> {
    let rest = name.strip_prefix(base)?;
    let last = rest.rsplit_once_str("/").map_or(rest, |(_, last)| last);
    ObjectId::from_hex(format, last).ok()
}
