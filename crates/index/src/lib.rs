//! Git's index: which files the next commit will hold, and what each looked like when it was last compared.
//!
//! [`Index::read`] maps the file and notes where each entry lies; an [`Entry`] is a view of those bytes. Loading allocates
//! eight bytes for an entry of versions 2 and 3, in one piece. Changes go to a second piece, and [`Index::write`] writes
//! the file that git would write.
//!
//! The format is described in gitformat-index.
//!
//! ```
//! use adit_index::{EntryValue, Index};
//! use adit_object::{ObjectFormat, ObjectId};
//!
//! let mut index = Index::empty(ObjectFormat::Sha1);
//! index.set(b"src/main.rs", &EntryValue::new(0o100644, ObjectId::null(ObjectFormat::Sha1)));
//! assert_eq!(index.entry(0).path(), "src/main.rs");
//! assert_eq!(index.below(b"src/"), 0..1);
//! ```

mod cache_tree;
mod decode;
mod edit;
mod entry;
mod error;
mod index;
mod layout;
mod merge_trees;
mod pool;
mod resolve_undo;
mod split;
mod stat;
mod trees;
mod write;

pub use cache_tree::{CacheTree, CacheTreeNode};
pub use edit::{FolderConflict, Rebuilt};
pub use entry::{Entry, EntryFlags, EntryValue, NewEntry, Stage};
pub use error::Error;
pub use index::{Index, ReadOptions};
pub use layout::Version;
pub use merge_trees::{IsUptodate, MergeError};
pub use resolve_undo::{ResolveUndo, UndoneEntry};
pub use stat::{FileTime, Stat, StatRules};
pub use trees::{TreeEntries, TreeSink, WriteTreeError, index_mode, read_tree};
pub use write::{OffsetTables, WriteOptions};
