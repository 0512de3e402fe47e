//! What lies in a working tree besides the files that are tracked (git-ls-files `--others`, git-status).
//!
//! Folders are read relative to the open folder that holds them, and each once. A folder whose entries are all of a kind
//! can be told as one, with a slash at its end.

use std::io;
use std::path::Path;

use adit_index::Index;
use adit_object::EntryKind;
use adit_sys::{EntryType, Folder, SmallFile};
use bstr::{BStr, BString, ByteSlice};

use crate::Ignore;
use crate::ignore::{Level, Verdict};

/// Longer paths are passed over: no program could name them.
const LONGEST_PATH: usize = 4096;
/// The most that is read of a file of ignore patterns.
const LARGEST_IGNORE_FILE: usize = 100 << 20;

/// What the index has under a name of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrackedAs {
    /// A file or a symbolic link.
    File,
    /// A submodule.
    Submodule,
    /// A folder with entries in it.
    Folder,
}

/// Tells what is tracked.
pub trait Tracked: Sync {
    /// Calls `each` with every name that the index has in `folder` (empty for the top, else with a slash at its end).
    fn names(&self, folder: &BStr, each: &mut dyn FnMut(&[u8], TrackedAs));
}

impl Tracked for Index {
    fn names(&self, folder: &BStr, each: &mut dyn FnMut(&[u8], TrackedAs)) {
        let mut inner = BString::default();
        let mut range = self.below(folder);
        while range.start < range.end {
            let entry = self.entry(range.start);
            let below = &entry.path()[folder.len()..];
            match below.find_byte(b'/') {
                Some(slash) => {
                    each(&below[..slash], TrackedAs::Folder);
                    inner.clear();
                    inner.extend_from_slice(&entry.path()[..=folder.len() + slash]);
                    range.start = self.below(&inner).end.max(range.start + 1);
                }
                None => {
                    let is_submodule = entry.kind() == EntryKind::Gitlink;
                    each(below, if is_submodule { TrackedAs::Submodule } else { TrackedAs::File });
                    range.start = self.stages(entry.path()).end.max(range.start + 1);
                }
            }
        }
    }
}

/// How ignored files are told of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IgnoredMode {
    /// Not at all.
    #[default]
    Hidden,
    /// Each by itself; folders that hold nothing else as one, if folders are told as one.
    Traditional,
    /// What patterns match: a folder that matches as one.
    Matching,
}

/// What is told of.
#[derive(Debug, Clone, Copy, Default)]
pub struct WalkOptions {
    /// A folder in which nothing is tracked is told as one.
    pub collapse: bool,
    /// Folders told as one are told even when they hold no file.
    pub empty_folders: bool,
    /// How ignored files are told of.
    pub ignored: IgnoredMode,
}

/// What a path was found to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Not tracked, and not ignored.
    Untracked,
    /// Not tracked, and ignored.
    Ignored,
}

/// What a walk found.
#[derive(Debug, Default)]
pub struct Found {
    bytes: Vec<u8>,
    entries: Vec<(usize, usize, Kind)>,
    unreadable: Vec<(BString, io::Error)>,
}

impl Found {
    /// The paths of a kind, in the order of bytes; those of folders end in a slash.
    pub fn paths(&self, kind: Kind) -> impl Iterator<Item = &BStr> {
        self.entries.iter().filter(move |entry| entry.2 == kind).map(|entry| self.path(entry))
    }

    /// The folders that could not be read, and why.
    pub fn unreadable(&self) -> &[(BString, io::Error)] {
        &self.unreadable
    }

    fn path(&self, (start, end, _): &(usize, usize, Kind)) -> &BStr {
        self.bytes[*start..*end].as_bstr()
    }

    fn push(&mut self, path: &[u8], kind: Kind) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(path);
        self.entries.push((start, self.bytes.len(), kind));
    }

    /// Takes back what was found since there were `count` entries, of one kind or of all.
    fn forget(&mut self, count: usize, kind: Option<Kind>) {
        let mut number = 0;
        self.entries.retain(|entry| {
            number += 1;
            number <= count || kind.is_some_and(|kind| entry.2 != kind)
        });
    }

    fn sort(&mut self) {
        let bytes = &self.bytes;
        self.entries.sort_by(|a, b| bytes[a.0..a.1].cmp(&bytes[b.0..b.1]));
    }
}

/// Walks the working tree at `top`. `is_repository` tells whether a folder has a repository of its own; such a folder is
/// told as one and not entered.
///
/// # Errors
/// When the top cannot be read.
pub fn walk(
    top: &Path,
    ignore: &Ignore,
    tracked: &dyn Tracked,
    is_repository: &(dyn Fn(&Folder) -> bool + Sync),
    options: WalkOptions,
) -> io::Result<Found> {
    let Some(folder) = Folder::open(top)? else { return Err(io::ErrorKind::NotFound.into()) };
    let mut walk =
        Walk { ignore, tracked, is_repository, options, found: Found::default(), path: Vec::new() };
    let listing = Listing::read(&folder)?;
    walk.enter(&folder, &listing, &Level::default(), None, false)?;
    walk.found.sort();
    Ok(walk.found)
}

/// The entries of one folder.
#[derive(Default)]
struct Listing {
    names: Vec<u8>,
    entries: Vec<(usize, usize, EntryType)>,
    has_git: bool,
}

impl Listing {
    fn read(folder: &Folder) -> io::Result<Self> {
        let mut listing = Listing::default();
        folder.for_each(|name, kind| {
            if name == b".git" {
                listing.has_git = true;
                return;
            }
            let start = listing.names.len();
            listing.names.extend_from_slice(name);
            listing.entries.push((start, listing.names.len(), kind));
        })?;
        Ok(listing)
    }

    fn iter(&self) -> impl Iterator<Item = (&[u8], EntryType)> {
        self.entries.iter().map(|(start, end, kind)| (&self.names[*start..*end], *kind))
    }
}

/// What a folder holds, as far as was looked.
#[derive(Debug, Clone, Copy, Default)]
struct Holds {
    untracked: bool,
    ignored: bool,
}

impl Holds {
    fn add(&mut self, other: Holds) {
        self.untracked |= other.untracked;
        self.ignored |= other.ignored;
    }
}

/// The names that are tracked in one folder.
#[derive(Default)]
struct TrackedNames {
    bytes: Vec<u8>,
    names: Vec<(usize, usize, TrackedAs)>,
}

impl TrackedNames {
    /// The index has its own order, in which `a-b` comes before what is in `a`.
    fn sort(&mut self) {
        let bytes = &self.bytes;
        self.names.sort_by(|a, b| bytes[a.0..a.1].cmp(&bytes[b.0..b.1]));
    }

    fn find(&self, name: &[u8]) -> Option<TrackedAs> {
        let found = self.names.binary_search_by(|(start, end, _)| self.bytes[*start..*end].cmp(name)).ok()?;
        self.names.get(found).map(|name| name.2)
    }
}

struct Walk<'a> {
    ignore: &'a Ignore,
    tracked: &'a dyn Tracked,
    is_repository: &'a (dyn Fn(&Folder) -> bool + Sync),
    options: WalkOptions,
    found: Found,
    /// Where the walk is: empty, or a folder with a slash at its end.
    path: Vec<u8>,
}

impl Walk<'_> {
    /// Goes through the entries of a folder. `ignored` is why the folder is ignored; with `first` one file that is not
    /// ignored is enough.
    fn enter(
        &mut self,
        folder: &Folder,
        listing: &Listing,
        outer: &Level,
        ignored: Option<Verdict>,
        first: bool,
    ) -> io::Result<Holds> {
        let has_patterns =
            ignored.is_none() && listing.iter().any(|(name, _)| name == self.ignore.file_name());
        let content = if has_patterns { self.patterns(folder) } else { None };
        let level = self.ignore.enter(outer, self.path.as_bstr(), ignored, content.as_deref());
        let mut tracked = TrackedNames::default();
        self.tracked.names(self.path.as_bstr(), &mut |name, kind| {
            let start = tracked.bytes.len();
            tracked.bytes.extend_from_slice(name);
            tracked.names.push((start, tracked.bytes.len(), kind));
        });
        tracked.sort();
        let mut holds = Holds::default();
        let length = self.path.len();
        for (name, kind) in listing.iter() {
            if length + name.len() >= LONGEST_PATH {
                continue;
            }
            self.path.extend_from_slice(name);
            let found = self.entry(folder, &level, name, kind, tracked.find(name), first);
            self.path.truncate(length);
            holds.add(found?);
            if first && holds.untracked {
                break;
            }
        }
        Ok(holds)
    }

    fn patterns(&self, folder: &Folder) -> Option<Vec<u8>> {
        let mut content = Vec::new();
        let read = folder.read_small(self.ignore.file_name(), LARGEST_IGNORE_FILE, &mut content);
        // A link is not followed, as none would be in a tree.
        matches!(read, Ok(SmallFile::Content)).then_some(content)
    }

    fn entry(
        &mut self,
        folder: &Folder,
        level: &Level,
        name: &[u8],
        kind: EntryType,
        tracked: Option<TrackedAs>,
        first: bool,
    ) -> io::Result<Holds> {
        let kind = if kind == EntryType::Unknown { folder.own_type(name)?.unwrap_or(kind) } else { kind };
        match kind {
            EntryType::Folder if tracked == Some(TrackedAs::Submodule) => Ok(Holds::default()),
            EntryType::Folder => self.folder(folder, level, name, tracked == Some(TrackedAs::Folder), first),
            EntryType::File | EntryType::Link
                if matches!(tracked, Some(TrackedAs::File | TrackedAs::Submodule)) =>
            {
                Ok(Holds::default())
            }
            EntryType::File | EntryType::Link => {
                let ignored = self.ignore.is_ignored_at(level, self.path.as_bstr(), false);
                Ok(self.tell(if ignored { Kind::Ignored } else { Kind::Untracked }))
            }
            EntryType::Other | EntryType::Unknown => Ok(Holds::default()),
        }
    }

    /// Notes the path as found.
    fn tell(&mut self, kind: Kind) -> Holds {
        if kind == Kind::Untracked || self.options.ignored != IgnoredMode::Hidden {
            self.found.push(&self.path, kind);
        }
        Holds { untracked: kind == Kind::Untracked, ignored: kind == Kind::Ignored }
    }

    fn folder(
        &mut self,
        outer: &Folder,
        level: &Level,
        name: &[u8],
        has_tracked: bool,
        first: bool,
    ) -> io::Result<Holds> {
        let verdict = self.ignore.verdict_at(level, self.path.as_bstr(), || true).filter(Verdict::is_ignored);
        let hidden = self.options.ignored == IgnoredMode::Hidden;
        self.path.push(b'/');
        if verdict.is_some() && hidden && !has_tracked {
            return Ok(Holds { ignored: true, untracked: false });
        }
        let opened = outer.open_folder_itself(name).and_then(|folder| match folder {
            Some(folder) => Listing::read(&folder).map(|listing| Some((folder, listing))),
            None => Ok(None),
        });
        let (folder, listing) = match opened {
            Ok(Some(opened)) => opened,
            // It is gone.
            Ok(None) => return Ok(Holds::default()),
            Err(error) => {
                self.found.unreadable.push((self.path.clone().into(), error));
                return Ok(Holds::default());
            }
        };
        if has_tracked {
            self.enter(&folder, &listing, level, verdict, first)?;
            return Ok(Holds::default());
        }
        if listing.has_git && (self.is_repository)(&folder) {
            return Ok(self.tell(if verdict.is_some() { Kind::Ignored } else { Kind::Untracked }));
        }
        self.untracked_folder(&folder, &listing, level, verdict, first)
    }

    /// A folder in which nothing is tracked.
    fn untracked_folder(
        &mut self,
        folder: &Folder,
        listing: &Listing,
        level: &Level,
        verdict: Option<Verdict>,
        first: bool,
    ) -> io::Result<Holds> {
        let WalkOptions { collapse, empty_folders, ignored } = self.options;
        let is_ignored = verdict.is_some();
        if is_ignored && ignored == IgnoredMode::Matching {
            return Ok(self.tell(Kind::Ignored));
        }
        // What it holds does not matter then, nor whether it holds anything.
        if collapse && empty_folders && !is_ignored && ignored == IgnoredMode::Hidden {
            return Ok(self.tell(Kind::Untracked));
        }
        let count = self.found.entries.len();
        let path = self.path.len();
        let first = first || collapse && ignored == IgnoredMode::Hidden;
        let holds = self.enter(folder, listing, level, verdict, first)?;
        self.path.truncate(path);
        if !collapse {
            return Ok(holds);
        }
        if holds.untracked {
            self.found.forget(count, Some(Kind::Untracked));
            return Ok(self.tell(Kind::Untracked));
        }
        if holds.ignored {
            if ignored == IgnoredMode::Traditional {
                self.found.forget(count, None);
                return Ok(self.tell(Kind::Ignored));
            }
            return Ok(holds);
        }
        self.found.forget(count, None);
        Ok(if empty_folders {
            self.tell(if is_ignored { Kind::Ignored } else { Kind::Untracked })
        } else {
            holds
        })
    }
}
