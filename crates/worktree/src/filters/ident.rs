//! The attribute `ident`: `$Id$` in the repository, `$Id: <id of the blob> $` in the working tree (gitattributes).

use std::borrow::Cow;

use adit_object::{ObjectFormat, ObjectKind, hash_object};
use bstr::ByteSlice;

/// An `$Id$` or `$Id: ... $` that was found.
struct Keyword<'c> {
    /// What comes before it.
    before: &'c [u8],
    /// What stands between `$Id` and the last `$`: nothing, or a colon and the rest.
    inside: &'c [u8],
    /// What comes after it.
    after: &'c [u8],
}

/// Finds the next keyword in `content`; it does not reach over the end of a line.
fn next(content: &[u8]) -> Option<Keyword<'_>> {
    let mut from = 0;
    loop {
        let start = from + content[from..].find(b"$Id")?;
        let inside = &content[start + 3..];
        let end = match inside.first() {
            Some(b'$') => Some(0),
            Some(b':') => inside.find_byteset(b"$\n").filter(|&end| inside[end] == b'$'),
            _ => None,
        };
        if let Some(end) = end {
            return Some(Keyword {
                before: &content[..start],
                inside: &inside[..end],
                after: &inside[end + 1..],
            });
        }
        from = start + 3;
    }
}

/// `content` with its keywords as they are stored.
pub(super) fn to_git(content: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    let mut rest = &*content;
    let mut out = Vec::new();
    while let Some(keyword) = next(rest) {
        out.extend_from_slice(keyword.before);
        out.extend_from_slice(b"$Id$");
        rest = keyword.after;
    }
    if rest.len() == content.len() {
        return content;
    }
    out.extend_from_slice(rest);
    Cow::Owned(out)
}

/// Stored `content` with its keywords filled in.
pub(super) fn to_worktree(format: ObjectFormat, content: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    if next(&content).is_none() {
        return content;
    }
    // A content that is part of a collision attack has no id to show.
    let Ok(id) = hash_object(format, ObjectKind::Blob, &content) else { return content };
    let mut rest = &*content;
    let mut out = Vec::with_capacity(content.len() + 2 * format.hex_len());
    while let Some(keyword) = next(rest) {
        out.extend_from_slice(keyword.before);
        out.extend_from_slice(b"$Id");
        if is_foreign(keyword.inside) {
            out.extend_from_slice(keyword.inside);
            out.push(b'$');
        } else {
            out.extend_from_slice(b": ");
            id.append_hex(usize::MAX, &mut out);
            out.extend_from_slice(b" $");
        }
        rest = keyword.after;
    }
    out.extend_from_slice(rest);
    Cow::Owned(out)
}

/// Whether another system filled the keyword in: it holds several words.
fn is_foreign(inside: &[u8]) -> bool {
    inside.len() > 3 && inside[2..inside.len() - 1].contains(&b' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_emptied_and_filled() {
        for (content, stored) in [
            ("a $Id$ b", "a $Id$ b"),
            ("$Id: x y $\n$Id:$", "$Id$\n$Id$"),
            ("$Id: x\n$ $Idx$ $Id", "$Id: x\n$ $Idx$ $Id"),
            ("$Id: a $Id: b $", "$Id$Id: b $"),
        ] {
            assert_eq!(&*to_git(Cow::Borrowed(content.as_bytes())), stored.as_bytes());
        }
        let content = b"$Id$ $Id: Foo.c 1.2 $ $Id: x$";
        let id = hash_object(ObjectFormat::Sha1, ObjectKind::Blob, content).unwrap();
        let filled = to_worktree(ObjectFormat::Sha1, Cow::Borrowed(content));
        assert_eq!(
            filled.as_bstr(),
            format!("$Id: {id} $ $Id: Foo.c 1.2 $ $Id: {id} $").as_bytes().as_bstr()
        );
        assert_eq!(to_git(filled).as_bstr(), "$Id$ $Id$ $Id$");
    }
}
