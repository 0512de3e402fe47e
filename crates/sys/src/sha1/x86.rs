//! SHA-1 by the instructions that x86-64 has for it, and its vector registers for the check.

#![expect(unsafe_code, reason = "intrinsics that not every machine has")]

use std::arch::x86_64::*;

use super::check::{self, Words};
use super::vectors::{CHECKED_WORDS, FIRST_WORD};
use super::{LANES, Schedule, State};

/// Whether this machine has the SHA instructions.
pub(super) fn has_sha() -> bool {
    is_x86_feature_detected!("sha") && is_x86_feature_detected!("ssse3") && is_x86_feature_detected!("sse4.1")
}

/// Whether this machine has vectors of 32 bytes.
pub(super) fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
}

/// Takes blocks into `state`, and leaves of each the state before it and its expanded message.
#[target_feature(enable = "sha,ssse3,sse4.1")]
pub(super) fn compress(
    state: &mut State,
    blocks: &[[u8; 64]],
    before: &mut [State],
    schedules: &mut [Schedule],
) {
    // The instructions want the first of four words in the highest lane.
    let reversed = _mm_set_epi64x(0x0001_0203_0405_0607, 0x0809_0a0b_0c0d_0e0f);
    let [a, b, c, d, e] = *state;
    let mut abcd = _mm_set_epi32(a.cast_signed(), b.cast_signed(), c.cast_signed(), d.cast_signed());
    let mut e = _mm_set_epi32(e.cast_signed(), 0, 0, 0);
    for ((block, before), schedule) in blocks.iter().zip(before).zip(schedules) {
        *before = state_of(abcd, e);
        let (abcd_before, e_before) = (abcd, e);
        // What `e` of the next four steps is made of: `a` of four steps ago.
        let mut earlier = e;
        let mut words = [_mm_setzero_si128(); 4];
        // Four steps; the words that they take are made when they are needed.
        macro_rules! four_steps {
            ($n:literal) => {
                words[$n % 4] = if $n < 4 {
                    // SAFETY: sixteen bytes are read from within the block, at any alignment.
                    let bytes = unsafe { _mm_loadu_si128(block.as_ptr().add(16 * ($n % 4)).cast()) };
                    _mm_shuffle_epi8(bytes, reversed)
                } else {
                    let start = _mm_sha1msg1_epu32(words[$n % 4], words[($n + 1) % 4]);
                    _mm_sha1msg2_epu32(_mm_xor_si128(start, words[($n + 2) % 4]), words[($n + 3) % 4])
                };
                // SAFETY: sixteen bytes are written within the schedule of 20 times as many, at any alignment.
                unsafe { _mm_storeu_si128(schedule.as_mut_ptr().add(4 * $n).cast(), words[$n % 4]) };
                e = if $n == 0 {
                    _mm_add_epi32(earlier, words[0])
                } else {
                    _mm_sha1nexte_epu32(earlier, words[$n % 4])
                };
                earlier = abcd;
                abcd = _mm_sha1rnds4_epu32::<{ $n / 5 }>(abcd, e);
            };
            ($($n:literal)*) => { $(four_steps!($n);)* };
        }
        four_steps!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19);
        abcd = _mm_add_epi32(abcd, abcd_before);
        e = _mm_sha1nexte_epu32(earlier, e_before);
    }
    *state = state_of(abcd, e);
}

/// The words of the state from the two registers that hold it.
#[target_feature(enable = "sha,ssse3,sse4.1")]
fn state_of(abcd: __m128i, e: __m128i) -> State {
    [
        _mm_extract_epi32::<3>(abcd).cast_unsigned(),
        _mm_extract_epi32::<2>(abcd).cast_unsigned(),
        _mm_extract_epi32::<1>(abcd).cast_unsigned(),
        _mm_extract_epi32::<0>(abcd).cast_unsigned(),
        _mm_extract_epi32::<3>(e).cast_unsigned(),
    ]
}

/// [`check::candidates`] on vectors of 32 bytes.
#[target_feature(enable = "avx2")]
pub(super) fn candidates_avx2(schedules: &[Schedule; LANES]) -> [u32; LANES] {
    check::candidates(&transposed(schedules))
}

/// The checked words of eight schedules, lane by lane.
#[target_feature(enable = "avx2")]
fn transposed(schedules: &[Schedule; LANES]) -> Words {
    const START: usize = FIRST_WORD / 4 * 4;
    let mut words = [[0; LANES]; CHECKED_WORDS];
    for at in (START..FIRST_WORD + CHECKED_WORDS).step_by(4) {
        // Lane n of the low half is block n, of the high half block n + 4; words come highest first.
        let mut rows = [_mm256_setzero_si256(); 4];
        for n in 0..4 {
            let (low, high) = (&schedules[n][at..at + 4], &schedules[n + 4][at..at + 4]);
            // SAFETY: sixteen bytes are read from each of two slices of four words, at any alignment.
            rows[n] = unsafe { _mm256_loadu2_m128i(high.as_ptr().cast(), low.as_ptr().cast()) };
        }
        let (low01, low23) =
            (_mm256_unpacklo_epi32(rows[0], rows[1]), _mm256_unpacklo_epi32(rows[2], rows[3]));
        let (high01, high23) =
            (_mm256_unpackhi_epi32(rows[0], rows[1]), _mm256_unpackhi_epi32(rows[2], rows[3]));
        let columns = [
            _mm256_unpackhi_epi64(high01, high23),
            _mm256_unpacklo_epi64(high01, high23),
            _mm256_unpackhi_epi64(low01, low23),
            _mm256_unpacklo_epi64(low01, low23),
        ];
        for n in 0..4 {
            if at + n >= FIRST_WORD && at + n < FIRST_WORD + CHECKED_WORDS {
                // SAFETY: 32 bytes are written to an array of eight words, at any alignment.
                unsafe { _mm256_storeu_si256(words[at + n - FIRST_WORD].as_mut_ptr().cast(), columns[n]) };
            }
        }
    }
    words
}
