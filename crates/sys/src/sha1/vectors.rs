//! The disturbance vectors of all known attacks on SHA-1, and what a message block must fulfil to use one.
//!
//! A colliding pair of blocks differs, in its expanded message of 80 words, by a pattern that follows from a
//! *disturbance vector*: a sequence of words that obeys the message expansion itself, in which each set bit starts
//! a local collision of six steps. Two families of them are light enough to attack with, I(K, b) and II(K, b) (Manuel,
//! 'Classification and generation of disturbance vectors for collision attacks against SHA-1').
//!
//! An attack on one of these vectors also forces relations between two bits of the expanded message, whatever
//! the rest of it looks like. They are listed here as published for the 32 vectors that matter by Stevens and Shumow,
//! 'Speeding up detection of SHA-1 collision attacks using unavoidable attack conditions' (USENIX Security 2017).

use super::{Schedule, word_at};

/// A disturbance vector, and the conditions under which a block may be using it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Vector {
    /// The step before which both messages of a pair are in the same state.
    pub(super) meets_at: usize,
    /// How the expanded messages of a pair differ, in the same order.
    pub(super) difference: Schedule,
    /// Relations such as `37.4!39.4` (bit 4 of word 37 and bit 4 of word 39 differ) or `37.4=40.29` (are equal).
    conditions: &'static [u8],
}

impl Vector {
    /// I(K, b): fifteen words of zero from word K on, then bit b.
    const fn one(k: usize, b: u32, conditions: &'static str) -> Self {
        let mut window = [0; 16];
        window[15] = 1 << b;
        Self::through(k, window, conditions)
    }

    /// II(K, b): bit b - 1 in words K + 1 and K + 3, bit b in word K + 15, otherwise zero.
    const fn two(k: usize, b: u32, conditions: &'static str) -> Self {
        let mut window = [0; 16];
        window[1] = 1_u32.rotate_left(b + 31);
        window[3] = 1_u32.rotate_left(b + 31);
        window[15] = 1 << b;
        Self::through(k, window, conditions)
    }

    /// The vector that has these words at K to K + 15, extended both ways by the message expansion.
    const fn through(k: usize, window: [u32; 16], conditions: &'static str) -> Self {
        // Word n of the vector is at n + 5: local collisions that start before the message still end in it.
        let mut words = [0_u32; 85];
        let start = k + 5;
        let mut n = 0;
        while n < 16 {
            words[start + n] = window[n];
            n += 1;
        }
        let mut n = start + 16;
        while n < 85 {
            words[n] = (words[n - 3] ^ words[n - 8] ^ words[n - 14] ^ words[n - 16]).rotate_left(1);
            n += 1;
        }
        let mut n = start;
        while n > 0 {
            n -= 1;
            words[n] = words[n + 16].rotate_right(1) ^ words[n + 13] ^ words[n + 8] ^ words[n + 2];
        }
        let mut difference = [0; 80];
        let mut n = 0;
        while n < 80 {
            difference[word_at(n)] = words[n + 5]
                ^ words[n + 4].rotate_left(5)
                ^ words[n + 3]
                ^ words[n + 2].rotate_left(30)
                ^ words[n + 1].rotate_left(30)
                ^ words[n].rotate_left(30);
            n += 1;
        }
        // Five words of zero in a row leave no difference in the state.
        let meets_at = k + 15;
        assert!(words[meets_at] | words[meets_at + 1] | words[meets_at + 2] | words[meets_at + 3] == 0);
        assert!(words[meets_at + 4] == 0);
        Vector { meets_at, difference, conditions: conditions.as_bytes() }
    }
}

/// A relation between two bits of the expanded message, and the vectors that need it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Relation {
    /// The word of the one bit, counted from [`FIRST_WORD`].
    pub(super) word: usize,
    /// That bit.
    pub(super) bit: u32,
    /// The word of the other bit, counted from [`FIRST_WORD`].
    pub(super) other_word: usize,
    /// The other bit.
    pub(super) other_bit: u32,
    /// Whether the bits must differ.
    pub(super) differ: bool,
    /// The vectors that are out of the question when the relation does not hold: bit n is `VECTORS[n]`.
    pub(super) vectors: u32,
}

/// The first word that any condition looks at.
pub(super) const FIRST_WORD: usize = 35;
/// How many words from there on the conditions look at.
pub(super) const CHECKED_WORDS: usize = 30;
/// How many different relations the vectors have among them, rounded up to whole sixteens by empty ones.
pub(super) const RELATION_COUNT: usize = 160;

/// The conditions of all vectors, each different one once.
pub(super) const RELATIONS: [Relation; RELATION_COUNT] = relations();

const fn relations() -> [Relation; RELATION_COUNT] {
    let none = Relation { word: 0, bit: 0, other_word: 0, other_bit: 0, differ: false, vectors: 0 };
    let mut relations = [none; RELATION_COUNT];
    let mut count = 0;
    let mut v = 0;
    while v < VECTORS.len() {
        let text = VECTORS[v].conditions;
        let mut at = 0;
        while at < text.len() {
            let (word, next) = number(text, at);
            let (bit, next) = number(text, next + 1);
            let differ = text[next] == b'!';
            let (other_word, next) = number(text, next + 1);
            let (other_bit, next) = number(text, next + 1);
            let (word, other_word) = (word - FIRST_WORD, other_word - FIRST_WORD);
            assert!(word < CHECKED_WORDS && other_word < CHECKED_WORDS && bit < 32 && other_bit < 32);
            at = next + 1;
            let wanted = Relation {
                word,
                bit: bit as u32,
                other_word,
                other_bit: other_bit as u32,
                differ,
                vectors: 1 << v,
            };
            let mut n = 0;
            while n < count && !same(&relations[n], &wanted) {
                n += 1;
            }
            if n == count {
                relations[n] = wanted;
                count += 1;
            } else {
                relations[n].vectors |= wanted.vectors;
            }
        }
        v += 1;
    }
    relations
}

const fn same(a: &Relation, b: &Relation) -> bool {
    a.word == b.word
        && a.bit == b.bit
        && a.other_word == b.other_word
        && a.other_bit == b.other_bit
        && a.differ == b.differ
}

/// The number at `at` and where it ends.
const fn number(text: &[u8], mut at: usize) -> (usize, usize) {
    let mut value = 0;
    while at < text.len() && text[at].is_ascii_digit() {
        value = value * 10 + (text[at] - b'0') as usize;
        at += 1;
    }
    (value, at)
}

/// The vectors to check for.
#[rustfmt::skip]
pub(super) static VECTORS: [Vector; 32] = [
    Vector::one(43, 0, "37.4!39.4 37.4=40.29 39.4!41.4 39.4=42.29 41.4=44.29 43.4=46.29 44.29!46.29 46.29=47.29 \
         58.0!63.30 59.5=63.30 61.1!62.6"),
    Vector::one(44, 0, "38.4!40.4 38.4=41.29 40.4!42.4 40.4=43.29 40.29=41.29 42.4=45.29 44.4=47.29 45.29!47.29 \
         47.29=48.29 59.0!64.30 60.5=64.30 62.1!63.6"),
    Vector::one(45, 0, "35.4=39.29 39.4!41.4 39.4=42.29 41.4=44.29 41.29=42.29 43.4=46.29 44.29!46.29 45.4=48.29 \
         46.29!48.29 48.29=49.29 60.0!61.5 63.1!64.6"),
    Vector::one(46, 0, "36.4=40.29 40.4!42.4 40.4=43.29 42.4=45.29 42.29=43.29 44.4=47.29 45.29!47.29 46.4=49.29 \
         47.29!49.29 49.29=50.29 61.0!62.5"),
    Vector::one(47, 0, "37.4=40.29 40.29=41.29 41.4=44.29 43.4=46.29 43.29=44.29 44.29!46.29 45.4=48.29 \
         46.29!48.29 47.4=50.29 48.29!50.29 50.29=51.29 62.0!63.5"),
    Vector::one(48, 0, "35.4=39.29 38.4=41.29 40.29=41.29 41.29=42.29 42.4=45.29 44.4=47.29 44.29=45.29 \
         45.29!47.29 46.4=49.29 47.29!49.29 48.4=51.29 49.29!51.29 51.29=52.29 63.0!64.5"),
    Vector::one(49, 0, "36.4=40.29 39.4=42.29 41.29=42.29 42.29=43.29 43.4=46.29 45.4=48.29 45.29=46.29 \
         46.29!48.29 47.4=50.29 48.29!50.29 49.4=52.29 50.29!52.29 52.29=53.29"),
    Vector::one(50, 0, "36.4!37.4 37.4=41.29 40.4=43.29 42.29=43.29 43.29=44.29 44.4=47.29 46.4=49.29 \
         46.29=47.29 47.29!49.29 48.4=51.29 49.29!51.29 50.4=53.29 51.29!54.29 53.29=54.29"),
    Vector::one(51, 0, "35.3=39.28 37.4!38.4 38.4=42.29 41.4=44.29 43.29=44.29 44.29=45.29 45.4=48.29 47.4=50.29 \
         47.29=48.29 48.29!50.29 48.29!55.29 49.4=52.29 50.29!52.29 51.4=54.29 54.29=55.29"),
    Vector::one(52, 0, "38.4!39.4 39.4=43.29 42.4=45.29 44.29=45.29 45.29=46.29 46.4=49.29 48.4=51.29 \
         48.29=49.29 48.29!55.29 49.29!51.29 50.4=53.29 52.4=55.29 53.29!56.29 55.29=56.29"),
    Vector::one(46, 2, "35.1!36.6 39.1!40.6 40.6=42.6 42.6=44.6 44.6=46.6 46.6=47.1 61.2!62.7"),
    Vector::one(47, 2, "36.1!37.6 40.1!41.6 41.6=43.6 43.6=45.6 45.6=47.6 47.6=48.1 62.2!63.7"),
    Vector::one(48, 2, "37.1!38.6 41.1!42.6 42.6=44.6 44.6=46.6 46.6=48.6 48.6=49.1 63.2!64.7"),
    Vector::one(49, 2, "35.1!36.6 38.1!40.1 39.6=40.1 42.1!50.1 43.6=45.6 45.6=47.6 47.6=49.6 49.6=50.1"),
    Vector::one(50, 2, "36.1!37.6 39.1!40.6 40.6=41.1 43.1!51.1 44.6=46.6 46.6=48.6 48.6=50.6 50.6=51.1"),
    Vector::one(51, 2, "35.5=39.30 37.1=37.6 37.1!38.6 40.1!41.6 41.6=42.1 44.1!45.6 45.6=47.6 47.6=49.6 \
         49.6=51.6 51.6=52.1"),
    Vector::two(45, 0, "36.4=40.29 41.4=44.29 43.29=44.29 44.29=45.29 47.4=50.29 49.4=52.29 49.29=50.29 \
         50.29!52.29 52.29=53.29 60.0!61.5 63.1!64.6"),
    Vector::two(46, 0, "37.4=40.29 40.29=41.29 42.4=45.29 44.29=45.29 45.29=46.29 48.4=51.29 50.4=53.29 \
         50.29=51.29 51.29!54.29 53.29=54.29 61.0!62.5"),
    Vector::two(47, 0, "35.3=39.28 35.4=39.29 38.4=41.29 40.29=41.29 41.29=42.29 43.4=46.29 45.29=46.29 \
         46.29=47.29 49.4=52.29 51.4=54.29 51.29=52.29 51.29!54.29 54.29=55.29 62.0!63.5"),
    Vector::two(48, 0, "35.30!40.28 36.3=40.28 36.4=40.29 39.4=42.29 41.29=42.29 42.29=43.29 44.4=47.29 \
         46.29=47.29 47.29=48.29 50.4=53.29 52.4=55.29 52.29=53.29 53.29!56.29 55.29=56.29 \
         63.0!64.5"),
    Vector::two(49, 0, "36.30!41.28 37.3=41.28 37.4=41.29 40.4=43.29 42.29=43.29 43.29=44.29 45.4=48.29 \
         47.29=48.29 48.29=49.29 51.4=54.29 53.4=56.29 53.29=54.29 53.29!56.29 56.29=57.29"),
    Vector::two(50, 0, "37.30!42.28 38.3=42.28 38.4=42.29 41.4=44.29 43.29=44.29 44.29=45.29 46.4=49.29 \
         48.29=49.29 49.29=50.29 52.4=55.29 54.4=57.29 54.29=55.29 55.29!58.29 57.29=58.29"),
    Vector::two(51, 0, "38.30!43.28 39.3=43.28 39.4=43.29 42.4=45.29 44.29=45.29 45.29=46.29 47.4=50.29 \
         49.29=50.29 50.29=51.29 53.4=56.29 55.4=58.29 55.29=56.29 56.29!59.29 58.29=59.29"),
    Vector::two(52, 0, "36.4!38.4 39.30!44.28 40.3=44.28 40.4=44.29 43.4=46.29 45.29=46.29 46.29=47.29 \
         48.4=51.29 50.29=51.29 51.29=52.29 54.4=57.29 56.4=59.29 56.29=57.29 56.29!59.29 \
         59.29=60.29"),
    Vector::two(53, 0, "37.4!39.4 37.4=40.29 41.3=45.28 41.4=45.29 44.4=47.29 46.29=47.29 47.29=48.29 49.4=52.29 \
         51.29=52.29 52.29=53.29 55.4=58.29 57.4=61.29 57.29=58.29 58.29!61.29"),
    Vector::two(54, 0, "36.4!38.4 38.4!40.4 38.4=41.29 42.3=46.28 42.4=46.29 45.4=48.29 47.29=48.29 48.29=49.29 \
         50.4=53.29 52.29=53.29 53.29=54.29 56.4=59.29 58.4=62.29 58.29=59.29"),
    Vector::two(55, 0, "37.4!39.4 37.4=40.29 39.4!41.4 39.4=42.29 43.3=47.28 43.4=47.29 46.4=49.29 48.29=49.29 \
         49.29=50.29 51.4=54.29 53.29=54.29 54.29=55.29 57.4=59.29 59.4=63.29"),
    Vector::two(56, 0, "38.4!40.4 38.4=41.29 40.4!42.4 40.4=43.29 40.29=41.29 44.3=48.28 44.4=48.29 47.4=50.29 \
         49.29=50.29 50.29=51.29 52.4=55.29 54.29=55.29 55.29=56.29 60.4=64.29"),
    Vector::two(46, 2, "36.1!37.6 41.1!42.6 42.6=43.1 47.1!51.1 48.6=50.6 50.6=51.1 61.2!62.7"),
    Vector::two(49, 2, "36.0!41.30 37.5=41.30 39.1!40.6 40.6=41.1 44.1!45.6 45.6=46.1 50.1!54.1 51.6=53.6 \
         53.6=54.1"),
    Vector::two(50, 2, "37.0!42.30 38.5=42.30 40.1!41.6 41.6=42.1 45.1!47.1 46.6=47.1 51.1!55.1 52.6=54.6 \
         54.6=55.1"),
    Vector::two(51, 2, "38.0!43.30 39.5=43.30 41.1!42.6 42.6=43.1 46.1!48.1 47.6=48.1 52.1!56.1 53.6=55.6 \
         55.6=56.1"),
];
