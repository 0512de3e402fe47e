//! The chunks of a pack that were read, as the reader and the thread that helps it share them.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

use hashbrown::HashMap;

use super::chunk::{CHUNK, Chunk};
use crate::pack::Pack;
use crate::pack::reverse::ReverseIndex;

/// The most memory for contents. Chunks that were not used for longest go first.
const MOST_BYTES: usize = 6 << 20;
/// Where a chunk has fewer commits than this, nothing beyond it is read ahead.
const FEW: u32 = CHUNK / 8;

/// See the module's head.
pub(super) struct Shelf {
    pack: Arc<Pack>,
    /// The offset at which each chunk starts, once that is known: until then the reader goes on alone.
    starts: OnceLock<Vec<u64>>,
    state: Mutex<State>,
    /// There is something to read, or an end.
    wanted: Condvar,
}

#[derive(Default)]
struct State {
    ended: bool,
    /// Whether the thread sleeps.
    idle: bool,
    slots: HashMap<u32, Slot>,
    /// The chunks that are to be read, in this order.
    queue: VecDeque<u32>,
    bytes: usize,
    /// Counts uses, to tell which was the last.
    clock: u64,
}

struct Slot {
    /// `None` while it is being read.
    chunk: Option<Arc<Chunk>>,
    used: u64,
}

/// How far it pays to read ahead of a chunk.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lead {
    /// How many chunks beyond it.
    pub(super) depth: u32,
    /// Whether nearly all commits are asked for, so that the reader had better read whole chunks, too.
    pub(super) is_dense: bool,
}

impl State {
    /// Asks for a chunk and those after it, as far as they are not here.
    fn ask(&mut self, number: u32, lead: Lead, chunks: u32) {
        if lead.depth == 0 {
            return;
        }
        for at in number..=(number + lead.depth).min(chunks - 1) {
            match self.slots.get(&at) {
                Some(Slot { chunk: Some(chunk), .. }) if chunk.len() < FEW => break,
                Some(_) => {}
                None if self.queue.contains(&at) => {}
                None if at == number => self.queue.push_front(at),
                None => self.queue.push_back(at),
            }
        }
    }

    /// Begins to read a chunk.
    fn begin(&mut self, number: u32) {
        self.slots.insert(number, Slot { chunk: None, used: self.clock });
    }

    fn put(&mut self, number: u32, chunk: Chunk) {
        self.clock += 1;
        self.bytes += chunk.size();
        self.slots.insert(number, Slot { chunk: Some(Arc::new(chunk)), used: self.clock });
        while self.bytes > MOST_BYTES {
            let read = self.slots.iter().filter(|(_, slot)| slot.chunk.is_some());
            let Some((&oldest, _)) = read.min_by_key(|(_, slot)| slot.used) else { return };
            let gone = self.slots.remove(&oldest).and_then(|slot| slot.chunk);
            self.bytes -= gone.map_or(0, |chunk| chunk.size());
        }
    }
}

impl Shelf {
    /// An empty shelf for the commits of `pack`.
    pub(super) fn new(pack: Arc<Pack>) -> Self {
        Shelf { pack, starts: OnceLock::new(), state: Mutex::default(), wanted: Condvar::new() }
    }

    pub(super) fn pack(&self) -> &Arc<Pack> {
        &self.pack
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends all reading.
    pub(super) fn end(&self) {
        self.lock().ended = true;
        self.wanted.notify_all();
    }

    /// What the helping thread does.
    pub(super) fn fill(&self) {
        // When the order of the pack must be computed, that is done here, too.
        let Ok(reverse) = self.pack.reverse() else { return };
        let Some(starts) = self.read_starts(reverse) else { return };
        self.starts.get_or_init(|| starts);
        let mut state = self.lock();
        while !state.ended {
            state.idle = false;
            state = match state.queue.pop_front() {
                Some(number) => self.read(state, number),
                None => {
                    state.idle = true;
                    self.wanted.wait(state).unwrap_or_else(PoisonError::into_inner)
                }
            };
        }
    }

    fn read_starts(&self, reverse: &ReverseIndex) -> Option<Vec<u64>> {
        let index = self.pack.index().ok()?;
        (0..index.count()).step_by(CHUNK as usize).map(|rank| reverse.offset(index, rank)).collect()
    }

    /// The number of the chunk that covers `offset`, and how many there are; `None` while that is not known.
    pub(super) fn number_of(&self, offset: u64) -> Option<(u32, u32)> {
        let starts = self.starts.get()?;
        let number = starts.partition_point(|&start| start <= offset).checked_sub(1)?;
        Some((number as u32, starts.len() as u32))
    }

    /// Reads a chunk, with the lock given back meanwhile.
    fn read<'s>(&'s self, mut state: MutexGuard<'s, State>, number: u32) -> MutexGuard<'s, State> {
        state.begin(number);
        drop(state);
        let chunk = self.read_chunk(number);
        let mut state = self.lock();
        state.put(number, chunk.unwrap_or_default());
        state
    }

    fn read_chunk(&self, number: u32) -> Option<Chunk> {
        let (starts, reverse) = (self.starts.get()?, self.pack.reverse().ok()?);
        let start = *starts.get(number as usize)?;
        let end = match starts.get(number as usize + 1) {
            Some(&end) => end,
            None => self.pack.data().ok()?.len() as u64,
        };
        let ranks =
            number * CHUNK..(number * CHUNK).saturating_add(CHUNK).min(self.pack.index().ok()?.count());
        Some(Chunk::read(&self.pack, reverse, ranks, start..end))
    }

    /// The chunk of that number, if it was read or is now read here. Asks for more as `lead` says.
    pub(super) fn chunk(&self, number: u32, lead: Lead) -> Option<Arc<Chunk>> {
        let chunks = self.starts.get()?.len() as u32;
        let mut state = self.lock();
        state.ask(number, lead, chunks);
        if state.idle && !state.queue.is_empty() {
            self.wanted.notify_one();
        }
        loop {
            let clock = state.clock + 1;
            let next = match state.slots.get_mut(&number) {
                Some(Slot { chunk: Some(chunk), used }) => {
                    *used = clock;
                    let chunk = Arc::clone(chunk);
                    state.clock = clock;
                    return Some(chunk);
                }
                _ if !lead.is_dense => return None,
                // The thread is at it: there may be something else to do until it is done.
                Some(_) => state.queue.pop_front()?,
                None => {
                    state.queue.retain(|&other| other != number);
                    number
                }
            };
            state = self.read(state, next);
        }
    }
}
