//! What the diff commands print of file pairs, apart from patches. Each function appends to a buffer and looks at
//! nothing but its arguments, so that many commits can be formatted at once.

mod dirstat;
mod names;
mod raw;
mod stat;
mod summary;

pub use dirstat::{Damage, DirstatOptions, FileDamage, dirstat};
pub use names::{Ids, Names};
pub use raw::{mode, name_only, name_status, raw};
pub use stat::{Count, FileStat, StatOptions, numstat, shortstat, stat, summary_line};
pub use summary::summary;
