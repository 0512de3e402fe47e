//! Calling a commit after the nearest tag behind it (git-describe, "Search strategy").

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use adit_object::{IdMap, ObjectId, ObjectKind, Source, Tag};
use adit_text::wildmatch;
use bstr::{BStr, BString};

use crate::{CommitTable, Error};

/// How good a name a reference makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// No tag.
    Head,
    /// A tag without a tag object.
    Lightweight,
    /// A tag with a tag object.
    Annotated,
}

/// Which references commits are called after.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct DescribeOptions {
    /// Tags without a tag object too.
    pub tags: bool,
    /// All references.
    pub all: bool,
    /// Only those that match one of these.
    pub matching: Vec<BString>,
    /// None that match one of these.
    pub excluded: Vec<BString>,
    /// How many tags are compared.
    pub candidates: usize,
    /// Only first parents are followed.
    pub first_parent: bool,
}

/// A reference that commits can be called after.
#[derive(Debug, Clone)]
pub struct Name {
    /// What it is called in a description.
    pub path: BString,
    /// How good it is.
    pub rank: Rank,
    /// The object it holds: the tag object of an annotated tag.
    pub id: ObjectId,
}

/// A tag that a description could be made of.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The tag.
    pub name: Name,
    /// How many commits it does not reach.
    pub depth: usize,
}

/// What came of a search.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// A reference to the commit itself.
    Exact(Name),
    /// The candidates, the best first.
    Near(Search),
    /// No reference will do.
    Nothing {
        /// Whether there are tags without a tag object.
        lightweight: bool,
    },
}

/// A search that found candidates.
#[derive(Debug, Clone)]
pub struct Search {
    /// The best first.
    pub candidates: Vec<Candidate>,
    /// How many commits were looked at.
    pub traversed: usize,
    /// Where the search was given up, because there were candidates enough.
    pub gave_up: Option<ObjectId>,
    /// Where it ended, because nothing better could come.
    pub finished: Option<ObjectId>,
}

/// So many candidates can be told apart.
const MOST_CANDIDATES: usize = 27;

/// Names for commits.
pub struct Describer {
    options: DescribeOptions,
    names: IdMap<Name>,
}

impl Describer {
    /// Gathers the references that commits are called after.
    pub fn new(
        refs: &adit_refs::Store,
        objects: &dyn Source,
        options: DescribeOptions,
    ) -> Result<Self, Error> {
        let mut describer = Describer { options, names: IdMap::default() };
        let prefix: &[u8] = if describer.options.all { b"" } else { b"refs/tags/" };
        let mut iter = refs.iter(prefix)?;
        while let Some(entry) = iter.advance()? {
            if !describer.wants(entry.name) {
                continue;
            }
            let Some(id) = refs.entry_id(&entry)? else { continue };
            let peeled = match entry.peeled {
                Some(peeled) => peeled,
                None => match peel(objects, &id)? {
                    Some(peeled) => peeled,
                    None => continue,
                },
            };
            describer.add(entry.name, id, peeled, objects)?;
        }
        Ok(describer)
    }

    /// Whether there is any name.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    fn wants(&self, full: &BStr) -> bool {
        let DescribeOptions { all, matching, excluded, .. } = &self.options;
        if matching.is_empty() && excluded.is_empty() {
            return true;
        }
        let folders: &[&[u8]] =
            if *all { &[b"refs/tags/", b"refs/heads/", b"refs/remotes/"] } else { &[b"refs/tags/"] };
        let Some(short) = folders.iter().find_map(|folder| full.strip_prefix(*folder)) else { return false };
        let matches = |pattern: &BString| wildmatch::wildmatch(pattern, short, wildmatch::Options::FLAT);
        !excluded.iter().any(matches) && (matching.is_empty() || matching.iter().any(matches))
    }

    fn add(
        &mut self,
        full: &BStr,
        id: ObjectId,
        peeled: ObjectId,
        objects: &dyn Source,
    ) -> Result<(), Error> {
        let is_tag = full.starts_with(b"refs/tags/");
        let rank = match (id != peeled, is_tag) {
            (true, _) => Rank::Annotated,
            (false, true) => Rank::Lightweight,
            (false, false) => Rank::Head,
        };
        let better = match self.names.get(&peeled) {
            None => true,
            // Of two tag objects the younger names the commit.
            Some(known) if known.rank == Rank::Annotated && rank == Rank::Annotated => {
                tag_time(objects, &known.id)? < tag_time(objects, &id)?
            }
            Some(known) => known.rank < rank,
        };
        if better {
            let prefix: &[u8] = if self.options.all { b"refs/" } else { b"refs/tags/" };
            let path = full.strip_prefix(prefix).unwrap_or(full).into();
            self.names.insert(peeled, Name { path, rank, id });
        }
        Ok(())
    }

    fn is_usable(&self, name: &Name) -> bool {
        self.options.tags || self.options.all || name.rank == Rank::Annotated
    }

    /// The reference to this very commit.
    pub fn exact(&self, commit: &ObjectId) -> Option<&Name> {
        self.names.get(commit).filter(|name| self.is_usable(name))
    }

    /// Looks for the best name of a commit.
    pub fn describe(&self, table: &mut CommitTable<'_>, commit: &ObjectId) -> Result<Outcome, Error> {
        if let Some(name) = self.exact(commit) {
            return Ok(Outcome::Exact(name.clone()));
        }
        if self.options.candidates == 0 {
            return Ok(Outcome::Nothing { lightweight: false });
        }
        let most = self.options.candidates.min(MOST_CANDIDATES);
        let mut walk = Walk::start(table, commit)?;
        let mut found: Vec<(Candidate, u32)> = Vec::new();
        let (mut lightweight, mut annotated) = (false, false);
        let (mut gave_up, mut finished) = (None, None);
        while let Some(position) = walk.next() {
            if found.len() == most || (!found.is_empty() && found.len() == self.names.len()) {
                gave_up = Some(position);
                break;
            }
            walk.seen += 1;
            if let Some(name) = self.names.get(&table.id(position)) {
                if self.is_usable(name) {
                    let flag = 1 << found.len();
                    walk.flags[position as usize] |= flag;
                    annotated |= name.rank == Rank::Annotated;
                    found.push((Candidate { name: name.clone(), depth: walk.seen - 1 }, flag));
                } else {
                    lightweight = true;
                }
            }
            let flags = walk.flags[position as usize];
            for (candidate, flag) in &mut found {
                candidate.depth += usize::from(flags & *flag == 0);
            }
            if annotated && walk.is_empty() && covers_best(&found, flags) {
                finished = Some(table.id(position));
                break;
            }
            walk.push_parents(table, position, self.options.first_parent)?;
        }
        if found.is_empty() {
            return Ok(Outcome::Nothing { lightweight });
        }
        // The sort keeps the order in which equals were found.
        found.sort_by_key(|(candidate, _)| candidate.depth);
        if let Some(position) = gave_up {
            walk.enqueue(table, position);
        }
        let best = found[0].1;
        found[0].0.depth += walk.finish(table, best, self.options.first_parent)?;
        Ok(Outcome::Near(Search {
            candidates: found.into_iter().map(|(candidate, _)| candidate).collect(),
            traversed: walk.seen + usize::from(gave_up.is_some()),
            gave_up: gave_up.map(|position| table.id(position)),
            finished,
        }))
    }
}

/// Whether a commit is reached by every candidate that is the best so far.
fn covers_best(found: &[(Candidate, u32)], flags: u32) -> bool {
    let Some(least) = found.iter().map(|(candidate, _)| candidate.depth).min() else { return false };
    found.iter().filter(|(candidate, _)| candidate.depth == least).all(|(_, flag)| flags & flag != 0)
}

/// A walk, youngest first, that carries to each commit which candidates reach it.
struct Walk {
    queue: BinaryHeap<(u64, Reverse<u64>, u32)>,
    flags: Vec<u32>,
    known: Vec<bool>,
    count: u64,
    seen: usize,
    /// Whether a commit waits in the queue.
    queued: Vec<bool>,
    /// The flag of the best candidate, once it is known.
    best: u32,
    /// How many commits in the queue it does not reach.
    open: usize,
}

impl Walk {
    fn start(table: &mut CommitTable<'_>, commit: &ObjectId) -> Result<Self, Error> {
        let mut walk = Walk {
            queue: BinaryHeap::new(),
            flags: Vec::new(),
            known: Vec::new(),
            count: 0,
            seen: 0,
            queued: Vec::new(),
            best: 0,
            open: 0,
        };
        let position = table.intern(commit);
        walk.push(table, position, 0)?;
        Ok(walk)
    }

    fn push(&mut self, table: &mut CommitTable<'_>, position: u32, flags: u32) -> Result<(), Error> {
        let at = position as usize;
        if at >= self.flags.len() {
            self.flags.resize(at + 1, 0);
            self.known.resize(at + 1, false);
            self.queued.resize(at + 1, false);
        }
        self.open -= usize::from(self.best != 0 && self.is_open(at));
        self.flags[at] |= flags;
        if !self.known[at] {
            self.known[at] = true;
            table.load(position)?;
            self.enqueue(table, position);
        }
        self.open += usize::from(self.best != 0 && self.is_open(at));
        Ok(())
    }

    fn enqueue(&mut self, table: &CommitTable<'_>, position: u32) {
        self.count += 1;
        self.queued[position as usize] = true;
        self.queue.push((table.time(position), Reverse(self.count), position));
    }

    /// Whether a commit waits that the best candidate does not reach.
    fn is_open(&self, at: usize) -> bool {
        self.queued[at] && self.flags[at] & self.best == 0
    }

    fn push_parents(
        &mut self,
        table: &mut CommitTable<'_>,
        position: u32,
        first_only: bool,
    ) -> Result<(), Error> {
        let flags = self.flags[position as usize];
        let count = table.parent_count(position);
        for nth in 0..if first_only { count.min(1) } else { count } {
            if let Some(parent) = table.parent(position, nth) {
                self.push(table, parent, flags)?;
            }
        }
        Ok(())
    }

    fn next(&mut self) -> Option<u32> {
        let (_, _, position) = self.queue.pop()?;
        let at = position as usize;
        self.open -= usize::from(self.best != 0 && self.is_open(at));
        self.queued[at] = false;
        Some(position)
    }

    fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Counts the commits that the candidate `best` does not reach among those still to come.
    fn finish(&mut self, table: &mut CommitTable<'_>, best: u32, first_only: bool) -> Result<usize, Error> {
        self.best = best;
        self.open = self.queue.iter().filter(|entry| self.is_open(entry.2 as usize)).count();
        let mut more = 0;
        while self.open > 0 {
            let Some(position) = self.next() else { break };
            self.seen += 1;
            more += usize::from(self.flags[position as usize] & best == 0);
            self.push_parents(table, position, first_only)?;
        }
        Ok(more)
    }
}

/// The object behind tags; `None` when it is not here.
fn peel(objects: &dyn Source, id: &ObjectId) -> Result<Option<ObjectId>, Error> {
    let mut id = *id;
    let mut content = Vec::new();
    loop {
        match objects.try_header(&id)? {
            None => return Ok(None),
            Some(header) if header.kind != ObjectKind::Tag => return Ok(Some(id)),
            Some(_) => {
                objects.read_kind(&id, ObjectKind::Tag, &mut content)?;
                match Tag::parse(objects.format(), &content) {
                    Ok(tag) => id = tag.target(),
                    Err(_) => return Ok(None),
                }
            }
        }
    }
}

fn tag_time(objects: &dyn Source, id: &ObjectId) -> Result<u64, Error> {
    let mut content = Vec::new();
    objects.read_kind(id, ObjectKind::Tag, &mut content)?;
    let tag = Tag::parse(objects.format(), &content).ok();
    Ok(tag.and_then(|tag| tag.tagger()?.time()).map_or(0, |time| time.seconds))
}
