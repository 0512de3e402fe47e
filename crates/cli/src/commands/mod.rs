//! One module a command: its option table, and a thin `run`.

pub mod help;
pub mod rev_parse;
pub mod version;
