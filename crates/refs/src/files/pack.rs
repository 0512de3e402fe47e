//! Packing loose references: into `packed-refs` first, and only then is a file removed, under the reference's own lock
//! and if it still holds what was packed (git-pack-refs).

use adit_object::{ObjectId, Source};
use adit_sys::SmallFile;
use adit_text::wildmatch::{self, wildmatch};
use bstr::{BStr, BString, ByteSlice};

use super::folders::{self, Folders, Tree};
use super::listing::{self, Names};
use super::packed_write::{PackedLock, peel};
use super::{Files, lock, loose};
use crate::backend::IterOptions;
use crate::name::{self, Rules};
use crate::update_error::{LockFailure, Obstacle};
use crate::write_options::WriteOptions;
use crate::{Error, Target, UpdateError};

/// Which references are packed.
#[derive(Debug, Clone, Default)]
pub struct PackOptions {
    /// All of them; else tags, unless `include` says which.
    pub all: bool,
    /// Patterns of names that are packed.
    pub include: Vec<BString>,
    /// Patterns of names that are not packed, even if `include` has them.
    pub exclude: Vec<BString>,
    /// Whether the files of what is packed stay.
    pub keep_loose: bool,
    /// Only if there are so many files that it is worth while.
    pub if_needed: bool,
}

/// What was left undone.
#[derive(Debug, Default)]
pub struct PackReport {
    /// References to objects that are not there; they were not packed.
    pub missing: Vec<BString>,
    /// References whose files stay because they could not be locked.
    pub kept: Vec<UpdateError>,
}

impl PackOptions {
    /// Whether `name` is packed.
    fn wants(&self, name: &BStr) -> bool {
        let matches = |patterns: &[BString]| {
            patterns.iter().any(|pattern| wildmatch(pattern, name, wildmatch::Options::FLAT))
        };
        if !name::is_valid(name, Rules::default()) || name::is_per_worktree(name) || matches(&self.exclude) {
            return false;
        }
        self.all
            || if self.include.is_empty() { name.starts_with(b"refs/tags/") } else { matches(&self.include) }
    }
}

/// A loose reference to be packed.
struct Loose {
    /// Its place in the listing.
    at: usize,
    id: ObjectId,
    /// What it leads to if it is a tag.
    peeled: Option<ObjectId>,
}

/// So many loose references are worth a new `packed-refs` of `size` bytes: the larger it is, the more.
fn worth_while(size: u64) -> usize {
    const LEAST: usize = 16;
    const BYTES_PER_REFERENCE: u64 = 100;
    let steps = (size / BYTES_PER_REFERENCE).checked_ilog2().unwrap_or(0) as usize;
    (5 * steps).max(LEAST)
}

/// Packs what `options` ask for.
pub(super) fn pack(
    files: &Files,
    options: &PackOptions,
    write: &WriteOptions<'_>,
) -> Result<PackReport, UpdateError> {
    let mut report = PackReport::default();
    if options.if_needed {
        let names = listing::loose_names(files, &IterOptions::default())?;
        let count = names.iter().filter(|name| options.wants(name)).count();
        if count < worth_while(files.packed()?.end() as u64) {
            return Ok(report);
        }
    }
    let mut lock = PackedLock::acquire(files, write)?;
    let old = files.packed()?;
    let names = listing::loose_names(files, &IterOptions::default())?;
    let found = read(files, &names, options, write, &mut report)?;
    let mut writer = lock.start(write)?;
    let mut from = old.lower_bound(b"")?;
    for Loose { at, id, peeled } in &found {
        let Some(name) = names.get(*at) else { continue };
        let place = old.gallop(from, name)?;
        writer.copy(&old, from, place, write.objects)?;
        writer.reference(name, id, peeled.as_ref())?;
        from = old.record_named(place, name)?.unwrap_or(place);
    }
    writer.copy(&old, from, old.end(), write.objects)?;
    lock.hold(writer)?;
    lock.replace()?;
    drop(lock);
    if !options.keep_loose {
        prune(files, &names, &found, write, &mut report)?;
    }
    Ok(report)
}

/// Reads the loose references that are to be packed.
fn read(
    files: &Files,
    names: &Names,
    options: &PackOptions,
    write: &WriteOptions<'_>,
    report: &mut PackReport,
) -> Result<Vec<Loose>, UpdateError> {
    let mut folders = Folders::new(files, Tree::References, write.sharing);
    let mut found = Vec::new();
    for (at, name) in names.iter().enumerate().filter(|(_, name)| options.wants(name)) {
        let Some(Target::Direct(id)) = value(files, &mut folders, name)? else { continue };
        match write.objects.map(|objects| tagged(objects, &id)).transpose()? {
            Some(None) => report.missing.push(name.to_owned()),
            Some(Some(peeled)) => found.push(Loose { at, id, peeled }),
            None => found.push(Loose { at, id, peeled: None }),
        }
    }
    Ok(found)
}

/// What `id` leads to if it is a tag; `None` if it is not there.
fn tagged(objects: &dyn Source, id: &ObjectId) -> Result<Option<Option<ObjectId>>, UpdateError> {
    match objects.try_header(id)?.map(|header| header.kind) {
        None => Ok(None),
        Some(adit_object::ObjectKind::Tag) => Ok(Some(peel(objects, id)?)),
        Some(_) => Ok(Some(None)),
    }
}

/// What the file of a loose reference holds, if there is one.
fn value(files: &Files, folders: &mut Folders<'_>, name: &BStr) -> Result<Option<Target>, Error> {
    let (last, _) = lock::file_names(name);
    let io = |error| Error::Io { path: files.path_of(name), error };
    let Some((folder, _)) = folders.existing(name).map_err(io)? else { return Ok(None) };
    let mut content = Vec::with_capacity(128);
    match folder.read_small(last, loose::LIMIT, &mut content).map_err(io)? {
        SmallFile::Content => Ok(Some(loose::parse(files.format, &content))),
        // A link is a symbolic reference, or leads to a file that is not ours to remove.
        SmallFile::Link | SmallFile::Folder | SmallFile::Missing => Ok(None),
    }
}

/// Removes the files of what was packed, unless they changed meanwhile.
fn prune(
    files: &Files,
    names: &Names,
    packed: &[Loose],
    write: &WriteOptions<'_>,
    report: &mut PackReport,
) -> Result<(), UpdateError> {
    let mut folders = Folders::new(files, Tree::References, write.sharing);
    let mut last = BString::default();
    for Loose { at, id, .. } in packed {
        let Some(name) = names.get(*at) else { continue };
        let (file_name, lock_name) = lock::file_names(name);
        let io = |error| UpdateError::Write { path: files.path_of(name), error };
        let held = match lock::reference(&mut folders, name, write.reference_patience) {
            Ok((held, _)) => held,
            Err(failure) => {
                report.kept.push(kept(name, failure));
                continue;
            }
        };
        let unchanged = value(files, &mut folders, name)? == Some(Target::Direct(*id));
        let Some((folder, _)) = folders.existing(name).map_err(io)? else { continue };
        if unchanged {
            folder.remove_file(file_name).map_err(io)?;
        }
        held.remove_in(folder, &lock_name).map_err(io)?;
        let part = &name[..name.rfind_byte(b'/').unwrap_or(0)];
        if last != part {
            if !last.is_empty() {
                remove_folder(files, &last);
            }
            last = part.into();
        }
    }
    if !last.is_empty() {
        remove_folder(files, &last);
    }
    Ok(())
}

fn kept(name: &BStr, failure: LockFailure) -> UpdateError {
    UpdateError::Lock { name: name.to_owned(), why: Obstacle::File(failure) }
}

/// Removes the folder `folder`, a part of names, and those above it, if they are empty.
fn remove_folder(files: &Files, folder: &BString) {
    let inside = [folder.as_slice(), b"/x"].concat();
    folders::remove_empty_parents(files, Tree::References, inside.as_bstr());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn larger_files_are_written_less_often() {
        for (size, least) in
            [(0, 16), (103, 16), (1015, 16), (5005, 25), (20053, 35), (100_024, 45), (500_050, 60)]
        {
            assert_eq!(worth_while(size), least, "{size}");
        }
    }

    #[test]
    fn which_names_are_packed() {
        let wants = |include: &[&str], exclude: &[&str], name: &str| {
            let list = |patterns: &[&str]| patterns.iter().map(|pattern| BString::from(*pattern)).collect();
            let options =
                PackOptions { include: list(include), exclude: list(exclude), ..PackOptions::default() };
            options.wants(name.into())
        };
        assert!(wants(&[], &[], "refs/tags/a/b") && !wants(&[], &[], "refs/heads/a"));
        assert!(
            wants(&["refs/heads/*"], &[], "refs/heads/a/b") && !wants(&["refs/heads/*"], &[], "refs/tags/a")
        );
        assert!(!wants(&["*"], &["refs/*/b"], "refs/heads/a/b") && !wants(&["*"], &[], "refs/bisect/bad"));
    }
}
