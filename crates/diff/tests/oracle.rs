#![allow(clippy::unwrap_used)] // Tests fail by panicking, their helpers too.
//! Integration tests against git, the oracle.

#[path = "oracle/trees.rs"]
mod trees;
