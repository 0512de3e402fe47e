//! Listing references: which ones, in what order, and what is printed of each (git-for-each-ref).
//!
//! `for-each-ref`, `branch` and `tag` share this. A [`Format`] is compiled from text with `%(atoms)`; a [`Filter`] says
//! which references are listed; [`Sorting`] orders them. [`Listing`] brings them together: it streams when it can, and
//! reads an object only when an atom, a sort key or a filter needs it.

mod atom;
mod contents;
mod filter;
mod format;
mod head;
mod listing;
mod output;
mod request;
mod sort;
mod tracking;
mod value;

pub use atom::{Atom, Rules};
pub use filter::{Filter, Kinds};
pub use format::Format;
pub use head::detached;
pub use listing::{Listing, Row};
pub use output::{Lines, column_mode};
pub use request::{Request, with_default_commit};
pub use sort::{SortKeys, Sorting, compare_versions};
pub use value::{Item, Values};
