//! Reading many objects at once.
//!
//! Whoever needs many objects hands the set over. The objects are read in the order in which they lie in their packs, cut
//! into runs that start with a whole object where they can; in a run each base is built once and held while others are
//! built on it. Threads take run after run.

mod family;
mod plan;
mod survey;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Mutex, PoisonError};

use adit_object::{ObjectId, ObjectKind, Shared, SourceError};

use crate::store::Store;
use family::{Content, RunReader};
use plan::Chunk;
pub(crate) use plan::Plan;

/// Many objects that are to be read, each once. Replacements do not apply.
#[derive(Debug)]
pub struct BulkRead<'s> {
    store: &'s Store,
    plan: Plan,
    threads: usize,
}

/// What a callback is given for an object.
pub type BulkObject<'a> = Result<(ObjectKind, &'a [u8]), SourceError>;

impl Store {
    /// Reads every object, those of alternates included.
    pub fn bulk_all(&self) -> Result<BulkRead<'_>, SourceError> {
        Ok(BulkRead { store: self, plan: Plan::all(self)?, threads: cores() })
    }

    /// Reads what lies in packs that came from a promisor remote.
    pub(crate) fn bulk_promisor_packs(&self) -> BulkRead<'_> {
        BulkRead { store: self, plan: Plan::promisor_packs(&self.snapshot()), threads: cores() }
    }

    /// Reads the objects `ids`.
    pub fn bulk(&self, ids: impl IntoIterator<Item = ObjectId>) -> BulkRead<'_> {
        BulkRead { store: self, plan: Plan::of(&self.snapshot(), ids), threads: cores() }
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

impl BulkRead<'_> {
    /// Uses at most this many threads; the default is one for each core.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }

    /// How many objects are to be read.
    pub fn len(&self) -> usize {
        self.plan.len()
    }

    /// Whether there is nothing to read.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads on several threads, in no order: each thread makes a state with `start` and hands its objects to `each`. What
    /// the states have become is returned. When `each` breaks, all threads stop.
    pub fn fold<S: Send>(
        &self,
        start: impl Fn() -> S + Sync,
        each: impl Fn(&mut S, &ObjectId, BulkObject<'_>) -> ControlFlow<()> + Sync,
    ) -> Vec<S> {
        let chunks = self.plan.chunks();
        let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
        let work = || {
            let mut state = start();
            let mut reader = RunReader::one_of(self.threads);
            while let Some(chunk) = chunks.get(next.fetch_add(1, Ordering::Relaxed)) {
                let go_on = self.read_chunk(&mut reader, chunk, |id, object| {
                    let flow = match object {
                        Ok((kind, Content::Shared(bytes))) => each(&mut state, id, Ok((kind, &bytes))),
                        Ok((kind, Content::Borrowed(bytes))) => each(&mut state, id, Ok((kind, bytes))),
                        Err(error) => each(&mut state, id, Err(error)),
                    };
                    if flow.is_break() {
                        stop.store(true, Ordering::Relaxed);
                    }
                    flow.is_continue() && !stop.load(Ordering::Relaxed)
                });
                if !go_on {
                    break;
                }
            }
            state
        };
        let threads = self.threads.min(chunks.len()).max(1);
        if threads == 1 {
            return vec![work()];
        }
        std::thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
            let mut states = vec![work()];
            for other in others {
                match other.join() {
                    Ok(state) => states.push(state),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            states
        })
    }

    /// Reads on several threads and hands the objects to `each` on this one, in the order in which they are stored:
    /// loose ones first, then pack by pack.
    pub fn in_order(&self, mut each: impl FnMut(&ObjectId, BulkObject<'_>) -> ControlFlow<()>) {
        let chunks = self.plan.chunks();
        if self.threads == 1 || chunks.len() < 2 {
            let mut reader = RunReader::one_of(self.threads);
            for chunk in &chunks {
                let go_on = self.read_chunk(&mut reader, chunk, |id, object| {
                    let flow = match object {
                        Ok((kind, Content::Shared(bytes))) => each(id, Ok((kind, &bytes))),
                        Ok((kind, Content::Borrowed(bytes))) => each(id, Ok((kind, bytes))),
                        Err(error) => each(id, Err(error)),
                    };
                    flow.is_continue()
                });
                if !go_on {
                    return;
                }
            }
            return;
        }
        // Each run has a channel; the channels themselves come in the order of the runs.
        let (runs, run_order) = channel();
        let queue = Mutex::new(chunks.iter());
        std::thread::scope(|scope| {
            for _ in 0..self.threads.min(chunks.len()) {
                let (queue, runs) = (&queue, runs.clone());
                scope.spawn(move || self.send_runs(queue, &runs));
            }
            // The channel closes when the last thread is done.
            drop(runs);
            deliver(&run_order, &mut each);
            // Threads that wait to hand something over see that nobody listens.
            drop(run_order);
        });
    }

    /// Takes run after run and sends its objects through a channel of its own.
    fn send_runs(&self, queue: &Mutex<std::slice::Iter<'_, Chunk>>, runs: &Sender<Receiver<Batch>>) {
        let mut reader = RunReader::one_of(self.threads);
        loop {
            let (chunk, sender) = {
                let mut queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
                let Some(chunk) = queue.next() else { return };
                let (sender, receiver) = sync_channel(BATCHES_AHEAD);
                // Sent under the lock, so that the channels come in the order of the runs.
                if runs.send(receiver).is_err() {
                    return;
                }
                (chunk, sender)
            };
            let mut batch = Outgoing { sender, batch: Vec::new(), len: 0 };
            let go_on = self.read_chunk(&mut reader, chunk, |id, object| batch.add(id, object));
            if !go_on || !batch.flush() {
                return;
            }
        }
    }

    /// Reads one run and hands over each object until `each` says no.
    fn read_chunk(
        &self,
        reader: &mut RunReader,
        chunk: &Chunk,
        mut each: impl FnMut(&ObjectId, Result<(ObjectKind, Content<'_>), SourceError>) -> bool,
    ) -> bool {
        match chunk {
            Chunk::Loose(range) => {
                let mut bytes = Vec::new();
                self.plan.loose[range.clone()].iter().all(|id| {
                    let read = self.store.try_read_raw(id, &mut bytes);
                    let read = read.and_then(|kind| kind.ok_or(SourceError::Missing(*id)));
                    each(id, read.map(|kind| (kind, Content::Borrowed(&mut bytes))))
                })
            }
            Chunk::Packed(n, range) => {
                let plan = &self.plan.packs[*n];
                // The plan was made with it.
                let Some(index) = plan.pack.index_or_none() else { return true };
                let items = &plan.items[range.clone()];
                reader.read(self.store, &plan.pack, items, |item, object| {
                    each(&index.id(item.position), object)
                })
            }
        }
    }
}

/// Objects on their way to the thread that asked for them.
type Batch = Vec<(ObjectId, Result<(ObjectKind, Shared), SourceError>)>;

/// A batch is sent when it has this many bytes or objects.
const BATCH_LEN: usize = 1 << 20;
const BATCH_COUNT: usize = 256;

/// How many batches of a run may wait.
const BATCHES_AHEAD: usize = 48;

struct Outgoing {
    sender: SyncSender<Batch>,
    batch: Batch,
    len: usize,
}

impl Outgoing {
    /// Whether somebody still listens.
    fn add(&mut self, id: &ObjectId, object: Result<(ObjectKind, Content<'_>), SourceError>) -> bool {
        let object = object.map(|(kind, content)| match content {
            Content::Shared(bytes) => (kind, bytes),
            Content::Borrowed(bytes) => (kind, Shared::new(std::mem::take(bytes))),
        });
        self.len += object.as_ref().map_or(0, |(_, bytes)| bytes.len());
        self.batch.push((*id, object));
        if self.len < BATCH_LEN && self.batch.len() < BATCH_COUNT {
            return true;
        }
        self.flush()
    }

    fn flush(&mut self) -> bool {
        self.len = 0;
        self.batch.is_empty() || self.sender.send(std::mem::take(&mut self.batch)).is_ok()
    }
}

/// Hands over what comes, run by run.
fn deliver(
    runs: &Receiver<Receiver<Batch>>,
    each: &mut impl FnMut(&ObjectId, BulkObject<'_>) -> ControlFlow<()>,
) {
    for run in runs {
        for batch in run {
            for (id, object) in batch {
                let flow = match object {
                    Ok((kind, bytes)) => each(&id, Ok((kind, &bytes))),
                    Err(error) => each(&id, Err(error)),
                };
                if flow.is_break() {
                    return;
                }
            }
        }
    }
}
