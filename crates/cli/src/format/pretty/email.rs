//! Commits as mails (`--pretty=email`, `--pretty=mboxrd`).

use adit_object::Ident;
use adit_text::mail;
use bstr::ByteSlice;

use super::message::{lines, trim_end};
use super::printer::Text;
use super::{Layout, Printer};

impl Printer<'_> {
    /// `From:`, `Date:`, `Subject:` and, when the text needs them, the headers that tell its encoding.
    pub(super) fn mail_header(&self, text: &Text<'_>, out: &mut Vec<u8>) {
        let charset = &self.encoding;
        if let Some(ident) = text.commit.author_line().and_then(|line| Ident::parse(line)) {
            let (name, email) = self.person(&ident);
            out.extend_from_slice(b"From: ");
            mail::append_address(name, email, charset, out);
            out.push(b'\n');
            self.mail_date(&ident, out);
        }
        let mut subject = Vec::new();
        text.message.append_subject(&mut subject);
        out.extend_from_slice(b"Subject: [PATCH] ");
        mail::append_text(&subject, charset, out);
        out.push(b'\n');
        if text.message.whole.iter().any(|&b| mail::needs_8bit(b)) {
            out.extend_from_slice(b"MIME-Version: 1.0\nContent-Type: text/plain; charset=");
            out.extend_from_slice(charset.as_bytes());
            out.extend_from_slice(b"\nContent-Transfer-Encoding: 8bit\n");
        }
    }

    /// The message without its subject.
    pub(super) fn mail_body(&self, text: &Text<'_>, out: &mut Vec<u8>) {
        let quote = matches!(self.style.layout, Layout::Mboxrd);
        for line in lines(text.message.body) {
            let line = trim_end(line);
            if quote && line.trim_start_with(|c| c == '>').starts_with(b"From ") {
                out.push(b'>');
            }
            out.extend_from_slice(line);
            out.push(b'\n');
        }
    }
}
