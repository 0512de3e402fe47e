//! The compression function of SHA-1 (FIPS 180-4) in plain integers, forwards and backwards.

use super::{Schedule, State, word_at};

const CONSTANTS: [u32; 4] = [0x5a82_7999, 0x6ed9_eba1, 0x8f1b_bcdc, 0xca62_c1d6];

/// The function of the step `STEP / 20` of four.
#[inline(always)]
fn mixed<const QUARTER: usize>(b: u32, c: u32, d: u32) -> u32 {
    let f = match QUARTER {
        0 => d ^ (b & (c ^ d)),
        2 => (b & c) | (d & (b | c)),
        _ => b ^ c ^ d,
    };
    f.wrapping_add(CONSTANTS[QUARTER])
}

/// One step forwards.
#[inline(always)]
fn step<const QUARTER: usize>([a, b, c, d, e]: State, word: u32) -> State {
    let next = a.rotate_left(5).wrapping_add(mixed::<QUARTER>(b, c, d)).wrapping_add(e).wrapping_add(word);
    [next, a, b.rotate_left(30), c, d]
}

/// One step backwards: the state from which [`step`] with the same word leads to this one.
#[inline(always)]
fn step_back<const QUARTER: usize>([next, a, b, c, d]: State, word: u32) -> State {
    let b = b.rotate_right(30);
    let e = next.wrapping_sub(a.rotate_left(5)).wrapping_sub(mixed::<QUARTER>(b, c, d)).wrapping_sub(word);
    [a, b, c, d, e]
}

/// The state after the steps from `from` on of the state before them.
pub(super) fn forwards(mut state: State, from: usize, words: &Schedule) -> State {
    for n in from..20 {
        state = step::<0>(state, words[word_at(n)]);
    }
    for n in from.max(20)..40 {
        state = step::<1>(state, words[word_at(n)]);
    }
    for n in from.max(40)..60 {
        state = step::<2>(state, words[word_at(n)]);
    }
    for n in from.max(60)..80 {
        state = step::<3>(state, words[word_at(n)]);
    }
    state
}

/// The state before the steps `to..from` of the state after them.
pub(super) fn backwards(mut state: State, from: usize, to: usize, words: &Schedule) -> State {
    for n in (to.max(60)..from).rev() {
        state = step_back::<3>(state, words[word_at(n)]);
    }
    for n in (to.max(40)..from.min(60)).rev() {
        state = step_back::<2>(state, words[word_at(n)]);
    }
    for n in (to.max(20)..from.min(40)).rev() {
        state = step_back::<1>(state, words[word_at(n)]);
    }
    for n in (to..from.min(20)).rev() {
        state = step_back::<0>(state, words[word_at(n)]);
    }
    state
}

/// Word by word sum, by which a block's result is fed forward.
pub(super) fn sum(a: State, b: State) -> State {
    std::array::from_fn(|n| a[n].wrapping_add(b[n]))
}

/// The inverse of [`sum`].
pub(super) fn difference(a: State, b: State) -> State {
    std::array::from_fn(|n| a[n].wrapping_sub(b[n]))
}

/// Takes one block into `state`, and leaves its expanded message in `schedule`.
pub(super) fn compress(state: &mut State, block: &[u8; 64], schedule: &mut Schedule) {
    let mut words = [0_u32; 80];
    for (word, bytes) in words.iter_mut().zip(block.as_chunks::<4>().0) {
        *word = u32::from_be_bytes(*bytes);
    }
    for n in 16..80 {
        words[n] = (words[n - 3] ^ words[n - 8] ^ words[n - 14] ^ words[n - 16]).rotate_left(1);
    }
    for (n, &word) in words.iter().enumerate() {
        schedule[word_at(n)] = word;
    }
    *state = sum(*state, forwards(*state, 0, schedule));
}
