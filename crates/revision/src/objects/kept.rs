//! The last tree at a path, and what the next one has that it had not.

use std::cmp::Ordering;
use std::collections::VecDeque;
use std::sync::Arc;

use adit_object::{IdMap, ObjectFormat, ObjectId, Shared, Tree};
use bstr::{BStr, BString};
use hashbrown::HashMap;

/// How many bytes of trees are kept by their id.
const LIMIT: usize = 24 << 20;

/// Trees that were read: the last one at each path, and as many as there is room for by their id.
#[derive(Debug, Default)]
pub(super) struct KeptTrees {
    by_path: HashMap<BString, Arc<Kept>>,
    by_id: IdMap<Arc<Kept>>,
    order: VecDeque<ObjectId>,
    size: usize,
    /// A list of starts to use again.
    spare: Vec<u32>,
}

impl KeptTrees {
    /// The tree `near` if it is here, else the last one at `path`.
    pub(super) fn find(&self, near: Option<ObjectId>, path: &BStr) -> Option<Arc<Kept>> {
        near.and_then(|id| self.by_id.get(&id)).or_else(|| self.by_path.get(path)).cloned()
    }

    /// Keeps a tree, and drops those by id that came first until there is room.
    pub(super) fn keep(&mut self, id: ObjectId, path: &BStr, tree: Kept) {
        let tree = Arc::new(tree);
        match self.by_path.get_mut(path) {
            Some(slot) => *slot = Arc::clone(&tree),
            None => {
                self.by_path.insert(path.to_owned(), Arc::clone(&tree));
            }
        }
        self.size += tree.size();
        if self.by_id.insert(id, tree).is_some_and(|other| {
            self.size -= other.size();
            true
        }) {
            return;
        }
        self.order.push_back(id);
        while self.size > LIMIT
            && let Some(oldest) = self.order.pop_front()
        {
            let Some(tree) = self.by_id.remove(&oldest) else { continue };
            self.size -= tree.size();
            if let Some(tree) = Arc::into_inner(tree) {
                self.spare = tree.starts;
            }
        }
    }

    /// An empty list of starts.
    pub(super) fn starts(&mut self) -> Vec<u32> {
        let mut starts = std::mem::take(&mut self.spare);
        starts.clear();
        starts
    }
}

/// A tree all of whose entries were dealt with.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) bytes: Shared,
    /// Where its entries start.
    pub(super) starts: Vec<u32>,
}

impl Kept {
    /// What it takes in memory.
    fn size(&self) -> usize {
        self.bytes.len() + self.starts.len() * size_of::<u32>()
    }
}

/// How far the former tree was followed while the new one is read.
#[derive(Debug)]
pub(super) struct Follower {
    former: Option<Arc<Kept>>,
    /// The number of the next entry of the former tree.
    next: usize,
    /// The number of its entry that has the name of the one that was found.
    same_name: Option<usize>,
}

impl Follower {
    pub(super) fn new(former: Option<Arc<Kept>>) -> Self {
        Follower { former, next: 0, same_name: None }
    }

    /// The id that the former tree has under the name of the entry that was found.
    pub(super) fn former_id(&self, format: ObjectFormat) -> Option<ObjectId> {
        let former = self.former.as_ref()?;
        let start = *former.starts.get(self.same_name?)?;
        let entry = Tree::new(format, &former.bytes[start as usize..]).next()?.ok()?;
        Some(entry.id(format))
    }

    /// Moves past the entries from `at` on that the former tree has too, and returns where the first other one starts.
    /// Where entries start is added to the new tree's starts.
    pub(super) fn pass_over(&mut self, new: &mut Kept, mut at: usize) -> usize {
        self.same_name = None;
        let Some(old) = &self.former else { return at };
        while let Some(&start) = old.starts.get(self.next) {
            let start = start as usize;
            let mut same = common_prefix(&old.bytes[start..], &new.bytes[at..]);
            let end = start + same;
            let passed = if end == old.bytes.len() {
                old.starts.len() - self.next
            } else {
                // The last entry that starts within the run need not be the same to its end.
                starts_up_to(&old.starts[self.next..], end) - 1
            };
            if passed > 0 {
                let shift = at as i64 - start as i64;
                let moved = |&other: &u32| (i64::from(other) + shift) as u32;
                new.starts.extend(old.starts[self.next..self.next + passed].iter().map(moved));
                self.next += passed;
            }
            let Some(&next) = old.starts.get(self.next) else {
                at += old.bytes.len() - start;
                break;
            };
            let next = next as usize;
            at += next - start;
            same -= next - start;
            let names = if memchr::memchr(0, &old.bytes[next..next + same]).is_some() {
                Ordering::Equal
            } else {
                order(&old.bytes[next..], &new.bytes[at..])
            };
            match names {
                // An entry that is gone.
                Ordering::Less => self.next += 1,
                Ordering::Equal => {
                    self.same_name = Some(self.next);
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

/// How many of the sorted `starts` are not above `end`. Most often that is a few.
fn starts_up_to(starts: &[u32], end: usize) -> usize {
    let mut step = 8;
    let mut low = 0;
    while let Some(&start) = starts.get(low + step)
        && start as usize <= end
    {
        low += step;
        step *= 2;
    }
    let high = starts.len().min(low + step);
    low + starts[low..high].partition_point(|&start| start as usize <= end)
}

/// How many bytes two slices have in common at their start.
fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    let (a_words, _) = a.as_chunks::<8>();
    let (b_words, _) = b.as_chunks::<8>();
    let differ = |(a, b): (&[u8; 8], &[u8; 8])| u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
    let mut done = 0;
    // Four words at a time, without a branch for each.
    for (a, b) in a_words.chunks_exact(4).zip(b_words.chunks_exact(4)) {
        if a.iter().zip(b).fold(0, |all, pair| all | differ(pair)) != 0 {
            break;
        }
        done += 4;
    }
    for pair in a_words[done..].iter().zip(&b_words[done..]) {
        let bits = differ(pair);
        if bits != 0 {
            return done * 8 + bits.trailing_zeros() as usize / 8;
        }
        done += 1;
    }
    let rest = a[done * 8..].iter().zip(&b[done * 8..]);
    done * 8 + rest.take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(entries: &[&str]) -> Kept {
        let mut starts = Vec::new();
        let mut bytes = Vec::new();
        for entry in entries {
            starts.push(bytes.len() as u32);
            bytes.extend_from_slice(entry.as_bytes());
        }
        Kept { bytes: Shared::new(bytes), starts }
    }

    /// The entries of `new` that are looked at, coming from `old`.
    fn looked_at(old: &[&str], new: &[&str]) -> Vec<String> {
        let mut follower = Follower::new(Some(Arc::new(kept(old))));
        let expected = kept(new);
        let mut tree = Kept { bytes: Shared::clone(&expected.bytes), starts: Vec::new() };
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

    proptest::proptest! {
        #[test]
        fn prefixes_and_starts_are_counted(
            a in proptest::collection::vec(0u8..2, 0..100),
            b in proptest::collection::vec(0u8..2, 0..100),
            same in proptest::collection::vec(0u8..2, 0..200),
            mut starts in proptest::collection::vec(0u32..1000, 0..100),
            end in 0usize..1000,
        ) {
            let (a, b) = ([&same[..], &a].concat(), [&same[..], &b].concat());
            let plain = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
            proptest::prop_assert_eq!(common_prefix(&a, &b), plain);
            starts.sort_unstable();
            let below = starts.iter().filter(|&&start| start as usize <= end).count();
            proptest::prop_assert_eq!(starts_up_to(&starts, end), below);
        }
    }

    #[test]
    fn trees_are_kept_by_id_while_there_is_room_and_by_path_always() {
        let mut trees = KeptTrees::default();
        let id = |n: u32| {
            let mut raw = [0; 20];
            raw[..4].copy_from_slice(&n.to_be_bytes());
            ObjectId::from_bytes(ObjectFormat::Sha1, &raw).unwrap()
        };
        let tree = |n: u32| Kept { bytes: Shared::new(vec![n as u8; 1 << 20]), starts: vec![0] };
        for n in 0..30 {
            trees.keep(id(n), BStr::new(if n < 29 { "a" } else { "b" }), tree(n));
        }
        let first = |near, path| trees.find(near, BStr::new(path)).map(|kept| kept.bytes[0]);
        assert_eq!(first(Some(id(28)), "b"), Some(28));
        assert_eq!(first(Some(id(0)), "b"), Some(29));
        assert_eq!(first(None, "a"), Some(28));
        assert_eq!(first(Some(id(0)), "c"), None);
        assert!(trees.size <= LIMIT);
        trees.keep(id(29), BStr::new("b"), tree(1));
        assert_eq!(trees.size, trees.by_id.values().map(|kept| kept.size()).sum::<usize>());
    }
}
