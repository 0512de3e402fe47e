//! What references hold while they are locked: read for many at once, in order of name.

use std::sync::Arc;

use adit_sys::SmallFile;
use bstr::{BStr, BString, ByteSlice};
use hashbrown::HashSet;

use super::folders::Folders;
use super::packed::PackedRefs;
use super::{Files, lock, loose};
use crate::{Error, Target};

/// What a reference holds, and where that was found.
pub(super) struct Old {
    pub(super) target: Option<Target>,
    pub(super) is_loose: bool,
    /// Whether a folder is where the file would be.
    pub(super) is_folder: bool,
}

/// Reads references that are locked.
#[derive(Debug)]
pub(super) struct Current<'s> {
    files: &'s Files,
    /// As it is since the references were locked: nobody can pack or unpack them meanwhile.
    packed: Arc<PackedRefs>,
    /// Where the last name that was looked for is or would be in `packed`, and that name.
    hint: (usize, BString),
    /// The entries of the folder that was asked about last, when there are many questions.
    listing: Option<(BString, HashSet<Vec<u8>>)>,
    lists: bool,
}

impl<'s> Current<'s> {
    /// Starts once the references are locked; with `lists`, thousands of them will be read.
    pub(super) fn new(files: &'s Files, lists: bool) -> Result<Self, Error> {
        let packed = files.packed()?;
        let hint = (packed.lower_bound(b"")?, BString::default());
        Ok(Current { files, packed, hint, listing: None, lists })
    }

    /// Starts again, with more references locked.
    pub(super) fn renew(&mut self) -> Result<(), Error> {
        *self = Current::new(self.files, self.lists)?;
        Ok(())
    }

    /// What the reference `name` holds.
    pub(super) fn read(&mut self, folders: &mut Folders<'_>, name: &BStr) -> Result<Old, Error> {
        let files = self.files;
        let mut is_folder = false;
        let mut loose = None;
        if self.may_be_loose(folders, name)? {
            let (last, _) = lock::file_names(name);
            let mut content = Vec::with_capacity(128);
            let io = |error| Error::Io { path: files.path_of(name), error };
            if let Some((folder, _)) = folders.existing(name).map_err(io)? {
                let outcome = folder.read_small(last, loose::LIMIT, &mut content).map_err(io)?;
                is_folder = outcome == SmallFile::Folder;
                let through = |content: &mut Vec<u8>| folder.read_small_through(last, loose::LIMIT, content);
                loose = loose::interpret(files.format, outcome, &mut content, through).map_err(io)?;
            }
        }
        if loose.is_some() || !name.starts_with(b"refs/") {
            return Ok(Old { is_loose: loose.is_some(), target: loose, is_folder });
        }
        let at = self.place(name)?;
        let item = self.packed.item(at)?.filter(|item| self.packed.name(item) == name);
        Ok(Old { target: item.map(|item| item.target), is_loose: false, is_folder })
    }

    /// Whether there may be a file, or a folder, of that name.
    fn may_be_loose(&mut self, folders: &mut Folders<'_>, name: &BStr) -> Result<bool, Error> {
        if !self.lists {
            return Ok(true);
        }
        let (part, last) = name.split_at(name.rfind_byte(b'/').map_or(0, |slash| slash + 1));
        if self.listing.as_ref().is_none_or(|(listed, _)| listed != part) {
            let io = |error| Error::Io { path: self.files.path_of(name), error };
            let mut names = HashSet::new();
            if let Some((folder, _)) = folders.existing(name).map_err(io)? {
                let add = |entry: &[u8], _| {
                    if !entry.ends_with(b".lock") {
                        names.insert(entry.to_vec());
                    }
                };
                folder.for_each(add).map_err(io)?;
            }
            self.listing = Some((part.into(), names));
        }
        Ok(self.listing.as_ref().is_none_or(|(_, names)| names.contains(last)))
    }

    /// Where the record of `name` in `packed-refs` is or would be.
    fn place(&mut self, name: &BStr) -> Result<usize, Error> {
        let (at, last) = &mut self.hint;
        *at = if last.as_bstr() <= name {
            self.packed.gallop(*at, name)?
        } else {
            self.packed.lower_bound(name)?
        };
        last.clear();
        last.extend_from_slice(name);
        Ok(*at)
    }

    /// A packed reference that is a folder in the new name `name`, or the other way round.
    pub(super) fn packed_conflict(&mut self, name: &BStr) -> Result<Option<BString>, Error> {
        if self.packed.is_empty() {
            return Ok(None);
        }
        let at = self.place(name)?;
        let inner = [name.as_bytes(), b"/"].concat();
        let at = self.packed.gallop(at, &inner)?;
        if let Some(item) = self.packed.item(at)?
            && self.packed.name(&item).starts_with(&inner)
        {
            return Ok(Some(self.packed.name(&item).to_owned()));
        }
        for slash in name.find_iter(b"/").filter(|slash| *slash > "refs".len()) {
            let outer = name[..slash].as_bstr();
            if self.packed.find(outer)?.is_some() {
                return Ok(Some(outer.to_owned()));
            }
        }
        Ok(None)
    }
}
