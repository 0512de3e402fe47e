//! Settings that several commands share, read from the configuration when asked for.

use crate::{OpenError, Repository};

/// The fewest digits that an abbreviated id may have.
pub const MIN_ABBREV: usize = 4;

impl Repository {
    /// How many digits abbreviated ids have at least (`core.abbrev`); by default as many as tell the number of
    /// objects here apart, and all of them for `no`.
    ///
    /// # Errors
    /// When the setting is no such number, or the objects cannot be counted.
    pub fn abbrev(&self) -> Result<usize, OpenError> {
        let all = self.object_format().hex_len();
        match self.config().string("core.abbrev")? {
            None => {}
            Some(value) if value.eq_ignore_ascii_case(b"auto") => {}
            Some(value) if adit_config::value::boolean_word(value) == Some(false) => return Ok(all),
            Some(_) => {
                let digits = self.config().integer("core.abbrev")?.unwrap_or_default();
                return usize::try_from(digits)
                    .ok()
                    .filter(|digits| (MIN_ABBREV..=all).contains(digits))
                    .ok_or(OpenError::AbbrevOutOfRange { digits });
            }
        }
        Ok(self.objects()?.auto_abbreviation())
    }

    /// Whether paths are quoted when they hold bytes above 0x7f (`core.quotePath`).
    pub fn quotes_high_bytes(&self) -> bool {
        self.config().bool("core.quotepath").ok().flatten().unwrap_or(true)
    }
}
