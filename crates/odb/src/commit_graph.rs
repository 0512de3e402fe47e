//! Commit-graph files: parents, dates and generation numbers of commits without reading the commits
//! (gitformat-commit-graph).
//!
//! A [`CommitGraph`] is one file, `info/commit-graph`, or a chain of them under `info/commit-graphs`. Positions count
//! through the chain from its lowest layer. A graph that cannot be used is left out and the reason reported, since
//! everything in it can be read from the objects too; damage inside a graph that was accepted is a
//! [`CommitGraphError`] when it is met.

mod bloom;
mod layer;

use std::io;
use std::path::{Path, PathBuf};

use adit_object::{ObjectFormat, ObjectId};

pub use bloom::{BloomKey, BloomSettings};
use layer::Layer;

/// Something git would say about a graph that is left out or only used in part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Whether it is printed as `error:` rather than `warning:`.
    pub is_error: bool,
    /// What is wrong.
    pub text: String,
}

impl Diagnostic {
    fn error(text: impl Into<String>) -> Self {
        Diagnostic { is_error: true, text: text.into() }
    }

    fn warning(text: impl Into<String>) -> Self {
        Diagnostic { is_error: false, text: text.into() }
    }
}

/// Damage found inside a commit-graph that is in use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommitGraphError {
    /// A parent is given by a position that no layer has.
    #[error("invalid parent position {0}")]
    Parent(u32),
    /// The list of parents of a merge lies outside its chunk.
    #[error("commit-graph extra-edges pointer out of bounds")]
    ExtraEdges,
    /// A generation number points outside the overflow chunk.
    #[error("commit-graph overflow generation data is too small")]
    GenerationOverflow,
    /// A generation number points into an overflow chunk that is not there.
    #[error("commit-graph requires overflow generation data but has none")]
    NoGenerationOverflow,
}

/// What the graph knows of one commit, its parents aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GraphCommit {
    /// The root tree.
    pub tree: ObjectId,
    /// When it was committed, in seconds since 1970 (34 bits are stored).
    pub time: u64,
    /// Generation number version 1: the length of the longest way to a root, counted from 1; 0 when not computed.
    pub level: u32,
    /// Generation number version 2: the corrected commit date, when every layer has it.
    pub corrected_date: Option<u64>,
}

/// The commit-graph of an object folder.
#[derive(Debug)]
pub struct CommitGraph {
    format: ObjectFormat,
    /// Lowest first; each knows how many commits lie below it.
    layers: Vec<Layer>,
    has_corrected_dates: bool,
    len: u32,
}

/// The first position that is not a position: it says 'no parent'.
const NO_PARENT: u32 = 0x7000_0000;
const LAST_EDGE: u32 = 0x8000_0000;

impl CommitGraph {
    /// Opens the graph under `objects_dir`: the single file, else the chain; `None` when there is neither or none can
    /// be used. What git would print about it is appended to `diagnostics`.
    pub fn open(objects_dir: &Path, format: ObjectFormat, diagnostics: &mut Vec<Diagnostic>) -> Option<Self> {
        let info = objects_dir.join("info");
        let layers = match Layer::open(&info.join("commit-graph"), format, diagnostics) {
            Ok(Some(layer)) if layer.base_count() == 0 => vec![layer],
            _ => open_chain(&info.join("commit-graphs"), format, diagnostics),
        };
        let len = layers.last().map(Layer::end)?;
        let has_corrected_dates = layers.iter().all(Layer::has_corrected_dates);
        Some(CommitGraph { format, layers, has_corrected_dates, len })
    }

    /// How many commits it holds.
    pub fn len(&self) -> u32 {
        self.len
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether generation numbers of version 2 can be used.
    pub fn has_corrected_dates(&self) -> bool {
        self.has_corrected_dates
    }

    /// Whether generation numbers of either version were computed when the graph was written.
    pub fn has_generations(&self) -> bool {
        // A writer either numbers all commits of a layer or none; zero means 'not computed'.
        self.layers.iter().all(|layer| layer.len() == 0 || layer.level(0) != 0)
    }

    /// The position of a commit.
    pub fn find(&self, id: &ObjectId) -> Option<u32> {
        self.layers.iter().rev().find_map(|layer| layer.find(id))
    }

    /// The id of the commit at a position; `None` when there is no such position.
    pub fn id(&self, position: u32) -> Option<ObjectId> {
        let (layer, at) = self.locate(position)?;
        ObjectId::from_bytes(self.format, layer.raw_id(at))
    }

    /// What is stored for the commit at a position, its parents aside.
    pub fn commit(&self, position: u32) -> Result<GraphCommit, CommitGraphError> {
        let (layer, at) = self.locate(position).ok_or(CommitGraphError::Parent(position))?;
        let (level, time) = (layer.level(at), layer.time(at));
        let corrected_date = if self.has_corrected_dates {
            let offset = layer.corrected_date_offset(at)?;
            Some(time.checked_add(offset).ok_or(CommitGraphError::GenerationOverflow)?)
        } else {
            None
        };
        let tree =
            ObjectId::from_bytes(self.format, layer.raw_tree(at)).unwrap_or(ObjectId::null(self.format));
        Ok(GraphCommit { tree, time, level, corrected_date })
    }

    /// Appends the positions of a commit's parents to `out`, in order.
    pub fn parents(&self, position: u32, out: &mut Vec<u32>) -> Result<(), CommitGraphError> {
        let (layer, at) = self.locate(position).ok_or(CommitGraphError::Parent(position))?;
        let (first, second) = layer.parent_words(at);
        if first == NO_PARENT {
            return Ok(());
        }
        out.push(self.checked(first)?);
        if second == NO_PARENT {
            return Ok(());
        }
        if second & LAST_EDGE == 0 {
            out.push(self.checked(second)?);
            return Ok(());
        }
        for edge in (second & !LAST_EDGE).. {
            let word = layer.extra_edge(edge).ok_or(CommitGraphError::ExtraEdges)?;
            out.push(self.checked(word & !LAST_EDGE)?);
            if word & LAST_EDGE != 0 {
                break;
            }
        }
        Ok(())
    }

    /// How changed-path filters were made; `None` when there are none that can be used.
    pub fn bloom_settings(&self) -> Option<BloomSettings> {
        self.layers.iter().rev().find_map(Layer::bloom_settings)
    }

    /// Whether a commit may have changed every path of `keys` against its first parent; `None` when it has no
    /// filter made with `settings`.
    pub fn may_have_changed(
        &self,
        position: u32,
        settings: &BloomSettings,
        keys: &[BloomKey],
    ) -> Option<bool> {
        let (layer, at) = self.locate(position)?;
        if layer.bloom_settings() != Some(*settings) {
            return None;
        }
        let filter = layer.bloom_filter(at)?;
        Some(keys.iter().all(|key| key.is_in(filter, settings)))
    }

    fn checked(&self, position: u32) -> Result<u32, CommitGraphError> {
        if position < self.len { Ok(position) } else { Err(CommitGraphError::Parent(position)) }
    }

    /// The layer that holds a position, and the row in it.
    fn locate(&self, position: u32) -> Option<(&Layer, usize)> {
        let layer = match self.layers.as_slice() {
            [only] => only,
            layers => &layers[layers.partition_point(|layer| layer.end() <= position).min(layers.len() - 1)],
        };
        let row = position.checked_sub(layer.first())?;
        (row < layer.len()).then_some((layer, row as usize))
    }
}

/// Opens the layers that `commit-graph-chain` lists, as far up as they fit together.
fn open_chain(dir: &Path, format: ObjectFormat, diagnostics: &mut Vec<Diagnostic>) -> Vec<Layer> {
    let Ok(list) = std::fs::read(dir.join("commit-graph-chain")) else { return Vec::new() };
    if list.len() < format.hex_len() {
        if !list.is_empty() {
            diagnostics.push(Diagnostic::warning("commit-graph chain file too small"));
        }
        return Vec::new();
    }
    let mut layers: Vec<Layer> = Vec::new();
    let mut hashes: Vec<ObjectId> = Vec::new();
    for line in list.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        let Ok(hash) = ObjectId::from_hex(format, line) else {
            let text =
                format!("invalid commit-graph chain: line '{}' not a hash", String::from_utf8_lossy(line));
            diagnostics.push(Diagnostic::warning(text));
            break;
        };
        let path: PathBuf = dir.join(format!("graph-{hash}.graph"));
        let layer = match Layer::open(&path, format, diagnostics) {
            Ok(Some(layer)) => layer,
            Ok(None) => {
                diagnostics.push(Diagnostic::warning("unable to find all commit-graph files"));
                break;
            }
            Err(_) => break,
        };
        match stack(layer, &layers, &hashes) {
            Ok(layer) => layers.push(layer),
            Err(text) => {
                diagnostics.push(Diagnostic::warning(text));
                break;
            }
        }
        hashes.push(hash);
    }
    layers
}

/// Puts a layer on top of those below it, which must be the ones it was written for.
fn stack(mut layer: Layer, below: &[Layer], hashes: &[ObjectId]) -> Result<Layer, &'static str> {
    if layer.base_count() != below.len() && (below.is_empty() || layer.base_count() == 0) {
        return Err("commit-graph has no base graphs chunk");
    }
    if !layer.is_based_on(hashes) {
        return Err("commit-graph chain does not match");
    }
    let first = below.last().map_or(0, Layer::end);
    layer.place(first).ok_or("commit count in base graph too high")?;
    Ok(layer)
}

/// Whether an open failed because nothing is there.
fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
