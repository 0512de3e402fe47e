//! What commands print in common: commits in every `--pretty` format, decorations, notes, colours.
//!
//! Nothing here looks at the terminal or the environment; commands hand in what they found. Formats are compiled once
//! and can be run from several threads.

pub mod color;
pub mod decorate;
pub mod describe;
pub mod entry;
pub mod fields;
pub mod lookups;
pub mod notes;
pub mod pretty;
pub mod ref_filter;
