//! What the diff commands print of file pairs, apart from patches. Each function appends to a buffer and looks at
//! nothing but its arguments, so that many commits can be formatted at once.

mod names;
mod raw;

pub use names::{Ids, Names};
pub use raw::{mode, name_only, name_status, raw};
