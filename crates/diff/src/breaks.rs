//! Complete rewrites (`-B`): taking a modification apart into a deletion and a creation, and putting what rename
//! detection left of them together again ('diffcore-break' and 'diffcore-merge-broken' in gitdiffcore).

use adit_object::{EntryKind, SourceError};
use bstr::BString;
use hashbrown::HashMap;

use crate::contents::Contents;
use crate::renames::Uses;
use crate::similarity::Chunks;
use crate::{FilePair, MAX_SCORE, Side, Status};

/// From how much change on a pair is taken apart, and from how much deletion on it stays apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BreakOptions {
    /// The first number of `-B<n>/<m>`, out of [`MAX_SCORE`].
    pub break_score: u32,
    /// The second number.
    pub merge_score: u32,
}

impl Default for BreakOptions {
    fn default() -> Self {
        BreakOptions { break_score: MAX_SCORE / 2, merge_score: MAX_SCORE / 100 * 60 }
    }
}

/// Smaller files are never taken apart.
const SMALLEST: u64 = 400;

/// Takes rewritten files apart.
pub fn take_apart(
    pairs: Vec<FilePair>,
    contents: &dyn Contents,
    options: &BreakOptions,
) -> Result<Vec<FilePair>, SourceError> {
    let mut out = Vec::with_capacity(pairs.len());
    for pair in pairs {
        let Some(score) = rewrite_score(&pair, contents, options)? else {
            out.push(pair);
            continue;
        };
        // Without a score the halves come together again if nothing else wants them.
        let score = if score < options.merge_score { 0 } else { score };
        let null = adit_object::ObjectId::null(pair.old.id.format());
        let gone = Side::absent(pair.new.path.as_ref(), null);
        let nothing = Side::absent(pair.old.path.as_ref(), null);
        out.push(FilePair { score, broken: true, ..FilePair::new(pair.old, gone) });
        out.push(FilePair { score, broken: true, ..FilePair::new(nothing, pair.new) });
    }
    Ok(out)
}

/// How much of the old file is gone, if the pair is a rewrite that deserves to be taken apart.
fn rewrite_score(
    pair: &FilePair,
    contents: &dyn Contents,
    options: &BreakOptions,
) -> Result<Option<u32>, SourceError> {
    let is_blob = |side: &Side| matches!(side.kind(), Some(EntryKind::File | EntryKind::Symlink));
    if !is_blob(&pair.old) || !is_blob(&pair.new) || pair.old.path != pair.new.path {
        return Ok(None);
    }
    if pair.old.kind() != pair.new.kind() {
        return Ok(Some(MAX_SCORE));
    }
    if pair.old.id == pair.new.id && !pair.old.id.is_null() {
        return Ok(None);
    }
    let (old_size, new_size) = (contents.size(&pair.old)?, contents.size(&pair.new)?);
    let larger = old_size.max(new_size);
    if larger < SMALLEST || old_size == 0 {
        return Ok(None);
    }
    let mut buffer = Vec::new();
    contents.read(&pair.old, &mut buffer)?;
    let old = Chunks::of(&buffer);
    contents.read(&pair.new, &mut buffer)?;
    let changes = old.changes_to(&Chunks::of(&buffer));

    let copied = changes.copied.min(old_size);
    let added = changes.added.min(new_size.saturating_sub(copied));
    let removed = old_size - copied;
    let part =
        |bytes: u64, whole: u64| (u128::from(bytes) * u128::from(MAX_SCORE) / u128::from(whole)) as u64;
    let score = part(removed, old_size);
    let break_score = u64::from(options.break_score);
    if score <= break_score && part(removed + added, larger) < break_score {
        return Ok(None);
    }
    Ok(Some(score.min(u64::from(MAX_SCORE)) as u32))
}

/// Puts the halves that nothing else used together again.
pub fn put_together(pairs: Vec<FilePair>, uses: &mut Uses) -> Vec<FilePair> {
    let is_half = |pair: &FilePair| {
        pair.broken && pair.old.path == pair.new.path && pair.old.exists() != pair.new.exists()
    };
    let mut halves: HashMap<BString, (usize, FilePair)> = HashMap::new();
    let mut out: Vec<Option<FilePair>> = Vec::with_capacity(pairs.len());
    for pair in pairs {
        if !is_half(&pair) {
            out.push(Some(pair));
            continue;
        }
        match halves.remove(&pair.old.path) {
            None => {
                halves.insert(pair.old.path.clone(), (out.len(), pair));
                out.push(None);
            }
            Some((at, first)) => {
                let (deleted, created) = if first.old.exists() { (first, pair) } else { (pair, first) };
                // The old file is still there, in a way, so whatever was made from it is a copy.
                uses.add(&deleted.old.path);
                let score = deleted.score;
                let status = Status::of_modes(deleted.old.mode, created.new.mode);
                out[at] = Some(FilePair { old: deleted.old, new: created.new, status, score, broken: true });
            }
        }
    }
    for (_, (at, half)) in halves {
        out[at] = Some(half);
    }
    out.into_iter().flatten().collect()
}
