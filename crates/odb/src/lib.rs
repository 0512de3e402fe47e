//! Git's object store: loose objects, packs, multi-pack-indexes, alternates, commit-graphs.
//!
//! [`Store`] is the way in; it implements [`adit_object::Source`]. [`Pack`] and [`PackIndex`] look at one pack alone.

mod ahead;
mod alternates;
mod bulk;
mod commit_graph;
mod counts;
mod delta_cache;
mod enumerate;
mod fault;
mod id_table;
mod info;
mod kind_cache;
mod loose;
mod loose_write;
mod midx;
mod pack;
mod passing;
mod prefix;
mod promisor;
mod recover;
mod snapshot;
mod spare;
mod store;
mod stream;
mod verify;

pub use alternates::split_alternates;
pub use bulk::{BulkObject, BulkRead};
pub use commit_graph::{BloomKey, BloomSettings, CommitGraph, CommitGraphError, Diagnostic, GraphCommit};
pub use counts::{Counts, Garbage, Misplaced};
pub use enumerate::Order;
pub use fault::Damage;
pub use info::{Info, Want};
pub use loose_write::{LooseOptions, WriteError, hash_from};
pub use pack::index::PackIndex;
pub use pack::{Pack, PackMarks};
pub use store::{Options, Store};
pub use stream::StreamError;
pub use verify::{LonePack, PackedObject};
