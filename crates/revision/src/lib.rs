//! Git history: revision names, walks, limits, merge bases.
//!
//! - [`names`] resolves what people call commits and other objects.
//! - [`CommitTable`] holds the commits of a walk, each loaded when it is first needed.
//! - [`Walk`] walks history as [`WalkOptions`] say; [`message`] chooses commits by their text.
//! - [`ReflogWalk`] walks the changes of references instead.
//! - [`describe`] and [`name_rev`] call commits after references.
//! - [`reach`] tells what reaches what, for many commits at once.
//! - [`graph`] draws history beside a log.
//! - [`objects`] lists what commits hold.
//! - [`merge_base`] finds common ancestors; [`patch_id`] tells whether commits make the same change.

mod bisect;
mod commits;
pub mod describe;
mod error;
mod flags;
pub mod graph;
pub mod merge_base;
pub mod message;
pub mod name_rev;
pub mod names;
pub mod objects;
pub mod patch_id;
mod queue;
pub mod reach;
mod reflog_walk;
mod walk;

pub use commits::{CommitTable, GENERATION_INFINITY};
pub use error::Error;
pub use reflog_walk::{LoggedChange, ReflogWalk};
pub use walk::{Bisection, Cherry, Halving, NoWalk, Order, Sides, Tip, Walk, WalkOptions};
