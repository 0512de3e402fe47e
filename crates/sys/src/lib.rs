//! The operating system and the machine for Adit: the one crate with unsafe code.

mod broken_pipe;
pub mod cleanup;
pub mod deflate;
mod folder;
mod lock_file;
mod map;
mod os_error;
pub mod sha1;
mod sharing;
pub mod start;
mod temporary;
mod terminal;
mod unwinder;
mod user;
pub mod zlib;

pub use broken_pipe::surviving_broken_pipes;
pub use folder::{EntryType, Folder, SmallFile, open_itself, read_small_file, read_small_file_through};
pub use lock_file::{Durability, LockFile};
pub use map::Map;
pub use os_error::os_error;
pub use sharing::Sharing;
pub use temporary::Temporary;
pub use terminal::terminal_columns;
pub use user::{effective_user_id, full_name, home_of, host_name, login_name};
