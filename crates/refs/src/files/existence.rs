//! Whether names exist, asked thousands of times: the first questions about a folder look for a file each, then the
//! folder is listed once and answers the rest.

use std::sync::Arc;

use adit_sys::Folder;
use bstr::{BStr, BString, ByteSlice};
use hashbrown::{HashMap, HashSet};

use super::Files;
use super::packed::PackedRefs;
use crate::Error;
use crate::backend::Existence;

/// How many questions about one folder are answered by looking for a file each.
const PROBES: u32 = 16;

/// The answers so far. Later changes on disk may go unnoticed.
pub(super) struct Existing<'s> {
    files: &'s Files,
    folders: HashMap<BString, Known>,
    packed: Option<Arc<PackedRefs>>,
    /// By first letters of a name up to its last slash, where in packed-refs the last search for such a name ended:
    /// questions tend to come in order.
    hints: HashMap<BString, (usize, BString)>,
}

enum Known {
    Asked(u32),
    Listed(HashSet<Vec<u8>>),
}

impl<'s> Existing<'s> {
    pub(super) fn new(files: &'s Files) -> Self {
        Existing { files, folders: HashMap::new(), packed: None, hints: HashMap::new() }
    }

    /// Whether a folder that was listed shows that there is no file of that name.
    fn surely_not_loose(&mut self, name: &BStr) -> Result<bool, Error> {
        let mut start = 0;
        loop {
            let (folder, rest) = name.split_at(start);
            let end = rest.find_byte(b'/').unwrap_or(rest.len());
            if !self.may_hold(folder.as_bstr(), &rest[..end])? {
                return Ok(true);
            }
            if end == rest.len() {
                return Ok(false);
            }
            start += end + 1;
        }
    }

    fn may_hold(&mut self, folder: &BStr, entry: &[u8]) -> Result<bool, Error> {
        match self.folders.get_mut(folder) {
            None => {
                self.folders.insert(folder.to_owned(), Known::Asked(1));
                Ok(true)
            }
            Some(Known::Listed(names)) => Ok(names.contains(entry)),
            Some(Known::Asked(times)) if *times < PROBES => {
                *times += 1;
                Ok(true)
            }
            Some(known) => {
                let names = list(self.files, folder)?;
                let held = names.contains(entry);
                *known = Known::Listed(names);
                Ok(held)
            }
        }
    }

    fn is_packed(&mut self, name: &BStr) -> Result<bool, Error> {
        let packed = match &self.packed {
            Some(packed) => packed,
            None => self.packed.insert(self.files.packed()?),
        };
        let folder = name.rfind_byte(b'/').map_or(&b""[..], |slash| &name[..slash]).as_bstr();
        let at = match self.hints.get_mut(folder) {
            Some((at, last)) => {
                *at = if last.as_bstr() <= name {
                    packed.gallop(*at, name)?
                } else {
                    packed.lower_bound(name)?
                };
                last.clear();
                last.extend_from_slice(name);
                *at
            }
            None => {
                let at = packed.lower_bound(name)?;
                if self.hints.len() < 64 {
                    self.hints.insert(folder.to_owned(), (at, name.to_owned()));
                }
                at
            }
        };
        Ok(packed.item(at)?.is_some_and(|item| packed.name(&item) == name))
    }
}

fn list(files: &Files, folder: &BStr) -> Result<HashSet<Vec<u8>>, Error> {
    // The folders `refs` and `` hold what is per working tree as well as what is shared.
    let mut names = HashSet::new();
    let bases =
        if files.is_linked() { vec![&files.git_dir, &files.common_dir] } else { vec![&files.git_dir] };
    for base in bases {
        let path = base.join(folder.to_path_lossy());
        if let Some(open) = Folder::open(&path).map_err(Error::io(&path))? {
            let insert = |name: &[u8], _| {
                names.insert(name.to_vec());
            };
            open.for_each(insert).map_err(Error::io(&path))?;
        }
    }
    Ok(names)
}

impl Existence for Existing<'_> {
    fn exists(&mut self, name: &BStr) -> Result<bool, Error> {
        let plain = crate::name::split_worktree(name).0 == crate::name::Worktree::Current;
        if !plain {
            return Ok(self.files.find_loose(name)?.is_some());
        }
        if !self.surely_not_loose(name)? && self.files.find_loose(name)?.is_some() {
            return Ok(true);
        }
        Ok(name.starts_with(b"refs/") && self.is_packed(name)?)
    }
}
