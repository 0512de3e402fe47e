#![allow(clippy::unwrap_used, clippy::expect_used)]
//! History as this crate reads it against what git says of the same repository.

#[path = "oracle/names.rs"]
mod names;
