//! Making deltas: instructions by which an object is made from another (gitformat-pack, 'Deltified representation').
//!
//! The base is cut into blocks of 16 bytes, found again by what they hold. Wherever in the target such a block begins, the
//! match is made as long as it goes in both directions, and of several the longest is copied; what nothing matches is
//! inserted. [`BaseIndex`] holds the blocks, so that many targets can be tried against one base.

/// How much of the base each place in the index stands for, and the shortest match that is looked for.
const BLOCK: usize = 16;
/// No more places that begin alike are tried than this: of a base that repeats itself any will do.
const MOST_TRIED: usize = 48;
/// A match as long as this is taken without looking for a longer one.
const LONG_ENOUGH: usize = 4096;
/// The most that one instruction copies.
const MOST_COPIED: usize = 0x1_0000;
/// The most that one instruction inserts.
const MOST_INSERTED: usize = 0x7f;
/// An instruction to copy cannot name what lies further on.
const REACH: u64 = 1 << 32;
/// No further block.
const NONE: u32 = u32::MAX;

/// Bytes that base and target have in common: where they start in each.
#[derive(Debug, Clone, Copy)]
struct Match {
    base: usize,
    target: usize,
    len: usize,
}

/// The blocks of a base.
#[derive(Debug)]
pub struct BaseIndex<'b> {
    base: &'b [u8],
    /// The first block of each hash value.
    first: Vec<u32>,
    /// The next block of the same value, a block each.
    next: Vec<u32>,
    shift: u32,
}

impl<'b> BaseIndex<'b> {
    /// Indexes a base.
    pub fn new(base: &'b [u8]) -> Self {
        // Where addresses are wider than what deltas can say, the rest of the base is left alone.
        let reach = usize::try_from(REACH).map_or(base.len(), |reach| base.len().min(reach));
        let blocks = &base[..reach];
        let count = blocks.len() / BLOCK;
        let bits = usize::BITS - count.leading_zeros() + 1;
        let mut index =
            BaseIndex { base, first: vec![NONE; 1 << bits], next: vec![NONE; count], shift: 64 - bits };
        // From the back, so that the chains run forwards.
        let mut after: Option<&[u8; BLOCK]> = None;
        for (number, block) in blocks.as_chunks().0.iter().enumerate().rev() {
            let slot = index.slot(block);
            // Of a run of equal blocks, only the first is of use: a match goes on through the others.
            if after == Some(block) {
                index.first[slot] = index.next[number + 1];
            }
            index.next[number] = index.first[slot];
            index.first[slot] = number as u32;
            after = Some(block);
        }
        index
    }

    fn slot(&self, block: &[u8; BLOCK]) -> usize {
        let word = u128::from_le_bytes(*block);
        let (low, high) = (word as u64, (word >> 64) as u64);
        let mixed = (low ^ high.rotate_left(29).wrapping_mul(0x9e37_79b9_7f4a_7c15))
            .wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed >> self.shift) as usize
    }

    /// The longest match that holds the block at `at` of `target`, and nothing before `from`.
    fn find(&self, target: &[u8], from: usize, at: usize) -> Option<Match> {
        let ahead = &target[at..];
        let block: &[u8; BLOCK] = ahead.first_chunk()?;
        let mut best: Option<Match> = None;
        let mut place = self.first[self.slot(block)];
        for _ in 0..MOST_TRIED {
            if place == NONE {
                break;
            }
            let start = place as usize * BLOCK;
            place = self.next[place as usize];
            let forward = common_prefix(&self.base[start..], ahead);
            if forward < BLOCK {
                continue;
            }
            let back = common_suffix(&self.base[..start], &target[from..at]);
            let len = forward + back;
            if best.is_none_or(|best| len > best.len) {
                best = Some(Match { base: start - back, target: at - back, len });
            }
            if len >= LONG_ENOUGH {
                break;
            }
        }
        best
    }

    /// The longest match that holds the block at `at`, or one of those that begin soon after: a longer match that holds
    /// the same bytes has a block of the base among them.
    fn find_near(&self, target: &[u8], from: usize, at: usize) -> Option<Match> {
        let mut best = self.find(target, from, at)?;
        for at in at + 1..at + BLOCK {
            if best.len >= LONG_ENOUGH {
                break;
            }
            if let Some(other) = self.find(target, from, at).filter(|other| other.len > best.len) {
                best = other;
            }
        }
        Some(best)
    }

    /// Puts into `out` a delta that makes `target`. False when it would be longer than `most` bytes; what `out` then
    /// holds is of no use.
    pub fn encode(&self, target: &[u8], most: usize, out: &mut Vec<u8>) -> bool {
        out.clear();
        append_size(self.base.len() as u64, out);
        append_size(target.len() as u64, out);
        let (mut at, mut pending) = (0, 0);
        while at < target.len() {
            let Some(found) = self.find_near(target, pending, at) else {
                at += 1;
                continue;
            };
            let inserted = &target[pending..found.target];
            if out.len() + inserted.len() > most {
                return false;
            }
            append_insert(inserted, out);
            append_copy(found.base, found.len, out);
            at = found.target + found.len;
            pending = at;
        }
        let inserted = &target[pending..];
        if out.len() + inserted.len() > most {
            return false;
        }
        append_insert(inserted, out);
        out.len() <= most
    }
}

/// How many bytes two slices have in common at their start.
fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    let words = |bytes| <[u8]>::as_chunks::<8>(bytes).0;
    let same = words(a).iter().zip(words(b)).take_while(|(a, b)| a == b).count() * 8;
    same + a[same..].iter().zip(&b[same..]).take_while(|(a, b)| a == b).count()
}

/// How many bytes two slices have in common at their end.
fn common_suffix(a: &[u8], b: &[u8]) -> usize {
    a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count()
}

/// Appends a number in the 'size encoding'.
fn append_size(mut size: u64, out: &mut Vec<u8>) {
    while size >= 0x80 {
        out.push((size & 0x7f) as u8 | 0x80);
        size >>= 7;
    }
    out.push(size as u8);
}

fn append_insert(bytes: &[u8], out: &mut Vec<u8>) {
    for piece in bytes.chunks(MOST_INSERTED) {
        out.push(piece.len() as u8);
        out.extend_from_slice(piece);
    }
}

fn append_copy(mut start: usize, mut len: usize, out: &mut Vec<u8>) {
    while len > 0 {
        let size = len.min(MOST_COPIED);
        let op_at = out.len();
        out.push(0x80);
        let mut op = 0x80;
        // The greatest size is the one that is left out.
        let written = if size == MOST_COPIED { 0 } else { size };
        let arguments =
            start.to_le_bytes().into_iter().take(4).chain(written.to_le_bytes().into_iter().take(3));
        for (bit, byte) in arguments.enumerate().filter(|(_, byte)| *byte != 0) {
            op |= 1 << bit;
            out.push(byte);
        }
        out[op_at] = op;
        start += size;
        len -= size;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Follows the instructions as the format has them.
    fn apply(base: &[u8], delta: &[u8]) -> Vec<u8> {
        let mut bytes = delta.iter().copied();
        let mut size = || {
            let (mut size, mut shift) = (0usize, 0);
            loop {
                let byte = bytes.next().unwrap();
                size |= usize::from(byte & 0x7f) << shift;
                shift += 7;
                if byte & 0x80 == 0 {
                    return size;
                }
            }
        };
        assert_eq!(size(), base.len());
        let len = size();
        let mut out = Vec::new();
        while let Some(op) = bytes.next() {
            if op & 0x80 == 0 {
                out.extend(bytes.by_ref().take(usize::from(op)));
                continue;
            }
            let mut arguments = [0usize; 2];
            for bit in (0..7).filter(|bit| op >> bit & 1 == 1) {
                let (argument, shift) = if bit < 4 { (0, bit) } else { (1, bit - 4) };
                arguments[argument] |= usize::from(bytes.next().unwrap()) << (8 * shift);
            }
            let [start, size] = arguments;
            out.extend_from_slice(&base[start..][..if size == 0 { 0x10000 } else { size }]);
        }
        assert_eq!(out.len(), len);
        out
    }

    fn encode(base: &[u8], target: &[u8]) -> Vec<u8> {
        let mut delta = Vec::new();
        assert!(BaseIndex::new(base).encode(target, usize::MAX, &mut delta));
        assert_eq!(apply(base, &delta), target);
        delta
    }

    #[test]
    fn what_is_alike_is_copied() {
        let base: Vec<u8> =
            (0..100_000u32).flat_map(|n| (n.wrapping_mul(2_654_435_761)).to_le_bytes()).collect();
        assert_eq!(encode(&base, &base).len(), (3 + 3) + (1 + 5 * 2) + 4);
        let changed = [&base[..777], b"other", &base[777..]].concat();
        assert!(encode(&base, &changed).len() < 50);
        assert_eq!(encode(&base[..1000], b"nothing of it"), b"\xe8\x07\x0d\x0dnothing of it");
        assert_eq!(encode(b"", b""), [0, 0]);
    }

    #[test]
    fn a_base_that_repeats_itself_takes_no_longer() {
        let base = vec![0; 1 << 20];
        assert!(encode(&base, &vec![0; 3 << 20]).len() < 400);
        let stripes: Vec<u8> = (0..1 << 18).flat_map(|n: u32| [n as u8 % 3, 0, 0, 0]).collect();
        assert!(encode(&stripes, &stripes[1..]).len() < 400);
    }

    #[test]
    fn a_delta_that_gets_too_long_is_given_up() {
        let target: Vec<u8> =
            (0..1000u32).flat_map(|n| (n.wrapping_mul(2_654_435_761)).to_le_bytes()).collect();
        let index = BaseIndex::new(b"something else altogether");
        let mut delta = Vec::new();
        assert!(!index.encode(&target, 500, &mut delta));
        assert!(delta.len() < 600);
        assert!(index.encode(&target, 5000, &mut delta));
    }

    proptest! {
        #[test]
        fn deltas_make_the_target(
            base in proptest::collection::vec(0_u8..3, 0..3000),
            cuts in proptest::collection::vec((any::<prop::sample::Index>(), 0_usize..600), 0..12),
            noise in proptest::collection::vec(any::<u8>(), 0..200),
        ) {
            let mut target = Vec::new();
            for (at, len) in cuts {
                let at = if base.is_empty() { 0 } else { at.index(base.len()) };
                target.extend_from_slice(&base[at..(at + len).min(base.len())]);
                target.extend_from_slice(&noise[..len.min(noise.len())]);
            }
            encode(&base, &target);
        }
    }
}
