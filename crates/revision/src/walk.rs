//! Walks over history: from the tips down, by date or topology, limited and simplified as asked.
//!
//! [`Walk::new`] takes tips and [`WalkOptions`]; [`Walk::next`] yields the positions of the commits to show, in order.
//! What lies where: [`options`](WalkOptions) says what can be asked, `parents` walks one step, `limit` walks all that is
//! needed before the first commit can be shown, `order` sorts by topology, `select` chooses what is shown, `prune` asks
//! whether a commit changes the paths that matter, `rewrite` and `simplify` change parents, `boundary` finds the edge.

mod ancestry;
mod bisect;
mod boundary;
mod cherry;
mod children;
mod limit;
mod literal;
mod options;
pub(crate) mod order;
mod parents;
mod prune;
mod reflogs;
mod rewrite;
mod scout;
mod select;
mod simplify;
mod topo;

use std::collections::VecDeque;

use adit_object::IdMap;
use hashbrown::HashMap;

pub use bisect::{Bisection, Halving};
pub use options::{Cherry, NoWalk, Order, Sides, Tip, WalkOptions};

use crate::flags::{Flag, Flags};
use crate::queue::DateQueue;
use crate::{CommitTable, Error};
use boundary::Boundary;
use children::Children;
use prune::Pruner;
use reflogs::Changes;
use topo::TopoWalk;

/// A walk over history, newest first unless options say otherwise.
pub struct Walk<'s> {
    table: CommitTable<'s>,
    options: WalkOptions,
    flags: Flags,
    pending: Pending<'s>,
    queue: DateQueue,
    /// How many commits in the queue are not excluded.
    interesting: usize,
    limited: bool,
    pruner: Option<Pruner<'s>>,
    /// For merges that are not simplified at once: which parents have the same content.
    treesame: HashMap<u32, Box<[bool]>>,
    tips: Vec<u32>,
    boundary: Option<Boundary>,
    children: Option<Children>,
    sources: Option<IdMap<u32>>,
    bisection: Option<Bisection>,
    /// Commits that were chosen ahead of time: all of them when the order is reversed.
    chosen: Option<VecDeque<u32>>,
    /// The edges, once the list that they follow from was used up for that.
    edges: Option<Vec<u32>>,
    skip: u64,
    left: Option<u64>,
    buffer: Vec<u8>,
}

/// Where the next commit comes from.
enum Pending<'s> {
    /// The queue: parents are looked at as commits are shown.
    Queue,
    /// A list: all was walked before.
    List(VecDeque<u32>),
    /// Reflogs: the changes of references, not history.
    Reflogs(Box<Changes<'s>>),
    /// A walk in topological order that goes only as deep as generation numbers ask.
    Topo(Box<TopoWalk>),
}

impl<'s> Walk<'s> {
    /// Starts a walk. With [`WalkOptions`] that need the whole history first, it is walked here.
    pub fn new(table: CommitTable<'s>, tips: &[Tip], mut options: WalkOptions) -> Result<Self, Error> {
        complete(&mut options, tips);
        let mut walk = Walk::unstarted(table, options);
        walk.add_tips(tips)?;
        walk.prepare()?;
        Ok(walk)
    }

    /// A walk that does not know where to start.
    fn unstarted(table: CommitTable<'s>, options: WalkOptions) -> Self {
        let pruner = Pruner::new(&table, &options);
        Walk {
            flags: Flags::default(),
            pending: Pending::Queue,
            queue: DateQueue::default(),
            interesting: 0,
            limited: needs_limiting(&table, &options),
            pruner,
            treesame: HashMap::new(),
            tips: Vec::new(),
            boundary: options.boundary.then(Boundary::default),
            children: None,
            sources: options.track_sources.then(IdMap::default),
            bisection: None,
            chosen: None,
            edges: None,
            skip: options.skip,
            left: options.max_count,
            buffer: Vec::new(),
            table,
            options,
        }
    }

    fn add_tips(&mut self, tips: &[Tip]) -> Result<(), Error> {
        for (n, tip) in tips.iter().enumerate() {
            let position = self.table.intern(&tip.id);
            self.table.load(position)?;
            if tip.excluded {
                self.flags.set(position, Flag::UNINTERESTING | Flag::BOTTOM);
            }
            if tip.left {
                self.flags.set(position, Flag::LEFT);
            }
            if let Some(sources) = &mut self.sources {
                sources.entry(tip.id).or_insert(n as u32);
            }
            self.tips.push(position);
        }
        for &id in self.options.ancestry_path.as_deref().unwrap_or_default() {
            let position = self.table.intern(&id);
            self.flags.set(position, Flag::ANCESTRY);
        }
        let incremental = self.is_incremental();
        let mut start = Vec::with_capacity(self.tips.len());
        for at in 0..self.tips.len() {
            let position = self.tips[at];
            if self.flags.any(position, Flag::UNINTERESTING) {
                self.exclude_parents(position);
                self.limited |= !incremental;
            }
            if !self.flags.any(position, Flag::SEEN) {
                self.flags.set(position, Flag::SEEN);
                start.push(position);
            }
        }
        let unsorted = self.options.no_walk == Some(NoWalk::Unsorted);
        for position in start {
            let key = if unsorted { 0 } else { self.table.time(position) };
            self.enqueue(key, position);
        }
        Ok(())
    }

    fn prepare(&mut self) -> Result<(), Error> {
        if self.options.no_walk.is_some() {
            return self.finish_preparing();
        }
        if self.limited {
            let list = self.limit()?;
            let list = match self.options.order {
                Order::Date => list,
                _ => order::sort(&self.table, list, self.keys()),
            };
            let list = if self.options.simplify_merges { self.simplify_merges(list)? } else { list };
            if self.options.children {
                self.children = Some(Children::of(&self.table, &list));
            }
            let list = if self.options.halving == Halving::No { list.into() } else { self.halve(list) };
            self.pending = Pending::List(list);
        } else if self.options.order != Order::Date {
            let topo = TopoWalk::new(self)?;
            self.pending = Pending::Topo(Box::new(topo));
        }
        self.finish_preparing()
    }

    fn finish_preparing(&mut self) -> Result<(), Error> {
        if !self.collects() {
            return Ok(());
        }
        self.edges = Some(self.edges());
        let mut all = VecDeque::new();
        while let Some(position) = self.next_forward()? {
            all.push_back(position);
            if self.options.max_count_oldest.is_some_and(|most| all.len() as u64 > most) {
                all.pop_front();
            }
        }
        if self.options.reverse {
            all.make_contiguous().reverse();
        }
        self.chosen = Some(all);
        Ok(())
    }

    /// Whether all commits are chosen before the first is shown.
    fn collects(&self) -> bool {
        self.options.max_count_oldest.is_some() || self.options.reverse
    }

    /// The next commit to show.
    #[expect(
        clippy::should_implement_trait,
        reason = "an iterator of results would have to remember that it failed"
    )]
    pub fn next(&mut self) -> Result<Option<u32>, Error> {
        match &mut self.chosen {
            Some(chosen) => Ok(chosen.pop_front()),
            None => self.next_forward(),
        }
    }

    /// The next commit that counts, before the order is reversed.
    fn next_forward(&mut self) -> Result<Option<u32>, Error> {
        if let Some(Boundary { rest: Some(rest), .. }) = &mut self.boundary {
            return Ok(rest.pop());
        }
        let mut found = if self.left == Some(0) { None } else { self.next_chosen()? };
        while found.is_some() && self.skip > 0 {
            self.skip -= 1;
            found = self.next_chosen()?;
        }
        if found.is_some() {
            self.left = self.left.map(|left| left - 1);
        }
        if let Some(position) = found {
            self.flags.set(position, Flag::SHOWN);
            if !self.collects() {
                self.flags.set(position, Flag::YIELDED);
            }
        }
        if self.boundary.is_none() {
            return Ok(found);
        }
        match found {
            Some(position) => {
                self.note_boundary_of(position);
                Ok(found)
            }
            None => {
                self.start_boundary();
                self.next_forward()
            }
        }
    }

    /// The next commit that passes every condition.
    fn next_chosen(&mut self) -> Result<Option<u32>, Error> {
        while let Some(position) = self.next_walked()? {
            if self.chooses(position)? {
                if self.is_dense() && self.wants_ancestry() {
                    self.rewrite_parents(position)?;
                }
                return Ok(Some(position));
            }
        }
        Ok(None)
    }

    /// The next commit that is met, its parents put in line.
    fn next_walked(&mut self) -> Result<Option<u32>, Error> {
        match &mut self.pending {
            Pending::List(list) => Ok(list.pop_front()),
            Pending::Queue => {
                let Some(position) = self.dequeue() else { return Ok(None) };
                self.process_parents(position)?;
                Ok(Some(position))
            }
            Pending::Reflogs(_) => self.next_changed(),
            Pending::Topo(_) => self.next_topo(),
        }
    }

    /// The commits, for ids, dates, parents and trees of what was yielded.
    pub fn table(&self) -> &CommitTable<'s> {
        &self.table
    }

    /// The commits, to take contents out of.
    pub fn table_mut(&mut self) -> &mut CommitTable<'s> {
        &mut self.table
    }

    /// Gives the commits back, with the parents that the walk has left them.
    pub fn into_table(self) -> CommitTable<'s> {
        self.table
    }

    /// Whether a commit was yielded as boundary only.
    pub fn is_boundary(&self, position: u32) -> bool {
        self.flags.any(position, Flag::BOUNDARY)
    }

    /// Whether a commit is reached from an excluded tip.
    pub fn is_excluded(&self, position: u32) -> bool {
        self.flags.any(position, Flag::UNINTERESTING)
    }

    /// Whether a commit is of the left side of a symmetric difference.
    pub fn is_left(&self, position: u32) -> bool {
        self.flags.any(position, Flag::LEFT)
    }

    /// Whether a commit makes the same change as one of the other side.
    pub fn is_patch_same(&self, position: u32) -> bool {
        self.flags.any(position, Flag::PATCHSAME)
    }

    /// Whether a commit changes nothing that matters.
    pub fn is_tree_same(&self, position: u32) -> bool {
        self.flags.any(position, Flag::TREESAME)
    }

    /// The children of a commit, when the options ask for them.
    pub fn children(&self, position: u32) -> &[u32] {
        self.children.as_ref().map_or(&[], |children| children.of_commit(position))
    }

    /// Whether a commit that was loaded will be shown, or with boundaries, is one: what a graph draws lines to.
    ///
    /// # Errors
    /// When its message is to be matched and cannot be read.
    pub fn will_show(&mut self, position: u32) -> Result<bool, Error> {
        if self.options.boundary && self.flags.any(position, Flag::CHILD_SHOWN) {
            return Ok(true);
        }
        self.table.load(position)?;
        self.chooses(position)
    }

    /// Which tip a commit was first reached from, by number, when the options ask for it.
    pub fn source_of(&self, position: u32) -> Option<u32> {
        self.sources.as_ref()?.get(&self.table.id(position)).copied()
    }

    /// Whether everything that can be excluded is known to be, so that boundaries can be relied on.
    pub fn is_limited(&self) -> bool {
        self.limited
    }

    /// The excluded commits that the walk has met so far, in no order.
    pub fn excluded(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.table.len() as u32).filter(|&at| self.flags.any(at, Flag::UNINTERESTING))
    }

    /// The excluded commits right below those that will be shown, each once, in the order of the commits above them.
    /// They are all known only when everything was walked first ([`WalkOptions::limited`]).
    pub fn edges(&self) -> Vec<u32> {
        if let Some(edges) = &self.edges {
            return edges.clone();
        }
        let Pending::List(list) = &self.pending else { return Vec::new() };
        let mut met = Flags::default();
        let mut edges = Vec::new();
        for &position in list {
            for &parent in self.table.parents(position) {
                if self.is_excluded(parent) && !met.any(parent, Flag::SEEN) {
                    met.set(parent, Flag::SEEN);
                    edges.push(parent);
                }
            }
        }
        edges
    }

    /// The mark that listings put before a commit: `-` boundary, `^` excluded, `=` same change on the other side,
    /// `<` left, `>` right, `+` not same; nothing when none of that was asked for.
    pub fn mark(&self, position: u32, left_right: bool) -> Option<u8> {
        if self.is_boundary(position) {
            return Some(b'-');
        }
        if self.is_excluded(position) {
            return Some(b'^');
        }
        if self.is_patch_same(position) {
            return Some(b'=');
        }
        if left_right {
            return Some(if self.is_left(position) { b'<' } else { b'>' });
        }
        (self.options.cherry == Cherry::Mark).then_some(b'+')
    }

    fn enqueue(&mut self, key: u64, position: u32) {
        self.flags.set(position, Flag::QUEUED);
        if !self.flags.any(position, Flag::UNINTERESTING) {
            self.interesting += 1;
        }
        self.queue.push(key, position);
    }

    fn dequeue(&mut self) -> Option<u32> {
        let position = self.queue.pop()?;
        self.flags.clear(position, Flag::QUEUED);
        if !self.flags.any(position, Flag::UNINTERESTING) {
            self.interesting -= 1;
        }
        Some(position)
    }

    fn wants_ancestry(&self) -> bool {
        self.options.rewrite_parents || self.options.children
    }

    /// Whether commits that change nothing are left out.
    fn is_dense(&self) -> bool {
        self.pruner.is_some() && !self.options.sparse
    }

    fn is_incremental(&self) -> bool {
        self.options.order != Order::Date && self.table.has_generations()
    }

    /// What topological sorts order by.
    fn keys(&self) -> order::Keys {
        match self.options.order {
            Order::Date | Order::Topological => order::Keys::Stack,
            Order::TopologicalDate => order::Keys::Dates,
            Order::TopologicalAuthorDate => order::Keys::AuthorDates,
        }
    }
}

/// Sets what other options imply.
fn complete(options: &mut WalkOptions, tips: &[Tip]) {
    if tips.iter().any(|tip| tip.excluded) {
        options.no_walk = None;
    }
    if options.decorated.is_some() {
        options.simplify_merges = true;
    }
    if options.simplify_merges || options.ancestry_path.is_some() {
        options.full_history = true;
    }
    if options.simplify_merges {
        options.rewrite_parents = true;
        if options.order == Order::Date {
            options.order = Order::Topological;
        }
    }
}

/// Whether options can only be answered once the whole range was walked.
fn needs_limiting(table: &CommitTable<'_>, options: &WalkOptions) -> bool {
    options.limited
        || options.halving != Halving::No
        || options.since.is_some()
        || options.until.is_some()
        || options.ancestry_path.is_some()
        || options.sides != Sides::Both
        || options.cherry != Cherry::Ignore
        || options.children
        || options.simplify_merges
        || options.maximal_only
        || options.decorated.is_some()
        || (options.order != Order::Date && !table.has_generations())
}
