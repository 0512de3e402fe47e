//! One pack looked at alone: what lies in it, and whether all of it is what it should be (git-verify-pack).

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use adit_object::{Checksum, ObjectFormat, ObjectId, ObjectKind, hash_object};

use crate::fault::{Damage, Fault};
use crate::pack::Pack;
use crate::pack::entry::Storage;
use crate::store::Store;

/// An object of a pack, as it lies there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PackedObject {
    /// The object.
    pub id: ObjectId,
    /// Its kind.
    pub kind: ObjectKind,
    /// The size of its data: of the delta, if it is one.
    pub size: u64,
    /// How many bytes of the pack it takes.
    pub disk_size: u64,
    /// Where it starts.
    pub offset: u64,
    /// How many deltas lie between it and a whole object, and what its own is against; `None` for a whole one.
    pub delta: Option<(u32, ObjectId)>,
}

/// A pack and its index, opened alone.
#[derive(Debug)]
pub struct LonePack {
    store: Store,
    pack: Arc<Pack>,
}

impl LonePack {
    /// Opens the pack at `path`, which ends in `.pack`, and its index.
    ///
    /// # Errors
    /// When one of them cannot be used; the error names it.
    pub fn open(path: &Path, format: ObjectFormat) -> Result<LonePack, Damage> {
        let pack = Arc::new(Pack::open(path, format));
        pack.index().and_then(|_| pack.data()).map_err(Fault::damage)?;
        Ok(LonePack { store: Store::of_pack(Arc::clone(&pack), format), pack })
    }

    /// The objects in the order in which they lie.
    ///
    /// # Errors
    /// When a header is damaged.
    pub fn objects(&self) -> Result<Vec<PackedObject>, Damage> {
        self.list().map_err(Fault::damage)
    }

    fn list(&self) -> Result<Vec<PackedObject>, Fault> {
        let pack = &self.pack;
        let (index, reverse, end) = (pack.index()?, pack.reverse()?, pack.data()?.len() as u64);
        let mut objects: Vec<PackedObject> = Vec::with_capacity(index.count() as usize);
        for rank in 0..index.count() {
            let out_of_order = || Fault::bad(pack.path(), "the objects of the index do not lie in the pack");
            let offset = reverse.offset(index, rank).ok_or_else(out_of_order)?;
            let next = if rank + 1 < index.count() { reverse.offset(index, rank + 1) } else { Some(end) };
            let disk_size = next.and_then(|next| next.checked_sub(offset)).ok_or_else(out_of_order)?;
            let entry = pack.entry(offset)?;
            let kind = pack.kind(offset, &self.store.kinds)?;
            let delta = match entry.storage {
                Storage::Whole(_) => None,
                Storage::Delta(base) => {
                    let base = pack.base_offset(offset, base)?;
                    Some(match objects.binary_search_by_key(&base, |object| object.offset) {
                        Ok(at) => (objects[at].delta.map_or(0, |(depth, _)| depth) + 1, objects[at].id),
                        Err(_) => (pack.chain(offset).len() as u32 - 1, index.id(pack.position_at(base)?)),
                    })
                }
            };
            let id = index.id(reverse.position(rank));
            objects.push(PackedObject { id, kind, size: entry.size, disk_size, offset, delta });
        }
        Ok(objects)
    }

    /// Checks both checksums, and that each object has the hash that it is called by.
    ///
    /// # Errors
    /// The first damage that is found; it names the file.
    pub fn verify(&self) -> Result<(), Damage> {
        let index = self.pack.index().map_err(Fault::damage)?;
        let index_path = self.pack.path().with_extension("idx");
        self.check_sum(&index_path, index.bytes())?;
        self.check_sum(self.pack.path(), self.pack.bytes()?)?;
        let bulk = self.store.bulk_all().map_err(|error| self.damage(error.to_string()))?;
        let start = || None;
        let found = bulk.fold(start, |bad: &mut Option<Damage>, id, object| {
            let what = match object {
                Ok((kind, bytes)) => match hash_object(id.format(), kind, bytes) {
                    Ok(hash) if hash == *id => return ControlFlow::Continue(()),
                    Ok(hash) => format!("object {id} has the hash {hash}"),
                    Err(error) => format!("object {id}: {error}"),
                },
                Err(error) => error.to_string(),
            };
            *bad = Some(self.damage(what));
            ControlFlow::Break(())
        });
        found.into_iter().flatten().next().map_or(Ok(()), Err)
    }

    fn damage(&self, what: String) -> Damage {
        Damage { path: self.pack.path().to_owned(), what: what.into() }
    }

    fn check_sum(&self, path: &Path, bytes: &[u8]) -> Result<(), Damage> {
        let format = self.store.format;
        let (content, sum) = bytes.split_at(bytes.len().saturating_sub(format.len()));
        if Checksum::of(format, content).as_bytes() == sum {
            return Ok(());
        }
        Err(Damage { path: path.to_owned(), what: "the checksum at its end does not match".into() })
    }
}
