//! One module a command: its option table, and a thin `run`.

pub mod for_each_ref;
pub mod help;
pub mod rev_parse;
pub mod version;
