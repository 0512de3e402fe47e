//! Dates: those that people write, read; and every `--date=` form, written.
//!
//! - [`parse`] reads a full date strictly, as `GIT_AUTHOR_DATE` and `commit --date` are first tried.
//! - [`approxidate`] makes the best of any text (`2 weeks ago`, `noon yesterday`), as `--since` and `@{...}` do.
//! - [`parse_expiry`] adds `never` and `all`, as `gc.reflogExpire` and its kin are read.
//! - [`DateFormat`] writes a moment in the forms of git-log's `--date`.
//!
//! What is accepted is told in git's page "Date formats"; what git makes of everything else was found by asking it.
//! The time that is now and the local zone are given by the caller, as a [`Clock`].

mod approx;
mod civil;
mod format;
mod human;
mod numbers;
mod parse;
mod strftime;
mod words;
mod zone;

pub use approx::{Approximate, approxidate, parse_expiry};
pub use format::{DateFormat, DateStyle, UnknownDateFormat};
pub use human::relative;
pub use parse::{Parsed, parse};
pub use zone::LocalZone;

/// What 'now' and 'here' mean to the caller.
#[derive(Debug, Clone, Copy)]
pub struct Clock<'a> {
    /// Seconds since 1970 of the present moment.
    pub now: i64,
    /// The zone that local times are in.
    pub zone: &'a LocalZone,
}

/// The minutes that a zone written `hhmm` is ahead of UTC.
pub fn zone_minutes(hhmm: i32) -> i64 {
    let size = i64::from(hhmm.unsigned_abs());
    let minutes = size / 100 * 60 + size % 100;
    if hhmm < 0 { -minutes } else { minutes }
}

/// The zone `hhmm` that is so many minutes ahead of UTC.
pub fn zone_from_minutes(minutes: i64) -> i32 {
    let size = minutes.unsigned_abs();
    let hhmm = i32::try_from(size / 60 * 100 + size % 60).unwrap_or(i32::MAX);
    if minutes < 0 { -hhmm } else { hhmm }
}
