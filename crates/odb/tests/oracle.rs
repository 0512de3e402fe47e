#![allow(clippy::unwrap_used, clippy::expect_used)] // A test fails by panicking.
//! Adit's object store against git's, in repositories that git made.

#[path = "oracle/commit_graph.rs"]
mod commit_graph;
