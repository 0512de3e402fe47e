//! The last tree at a path, and what the next one has that it had not.

use std::cmp::Ordering;

/// A tree all of whose entries were dealt with.
#[derive(Debug, Default)]
pub(super) struct Kept {
    pub(super) bytes: Vec<u8>,
    /// Where its entries start.
    pub(super) starts: Vec<u32>,
}

/// How far the former tree was followed while the new one is read.
#[derive(Debug, Default)]
pub(super) struct Follower {
    former: Kept,
    /// The number of the next entry of the former tree.
    next: usize,
}

impl Follower {
    pub(super) fn new(former: Kept) -> Self {
        Follower { former, next: 0 }
    }

    /// Gives the former tree's buffers back.
    pub(super) fn into_former(self) -> Kept {
        self.former
    }

    /// Moves past the entries from `at` on that the former tree has too, and returns where the first other one starts.
    /// Where entries start is added to the new tree's starts.
    pub(super) fn pass_over(&mut self, new: &mut Kept, mut at: usize) -> usize {
        let old = &self.former;
        while let Some(&start) = old.starts.get(self.next) {
            let start = start as usize;
            let run = common_prefix(&old.bytes[start..], &new.bytes[at..]);
            let end = start + run;
            let passed = if end == old.bytes.len() {
                old.starts.len() - self.next
            } else {
                // The last entry that starts within the run need not be the same to its end.
                old.starts[self.next..].iter().take_while(|&&other| other as usize <= end).count() - 1
            };
            if passed > 0 {
                let shift = at as i64 - start as i64;
                let moved = |&other: &u32| (i64::from(other) + shift) as u32;
                new.starts.extend(old.starts[self.next..self.next + passed].iter().map(moved));
                self.next += passed;
                let old_at = old.starts.get(self.next).map_or(old.bytes.len(), |&other| other as usize);
                at += old_at - start;
                continue;
            }
            match order(&old.bytes[start..], &new.bytes[at..]) {
                // An entry that is gone.
                Ordering::Less => self.next += 1,
                Ordering::Equal => {
                    self.next += 1;
                    break;
                }
                Ordering::Greater => break,
            }
        }
        at
    }
}

/// How two entries lie to each other by name. It only serves to find what is the same, so it may be wrong.
fn order(old: &[u8], new: &[u8]) -> Ordering {
    let name = |entry: &[u8]| {
        let start = entry.iter().position(|&byte| byte == b' ').map_or(entry.len(), |at| at + 1);
        let end = memchr::memchr(0, &entry[start..]).map_or(entry.len(), |at| start + at);
        start..end
    };
    if new.is_empty() {
        return Ordering::Greater;
    }
    let (a, b) = (name(old), name(new));
    old[a].cmp(&new[b])
}

const BLOCK: usize = 64;

fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    let blocks = a.chunks_exact(BLOCK).zip(b.chunks_exact(BLOCK)).take_while(|(a, b)| a == b).count();
    let done = blocks * BLOCK;
    done + a[done..].iter().zip(&b[done..]).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(entries: &[&str]) -> Kept {
        let mut kept = Kept::default();
        for entry in entries {
            kept.starts.push(kept.bytes.len() as u32);
            kept.bytes.extend_from_slice(entry.as_bytes());
        }
        kept
    }

    /// The entries of `new` that are looked at, coming from `old`.
    fn looked_at(old: &[&str], new: &[&str]) -> Vec<String> {
        let mut follower = Follower::new(kept(old));
        let expected = kept(new);
        let mut tree = Kept { bytes: expected.bytes.clone(), starts: Vec::new() };
        let mut looked_at = Vec::new();
        let mut at = follower.pass_over(&mut tree, 0);
        while at < tree.bytes.len() {
            let number = expected.starts.iter().position(|&start| start as usize == at).unwrap();
            looked_at.push(new[number].replace(['\0', ' '], ""));
            tree.starts.push(at as u32);
            at = follower.pass_over(&mut tree, at + new[number].len());
        }
        assert_eq!(tree.starts, expected.starts);
        looked_at
    }

    #[test]
    fn only_what_is_new_is_looked_at() {
        let (a, b, c, d) = ("1 a\0xx", "1 b\0xx", "1 c\0xx", "1 d\0xx");
        let (a2, c2) = ("1 a\0xy", "1 c\0yx");
        assert_eq!(looked_at(&[], &[a, b]), ["1axx", "1bxx"]);
        assert_eq!(looked_at(&[a, b, c, d], &[a2, b, c2, d]), ["1axy", "1cyx"]);
        assert_eq!(looked_at(&[a, b, c, d], &[a, c, d]), Vec::<String>::new());
        assert_eq!(looked_at(&[b, d], &[a, b, c, d]), ["1axx", "1cxx"]);
        assert_eq!(looked_at(&[a, b], &[a, b]), Vec::<String>::new());
        assert_eq!(looked_at(&[a, b, c], &[]), Vec::<String>::new());
        assert_eq!(looked_at(&[a, b], &[a, b, c]), ["1cxx"]);
    }
}
