//! Writing `packed-refs`: under its lock, beside it as `packed-refs.new`, then renamed into place (git-pack-refs).
//!
//! What does not change is copied from the old file in long runs, not parsed.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use adit_object::{ObjectId, Source};
use adit_sys::{Durability, Folder, LockFile, Temporary};
use bstr::{BStr, ByteSlice};

use super::packed::PackedRefs;
use super::{Files, lock};
use crate::UpdateError;
use crate::write_options::WriteOptions;

/// The header that git writes: all that can be said of a file whose every tag is peeled.
const HEADER: &[u8] = b"# pack-refs with: peeled fully-peeled sorted \n";

/// The lock of `packed-refs`. While it is held, only its holder changes the file.
#[derive(Debug)]
pub(super) struct PackedLock {
    lock: LockFile,
    /// The new file, complete.
    new: Option<NewFile>,
}

#[derive(Debug)]
struct NewFile {
    temporary: Temporary,
    folder: Folder,
    name: Vec<u8>,
    target: PathBuf,
}

impl PackedLock {
    pub(super) fn acquire(files: &Files, options: &WriteOptions<'_>) -> Result<Self, UpdateError> {
        let lock = lock::file(&files.packed_path, options.packed_patience)?;
        Ok(PackedLock { lock, new: None })
    }

    /// Starts the new file.
    pub(super) fn start(&self, options: &WriteOptions<'_>) -> Result<Writer, UpdateError> {
        let target = self.lock.target();
        let (folder_path, name) = match (target.parent(), target.file_name()) {
            (Some(folder), Some(name)) => (folder, name.as_encoded_bytes().to_vec()),
            _ => return Err(write_error(target.to_owned())(io::ErrorKind::InvalidInput.into())),
        };
        let failed = write_error(target.with_file_name("packed-refs.new"));
        let folder = match Folder::open(folder_path) {
            Ok(Some(folder)) => folder,
            Ok(None) => return Err(failed(io::ErrorKind::NotFound.into())),
            Err(error) => return Err(failed(error)),
        };
        let new_name = [name.as_slice(), b".new"].concat();
        let path = folder_path.join(new_name.to_path_lossy());
        // Left by a process that was stopped: whoever holds the lock may remove it.
        folder.remove_file(&new_name).map_err(write_error(path.clone()))?;
        let (temporary, file) = Temporary::create_in(&folder, &new_name, path.clone(), 0o666)
            .map_err(write_error(path.clone()))?;
        options.sharing.adjust(&path).map_err(write_error(path.clone()))?;
        let mut out = BufWriter::with_capacity(1 << 16, file);
        out.write_all(HEADER).map_err(write_error(path))?;
        let new = NewFile { temporary, folder, name, target: target.to_owned() };
        Ok(Writer { out, new, durability: options.durability })
    }

    /// Takes over a file that is written.
    pub(super) fn hold(&mut self, writer: Writer) -> Result<(), UpdateError> {
        self.new = Some(writer.finish()?);
        Ok(())
    }

    /// Puts the new file in its place, if there is one; the lock stays.
    pub(super) fn replace(&mut self) -> Result<(), UpdateError> {
        let Some(NewFile { temporary, folder, name, target }) = self.new.take() else { return Ok(()) };
        let new_name = [name.as_slice(), b".new"].concat();
        temporary.rename(&folder, &new_name, &name).map_err(write_error(target))
    }
}

fn write_error(path: PathBuf) -> impl FnOnce(io::Error) -> UpdateError {
    move |error| UpdateError::Write { path, error }
}

/// A new `packed-refs` that is being written; names must come in order.
pub(super) struct Writer {
    out: BufWriter<File>,
    new: NewFile,
    durability: Durability,
}

impl Writer {
    fn write(&mut self, bytes: &[u8]) -> Result<(), UpdateError> {
        self.out.write_all(bytes).map_err(write_error(self.new.temporary.path().to_owned()))
    }

    /// Writes a reference; `peeled` is what it leads to if it is a tag.
    pub(super) fn reference(
        &mut self,
        name: &BStr,
        id: &ObjectId,
        peeled: Option<&ObjectId>,
    ) -> Result<(), UpdateError> {
        let mut hex = [0; 64];
        self.write(id.encode_hex(&mut hex))?;
        self.write(b" ")?;
        self.write(name)?;
        self.write(b"\n")?;
        if let Some(peeled) = peeled {
            self.write(b"^")?;
            self.write(peeled.encode_hex(&mut hex))?;
            self.write(b"\n")?;
        }
        Ok(())
    }

    /// Copies the records of `old` from one place to another.
    pub(super) fn copy(
        &mut self,
        old: &PackedRefs,
        from: usize,
        to: usize,
        objects: Option<&dyn Source>,
    ) -> Result<(), UpdateError> {
        if old.is_fully_peeled() {
            return self.write(old.bytes(from, to));
        }
        // An old file may not say what its tags lead to, and this one says that it does.
        let mut at = from;
        while at < to {
            let Some(item) = old.item(at)? else { break };
            match (&item.target, item.peeled, objects) {
                (crate::Target::Direct(id), None, Some(objects)) => {
                    let peeled = peel(objects, id)?;
                    self.reference(old.name(&item), id, peeled.as_ref())?;
                }
                _ => self.write(old.bytes(at, item.next))?,
            }
            at = item.next;
        }
        Ok(())
    }

    fn finish(self) -> Result<NewFile, UpdateError> {
        let Writer { out, new, durability } = self;
        let failed = write_error(new.temporary.path().to_owned());
        let synced =
            out.into_inner().map_err(io::IntoInnerError::into_error).and_then(|file| match durability {
                Durability::None => Ok(()),
                Durability::Content => file.sync_all(),
            });
        synced.map_err(failed)?;
        Ok(new)
    }
}

/// The object that the tag `id` leads to; `None` when it is no tag, or leads to nothing that is there.
pub(super) fn peel(objects: &dyn Source, id: &ObjectId) -> Result<Option<ObjectId>, UpdateError> {
    use adit_object::{ObjectKind, Tag};
    let mut target = *id;
    let mut content = Vec::new();
    while let Some(header) = objects.try_header(&target)? {
        if header.kind != ObjectKind::Tag {
            return Ok((target != *id).then_some(target));
        }
        objects.read(&target, &mut content)?;
        match Tag::parse(target.format(), &content) {
            Ok(tag) => target = tag.target(),
            Err(_) => return Ok(None),
        }
    }
    Ok(None)
}

/// What becomes of a reference: the object it holds and what that leads to if it is a tag, or nothing.
pub(super) type NewValue = Option<(ObjectId, Option<ObjectId>)>;

/// Writes `old` with other values for some references, which are in order. Nothing is written when that is no change.
pub(super) fn with_changes(
    lock: &mut PackedLock,
    old: &PackedRefs,
    changes: &[(&BStr, NewValue)],
    options: &WriteOptions<'_>,
) -> Result<(), UpdateError> {
    // Where the record of each is or would be, and where the next one starts.
    let mut places: Vec<(usize, usize)> = Vec::with_capacity(changes.len());
    let mut at = old.lower_bound(b"")?;
    let (first, mut changed) = (at, false);
    for (name, value) in changes {
        at = if places.is_empty() { old.lower_bound_from(at, name)? } else { old.gallop(at, name)? };
        let next = old.record_named(at, name)?;
        changed = changed || next.is_some() || value.is_some();
        places.push((at, next.unwrap_or(at)));
        at = next.unwrap_or(at);
    }
    if !changed {
        return Ok(());
    }
    let mut writer = lock.start(options)?;
    let mut from = first;
    for ((name, value), (start, next)) in changes.iter().zip(places) {
        writer.copy(old, from, start, options.objects)?;
        if let Some((id, peeled)) = value {
            writer.reference(name, id, peeled.as_ref())?;
        }
        from = next;
    }
    writer.copy(old, from, old.end(), options.objects)?;
    lock.hold(writer)
}
