//! Text as git reads and writes it: quoting, globs, dates, encodings, display width.
//!
//! - [`quote`] puts paths and words into quotes (C style, shell, Perl, Python, Tcl) and takes C-style quotes off.
//! - [`mod@wildmatch`] is the one glob matcher.
//! - [`date`] reads the dates that people write and prints them in every `--date=` form.
//! - [`encoding`] converts between the character encodings that messages are written in.
//! - [`width`] counts terminal columns; [`mod@column`] lays cells out in them; [`color`] reads colour settings.
//! - [`stripspace`] cleans up messages; [`trailers`] finds the `Key: value` lines at their end; [`wrap`] wraps them,
//!   and [`mail`] makes mail headers of their subjects.
//! - [`posix_regex`] compiles basic and extended regular expressions.
//!
//! Nothing here reads files, the environment or the clock: time, zone and settings are arguments.

pub mod color;
pub mod column;
pub mod date;
pub mod encoding;
pub mod mail;
pub mod path;
pub mod pkt_line;
pub mod posix_regex;
pub mod quote;
pub mod stripspace;
pub mod trailers;
pub mod width;
pub mod wildmatch;
pub mod wrap;

pub use wildmatch::wildmatch;
