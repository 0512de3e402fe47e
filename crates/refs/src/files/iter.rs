//! Loose and packed references merged in byte order.

use std::cmp::Ordering;
use std::path::PathBuf;
use std::sync::Arc;

use adit_sys::Folder;
use bstr::{BStr, BString, ByteSlice};

use super::listing::{self, Names, covers};
use super::packed::{Item, PackedRefs};
use super::{Files, loose};
use crate::Error;
use crate::backend::{Cursor, IterOptions};
use crate::name::{self, Rules};
use crate::reference::{Entry, Problem, Target};

/// A position in both.
pub(super) struct Merge<'s> {
    loose: LooseCursor<'s>,
    packed: Arc<PackedRefs>,
    /// The next packed reference that is asked for.
    pending: Option<Item>,
    prefix: BString,
    exclude: Vec<BString>,
}

impl<'s> Merge<'s> {
    pub(super) fn new(files: &'s Files, options: &IterOptions) -> Result<Self, Error> {
        // Names first, packed-refs after: a reference that is packed and pruned meanwhile is then in either.
        let names = listing::loose_names(files, options)?;
        let packed = files.packed()?;
        // All of them are read from the start, so that damage before the first is noticed too.
        let at = packed.lower_bound((&options.prefix).max(&options.from))?;
        let prefix = if options.prefix.is_empty() { BString::from("refs/") } else { options.prefix.clone() };
        let next = names.iter().take_while(|name| *name < options.from).count();
        let loose = LooseCursor { files, names, next, folder: None, content: Vec::new() };
        let mut merge = Merge { loose, packed, pending: None, prefix, exclude: options.exclude.clone() };
        merge.pending = merge.packed_from(at)?;
        Ok(merge)
    }

    /// The first packed reference from `at` on that is asked for; what is left out is skipped.
    fn packed_from(&self, mut at: usize) -> Result<Option<Item>, Error> {
        while let Some(item) = self.packed.item(at)? {
            let name = self.packed.name(&item);
            if !name.starts_with(&self.prefix) {
                if name > self.prefix {
                    return Ok(None);
                }
                at = item.next;
                continue;
            }
            match self.exclude.iter().find(|excluded| covers(excluded, name)) {
                None => return Ok(Some(item)),
                Some(excluded) if name == *excluded => at = item.next,
                Some(excluded) => {
                    // All names under it lie together, and end before the first that has a '0' for the slash.
                    let mut end = excluded.trim_end_with(|c| c == '/').to_vec();
                    end.push(b'/' + 1);
                    at = self.packed.lower_bound_from(at, &end)?;
                }
            }
        }
        Ok(None)
    }
}

impl Cursor for Merge<'_> {
    fn advance(&mut self) -> Result<Option<Entry<'_>>, Error> {
        loop {
            let packed_name = self.pending.as_ref().map(|item| self.packed.name(item));
            let order = match (self.loose.peek(), packed_name) {
                (None, None) => return Ok(None),
                (None, Some(_)) => Ordering::Greater,
                (Some(_), None) => Ordering::Less,
                (Some(loose), Some(packed)) => loose.cmp(packed),
            };
            if order == Ordering::Greater {
                let Some(item) = self.pending.take() else { return Ok(None) };
                self.pending = self.packed_from(item.next)?;
                let name = self.packed.name(&item);
                return Ok(Some(Entry { name, target: item.target, peeled: item.peeled }));
            }
            let target = self.loose.read()?;
            self.loose.next += 1;
            let Some(target) = target else { continue };
            if order == Ordering::Equal
                && let Some(item) = self.pending.take()
            {
                self.pending = self.packed_from(item.next)?;
            }
            let name = self.loose.names.get(self.loose.next - 1).unwrap_or_default();
            return Ok(Some(Entry { name, target, peeled: None }));
        }
    }
}

struct LooseCursor<'s> {
    files: &'s Files,
    names: Names,
    next: usize,
    /// The folder of the name that was read last, held open.
    folder: Option<(BString, Folder)>,
    content: Vec<u8>,
}

impl LooseCursor<'_> {
    fn peek(&self) -> Option<&BStr> {
        self.names.get(self.next)
    }

    /// What the next reference holds; `None` when it is no longer there, or packed.
    fn read(&mut self) -> Result<Option<Target>, Error> {
        let Some(name) = self.names.get(self.next) else { return Ok(None) };
        if !name::is_valid(name, Rules::ANY) {
            return if name::is_safe(name) {
                Ok(Some(Target::Broken(Problem::Name)))
            } else {
                Err(Error::Dangerous { place: "loose", name: name.to_owned() })
            };
        }
        let slash = name.rfind_byte(b'/').map_or(0, |slash| slash + 1);
        let (folder_name, last) = name.split_at(slash);
        if self.folder.as_ref().is_none_or(|(open, _)| open != folder_name) {
            let path: PathBuf = self.files.base_of(folder_name).join(folder_name.to_path_lossy());
            let Some(folder) = Folder::open(&path).map_err(Error::io(&path))? else {
                return self.find_packed(name);
            };
            self.folder = Some((folder_name.into(), folder));
        }
        let Some((_, folder)) = &self.folder else { return Ok(None) };
        self.content.clear();
        let target = folder
            .read_small(last, loose::LIMIT, &mut self.content)
            .and_then(|outcome| {
                loose::interpret(self.files.format, outcome, &mut self.content, |content| {
                    folder.read_small_through(last, loose::LIMIT, content)
                })
            })
            .map_err(|error| Error::Io { path: self.files.path_of(name), error })?;
        match target {
            Some(target) => Ok(Some(target)),
            None => self.find_packed(name),
        }
    }

    /// For a reference that was loose when the folder was listed and is not now: someone packed it, or deleted it.
    fn find_packed(&self, name: &BStr) -> Result<Option<Target>, Error> {
        Ok(self.files.packed()?.find(name)?.map(|entry| entry.target))
    }
}
