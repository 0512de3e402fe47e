//! Differences between files and trees, as git shows them.
//!
//! - [`trees`] compares trees as raw bytes; [`pathspec`] says which paths matter.
//! - [`pair`] holds what was found: [`FilePair`]s, which later stages transform and formats print.
//! - [`breaks`] and [`renames`] make other pairs of them; [`contents`] is where they read files from.
//! - [`lines`] finds the lines in which two files differ.
//! - [`formats`] prints pairs, apart from patches.

pub mod breaks;
pub mod contents;
pub mod formats;
pub mod lines;
pub mod pair;
pub mod pathspec;
pub mod renames;
mod similarity;
mod tree_cache;
pub mod trees;

pub use pair::{FilePair, MAX_SCORE, Side, Status};
