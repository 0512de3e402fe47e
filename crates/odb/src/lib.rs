//! Git's object store: loose objects, packs, indexes, commit-graph.

mod commit_graph;

pub use commit_graph::{BloomKey, BloomSettings, CommitGraph, CommitGraphError, Diagnostic, GraphCommit};
