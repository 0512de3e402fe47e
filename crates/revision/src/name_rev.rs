//! Calling commits after references that reach them, such as `tags/v1.2~3^2~1` (git-name-rev).
//!
//! Every commit gets the best of its names. A tag wins over any other reference, then the shorter way wins, where
//! following another than the first parent counts as a long way, and then the older reference.

use std::cmp::Reverse;

use adit_object::{Commit, IdMap, ObjectId, ObjectKind, Source, Tag};
use adit_refs::{Shortener, Store as Refs};
use adit_text::wildmatch;
use bstr::{BStr, BString, ByteSlice};

use crate::{CommitTable, Error};

/// Which references commits are called after.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NameOptions {
    /// Only tags.
    pub tags_only: bool,
    /// Names of references are as short as can be.
    pub short: bool,
    /// Only those that match one of these.
    pub matching: Vec<BString>,
    /// None that match one of these.
    pub excluded: Vec<BString>,
}

/// How far the names need to reach: commits older than these are not named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cutoff {
    /// The least generation number of the commits that are asked for.
    pub generation: u64,
    /// The least date.
    pub time: u64,
}

/// A reference that names start from.
struct Tip {
    name: BString,
    commit: ObjectId,
    /// When it was tagged, or committed.
    time: u64,
    from_tag: bool,
}

/// What a name starts with.
enum Stem {
    /// A reference, by its place among the tips.
    Tip(usize),
    /// So many generations from another stem, and then another parent than the first.
    Parent { stem: u32, generations: u32, number: usize },
}

/// The best name of a commit so far.
#[derive(Clone, Copy)]
struct Way {
    stem: u32,
    tip: u32,
    generations: u32,
    distance: u64,
}

/// Following another than the first parent counts as so many steps.
const OTHER_PARENT: u64 = 65535;
/// Dates may be out of order by a day.
const SLOP: u64 = 86_400;

impl Way {
    /// How long the way is, for comparing it.
    fn length(&self) -> u64 {
        self.distance + if self.generations > 0 { OTHER_PARENT } else { 0 }
    }
}

/// Names of commits.
pub struct Namer {
    tips: Vec<Tip>,
    /// Names of the objects that references hold, for those that are no commits.
    exact: IdMap<BString>,
    stems: Vec<Stem>,
    /// By position in the table.
    ways: Vec<Option<Way>>,
}

impl Namer {
    /// Gathers the references that commits are called after.
    pub fn new(refs: &Refs, objects: &dyn Source, options: &NameOptions) -> Result<Self, Error> {
        let mut namer =
            Namer { tips: Vec::new(), exact: IdMap::default(), stems: Vec::new(), ways: Vec::new() };
        let mut shortener = Shortener::new(refs, false)?;
        let mut iter = refs.iter(if options.tags_only { b"refs/tags/" } else { b"" })?;
        while let Some(entry) = iter.advance()? {
            let Some(short) = wants(entry.name, options) else { continue };
            let Some(id) = refs.entry_id(&entry)? else { continue };
            let shown = if short { shortener.shorten(entry.name)? } else { without_folder(entry.name) };
            namer.add(entry.name, shown, id, objects)?;
        }
        // Tags first, the older ones before: most names are final when they are given.
        namer.tips.sort_by_key(|tip| (Reverse(tip.from_tag), tip.time));
        Ok(namer)
    }

    fn add(&mut self, full: &BStr, shown: &BStr, id: ObjectId, objects: &dyn Source) -> Result<(), Error> {
        self.exact.entry(id).or_insert_with(|| shown.to_owned());
        let (mut commit, mut time, mut content) = (id, None, Vec::new());
        loop {
            match objects.try_read(&commit, &mut content)? {
                Some(ObjectKind::Tag) => {
                    let Ok(tag) = Tag::parse(objects.format(), &content) else { return Ok(()) };
                    time = Some(tag.tagger().and_then(|tagger| tagger.time()).map_or(0, |time| time.seconds));
                    commit = tag.target();
                }
                Some(ObjectKind::Commit) => break,
                _ => return Ok(()),
            }
        }
        let committed = || {
            let parsed = Commit::parse(objects.format(), &content).ok()?;
            Some(parsed.committer()?.time()?.seconds)
        };
        let mut name = shown.to_owned();
        if commit != id {
            name.extend_from_slice(b"^0");
        }
        let time = time.or_else(committed).unwrap_or(0);
        self.tips.push(Tip { name, commit, time, from_tag: full.starts_with(b"refs/tags/") });
        Ok(())
    }

    /// Names the commits that references reach, back to `cutoff`.
    pub fn name_commits(&mut self, table: &mut CommitTable<'_>, cutoff: Option<Cutoff>) -> Result<(), Error> {
        let by_generation = table.has_generations();
        let too_old = |table: &CommitTable<'_>, position: u32| match cutoff {
            None => false,
            Some(cutoff) if by_generation => table.generation(position) < cutoff.generation,
            Some(cutoff) => table.time(position) < cutoff.time.saturating_sub(SLOP),
        };
        let mut pending: Vec<u32> = Vec::new();
        for tip in 0..self.tips.len() {
            let position = table.intern(&self.tips[tip].commit);
            table.load(position)?;
            if too_old(table, position) {
                continue;
            }
            let stem = self.push_stem(Stem::Tip(tip));
            let tip = u32::try_from(tip).unwrap_or(u32::MAX);
            if self.improve(position, Way { stem, tip, generations: 0, distance: 0 }) {
                pending.push(position);
            }
            while let Some(position) = pending.pop() {
                let Some(way) = self.way(position) else { continue };
                let first = pending.len();
                for nth in 0..table.parent_count(position) {
                    let Some(parent) = table.parent(position, nth) else { continue };
                    table.load(parent)?;
                    if too_old(table, parent) {
                        continue;
                    }
                    let next = match nth {
                        0 => Way { generations: way.generations + 1, distance: way.distance + 1, ..way },
                        // Its stem is made only if the name is taken.
                        _ => Way { generations: 0, distance: way.distance + OTHER_PARENT, ..way },
                    };
                    if !self.improve(parent, next) {
                        continue;
                    }
                    if nth > 0 {
                        let Way { stem, generations, .. } = way;
                        let stem = self.push_stem(Stem::Parent { stem, generations, number: nth + 1 });
                        self.ways[parent as usize] = Some(Way { stem, ..next });
                    }
                    pending.push(parent);
                }
                // The first parent is followed first.
                pending[first..].reverse();
            }
        }
        Ok(())
    }

    fn push_stem(&mut self, stem: Stem) -> u32 {
        self.stems.push(stem);
        u32::try_from(self.stems.len() - 1).unwrap_or(u32::MAX)
    }

    fn way(&self, position: u32) -> Option<Way> {
        self.ways.get(position as usize).copied().flatten()
    }

    /// Takes a name for a commit if it is better than the one it has.
    fn improve(&mut self, position: u32, way: Way) -> bool {
        let better = self.way(position).is_none_or(|known| self.is_better(&way, &known));
        if better {
            let at = position as usize;
            if at >= self.ways.len() {
                self.ways.resize(at + 1, None);
            }
            self.ways[at] = Some(way);
        }
        better
    }

    fn is_better(&self, new: &Way, known: &Way) -> bool {
        let (new_tip, known_tip) = (&self.tips[new.tip as usize], &self.tips[known.tip as usize]);
        match (new_tip.from_tag, known_tip.from_tag) {
            // Tags come the older ones first, which stand when another is no nearer.
            (true, true) => new.length() < known.length(),
            (false, false) => (new.length(), new_tip.time) < (known.length(), known_tip.time),
            (from_tag, _) => from_tag,
        }
    }

    /// The name of a commit; `None` when no reference reaches it.
    pub fn name(&self, position: u32) -> Option<BString> {
        let way = self.way(position)?;
        let mut parts = Vec::new();
        let mut stem = way.stem;
        let tip = loop {
            match self.stems.get(stem as usize)? {
                Stem::Tip(tip) => break *tip,
                Stem::Parent { stem: before, generations, number } => {
                    parts.push((*generations, *number));
                    stem = *before;
                }
            }
        };
        let mut name = self.tips.get(tip)?.name.clone();
        if way.generations > 0 || !parts.is_empty() {
            // What is said of the commit behind a tag holds of the tag's name too.
            let len = name.strip_suffix(b"^0").map_or(name.len(), <[u8]>::len);
            name.truncate(len);
        }
        for (generations, number) in parts.into_iter().rev() {
            if generations > 0 {
                name.extend_from_slice(format!("~{generations}").as_bytes());
            }
            name.extend_from_slice(format!("^{number}").as_bytes());
        }
        if way.generations > 0 {
            name.extend_from_slice(format!("~{}", way.generations).as_bytes());
        }
        Some(name)
    }

    /// The name of an object that a reference holds.
    pub fn exact(&self, id: &ObjectId) -> Option<&BStr> {
        self.exact.get(id).map(|name| name.as_bstr())
    }

    /// The commits that have names, by position.
    pub fn named(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.ways).filter(|(_, way)| way.is_some()).map(|(position, _)| position)
    }
}

/// Whether a reference is used; `Some(true)` when its name is shortened.
fn wants(full: &BStr, options: &NameOptions) -> Option<bool> {
    if options.excluded.iter().any(|pattern| matched_at(pattern, full).is_some()) {
        return None;
    }
    let mut short = options.tags_only && options.short;
    if !options.matching.is_empty() {
        let mut found = options.matching.iter().filter_map(|pattern| matched_at(pattern, full)).peekable();
        found.peek()?;
        // A pattern that matches the end of the name shows that the rest is not needed.
        short |= found.any(|at| at > 0);
    }
    Some(short)
}

/// Where in the name the part starts that a pattern matches: the start, or after a slash.
fn matched_at(pattern: &[u8], name: &[u8]) -> Option<usize> {
    let starts = std::iter::once(0).chain(name.find_iter("/").map(|slash| slash + 1));
    let options = wildmatch::Options::FLAT;
    starts.into_iter().find(|&start| wildmatch::wildmatch(pattern, &name[start..], options))
}

fn without_folder(full: &BStr) -> &BStr {
    let short = full.strip_prefix(b"refs/heads/").or_else(|| full.strip_prefix(b"refs/"));
    short.unwrap_or(full).as_bstr()
}
