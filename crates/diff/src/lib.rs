//! Differences between files and trees, as git shows them.
//!
//! - [`trees`] compares trees as raw bytes; [`pathspec`] says which paths matter.
//! - [`pair`] holds what was found: [`FilePair`]s, which later stages transform and formats print.
//! - [`diffcore`] is the chain of these stages: [`breaks`], [`renames`], [`pickaxe`], [`order`], [`filter`];
//!   [`contents`] is where they read files from.
//! - [`formats`] prints pairs, apart from patches; [`palette`] holds the colours.
//! - [`show`] prints all the formats that were asked for, in order.
//! - [`lines`] finds the lines in which two files differ; [`patch`] shows them, with the help of [`userdiff`] drivers.
//! - [`programs`] is how the crates above run the programs that drivers name.
//! - [`combined`] shows what a merge made of a file.

pub mod breaks;
pub mod combined;
pub mod contents;
pub mod diffcore;
pub mod filter;
pub mod formats;
pub mod lines;
pub mod order;
pub mod pair;
pub mod palette;
pub mod patch;
pub mod pathspec;
pub mod pickaxe;
pub mod programs;
pub mod renames;
pub mod show;
mod similarity;
mod tree_cache;
pub mod trees;
pub mod userdiff;
pub mod whitespace;

pub use diffcore::{Diffcore, Error};
pub use pair::{FilePair, MAX_SCORE, Side, Status};
pub use palette::Palette;
