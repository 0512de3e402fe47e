#![allow(clippy::unwrap_used)] // Tests fail by panicking, their helpers too.
//! The object store beside git, on small repositories that git made.

#[path = "oracle/ahead.rs"]
mod ahead;
#[path = "oracle/common.rs"]
mod common;
#[path = "oracle/damage.rs"]
mod damage;
#[path = "oracle/lookup.rs"]
mod lookup;
#[path = "oracle/made_pack.rs"]
mod made_pack;
