//! Making the bytes of commits.

use bstr::{BStr, BString, ByteSlice};

use crate::{ObjectFormat, ObjectId};

/// A commit that is to be made.
#[derive(Debug, Clone)]
pub struct NewCommit<'a> {
    /// Its tree.
    pub tree: ObjectId,
    /// Its parents, in order.
    pub parents: &'a [ObjectId],
    /// Who wrote it: `Name <email> seconds zone`.
    pub author: &'a BStr,
    /// Who records it.
    pub committer: &'a BStr,
    /// The encoding of the message, when that is not UTF-8.
    pub encoding: Option<&'a BStr>,
    /// The message.
    pub message: &'a BStr,
}

impl NewCommit<'_> {
    /// The content of the object.
    pub fn to_bytes(&self) -> BString {
        let mut out = Vec::with_capacity(self.message.len() + 256 + self.parents.len() * 73);
        line(&mut out, b"tree ", |out| self.tree.append_hex(usize::MAX, out));
        for parent in self.parents {
            line(&mut out, b"parent ", |out| parent.append_hex(usize::MAX, out));
        }
        line(&mut out, b"author ", |out| out.extend_from_slice(self.author));
        line(&mut out, b"committer ", |out| out.extend_from_slice(self.committer));
        if let Some(encoding) = self.encoding {
            line(&mut out, b"encoding ", |out| out.extend_from_slice(encoding));
        }
        out.push(b'\n');
        out.extend_from_slice(self.message);
        out.into()
    }
}

fn line(out: &mut Vec<u8>, name: &[u8], value: impl FnOnce(&mut Vec<u8>)) {
    out.extend_from_slice(name);
    value(out);
    out.push(b'\n');
}

/// What the header with a signature over an object is called, by the hash that names the object signed.
pub fn signature_header(format: ObjectFormat) -> &'static str {
    match format {
        ObjectFormat::Sha1 => "gpgsig",
        ObjectFormat::Sha256 => "gpgsig-sha256",
    }
}

/// A commit's content with a signature as the last field of its header.
pub fn with_signature(commit: &[u8], format: ObjectFormat, signature: &[u8]) -> BString {
    let end = commit.find(b"\n\n").map_or(commit.len(), |at| at + 1);
    let mut out = commit[..end].to_vec();
    out.extend_from_slice(signature_header(format).as_bytes());
    for line in signature.lines() {
        out.push(b' ');
        out.extend_from_slice(line);
        out.push(b'\n');
    }
    out.extend_from_slice(&commit[end..]);
    out.into()
}

/// A commit's content without the signatures in its header, and the signature that is meant for this hash; `None` when
/// it has none.
pub fn without_signature(commit: &[u8], format: ObjectFormat) -> Option<(BString, BString)> {
    let end = commit.find(b"\n\n").map_or(commit.len(), |at| at + 1);
    let own = signature_header(format).as_bytes();
    let (mut rest, mut signature) = (Vec::with_capacity(commit.len()), None::<Vec<u8>>);
    // Which field continues: its own signature, another one, or neither.
    let mut within: Option<bool> = None;
    for line in commit[..end].lines_with_terminator() {
        if let (Some(is_own), Some(more)) = (within, line.strip_prefix(b" ")) {
            if is_own {
                signature.get_or_insert_default().extend_from_slice(more);
            }
            continue;
        }
        let field = line.split_once_str(b" ");
        within = match field {
            Some((b"gpgsig" | b"gpgsig-sha256", _)) => Some(field.is_some_and(|(name, _)| name == own)),
            _ => None,
        };
        match (within, field) {
            (Some(true), Some((_, value))) => signature.get_or_insert_default().extend_from_slice(value),
            (Some(false), _) => {}
            _ => rest.extend_from_slice(line),
        }
    }
    rest.extend_from_slice(&commit[end..]);
    signature.map(|signature| (rest.into(), signature.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Commit;

    #[test]
    fn what_is_made_reads_back() {
        for format in [ObjectFormat::Sha1, ObjectFormat::Sha256] {
            let id = ObjectId::null(format);
            let commit = NewCommit {
                tree: id,
                parents: &[id, id],
                author: "A <a@b> 1 +0000".into(),
                committer: "C <c@d> 2 +0100".into(),
                encoding: Some("latin1".into()),
                message: "text\n".into(),
            };
            let bytes = commit.to_bytes();
            let read = Commit::parse(format, &bytes).unwrap();
            assert_eq!((read.tree(), read.parents().len()), (id, 2));
            assert_eq!(read.encoding().unwrap(), "latin1");
            assert_eq!(read.message(), "text\n");

            let signed = with_signature(&bytes, format, b"-----BEGIN\n\nline\n-----END\n");
            let read = Commit::parse(format, &signed).unwrap();
            assert_eq!(read.message(), "text\n");
            let (payload, signature) = without_signature(&signed, format).unwrap();
            assert_eq!(payload, bytes);
            assert_eq!(signature, "-----BEGIN\n\nline\n-----END\n");
            assert!(without_signature(&bytes, format).is_none());
        }
    }
}
