//! The operating system for Adit: the one crate with unsafe code.

mod folder;
mod map;

pub use folder::{EntryType, Folder, SmallFile, read_small_file};
pub use map::Map;
