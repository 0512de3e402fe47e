//! A split index (extension `link`): most entries lie in a shared file beside the index, which says what differs.

use std::ops::Range;
use std::path::{Path, PathBuf};

use adit_object::ObjectId;
use adit_object::ewah::{Ewah, append_ewah};

use crate::entry::NewEntry;
use crate::error::{Error, Fault};
use crate::index::{Index, ReadOptions, load};
use crate::pool::Slot;

/// The shared index that an index adds to.
#[derive(Debug)]
pub(crate) struct Shared {
    /// The checksum by which its file is named; null when there is none.
    pub(crate) id: ObjectId,
    /// Its entries.
    pub(crate) slots: Vec<Slot>,
}

/// The shared file of that id for the index at `index`.
pub(crate) fn shared_path(index: &Path, id: &ObjectId) -> PathBuf {
    index.with_file_name(format!("sharedindex.{id}"))
}

/// Joins the entries of `index`, whose `link` extension lies at `link`, with those of its shared file.
pub(crate) fn join(
    index: &mut Index,
    path: &Path,
    link: Range<usize>,
    options: &ReadOptions,
) -> Result<(), Error> {
    let format = index.format();
    let fault = |what: &str| Fault::corrupt(what).of(path);
    let content = index.file_bytes(&link).unwrap_or_default();
    let (id, bitmaps) =
        content.split_at_checked(format.len()).ok_or_else(|| fault("corrupt link extension (too short)"))?;
    let id = ObjectId::from_bytes(format, id).unwrap_or(ObjectId::null(format));
    if id.is_null() {
        if index.first_is_nameless() {
            return Err(fault("an entry has no name"));
        }
        index.split = Some(Shared { id, slots: Vec::new() });
        return Ok(());
    }
    let (deleted, replaced) = read_bitmaps(bitmaps).map_err(fault)?;
    let base_path = shared_path(path, &id);
    let base = load(&base_path, &mut index.pool, false, options)?.ok_or_else(|| Error::Read {
        path: base_path.clone(),
        error: std::io::Error::from_raw_os_error(ENOENT),
    })?;
    if base.checksum != id {
        return Err(Fault::corrupt(format!("expected checksum {id}, found {}", base.checksum)).of(&base_path));
    }
    let all = (deleted.last(), replaced.last());
    if [all.0, all.1].into_iter().flatten().any(|last| *last as usize >= base.slots.len()) {
        return Err(fault("corrupt link extension, more bits than entries of the shared index"));
    }
    let mut merged: Vec<Option<Slot>> = base.slots.iter().copied().map(Some).collect();
    if replaced.len() > index.slots.len() {
        return Err(fault("corrupt link extension, too few replacements"));
    }
    let added = index.slots.split_off(replaced.len());
    for (position, slot) in replaced.iter().zip(&index.slots) {
        let new = index.pool.entry(*slot);
        let old = index.pool.entry(base.slots[*position as usize]);
        let replacement = if new.path().is_empty() {
            let named = NewEntry { path: old.path().to_owned(), value: new.value() };
            index.pool.add(&named.path, &named.value)
        } else if new.path() == old.path() {
            *slot
        } else {
            return Err(fault("corrupt link extension, a replacement has another name"));
        };
        merged[*position as usize] = Some(replacement);
    }
    deleted.iter().for_each(|position| merged[*position as usize] = None);
    if added.first().is_some_and(|slot| index.pool.entry(*slot).path().is_empty()) {
        return Err(fault("an entry has no name"));
    }
    index.slots = interleave(index, merged.into_iter().flatten().collect(), &added);
    index.split = Some(Shared { id, slots: base.slots });
    Ok(())
}

const ENOENT: i32 = 2;

/// The positions that are deleted and replaced.
fn read_bitmaps(bytes: &[u8]) -> Result<(Vec<u32>, Vec<u32>), &'static str> {
    if bytes.is_empty() {
        return Ok((Vec::new(), Vec::new()));
    }
    let (deleted, rest) = Ewah::parse(bytes).ok_or("corrupt delete bitmap in link extension")?;
    let (replaced, rest) = Ewah::parse(rest).ok_or("corrupt replace bitmap in link extension")?;
    if !rest.is_empty() {
        return Err("garbage at the end of link extension");
    }
    // More bits than an index of 4 GiB could have entries are not worth reading.
    const MAX_ENTRIES: u32 = 1 << 26;
    if deleted.len() > MAX_ENTRIES || replaced.len() > MAX_ENTRIES {
        return Err("corrupt link extension, more bits than entries");
    }
    Ok((deleted.ones().collect(), replaced.ones().collect()))
}

/// Both lists in one order; of two entries for a path, the added one stays.
fn interleave(index: &Index, kept: Vec<Slot>, added: &[Slot]) -> Vec<Slot> {
    if added.is_empty() {
        return kept;
    }
    let mut merged = Vec::with_capacity(kept.len() + added.len());
    let mut kept = kept.into_iter().peekable();
    let key = |slot: &Slot| index.pool.entry(*slot).key();
    for slot in added {
        while let Some(before) = kept.next_if(|old| key(old) < key(slot)) {
            merged.push(before);
        }
        kept.next_if(|old| key(old) == key(slot));
        merged.push(*slot);
    }
    merged.extend(kept);
    merged
}

/// What an index file holds of an index that adds to a shared one.
pub(crate) struct Difference {
    /// The content of the extension.
    pub(crate) link: Vec<u8>,
    /// Entries that stand for those of the shared index, without their paths.
    pub(crate) replaced: Vec<Slot>,
    /// Entries that are not in the shared index.
    pub(crate) added: Vec<Slot>,
}

impl Shared {
    /// What differs from the shared index.
    pub(crate) fn difference(&self, index: &Index) -> Difference {
        let (mut deleted, mut replaced_at) = (Vec::new(), Vec::new());
        let (mut replaced, mut added) = (Vec::new(), Vec::new());
        let mut base = self.slots.iter().zip(0_u32..).peekable();
        let key = |slot: &Slot| index.pool.entry(*slot).key();
        for slot in &index.slots {
            while let Some((_, position)) = base.next_if(|(old, _)| key(old) < key(slot)) {
                deleted.push(position);
            }
            match base.next_if(|(old, _)| key(old) == key(slot)) {
                None => added.push(*slot),
                // An entry that may have changed unseen is told anew, with the time at which it was.
                Some((old, _)) if *old == *slot && !index.is_racy(&index.pool.entry(*slot).stat()) => {}
                Some((_, position)) => {
                    replaced_at.push(position);
                    replaced.push(*slot);
                }
            }
        }
        deleted.extend(base.map(|(_, position)| position));
        let mut link = self.id.as_bytes().to_vec();
        if !self.id.is_null() {
            append_ewah(deleted, &mut link);
            append_ewah(replaced_at, &mut link);
        }
        Difference { link, replaced, added }
    }
}
