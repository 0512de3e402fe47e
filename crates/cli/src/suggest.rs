//! What an unknown command was perhaps meant to be.

use bstr::{BStr, ByteSlice};

/// Prices of edits, as git's suggestions weigh them: a swap of neighbours is free, so that `lgo` finds `log`.
const SWAP: usize = 0;
const SUBSTITUTE: usize = 2;
const INSERT: usize = 1;
const DELETE: usize = 3;
/// Beyond this a name is not similar.
const SIMILARITY_FLOOR: usize = 7;

/// The names among `known` that are closest to `typed`, best first; empty when none is close.
pub fn similar<'n>(typed: &BStr, known: impl Iterator<Item = &'n [u8]>) -> Vec<&'n BStr> {
    let mut scored: Vec<(usize, &BStr)> = known
        .map(|name| (if name.starts_with(typed) { 0 } else { distance(typed, name) + 1 }, name.as_bstr()))
        .collect();
    scored.sort();
    let best = match scored.iter().find(|(score, _)| *score > 0) {
        // What starts with the typed word comes along with the closest other, as if it were as close.
        Some((score, _)) if scored[0].0 == 0 => *score.min(&1),
        Some((score, _)) => *score,
        None => 0,
    };
    if best >= SIMILARITY_FLOOR {
        return Vec::new();
    }
    scored.into_iter().filter(|(score, _)| *score <= best).map(|(_, name)| name).collect()
}

/// The price of the cheapest edits that turn `from` into `to` (Damerau and Levenshtein's distance, with weights).
fn distance(from: &[u8], to: &[u8]) -> usize {
    let width = to.len() + 1;
    let (mut before, mut above) = (vec![0; width], (0..width).map(|j| j * INSERT).collect::<Vec<_>>());
    for i in 0..from.len() {
        let mut row = vec![(i + 1) * DELETE; width];
        for j in 0..to.len() {
            let same = from[i] == to[j];
            let mut price = above[j] + if same { 0 } else { SUBSTITUTE };
            if i > 0 && j > 0 && from[i - 1] == to[j] && from[i] == to[j - 1] {
                price = price.min(before[j - 1] + SWAP);
            }
            price = price.min(above[j + 1] + DELETE).min(row[j] + INSERT);
            row[j + 1] = price;
        }
        before = std::mem::replace(&mut above, row);
    }
    above[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_misses_find_their_command() {
        let known = ["log", "show", "rev-list", "rev-parse", "describe"];
        let find = |typed: &str| similar(typed.into(), known.iter().map(|k| k.as_bytes()));
        assert_eq!(find("lgo"), ["log"]);
        assert_eq!(find("rev"), ["rev-list", "rev-parse"]);
        assert!(find("entirely-else").is_empty());
    }
}
