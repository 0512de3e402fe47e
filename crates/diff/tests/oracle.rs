#![allow(clippy::unwrap_used)] // Tests fail by panicking, their helpers too.
//! Integration tests against git, the oracle.

#[path = "oracle/combined.rs"]
mod combined;
#[path = "oracle/patches.rs"]
mod patches;
#[path = "oracle/trees.rs"]
mod trees;
