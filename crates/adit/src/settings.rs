//! Settings that several commands share, read from the configuration when asked for.

use adit_object::ObjectId;
use adit_odb::LooseOptions;
use bstr::{BStr, BString, ByteSlice};

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
                    .filter(|digits| *digits >= MIN_ABBREV)
                    .map(|digits| digits.min(all))
                    .ok_or(OpenError::AbbrevOutOfRange { digits });
            }
        }
        Ok(self.objects()?.auto_abbreviation())
    }

    /// An id, shortened as far as it stays unambiguous here (`core.abbrev`).
    ///
    /// # Errors
    /// When the setting is wrong, or the objects cannot be read.
    pub fn short_id(&self, id: &ObjectId) -> Result<BString, OpenError> {
        let mut text = Vec::new();
        id.append_hex(self.abbreviator(self.abbrev()?)?(id), &mut text);
        Ok(text.into())
    }

    /// Tells for an id how many digits to show: `digits`, or more where that many are ambiguous.
    ///
    /// # Errors
    /// When the objects cannot be opened.
    pub fn abbreviator(
        &self,
        digits: usize,
    ) -> Result<impl Fn(&ObjectId) -> usize + Sync + use<'_>, OpenError> {
        let objects = self.objects()?;
        Ok(move |id: &ObjectId| {
            let all = id.format().hex_len();
            // A store that cannot be read is noticed where content is read.
            if id.is_null() { digits.min(all) } else { objects.abbreviate(id, digits).unwrap_or(all) }
        })
    }

    /// Whether paths are quoted when they hold bytes above 0x7f (`core.quotePath`).
    pub fn quotes_high_bytes(&self) -> bool {
        self.config().bool("core.quotepath").ok().flatten().unwrap_or(true)
    }

    /// How loose objects are written: `core.looseCompression` or `core.compression`, and whether `core.fsync` (or
    /// the older `core.fsyncObjectFiles`) wants them on disk.
    ///
    /// # Errors
    /// When a setting makes no sense.
    pub fn loose_options(&self) -> Result<LooseOptions, OpenError> {
        let config = self.config();
        let level = match config.integer("core.loosecompression")? {
            Some(level) => Some(level),
            None => config.integer("core.compression")?,
        };
        let level = level.map_or(FASTEST_LEVEL, |level| i32::try_from(level).unwrap_or(FASTEST_LEVEL));
        let sync = match config.string("core.fsync")? {
            Some(components) => syncs_loose_objects(components),
            None => config.bool("core.fsyncobjectfiles")?.unwrap_or(false),
        };
        Ok(LooseOptions { level, sync })
    }
}

const FASTEST_LEVEL: i32 = 1;

/// Whether a list such as `committed,-loose-object` names loose objects; by default they are not synced.
fn syncs_loose_objects(components: &BStr) -> bool {
    let mut sync = false;
    for component in components.split_str(",").map(ByteSlice::trim) {
        let (on, name) = component.strip_prefix(b"-").map_or((true, component), |name| (false, name));
        match name {
            b"none" => sync = false,
            b"loose-object" | b"objects" | b"committed" | b"added" | b"all" => sync = on,
            _ => {}
        }
    }
    sync
}
