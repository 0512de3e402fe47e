#![allow(clippy::unwrap_used)] // Tests fail by panicking, their helpers too.
//! The command line against git: the same words in the same repository must give the same bytes and the same status.

mod bad_input;
mod diff;
mod hash_object;
mod log;
mod objects;
mod refs;
mod rev_list;

/// The program under test.
const ADIT: &str = env!("CARGO_BIN_EXE_adit");
