#![allow(clippy::unwrap_used, clippy::disallowed_methods)] // Tests fail by panicking, their helpers too, and seeds come by a variable.
//! The working tree against git. (Nothing here depends on the object format.)

#[path = "oracle/attributes.rs"]
mod attributes;
#[path = "oracle/walk.rs"]
mod walk;
