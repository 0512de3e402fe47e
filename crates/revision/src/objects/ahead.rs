//! Many trees at once: one thread reads the trees of commits, one walks them and reads those inside, and the caller's
//! lists commits and sorts what the walk comes to.

use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::{Scope, ScopedJoinHandle};

use adit_object::{IdSet, ObjectId, ObjectKind, Shared, Source, SourceError};
use bstr::{BStr, ByteSlice};

use super::{Event, ObjectWalk, Root};

/// Fewer trees than this are not worth a thread.
const MANY: usize = 512;
/// Events that are handed over at once.
const BATCH: usize = 2048;
/// Batches that may wait.
const WAITING: usize = 64;
/// Root trees that are handed over at once.
const ROOTS: usize = 16;
/// As many as that may wait so often.
const ROOTS_WAITING: usize = 2;

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

/// Blobs that the reading thread told of not long ago: few enough to stay near the processor.
pub(super) struct ToldLately(Box<[Option<ObjectId>]>);

impl ToldLately {
    const SLOTS: usize = 1 << 13;

    fn new() -> Self {
        ToldLately(vec![None; Self::SLOTS].into())
    }

    fn slot(id: &ObjectId) -> usize {
        id.first_u64() as usize % Self::SLOTS
    }

    pub(super) fn contains(&self, id: &ObjectId) -> bool {
        self.0[Self::slot(id)] == Some(*id)
    }

    /// Remembers a blob, and forgets the one that was in its slot.
    pub(super) fn insert(&mut self, id: ObjectId) {
        self.0[Self::slot(&id)] = Some(id);
    }
}

/// The tree of a commit and its content, if it could be read.
type ReadRoot = (Root, Option<Shared>);

/// An object that was named itself.
#[derive(Debug, Clone, Copy)]
pub struct Named<'a> {
    /// Its id.
    pub id: ObjectId,
    /// What it is: no commit.
    pub kind: ObjectKind,
    /// The name of a tag, or the path of a tree or blob.
    pub path: &'a BStr,
    /// Whether it is told of only if the filter lets it pass.
    pub filtered: bool,
}

/// Who says which commits there are and hears of the objects that they hold.
pub trait Listener {
    /// What can go wrong.
    type Error: From<SourceError>;

    /// Hands over the trees of all commits in order. Nothing is told before that ends.
    ///
    /// # Errors
    /// What ends the list.
    fn commits(&mut self, add: &mut dyn FnMut(Root)) -> Result<(), Self::Error>;

    /// Hears of an object.
    ///
    /// # Errors
    /// What ends the list.
    fn tell(&mut self, event: Event<'_>) -> Result<(), Self::Error>;
}

impl ObjectWalk<'_> {
    /// Tells of an object that was named itself and what it holds.
    ///
    /// # Errors
    /// When a tree is damaged, or what `tell` returns.
    pub fn named<E: From<SourceError>>(
        &mut self,
        named: &Named<'_>,
        tell: &mut impl FnMut(Event<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        match named.kind {
            ObjectKind::Tree => self.tree(&named.id, named.path, !named.filtered, tell),
            kind => self.single(&named.id, kind, named.path, named.filtered, tell),
        }
    }

    /// Tells of what was named, then of the trees of commits and all that they hold. When there are many, they are read
    /// while the commits are still coming.
    ///
    /// # Errors
    /// When a tree is damaged, or what the listener returns.
    pub fn list<L: Listener>(&mut self, named: &[Named<'_>], listener: &mut L) -> Result<(), L::Error> {
        let alone = std::thread::available_parallelism().map_or(true, |threads| threads.get() < 2);
        if alone || !self.options.filter.is_empty() {
            let mut roots = Vec::new();
            listener.commits(&mut |root| roots.push(root))?;
            let tell = &mut |event: Event<'_>| listener.tell(event);
            named.iter().try_for_each(|named| self.named(named, tell))?;
            return roots.into_iter().try_for_each(|root| self.root(root, tell));
        }
        // What was named comes first, but the commits are told before it.
        let mut first = Batch::default();
        let gathered = named.iter().try_for_each(|named| {
            self.named(named, &mut |event| {
                first.push(event);
                Ok::<(), SourceError>(())
            })
        });
        if let Err(error) = gathered {
            listener.commits(&mut |_| {})?;
            first.events().try_for_each(|event| listener.tell(event))?;
            return Err(error.into());
        }
        let blobs = std::mem::take(&mut self.blobs);
        self.told_lately = Some(ToldLately::new());
        let mut sorter = Sorter { first, blobs, listener };
        let result = std::thread::scope(|scope| sorter.run(scope, self));
        self.told_lately = None;
        self.blobs = sorter.blobs;
        result
    }

    fn read_ahead(
        &mut self,
        roots: impl IntoIterator<Item = ReadRoot>,
        sender: &SyncSender<Batch>,
    ) -> Result<(), Stop> {
        let mut batch = Batch::default();
        let mut result = Ok(());
        for (root, tree) in roots {
            self.at_hand = tree.map(|tree| (root.id, tree));
            result = self.root(root, &mut |event| {
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

/// Reads the trees of commits. What cannot be read is left to the walk, which tells why.
fn read_roots(source: &dyn Source, roots: Receiver<Root>, ready: &SyncSender<Vec<ReadRoot>>) {
    let mut roots = roots.into_iter();
    loop {
        let read = |root: Root| match source.try_share(&root.id) {
            Ok(Some((ObjectKind::Tree, tree))) => (root, Some(tree)),
            _ => (root, None),
        };
        let some: Vec<ReadRoot> = roots.by_ref().take(ROOTS).map(read).collect();
        if some.is_empty() || ready.send(some).is_err() {
            return;
        }
    }
}

/// Tells each blob once, whatever the reading thread tells again.
struct Sorter<'l, L> {
    /// What is told first.
    first: Batch,
    blobs: IdSet,
    listener: &'l mut L,
}

impl<L: Listener> Sorter<'_, L> {
    fn run<'scope, 'w>(
        &mut self,
        scope: &'scope Scope<'scope, '_>,
        walk: &'scope mut ObjectWalk<'w>,
    ) -> Result<(), L::Error> {
        let (sender, batches) = sync_channel::<Batch>(WAITING);
        let (add, roots) = channel::<Root>();
        let mut waiting = Some((walk, roots, sender));
        let mut reader = None;
        let mut few = Vec::new();
        let mut count = 0;
        self.listener.commits(&mut |root| {
            count += 1;
            // Nobody hears it when the thread has failed, which is found out later.
            let _ = add.send(root);
            if count == MANY
                && let Some((walk, roots, sender)) = waiting.take()
            {
                let (ready, trees) = sync_channel(ROOTS_WAITING);
                let source = walk.source;
                scope.spawn(move || read_roots(source, roots, &ready));
                reader = Some(scope.spawn(move || walk.read_ahead(trees.into_iter().flatten(), &sender)));
            }
        })?;
        drop(add);
        let first = std::mem::take(&mut self.first);
        first.events().try_for_each(|event| self.listener.tell(event))?;
        if let Some((walk, roots, sender)) = waiting {
            drop(sender);
            few.extend(roots);
            return few.into_iter().try_for_each(|root| walk.root(root, &mut |event| self.tell(event)));
        }
        let mut told = Ok(());
        for batch in &batches {
            told = batch.events().try_for_each(|event| self.tell(event));
            if told.is_err() {
                break;
            }
        }
        drop(batches);
        match reader.map(ScopedJoinHandle::join) {
            Some(Ok(Err(Stop::Source(error)))) => told.and(Err(error.into())),
            Some(Err(panic)) => std::panic::resume_unwind(panic),
            Some(Ok(Ok(()) | Err(Stop::Unheard))) | None => told,
        }
    }

    fn tell(&mut self, event: Event<'_>) -> Result<(), L::Error> {
        match event {
            Event::Found { id, kind: ObjectKind::Blob, .. } if !self.blobs.insert(id) => Ok(()),
            event => self.listener.tell(event),
        }
    }
}
