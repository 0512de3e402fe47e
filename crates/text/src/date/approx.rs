//! The lenient reader: any text is a date, counted from now.
//!
//! Words and numbers are taken one after the other. A number waits for the word after it (`2 weeks`); when that does
//! not want it, it becomes the day, the month or the year, whichever is free. What is not said is as it is now.

use super::Clock;
use super::civil::{Civil, DAY};
use super::numbers::{Fields, Joined, Latest, number};
use super::parse::parse;
use super::words::{MONTHS, WEEKDAYS, abbreviates, letters, position, word};
use super::zone::Season;

/// What the lenient reader made of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Approximate {
    /// Seconds since 1970. A moment before that wraps round, so that it lies after all others, as it does in git.
    pub seconds: u64,
    /// Whether any of the text meant something; if not, the moment is now.
    pub understood: bool,
}

/// Reads any text as a moment.
pub fn approxidate(text: &[u8], clock: Clock<'_>) -> Approximate {
    if let Some(parsed) = parse(text, clock) {
        return Approximate { seconds: parsed.seconds, understood: true };
    }
    let now = clock.zone.civil(clock.now);
    let mut reader = Reader {
        clock,
        now,
        fields: Fields {
            hour: Some(now.hour),
            minute: Some(now.minute),
            second: Some(now.second),
            ..Fields::default()
        },
        weekday: now.weekday(),
        season: clock.zone.season(clock.now),
        day_before: false,
        pending: 0,
        understood: false,
    };
    let mut rest = text;
    while let Some(&byte) = rest.first().filter(|&&byte| byte != 0) {
        let taken = match byte {
            b'0'..=b'9' => {
                reader.settle();
                reader.understood = true;
                reader.digits(rest)
            }
            b'a'..=b'z' | b'A'..=b'Z' => reader.word(rest),
            _ => 1,
        };
        rest = &rest[taken.max(1)..];
    }
    reader.settle();
    let seconds = reader.complete(0);
    Approximate { seconds: seconds as u64, understood: reader.understood }
}

/// Reads the age at which something expires: `never` (or `false`) is 0, `all` (or `now`) the end of time, and
/// other text is as [`approxidate`] has it. `None` when none of it means anything.
pub fn parse_expiry(text: &[u8], clock: Clock<'_>) -> Option<u64> {
    match text {
        b"never" | b"false" => Some(0),
        // Not the present moment: what is made while the command runs expires as well.
        b"all" | b"now" => Some(u64::MAX),
        _ => {
            let Approximate { seconds, understood } = approxidate(text, clock);
            understood.then_some(seconds)
        }
    }
}

struct Reader<'a> {
    clock: Clock<'a>,
    now: Civil,
    fields: Fields,
    /// Of the last moment that was completed; now at first.
    weekday: i64,
    /// Whether that moment was in summer time, which is then taken to hold for others as well.
    season: Season,
    /// A time of day that has not come yet today was asked for: yesterday's is meant, unless a day is said.
    day_before: bool,
    /// The number that waits for a word; 0 is none.
    pending: i64,
    understood: bool,
}

impl Reader<'_> {
    /// Lets the number that waits become a day, a month or a year.
    fn settle(&mut self) {
        let fields = &mut self.fields;
        match std::mem::take(&mut self.pending) {
            0 => {}
            n @ 1..32 if fields.day.is_none() => fields.day = Some(n),
            n @ 1..13 if fields.month.is_none() => fields.month = Some(n),
            n if fields.year.is_none() => {
                fields.year = match n {
                    1970..2100 => Some(n),
                    70..100 => Some(1900 + n),
                    1..38 => Some(2000 + n),
                    _ => None,
                }
            }
            _ => {}
        }
    }

    fn digits(&mut self, text: &[u8]) -> usize {
        if let Some(joined) = Joined::read(text) {
            let latest = Some(Latest::from_now(self.clock));
            if let Some(taken) = joined.apply(text, &mut self.fields, latest) {
                return taken;
            }
        }
        let (value, len) = number(text);
        // A zero may come before a digit ('Dec 02'), but not before more.
        if text[0] != b'0' || len <= 2 {
            // Git counts in 32 bits.
            self.pending = i64::from(value as u32 as i32);
        }
        len
    }

    fn word(&mut self, text: &[u8]) -> usize {
        let (word, taken) = (word(text), letters(text));
        if let Some(month) = position(word, &MONTHS) {
            self.fields.month = Some(month + 1);
            self.understood = true;
        } else if self.special(word) {
            self.understood = true;
        } else if self.pending == 0 {
            if let Some(count) = number_word(word) {
                self.pending = count;
                self.understood = true;
            }
        } else if self.unit(word) {
            self.understood = true;
        }
        taken
    }

    fn special(&mut self, word: &[u8]) -> bool {
        let is = |name: &str| word.eq_ignore_ascii_case(name.as_bytes());
        if is("yesterday") {
            self.pending = 0;
            self.fields.day = None;
            self.complete(DAY);
        } else if is("today") {
            self.today();
        } else if is("now") {
            self.pending = 0;
            self.complete(0);
        } else if is("never") {
            self.pending = 0;
            self.set(0);
        } else if is("noon") {
            self.time_of_day(12);
        } else if is("midnight") {
            self.time_of_day(0);
        } else if is("tea") {
            self.time_of_day(17);
        } else if is("am") {
            self.half_day(0);
        } else if is("pm") {
            self.half_day(12);
        } else {
            return false;
        }
        true
    }

    /// Today begins at midnight, unless a time was said.
    fn today(&mut self) {
        self.pending = 0;
        self.fields.day = None;
        self.day_before = false;
        let Fields { hour, minute, second, .. } = self.fields;
        if (hour, minute, second) == (Some(self.now.hour), Some(self.now.minute), Some(self.now.second)) {
            self.fields.set_time(0, 0, 0);
        }
        self.complete(0);
    }

    fn time_of_day(&mut self, hour: i64) {
        if self.fields.hour.is_some_and(|now| now < hour) {
            self.day_before = true;
        }
        self.fields.set_time(hour, 0, 0);
    }

    fn half_day(&mut self, afternoon: i64) {
        let hour = match std::mem::take(&mut self.pending) {
            0 => self.fields.hour.unwrap_or(0),
            hour => {
                (self.fields.minute, self.fields.second) = (Some(0), Some(0));
                hour
            }
        };
        self.fields.hour = Some(hour % 12 + afternoon);
    }

    /// Goes back by the number that waits, in units of `word`.
    fn unit(&mut self, word: &[u8]) -> bool {
        const UNITS: [(&str, i64); 5] =
            [("seconds", 1), ("minutes", 60), ("hours", 3600), ("days", DAY), ("weeks", 7 * DAY)];
        let is = |name: &str| abbreviates(word, name, name.len() - 1);
        let count = self.pending;
        if let Some((_, seconds)) = UNITS.iter().find(|(name, _)| is(name)) {
            self.complete(count.saturating_mul(*seconds));
        } else if let Some(day) = position(word, &WEEKDAYS) {
            // The last such day is one to seven days ago.
            let last = (self.weekday - day - 1).rem_euclid(7) + 1;
            self.complete((last + (count - 1) * 7) * DAY);
        } else if is("months") {
            self.complete(0);
            let months = self.fields.month.unwrap_or(1) - count - 1;
            self.fields.month = Some(months.rem_euclid(12) + 1);
            self.fields.year = self.fields.year.map(|year| year + months.div_euclid(12));
        } else if is("years") {
            self.complete(0);
            // A count that reaches beyond 1900 is let go.
            self.fields.year =
                self.fields.year.map(|year| if year - 1900 > count { year - count } else { year });
        } else {
            return false;
        }
        self.pending = 0;
        true
    }

    /// Takes what is not said from now, goes `back` so many seconds, and returns the moment.
    fn complete(&mut self, back: i64) -> i64 {
        let mut back = back;
        if self.fields.day.is_none() && self.day_before && back == 0 {
            back = DAY;
        }
        self.day_before = false;
        let now = &self.now;
        let month = self.fields.month.unwrap_or(now.month);
        let civil = Civil {
            year: self.fields.year.unwrap_or(if month > now.month { now.year - 1 } else { now.year }),
            month,
            day: self.fields.day.unwrap_or(now.day),
            hour: self.fields.hour.unwrap_or(now.hour),
            minute: self.fields.minute.unwrap_or(now.minute),
            second: self.fields.second.unwrap_or(now.second),
        };
        let seconds = self.clock.zone.seconds_in_season(&civil, self.season).saturating_sub(back);
        self.set(seconds);
        seconds
    }

    fn set(&mut self, seconds: i64) {
        let civil = self.clock.zone.civil(seconds);
        self.fields = civil.into();
        self.weekday = civil.weekday();
        self.season = self.clock.zone.season(seconds);
    }
}

fn number_word(word: &[u8]) -> Option<i64> {
    const WORDS: [&str; 10] = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    if word.eq_ignore_ascii_case(b"last") {
        return Some(1);
    }
    WORDS
        .iter()
        .zip(1..)
        .find_map(|(name, count)| word.eq_ignore_ascii_case(name.as_bytes()).then_some(count))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::date::{DateFormat, LocalZone};

    /// What `text` means on Sunday, 2009-08-30, at `hour`:20.
    fn on_sunday(hour: i64, text: &str) -> String {
        let zone = LocalZone::utc();
        let clock = Clock { now: 1_251_591_600 + hour * 3600, zone: &zone };
        let mut out = Vec::new();
        let format = DateFormat::parse("iso", false).unwrap();
        format.write(approxidate(text.as_bytes(), clock).seconds, 0, clock, &mut out);
        String::from_utf8(out).unwrap().replace(" +0000", "")
    }

    #[test]
    fn units_and_words() {
        for (text, expected) in [
            ("5.seconds.ago", "2009-08-30 19:19:55"),
            ("12:34:56.3.days.ago", "2009-08-27 12:34:56"),
            ("two weeks ago", "2009-08-16 19:20:00"),
            ("2.years.3.months.ago", "2007-05-30 19:20:00"),
            ("last friday", "2009-08-28 19:20:00"),
            ("2 sundays ago", "2009-08-16 19:20:00"),
            ("tea last saturday", "2009-08-29 17:00:00"),
            ("6pm yesterday", "2009-08-29 18:00:00"),
            ("today", "2009-08-30 00:00:00"),
            ("July 5th", "2009-07-05 19:20:00"),
            ("6AM, June 7, 2009", "2009-06-07 06:00:00"),
            ("06/05/2009", "2009-06-05 19:20:00"),
            ("06.05.2009", "2009-05-06 19:20:00"),
            ("dec 25", "2008-12-25 19:20:00"),
            ("10/11", "2008-11-10 19:20:00"),
            ("nonsense", "2009-08-30 19:20:00"),
            ("never", "1970-01-01 00:00:00"),
        ] {
            assert_eq!(on_sunday(19, text), expected, "{text}");
        }
    }

    #[test]
    fn times_of_day_that_have_not_come_yet_were_yesterday() {
        assert_eq!(on_sunday(7, "noon"), "2009-08-29 12:00:00");
        assert_eq!(on_sunday(7, "noon today"), "2009-08-30 12:00:00");
        assert_eq!(on_sunday(7, "noon yesterday"), "2009-08-29 12:00:00");
        assert_eq!(on_sunday(7, "noon 5 days ago"), "2009-08-25 12:00:00");
        assert_eq!(on_sunday(19, "noon"), "2009-08-30 12:00:00");
    }

    #[test]
    fn expiry() {
        let zone = LocalZone::utc();
        let expiry = |text: &str| parse_expiry(text.as_bytes(), Clock { now: 1_251_660_000, zone: &zone });
        assert_eq!(expiry("never"), Some(0));
        assert_eq!(expiry("all"), Some(u64::MAX));
        assert_eq!(expiry("2 weeks"), Some(1_250_450_400));
        assert_eq!(expiry("friday"), None);
        assert_eq!(expiry(""), None);
    }

    #[test]
    fn large_counts_do_no_harm() {
        for text in
            ["99999999999999999999 weeks", "2147483647 months", "4000000000 fridays", "2147483647 years"]
        {
            on_sunday(19, text);
        }
    }
}
