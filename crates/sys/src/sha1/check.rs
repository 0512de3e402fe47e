//! Does a block look as if it were half of a collision, and is it?

use super::rounds::{backwards, difference, forwards, sum};
use super::vectors::{CHECKED_WORDS, FIRST_WORD, RELATIONS, Relation, VECTORS};
use super::{LANES, Schedule, State, word_at};

/// The words that the conditions look at, of several blocks side by side.
pub(super) type Words = [[u32; LANES]; CHECKED_WORDS];

/// For each block the vectors all of whose conditions it meets: bit n stands for `VECTORS[n]`.
#[inline(always)]
pub(super) fn candidates(words: &Words) -> [u32; LANES] {
    let mut failed = [0; LANES];
    macro_rules! relation {
        ($n:expr) => {{
            const R: Relation = RELATIONS[$n];
            let (word, other) = (&words[R.word], &words[R.other_word]);
            for lane in 0..LANES {
                // The two bits meet in the sign, which is then spread.
                let sum = (word[lane] << (31 - R.bit)) ^ (other[lane] << (31 - R.other_bit));
                let differ = (sum.cast_signed() >> 31).cast_unsigned();
                failed[lane] |= R.vectors & if R.differ { !differ } else { differ };
            }
        }};
    }
    macro_rules! ten_relations {
        ($($tens:literal)*) => {$(
            relation!($tens * 10);
            relation!($tens * 10 + 1);
            relation!($tens * 10 + 2);
            relation!($tens * 10 + 3);
            relation!($tens * 10 + 4);
            relation!($tens * 10 + 5);
            relation!($tens * 10 + 6);
            relation!($tens * 10 + 7);
            relation!($tens * 10 + 8);
            relation!($tens * 10 + 9);
        )*};
    }
    ten_relations!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
    for failed in &mut failed {
        *failed = !*failed;
    }
    failed
}

/// [`candidates`] on whatever vectors every machine of this kind has.
pub(super) fn candidates_portable(schedules: &[Schedule; LANES]) -> [u32; LANES] {
    let mut words = [[0; LANES]; CHECKED_WORDS];
    for (n, word) in words.iter_mut().enumerate() {
        *word = std::array::from_fn(|lane| schedules[lane][word_at(FIRST_WORD + n)]);
    }
    candidates(&words)
}

/// Whether another block, that differs from this one by one of the vectors in `candidates`, leads from some other
/// state to the same result. `before` and `after` are the state before and after the block.
pub(super) fn collides(candidates: u32, schedule: &Schedule, before: State, after: State) -> bool {
    VECTORS.iter().enumerate().filter(|(n, _)| candidates >> n & 1 == 1).any(|(_, vector)| {
        let mut other = *schedule;
        for (word, difference) in other.iter_mut().zip(&vector.difference) {
            *word ^= difference;
        }
        // Both blocks pass through the same state here, so the other one's course can be computed both ways.
        let meeting = backwards(difference(after, before), 80, vector.meets_at, schedule);
        let other_end = forwards(meeting, vector.meets_at, &other);
        let other_before = backwards(meeting, vector.meets_at, 0, &other);
        sum(other_before, other_end) == after
    })
}
