//! Sifting commits for `-S` ahead of time: each distinct blob of a long stretch of history is read and counted once, in
//! the order that the object store likes, and commits that cannot match are dropped.

use std::ops::ControlFlow;

use adit_diff::pickaxe::{Counter, Pickaxe};
use adit_diff::trees::{TreeDiff, TreeOptions};
use adit_object::{EntryKind, IdSet, ObjectId, ObjectKind};

use super::reporter::{Changes, Job, Reporter};
use super::stream::threads;
use crate::error::Error;
use crate::options::merges::Merges;
use crate::pipeline::in_order;
use crate::verdict::Judge;

/// The first stretch; each is eight times as long as the one before, so that the first finds come soon.
const FIRST: usize = 64;
/// The longest stretch, which bounds the memory for what changed in it.
const LONGEST: usize = 1 << 17;
/// How many commits are compared as one piece of work.
const BATCH: usize = 64;

/// What a commit changes, as far as counting matters.
struct Candidate {
    job: Job,
    /// The blobs before and after; null where there is none.
    blobs: Vec<(ObjectId, ObjectId)>,
    /// Whether it must be looked at whatever the counts are.
    unsure: bool,
}

/// Yields the jobs of `next` that may match.
pub(super) struct Sifted<'r, N> {
    reporter: &'r Reporter<'r>,
    changes: &'r Changes<'r>,
    counter: &'r Counter,
    next: N,
    stretch: usize,
    ready: std::vec::IntoIter<Job>,
    ended: bool,
    /// Why the walk has ended early.
    failed: Option<Error>,
}

impl<'r, N: FnMut() -> Result<Option<Job>, Error>> Sifted<'r, N> {
    /// Sifts when `-S` is all that chooses commits; otherwise gives `next` back.
    pub(super) fn new(reporter: &'r Reporter<'r>, next: N) -> Result<Self, N> {
        match &reporter.changes {
            Some(changes)
                if !reporter.always
                    && changes.judge == Judge::Nobody
                    && changes.options.texts.is_none()
                    && changes.merges != Merges::Combined
                    && changes.merges != Merges::Dense =>
            {
                match &changes.options.pickaxe {
                    Some(Pickaxe::Occurrences(counter)) => Ok(Sifted {
                        reporter,
                        changes,
                        counter,
                        next,
                        stretch: FIRST,
                        ready: Vec::new().into_iter(),
                        ended: false,
                        failed: None,
                    }),
                    _ => Err(next),
                }
            }
            _ => Err(next),
        }
    }

    /// The next commit that may match.
    pub(super) fn next(&mut self) -> Result<Option<Job>, Error> {
        loop {
            if let Some(job) = self.ready.next() {
                return Ok(Some(job));
            }
            if self.ended {
                return self.failed.take().map_or(Ok(None), Err);
            }
            let candidates = self.candidates()?;
            self.count(&candidates);
            let jobs: Vec<Job> =
                candidates.into_iter().filter(|one| self.may_match(one)).map(|one| one.job).collect();
            self.ready = jobs.into_iter();
            self.stretch = (self.stretch * 8).min(LONGEST);
        }
    }

    /// Compares the trees of the next stretch.
    fn candidates(&mut self) -> Result<Vec<Candidate>, Error> {
        let (mut left, mut ended) = (self.stretch, false);
        let (next, failed) = (&mut self.next, &mut self.failed);
        let batch = || {
            let mut jobs = Vec::new();
            while jobs.len() < BATCH.min(left) && !ended {
                match next() {
                    Ok(Some(mut job)) => {
                        // Few commits match, and a stretch is long: the content is read again for those.
                        job.content = None;
                        jobs.push(job);
                    }
                    Ok(None) => ended = true,
                    Err(error) => (*failed, ended) = (Some(error), true),
                }
            }
            left -= jobs.len();
            Ok((!jobs.is_empty()).then_some(jobs))
        };
        let mut candidates = Vec::new();
        let changes = self.changes;
        let compare = |trees: &mut TreeDiff<'_, _>, jobs: Vec<Job>| -> Result<Vec<Candidate>, Error> {
            jobs.into_iter().map(|job| candidate(changes, trees, job)).collect()
        };
        let take = |found: Result<Vec<Candidate>, Error>| {
            candidates.extend(found?);
            Ok::<_, Error>(ControlFlow::Continue(()))
        };
        in_order(threads(), batch, || TreeDiff::new(self.reporter.objects), compare, take)?;
        self.ended = ended;
        Ok(candidates)
    }

    /// Counts all blobs of the candidates that were not counted before.
    fn count(&self, candidates: &[Candidate]) {
        let mut ids = IdSet::default();
        for (old, new) in candidates.iter().flat_map(|one| &one.blobs) {
            for id in [old, new] {
                if !id.is_null() && self.counter.known(id).is_none() {
                    ids.insert(*id);
                }
            }
        }
        if ids.is_empty() {
            return;
        }
        // A blob that cannot be read stays uncounted, and whoever needs it will say so.
        self.reporter.objects.bulk(ids).fold(
            || (),
            |(), id, object| {
                if let Ok((ObjectKind::Blob, content)) = object {
                    self.counter.fill(*id, content);
                }
                ControlFlow::Continue(())
            },
        );
    }

    fn may_match(&self, candidate: &Candidate) -> bool {
        let count = |id: &ObjectId| if id.is_null() { Some(0) } else { self.counter.known(id) };
        let differs = |(old, new): &(ObjectId, ObjectId)| match (count(old), count(new)) {
            (Some(old), Some(new)) => old != new,
            _ => true,
        };
        candidate.unsure || candidate.blobs.iter().any(differs)
    }
}

/// Notes what a commit changes, against those of its parents that its changes are shown against.
fn candidate(
    changes: &Changes<'_>,
    trees: &mut TreeDiff<'_, adit_odb::Store>,
    job: Job,
) -> Result<Candidate, Error> {
    let options = changes.options;
    // A copy can be of a file that the commit itself leaves alone, and parts of a rewrite go their own ways.
    let unsure = options.breaks.is_some() || options.renames.is_some_and(|renames| renames.copies);
    let (mut blobs, mut unsure) = (Vec::new(), unsure);
    let parents: Vec<Option<ObjectId>> = match (&job.parents[..], changes.merges) {
        ([], _) if changes.root => vec![None],
        ([_, _, ..], Merges::Off) => Vec::new(),
        ([first, ..], Merges::FirstParent) => vec![Some(first.tree)],
        (parents, _) => parents.iter().map(|parent| Some(parent.tree)).collect(),
    };
    let tree_options =
        TreeOptions { recursive: true, pathspec: Some(&options.pathspec), ..TreeOptions::default() };
    let null = ObjectId::null(job.id.format());
    for parent in parents {
        let _ = trees.diff(parent.as_ref(), Some(&job.tree), &tree_options, |change| {
            let side = |entry: Option<adit_diff::trees::Entry>| entry.map_or(null, |entry| entry.id);
            let is_link =
                |entry: &adit_diff::trees::Entry| EntryKind::of_mode(entry.mode) == EntryKind::Gitlink;
            // What stands for a submodule is no blob.
            if change.old.iter().chain(&change.new).any(is_link) {
                unsure = true;
            } else {
                blobs.push((side(change.old), side(change.new)));
            }
            ControlFlow::Continue(())
        })?;
    }
    Ok(Candidate { job, blobs, unsure })
}
