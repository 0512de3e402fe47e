//! Tag objects, read where they lie.

use bstr::{BStr, ByteSlice};

use crate::commit::{Fields, id_line, message};
use crate::{HeaderField, Ident, ObjectFormat, ObjectId, ObjectKind, ParseError};

/// An annotated tag's bytes. The target is checked; the rest is looked up when asked for.
#[derive(Debug, Clone, Copy)]
pub struct Tag<'a> {
    bytes: &'a [u8],
    target: ObjectId,
    target_kind: ObjectKind,
    after_kind: usize,
}

impl<'a> Tag<'a> {
    /// Reads the `object` and `type` lines, and remembers where the rest is.
    pub fn parse(format: ObjectFormat, bytes: &'a [u8]) -> Result<Self, ParseError> {
        let error = |what| ParseError { kind: ObjectKind::Tag, what };
        let target = id_line(format, bytes, b"object ").ok_or_else(|| error("bad object line"))?;
        let start = b"object ".len() + format.hex_len() + 1;
        let line = bytes[start..].lines().next().unwrap_or(&[]);
        let target_kind = line
            .strip_prefix(b"type ")
            .and_then(ObjectKind::from_name)
            .ok_or_else(|| error("bad type line"))?;
        let after_kind = (start + line.len() + 1).min(bytes.len());
        Ok(Tag { bytes, target, target_kind, after_kind })
    }

    /// The tagged object.
    pub fn target(&self) -> ObjectId {
        self.target
    }

    /// The kind of the tagged object, as the tag claims it.
    pub fn target_kind(&self) -> ObjectKind {
        self.target_kind
    }

    /// The tag's own name, without `refs/tags/`.
    pub fn name(&self) -> Option<&'a BStr> {
        self.header("tag")
    }

    /// Who made the tag; old tags have none.
    pub fn tagger(&self) -> Option<Ident<'a>> {
        Ident::parse(self.header("tagger")?)
    }

    /// The first field called `name` after the `type` line.
    pub fn header(&self, name: &str) -> Option<&'a BStr> {
        self.fields().find(|field| field.name == name).map(|field| field.value)
    }

    /// The header fields after the `type` line, in stored order.
    pub fn fields(&self) -> impl Iterator<Item = HeaderField<'a>> + use<'a> {
        Fields { rest: &self.bytes[self.after_kind..] }
    }

    /// The message, a signature at its end included, byte for byte.
    pub fn message(&self) -> &'a BStr {
        message(self.bytes, self.after_kind)
    }

    /// The whole object.
    pub fn bytes(&self) -> &'a BStr {
        self.bytes.as_bstr()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_without_a_tagger() {
        let text = b"object 4b825dc642cb6eb9a060e54bf8d69288fbee4904\ntype tree\ntag v0\n\nfirst\n";
        let tag = Tag::parse(ObjectFormat::Sha1, text).unwrap();
        assert_eq!((tag.target_kind(), tag.name().unwrap()), (ObjectKind::Tree, b"v0".as_bstr()));
        assert!(tag.tagger().is_none());
        assert_eq!(tag.message(), "first\n");
        for cut in 0..text.len() {
            if let Ok(tag) = Tag::parse(ObjectFormat::Sha1, &text[..cut]) {
                let _ = (tag.name(), tag.message());
            }
        }
    }
}
