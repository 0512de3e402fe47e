//! Dates as people say them: `2 weeks ago`, `Tue 19:20`.

use super::Clock;
use super::civil::Civil;
use super::format::{Moment, push};
use super::zone_from_minutes;

/// Appends how long before `now` the moment was, in words.
pub fn relative(seconds: u64, now: i64, out: &mut Vec<u8>) {
    let Some(age) = u64::try_from(now).ok().and_then(|now| now.checked_sub(seconds)) else {
        return out.extend_from_slice(b"in the future");
    };
    // Each unit is rounded to the nearest, and used until the next one is a good measure.
    let minutes = (age + 30) / 60;
    let hours = (minutes + 30) / 60;
    let days = (hours + 12) / 24;
    if age < 90 {
        ago(out, age, "second");
    } else if minutes < 90 {
        ago(out, minutes, "minute");
    } else if hours < 36 {
        ago(out, hours, "hour");
    } else if days < 14 {
        ago(out, days, "day");
    } else if days < 70 {
        ago(out, (days + 3) / 7, "week");
    } else if days < 365 {
        ago(out, (days + 15) / 30, "month");
    } else if days < 5 * 365 {
        let months = (days * 12 * 2 + 365) / (365 * 2);
        let (years, months) = (months / 12, months % 12);
        if months == 0 {
            ago(out, years, "year");
        } else {
            push(out, format_args!("{years} year{}, ", plural(years)));
            ago(out, months, "month");
        }
    } else {
        ago(out, (days + 183) / 365, "year");
    }
}

fn ago(out: &mut Vec<u8>, count: u64, unit: &str) {
    push(out, format_args!("{count} {unit}{} ago", plural(count)));
}

fn plural(count: u64) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// Appends as much of the date as tells it from now: the age if it is today, the weekday for the last days, no year
/// this year and no time in others. `local`: all times are local, and need no zone.
pub(super) fn human(moment: &Moment, local: bool, clock: Clock<'_>, out: &mut Vec<u8>) {
    let local_offset = clock.zone.offset_at(clock.now);
    let now = Civil::from_seconds(clock.now.saturating_add(local_offset));
    let Civil { year, month, day, hour, minute, .. } = moment.civil;
    let this_year = year == now.year;
    let this_month = this_year && month == now.month && day <= now.day;
    if this_month && day == now.day {
        return relative(moment.seconds.unsigned_abs(), clock.now, out);
    }
    let lately = this_month && day + 5 > now.day;
    let (weekday_name, month_name) = moment.names();
    let mut parts: Vec<String> = Vec::new();
    if this_year {
        parts.push(weekday_name.to_owned());
    }
    if !lately {
        parts.push(format!("{month_name} {day}"));
    }
    if this_year {
        parts.push(format!("{hour:02}:{minute:02}"));
    } else {
        parts.push(year.to_string());
    }
    // The zone only matters where the day is told from now.
    if lately && !local && moment.zone != zone_from_minutes(local_offset / 60) {
        parts.push(format!("{:+05}", moment.zone));
    }
    out.extend_from_slice(parts.join(" ").as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::date::{DateFormat, LocalZone};

    const NOW: u64 = 1_251_660_000;

    fn written(format: &str, age: u64, zone: i32) -> String {
        let local = LocalZone::utc();
        let clock = Clock { now: NOW as i64, zone: &local };
        let mut out = Vec::new();
        DateFormat::parse(format, false).unwrap().write(NOW - age, zone, clock, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn ages() {
        for (age, expected) in [
            (1, "1 second ago"),
            (89, "89 seconds ago"),
            (90, "2 minutes ago"),
            (18_000, "5 hours ago"),
            (432_000, "5 days ago"),
            (1_728_000, "3 weeks ago"),
            (13_000_000, "5 months ago"),
            (37_500_000, "1 year, 2 months ago"),
            (62_985_600, "2 years ago"),
            (630_000_000, "20 years ago"),
        ] {
            assert_eq!(written("relative", age, 0), expected);
        }
        let mut out = Vec::new();
        relative(NOW + 1, NOW as i64, &mut out);
        assert_eq!(out, b"in the future");
    }

    #[test]
    fn human_dates() {
        assert_eq!(written("human", 18_000, 0), "5 hours ago");
        assert_eq!(written("human", 172_800, 530), "Sat 00:50 +0530");
        assert_eq!(written("human-local", 172_800, 530), "Fri 19:20");
        assert_eq!(written("human", 432_000, -700), "Tue Aug 25 12:20");
        assert_eq!(written("human", 31_449_600, 0), "Aug 31 2008");
    }
}
