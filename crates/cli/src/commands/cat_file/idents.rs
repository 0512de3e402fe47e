//! Names and addresses in the headers of commits and tags, as the mailmap has them.

use adit::Mailmap;
use adit_object::{Ident, ObjectKind};
use bstr::ByteSlice;

/// Rewrites the idents in the header of a commit or tag; other objects stay as they are.
pub(super) fn map(mailmap: &Mailmap, kind: ObjectKind, content: &mut Vec<u8>) {
    let fields: &[&[u8]] = match kind {
        ObjectKind::Commit => &[b"author ", b"committer "],
        ObjectKind::Tag => &[b"tagger "],
        ObjectKind::Tree | ObjectKind::Blob => return,
    };
    if mailmap.is_empty() {
        return;
    }
    let mut mapped = Vec::with_capacity(content.len() + 64);
    let mut rest = &content[..];
    while !rest.is_empty() && rest[0] != b'\n' {
        let end = rest.find_byte(b'\n').map_or(rest.len(), |at| at + 1);
        let (line, after) = rest.split_at(end);
        rest = after;
        let field = fields.iter().find(|field| line.starts_with(field));
        match field.and_then(|field| map_line(mailmap, &line[field.len()..]).map(|mapped| (field, mapped))) {
            Some((field, ident)) => {
                mapped.extend_from_slice(field);
                mapped.extend_from_slice(&ident);
            }
            None => mapped.extend_from_slice(line),
        }
    }
    mapped.extend_from_slice(rest);
    *content = mapped;
}

/// The line with another name and address; `None` when they stay.
fn map_line(mailmap: &Mailmap, line: &[u8]) -> Option<Vec<u8>> {
    let ident = Ident::parse(line)?;
    let (name, email) = mailmap.resolve(ident.name, ident.email);
    if (name, email) == (ident.name, ident.email) {
        return None;
    }
    let after = &line[line.find_byte(b'>')? + 1..];
    Some([name.as_bytes(), b" <", email.as_bytes(), b">", after].concat())
}
