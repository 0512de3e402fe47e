//! Comparing trees ahead of a walk that is limited by paths.
//!
//! Most commits change nothing at the paths, and the walk goes on with their first parents. So from each commit that it
//! comes to, the line of first parents is followed a while, and a thread compares the trees along it. The walk waits
//! for it when it catches up: each tree is made from the one before, so that two threads would do much of the work
//! twice. A side that is followed in vain costs little: lines are followed further as the walk goes along them.
//!
//! What goes wrong ahead is not said here: there is no verdict then, and the walk finds out when it comes there.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use adit_object::{ObjectId, Source};
use hashbrown::HashMap;

use super::prune::Comparer;
use crate::CommitTable;

/// How many comparisons are one piece of work.
const BATCH: usize = 16;
/// Lines are followed once the walk has gone along them so far: many are short.
const LONG: u32 = 8;
/// Where a line is first followed: so far ahead, so that the walk does not come to the same trees at the same time.
const GAP: usize = 16;
/// How far it is followed at once. With each commit that the walk goes along it, it is followed by `STEPS` more, until
/// it is `FURTHEST` ahead.
const FIRST: usize = 64;
const STEPS: usize = 2;
const FURTHEST: usize = 384;

/// The thread is woken for so many pieces of work, and the walk when no more are left, so that neither wakes the other
/// again and again.
const SOME: usize = 4;

/// No line.
const NONE: u32 = u32::MAX;

/// See the module's head. It ends when it is dropped.
pub(super) struct Scout {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    lines: Vec<Line>,
    /// For the commit that is next on a line that is not followed yet, how far the walk has gone along it.
    short: HashMap<u32, u32>,
    /// For each commit whose verdict was asked for, the line it is on.
    line_of: Vec<u32>,
    /// What is not in the queue yet.
    pending: Vec<Job>,
}

/// A line of first parents.
struct Line {
    /// The commit that is next on it.
    next: u32,
    /// How many of its commits the walk has not come to.
    ahead: usize,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// There is something to compare, or an end.
    wanted: Condvar,
    /// What the walk waits for was found, or there is an end.
    found: Condvar,
}

#[derive(Default)]
struct State {
    ended: bool,
    /// Whether the thread sleeps.
    idle: bool,
    queue: VecDeque<Vec<Job>>,
    /// For commits that were compared, whether they differ from their first parents; `None` when that failed.
    verdicts: HashMap<u32, Option<bool>>,
    /// The commit that the walk waits for.
    awaited: Option<u32>,
}

/// A commit, with its first parent's tree and its own.
struct Job {
    commit: u32,
    old: ObjectId,
    new: ObjectId,
}

impl Scout {
    /// Starts a thread that compares with what `comparer` makes; `None` when that would gain nothing.
    pub(super) fn start<F>(source: Arc<dyn Source>, comparer: F) -> Option<Self>
    where
        F: FnOnce(&dyn Source) -> Comparer<'_> + Send + 'static,
    {
        if std::thread::available_parallelism().map_or(true, |threads| threads.get() < 2) {
            return None;
        }
        let shared = Arc::<Shared>::default();
        let theirs = Arc::clone(&shared);
        let run = move || theirs.run(&mut comparer(&*source));
        let thread = std::thread::Builder::new().name("trees ahead".into()).spawn(run).ok()?;
        let (lines, short, line_of, pending) = Default::default();
        Some(Scout { shared, thread: Some(thread), lines, short, line_of, pending })
    }

    /// The walk has come to `commit`: follows the line that starts or goes on there.
    pub(super) fn follow(&mut self, table: &mut CommitTable<'_>, commit: u32) {
        let line = self.line_of(commit);
        if line == NONE {
            self.note(table, commit);
            return;
        }
        self.lines[line as usize].ahead -= 1;
        self.advance(table, line, STEPS);
    }

    /// The walk has come to a commit that was not asked for: where enough of its line lies behind, it is followed.
    fn note(&mut self, table: &mut CommitTable<'_>, commit: u32) {
        let gone = self.short.remove(&commit).unwrap_or(0) + 1;
        let Some(parent) = table.parent(commit, 0) else { return };
        if gone < LONG {
            self.short.insert(parent, gone);
            return;
        }
        let mut next = parent;
        for _ in 0..GAP {
            match table.load(next).is_ok().then(|| table.parent(next, 0)).flatten() {
                Some(parent) if self.line_of(next) == NONE => next = parent,
                _ => return,
            }
        }
        // Until the walk has come so far, this line is not looked for again.
        self.short.insert(parent, 0);
        self.lines.push(Line { next, ahead: 0 });
        self.advance(table, self.lines.len() as u32 - 1, FIRST);
    }

    fn advance(&mut self, table: &mut CommitTable<'_>, line: u32, steps: usize) {
        for _ in 0..steps {
            if self.lines[line as usize].ahead >= FURTHEST || !self.step(table, line) {
                break;
            }
        }
        if self.pending.len() >= BATCH {
            self.flush();
        }
    }

    fn line_of(&self, commit: u32) -> u32 {
        self.line_of.get(commit as usize).copied().unwrap_or(NONE)
    }

    /// Follows a line by one commit; false at its end, or where another goes on.
    fn step(&mut self, table: &mut CommitTable<'_>, line: u32) -> bool {
        let at = self.lines[line as usize].next;
        if self.line_of(at) != NONE || table.load(at).is_err() {
            return false;
        }
        let Some(parent) = table.parent(at, 0).filter(|&parent| table.load(parent).is_ok()) else {
            return false;
        };
        if self.line_of.len() <= at as usize {
            self.line_of.resize(table.len(), NONE);
        }
        self.line_of[at as usize] = line;
        self.pending.push(Job { commit: at, old: table.tree(parent), new: table.tree(at) });
        let line = &mut self.lines[line as usize];
        (line.next, line.ahead) = (parent, line.ahead + 1);
        true
    }

    fn flush(&mut self) {
        if !self.pending.is_empty() {
            self.shared.ask(std::mem::take(&mut self.pending));
        }
    }

    /// Whether `commit` differs from its first parent, if that was asked for ahead and could be told.
    pub(super) fn verdict(&mut self, commit: u32) -> Option<bool> {
        if self.line_of(commit) == NONE {
            return None;
        }
        if let Some(verdict) = self.shared.lock().verdicts.remove(&commit) {
            return verdict;
        }
        self.flush();
        let mut state = self.shared.lock();
        loop {
            if let Some(verdict) = state.verdicts.remove(&commit) {
                return verdict;
            }
            if state.ended {
                return None;
            }
            state.awaited = Some(commit);
            if state.idle {
                self.shared.wanted.notify_one();
            }
            state = self.shared.found.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.awaited = None;
        }
    }
}

impl Drop for Scout {
    fn drop(&mut self) {
        self.shared.end();
        if let Some(Err(panic)) = self.thread.take().map(JoinHandle::join)
            && !std::thread::panicking()
        {
            std::panic::resume_unwind(panic);
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn end(&self) {
        self.lock().ended = true;
        self.wanted.notify_all();
        self.found.notify_all();
    }

    fn ask(&self, jobs: Vec<Job>) {
        let mut state = self.lock();
        state.queue.push_back(jobs);
        if state.idle && state.queue.len() >= SOME {
            self.wanted.notify_one();
        }
    }

    fn run(&self, comparer: &mut Comparer<'_>) {
        let _end = End(self);
        let mut state = self.lock();
        while !state.ended {
            state.idle = false;
            let Some(jobs) = state.queue.pop_front() else {
                state.idle = true;
                state = self.wanted.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            drop(state);
            let found = compare(jobs, comparer);
            state = self.lock();
            state.verdicts.extend(found);
            let is_found = state.awaited.is_some_and(|awaited| state.verdicts.contains_key(&awaited));
            if is_found && state.queue.len() <= SOME {
                self.found.notify_one();
            }
        }
    }
}

/// Ends with the thread, so that the walk never waits for one that is gone.
struct End<'s>(&'s Shared);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

fn compare(jobs: Vec<Job>, comparer: &mut Comparer<'_>) -> Vec<(u32, Option<bool>)> {
    jobs.into_iter().map(|job| (job.commit, comparer.differ(&job.old, &job.new).ok())).collect()
}
