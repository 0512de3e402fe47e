//! Commits that are read before they are asked for.
//!
//! A walk over history asks for commits in about the order in which a pack holds them, so the best guess of what comes
//! next is what lies next. A thread inflates the commits of a pack, chunk by chunk, ahead of the reader; a reader who
//! catches up takes chunks of its own, so that both have their share whatever else they do, and never waits. No parent
//! has to be known before its child was read: a line of history without branches gains as much as one with many.
//!
//! What is wrong with a commit is not said here. It is left out, and the reader comes upon it in the usual way.

mod chunk;
mod shelf;

use std::sync::Arc;
use std::thread::JoinHandle;

use adit_object::{CommitsAhead, ObjectId};

use crate::Store;
use crate::pack::Pack;
use crate::snapshot::Snapshot;
use chunk::{CHUNK, Chunk};
use shelf::{Lead, Shelf};

/// A pack with fewer objects is read as fast without help.
const MANY: u32 = 1 << 10;

/// After so many commits in a row that another pack holds, that one is read ahead.
const PATIENCE: u32 = 64;

/// The most chunks that are read ahead: one more with each that was used, so that a short walk causes little work.
const DEEPEST: u32 = 16;

/// Reads ahead in the pack that most commits come from. See the module's head.
pub(crate) struct StoreAhead<'s> {
    store: &'s Store,
    snapshot: Arc<Snapshot>,
    pack: Option<PackAhead>,
    /// How many commits in a row lay in another pack.
    elsewhere: u32,
}

impl<'s> StoreAhead<'s> {
    /// A reader ahead in `store`; `None` on a machine with one processor.
    pub(crate) fn new(store: &'s Store) -> Option<Self> {
        let alone = std::thread::available_parallelism().map_or(true, |threads| threads.get() < 2);
        (!alone).then(|| StoreAhead { store, snapshot: store.snapshot(), pack: None, elsewhere: PATIENCE })
    }
}

impl CommitsAhead for StoreAhead<'_> {
    fn take(&mut self, id: &ObjectId, out: &mut Vec<u8>) -> bool {
        let Ok(id) = self.store.replacement(id) else { return false };
        let Some((pack, offset)) = self.snapshot.find(&id) else { return false };
        match &mut self.pack {
            Some(ahead) if ahead.is_of(pack) => {
                self.elsewhere = 0;
                return ahead.take(offset, out);
            }
            _ => self.elsewhere += 1,
        }
        if self.elsewhere > PATIENCE {
            self.elsewhere = 0;
            let is_large = pack.index_or_none().is_some_and(|index| index.count() >= MANY);
            self.pack = if is_large { PackAhead::start(Arc::clone(pack)) } else { None };
        }
        false
    }
}

/// Reads ahead in one pack, until it is dropped.
struct PackAhead {
    shelf: Arc<Shelf>,
    thread: Option<JoinHandle<()>>,
    /// The chunk that the reader is in: its number, and what it holds when it was read.
    number: u32,
    chunk: Option<Arc<Chunk>>,
    /// Where in the chunk the last commit was.
    place: usize,
    /// How many commits of each chunk were asked for.
    touched: Vec<u8>,
}

impl PackAhead {
    /// Makes ready to read ahead; `None` when no thread can be had.
    fn start(pack: Arc<Pack>) -> Option<Self> {
        let shelf = Arc::new(Shelf::new(pack));
        let shared = Arc::clone(&shelf);
        let thread = std::thread::Builder::new().name("commits ahead".into()).spawn(move || shared.fill());
        let thread = Some(thread.ok()?);
        Some(PackAhead { shelf, thread, number: 0, chunk: None, place: 0, touched: Vec::new() })
    }

    fn is_of(&self, pack: &Arc<Pack>) -> bool {
        Arc::ptr_eq(self.shelf.pack(), pack)
    }

    fn take(&mut self, offset: u64, out: &mut Vec<u8>) -> bool {
        if !self.chunk.as_ref().is_some_and(|chunk| chunk.covers(offset)) && !self.enter(offset) {
            return false;
        }
        let touched = &mut self.touched[self.number as usize];
        *touched = touched.saturating_add(1);
        self.chunk.as_ref().is_some_and(|chunk| chunk.take(offset, &mut self.place, out))
    }

    /// Goes to the chunk that covers `offset`; false while it is not known which that is.
    fn enter(&mut self, offset: u64) -> bool {
        let Some((number, chunks)) = self.shelf.number_of(offset) else { return false };
        self.touched.resize(chunks as usize, 0);
        (self.number, self.place) = (number, 0);
        self.chunk = self.shelf.chunk(number, self.lead(number));
        true
    }

    /// What the use of the chunks before this one promises.
    fn lead(&self, number: u32) -> Lead {
        let before = self.touched[..number as usize].iter().rev().map(|&touched| u32::from(touched));
        let lately: u32 = before.clone().take(2).sum();
        let used = before.take_while(|&touched| touched >= CHUNK / 2).take(DEEPEST as usize).count();
        Lead { depth: used as u32, is_dense: lately >= CHUNK }
    }
}

impl Drop for PackAhead {
    fn drop(&mut self) {
        self.shelf.end();
        if let Some(Err(panic)) = self.thread.take().map(JoinHandle::join)
            && !std::thread::panicking()
        {
            std::panic::resume_unwind(panic);
        }
    }
}
