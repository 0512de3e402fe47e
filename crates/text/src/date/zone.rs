//! The local time zone, as the value of `TZ` names it.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::civil::Civil;

/// Where the zones of the system are.
const ZONES: &str = "/usr/share/zoneinfo";
/// The zone that the system uses when `TZ` says nothing.
const SYSTEM_ZONE: &str = "/etc/localtime";

/// A time zone with the history of its offsets.
#[derive(Debug, Clone)]
pub struct LocalZone {
    zone: TimeZone,
}

impl LocalZone {
    /// Universal time.
    pub fn utc() -> Self {
        LocalZone { zone: TimeZone::UTC }
    }

    /// The zone for a value of the environment variable `TZ`; `None` (not set) is the zone of the system. The value
    /// is a name such as `Europe/Berlin`, the path of a zone file, or rules such as `EST5EDT`; anything else is
    /// universal time, as the C library has it.
    pub fn from_tz(value: Option<&str>) -> Self {
        let zone = match value {
            None => read_zone(Path::new(SYSTEM_ZONE)),
            Some(value) => {
                let name = value.strip_prefix(':').unwrap_or(value);
                if name.is_empty() {
                    None
                } else {
                    read_zone(&zone_file(name)).or_else(|| TimeZone::posix(name).ok())
                }
            }
        };
        LocalZone { zone: zone.unwrap_or(TimeZone::UTC) }
    }

    /// How many seconds local time is ahead of UTC at a moment.
    pub fn offset_at(&self, seconds: i64) -> i64 {
        i64::from(self.zone.to_offset(timestamp(seconds)).seconds())
    }

    /// The short name of local time at a moment, such as `CEST`.
    pub fn name_at(&self, seconds: i64) -> String {
        self.zone.to_offset_info(timestamp(seconds)).abbreviation().to_owned()
    }

    /// Whether summer time holds at a moment, and the offset then.
    pub(super) fn season(&self, seconds: i64) -> Season {
        let info = self.zone.to_offset_info(timestamp(seconds));
        Season { summer: info.dst().is_dst(), offset: i64::from(info.offset().seconds()) }
    }

    /// Like [`LocalZone::seconds`] for clocks that keep the summer or the winter time of `season` all year round.
    pub(super) fn seconds_in_season(&self, civil: &Civil, season: Season) -> i64 {
        let seconds = self.seconds(civil);
        if self.season(seconds).summer == season.summer { seconds } else { civil.seconds() - season.offset }
    }

    pub(super) fn civil(&self, seconds: i64) -> Civil {
        Civil::from_seconds(seconds.saturating_add(self.offset_at(seconds)))
    }

    /// The moment at which local clocks show `civil`. A time that a change of clocks skips counts by the offset
    /// from before it, and so does one that comes twice.
    pub(super) fn seconds(&self, civil: &Civil) -> i64 {
        let wall = civil.seconds();
        let guess = wall.saturating_sub(self.offset_at(wall));
        // The offset a day earlier is that from before the change, if there is one near.
        let before = wall.saturating_sub(self.offset_at(guess.saturating_sub(super::civil::DAY)));
        let shows = |seconds: i64| seconds.saturating_add(self.offset_at(seconds)) == wall;
        if shows(before) || !shows(guess) { before } else { guess }
    }
}

/// Summer or winter time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Season {
    summer: bool,
    /// Seconds ahead of UTC.
    offset: i64,
}

fn zone_file(name: &str) -> PathBuf {
    Path::new(ZONES).join(name)
}

fn read_zone(path: &Path) -> Option<TimeZone> {
    // A zone file is a few kilobytes; what is much larger is none.
    let size = std::fs::metadata(path).ok().filter(|meta| meta.is_file())?.len();
    if size > 1 << 20 {
        return None;
    }
    TimeZone::tzif("local", &std::fs::read(path).ok()?).ok()
}

/// The moment as jiff holds it; those beyond its range count as its ends, where offsets no longer change.
fn timestamp(seconds: i64) -> Timestamp {
    let seconds = seconds.clamp(Timestamp::MIN.as_second(), Timestamp::MAX.as_second());
    Timestamp::from_second(seconds).unwrap_or(Timestamp::UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_rules_and_nonsense() {
        assert_eq!(LocalZone::from_tz(Some("EST5")).offset_at(0), -5 * 3600);
        assert_eq!(LocalZone::from_tz(Some("EST5EDT,M3.2.0,M11.1.0")).name_at(1_466_000_000), "EDT");
        assert_eq!(LocalZone::from_tz(Some("")).offset_at(0), 0);
        assert_eq!(LocalZone::from_tz(Some("No/Where")).offset_at(0), 0);
        assert_eq!(LocalZone::from_tz(Some("/etc/passwd")).offset_at(0), 0);
    }

    #[test]
    fn clocks_that_change() {
        let zone = LocalZone::from_tz(Some("CET-1CEST,M3.5.0,M10.5.0/3"));
        let civil = |month, day, hour| Civil { year: 2009, month, day, hour, minute: 30, second: 0 };
        assert_eq!(zone.seconds(&civil(7, 1, 12)), 1_246_444_200);
        assert_eq!(zone.seconds(&civil(1, 1, 12)), 1_230_809_400);
        // 02:30 is skipped on the 29th of March, and comes twice on the 25th of October.
        assert_eq!(zone.civil(zone.seconds(&civil(3, 29, 2))).hour, 3);
        assert_eq!(zone.seconds(&civil(10, 25, 2)), 1_256_430_600);
    }
}
