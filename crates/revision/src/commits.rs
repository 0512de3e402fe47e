//! The commits of a walk: each has a dense position, and its parents, date and tree lie in parallel columns.
//!
//! A commit is first *known* (it has a position and an id), then *loaded*: from the commit-graph when that holds it,
//! else by reading the header lines of the object. Nothing is loaded before it is asked for.

mod header;
mod ids;

use std::sync::Arc;

use adit_object::{CommitsAhead, IdMap, ObjectFormat, ObjectId, ObjectKind, Source, SourceError};
use adit_odb::CommitGraph;
use hashbrown::HashTable;

use header::Header;
pub(crate) use header::author_time;
use ids::IdColumn;

use crate::Error;

/// The generation number of a commit that the commit-graph does not hold: above every number that it does.
pub const GENERATION_INFINITY: u64 = u64::MAX;

const NONE: u32 = u32::MAX;

/// After so many commits were read one by one, more are read ahead. A short walk does not pay for that.
const MANY: u32 = 512;

/// Commits by position. See the module's head for what 'known' and 'loaded' mean.
pub struct CommitTable<'s> {
    source: &'s dyn Source,
    shared: Option<Arc<dyn Source>>,
    graph: Option<&'s CommitGraph>,
    grafts: IdMap<Vec<ObjectId>>,
    ids: IdColumn,
    by_id: HashTable<u32>,
    trees: IdColumn,
    times: Vec<u64>,
    /// Where the parents of each commit lie in `edges`; the first number is [`NONE`] until it is loaded.
    ranges: Vec<(u32, u32)>,
    edges: Vec<u32>,
    /// For each commit its position in the graph, or [`NONE`]; empty without a graph.
    graph_positions: Vec<u32>,
    /// The other way round.
    from_graph: Vec<u32>,
    /// Contents of commits that were read, kept until they are taken.
    contents: Option<IdMap<Box<[u8]>>>,
    buffer: Vec<u8>,
    graph_parents: Vec<u32>,
    /// How many commits were read as objects.
    read: u32,
    ahead: Option<Box<dyn CommitsAhead + 's>>,
}

impl<'s> CommitTable<'s> {
    /// An empty table that loads commits from `graph`, else from `source`.
    pub fn new(source: &'s dyn Source, graph: Option<&'s CommitGraph>) -> Self {
        let format = source.format();
        CommitTable {
            source,
            shared: None,
            graph,
            grafts: IdMap::default(),
            ids: IdColumn::new(format),
            by_id: HashTable::new(),
            trees: IdColumn::new(format),
            times: Vec::new(),
            ranges: Vec::new(),
            edges: Vec::new(),
            graph_positions: Vec::new(),
            from_graph: graph.map_or(Vec::new(), |graph| vec![NONE; graph.len() as usize]),
            contents: None,
            buffer: Vec::new(),
            graph_parents: Vec::new(),
            read: 0,
            ahead: None,
        }
    }

    /// Gives commits other parents than they record: none for a shallow boundary, or those of a graft. The
    /// commit-graph records real parents, so it is not used then.
    pub fn set_grafts(&mut self, grafts: IdMap<Vec<ObjectId>>) {
        if !grafts.is_empty() {
            self.graph = None;
            self.from_graph = Vec::new();
        }
        self.grafts = grafts;
    }

    /// From now on keeps the content of each commit that is read, for [`CommitTable::take_content`]. Worth it for a
    /// caller that shows every commit soon after it was walked.
    pub fn keep_contents(&mut self) {
        self.contents.get_or_insert_default();
    }

    /// The content of a commit, if it was kept: a second read is saved.
    pub fn take_content(&mut self, position: u32) -> Option<Box<[u8]>> {
        let id = self.id(position);
        self.contents.as_mut()?.remove(&id)
    }

    /// Where objects are read from.
    pub fn source(&self) -> &'s dyn Source {
        self.source
    }

    /// From now on reads no commits that were not asked for.
    pub(crate) fn read_alone(&mut self) {
        self.ahead = None;
        self.read = MANY;
    }

    /// Gives the source once more, for threads of walks.
    pub fn share_source(&mut self, source: Arc<dyn Source>) {
        self.shared = Some(source);
    }

    /// The source for a thread, when it was given for that.
    pub(crate) fn shared_source(&self) -> Option<Arc<dyn Source>> {
        self.shared.clone()
    }

    /// The commit-graph, when there is one that may be used.
    pub fn graph(&self) -> Option<&'s CommitGraph> {
        self.graph
    }

    /// Whether generation numbers are there to end walks early.
    pub fn has_generations(&self) -> bool {
        self.graph.is_some_and(|graph| !graph.is_empty() && graph.has_generations())
    }

    /// The hash that names objects here.
    pub fn format(&self) -> ObjectFormat {
        self.source.format()
    }

    /// How many commits are known.
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// Whether no commit is known.
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// The position of a commit that is already known.
    pub fn find(&self, id: &ObjectId) -> Option<u32> {
        self.by_id.find(id.first_u64(), |&at| self.ids.raw(at) == id.as_bytes()).copied()
    }

    /// The position of a commit, which becomes known; nothing is read.
    pub fn intern(&mut self, id: &ObjectId) -> u32 {
        if let Some(position) = self.find(id) {
            return position;
        }
        let graph_position = self.graph.and_then(|graph| graph.find(id));
        self.add(id, graph_position)
    }

    /// Makes the commit at a position of the graph known.
    fn intern_from_graph(&mut self, graph: &CommitGraph, graph_position: u32) -> Result<u32, Error> {
        let known = self.from_graph[graph_position as usize];
        if known != NONE {
            return Ok(known);
        }
        let id = graph
            .id(graph_position)
            .ok_or(Error::Graph(adit_odb::CommitGraphError::Parent(graph_position)))?;
        Ok(self.find(&id).unwrap_or_else(|| self.add(&id, Some(graph_position))))
    }

    fn add(&mut self, id: &ObjectId, graph_position: Option<u32>) -> u32 {
        let position = self.times.len() as u32;
        self.ids.push(id.as_bytes());
        self.trees.push(ObjectId::null(self.format()).as_bytes());
        self.times.push(0);
        self.ranges.push((NONE, 0));
        if self.graph.is_some() {
            self.graph_positions.push(graph_position.unwrap_or(NONE));
            if let Some(at) = graph_position {
                self.from_graph[at as usize] = position;
            }
        }
        let ids = &self.ids;
        self.by_id.insert_unique(id.first_u64(), position, |&at| ids.first_u64(at));
        position
    }

    /// Whether the parents, date and tree of a commit are there.
    pub fn is_loaded(&self, position: u32) -> bool {
        self.ranges[position as usize].0 != NONE
    }

    /// Sees to it that the parents, date and tree of a commit are there. Its parents become known.
    pub fn load(&mut self, position: u32) -> Result<(), Error> {
        if self.is_loaded(position) {
            return Ok(());
        }
        match self.graph_position(position) {
            Some(at) => self.load_from_graph(position, at),
            None => self.load_from_object(position),
        }
    }

    fn load_from_graph(&mut self, position: u32, at: u32) -> Result<(), Error> {
        let Some(graph) = self.graph else { return self.load_from_object(position) };
        let commit = graph.commit(at)?;
        let mut parents = std::mem::take(&mut self.graph_parents);
        parents.clear();
        let found = graph.parents(at, &mut parents);
        let start = self.edges.len();
        if found.is_ok() {
            for &parent in &parents {
                let parent = self.intern_from_graph(graph, parent)?;
                self.edges.push(parent);
            }
        }
        self.graph_parents = parents;
        found?;
        self.times[position as usize] = commit.time;
        self.trees.set(position, commit.tree.as_bytes());
        self.ranges[position as usize] = (start as u32, (self.edges.len() - start) as u32);
        Ok(())
    }

    fn load_from_object(&mut self, position: u32) -> Result<(), Error> {
        let id = self.id(position);
        let mut buffer = std::mem::take(&mut self.buffer);
        let result = self.read_object(position, &id, &mut buffer);
        self.buffer = buffer;
        result
    }

    fn read_object(&mut self, position: u32, id: &ObjectId, buffer: &mut Vec<u8>) -> Result<(), Error> {
        self.read_content(id, buffer)?;
        let format = self.format();
        let header =
            Header::parse(format, buffer).map_err(|error| SourceError::Malformed { id: *id, error })?;
        let start = self.edges.len();
        if let Some(parents) = self.grafts.get(id) {
            for parent in parents.clone() {
                let parent = self.intern(&parent);
                self.edges.push(parent);
            }
        } else {
            for parent in header.parents() {
                let parent = self.intern(&parent);
                self.edges.push(parent);
            }
        }
        self.times[position as usize] = header.commit_time();
        self.trees.set(position, header.tree().as_bytes());
        self.ranges[position as usize] = (start as u32, (self.edges.len() - start) as u32);
        if let Some(contents) = &mut self.contents {
            contents.insert(*id, buffer.as_slice().into());
        }
        Ok(())
    }

    fn read_content(&mut self, id: &ObjectId, buffer: &mut Vec<u8>) -> Result<(), SourceError> {
        if self.ahead.as_mut().is_some_and(|ahead| ahead.take(id, buffer)) {
            return Ok(());
        }
        self.read += 1;
        if self.read == MANY {
            self.ahead = self.source.commits_ahead();
        }
        self.source.read_kind(id, ObjectKind::Commit, buffer)
    }

    /// The id of a commit.
    pub fn id(&self, position: u32) -> ObjectId {
        self.ids.get(position)
    }

    /// The root tree of a loaded commit.
    pub fn tree(&self, position: u32) -> ObjectId {
        self.trees.get(position)
    }

    /// The committer date of a loaded commit in seconds since 1970; 0 when it has none that can be read.
    pub fn time(&self, position: u32) -> u64 {
        self.times[position as usize]
    }

    /// The parents of a commit, as last set; none before it is loaded.
    pub fn parents(&self, position: u32) -> &[u32] {
        match self.ranges[position as usize] {
            (NONE, _) => &[],
            (start, len) => &self.edges[start as usize..(start + len) as usize],
        }
    }

    /// How many parents a commit has, as last set.
    pub fn parent_count(&self, position: u32) -> usize {
        self.parents(position).len()
    }

    /// One parent of a commit, by its place among them.
    pub fn parent(&self, position: u32, nth: usize) -> Option<u32> {
        self.parents(position).get(nth).copied()
    }

    /// Gives a loaded commit other parents, as history simplification does.
    pub fn set_parents(&mut self, position: u32, parents: &[u32]) {
        let (start, len) = self.ranges[position as usize];
        if start != NONE && parents.len() <= len as usize {
            self.edges[start as usize..start as usize + parents.len()].copy_from_slice(parents);
            self.ranges[position as usize].1 = parents.len() as u32;
        } else {
            self.ranges[position as usize] = (self.edges.len() as u32, parents.len() as u32);
            self.edges.extend_from_slice(parents);
        }
    }

    /// The position of a commit in the commit-graph.
    pub fn graph_position(&self, position: u32) -> Option<u32> {
        self.graph_positions.get(position as usize).copied().filter(|&at| at != NONE)
    }

    /// The generation number of a commit: the corrected commit date when the graph has it, else the level, and
    /// [`GENERATION_INFINITY`] for a commit outside the graph.
    pub fn generation(&self, position: u32) -> u64 {
        let found =
            self.graph.zip(self.graph_position(position)).and_then(|(graph, at)| graph.commit(at).ok());
        found.map_or(GENERATION_INFINITY, |commit| commit.corrected_date.unwrap_or(u64::from(commit.level)))
    }

    /// Reads the content of a commit into `out`.
    pub fn read(&self, position: u32, out: &mut Vec<u8>) -> Result<(), SourceError> {
        self.source.read_kind(&self.id(position), ObjectKind::Commit, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use adit_object::Header as ObjectHeader;

    struct Nothing;

    impl Source for Nothing {
        fn format(&self) -> ObjectFormat {
            ObjectFormat::Sha256
        }

        fn try_read(&self, _: &ObjectId, _: &mut Vec<u8>) -> Result<Option<ObjectKind>, SourceError> {
            Ok(None)
        }

        fn try_header(&self, _: &ObjectId) -> Result<Option<ObjectHeader>, SourceError> {
            Ok(None)
        }
    }

    #[test]
    fn positions_are_dense_and_a_missing_commit_is_an_error() {
        let mut table = CommitTable::new(&Nothing, None);
        let ids: Vec<_> =
            (0..200u8).map(|n| ObjectId::from_bytes(ObjectFormat::Sha256, &[n; 32]).unwrap()).collect();
        for (n, id) in ids.iter().enumerate() {
            assert_eq!(table.intern(id), n as u32);
        }
        assert_eq!((table.intern(&ids[7]), table.find(&ids[9]), table.len()), (7, Some(9), 200));
        assert_eq!(table.id(11), ids[11]);
        assert!(matches!(table.load(3), Err(Error::Source(SourceError::Missing(id))) if id == ids[3]));
        assert!(!table.is_loaded(3) && table.parents(3).is_empty());
    }

    #[test]
    fn parents_can_be_replaced_by_fewer_and_by_more() {
        let mut table = CommitTable::new(&Nothing, None);
        for n in 0..5 {
            table.intern(&ObjectId::from_bytes(ObjectFormat::Sha256, &[n; 32]).unwrap());
        }
        table.set_parents(0, &[1, 2]);
        table.set_parents(1, &[3]);
        table.set_parents(0, &[2]);
        table.set_parents(1, &[3, 4, 2]);
        assert_eq!((table.parents(0), table.parents(1)), (&[2][..], &[3, 4, 2][..]));
    }
}
