//! The parts of a commit's or tag's message, as formats of references have them: cut where a signature starts.

use adit::signature::signature_start;
use adit_text::trailers::Rules;
use bstr::ByteSlice;

use super::atom::Part;
use crate::format::pretty::Message;

/// The places in an object at which the parts of its message start.
struct Parts<'a> {
    /// From the subject on.
    whole: &'a [u8],
    /// The subject, its newlines included.
    subject: &'a [u8],
    /// What follows the subject, up to the end.
    rest: &'a [u8],
    /// How much of the end is a signature.
    signature: usize,
}

impl<'a> Parts<'a> {
    fn of(content: &'a [u8]) -> Self {
        // Git handles messages as C strings.
        let content = content.find_byte(0).map_or(content, |nul| &content[..nul]);
        let start = content.find(b"\n\n").map_or(content.len(), |at| at + 2);
        let whole = trim_newlines(&content[start..]);
        let signature = whole.len() - signature_start(whole);
        let before_signature = &whole[..whole.len() - signature];
        let ends = [before_signature.find(b"\n\n"), before_signature.find(b"\r\n\r\n")];
        let end = ends.into_iter().flatten().min().unwrap_or(before_signature.len());
        let (subject, rest) = whole.split_at(end);
        let blank = rest.iter().take_while(|b| matches!(b, b'\n' | b'\r')).count();
        // A blank line may end the message; what follows the signature's start never belongs to the subject.
        let rest = &rest[blank.min(rest.len())..];
        let subject =
            subject.strip_suffix(b"\r\n").or_else(|| subject.strip_suffix(b"\n")).unwrap_or(subject);
        Parts { whole, subject, rest, signature }
    }
}

fn trim_newlines(text: &[u8]) -> &[u8] {
    let count = text.iter().take_while(|&&b| b == b'\n').count();
    &text[count..]
}

/// Appends a part of the message of the object with that content.
pub(super) fn append(content: &[u8], part: &Part, rules: &Rules<'_>, out: &mut Vec<u8>) {
    let parts = Parts::of(content);
    match part {
        Part::Whole => out.extend_from_slice(parts.whole),
        Part::Size => out.extend_from_slice(parts.whole.len().to_string().as_bytes()),
        Part::Subject => append_on_one_line(parts.subject, out),
        Part::SanitizedSubject => {
            let mut subject = Vec::new();
            append_on_one_line(parts.subject, &mut subject);
            Message::new(&subject).append_sanitized_subject(out);
        }
        Part::BodyAndSignature => out.extend_from_slice(parts.rest),
        Part::Body => {
            let len = parts.rest.len().saturating_sub(parts.signature);
            out.extend_from_slice(&parts.rest[..len]);
        }
        Part::Signature => out.extend_from_slice(&parts.whole[parts.whole.len() - parts.signature..]),
        Part::Lines(count) => append_lines(&parts.whole[..parts.whole.len() - parts.signature], *count, out),
        Part::Trailers(style) => {
            style.append_block(&parts.whole[..parts.whole.len() - parts.signature], rules, out);
        }
    }
}

fn append_on_one_line(subject: &[u8], out: &mut Vec<u8>) {
    for (at, &byte) in subject.iter().enumerate() {
        match byte {
            b'\r' if subject.get(at + 1) == Some(&b'\n') => {}
            b'\n' => out.push(b' '),
            byte => out.push(byte),
        }
    }
}

/// The first lines, each but the first indented.
fn append_lines(text: &[u8], count: usize, out: &mut Vec<u8>) {
    for (index, line) in text.split_inclusive(|&b| b == b'\n').take(count).enumerate() {
        if index > 0 {
            out.extend_from_slice(b"\n    ");
        }
        out.extend_from_slice(line.strip_suffix(b"\n").unwrap_or(line));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(content: &str, part: &Part) -> String {
        let mut out = Vec::new();
        append(content.as_bytes(), part, &Rules::default(), &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_signature_belongs_to_no_body() {
        let content = "tag x\n\nsub\nject\n\nbody\n\nmore\n-----BEGIN PGP SIGNATURE-----\nx\n";
        assert_eq!(part(content, &Part::Subject), "sub ject");
        assert_eq!(part(content, &Part::Body), "body\n\nmore\n");
        assert!(part(content, &Part::BodyAndSignature).ends_with("SIGNATURE-----\nx\n"));
        assert_eq!(part(content, &Part::Signature), "-----BEGIN PGP SIGNATURE-----\nx\n");
        assert_eq!(part(content, &Part::Lines(4)), "sub\n    ject\n    \n    body");
        assert_eq!(part("tag x\n\nonly\n", &Part::Body), "");
        assert_eq!(part("tag x\n", &Part::Whole), "");
        let signed = "tag x\n\nsubject\n-----BEGIN SSH SIGNATURE-----\nx\n";
        assert_eq!(part(signed, &Part::Subject), "subject");
        assert_eq!(part(signed, &Part::Body), "");
    }
}
