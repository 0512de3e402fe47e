//! Reading a log from standard input instead of walking history.

use std::io::BufRead;

use adit::Mailmap;
use adit_object::Ident;
use bstr::{BString, ByteSlice};

use super::groups::{Groups, entry_of};
use crate::error::Error;

/// Whose line of each commit counts, and how it is shown.
pub(super) struct People<'m> {
    /// Committers, not authors.
    pub(super) committers: bool,
    /// With their addresses.
    pub(super) emails: bool,
    pub(super) mailmap: &'m Mailmap,
}

impl People<'_> {
    /// The group of an ident line; `None` when it is none.
    pub(super) fn group(&self, line: &[u8]) -> Option<BString> {
        let ident = Ident::parse(line)?;
        let (name, email) = self.mailmap.resolve(ident.name, ident.email);
        Some(if self.emails { format_bytes(name, email) } else { name.into() })
    }
}

fn format_bytes(name: &[u8], email: &[u8]) -> BString {
    [name, b" <", email, b">"].concat().into()
}

/// Adds the commits of a log in one of git's formats.
pub(super) fn read(input: &mut dyn BufRead, people: &People<'_>, groups: &mut Groups) -> Result<(), Error> {
    let titles: [&[u8]; 2] =
        if people.committers { [b"Commit: ", b"committer "] } else { [b"Author: ", b"author "] };
    let mut line = Vec::new();
    while next_line(input, &mut line)? {
        let Some(value) = titles.iter().find_map(|title| line.strip_prefix(*title)) else { continue };
        let group = people.group(value);
        // The rest of the header, and the blank lines behind it.
        while next_line(input, &mut line)? && !line.is_empty() {}
        while next_line(input, &mut line)? && line.is_empty() {}
        if let Some(group) = group {
            groups.add(&group, Some(&entry_of(&line)));
        }
    }
    Ok(())
}

/// Reads a line without its newline; false at the end.
fn next_line(input: &mut dyn BufRead, line: &mut Vec<u8>) -> Result<bool, Error> {
    line.clear();
    let read = input
        .read_until(b'\n', line)
        .map_err(|error| Error::fatal(format!("standard input: {}", adit_sys::os_error(&error))))?;
    if line.last_byte() == Some(b'\n') {
        line.pop();
    }
    Ok(read > 0)
}

#[cfg(test)]
mod tests {
    use super::super::groups::Layout;
    use super::*;

    #[test]
    fn logs_in_any_format() {
        let log = "Author: a <b>\n\n   [PATCH] x  y  \n  more\n\nauthor b <c> 1 +0\n\n  s2\nAuthor: no address\n\n   s\n\n\
                   Author: x<y>\n\n\n z";
        let mailmap = Mailmap::default();
        let people = People { committers: false, emails: true, mailmap: &mailmap };
        let mut groups = Groups::default();
        read(&mut log.as_bytes(), &people, &mut groups).unwrap();
        let mut out = Vec::new();
        groups.print(&Layout::default(), &mut out).unwrap();
        let expected = "a <b> (1):\n      x  y\n\nb <c> (1):\n      s2\n\nx <y> (1):\n      z\n\n";
        assert_eq!(out.as_bstr(), expected);
    }
}
