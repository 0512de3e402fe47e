//! Renames and copies ('diffcore-rename' in gitdiffcore): deletions and creations that are the same file.
//!
//! Three passes, each over what the one before left: files with the same content; with only renames asked for, files
//! whose base name occurs once on each side; then every source against every destination, best scores first.

use std::cmp::Reverse;

use adit_object::{IdMap, ObjectFormat, ObjectId, SourceError};
use bstr::{BStr, BString, ByteSlice};
use hashbrown::HashMap;

use crate::contents::Contents;
use crate::similarity::Chunks;
use crate::{FilePair, MAX_SCORE, Side, Status};

/// What to look for, and how hard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RenameOptions {
    /// Find copies of files that changed as well (`-C`).
    pub copies: bool,
    /// Find copies of any file (`--find-copies-harder`); the pairs must hold the unmodified ones.
    pub harder: bool,
    /// The least similarity, out of [`MAX_SCORE`] (`-M<n>`).
    pub minimum: u32,
    /// The last pass is left out when it would compare more than this number squared; 0 for no limit (`-l`).
    pub limit: usize,
    /// Whether empty files may be renamed (`--rename-empty`).
    pub rename_empty: bool,
    /// Whether rewrites were taken apart before (`-B`).
    pub broken: bool,
}

impl Default for RenameOptions {
    fn default() -> Self {
        RenameOptions {
            copies: false,
            harder: false,
            minimum: MAX_SCORE / 2,
            limit: 1000,
            rename_empty: true,
            broken: false,
        }
    }
}

/// How many paths still need each source: the last one to come is the rename, those before it are copies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Uses(HashMap<BString, u32>);

impl Uses {
    pub(crate) fn add(&mut self, path: &BString) {
        if let Some(count) = self.0.get_mut(path) {
            *count += 1;
        }
    }

    /// Tells renames from copies, once it is known which pairs are left and in which order.
    pub fn settle(mut self, pairs: &mut [FilePair]) {
        for pair in pairs.iter_mut().filter(|pair| pair.status == Status::Renamed) {
            if pair.old.path == pair.new.path {
                // A rename that ends where it started is the two halves of a rewrite.
                pair.status = Status::of_modes(pair.old.mode, pair.new.mode);
                continue;
            }
            if let Some(count) = self.0.get_mut(&pair.old.path) {
                *count = count.saturating_sub(1);
                if *count > 0 {
                    pair.status = Status::Copied;
                }
            }
        }
    }
}

/// Work that was left out because of [`RenameOptions::limit`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Skipped {
    /// The limit that would have been enough.
    pub needed: usize,
    /// Copies were looked for after all, but only among changed files.
    pub only_modified: bool,
}

/// What [`detect`] found.
#[derive(Debug, Default)]
pub struct Detected {
    /// The pairs, renames and copies all with [`Status::Renamed`] until [`Uses::settle`] is called.
    pub pairs: Vec<FilePair>,
    /// Who uses which source.
    pub uses: Uses,
    /// What was left out.
    pub skipped: Option<Skipped>,
}

/// Finds renames and copies among `pairs`.
pub fn detect(
    pairs: Vec<FilePair>,
    contents: &dyn Contents,
    options: &RenameOptions,
) -> Result<Detected, SourceError> {
    let mut detector = Detector::new(&pairs, contents, options);
    let mut skipped = None;
    if !detector.sources.is_empty() && !detector.targets.is_empty() {
        detector.exact();
        if options.minimum < MAX_SCORE {
            if !options.copies && !options.broken {
                detector.by_base_name()?;
            }
            skipped = detector.exhaustive()?;
        }
    }
    let Detector { sources, targets, .. } = detector;
    let matches: Vec<Option<(usize, u32)>> = {
        let mut matches = vec![None; pairs.len()];
        for target in &targets {
            matches[target.pair] = target.found.map(|(source, score)| (sources[source].pair, score));
        }
        matches
    };
    let uses: Vec<(usize, u32)> =
        sources.iter().filter(|s| s.used > 0).map(|source| (source.pair, source.used)).collect();
    Ok(rebuild(pairs, &matches, &uses, skipped))
}

/// Whether this is one of the two halves that `-B` makes.
fn is_broken_half(pair: &FilePair) -> bool {
    pair.broken && pair.old.path == pair.new.path
}

/// Makes the queue anew: renames take the place of the creations, and deletions that became renames go.
fn rebuild(
    pairs: Vec<FilePair>,
    matches: &[Option<(usize, u32)>],
    uses: &[(usize, u32)],
    skipped: Option<Skipped>,
) -> Detected {
    let any = matches.iter().any(Option::is_some);
    let renamed_targets: HashMap<BString, ()> = if any && pairs.iter().any(|pair| pair.broken) {
        let targets = pairs.iter().zip(matches).filter(|(_, found)| found.is_some());
        targets.map(|(pair, _)| (pair.new.path.clone(), ())).collect()
    } else {
        HashMap::new()
    };
    let mut used = vec![0; pairs.len()];
    let mut map = HashMap::new();
    for &(pair, count) in uses {
        used[pair] = count;
        if any {
            map.insert(pairs[pair].old.path.clone(), count);
        }
    }
    let renames: Vec<Option<FilePair>> = pairs
        .iter()
        .zip(matches)
        .map(|(pair, found)| {
            let (source, score) = (*found)?;
            let source = &pairs[source];
            let back_together = source.old.path == pair.new.path;
            Some(FilePair {
                old: source.old.clone(),
                new: pair.new.clone(),
                status: Status::Renamed,
                score: if back_together { source.score } else { score },
                broken: back_together,
            })
        })
        .collect();
    let keep = |at: usize, pair: &FilePair| match (pair.old.exists(), pair.new.exists()) {
        (true, false) if is_broken_half(pair) => !renamed_targets.contains_key(&pair.old.path),
        (true, false) => used[at] == 0,
        (true, true) => !pair.is_unmodified(),
        _ => true,
    };
    let kept: Vec<bool> = pairs.iter().enumerate().map(|(at, pair)| keep(at, pair)).collect();
    let merged = pairs.into_iter().zip(renames).zip(kept).filter_map(|((pair, rename), keep)| match rename {
        Some(rename) => Some(rename),
        None => keep.then_some(pair),
    });
    Detected { pairs: merged.collect(), uses: Uses(map), skipped }
}

struct Source {
    pair: usize,
    /// How many paths in the result hold this content.
    used: u32,
    file: File,
}

struct Target {
    pair: usize,
    found: Option<(usize, u32)>,
    file: File,
}

/// What is known of a file's content so far.
#[derive(Default)]
struct File {
    size: Option<u64>,
    chunks: Option<Chunks>,
}

impl File {
    fn size(&mut self, side: &Side, contents: &dyn Contents) -> Result<u64, SourceError> {
        match self.size {
            Some(size) => Ok(size),
            None => Ok(*self.size.insert(contents.size(side)?)),
        }
    }

    fn chunks(
        &mut self,
        side: &Side,
        contents: &dyn Contents,
        buffer: &mut Vec<u8>,
    ) -> Result<&Chunks, SourceError> {
        if self.chunks.is_none() {
            contents.read(side, buffer)?;
            self.chunks = Some(Chunks::of(buffer));
        }
        Ok(self.chunks.get_or_insert_default())
    }
}

struct Detector<'q> {
    pairs: &'q [FilePair],
    contents: &'q dyn Contents,
    options: &'q RenameOptions,
    sources: Vec<Source>,
    targets: Vec<Target>,
    buffer: Vec<u8>,
}

/// A source for a target, as good as it is.
#[derive(Clone, Copy)]
struct Candidate {
    target: usize,
    source: usize,
    score: u32,
    same_name: bool,
}

impl Candidate {
    /// Better candidates sort first.
    fn rank(&self) -> Reverse<(u32, bool)> {
        Reverse((self.score, self.same_name))
    }
}

/// How many sources are remembered for one target in the last pass.
const REMEMBERED: usize = 4;
/// How many sources of the same content are looked at for one target.
const IDENTICAL: usize = 100;

impl<'q> Detector<'q> {
    fn new(pairs: &'q [FilePair], contents: &'q dyn Contents, options: &'q RenameOptions) -> Self {
        let (mut sources, mut targets) = (Vec::new(), Vec::new());
        for (at, pair) in pairs.iter().enumerate() {
            let skips = |side: &Side| !options.rename_empty && is_empty_blob(&side.id);
            match (pair.old.exists(), pair.new.exists()) {
                (false, true) if !skips(&pair.new) => {
                    targets.push(Target { pair: at, found: None, file: File::default() });
                }
                // A half of a rewrite that will be one pair again stays where it is, so it counts as a user.
                (true, false) if !skips(&pair.old) => {
                    let used = u32::from(pair.broken && pair.score == 0);
                    sources.push(Source { pair: at, used, file: File::default() });
                }
                (true, true) if options.copies && !skips(&pair.old) => {
                    sources.push(Source { pair: at, used: 1, file: File::default() });
                }
                _ => {}
            }
        }
        Detector { pairs, contents, options, sources, targets, buffer: Vec::new() }
    }

    fn old(&self, source: usize) -> &'q Side {
        &self.pairs[self.sources[source].pair].old
    }

    fn new_side(&self, target: usize) -> &'q Side {
        &self.pairs[self.targets[target].pair].new
    }

    fn record(&mut self, target: usize, source: usize, score: u32) {
        self.targets[target].found = Some((source, score));
        self.sources[source].used += 1;
    }

    /// Files of the same content; unused sources and those of the same base name first.
    fn exact(&mut self) {
        let mut by_id: IdMap<Vec<usize>> = IdMap::default();
        for source in 0..self.sources.len() {
            by_id.entry(self.old(source).id).or_default().push(source);
        }
        for target in 0..self.targets.len() {
            let new = self.new_side(target);
            let Some(sources) = by_id.get(&new.id).filter(|_| !new.id.is_null()) else { continue };
            let mut best: Option<(u32, usize)> = None;
            for &source in sources.iter().take(IDENTICAL) {
                let old = self.old(source);
                let is_used = self.sources[source].used > 0;
                if (!old.is_file() || !new.is_file()) && old.mode != new.mode
                    || is_used && !self.options.copies
                {
                    continue;
                }
                let score = u32::from(!is_used) + u32::from(base_name(old) == base_name(new));
                if best.is_none_or(|(best, _)| score > best) {
                    best = Some((score, source));
                }
            }
            if let Some((_, source)) = best {
                self.record(target, source, MAX_SCORE);
            }
        }
    }

    /// Files whose base name is left once among the sources and once among the targets.
    fn by_base_name(&mut self) -> Result<(), SourceError> {
        let minimum = self.options.minimum + (MAX_SCORE - self.options.minimum) / 2;
        let free_sources = self.free_sources();
        let free_targets = self.free_targets();
        let sources = unique(free_sources.iter().map(|&source| (base_name(self.old(source)), source)));
        let targets = unique(free_targets.iter().map(|&target| (base_name(self.new_side(target)), target)));
        for source in free_sources {
            let name = base_name(self.old(source));
            let (Some(Some(_)), Some(&Some(target))) = (sources.get(name), targets.get(name)) else {
                continue;
            };
            let score = self.similarity(source, target)?;
            if score >= minimum {
                self.record(target, source, score);
            }
        }
        Ok(())
    }

    fn free_sources(&self) -> Vec<usize> {
        let is_free = |&source: &usize| self.options.copies || self.sources[source].used == 0;
        (0..self.sources.len()).filter(is_free).collect()
    }

    fn free_targets(&self) -> Vec<usize> {
        (0..self.targets.len()).filter(|&target| self.targets[target].found.is_none()).collect()
    }

    /// Every source against every target.
    fn exhaustive(&mut self) -> Result<Option<Skipped>, SourceError> {
        // Without copies and rewrites, a source that is used is out of the question.
        let mut sources: Vec<usize> =
            if self.options.broken { (0..self.sources.len()).collect() } else { self.free_sources() };
        let targets = self.free_targets();
        if sources.is_empty() || targets.is_empty() {
            return Ok(None);
        }
        let limit = self.options.limit;
        let is_over = |sources: usize| {
            limit != 0 && sources.saturating_mul(targets.len()) > limit.saturating_mul(limit)
        };
        let mut skipped = None;
        if is_over(sources.len()) {
            let needed = sources.len().max(targets.len());
            sources.retain(|&source| !self.pairs[self.sources[source].pair].is_unmodified());
            let only_modified = self.options.harder && !is_over(sources.len());
            skipped = Some(Skipped { needed, only_modified });
            if !only_modified {
                return Ok(skipped);
            }
        }
        let mut candidates = Vec::new();
        for &target in &targets {
            self.best_sources(target, &sources, &mut candidates)?;
            // Its chunks are not needed again, and there may be many targets.
            self.targets[target].file.chunks = None;
        }
        candidates.sort_by_key(Candidate::rank);
        self.take(&candidates, false);
        if self.options.copies {
            self.take(&candidates, true);
        }
        Ok(skipped)
    }

    /// Appends the best few sources for `target`.
    fn best_sources(
        &mut self,
        target: usize,
        sources: &[usize],
        candidates: &mut Vec<Candidate>,
    ) -> Result<(), SourceError> {
        let start = candidates.len();
        for &source in sources {
            if self.sources[source].used > 0 && !self.options.copies {
                continue;
            }
            let score = self.similarity(source, target)?;
            let same_name = base_name(self.old(source)) == base_name(self.new_side(target));
            let candidate = Candidate { target, source, score, same_name };
            if candidates.len() < start + REMEMBERED {
                candidates.push(candidate);
                continue;
            }
            // The first of the worst makes room.
            let mut worst = start;
            for at in start + 1..candidates.len() {
                if candidates[at].rank() > candidates[worst].rank() {
                    worst = at;
                }
            }
            if candidates[worst].rank() > candidate.rank() {
                candidates[worst] = candidate;
            }
        }
        Ok(())
    }

    /// Goes through candidates, best first, and takes those that are still free.
    fn take(&mut self, candidates: &[Candidate], copies: bool) {
        for candidate in candidates.iter().take_while(|c| c.score >= self.options.minimum) {
            let is_free = self.targets[candidate.target].found.is_none()
                && (copies || self.sources[candidate.source].used == 0);
            if is_free {
                self.record(candidate.target, candidate.source, candidate.score);
            }
        }
    }

    /// How much of the source the target holds, out of [`MAX_SCORE`]; 0 when it is too little to matter.
    fn similarity(&mut self, source: usize, target: usize) -> Result<u32, SourceError> {
        let (old, new) = (self.old(source), self.new_side(target));
        if !old.is_file() || !new.is_file() {
            return Ok(0);
        }
        let old_size = self.sources[source].file.size(old, self.contents)?;
        let new_size = self.targets[target].file.size(new, self.contents)?;
        let (smaller, larger) = (old_size.min(new_size), old_size.max(new_size));
        let scaled = |bytes: u64| u128::from(bytes) * u128::from(MAX_SCORE);
        if new_size == 0 || scaled(smaller) < u128::from(larger) * u128::from(self.options.minimum) {
            return Ok(0);
        }
        let old_chunks = self.sources[source].file.chunks(old, self.contents, &mut self.buffer)?;
        let new_chunks = self.targets[target].file.chunks(new, self.contents, &mut self.buffer)?;
        let copied = old_chunks.changes_to(new_chunks).copied;
        Ok((scaled(copied) / u128::from(larger)).min(u128::from(MAX_SCORE)) as u32)
    }
}

/// The part of the path after its last slash.
fn base_name(side: &Side) -> &BStr {
    side.path.rfind_byte(b'/').map_or(&side.path[..], |at| &side.path[at + 1..]).as_bstr()
}

/// A table of names that maps those that occur more than once to `None`.
fn unique<'n>(names: impl Iterator<Item = (&'n BStr, usize)>) -> HashMap<&'n BStr, Option<usize>> {
    let mut table = HashMap::new();
    for (name, at) in names {
        table.entry(name).and_modify(|known| *known = None).or_insert(Some(at));
    }
    table
}

fn is_empty_blob(id: &ObjectId) -> bool {
    const SHA1: &[u8] = b"e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";
    const SHA256: &[u8] = b"473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813";
    let hex = match id.format() {
        ObjectFormat::Sha1 => SHA1,
        ObjectFormat::Sha256 => SHA256,
    };
    ObjectId::from_hex(id.format(), hex).is_ok_and(|empty| empty == *id)
}
