//! One module a command: its option table, and a thin `run`.

pub mod help;
pub mod version;
