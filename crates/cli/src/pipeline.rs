//! Work spread over threads whose results come back in order.
//!
//! The calling thread makes jobs and takes results; in between it works too. Short runs start no threads: the first
//! jobs are done on the spot.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// How many jobs are done on the calling thread before others are started.
const ALONE: usize = 6;
/// How many jobs may be under way for each thread: enough that none is idle, few enough that results do not pile up.
const AHEAD: usize = 8;

/// Runs jobs on `threads` threads, the calling one included.
///
/// `next` makes the next job, `work` does one with a state of its thread's own (which `state` makes), and `take` gets
/// the results in the order of the jobs; it stops everything by breaking.
///
/// # Errors
/// Those of `next`, after all earlier results were taken, and those of `take`.
pub fn in_order<J, R, S, E>(
    threads: usize,
    mut next: impl FnMut() -> Result<Option<J>, E>,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, J) -> R + Sync,
    mut take: impl FnMut(R) -> Result<ControlFlow<()>, E>,
) -> Result<(), E>
where
    J: Send,
    R: Send,
{
    let mut own = state();
    let mut done_alone = 0;
    while threads <= 1 || done_alone < ALONE {
        let Some(job) = next()? else { return Ok(()) };
        if take(work(&mut own, job))?.is_break() {
            return Ok(());
        }
        done_alone += 1;
    }
    let shared = Shared { state: Mutex::default(), jobs: Condvar::new(), results: Condvar::new() };
    std::thread::scope(|scope| {
        let _close = Close(&shared);
        for _ in 1..threads {
            scope.spawn(|| {
                let _failure = Failure(&shared);
                let mut own = state();
                while let Some((number, job)) = shared.wait_for_job() {
                    let result = work(&mut own, job);
                    shared.put(number, result);
                }
            });
        }
        let mut made = 0;
        let mut ending = None;
        loop {
            while let Some(result) = shared.next_result() {
                if take(result)?.is_break() {
                    return Ok(());
                }
            }
            if ending.is_none() && shared.has_room(threads * AHEAD) {
                match next() {
                    Ok(Some(job)) => {
                        shared.add(made, job);
                        made += 1;
                    }
                    Ok(None) => ending = Some(Ok(())),
                    Err(error) => ending = Some(Err(error)),
                }
                continue;
            }
            if let Some((number, job)) = shared.job() {
                let result = work(&mut own, job);
                shared.put(number, result);
            } else if shared.is_drained() {
                return ending.unwrap_or(Ok(()));
            } else if !shared.wait_for_result() {
                // A thread has panicked, which the end of the scope passes on.
                return Ok(());
            }
        }
    })
}

struct Shared<J, R> {
    state: Mutex<State<J, R>>,
    /// Told of new jobs, and of the end.
    jobs: Condvar,
    /// Told of new results.
    results: Condvar,
}

struct State<J, R> {
    jobs: VecDeque<(usize, J)>,
    /// Results from number `taken` on, as far as they are there.
    results: VecDeque<Option<R>>,
    taken: usize,
    made: usize,
    closed: bool,
    failed: bool,
}

impl<J, R> Default for State<J, R> {
    fn default() -> Self {
        State {
            jobs: VecDeque::new(),
            results: VecDeque::new(),
            taken: 0,
            made: 0,
            closed: false,
            failed: false,
        }
    }
}

impl<J, R> Shared<J, R> {
    fn lock(&self) -> MutexGuard<'_, State<J, R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, number: usize, job: J) {
        let mut state = self.lock();
        state.made = number + 1;
        state.jobs.push_back((number, job));
        drop(state);
        self.jobs.notify_one();
    }

    fn has_room(&self, most: usize) -> bool {
        let state = self.lock();
        state.made - state.taken < most
    }

    fn job(&self) -> Option<(usize, J)> {
        self.lock().jobs.pop_front()
    }

    fn wait_for_job(&self) -> Option<(usize, J)> {
        let mut state = self.lock();
        loop {
            if state.closed {
                return None;
            }
            if let Some(job) = state.jobs.pop_front() {
                return Some(job);
            }
            state = self.jobs.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn put(&self, number: usize, result: R) {
        let mut state = self.lock();
        let at = number - state.taken;
        if state.results.len() <= at {
            state.results.resize_with(at + 1, || None);
        }
        state.results[at] = Some(result);
        drop(state);
        self.results.notify_one();
    }

    /// The next result in order, when it is there.
    fn next_result(&self) -> Option<R> {
        let mut state = self.lock();
        let result = state.results.front_mut()?.take()?;
        state.results.pop_front();
        state.taken += 1;
        Some(result)
    }

    fn is_drained(&self) -> bool {
        let state = self.lock();
        state.made == state.taken
    }

    /// Waits until the next result in order is there; false when it will never be.
    fn wait_for_result(&self) -> bool {
        let mut state = self.lock();
        while !state.failed && !matches!(state.results.front(), Some(Some(_))) {
            state = self.results.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        !state.failed
    }
}

/// Lets the threads go when the calling one is done, in whatever way.
struct Close<'s, J, R>(&'s Shared<J, R>);

impl<J, R> Drop for Close<'_, J, R> {
    fn drop(&mut self) {
        self.0.lock().closed = true;
        self.0.jobs.notify_all();
    }
}

/// Tells the calling thread when another one panics.
struct Failure<'s, J, R>(&'s Shared<J, R>);

impl<J, R> Drop for Failure<'_, J, R> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.lock().failed = true;
            self.0.results.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(threads: usize, count: u32, stop_after: usize) -> (Vec<u32>, Result<(), &'static str>) {
        let mut next = 0;
        let mut taken = Vec::new();
        let result = in_order(
            threads,
            || {
                next += 1;
                if next > count { Err("end") } else { Ok(Some(next)) }
            },
            || 0u64,
            |state, job| {
                *state += u64::from(job);
                // Work of uneven length.
                for i in 0..(job * 7919) % 1000 {
                    std::hint::black_box(i);
                }
                job * 2
            },
            |result| {
                taken.push(result);
                Ok(if taken.len() == stop_after { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
            },
        );
        (taken, result)
    }

    #[test]
    fn results_come_in_order_and_before_the_error() {
        for threads in 1..4 {
            let (taken, result) = run(threads, 500, usize::MAX);
            assert_eq!(taken, (1..=500).map(|n| n * 2).collect::<Vec<_>>());
            assert_eq!(result, Err("end"));
        }
    }

    #[test]
    fn breaking_stops_early() {
        for (threads, stop) in [(1, 3), (3, 3), (2, 40)] {
            let (taken, result) = run(threads, 100_000, stop);
            assert_eq!((taken.len(), result), (stop, Ok(())));
        }
    }

    #[test]
    #[should_panic(expected = "a scoped thread panicked")]
    fn a_panic_is_passed_on() {
        let caller = std::thread::current().id();
        let mut next = 0;
        let _: Result<(), ()> = in_order(
            2,
            || {
                next += 1;
                Ok((next < 1000).then_some(next))
            },
            || (),
            |(), _| {
                assert!(std::thread::current().id() == caller, "on another thread");
                std::thread::sleep(std::time::Duration::from_millis(1));
            },
            |()| Ok(ControlFlow::Continue(())),
        );
    }
}
