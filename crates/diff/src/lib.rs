//! Differences between files and trees, as git shows them.
//!
//! - [`pair`] holds what was found: [`FilePair`]s, which later stages transform and formats print.

pub mod pair;

pub use pair::{FilePair, MAX_SCORE, Side, Status};
