//! Authors and committers: their names, addresses and dates.

use adit::Mailmap;
use adit_object::{Ident, Time};
use adit_text::date::{Clock, DateFormat, DateStyle};
use bstr::{BStr, ByteSlice};

use super::template::PersonPart;

/// How dates are printed.
#[derive(Debug, Clone)]
pub struct Dates<'a> {
    /// `--date`, or the default.
    pub format: DateFormat,
    /// What now and here mean.
    pub clock: Clock<'a>,
}

impl Dates<'_> {
    /// Appends a date in the form that `--date` asks for.
    pub fn append(&self, time: Time, out: &mut Vec<u8>) {
        self.format.write(time.seconds, time.zone, self.clock, out);
    }

    /// Appends a date in a given form.
    pub(super) fn append_as(&self, time: Time, style: DateStyle, out: &mut Vec<u8>) {
        DateFormat { style, local: false }.write(time.seconds, time.zone, self.clock, out);
    }
}

/// The date of an ident line as git prints it: one that is missing or too large is the first there is.
pub(super) fn time_of(ident: &Ident<'_>) -> Time {
    ident.time().unwrap_or_default()
}

/// The name and address to show.
pub(super) fn mapped<'a>(ident: &Ident<'a>, mailmap: Option<&'a Mailmap>) -> (&'a BStr, &'a BStr) {
    mailmap.map_or((ident.name, ident.email), |map| map.resolve(ident.name, ident.email))
}

impl PersonPart {
    /// Appends the part of an ident line that the letter stands for; false when git leaves the placeholder as it
    /// stands, because the line lacks what it needs.
    pub(super) fn append(
        self,
        line: Option<&[u8]>,
        dates: &Dates<'_>,
        mailmap: Option<&Mailmap>,
        out: &mut Vec<u8>,
    ) -> bool {
        let empty_when_missing = matches!(self.0, b'n' | b'e' | b't' | b'd' | b'D' | b'r' | b'i');
        let Some(ident) = line.and_then(Ident::parse) else { return empty_when_missing };
        let (name, email) = mapped(&ident, mailmap.filter(|_| matches!(self.0, b'N' | b'E' | b'L')));
        let style = match self.0 {
            b'n' | b'N' => {
                out.extend_from_slice(name);
                return true;
            }
            b'e' | b'E' => {
                out.extend_from_slice(email);
                return true;
            }
            b'l' | b'L' => {
                out.extend_from_slice(&email[..email.find_byte(b'@').unwrap_or(email.len())]);
                return true;
            }
            b't' => {
                out.extend_from_slice(ident.date.map_or(&[][..], |(seconds, _)| seconds.as_bytes()));
                return true;
            }
            b'D' => Some(DateStyle::Rfc2822),
            b'r' => Some(DateStyle::Relative),
            b'i' => Some(DateStyle::Iso),
            b'I' => Some(DateStyle::IsoStrict),
            b's' => Some(DateStyle::Short),
            b'h' => Some(DateStyle::Human),
            _ => None,
        };
        if ident.date.is_none() {
            return empty_when_missing;
        }
        let time = time_of(&ident);
        match style {
            Some(style) => dates.append_as(time, style, out),
            None => dates.append(time, out),
        }
        true
    }
}
