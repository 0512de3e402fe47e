//! Moments as `--date=` prints them; the forms are described in git-log under `--date`.

use std::io::Write;

use super::civil::Civil;
use super::words::{MONTHS, WEEKDAYS};
use super::{Clock, human, strftime, zone_from_minutes, zone_minutes};

/// A form that dates are printed in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DateFormat {
    /// What is printed.
    pub style: DateStyle,
    /// In the local zone, not in the one that was recorded.
    pub local: bool,
}

/// What is printed of a date.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum DateStyle {
    /// `Thu Apr 7 22:13:13 2005 +0200`.
    #[default]
    Default,
    /// `2005-04-07 22:13:13 +0200`.
    Iso,
    /// `2005-04-07T22:13:13+02:00`.
    IsoStrict,
    /// `Thu, 7 Apr 2005 22:13:13 +0200`.
    Rfc2822,
    /// `2005-04-07`.
    Short,
    /// `1112911993 +0200`.
    Raw,
    /// `1112911993`.
    Unix,
    /// Only as much as tells the date from now.
    Human,
    /// `2 weeks ago`.
    Relative,
    /// By a pattern of strftime.
    Strftime(String),
}

/// A name that is no date format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown date format {0}")]
pub struct UnknownDateFormat(pub String);

impl DateFormat {
    /// Reads a value of `--date` or `log.date`. `auto:FORMAT` is that format when the output goes to a terminal
    /// (or a pager), else the default.
    pub fn parse(value: &str, to_terminal: bool) -> Result<Self, UnknownDateFormat> {
        let unknown = || UnknownDateFormat(value.to_owned());
        if let Some(format) = value.strip_prefix("auto:") {
            let format = DateFormat::parse(format, to_terminal)?;
            return Ok(if to_terminal { format } else { DateFormat::default() });
        }
        for (prefix, local) in [("format:", false), ("format-local:", true)] {
            if let Some(pattern) = value.strip_prefix(prefix) {
                return Ok(DateFormat { style: DateStyle::Strftime(pattern.to_owned()), local });
            }
        }
        let (name, local) = match value.strip_suffix("-local") {
            Some(name) => (name, true),
            None => (value, false),
        };
        let style = match name {
            "relative" => DateStyle::Relative,
            "iso" | "iso8601" => DateStyle::Iso,
            "iso-strict" | "iso8601-strict" => DateStyle::IsoStrict,
            "rfc" | "rfc2822" => DateStyle::Rfc2822,
            "short" => DateStyle::Short,
            "default" => DateStyle::Default,
            "human" => DateStyle::Human,
            "raw" => DateStyle::Raw,
            "unix" => DateStyle::Unix,
            "local" if !local => return Ok(DateFormat { style: DateStyle::Default, local: true }),
            _ => return Err(unknown()),
        };
        Ok(DateFormat { style, local })
    }

    /// Appends the moment `seconds` after 1970 began, recorded in the zone `zone` (`hhmm`), to `out`.
    pub fn write(&self, seconds: u64, zone: i32, clock: Clock<'_>, out: &mut Vec<u8>) {
        match &self.style {
            DateStyle::Relative => return human::relative(seconds, clock.now, out),
            // The number is printed as it is, whatever a calendar makes of it.
            DateStyle::Unix => return push(out, format_args!("{seconds}")),
            _ => {}
        }
        let Some(moment) = Moment::new(seconds, zone, self.local, clock) else {
            // No calendar has such a date: git prints the first one there is.
            let epoch = Moment { seconds: 0, zone: 0, civil: Civil::from_seconds(0) };
            return epoch.write(&self.style, self.local, clock, out);
        };
        moment.write(&self.style, self.local, clock, out);
    }
}

/// A moment and what clocks show then where it is told.
#[derive(Clone, Copy)]
pub(super) struct Moment {
    pub(super) seconds: i64,
    /// `hhmm`.
    pub(super) zone: i32,
    pub(super) civil: Civil,
}

impl Moment {
    fn new(seconds: u64, zone: i32, local: bool, clock: Clock<'_>) -> Option<Self> {
        /// Years are counted in 32 bits.
        const LAST: i64 = 67_767_976_233_532_799;
        let seconds = i64::try_from(seconds).ok().filter(|&seconds| seconds <= LAST)?;
        if local {
            let offset = clock.zone.offset_at(seconds);
            let civil = Civil::from_seconds(seconds + offset);
            // Git shows local time, but no zone, for years that its reader does not accept.
            let zone = if civil.year < 2100 { zone_from_minutes(offset / 60) } else { 0 };
            return Some(Moment { seconds, zone, civil });
        }
        let shifted = seconds.checked_add(zone_minutes(zone) * 60).filter(|shifted| *shifted >= 0)?;
        Some(Moment { seconds, zone, civil: Civil::from_seconds(shifted) })
    }

    fn write(&self, style: &DateStyle, local: bool, clock: Clock<'_>, out: &mut Vec<u8>) {
        let Civil { year, month, day, hour, minute, second } = self.civil;
        let zone = self.zone;
        match style {
            DateStyle::Raw => push(out, format_args!("{} {zone:+05}", self.seconds)),
            DateStyle::Short => push(out, format_args!("{year:04}-{month:02}-{day:02}")),
            DateStyle::Iso => push(
                out,
                format_args!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} {zone:+05}"),
            ),
            DateStyle::IsoStrict => {
                push(out, format_args!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}"));
                if zone == 0 {
                    out.push(b'Z');
                } else {
                    let sign = if zone < 0 { '-' } else { '+' };
                    push(out, format_args!("{sign}{:02}:{:02}", zone.abs() / 100, zone.abs() % 100));
                }
            }
            DateStyle::Rfc2822 => {
                let (weekday, month) = self.names();
                push(
                    out,
                    format_args!(
                        "{weekday}, {day} {month} {year} {hour:02}:{minute:02}:{second:02} {zone:+05}"
                    ),
                );
            }
            DateStyle::Human => human::human(self, local, clock, out),
            DateStyle::Strftime(pattern) => {
                let name = if local { clock.zone.name_at(self.seconds) } else { String::new() };
                strftime::strftime(pattern, self, &name, out);
            }
            DateStyle::Default | DateStyle::Relative | DateStyle::Unix => {
                let (weekday, month) = self.names();
                push(out, format_args!("{weekday} {month} {day} {hour:02}:{minute:02}:{second:02} {year}"));
                if !local {
                    push(out, format_args!(" {zone:+05}"));
                }
            }
        }
    }

    /// The names of the day and the month in three letters.
    pub(super) fn names(&self) -> (&'static str, &'static str) {
        let short = |names: &[&'static str], index: i64| {
            usize::try_from(index).ok().and_then(|index| names.get(index)).map_or("", |name| &name[..3])
        };
        (short(&WEEKDAYS, self.civil.weekday()), short(&MONTHS, self.civil.month - 1))
    }
}

pub(super) fn push(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    // Writing into a vector does not fail.
    let _ = out.write_fmt(text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::date::LocalZone;

    fn written(format: &str, seconds: u64, zone: i32) -> String {
        let local = LocalZone::from_tz(Some("EST5"));
        let mut out = Vec::new();
        let format = DateFormat::parse(format, false).unwrap();
        format.write(seconds, zone, Clock { now: 1_500_000_000, zone: &local }, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn every_form() {
        for (format, expected) in [
            ("default", "Wed Jun 15 16:13:20 2016 +0200"),
            ("iso", "2016-06-15 16:13:20 +0200"),
            ("iso8601-strict", "2016-06-15T16:13:20+02:00"),
            ("rfc", "Wed, 15 Jun 2016 16:13:20 +0200"),
            ("short", "2016-06-15"),
            ("raw", "1466000000 +0200"),
            ("unix", "1466000000"),
            ("local", "Wed Jun 15 09:13:20 2016"),
            ("iso-local", "2016-06-15 09:13:20 -0500"),
            ("raw-local", "1466000000 -0500"),
            ("format:%a|%e|%-d|%05Y|%j|%V|%U|%I%p|%^b|%Q", "Wed|15|15|02016|167|24|24|04PM|JUN|%Q"),
            ("format:%Z|%z|%s|%%z|%", "|+0200|1466000000|%z|%"),
            ("format-local:%Z %H", "EST 09"),
            ("auto:iso", "Wed Jun 15 16:13:20 2016 +0200"),
        ] {
            assert_eq!(written(format, 1_466_000_000, 200), expected, "{format}");
        }
        assert_eq!(DateFormat::parse("auto:iso", true).unwrap().style, DateStyle::Iso);
        for bad in ["", "normal", "local-local", "raw:"] {
            assert_eq!(DateFormat::parse(bad, false), Err(UnknownDateFormat(bad.into())));
        }
    }

    #[test]
    fn odd_zones_and_times() {
        assert_eq!(written("iso-strict", 0, 0), "1970-01-01T00:00:00Z");
        assert_eq!(written("iso-strict", 1000, -15), "1970-01-01T00:01:40-00:15");
        assert_eq!(written("iso", 1000, 51_800), "1970-01-22T14:16:40 +51800".replace('T', " "));
        assert_eq!(written("iso", u64::MAX, 100), "1970-01-01 00:00:00 +0000");
        assert_eq!(written("unix", u64::MAX, 100), "18446744073709551615");
    }
}
