//! Queues of commits, by position.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Commits by a key such as the date, largest first; those of one key in the order they came.
#[derive(Debug)]
pub(crate) struct Queue<K: Ord> {
    heap: BinaryHeap<(K, Reverse<u32>, u32)>,
    pushed: u32,
}

impl<K: Ord + Copy> Default for Queue<K> {
    fn default() -> Self {
        Queue { heap: BinaryHeap::new(), pushed: 0 }
    }
}

impl<K: Ord + Copy> Queue<K> {
    /// Adds a commit with the key it is ordered by.
    pub(crate) fn push(&mut self, key: K, position: u32) {
        self.heap.push((key, Reverse(self.pushed), position));
        self.pushed += 1;
    }

    pub(crate) fn pop(&mut self) -> Option<u32> {
        self.heap.pop().map(|(_, _, position)| position)
    }

    /// The largest key and its commit.
    pub(crate) fn peek(&self) -> Option<(K, u32)> {
        self.heap.peek().map(|&(key, _, position)| (key, position))
    }
}

/// Commits by date, youngest first.
pub(crate) type DateQueue = Queue<u64>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn largest_first_then_in_order() {
        let mut queue = DateQueue::default();
        for (date, position) in [(5, 0), (7, 1), (5, 2), (9, 3), (7, 4)] {
            queue.push(date, position);
        }
        assert_eq!(queue.peek(), Some((9, 3)));
        let order: Vec<_> = std::iter::from_fn(|| queue.pop()).collect();
        assert_eq!(order, [3, 1, 4, 0, 2]);
    }
}
