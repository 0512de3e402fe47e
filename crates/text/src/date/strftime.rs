//! The patterns of `--date=format:`, as strftime(3) of the GNU C library has them in the C locale.

use super::civil::{Civil, DAY};
use super::format::{Moment, push};
use super::words::{MONTHS, WEEKDAYS};

/// Appends `moment` by `pattern`; `zone_name` is what `%Z` stands for.
pub(super) fn strftime(pattern: &str, moment: &Moment, zone_name: &str, out: &mut Vec<u8>) {
    let mut rest = pattern;
    while let Some(at) = rest.find('%') {
        out.extend_from_slice(&rest.as_bytes()[..at]);
        rest = &rest[at..];
        match Field::read(rest) {
            Some((field, len)) => {
                field.write(moment, zone_name, out);
                rest = &rest[len..];
            }
            None => {
                out.push(b'%');
                rest = &rest[1..];
            }
        }
    }
    out.extend_from_slice(rest.as_bytes());
}

/// A conversion: `%`, flags, a width, `E` or `O`, and a letter.
struct Field {
    pad: Option<char>,
    upper: bool,
    swap_case: bool,
    width: usize,
    letter: char,
}

impl Field {
    fn read(text: &str) -> Option<(Self, usize)> {
        let mut chars = text.char_indices().skip(1).peekable();
        let mut field = Field { pad: None, upper: false, swap_case: false, width: 0, letter: '%' };
        while let Some(&(_, flag)) = chars.peek() {
            match flag {
                '_' | '-' | '0' => field.pad = Some(flag),
                '^' => field.upper = true,
                '#' => field.swap_case = true,
                _ => break,
            }
            chars.next();
        }
        while let Some(digit) = chars.peek().and_then(|(_, c)| c.to_digit(10)) {
            field.width = (field.width * 10 + digit as usize).min(1024);
            chars.next();
        }
        if matches!(chars.peek(), Some((_, 'E' | 'O'))) {
            chars.next();
        }
        let (at, letter) = chars.next()?;
        field.letter = letter;
        "aAbBcCdDeFgGhHIjklmMnpPrRsStTuUVwWxXyYzZ%".contains(letter).then_some((field, at + 1))
    }

    fn write(&self, moment: &Moment, zone_name: &str, out: &mut Vec<u8>) {
        let start = out.len();
        self.write_value(moment, zone_name, out);
        if self.upper {
            out[start..].make_ascii_uppercase();
        }
        if self.swap_case {
            // Names go to upper case, and what is upper case (am and pm, zones) to lower.
            match self.letter {
                'p' | 'Z' => out[start..].make_ascii_lowercase(),
                _ => out[start..].make_ascii_uppercase(),
            }
        }
        let missing = self.width.saturating_sub(out.len() - start);
        let fill = if self.pad == Some('0') { b'0' } else { b' ' };
        out.splice(start..start, std::iter::repeat_n(fill, missing));
    }

    /// A number with its usual padding, unless flags or a width say otherwise.
    fn number(&self, value: i64, width: usize, fill: char, out: &mut Vec<u8>) {
        let width = width.max(self.width);
        match self.pad.unwrap_or(fill) {
            '-' => push(out, format_args!("{value}")),
            '_' => push(out, format_args!("{value:width$}")),
            _ => push(out, format_args!("{value:0width$}")),
        }
    }

    fn write_value(&self, moment: &Moment, zone_name: &str, out: &mut Vec<u8>) {
        let civil = &moment.civil;
        let Civil { year, month, day, hour, minute, second } = *civil;
        let twelve = (hour + 11) % 12 + 1;
        let (short_day, short_month) = moment.names();
        let nested = |pattern: &str, out: &mut Vec<u8>| strftime(pattern, moment, zone_name, out);
        let (iso_year, iso_week) = iso_week(civil);
        match self.letter {
            'a' => out.extend_from_slice(short_day.as_bytes()),
            'A' => {
                out.extend_from_slice(full_name(&WEEKDAYS, civil.weekday()).trim_end_matches('s').as_bytes())
            }
            'b' | 'h' => out.extend_from_slice(short_month.as_bytes()),
            'B' => out.extend_from_slice(full_name(&MONTHS, month - 1).as_bytes()),
            'c' => nested("%a %b %e %H:%M:%S %Y", out),
            'C' => self.number(year.div_euclid(100), 2, '0', out),
            'd' => self.number(day, 2, '0', out),
            'D' | 'x' => nested("%m/%d/%y", out),
            'e' => self.number(day, 2, '_', out),
            'F' => nested("%Y-%m-%d", out),
            'g' => self.number(iso_year.rem_euclid(100), 2, '0', out),
            'G' => self.number(iso_year, 1, '0', out),
            'H' => self.number(hour, 2, '0', out),
            'I' => self.number(twelve, 2, '0', out),
            'j' => self.number(civil.day_of_year() + 1, 3, '0', out),
            'k' => self.number(hour, 2, '_', out),
            'l' => self.number(twelve, 2, '_', out),
            'm' => self.number(month, 2, '0', out),
            'M' => self.number(minute, 2, '0', out),
            'n' => out.push(b'\n'),
            'p' => out.extend_from_slice(if hour < 12 { b"AM" } else { b"PM" }),
            'P' => out.extend_from_slice(if hour < 12 { b"am" } else { b"pm" }),
            'r' => nested("%I:%M:%S %p", out),
            'R' => nested("%H:%M", out),
            's' => push(out, format_args!("{}", moment.seconds)),
            'S' => self.number(second, 2, '0', out),
            't' => out.push(b'\t'),
            'T' | 'X' => nested("%H:%M:%S", out),
            'u' => self.number((civil.weekday() + 6) % 7 + 1, 1, '0', out),
            'U' => self.number((civil.day_of_year() + 7 - civil.weekday()) / 7, 2, '0', out),
            'V' => self.number(iso_week, 2, '0', out),
            'w' => self.number(civil.weekday(), 1, '0', out),
            'W' => self.number((civil.day_of_year() + 7 - (civil.weekday() + 6) % 7) / 7, 2, '0', out),
            'y' => self.number(year.rem_euclid(100), 2, '0', out),
            'Y' => self.number(year, 1, '0', out),
            'z' => push(out, format_args!("{:+05}", moment.zone)),
            'Z' => out.extend_from_slice(zone_name.as_bytes()),
            _ => out.push(b'%'),
        }
    }
}

fn full_name(names: &[&'static str], index: i64) -> &'static str {
    usize::try_from(index).ok().and_then(|index| names.get(index)).copied().unwrap_or("")
}

/// The year and the week of ISO 8601: weeks start on Monday and belong to the year that has their Thursday.
fn iso_week(civil: &Civil) -> (i64, i64) {
    let from_monday = (civil.weekday() + 6) % 7;
    let midnight = Civil { hour: 0, minute: 0, second: 0, ..*civil }.seconds();
    let thursday = Civil::from_seconds(midnight + (3 - from_monday) * DAY);
    (thursday.year, thursday.day_of_year() / 7 + 1)
}
