//! Many trees at once: one thread reads them while another looks at what it comes to.

use std::sync::mpsc::{SyncSender, sync_channel};

use adit_object::{ObjectId, ObjectKind, SourceError};
use bstr::{BStr, ByteSlice};

use super::{Event, ObjectWalk};

/// Fewer trees than this are not worth a thread.
const MANY: usize = 512;
/// Events that are handed over at once.
const BATCH: usize = 2048;
/// Batches that may wait.
const WAITING: usize = 8;

/// Events with their paths in one buffer.
#[derive(Default)]
struct Batch {
    events: Vec<(ObjectId, What, u32)>,
    paths: Vec<u8>,
}

#[derive(Clone, Copy)]
enum What {
    Found(ObjectKind),
    Missing,
    Omitted,
}

impl Batch {
    fn push(&mut self, event: Event<'_>) {
        let (id, what, path) = match event {
            Event::Found { id, kind, path } => (id, What::Found(kind), path),
            Event::Missing { id, path } => (id, What::Missing, path),
            Event::Omitted(id) => (id, What::Omitted, BStr::new("")),
        };
        self.paths.extend_from_slice(path);
        self.events.push((id, what, self.paths.len() as u32));
    }

    fn events(&self) -> impl Iterator<Item = Event<'_>> {
        let mut start = 0;
        self.events.iter().map(move |&(id, what, end)| {
            let path = self.paths[start..end as usize].as_bstr();
            start = end as usize;
            match what {
                What::Found(kind) => Event::Found { id, kind, path },
                What::Missing => Event::Missing { id, path },
                What::Omitted => Event::Omitted(id),
            }
        })
    }
}

/// Why the reading thread stopped.
enum Stop {
    /// Nobody listens any more.
    Unheard,
    Source(SourceError),
}

impl From<SourceError> for Stop {
    fn from(error: SourceError) -> Self {
        Stop::Source(error)
    }
}

impl ObjectWalk<'_> {
    /// Tells of trees and all that they hold, as [`ObjectWalk::tree`] does for each in turn.
    ///
    /// # Errors
    /// When a tree is damaged, or what `tell` returns.
    pub fn trees<E: From<SourceError>>(
        &mut self,
        ids: &[ObjectId],
        tell: &mut impl FnMut(Event<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let alone = std::thread::available_parallelism().map_or(true, |threads| threads.get() < 2);
        if alone || ids.len() < MANY || !self.options.filter.is_empty() {
            return ids.iter().try_for_each(|id| self.tree(id, BStr::new(""), false, tell));
        }
        let mut blobs = std::mem::take(&mut self.blobs);
        self.tells_blobs_again = true;
        let result = std::thread::scope(|scope| {
            let (sender, batches) = sync_channel::<Batch>(WAITING);
            let reader = scope.spawn(|| self.read_ahead(ids, sender));
            let mut told = Ok(());
            for batch in &batches {
                told = batch.events().try_for_each(|event| match event {
                    Event::Found { id, kind: ObjectKind::Blob, .. } if !blobs.insert(id) => Ok(()),
                    event => tell(event),
                });
                if told.is_err() {
                    break;
                }
            }
            drop(batches);
            match reader.join() {
                Ok(Err(Stop::Source(error))) => told.and(Err(E::from(error))),
                Ok(Ok(()) | Err(Stop::Unheard)) => told,
                Err(panic) => std::panic::resume_unwind(panic),
            }
        });
        self.tells_blobs_again = false;
        self.blobs = blobs;
        result
    }

    fn read_ahead(&mut self, ids: &[ObjectId], sender: SyncSender<Batch>) -> Result<(), Stop> {
        let mut batch = Batch::default();
        let mut result = Ok(());
        for id in ids {
            result = self.tree(id, BStr::new(""), false, &mut |event| {
                batch.push(event);
                if batch.events.len() < BATCH {
                    return Ok(());
                }
                sender.send(std::mem::take(&mut batch)).map_err(|_| Stop::Unheard)
            });
            if result.is_err() {
                break;
            }
        }
        // What was found before an error is told first.
        let sent = sender.send(batch).map_err(|_| Stop::Unheard);
        result.and(sent)
    }
}
