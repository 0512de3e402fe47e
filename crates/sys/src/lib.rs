//! The operating system and the machine for Adit: the one crate with unsafe code.

mod folder;
mod map;
pub mod zlib;

pub use folder::{EntryType, Folder, SmallFile, read_small_file};
pub use map::Map;
