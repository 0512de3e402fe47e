//! The working tree: attributes of paths, the conversion of content that they ask for, and files to be ignored.
//!
//! [`Attributes`] answers what gitattributes files say of a path. Where the files are is the caller's to say: a
//! [`Folders`] reads them from a working tree or from a tree object. [`filters`] convert content between the working
//! tree and the repository. [`Ignore`] tells which files are not to be tracked.
//!
//! ```
//! use adit_diff::pathspec::AttributeState;
//! use adit_worktree::{Attributes, Folders};
//!
//! struct Top;
//! impl Folders for Top {
//!     fn read(&self, folder: &bstr::BStr) -> std::io::Result<Option<Vec<u8>>> {
//!         Ok(folder.is_empty().then(|| b"*.rs diff=rust\n".to_vec()))
//!     }
//! }
//! let attributes = Attributes::new(Box::new(Top), Vec::new(), None);
//! assert_eq!(attributes.state("src/lib.rs".into(), "diff".into()), AttributeState::Value("rust".into()));
//! ```

mod attributes;
pub mod filters;
pub mod ignore;
mod pattern;
pub mod walk;

pub use attributes::{Attributes, AttributesNotice, Folders, Query, is_attribute_name};
pub use filters::Filters;
pub use ignore::Ignore;
