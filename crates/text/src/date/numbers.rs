//! The numbers in dates: `2005-04-07`, `22:13:13`, `10/11/2008`; and the fields that they fill.

use super::Clock;
use super::civil::{Civil, DAY};

/// A date as far as it is known. Ranges are checked when fields are set, but not that the month has so many days.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Fields {
    pub(super) year: Option<i64>,
    pub(super) month: Option<i64>,
    pub(super) day: Option<i64>,
    pub(super) hour: Option<i64>,
    pub(super) minute: Option<i64>,
    pub(super) second: Option<i64>,
}

impl Fields {
    pub(super) fn set_time(&mut self, hour: i64, minute: i64, second: i64) -> bool {
        // A leap second is let pass, and so is the midnight that ends a day.
        let valid = (0..=24).contains(&hour) && (0..60).contains(&minute) && (0..=60).contains(&second);
        if valid {
            (self.hour, self.minute, self.second) = (Some(hour), Some(minute), Some(second));
        }
        valid
    }

    /// Sets the date if it is one. Without a year, the year stays as it was. With `latest`, and once the time is
    /// known, it must not lie after that.
    pub(super) fn set_date(
        &mut self,
        year: Option<i64>,
        month: i64,
        day: i64,
        latest: Option<Latest>,
    ) -> bool {
        if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
            return false;
        }
        let full_year = match year {
            None => None,
            Some(year @ 1970..2100) => Some(year),
            Some(year @ 71..100) => Some(1900 + year),
            Some(year @ 0..38) => Some(2000 + year),
            Some(_) => return false,
        };
        if let Some(latest) = latest {
            let year = full_year.unwrap_or(latest.year);
            if let Fields { hour: Some(hour), minute: Some(minute), second: Some(second), .. } = *self
                && (Civil { year, month, day, hour, minute, second }).seconds() > latest.seconds
            {
                return false;
            }
        }
        if full_year.is_some() {
            self.year = full_year;
        }
        (self.month, self.day) = (Some(month), Some(day));
        true
    }

    pub(super) fn has_date(&self) -> bool {
        self.year.is_some() && self.month.is_some() && self.day.is_some()
    }

    pub(super) fn is_empty(&self) -> bool {
        let Fields { year, month, day, hour, minute, second } = self;
        [year, month, day, hour, minute, second].iter().all(|field| field.is_none())
    }
}

impl From<Civil> for Fields {
    fn from(civil: Civil) -> Self {
        Fields {
            year: Some(civil.year),
            month: Some(civil.month),
            day: Some(civil.day),
            hour: Some(civil.hour),
            minute: Some(civil.minute),
            second: Some(civil.second),
        }
    }
}

/// The last moment that a date without a clear order of day and month may mean.
#[derive(Debug, Clone, Copy)]
pub(super) struct Latest {
    year: i64,
    seconds: i64,
}

impl Latest {
    /// Ten days from now.
    pub(super) fn from_now(clock: Clock<'_>) -> Self {
        Latest { year: clock.zone.civil(clock.now).year, seconds: clock.now.saturating_add(10 * DAY) }
    }
}

/// The number at the start of `text`, as large as it can be held, and its length.
pub(super) fn number(text: &[u8]) -> (u64, usize) {
    let len = text.iter().take_while(|b| b.is_ascii_digit()).count();
    let value =
        text[..len].iter().fold(0u64, |n, b| n.saturating_mul(10).saturating_add(u64::from(b - b'0')));
    (value, len)
}

/// A number followed by `:`, `.`, `/` or `-` and another number.
pub(super) struct Joined {
    numbers: [i64; 2],
    third: Option<i64>,
    separator: u8,
    /// The length of all of it.
    pub(super) len: usize,
}

impl Joined {
    /// Reads two or three joined numbers at the start of `text`; the second separator is like the first.
    pub(super) fn read(text: &[u8]) -> Option<Self> {
        let (first, mut len) = number(text);
        let separator = *text.get(len).filter(|b| b":./-".contains(b))?;
        let (second, taken) = number(&text[len + 1..]);
        if taken == 0 {
            return None;
        }
        len += 1 + taken;
        let mut third = None;
        if text.get(len) == Some(&separator) && text.get(len + 1).is_some_and(u8::is_ascii_digit) {
            let (value, taken) = number(&text[len + 1..]);
            third = Some(clamp(value));
            len += 1 + taken;
        }
        Some(Joined { numbers: [clamp(first), clamp(second)], third, separator, len })
    }

    /// Sets the fields that the numbers mean, if they mean any. `text` is what they were read from.
    /// Returns the length that is used up.
    pub(super) fn apply(&self, text: &[u8], fields: &mut Fields, latest: Option<Latest>) -> Option<usize> {
        let [first, second] = self.numbers;
        if self.separator == b':' {
            if !fields.set_time(first, second, self.third.unwrap_or(0)) {
                return None;
            }
            return Some(self.len + fraction_len(&text[self.len..], fields.has_date()));
        }
        self.apply_date(fields, latest).then_some(self.len)
    }

    fn apply_date(&self, fields: &mut Fields, latest: Option<Latest>) -> bool {
        let [first, second] = self.numbers;
        if let Some(third) = self.third.filter(|_| first > 70)
            && (fields.set_date(Some(first), second, third, None)
                || fields.set_date(Some(first), third, second, None))
        {
            return true;
        }
        // Americans put the month first, but not before a dot.
        let (month, day) = if self.separator == b'.' { (second, first) } else { (first, second) };
        fields.set_date(self.third, month, day, latest) || fields.set_date(self.third, day, month, latest)
    }
}

/// The length of a fraction of a second, which only follows a time when the date is known already: else it may be the
/// number of `12:34:56.3.days.ago`.
pub(super) fn fraction_len(text: &[u8], date_known: bool) -> usize {
    if date_known && text.first() == Some(&b'.') {
        let digits = text[1..].iter().take_while(|b| b.is_ascii_digit()).count();
        return if digits > 0 { digits + 1 } else { 0 };
    }
    0
}

fn clamp(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
