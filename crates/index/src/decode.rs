//! Finding the entries of a file: each one's place, checked so far that all later reading is safe and searching works.
//!
//! Versions 2 and 3 lend their entries; of version 4, whose paths are shortened, they are written out.

use adit_object::ObjectFormat;
use bstr::ByteSlice;

use crate::entry::{EXTENDED_INTENT_TO_ADD, EXTENDED_SKIP_WORKTREE};
use crate::entry::{Entry, FLAG_EXTENDED, LENGTH_MASK, Stage, flags_at};
use crate::error::Fault;
use crate::layout::{Block, Frame, HEADER_LEN, Version};
use crate::pool::Slot;

/// The entries of a file.
#[derive(Debug)]
pub(crate) struct Decoded {
    pub(crate) slots: Vec<Slot>,
    /// Where they end.
    pub(crate) end: usize,
    /// What was written out: the parts of the pool that follow the file's own.
    pub(crate) written: Vec<Vec<u8>>,
}

/// What the entries of a file may be like, and how they are read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rules {
    pub(crate) format: ObjectFormat,
    /// Whether entries without a path may come first, as in an index that is split.
    pub(crate) nameless: bool,
    /// How many threads may share the work.
    pub(crate) threads: usize,
    /// The number of the part of the pool that the file will be.
    pub(crate) part: u8,
}

/// Finds the entries of `frame`.
pub(crate) fn entries(frame: &Frame<'_>, rules: Rules) -> Result<Decoded, Fault> {
    if rules.threads > 1
        && let Some(end) = frame.end_of_entries(rules.format)
        && let Some(blocks) = frame.blocks(end, &frame.extensions(end)?)
        && let Some(decoded) = in_parallel(frame, rules, &blocks, end)?
    {
        return Ok(decoded);
    }
    let mut slots = vec![Slot::new(rules.part, 0); frame.count];
    let whole = Block { start: HEADER_LEN, count: frame.count };
    let (end, written) = block(frame, rules, whole, rules.part.checked_add(1), &mut slots)?;
    Ok(Decoded { slots, end, written: written.into_iter().collect() })
}

/// What came of one block: where it ended, and what was written out.
type BlockResult = Result<(usize, Option<Vec<u8>>), Fault>;

/// Reads each block on its own; `None` when they do not meet as they should, so that the table must be wrong.
fn in_parallel(
    frame: &Frame<'_>,
    rules: Rules,
    blocks: &[Block],
    end: usize,
) -> Result<Option<Decoded>, Fault> {
    let mut slots = vec![Slot::new(rules.part, 0); frame.count];
    let per_thread = blocks.len().div_ceil(rules.threads);
    let results: Vec<BlockResult> = std::thread::scope(|scope| {
        let mut rest = slots.as_mut_slice();
        let mut workers = Vec::new();
        for (group_number, group) in blocks.chunks(per_thread).enumerate() {
            let count = group.iter().map(|block| block.count).sum();
            let (mut mine, others) = std::mem::take(&mut rest).split_at_mut(count);
            rest = others;
            workers.push(scope.spawn(move || {
                let mut results = Vec::new();
                for (number, one) in group.iter().enumerate() {
                    let (slots, others) = std::mem::take(&mut mine).split_at_mut(one.count);
                    mine = others;
                    let part = usize::from(rules.part) + 1 + group_number * per_thread + number;
                    results.push(block(frame, rules, *one, u8::try_from(part).ok(), slots));
                }
                results
            }));
        }
        workers.into_iter().flat_map(|worker| worker.join().unwrap_or_default()).collect()
    });
    let Ok(results) = results.into_iter().collect::<Result<Vec<_>, Fault>>() else { return Ok(None) };
    let ends = blocks.iter().skip(1).map(|block| block.start).chain([end]);
    if results.len() != blocks.len() || !results.iter().map(|result| result.0).eq(ends) {
        return Ok(None);
    }
    let written: Vec<Vec<u8>> = results.into_iter().filter_map(|(_, written)| written).collect();
    let entry = |slot: Slot| {
        let bytes = match slot.part() - usize::from(rules.part) {
            0 => frame.body,
            part => written.get(part - 1).map_or(&[][..], Vec::as_slice),
        };
        Entry::at(rules.format, bytes.get(slot.offset()..).unwrap_or_default())
    };
    let mut boundary = 0;
    for one in blocks {
        boundary += one.count;
        if (1..slots.len()).contains(&boundary) {
            let (last, first) = (entry(slots[boundary - 1]), entry(slots[boundary]));
            check_order(
                (last.path().as_bytes(), last.stage()),
                (first.path().as_bytes(), first.stage()),
                rules.nameless,
            )?;
        }
    }
    Ok(Some(Decoded { slots, end, written }))
}

/// Reads the entries of a block into `slots`. `part` is the part of the pool that what is written out will be; there is
/// none when a file has more blocks than a pool has parts.
fn block(frame: &Frame<'_>, rules: Rules, block: Block, part: Option<u8>, slots: &mut [Slot]) -> BlockResult {
    match frame.version {
        Version::V4 => {
            let part = part.ok_or_else(|| Fault::corrupt("too many blocks"))?;
            let (end, written) = written_out(frame.body, Rules { part, ..rules }, block.start, slots)?;
            Ok((end, Some(written)))
        }
        version => lent(frame.body, version, rules, block.start, slots).map(|end| (end, None)),
    }
}

/// The flags of the entry at `at`, checked, and where its path begins.
fn head(body: &[u8], version: Version, format: ObjectFormat, at: usize) -> Result<(u16, usize), Fault> {
    let cut = || Fault::corrupt("cut short in an entry");
    let flags_at = at + flags_at(format);
    let bytes = body.get(flags_at..).and_then(|bytes| bytes.first_chunk::<2>()).ok_or_else(cut)?;
    let flags = u16::from_be_bytes(*bytes);
    if flags & FLAG_EXTENDED == 0 {
        return Ok((flags, flags_at + 2));
    }
    let bytes = body.get(flags_at + 2..).and_then(|bytes| bytes.first_chunk::<2>()).ok_or_else(cut)?;
    let extended = u16::from_be_bytes(*bytes);
    if version == Version::V2 || extended & !(EXTENDED_SKIP_WORKTREE | EXTENDED_INTENT_TO_ADD) != 0 {
        let bits = u32::from(extended) << 16 | u32::from(FLAG_EXTENDED);
        return Err(Fault::corrupt(format!("unknown index entry format 0x{bits:08x}")));
    }
    Ok((flags, flags_at + 4))
}

fn stage(flags: u16) -> Stage {
    Stage::ALL[usize::from(flags >> crate::entry::STAGE_SHIFT & 3)]
}

fn lent(
    body: &[u8],
    version: Version,
    rules: Rules,
    start: usize,
    slots: &mut [Slot],
) -> Result<usize, Fault> {
    let mut at = start;
    let mut before: Option<(&[u8], Stage)> = None;
    for slot in slots {
        let (flags, path_at) = head(body, version, rules.format, at)?;
        let rest = body.get(path_at..).unwrap_or_default();
        let len = match flags & LENGTH_MASK {
            LENGTH_MASK => memchr::memchr(0, rest).unwrap_or(rest.len()),
            len => usize::from(len),
        };
        if rest.get(len) != Some(&0) {
            return Err(Fault::corrupt("malformed name field in an entry"));
        }
        let this = (&rest[..len], stage(flags));
        check_order(before.unwrap_or((b"", Stage::Merged)), this, rules.nameless || before.is_none())?;
        if len == 0 && !rules.nameless {
            return Err(Fault::corrupt("an entry has no name"));
        }
        before = Some(this);
        *slot = Slot::new(rules.part, at);
        // At least one NUL, and as many as make the length of the entry a multiple of eight.
        at += (path_at + len - at + 8) & !7;
    }
    if at > body.len() {
        return Err(Fault::corrupt("cut short in an entry"));
    }
    Ok(at)
}

/// How much longer than its file what is written out may be: paths are short next to the rest of an entry.
const MAX_GROWTH: usize = 128;

fn written_out(
    body: &[u8],
    rules: Rules,
    start: usize,
    slots: &mut [Slot],
) -> Result<(usize, Vec<u8>), Fault> {
    let cut = || Fault::corrupt("cut short in an entry");
    let mut out: Vec<u8> = Vec::with_capacity(slots.len() * (flags_at(rules.format) + 40));
    let mut at = start;
    // Where the path before lies in `out`, and its stage.
    let mut before = (0..0, Stage::Merged);
    for (number, slot) in slots.iter_mut().enumerate() {
        let (flags, path_at) = head(body, Version::V4, rules.format, at)?;
        let (removed, suffix_at) = variable_width(body, path_at).ok_or_else(cut)?;
        let suffix = body.get(suffix_at..).unwrap_or_default();
        let suffix = &suffix[..memchr::memchr(0, suffix).ok_or_else(cut)?];
        // The first path of a block stands for itself: what it removes is the path before, which others have read.
        let kept = if number == 0 { Some(0) } else { before.0.len().checked_sub(removed) };
        let kept = kept.ok_or_else(|| {
            Fault::corrupt(format!(
                "malformed name field in the index, near path '{}'",
                out[before.0.clone()].as_bstr()
            ))
        })?;
        let entry_at = out.len();
        out.extend_from_slice(&body[at..path_at]);
        let path_start = out.len();
        out.extend_from_within(before.0.start..before.0.start + kept);
        out.extend_from_slice(suffix);
        let path = path_start..out.len();
        out.push(0);
        if out.len() / MAX_GROWTH > body.len() {
            return Err(Fault::corrupt("paths of absurd length"));
        }
        set_length(&mut out[entry_at..path_start], flags, path.len(), rules.format);
        let this = (&out[path.clone()], stage(flags));
        check_order((&out[before.0.clone()], before.1), this, rules.nameless || number == 0)?;
        if path.is_empty() && !rules.nameless {
            return Err(Fault::corrupt("an entry has no name"));
        }
        before = (path, stage(flags));
        *slot = Slot::new(rules.part, entry_at);
        at = suffix_at + suffix.len() + 1;
    }
    out.shrink_to_fit();
    Ok((at, out))
}

/// Makes the length in the flags that of the path, on which all that reads the entry relies.
fn set_length(head: &mut [u8], flags: u16, len: usize, format: ObjectFormat) {
    let len = u16::try_from(len).map_or(LENGTH_MASK, |len| len.min(LENGTH_MASK));
    let flags = flags & !LENGTH_MASK | len;
    head[flags_at(format)..][..2].copy_from_slice(&flags.to_be_bytes());
}

/// A number as OFS_DELTA entries of packs have it (gitformat-pack), and where it ends.
pub(crate) fn variable_width(bytes: &[u8], mut at: usize) -> Option<(usize, usize)> {
    let mut byte = *bytes.get(at)?;
    let mut number = usize::from(byte & 0x7f);
    while byte & 0x80 != 0 {
        at += 1;
        byte = *bytes.get(at)?;
        number = number.checked_add(1)?.checked_mul(128)?.checked_add(usize::from(byte & 0x7f))?;
    }
    Some((number, at + 1))
}

/// Checks that an entry comes after the one before, and that its path holds no NUL where it differs from that.
fn check_order(before: (&[u8], Stage), this: (&[u8], Stage), nameless: bool) -> Result<(), Fault> {
    let common = common_prefix(before.0, this.0);
    let rest = &this.0[common..];
    if memchr::memchr(0, rest).is_some() {
        return Err(Fault::corrupt("a name holds a NUL"));
    }
    match (before.0.get(common), rest.first()) {
        (None, Some(_)) => Ok(()),
        (Some(a), Some(b)) if a < b => Ok(()),
        (None, None) if nameless && this.0.is_empty() => Ok(()),
        (None, None) if before.1 == Stage::Merged => {
            Err(Fault::corrupt(format!("multiple stage entries for merged file '{}'", this.0.as_bstr())))
        }
        (None, None) if before.1 < this.1 => Ok(()),
        (None, None) => Err(Fault::corrupt(format!("unordered stage entries for '{}'", this.0.as_bstr()))),
        _ => Err(Fault::corrupt(format!("unordered stage entries in index, at '{}'", this.0.as_bstr()))),
    }
}

/// How many bytes two paths have in common at their start.
pub(crate) fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    let mut at = 0;
    for (x, y) in a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0) {
        let differ = u64::from_le_bytes(*x) ^ u64::from_le_bytes(*y);
        if differ != 0 {
            return at + (differ.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    at + a[at..].iter().zip(&b[at..]).take_while(|(x, y)| x == y).count()
}
