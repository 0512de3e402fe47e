#![allow(clippy::unwrap_used, clippy::expect_used)]
//! History as this crate reads it against what git says of the same repository.

#[path = "oracle/history.rs"]
mod history;
#[path = "oracle/merge_base.rs"]
mod merge_base;
#[path = "oracle/names.rs"]
mod names;
#[path = "oracle/walk.rs"]
mod walk;
