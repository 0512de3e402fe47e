//! Abbreviated ids: which objects start with some digits, and how many digits tell an object from all others.

use std::ops::ControlFlow;
use std::sync::Arc;

use adit_object::{ObjectId, Prefix, SourceError};

use crate::midx::MultiPackIndex;
use crate::pack::index::PackIndex;
use crate::snapshot::Snapshot;
use crate::store::Store;

/// Ids in sorted order, wherever they are listed.
pub(crate) enum SortedIds<'a> {
    Midx(&'a MultiPackIndex),
    Pack(&'a PackIndex),
    Loose(&'a [ObjectId]),
}

impl SortedIds<'_> {
    fn count(&self) -> u32 {
        match self {
            SortedIds::Midx(index) => index.count(),
            SortedIds::Pack(index) => index.count(),
            SortedIds::Loose(ids) => ids.len() as u32,
        }
    }

    fn id(&self, position: u32) -> ObjectId {
        match self {
            SortedIds::Midx(index) => index.id(position),
            SortedIds::Pack(index) => index.id(position),
            SortedIds::Loose(ids) => ids[position as usize],
        }
    }

    fn lower_bound(&self, id: &ObjectId) -> u32 {
        match self {
            SortedIds::Midx(index) => index.lower_bound(id),
            SortedIds::Pack(index) => index.lower_bound(id),
            SortedIds::Loose(ids) => ids.partition_point(|other| other < id) as u32,
        }
    }

    fn with_prefix(&self, prefix: &Prefix) -> impl Iterator<Item = ObjectId> {
        let first = self.lower_bound(prefix.lowest());
        (first..self.count()).map(|position| self.id(position)).take_while(|id| prefix.matches(id))
    }

    /// The ids whose first byte this is.
    pub(crate) fn starting_with(&self, first: u8) -> impl Iterator<Item = ObjectId> {
        let (start, end) = match self {
            SortedIds::Midx(index) => index.bucket(first),
            SortedIds::Pack(index) => index.bucket(first),
            SortedIds::Loose(ids) => {
                let at = |byte: u16| ids.partition_point(|id| u16::from(id.first_byte()) < byte) as u32;
                (at(u16::from(first)), at(u16::from(first) + 1))
            }
        };
        (start..end).map(|position| self.id(position))
    }

    /// The most digits that `id` shares with another id listed here.
    fn shared_digits(&self, id: &ObjectId) -> usize {
        let at = self.lower_bound(id);
        let before = at.checked_sub(1).map(|at| self.id(at));
        let mut after = (at..self.count()).take(2).map(|at| self.id(at)).filter(|other| other != id);
        [before, after.next()].iter().flatten().map(|other| shared_digits(id, other)).max().unwrap_or(0)
    }
}

/// How many leading hexadecimal digits two ids share.
fn shared_digits(a: &ObjectId, b: &ObjectId) -> usize {
    let pairs = a.as_bytes().iter().zip(b.as_bytes());
    let same = pairs.clone().take_while(|(a, b)| a == b).count();
    match pairs.clone().nth(same) {
        Some((a, b)) if a >> 4 == b >> 4 => same * 2 + 1,
        _ => same * 2,
    }
}

impl Snapshot {
    /// The id tables of the multi-pack-indexes and of the packs that none lists.
    pub(crate) fn tables(&self) -> impl Iterator<Item = SortedIds<'_>> {
        let midxes = self.midxes.iter().map(|midx| SortedIds::Midx(&midx.index));
        midxes.chain(self.packs.iter().filter_map(|pack| pack.index_or_none().map(SortedIds::Pack)))
    }
}

impl Store {
    /// Calls `each` with every object whose id starts with `prefix`, each once, in order, until it breaks.
    pub fn for_each_with_prefix(
        &self,
        prefix: &Prefix,
        each: impl FnMut(ObjectId) -> ControlFlow<()>,
    ) -> Result<(), SourceError> {
        let mut snapshot = self.snapshot();
        let mut found = self.with_prefix(&snapshot, prefix, false)?;
        if found.is_empty() {
            if snapshot.is_stale() {
                snapshot = self.rescan(Some(&snapshot));
            }
            found = self.with_prefix(&snapshot, prefix, true)?;
        }
        found.sort_unstable();
        found.dedup();
        let _ = found.into_iter().try_for_each(each);
        Ok(())
    }

    fn with_prefix(
        &self,
        snapshot: &Arc<Snapshot>,
        prefix: &Prefix,
        fresh: bool,
    ) -> Result<Vec<ObjectId>, SourceError> {
        let mut found: Vec<_> =
            snapshot.tables().flat_map(|ids| ids.with_prefix(prefix).collect::<Vec<_>>()).collect();
        let first = prefix.lowest().first_byte();
        let last = if prefix.hex_len() == 1 { first | 15 } else { first };
        for first in first..=last {
            for folder in self.folders() {
                if fresh {
                    found.extend(folder.list(first)?.into_iter().filter(|id| prefix.matches(id)));
                } else {
                    found.extend(SortedIds::Loose(folder.known(first)?).with_prefix(prefix));
                }
            }
        }
        Ok(found)
    }

    /// The smallest number of digits, `min_len` or more, that tells `id` from every other object. `id` need not be here.
    pub fn abbreviate(&self, id: &ObjectId, min_len: usize) -> Result<usize, SourceError> {
        let full = self.format.hex_len();
        if min_len >= full {
            return Ok(full);
        }
        let snapshot = self.snapshot();
        let mut shared = snapshot.tables().map(|ids| ids.shared_digits(id)).max().unwrap_or(0);
        for folder in self.folders() {
            shared = shared.max(SortedIds::Loose(folder.known(id.first_byte())?).shared_digits(id));
        }
        Ok(min_len.max(shared + 1).min(full))
    }

    /// The number of digits that ids are abbreviated to when nothing is configured (`core.abbrev=auto`): enough that, in
    /// a repository with so many packed objects, two of them are not likely to share them.
    pub fn auto_abbreviation(&self) -> usize {
        let count = self.packed_count();
        let bits = (u64::BITS - count.leading_zeros()) as usize;
        bits.div_ceil(2).max(MIN_AUTO)
    }

    /// How many objects the packs hold; one that is in several packs may count several times.
    pub fn packed_count(&self) -> u64 {
        self.snapshot().tables().map(|ids| u64::from(ids.count())).sum()
    }
}

/// Automatic abbreviations are never shorter.
const MIN_AUTO: usize = 7;
