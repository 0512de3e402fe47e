//! `git diff --no-index`: what differs between two files or folders, whether or not a repository knows them.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use adit_diff::contents::Contents;
use adit_diff::diffcore::Diffcore;
use adit_diff::pathspec::Pathspec;
use adit_diff::show::{Attributes, Formats, NoAttributes, Printer, ShowOptions};
use adit_diff::{FilePair, Side, Status};
use adit_object::{Header, IdMap, ObjectFormat, ObjectId, ObjectKind, Source, SourceError, hash_object};
use bstr::{BStr, BString, ByteSlice};

use crate::context::Context;
use crate::error::Error;
use crate::options::diff::{DiffArgs, DiffSetup, Kind};
use crate::verdict::{Judge, Judged, Verdict};

/// Files by what is in them; each is read anew when it is needed.
struct Files {
    cwd: PathBuf,
    format: ObjectFormat,
    paths: IdMap<PathBuf>,
}

/// Compares two paths.
pub(super) fn run(
    ctx: &mut Context<'_>,
    mut args: DiffArgs,
    paths: &[BString],
    usage: String,
) -> Result<u8, Error> {
    let [old, new] = paths else {
        return Err(Error::Usage { message: None, usage });
    };
    let default = Formats { patch: true, ..Formats::default() };
    args.allow_external();
    // Outside of a repository the status always tells of differences.
    args.tell_of_differences();
    let setup = args.setup(ctx, None, Kind::Porcelain, default, Pathspec::default())?;
    let format = ctx.repo_if_any().map_or(ObjectFormat::Sha1, |repo| repo.object_format());
    let cwd = ctx.env.cwd().to_owned();
    let mut walk = Walk {
        cwd: &cwd,
        files: Files { cwd: cwd.clone(), format, paths: IdMap::default() },
        pairs: Vec::new(),
    };
    let (old, new) = walk.ends(old, new)?;
    walk.compare(Some(&old), Some(&new))?;
    let Walk { files, pairs, .. } = walk;
    let mut core = Diffcore::new(&files, &setup.core);
    let pairs = core.transform_with(pairs, &files)?;
    let mut out = Vec::new();
    // Inside of a repository its attributes count, whether or not it knows the files.
    let repo = ctx.repo_if_any();
    let known = repo.as_ref().map(|repo| repo.attributes()).transpose()?;
    let attributes: &dyn Attributes = known.as_ref().map_or(&NoAttributes, |known| known);
    let (shown, check_failed) = print(&setup, &pairs, &files, attributes, &mut out)?;
    ctx.streams.out.write_all(&out)?;
    let differs = match Judge::of(&setup) {
        Judge::Patches if setup.show.formats.patch => shown,
        judge => {
            let digits = digits(&setup);
            let mut printer = Printer::new(&setup.show, &files, attributes, &digits);
            judge.differs(&setup.show, &pairs, &mut printer, &files, attributes)?
        }
    };
    let mut verdict = Verdict::default();
    verdict.add(Judged { differs: Some(differs), check_failed });
    Ok(verdict.status(&setup))
}

fn digits(setup: &DiffSetup) -> impl Fn(&ObjectId) -> usize + Sync + use<> {
    let digits = setup.abbrev;
    move |id| digits.min(id.format().hex_len())
}

/// The three families of formats name the files each in their own way. Tells whether a patch has shown anything, and whether
/// `--check` has found anything.
fn print(
    setup: &DiffSetup,
    pairs: &[FilePair],
    files: &Files,
    attributes: &dyn Attributes,
    out: &mut Vec<u8>,
) -> Result<(bool, bool), Error> {
    let Formats { raw, name_status, patch, .. } = setup.show.formats;
    let lists = Formats { raw, name_status, ..Formats::default() };
    let stats = Formats { raw: false, name_status: false, patch: false, ..setup.show.formats };
    let abbreviate = digits(setup);
    let part = |formats: Formats, pairs: &[FilePair], out: &mut Vec<u8>| -> Result<(bool, bool), Error> {
        let show = ShowOptions { formats, ..setup.show.clone() };
        let mut printer = Printer::new(&show, files, attributes, &abbreviate);
        printer.print(pairs, out)?;
        Ok((printer.take_differs(), printer.take_check_failed()))
    };
    let has = |status| pairs.iter().any(|pair| pair.status == status);
    let is_hashed = setup.core.renames.is_some()
        && (has(Status::Renamed) || has(Status::Copied) || has(Status::Added) && has(Status::Deleted));
    let raw_pairs: Vec<FilePair> = pairs.iter().map(|pair| without_ids(pair, is_hashed)).collect();
    part(lists, &raw_pairs, out)?;
    let stat_pairs: Vec<FilePair> = pairs.iter().map(with_null_device).collect();
    let (mut shown, check_failed) = part(stats, &stat_pairs, out)?;
    if patch {
        if !out.is_empty() {
            out.push(setup.show.names.terminator());
        }
        let patch_pairs: Vec<FilePair> = pairs.iter().map(without_root).collect();
        shown = part(Formats { patch, ..Formats::default() }, &patch_pairs, out)?.0;
    }
    Ok((shown, check_failed))
}

/// The raw format shows ids only where the search for renames had to find them out.
fn without_ids(pair: &FilePair, is_hashed: bool) -> FilePair {
    let mut pair = pair.clone();
    if !is_hashed || matches!(pair.status, Status::Modified | Status::TypeChanged) {
        let null = ObjectId::null(pair.old.id.format());
        (pair.old.id, pair.new.id) = (null, null);
    }
    pair
}

fn with_null_device(pair: &FilePair) -> FilePair {
    let mut pair = pair.clone();
    for side in [&mut pair.old, &mut pair.new] {
        if !side.exists() {
            side.path = "/dev/null".into();
        }
    }
    pair
}

/// Headers of patches put their own prefix before a path.
fn without_root(pair: &FilePair) -> FilePair {
    let mut pair = pair.clone();
    for side in [&mut pair.old, &mut pair.new] {
        side.path = side.path.strip_prefix(b"/").unwrap_or(&side.path).into();
    }
    pair
}

/// A file that was found.
#[derive(Debug, Clone)]
struct Found {
    path: BString,
    is_folder: bool,
}

struct Walk<'w> {
    cwd: &'w Path,
    files: Files,
    pairs: Vec<FilePair>,
}

impl Walk<'_> {
    /// The two ends: a file compared with a folder stands for the file of its name in there.
    fn ends(&self, old: &BString, new: &BString) -> Result<(Found, Found), Error> {
        let (mut old, mut new) = (self.find(old.clone())?, self.find(new.clone())?);
        if old.is_folder && !new.is_folder {
            old = self.find(join(&old.path, base_name(&new.path)))?;
        } else if new.is_folder && !old.is_folder {
            new = self.find(join(&new.path, base_name(&old.path)))?;
        }
        Ok((old, new))
    }

    fn find(&self, path: BString) -> Result<Found, Error> {
        if path == "-" {
            return Err(Error::unsupported("comparing standard input"));
        }
        let inaccessible = |_| Error::failed(format!("Could not access '{path}'"));
        let meta = fs::symlink_metadata(self.cwd.join(path.to_path_lossy())).map_err(inaccessible)?;
        let is_folder = meta.is_dir();
        Ok(Found { path, is_folder })
    }

    fn compare(&mut self, old: Option<&Found>, new: Option<&Found>) -> Result<(), Error> {
        let mut todo = vec![(old.cloned(), new.cloned())];
        while let Some((old, new)) = todo.pop() {
            let is_folder = |found: &Option<Found>| found.as_ref().is_some_and(|found| found.is_folder);
            let (old_folder, new_folder) = (is_folder(&old), is_folder(&new));
            let (mut old, mut new) = (old, new);
            if old_folder != new_folder && old.is_some() && new.is_some() {
                // The file goes and the folder comes, or the other way round.
                if old_folder {
                    self.pair(None, new.take())?;
                } else {
                    self.pair(old.take(), None)?;
                }
            }
            if !old_folder && !new_folder {
                self.pair(old, new)?;
                continue;
            }
            let (old_names, new_names) = (self.names(old.as_ref())?, self.names(new.as_ref())?);
            let all: BTreeSet<&BString> = old_names.iter().chain(&new_names).collect();
            // The last is pushed first, so that the first comes next.
            for name in all.into_iter().rev() {
                let side = |names: &BTreeSet<BString>, folder: &Option<Found>| match folder {
                    Some(folder) if names.contains(name) => {
                        self.find(join(&folder.path, name.as_bstr())).map(Some)
                    }
                    _ => Ok(None),
                };
                todo.push((side(&old_names, &old)?, side(&new_names, &new)?));
            }
        }
        Ok(())
    }

    fn names(&self, folder: Option<&Found>) -> Result<BTreeSet<BString>, Error> {
        let Some(folder) = folder else { return Ok(BTreeSet::new()) };
        let unreadable = |error: std::io::Error| {
            let why = adit_sys::os_error(&error);
            Error::failed(format!("Could not access '{}': {why}", folder.path))
        };
        let entries = fs::read_dir(self.cwd.join(folder.path.to_path_lossy())).map_err(unreadable)?;
        entries.map(|entry| Ok(entry.map_err(unreadable)?.file_name().into_vec().into())).collect()
    }

    fn pair(&mut self, old: Option<Found>, new: Option<Found>) -> Result<(), Error> {
        let null = ObjectId::null(self.files.format);
        let path = old.as_ref().or(new.as_ref()).map(|found| found.path.clone()).unwrap_or_default();
        let mut side = |found: Option<Found>| match found {
            Some(found) => self.files.side(self.cwd, found.path),
            None => Ok(Side::absent(path.as_bstr(), null)),
        };
        let (old, new) = (side(old)?, side(new)?);
        if old.id == new.id && old.mode == new.mode {
            return Ok(());
        }
        let pair = FilePair::new(old, new);
        let is_swap = pair.status == Status::TypeChanged && pair.old.path != pair.new.path;
        if !is_swap {
            self.pairs.push(pair);
            return Ok(());
        }
        // A file and a link of different names are no change of one file's type.
        let FilePair { old, new, .. } = pair;
        let (gone, nothing) =
            (Side::absent(old.path.as_bstr(), null), Side::absent(new.path.as_bstr(), null));
        self.pairs.push(FilePair::new(old, gone));
        self.pairs.push(FilePair::new(nothing, new));
        Ok(())
    }
}

fn join(folder: &BString, name: &BStr) -> BString {
    let slash: &[u8] = if folder.ends_with(b"/") { b"" } else { b"/" };
    [folder.as_slice(), slash, name.as_bytes()].concat().into()
}

fn base_name(path: &BString) -> &BStr {
    path.rfind_byte(b'/').map_or(path.as_bstr(), |at| path[at + 1..].as_bstr())
}

impl Files {
    /// A file as a side of a pair.
    fn side(&mut self, cwd: &Path, path: BString) -> Result<Side, Error> {
        let place = cwd.join(path.to_path_lossy());
        let failed = |error: std::io::Error| {
            Error::failed(format!("Could not access '{path}': {}", adit_sys::os_error(&error)))
        };
        let meta = fs::symlink_metadata(&place).map_err(failed)?;
        let mode = match meta.file_type() {
            kind if kind.is_symlink() => 0o120000,
            _ if meta.permissions().mode() & 0o100 != 0 => 0o100755,
            _ => 0o100644,
        };
        let content = read_file(&place).map_err(failed)?;
        let id = hash_object(self.format, ObjectKind::Blob, &content)
            .map_err(|error| Error::fatal(error.to_string()))?;
        self.paths.insert(id, place);
        Ok(Side { mode, id, path })
    }

    fn path(&self, id: &ObjectId) -> Result<&Path, SourceError> {
        self.paths.get(id).map(PathBuf::as_path).ok_or(SourceError::Missing(*id))
    }
}

fn read_file(path: &Path) -> std::io::Result<Vec<u8>> {
    if fs::symlink_metadata(path)?.is_symlink() {
        return Ok(fs::read_link(path)?.as_os_str().as_bytes().to_owned());
    }
    fs::read(path)
}

impl Source for Files {
    fn format(&self) -> ObjectFormat {
        self.format
    }

    fn try_read(&self, id: &ObjectId, out: &mut Vec<u8>) -> Result<Option<ObjectKind>, SourceError> {
        let path = self.path(id)?;
        *out = read_file(path).map_err(|error| SourceError::Io { path: path.to_owned(), error })?;
        Ok(Some(ObjectKind::Blob))
    }

    fn try_header(&self, id: &ObjectId) -> Result<Option<Header>, SourceError> {
        let mut content = Vec::new();
        let kind = self.try_read(id, &mut content)?;
        Ok(kind.map(|kind| Header { kind, size: content.len() as u64 }))
    }
}

impl Contents for Files {
    fn read(&self, side: &Side, out: &mut Vec<u8>) -> Result<(), SourceError> {
        adit_diff::contents::Objects(self).read(side, out)
    }

    fn file(&self, side: &Side) -> Option<PathBuf> {
        let path = side.exists().then(|| self.path(&side.id).ok()).flatten()?;
        Some(path.strip_prefix(&self.cwd).unwrap_or(path).to_owned())
    }

    fn size(&self, side: &Side) -> Result<u64, SourceError> {
        adit_diff::contents::Objects(self).size(side)
    }
}
