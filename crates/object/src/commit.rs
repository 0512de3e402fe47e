//! Commit objects, read where they lie.

use bstr::{BStr, ByteSlice};

use crate::{Ident, ObjectFormat, ObjectId, ObjectKind, ParseError};

/// One field of a commit's or tag's header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeaderField<'a> {
    /// The word before the first space.
    pub name: &'a BStr,
    /// The rest, continuation lines included as they are stored (each starts with a space after its newline).
    pub value: &'a BStr,
}

/// A commit's bytes. Only the tree and the parents are checked; the rest is looked up when asked for.
#[derive(Debug, Clone, Copy)]
pub struct Commit<'a> {
    format: ObjectFormat,
    bytes: &'a [u8],
    tree: ObjectId,
    /// Where the header fields after the parents start.
    after_parents: usize,
}

impl<'a> Commit<'a> {
    /// Reads the tree and the parents, and remembers where the rest is.
    pub fn parse(format: ObjectFormat, bytes: &'a [u8]) -> Result<Self, ParseError> {
        let error = |what| ParseError { kind: ObjectKind::Commit, what };
        let tree = id_line(format, bytes, b"tree ").ok_or_else(|| error("bad tree line"))?;
        let mut at = TREE + format.hex_len() + 1;
        while bytes[at..].starts_with(b"parent ") {
            id_line(format, &bytes[at..], b"parent ").ok_or_else(|| error("bad parent line"))?;
            at += PARENT + format.hex_len() + 1;
        }
        Ok(Commit { format, bytes, tree, after_parents: at })
    }

    /// The root tree.
    pub fn tree(&self) -> ObjectId {
        self.tree
    }

    /// The parents in stored order.
    pub fn parents(&self) -> impl DoubleEndedIterator<Item = ObjectId> + ExactSizeIterator + use<'a> {
        let (format, hex_len) = (self.format, self.format.hex_len());
        let lines = &self.bytes[TREE + hex_len + 1..self.after_parents];
        lines.chunks_exact(PARENT + hex_len + 1).map(move |line| {
            // `parse` has read every one of these lines.
            ObjectId::from_hex(format, &line[PARENT..PARENT + hex_len]).unwrap_or(ObjectId::null(format))
        })
    }

    /// The first author line's value, unparsed.
    pub fn author_line(&self) -> Option<&'a BStr> {
        self.header("author")
    }

    /// The first committer line's value, unparsed.
    pub fn committer_line(&self) -> Option<&'a BStr> {
        self.header("committer")
    }

    /// Who wrote the change.
    pub fn author(&self) -> Option<Ident<'a>> {
        Ident::parse(self.author_line()?)
    }

    /// Who made the commit.
    pub fn committer(&self) -> Option<Ident<'a>> {
        Ident::parse(self.committer_line()?)
    }

    /// The encoding of the message when it is declared; UTF-8 otherwise.
    pub fn encoding(&self) -> Option<&'a BStr> {
        self.header("encoding")
    }

    /// The first field called `name` among the fields after the parents.
    pub fn header(&self, name: &str) -> Option<&'a BStr> {
        self.fields().find(|field| field.name == name).map(|field| field.value)
    }

    /// The header fields after the parents, in stored order: author, committer, encoding, gpgsig, ...
    pub fn fields(&self) -> impl Iterator<Item = HeaderField<'a>> + use<'a> {
        Fields { rest: &self.bytes[self.after_parents..] }
    }

    /// The message: all that follows the empty line after the header, byte for byte.
    pub fn message(&self) -> &'a BStr {
        message(self.bytes, self.after_parents)
    }

    /// The whole object.
    pub fn bytes(&self) -> &'a BStr {
        self.bytes.as_bstr()
    }
}

const TREE: usize = b"tree ".len();
const PARENT: usize = b"parent ".len();

/// Reads `<keyword><hex id>\n` at the start of `bytes`.
pub(crate) fn id_line(format: ObjectFormat, bytes: &[u8], keyword: &[u8]) -> Option<ObjectId> {
    let rest = bytes.strip_prefix(keyword)?;
    let (hex, rest) = rest.split_at_checked(format.hex_len())?;
    if rest.first() != Some(&b'\n') {
        return None;
    }
    ObjectId::from_hex(format, hex).ok()
}

/// What follows the first empty line at or after `from`.
pub(crate) fn message(bytes: &[u8], from: usize) -> &BStr {
    let header = &bytes[from..];
    if header.first() == Some(&b'\n') {
        return header[1..].as_bstr();
    }
    header.find(b"\n\n").map_or(&[][..], |at| &header[at + 2..]).as_bstr()
}

/// Iterates over header fields until the empty line.
#[derive(Debug, Clone)]
pub(crate) struct Fields<'a> {
    pub(crate) rest: &'a [u8],
}

impl<'a> Iterator for Fields<'a> {
    type Item = HeaderField<'a>;

    fn next(&mut self) -> Option<HeaderField<'a>> {
        if matches!(self.rest.first(), None | Some(b'\n')) {
            return None;
        }
        let mut end = 0;
        loop {
            match self.rest[end..].find_byte(b'\n') {
                Some(at) => end += at + 1,
                None => end = self.rest.len(),
            }
            if self.rest.get(end) != Some(&b' ') {
                break;
            }
        }
        let (field, rest) = self.rest.split_at(end);
        self.rest = rest;
        let field = field.strip_suffix(b"\n").unwrap_or(field);
        let space = field.find_byte(b' ').unwrap_or(field.len());
        let value = field.get(space + 1..).unwrap_or(&[]);
        Some(HeaderField { name: field[..space].as_bstr(), value: value.as_bstr() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

    #[test]
    fn fields_parents_and_message() {
        let text = format!(
            "tree {ID}\nparent {ID}\nparent {ID}\nauthor A <a@b> 1 +0000\nauthor B <b@b> 2 +0000\n\
             committer C <c@b> 3 +0000\ngpgsig one\n two\n three\nencoding ISO-8859-1\n\nsubject\n\nbody\n"
        );
        let commit = Commit::parse(ObjectFormat::Sha1, text.as_bytes()).unwrap();
        assert_eq!(commit.parents().len(), 2);
        assert_eq!(commit.author().unwrap().name, "A");
        assert_eq!(commit.committer().unwrap().name, "C");
        assert_eq!(commit.header("gpgsig").unwrap(), "one\n two\n three");
        assert_eq!(commit.encoding().unwrap(), "ISO-8859-1");
        assert_eq!(commit.message(), "subject\n\nbody\n");
        assert_eq!(commit.fields().count(), 5);
    }

    #[test]
    fn a_cut_commit_never_panics() {
        let text = format!("tree {ID}\nparent {ID}\nauthor A <a@b> 1 +0000\ngpgsig one\n two\n\nsubject\n");
        for cut in 0..text.len() {
            if let Ok(commit) = Commit::parse(ObjectFormat::Sha1, &text.as_bytes()[..cut]) {
                let _ = (commit.author(), commit.message(), commit.fields().count());
            }
        }
    }
}
