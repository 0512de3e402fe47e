//! `--diff-filter`: which statuses are kept.

use crate::{FilePair, Status};

/// The statuses to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Filter {
    /// A bit for each of [`LETTERS`].
    kept: u16,
    /// Keep all pairs when one of them is kept (`*`).
    all_or_none: bool,
}

/// The classes of pairs, in the order of the bits. `B` is a rewrite.
const LETTERS: &[u8; 9] = b"ACDMRTUXB";
const ALL: u16 = (1 << LETTERS.len()) - 1;

impl Filter {
    /// Reads the letters of one or more options, which add up; small letters take a class out. The letter that is none
    /// comes back as the error.
    pub fn parse(letters: &[u8]) -> Result<Self, u8> {
        let (mut kept, mut out, mut all_or_none) = (0, 0, false);
        for &letter in letters {
            if letter == b'*' {
                all_or_none = true;
                continue;
            }
            let upper = letter.to_ascii_uppercase();
            let bit = LETTERS.iter().position(|&known| known == upper).ok_or(letter)?;
            *(if upper == letter { &mut kept } else { &mut out }) |= 1 << bit;
        }
        if out != 0 && kept == 0 {
            kept = ALL;
        }
        Ok(Filter { kept: kept & !out, all_or_none })
    }

    /// Whether the class of `pair` is kept.
    fn keeps(&self, pair: &FilePair) -> bool {
        let letter =
            if pair.status == Status::Modified && pair.score != 0 { b'B' } else { pair.status.letter() };
        LETTERS.iter().position(|&known| known == letter).is_some_and(|bit| self.kept >> bit & 1 == 1)
    }

    /// Drops the pairs that are not kept.
    pub fn apply(&self, pairs: &mut Vec<FilePair>) {
        if !self.all_or_none {
            pairs.retain(|pair| self.keeps(pair));
        } else if !pairs.iter().any(|pair| self.keeps(pair)) {
            pairs.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Side;
    use adit_object::{ObjectFormat, ObjectId};

    fn kept(letters: &str) -> String {
        let id = ObjectId::null(ObjectFormat::Sha1);
        let side = Side { mode: 0o100644, id, path: "a".into() };
        let pair = |status, score| FilePair { status, score, ..FilePair::new(side.clone(), side.clone()) };
        let mut pairs = vec![
            pair(Status::Added, 0),
            pair(Status::Modified, 0),
            pair(Status::Modified, 7),
            pair(Status::Renamed, 9),
        ];
        Filter::parse(letters.as_bytes()).unwrap().apply(&mut pairs);
        pairs.iter().map(|pair| char::from(pair.status.letter())).collect()
    }

    #[test]
    fn letters_keep_or_take_out() {
        assert_eq!(kept("A"), "A");
        assert_eq!(kept("M"), "M");
        assert_eq!(kept("BM"), "MM");
        assert_eq!(kept("a"), "MMR");
        assert_eq!(kept("AMa"), "M");
        assert_eq!(kept("R*"), "AMMR");
        assert_eq!(kept("D*"), "");
        assert_eq!(Filter::parse(b"AY"), Err(b'Y'));
    }
}
