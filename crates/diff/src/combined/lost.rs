//! Lines that several parents had and the merge has not: shown once.

use std::ops::Range;

use super::Parents;
use crate::lines::{Whitespace, same_line};

/// A line that is gone.
#[derive(Debug, Clone)]
pub(super) struct Lost {
    /// The parents that had it.
    pub(super) parents: Parents,
    /// Where its text lies in the table's.
    pub(super) text: Range<usize>,
}

/// Above this many comparisons, lines are put one after the other unmatched.
const MOST_WORK: usize = 1 << 26;

/// How a cell of the matching was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Match,
    Known,
    New,
}

/// Merges the lines that another parent lost into the list: those that match, in order, are one.
pub(super) fn coalesce(known: &mut Vec<Lost>, new: &[Lost], texts: &[u8], whitespace: Whitespace) {
    if known.is_empty() || new.is_empty() || known.len().saturating_mul(new.len()) > MOST_WORK {
        known.extend_from_slice(new);
        return;
    }
    let steps = longest_match(known, new, texts, whitespace);
    let width = new.len() + 1;
    let (mut i, mut j) = (known.len(), new.len());
    let mut merged = Vec::with_capacity(known.len() + new.len());
    while i > 0 || j > 0 {
        match steps[i * width + j] {
            Step::Match => {
                i -= 1;
                j -= 1;
                let parents = known[i].parents | new[j].parents;
                merged.push(Lost { parents, text: known[i].text.clone() });
            }
            Step::New => {
                j -= 1;
                merged.push(new[j].clone());
            }
            Step::Known => {
                i -= 1;
                merged.push(known[i].clone());
            }
        }
    }
    merged.reverse();
    *known = merged;
}

/// The last step towards each pair of lengths, on the way to the longest common subsequence.
fn longest_match(known: &[Lost], new: &[Lost], texts: &[u8], whitespace: Whitespace) -> Vec<Step> {
    let width = new.len() + 1;
    let mut steps = vec![Step::New; (known.len() + 1) * width];
    let (mut above, mut row) = (vec![0u32; width], vec![0u32; width]);
    for (i, old) in known.iter().enumerate() {
        steps[(i + 1) * width] = Step::Known;
        for (j, line) in new.iter().enumerate() {
            let (length, step) = if same_line(&texts[old.text.clone()], &texts[line.text.clone()], whitespace)
            {
                (above[j] + 1, Step::Match)
            } else if row[j] >= above[j + 1] {
                (row[j], Step::New)
            } else {
                (above[j + 1], Step::Known)
            };
            row[j + 1] = length;
            steps[(i + 1) * width + j + 1] = step;
        }
        std::mem::swap(&mut above, &mut row);
    }
    steps
}
