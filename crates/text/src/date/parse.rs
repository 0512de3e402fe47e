//! The strict reader: a text is a date only when it gives one in full.

use super::civil::Civil;
use super::numbers::{Fields, Joined, Latest, fraction_len, number};
use super::words::{MONTHS, WEEKDAYS, abbreviates, letters, position, word, zone_offset};
use super::{Clock, zone_from_minutes, zone_minutes};

/// A date in full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parsed {
    /// Seconds since 1970.
    pub seconds: u64,
    /// The zone as `hhmm` with its sign: the one that was written, else the local one at that moment.
    pub zone: i32,
}

/// The last second that git accepts in a calendar date: 2099-12-31 23:59:59.
const LAST_SECOND: i64 = 4_102_444_799;

/// Reads a date that gives at least a year, a month and a time, or a number of seconds. `None` when it does not.
pub fn parse(text: &[u8], clock: Clock<'_>) -> Option<Parsed> {
    if let Some(parsed) = text.strip_prefix(b"@").and_then(parse_raw) {
        return Some(parsed);
    }
    let mut reader = Reader {
        rest: text,
        latest: Latest::from_now(clock),
        fields: Fields::default(),
        offset: None,
        is_epoch: false,
        expects_time: false,
    };
    reader.read();
    reader.finish(clock)
}

/// Reads `seconds SP (+|-)hhmm`, all of it, as objects hold dates.
fn parse_raw(text: &[u8]) -> Option<Parsed> {
    let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
    let seconds = std::str::from_utf8(&text[..digits]).ok()?.parse().ok()?;
    let [b' ', sign @ (b'+' | b'-'), zone @ ..] = &text[digits..] else { return None };
    let zone = zone.strip_suffix(b"\n").unwrap_or(zone);
    let (value, len) = number(zone);
    if len != 4 || len != zone.len() {
        return None;
    }
    let value = i32::try_from(value).ok()?;
    Some(Parsed { seconds, zone: if *sign == b'-' { -value } else { value } })
}

struct Reader<'a> {
    rest: &'a [u8],
    latest: Latest,
    fields: Fields,
    /// Minutes ahead of UTC.
    offset: Option<i64>,
    /// Seconds since 1970 were given: the fields are in UTC whatever the zone.
    is_epoch: bool,
    /// A `T` came before a digit: the next plain number is a time.
    expects_time: bool,
}

impl Reader<'_> {
    fn read(&mut self) {
        while let Some(&byte) = self.rest.first() {
            let taken = match byte {
                0 | b'\n' => break,
                b'0'..=b'9' => self.digits(),
                b'a'..=b'z' | b'A'..=b'Z' => self.letters(),
                b'+' | b'-' if self.rest.get(1).is_some_and(u8::is_ascii_digit) => self.zone(),
                _ => 1,
            };
            self.rest = &self.rest[taken.max(1)..];
        }
    }

    fn finish(&self, clock: Clock<'_>) -> Option<Parsed> {
        let Fields { year, month, day, hour, minute, second } = self.fields;
        let civil = Civil {
            year: year.filter(|year| (1970..2100).contains(year))?,
            month: month?,
            // A missing day counts as the one before the one before the first.
            day: day.unwrap_or(-1),
            hour: hour?,
            minute: minute?,
            second: second?,
        };
        let wall = civil.seconds();
        let offset = self.offset.unwrap_or_else(|| match self.is_epoch {
            true => clock.zone.offset_at(wall) / 60,
            false => (wall - clock.zone.seconds(&civil)) / 60,
        });
        let seconds = if self.is_epoch { wall } else { wall - offset * 60 };
        let seconds = u64::try_from(seconds).ok().filter(|_| seconds <= LAST_SECOND)?;
        Some(Parsed { seconds, zone: zone_from_minutes(offset) })
    }

    fn letters(&mut self) -> usize {
        let word = word(self.rest);
        if let Some(month) = position(word, &MONTHS) {
            self.fields.month = Some(month + 1);
            return word.len();
        }
        if position(word, &WEEKDAYS).is_some() {
            return word.len();
        }
        if let Some(offset) = zone_offset(word) {
            self.offset.get_or_insert(offset);
            return word.len();
        }
        if abbreviates(word, "am", 2) || abbreviates(word, "pm", 2) {
            let afternoon = if abbreviates(word, "pm", 2) { 12 } else { 0 };
            self.fields.hour = self.fields.hour.map(|hour| hour % 12 + afternoon);
            return word.len();
        }
        let starts_time = self.rest[0] == b'T' && self.rest.get(1).is_some_and(u8::is_ascii_digit);
        if starts_time && self.fields.hour.is_none() {
            self.expects_time = true;
            return 1;
        }
        letters(self.rest)
    }

    fn digits(&mut self) -> usize {
        let (value, len) = number(self.rest);
        if value >= 100_000_000 && self.fields.is_empty() && !self.expects_time {
            let Some(seconds) = i64::try_from(value).ok().filter(|&seconds| seconds <= LAST_SECOND) else {
                return len;
            };
            self.fields = Civil::from_seconds(seconds).into();
            self.is_epoch = true;
            return len;
        }
        if let Some(joined) = Joined::read(self.rest)
            && let Some(taken) = joined.apply(self.rest, &mut self.fields, Some(self.latest))
        {
            return taken;
        }
        let value = i64::try_from(value).unwrap_or(i64::MAX);
        match len {
            8 => {
                self.fields.set_date(Some(value / 10_000), value / 100 % 100, value % 100, None);
                len
            }
            6 => {
                self.fields.set_time(value / 10_000, value / 100 % 100, value % 100);
                // A fraction of a second may follow.
                len + fraction_len(&self.rest[len..], true)
            }
            _ => {
                let time_is_next = std::mem::take(&mut self.expects_time) && self.fields.hour.is_none();
                if !(time_is_next && self.compact_time(value, len)) {
                    self.plain_number(value, len);
                }
                len
            }
        }
    }

    /// Takes the `hh` or `hhmm` that follows a `T`.
    fn compact_time(&mut self, value: i64, len: usize) -> bool {
        match len {
            2 => self.fields.set_time(value, 0, 0),
            4 => self.fields.set_time(value / 100, value % 100, 0),
            _ => false,
        }
    }

    fn plain_number(&mut self, value: i64, len: usize) {
        let fields = &mut self.fields;
        match len {
            4 if value <= 1400 && self.offset.is_none() => {
                self.offset = Some(value / 100 * 60 + value % 100);
            }
            4 if (1901..2100).contains(&value) => fields.year = Some(value),
            1 | 2 if (1..32).contains(&value) && fields.day.is_none() => fields.day = Some(value),
            2 if value < 10 && fields.day.is_some() && fields.year.is_none() => {
                fields.year = Some(2000 + value)
            }
            2 if value >= 70 && fields.year.is_none() => fields.year = Some(1900 + value),
            1 | 2 if (1..13).contains(&value) && fields.month.is_none() => fields.month = Some(value),
            _ => {}
        }
    }

    /// Reads `+hh`, `+hhmm` or `+hh:mm`.
    fn zone(&mut self) -> usize {
        let (value, len) = number(&self.rest[1..]);
        let mut taken = 1 + len;
        let value = i32::try_from(value).unwrap_or(i32::MAX);
        let mut hhmm = match len {
            2 => Some(value.saturating_mul(100)),
            4 => Some(value),
            _ => None,
        };
        if len <= 2 && self.rest.get(taken) == Some(&b':') {
            let (minutes, digits) = number(&self.rest[taken + 1..]);
            taken += 1 + digits;
            hhmm = hhmm.filter(|_| digits == 2).map(|hours| hours + i32::try_from(minutes).unwrap_or(99));
        }
        if let Some(hhmm) = hhmm.filter(|hhmm| hhmm % 100 < 60 && *hhmm < 2400) {
            self.offset = Some(zone_minutes(if self.rest[0] == b'-' { -hhmm } else { hhmm }));
        }
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::date::LocalZone;

    fn parse_in(zone: &str, text: &str) -> Option<(u64, i32)> {
        let zone = LocalZone::from_tz(Some(zone));
        let parsed = parse(text.as_bytes(), Clock { now: 1_251_660_000, zone: &zone })?;
        Some((parsed.seconds, parsed.zone))
    }

    #[test]
    fn forms_of_one_date() {
        for text in [
            "Thu, 7 Apr 2005 22:13:13 +0200",
            "Thu Apr 7 22:13:13 2005 +0200",
            "2005-04-07T22:13:13+02:00",
            "2005-04-07 22:13:13.019 +02",
            "20050407T221313 +0200",
            "2005.04.07 22:13:13 CEST",
            "04/07/2005 10:13:13 pm +0200",
            "7.4.2005 22:13:13 +0200",
            "7/Apr/2005 22:13:13 +0200",
            "1112904793 +0200",
            "@1112904793 +0200",
        ] {
            assert_eq!(parse_in("UTC", text), Some((1_112_904_793, 200)), "{text}");
        }
    }

    #[test]
    fn the_local_zone_is_the_default() {
        assert_eq!(parse_in("EST5", "2008-02-14 20:30:45"), Some((1_203_039_045, -500)));
        assert_eq!(parse_in("EST5", "2008-02-14 20:30:45 Z"), Some((1_203_021_045, 0)));
        assert_eq!(parse_in("UTC", "2008-02-14 20:30:45 -0015"), Some((1_203_021_945, -15)));
        assert_eq!(parse_in("EST5", "1234567890"), Some((1_234_567_890, -500)));
    }

    #[test]
    fn what_is_no_date() {
        for text in [
            "",
            "2008",
            "2008-02-14",
            "20:30",
            "yesterday",
            "@5",
            "99999999",
            "1969-12-31 23:59:59",
            "2100-01-01 00:00:00",
        ] {
            assert_eq!(parse_in("UTC", text), None, "{text}");
        }
        assert_eq!(parse_in("UTC", "@0 +0000"), Some((0, 0)));
        assert_eq!(parse_in("UTC", "1970-01-01 00:00:00 +01"), None);
    }

    #[test]
    fn nonsense_ends_in_nothing() {
        let long = "9".repeat(100);
        for text in
            [&long, "T", "T99", "+", "+:", "1:", "99999999999999999999-99999999999999999999-1", "\u{fc}"]
        {
            assert_eq!(parse_in("UTC", text), None, "{text}");
        }
    }
}
