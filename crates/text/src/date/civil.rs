//! Calendar arithmetic in the proleptic Gregorian calendar, without zones.

/// Seconds in a day.
pub(super) const DAY: i64 = 86_400;

/// A date and a time of day. Fields may be out of range until [`Civil::seconds`] puts them right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Civil {
    pub(super) year: i64,
    /// From 1 to 12.
    pub(super) month: i64,
    /// From 1 to 31.
    pub(super) day: i64,
    pub(super) hour: i64,
    pub(super) minute: i64,
    pub(super) second: i64,
}

impl Civil {
    /// The date and time that is `seconds` after 1970 began.
    pub(super) fn from_seconds(seconds: i64) -> Self {
        let (year, month, day) = date_of_day(seconds.div_euclid(DAY));
        let time = seconds.rem_euclid(DAY);
        Civil { year, month, day, hour: time / 3600, minute: time / 60 % 60, second: time % 60 }
    }

    /// Seconds since 1970 began; days, months and times that are out of range carry over.
    pub(super) fn seconds(&self) -> i64 {
        let months = self.month - 1;
        let (year, month) = (self.year.saturating_add(months.div_euclid(12)), months.rem_euclid(12) + 1);
        let days = day_of_date(year, month).saturating_add(self.day - 1);
        let time = self.hour * 3600 + self.minute * 60 + self.second;
        days.saturating_mul(DAY).saturating_add(time)
    }

    /// Days since the year began, from 0.
    pub(super) fn day_of_year(&self) -> i64 {
        day_of_date(self.year, self.month) + self.day - 1 - day_of_date(self.year, 1)
    }

    /// The day of the week, Sunday 0.
    pub(super) fn weekday(&self) -> i64 {
        weekday_of_day(day_of_date(self.year, self.month) + self.day - 1)
    }
}

/// The day of the week of a day counted from 1970-01-01, a Thursday.
pub(super) fn weekday_of_day(day: i64) -> i64 {
    (day + 4).rem_euclid(7)
}

/// The day, counted from 1970-01-01, on which a month begins. Years are counted from March so that the leap day
/// comes last: then the days before month `m` are `(153 m + 2) / 5`.
fn day_of_date(year: i64, month: i64) -> i64 {
    let year = if month <= 2 { year.saturating_sub(1) } else { year };
    let month_from_march = (month + 9) % 12;
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    // 719,468 days lie between 0000-03-01 and 1970-01-01.
    year.saturating_mul(365).saturating_add(leap_days + (153 * month_from_march + 2) / 5 - 719_468)
}

/// Year, month and day of a day counted from 1970-01-01.
fn date_of_day(day: i64) -> (i64, i64, i64) {
    const ERA: i64 = 146_097; // Days in 400 years.
    let day = day.saturating_add(719_468);
    let (era, day) = (day.div_euclid(ERA), day.rem_euclid(ERA));
    let year_of_era = (day - day / 1460 + day / 36_524 - day / (ERA - 1)) / 365;
    let day_of_year = day - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let month = (month_from_march + 2) % 12 + 1;
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    (year, month, day_of_year - (153 * month_from_march + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_dates() {
        let civil = Civil::from_seconds(1_251_660_000);
        assert_eq!(civil, Civil { year: 2009, month: 8, day: 30, hour: 19, minute: 20, second: 0 });
        assert_eq!((civil.weekday(), civil.day_of_year()), (0, 241));
        assert_eq!(Civil::from_seconds(-1).year, 1969);
        let leap = Civil { year: 2000, month: 2, day: 29, hour: 0, minute: 0, second: 0 };
        assert_eq!(leap.seconds(), 951_782_400);
        assert_eq!(Civil { month: 14, ..leap }.seconds(), Civil { year: 2001, day: 29, ..leap }.seconds());
    }

    #[test]
    fn every_day_of_eight_centuries_comes_back() {
        for day in -292_194..292_194 {
            assert_eq!(Civil::from_seconds(day * DAY + 5).seconds(), day * DAY + 5);
        }
    }
}
