//! The formats that are git's own, mails aside.

use bstr::{BStr, ByteSlice};

use adit_object::Ident;
use adit_text::date::DateStyle;

use super::message::{append_expanding_tabs, lines, trim_end};
use super::person::time_of;
use super::printer::{EncodingHeader, Text};
use super::{Layout, Printer, Shown};
use crate::error::Error;

/// The indent of messages.
const INDENT: &[u8] = b"    ";

impl Printer<'_> {
    pub(super) fn lay_out(&self, shown: &Shown<'_>, text: &Text<'_>, out: &mut Vec<u8>) -> Result<(), Error> {
        let start = out.len();
        let layout = &self.style.layout;
        match layout {
            Layout::Oneline => {
                text.message.append_subject(out);
                trim_from(start, out);
                return self.append_notes(shown, out);
            }
            Layout::Raw => self.raw_header(text, out),
            _ if layout.is_mail() => self.mail_header(text, out),
            _ => self.people(shown, text, out)?,
        }
        out.push(b'\n');
        let body = out.len();
        if layout.is_mail() {
            self.mail_body(text, out);
        } else {
            self.indented(text, out);
        }
        trim_from(start, out);
        out.push(b'\n');
        // Mails have an empty line after the header even when nothing follows it.
        if layout.is_mail() && out.len() <= body {
            out.push(b'\n');
        }
        self.append_notes(shown, out)
    }

    fn append_notes(&self, shown: &Shown<'_>, out: &mut Vec<u8>) -> Result<(), Error> {
        let Some(notes) = self.notes else { return Ok(()) };
        let mut text = Vec::new();
        notes.append(&shown.id, false, &mut text)?;
        if !text.is_empty() && self.style.layout.is_mail() {
            out.extend_from_slice(b"---\n");
        }
        out.extend_from_slice(&text);
        Ok(())
    }

    /// `Merge:`, `Author:`, `Date:` and so on.
    fn people(&self, shown: &Shown<'_>, text: &Text<'_>, out: &mut Vec<u8>) -> Result<(), Error> {
        let parents = shown.parents();
        if parents.len() > 1 {
            out.extend_from_slice(b"Merge:");
            for parent in parents {
                out.push(b' ');
                self.abbrev.append(&parent, out)?;
            }
            out.push(b'\n');
        }
        // Real history holds commits with two authors: every line of the header is shown, in its order.
        for field in text.commit.fields() {
            match field.name.as_bytes() {
                b"author" => self.author(field.value, out),
                b"committer" => self.committer(field.value, out),
                _ => {}
            }
        }
        Ok(())
    }

    /// Appends the lines that tell who made a tag, in the style of the format.
    pub fn append_tagger(&self, tagger: &Ident<'_>, out: &mut Vec<u8>) {
        let layout = &self.style.layout;
        if matches!(layout, Layout::Oneline) {
            return;
        }
        if layout.is_mail() {
            out.extend_from_slice(b"From: ");
            adit_text::mail::append_address(tagger.name, tagger.email, &self.encoding, out);
            out.push(b'\n');
            return self.mail_date(tagger, out);
        }
        let fuller = matches!(layout, Layout::Fuller);
        let title: &[u8] = if fuller { b"Tagger:     " } else { b"Tagger: " };
        for part in [title, tagger.name, b" <", tagger.email, b">\n"] {
            out.extend_from_slice(part);
        }
        if fuller || matches!(layout, Layout::Medium) {
            out.extend_from_slice(if fuller { b"TaggerDate: " } else { b"Date:   " });
            self.dates.append(time_of(tagger), out);
            out.push(b'\n');
        }
    }

    fn author(&self, line: &BStr, out: &mut Vec<u8>) {
        let fuller = matches!(self.style.layout, Layout::Fuller);
        self.person_line(if fuller { b"Author:     " } else { b"Author: " }, line, out);
        match self.style.layout {
            Layout::Medium => self.date_line(b"Date:   ", line, out),
            Layout::Fuller => self.date_line(b"AuthorDate: ", line, out),
            _ => {}
        }
    }

    fn committer(&self, line: &BStr, out: &mut Vec<u8>) {
        match self.style.layout {
            Layout::Full => self.person_line(b"Commit: ", line, out),
            Layout::Fuller => {
                self.person_line(b"Commit:     ", line, out);
                self.date_line(b"CommitDate: ", line, out);
            }
            _ => {}
        }
    }

    fn person_line(&self, title: &[u8], line: &BStr, out: &mut Vec<u8>) {
        let Some(ident) = Ident::parse(line) else { return };
        let (name, email) = self.person(&ident);
        for part in [title, name, b" <", email, b">\n"] {
            out.extend_from_slice(part);
        }
    }

    fn date_line(&self, title: &[u8], line: &BStr, out: &mut Vec<u8>) {
        let Some(ident) = Ident::parse(line) else { return };
        out.extend_from_slice(title);
        self.dates.append(time_of(&ident), out);
        out.push(b'\n');
    }

    /// The `Date:` line of a mail.
    pub(super) fn mail_date(&self, ident: &Ident<'_>, out: &mut Vec<u8>) {
        out.extend_from_slice(b"Date: ");
        self.dates.append_as(time_of(ident), DateStyle::Rfc2822, out);
        out.push(b'\n');
    }

    /// The header as it is stored, but for the name of the encoding.
    fn raw_header(&self, text: &Text<'_>, out: &mut Vec<u8>) {
        let bytes = text.commit.bytes();
        let end = bytes.find(b"\n\n").map_or(bytes.len(), |at| at + 1);
        for line in bytes[..end].split_inclusive(|&b| b == b'\n') {
            let is_encoding = line.starts_with(b"encoding ");
            match text.encoding {
                EncodingHeader::Dropped if is_encoding => {}
                EncodingHeader::Replaced if is_encoding => {
                    out.extend_from_slice(b"encoding ");
                    out.extend_from_slice(self.encoding.as_bytes());
                    out.push(b'\n');
                }
                _ => out.extend_from_slice(line),
            }
        }
    }

    /// The message, indented; `short` shows the subject alone.
    fn indented(&self, text: &Text<'_>, out: &mut Vec<u8>) {
        let tabs = self.tabs();
        for line in lines(text.message.subject_on) {
            let line = trim_end(line);
            if line.is_empty() && matches!(self.style.layout, Layout::Short) {
                return;
            }
            out.extend_from_slice(INDENT);
            if tabs > 0 && line.contains(&b'\t') {
                append_expanding_tabs(line, tabs, out);
            } else {
                out.extend_from_slice(line);
            }
            out.push(b'\n');
        }
    }
}

/// Takes white space off the end of what was appended from `start`.
fn trim_from(start: usize, out: &mut Vec<u8>) {
    let len = trim_end(&out[start..]).len();
    out.truncate(start + len);
}
