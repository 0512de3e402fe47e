//! Differences between files and trees, as git shows them.
//!
//! - [`trees`] compares trees as raw bytes; [`pathspec`] says which paths matter.
//! - [`pair`] holds what was found: [`FilePair`]s, which later stages transform and formats print.
//! - [`lines`] finds the lines in which two files differ.

pub mod lines;
pub mod pair;
pub mod pathspec;
mod tree_cache;
pub mod trees;

pub use pair::{FilePair, MAX_SCORE, Side, Status};
