//! The objects that commits hold: trees and blobs, each once, in the order in which git lists them.
//!
//! A commit's tree comes before what is in it, entries in stored order, folders entered where they stand. Most of a tree
//! is what a tree was that was read before, that of the commit's child or the last one at the same path: that part is
//! passed over without a look at its entries.

mod ahead;
mod filter;
mod kept;

use adit_diff::pathspec::Pathspec;
use adit_object::{EntryKind, IdMap, IdSet, ObjectId, ObjectKind, Shared, Source, SourceError, Tree};
use bstr::{BStr, BString, ByteSlice};

use ahead::ToldLately;
pub use ahead::{Listener, Named};
pub use filter::{BadFilter, Filter};
use kept::{Follower, Kept, KeptTrees};

/// What the walk over objects has come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event<'a> {
    /// An object to list.
    Found {
        /// Its id.
        id: ObjectId,
        /// What it is.
        kind: ObjectKind,
        /// Its path from the root; empty for a root.
        path: &'a BStr,
    },
    /// A tree that is not here.
    Missing {
        /// Its id.
        id: ObjectId,
        /// Its path from the root.
        path: &'a BStr,
    },
    /// An object that the filter leaves out. It may come again.
    Omitted(ObjectId),
}

/// What objects are listed.
#[derive(Debug, Clone, Default)]
pub struct ObjectOptions {
    /// What is left out.
    pub filter: Filter,
    /// Only what matches, and the folders on the way there.
    pub pathspec: Option<Pathspec>,
    /// Tell of omitted objects, for which more must be read.
    pub report_omitted: bool,
}

/// The tree of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Root {
    /// Its id.
    pub id: ObjectId,
    /// A tree that was walked before and has most in common with it, that of a child. It only saves work.
    pub near: Option<ObjectId>,
}

/// Walks trees and remembers what it has seen.
pub struct ObjectWalk<'s> {
    source: &'s dyn Source,
    options: ObjectOptions,
    /// Trees and tags that were dealt with.
    seen: IdSet,
    /// Blobs that were.
    blobs: IdSet,
    /// When it is there, blobs are told of again unless they are among these, and whoever listens sorts them out.
    told_lately: Option<ToldLately>,
    /// The least depth at which each tree was entered, when the filter asks for depths.
    depths: IdMap<u32>,
    kept: KeptTrees,
    /// The next root, if it was read before.
    at_hand: Option<(ObjectId, Shared)>,
    stack: Vec<Frame>,
    path: BString,
}

/// How many entries more than the former one a tree is given room for.
const SPARE_STARTS: usize = 8;

/// A folder that is being read.
struct Frame {
    id: ObjectId,
    tree: Kept,
    /// Where the next entry starts that the former tree at this path had not.
    at: usize,
    former: Follower,
    /// The length of the folder's path without its slash.
    len: usize,
}

/// Whether a walk tells what it comes to, or only remembers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Tell,
    Exclude,
}

impl<'s> ObjectWalk<'s> {
    /// Reads trees from `source`.
    pub fn new(source: &'s dyn Source, options: ObjectOptions) -> Self {
        ObjectWalk {
            source,
            options,
            seen: IdSet::default(),
            blobs: IdSet::default(),
            told_lately: None,
            depths: IdMap::default(),
            kept: KeptTrees::default(),
            at_hand: None,
            stack: Vec::new(),
            path: BString::default(),
        }
    }

    /// Leaves out an object, and when it is a tree all that it holds, as far as it is here. To be called before
    /// anything is told.
    ///
    /// # Errors
    /// When a tree is damaged.
    pub fn exclude(&mut self, id: &ObjectId, kind: ObjectKind) -> Result<(), SourceError> {
        if kind == ObjectKind::Tree {
            let root = Root { id: *id, near: None };
            return self.run(root, Mode::Exclude, &mut |_| Ok::<(), SourceError>(()));
        }
        self.set_of(kind).insert(*id);
        Ok(())
    }

    fn set_of(&mut self, kind: ObjectKind) -> &mut IdSet {
        if kind == ObjectKind::Blob { &mut self.blobs } else { &mut self.seen }
    }

    /// Tells of a tag or blob that was named itself, unless it was seen. The filter counts if `filtered`.
    ///
    /// # Errors
    /// What `tell` returns.
    pub fn single<E: From<SourceError>>(
        &mut self,
        id: &ObjectId,
        kind: ObjectKind,
        path: &BStr,
        filtered: bool,
        tell: &mut impl FnMut(Event<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.set_of(kind).contains(id) {
            return Ok(());
        }
        if filtered && !self.options.filter.shows(self.source, id, kind, 0)? {
            return if self.options.report_omitted { tell(Event::Omitted(*id)) } else { Ok(()) };
        }
        self.set_of(kind).insert(*id);
        tell(Event::Found { id: *id, kind, path })
    }

    /// Tells of a tree and all that it holds, but for what was seen. A tree that was `named` itself is told of whatever
    /// the filter says.
    ///
    /// # Errors
    /// When a tree is damaged, or what `tell` returns.
    pub fn tree<E: From<SourceError>>(
        &mut self,
        id: &ObjectId,
        path: &BStr,
        named: bool,
        tell: &mut impl FnMut(Event<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.path = path.to_owned();
        if named
            && !self.seen.contains(id)
            && !self.options.filter.shows(self.source, id, ObjectKind::Tree, 0)?
        {
            tell(Event::Found { id: *id, kind: ObjectKind::Tree, path })?;
        }
        let result = self.run(Root { id: *id, near: None }, Mode::Tell, tell);
        self.path.clear();
        result
    }

    /// Tells of the tree of a commit and all that it holds, but for what was seen.
    ///
    /// # Errors
    /// When a tree is damaged, or what `tell` returns.
    pub fn root<E: From<SourceError>>(
        &mut self,
        root: Root,
        tell: &mut impl FnMut(Event<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.path.clear();
        self.run(root, Mode::Tell, tell)
    }

    fn run<E: From<SourceError>>(
        &mut self,
        root: Root,
        mode: Mode,
        tell: &mut impl FnMut(Event<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.stack.clear();
        self.enter(&root.id, root.near, mode, tell)?;
        while let Some(frame) = self.stack.last_mut() {
            if frame.at >= frame.tree.bytes.len() {
                self.leave();
                continue;
            }
            let format = self.source.format();
            let mut tree = Tree::new(format, &frame.tree.bytes[frame.at..]);
            let entry = match tree.next() {
                Some(Ok(entry)) => entry,
                Some(Err(error)) => return Err(SourceError::Malformed { id: frame.id, error }.into()),
                None => {
                    self.leave();
                    continue;
                }
            };
            let next = frame.tree.bytes.len() - tree.rest().len();
            let (kind, id) = (entry.kind(), entry.id(format));
            let seen = match kind {
                EntryKind::Tree => self.seen.contains(&id) && !self.depths.contains_key(&id),
                _ => match &self.told_lately {
                    Some(told) => told.contains(&id),
                    None => self.blobs.contains(&id),
                },
            };
            let passes = kind == EntryKind::Gitlink || seen;
            let len = frame.len;
            let mut base = len;
            if !passes {
                self.path.truncate(len);
                if len > 0 {
                    self.path.push(b'/');
                }
                base = self.path.len();
                self.path.extend_from_slice(entry.name);
            }
            let near = match kind {
                EntryKind::Tree if !passes => frame.former.former_id(format),
                _ => None,
            };
            frame.tree.starts.push(frame.at as u32);
            frame.at = frame.former.pass_over(&mut frame.tree, next);
            if passes {
                continue;
            }
            let matters = mode == Mode::Exclude
                || self.options.pathspec.as_ref().is_none_or(|pathspec| {
                    pathspec.interest(self.path.as_bstr(), base, kind, true).is_some()
                });
            if !matters {
                continue;
            }
            if kind == EntryKind::Tree {
                self.enter(&id, near, mode, tell)?;
            } else {
                self.blob(&id, mode, tell)?;
            }
        }
        Ok(())
    }

    fn blob<E: From<SourceError>>(
        &mut self,
        id: &ObjectId,
        mode: Mode,
        tell: &mut impl FnMut(Event<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        if mode == Mode::Exclude {
            self.blobs.insert(*id);
            return Ok(());
        }
        let depth = self.stack.len() as u32;
        if self.options.filter.shows(self.source, id, ObjectKind::Blob, depth)? {
            match &mut self.told_lately {
                Some(told) => told.insert(*id),
                None => {
                    self.blobs.insert(*id);
                }
            }
            return tell(Event::Found { id: *id, kind: ObjectKind::Blob, path: self.path.as_bstr() });
        }
        if self.options.report_omitted { tell(Event::Omitted(*id)) } else { Ok(()) }
    }

    /// Comes to a tree whose path is in `self.path`: tells of it and starts to read it.
    fn enter<E: From<SourceError>>(
        &mut self,
        id: &ObjectId,
        near: Option<ObjectId>,
        mode: Mode,
        tell: &mut impl FnMut(Event<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let depth = self.stack.len() as u32;
        let is_new = self.seen.insert(*id);
        if mode == Mode::Tell && self.options.filter.asks_for_depth() {
            let entered = self.depths.get(id).copied();
            // An excluded tree has no depth.
            if entered.is_some_and(|least| least <= depth) || (entered.is_none() && !is_new) {
                return Ok(());
            }
            self.depths.insert(*id, depth);
            // Git tells of a tree again when it is found less deep, unless filters are combined.
            let filter = &self.options.filter;
            let told = match entered.filter(|_| filter.is_combined()) {
                Some(at) => filter.shows(self.source, id, ObjectKind::Tree, at)?,
                None => false,
            };
            if !told {
                self.tell_tree(id, depth, tell)?;
            }
        } else if !is_new {
            return Ok(());
        } else if mode == Mode::Tell {
            self.tell_tree(id, depth, tell)?;
        }
        let descends =
            mode == Mode::Exclude || self.options.report_omitted || self.options.filter.descends(depth);
        if !descends {
            return Ok(());
        }
        self.open(id, near, mode, tell)
    }

    fn tell_tree<E: From<SourceError>>(
        &mut self,
        id: &ObjectId,
        depth: u32,
        tell: &mut impl FnMut(Event<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.options.filter.shows(self.source, id, ObjectKind::Tree, depth)? {
            return tell(Event::Found { id: *id, kind: ObjectKind::Tree, path: self.path.as_bstr() });
        }
        if self.options.report_omitted { tell(Event::Omitted(*id)) } else { Ok(()) }
    }

    /// Reads a tree and finds out which part of it is new since the one near it.
    fn open<E: From<SourceError>>(
        &mut self,
        id: &ObjectId,
        near: Option<ObjectId>,
        mode: Mode,
        tell: &mut impl FnMut(Event<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let at_hand = self.at_hand.take().filter(|(root, _)| root == id);
        let read = match at_hand {
            Some((_, bytes)) => Some((ObjectKind::Tree, bytes)),
            None => self.source.try_share(id)?,
        };
        let bytes = match read {
            Some((ObjectKind::Tree, bytes)) => bytes,
            Some((actual, _)) => {
                return Err(SourceError::WrongKind { id: *id, expected: ObjectKind::Tree, actual }.into());
            }
            None if mode == Mode::Exclude => return Ok(()),
            None => return tell(Event::Missing { id: *id, path: self.path.as_bstr() }),
        };
        let former = self.kept.find(near, self.path.as_bstr());
        let mut starts = self.kept.starts();
        starts.reserve(former.as_ref().map_or(0, |former| former.starts.len() + SPARE_STARTS));
        let mut tree = Kept { bytes, starts };
        let mut former = Follower::new(former);
        let at = former.pass_over(&mut tree, 0);
        self.stack.push(Frame { id: *id, tree, at, former, len: self.path.len() });
        Ok(())
    }

    /// Ends a folder and keeps its tree for others that are like it.
    fn leave(&mut self) {
        let Some(frame) = self.stack.pop() else { return };
        self.path.truncate(frame.len);
        self.kept.keep(frame.id, self.path.as_bstr(), frame.tree);
    }
}
