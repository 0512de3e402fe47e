//! Topological order without walking everything first: generation numbers say how far one must look before a commit
//! is known to have no more children.

use super::Walk;
use super::order::Ready;
use crate::Error;
use crate::flags::{Flag, Flags};
use crate::queue::DateQueue;

/// Three walks, each going as deep as the next needs: `explore` simplifies and excludes, `counting` counts children,
/// `ready` holds what can be shown.
pub(super) struct TopoWalk {
    explore: DateQueue,
    counting: DateQueue,
    ready: Ready,
    /// Children above this generation are all counted.
    depth: u64,
    /// One more than the number of children that were not shown yet; 0 for a commit that was not counted.
    waiting: Vec<u32>,
    /// Marks of the first two walks.
    marks: Flags,
}

const EXPLORED: Flag = Flag::SEEN;
const COUNTED: Flag = Flag::ADDED;

impl TopoWalk {
    /// Takes over the tips that are in the walk's queue.
    pub(super) fn new(walk: &mut Walk<'_>) -> Result<Self, Error> {
        let mut tips = Vec::new();
        while let Some(tip) = walk.dequeue() {
            tips.push(tip);
        }
        let mut topo = TopoWalk {
            explore: DateQueue::default(),
            counting: DateQueue::default(),
            ready: Ready::new(walk.keys()),
            depth: u64::MAX,
            waiting: Vec::new(),
            marks: Flags::default(),
        };
        for &tip in &tips {
            topo.mark_explored(walk, tip);
            topo.mark_counted(walk, tip);
            topo.depth = topo.depth.min(walk.table.generation(tip));
            *topo.waiting_for(tip) = 1;
        }
        topo.count_to(walk, topo.depth)?;
        for &tip in &tips {
            if *topo.waiting_for(tip) == 1 {
                topo.ready.push(&walk.table, tip);
            }
        }
        topo.ready.tips_are_in();
        Ok(topo)
    }

    fn waiting_for(&mut self, position: u32) -> &mut u32 {
        if self.waiting.len() <= position as usize {
            self.waiting.resize(position as usize + 1, 0);
        }
        &mut self.waiting[position as usize]
    }

    fn mark_explored(&mut self, walk: &Walk<'_>, position: u32) {
        if !self.marks.any(position, EXPLORED) {
            self.marks.set(position, EXPLORED);
            self.explore.push(walk.table.generation(position), position);
        }
    }

    fn mark_counted(&mut self, walk: &Walk<'_>, position: u32) {
        if !self.marks.any(position, COUNTED) {
            self.marks.set(position, COUNTED);
            self.counting.push(walk.table.generation(position), position);
        }
    }

    /// Counts the children that all commits of generation `depth` and above are to their parents.
    fn count_to(&mut self, walk: &mut Walk<'_>, depth: u64) -> Result<(), Error> {
        while self.counting.peek().is_some_and(|(generation, _)| generation >= depth) {
            let Some(position) = self.counting.pop() else { break };
            self.explore_to(walk, walk.table.generation(position))?;
            for nth in 0..walk.table.parent_count(position) {
                let Some(parent) = walk.table.parent(position, nth) else { break };
                let waiting = self.waiting_for(parent);
                *waiting = if *waiting == 0 { 2 } else { *waiting + 1 };
                self.mark_counted(walk, parent);
                if walk.options.first_parent {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Walks from all commits of generation `depth` and above to their parents.
    fn explore_to(&mut self, walk: &mut Walk<'_>, depth: u64) -> Result<(), Error> {
        while self.explore.peek().is_some_and(|(generation, _)| generation >= depth) {
            let Some(position) = self.explore.pop() else { break };
            walk.table.load(position)?;
            walk.process_parents(position)?;
            if walk.flags.any(position, Flag::UNINTERESTING) {
                walk.exclude_parents(position);
            }
            for nth in 0..walk.table.parent_count(position) {
                let Some(parent) = walk.table.parent(position, nth) else { break };
                self.mark_explored(walk, parent);
            }
        }
        Ok(())
    }

    fn next(&mut self, walk: &mut Walk<'_>) -> Result<Option<u32>, Error> {
        let Some(position) = self.ready.pop() else { return Ok(None) };
        *self.waiting_for(position) = 0;
        walk.process_parents(position)?;
        for nth in 0..walk.table.parent_count(position) {
            let Some(parent) = walk.table.parent(position, nth) else { break };
            if walk.flags.any(parent, Flag::UNINTERESTING) {
                continue;
            }
            walk.table.load(parent)?;
            let generation = walk.table.generation(parent);
            if generation < self.depth {
                self.depth = generation;
                self.count_to(walk, generation)?;
            }
            let waiting = self.waiting_for(parent);
            *waiting = waiting.saturating_sub(1);
            if *waiting == 1 {
                self.ready.push(&walk.table, parent);
            }
            if walk.options.first_parent {
                break;
            }
        }
        Ok(Some(position))
    }
}

impl Walk<'_> {
    /// The next commit in topological order, found incrementally.
    pub(super) fn next_topo(&mut self) -> Result<Option<u32>, Error> {
        let empty = super::Pending::List(std::collections::VecDeque::new());
        let super::Pending::Topo(mut topo) = std::mem::replace(&mut self.pending, empty) else {
            return Ok(None);
        };
        let next = topo.next(self);
        self.pending = super::Pending::Topo(topo);
        next
    }
}
