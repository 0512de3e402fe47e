//! Ident lines: `Name <email> seconds zone`, as authors, committers and taggers are written.

use bstr::{BStr, ByteSlice};

/// A moment as commits record it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Time {
    /// Seconds since 1970-01-01 00:00 UTC.
    pub seconds: u64,
    /// The zone as a decimal number `hhmm` with its sign: `+0530` is 530, `-0700` is -700. Real history holds
    /// values that are no zone, such as 51800; they are kept.
    pub zone: i32,
}

/// Who did something and when, borrowed from an object's header.
///
/// Parsing is lenient, since real history holds empty names, several addresses in one line and odd dates:
/// what cannot be found is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ident<'a> {
    /// The name, without white space at its end; may be empty.
    pub name: &'a BStr,
    /// The address between `<` and `>` as it stands; may be empty.
    pub email: &'a BStr,
    /// Digits of the date as written, and the zone as written, when both are there.
    pub date: Option<(&'a BStr, &'a BStr)>,
}

impl<'a> Ident<'a> {
    /// Splits the value of an `author`, `committer` or `tagger` header; `None` when it has no `<...>` at all.
    pub fn parse(line: &'a [u8]) -> Option<Self> {
        let open = line.find_byte(b'<')?;
        let close = open + line[open..].find_byte(b'>')?;
        let name = line[..open].trim_ascii_end().as_bstr();
        let email = line[open + 1..close].as_bstr();
        // The date follows the last '>', so that a stray one in the address does not hide it.
        let last = line.rfind_byte(b'>')?;
        Some(Ident { name, email, date: parse_date(&line[last + 1..]) })
    }

    /// The date as numbers; `None` when there is none or its seconds do not fit 64 bits.
    pub fn time(&self) -> Option<Time> {
        let (seconds, zone) = self.date?;
        let seconds = parse_digits(seconds)?;
        let (negative, digits) = match zone.split_first()? {
            (b'-', rest) => (true, rest),
            (b'+', rest) => (false, rest),
            _ => return None,
        };
        let zone = i32::try_from(parse_digits(digits)?).ok()?;
        Some(Time { seconds, zone: if negative { -zone } else { zone } })
    }
}

/// Finds `seconds SP (+|-)digits` at the start of `text`, after white space.
fn parse_date(text: &[u8]) -> Option<(&BStr, &BStr)> {
    let text = text.trim_ascii_start();
    let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
    let (seconds, rest) = text.split_at(digits);
    let rest = rest.trim_ascii_start();
    let sign = rest.first().filter(|b| matches!(b, b'+' | b'-'))?;
    let zone_digits = rest[1..].iter().take_while(|b| b.is_ascii_digit()).count();
    debug_assert!(sign.is_ascii());
    if digits == 0 || zone_digits == 0 {
        return None;
    }
    Some((seconds.as_bstr(), rest[..=zone_digits].as_bstr()))
}

fn parse_digits(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0u64, |n, &d| n.checked_mul(10)?.checked_add(u64::from(d.wrapping_sub(b'0'))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_and_odd_lines() {
        let ident = Ident::parse(b"A U Thor <a@example.com> 1000000000 +0530").unwrap();
        assert_eq!((ident.name, ident.email), (b"A U Thor".as_bstr(), b"a@example.com".as_bstr()));
        assert_eq!(ident.time(), Some(Time { seconds: 1_000_000_000, zone: 530 }));

        let odd = Ident::parse(b"<> 1 +051800").unwrap();
        assert_eq!((odd.name.len(), odd.email.len()), (0, 0));
        assert_eq!(odd.time(), Some(Time { seconds: 1, zone: 51800 }));

        let spaced = Ident::parse(b"  x  y  < a@b > 5 +0000").unwrap();
        assert_eq!((spaced.name, spaced.email), (b"  x  y".as_bstr(), b" a@b ".as_bstr()));

        let two = Ident::parse(b"x <a@b> <c@d> 5 --700").unwrap();
        assert_eq!(two.email, "a@b");
        assert_eq!(two.time(), None);

        let stray = Ident::parse(b"x <a@b>> 5 -700").unwrap();
        assert_eq!(stray.time(), Some(Time { seconds: 5, zone: -700 }));
        assert!(Ident::parse(b"no address").is_none());
    }
}
