//! Is what claims to be a commit, a tree or a tag well-formed? The checks that `fsck` makes of an object alone, with
//! its message ids (git-fsck, 'FSCK MESSAGES'), for those who make objects from bytes.

mod names;
mod severity;
mod tree;

pub use severity::{Severity, severity};

use adit_object::{EntryKind, ObjectFormat, ObjectId, ObjectKind};
use adit_refs::name::{Rules, is_valid};
use bstr::ByteSlice;

/// Something that is wrong with an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The message id, `badTree` and the like.
    pub id: &'static str,
    /// What is wrong, in words.
    pub text: String,
    /// What stood in the way of reading the object at all, when that is so.
    pub cause: Option<&'static str>,
}

impl Fault {
    fn new(id: &'static str, text: impl Into<String>) -> Self {
        Fault { id, text: text.into(), cause: None }
    }
}

/// All faults of an object, in the order in which git names them; of commits and tags only the first one.
pub fn check(kind: ObjectKind, format: ObjectFormat, bytes: &[u8]) -> Vec<Fault> {
    match kind {
        ObjectKind::Blob => Vec::new(),
        ObjectKind::Tree => tree::check(format, bytes),
        ObjectKind::Commit => commit(format, bytes).err().into_iter().collect(),
        ObjectKind::Tag => {
            let mut found = Vec::new();
            check_tag(format, bytes, &mut |fault| {
                let counts = fault.id != "extraHeaderEntry";
                found.extend(counts.then_some(fault));
                !counts
            });
            found
        }
    }
}

fn commit(format: ObjectFormat, bytes: &[u8]) -> Result<(), Fault> {
    terminated(bytes)?;
    let mut rest = bytes;
    let tree = field(&mut rest, b"tree ")
        .ok_or_else(|| Fault::new("missingTree", "invalid format - expected 'tree' line"))?;
    id(format, tree).ok_or_else(|| Fault::new("badTreeSha1", "invalid 'tree' line format - bad sha1"))?;
    while let Some(parent) = field(&mut rest, b"parent ") {
        id(format, parent)
            .ok_or_else(|| Fault::new("badParentSha1", "invalid 'parent' line format - bad sha1"))?;
    }
    let mut authors = 0;
    while let Some(author) = field(&mut rest, b"author ") {
        authors += 1;
        ident(author)?;
    }
    match authors {
        0 => return Err(Fault::new("missingAuthor", "invalid format - expected 'author' line")),
        1 => {}
        _ => return Err(Fault::new("multipleAuthors", "invalid format - multiple 'author' lines")),
    }
    let committer = field(&mut rest, b"committer ")
        .ok_or_else(|| Fault::new("missingCommitter", "invalid format - expected 'committer' line"))?;
    ident(committer)?;
    if rest.contains(&0) {
        return Err(Fault::new("nulInCommit", "NUL byte in the commit object body"));
    }
    Ok(())
}

/// Checks a tag; `report` gets each fault and says whether to go on behind it.
pub fn check_tag(format: ObjectFormat, bytes: &[u8], report: &mut dyn FnMut(Fault) -> bool) {
    // The fault that ended the check was reported.
    let _ = tag(format, bytes, &mut |fault| if report(fault.clone()) { Ok(()) } else { Err(fault) });
}

fn tag(
    format: ObjectFormat,
    bytes: &[u8],
    report: &mut dyn FnMut(Fault) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut stop = |fault: Fault| report(fault.clone()).and(Err(fault));
    if let Err(fault) = terminated(bytes) {
        return stop(fault);
    }
    let mut rest = bytes;
    let Some(object) = field(&mut rest, b"object ") else {
        return stop(Fault::new("missingObject", "invalid format - expected 'object' line"));
    };
    if id(format, object).is_none() {
        stop(Fault::new("badObjectSha1", "invalid 'object' line format - bad sha1"))?;
    }
    let Some(kind) = field(&mut rest, b"type ") else {
        return stop(Fault::new("missingTypeEntry", "invalid format - expected 'type' line"));
    };
    if ObjectKind::from_name(kind).is_none() {
        stop(Fault::new("badType", "invalid 'type' value"))?;
    }
    let Some(name) = field(&mut rest, b"tag ") else {
        return stop(Fault::new("missingTagEntry", "invalid format - expected 'tag' line"));
    };
    if !is_valid(&[b"refs/tags/", name].concat(), Rules::default()) {
        report(Fault::new("badTagName", format!("invalid 'tag' name: {}", name.as_bstr())))?;
    }
    match field(&mut rest, b"tagger ") {
        None => {
            // Early tags have none.
            report(Fault::new("missingTaggerEntry", "invalid format - expected 'tagger' line"))?;
        }
        Some(tagger) => {
            if let Err(fault) = ident(tagger) {
                report(fault)?;
            }
        }
    }
    while let Some(header) = rest.lines_with_terminator().next().filter(|line| *line != b"\n") {
        rest = &rest[header.len()..];
        let continues = header.starts_with(b" ");
        if !continues && !header.starts_with(b"gpgsig ") && !header.starts_with(b"gpgsig-sha256 ") {
            return report(Fault::new("extraHeaderEntry", "invalid format - extra header(s) after 'tagger'"));
        }
    }
    Ok(())
}

/// The header must end in an empty line, or the object with a line's end, and hold no NUL.
fn terminated(bytes: &[u8]) -> Result<(), Fault> {
    let end = bytes.find(b"\n\n");
    let header = &bytes[..end.unwrap_or(bytes.len())];
    if let Some(at) = header.find_byte(0) {
        return Err(Fault::new("nulInHeader", format!("unterminated header: NUL at offset {at}")));
    }
    if end.is_none() && !bytes.ends_with(b"\n") {
        return Err(Fault::new("unterminatedHeader", "unterminated header"));
    }
    Ok(())
}

/// The value of the next line, when it starts with `name`.
fn field<'b>(rest: &mut &'b [u8], name: &[u8]) -> Option<&'b [u8]> {
    let line = rest.lines_with_terminator().next()?;
    let value = line.strip_prefix(name)?;
    *rest = &rest[line.len()..];
    Some(value.strip_suffix(b"\n").unwrap_or(value))
}

fn id(format: ObjectFormat, hex: &[u8]) -> Option<ObjectId> {
    ObjectId::from_hex(format, hex).ok()
}

/// `name <email> seconds zone`.
fn ident(line: &[u8]) -> Result<(), Fault> {
    let fault = |id, what| Err(Fault::new(id, format!("invalid author/committer line - {what}")));
    if line.starts_with(b"<") {
        return fault("missingNameBeforeEmail", "missing space before email");
    }
    let Some(at) = line.find_byteset(b"<>") else { return fault("missingEmail", "missing email") };
    if line[at] == b'>' {
        return fault("badName", "bad name");
    }
    if line[at - 1] != b' ' {
        return fault("missingSpaceBeforeEmail", "missing space before email");
    }
    let rest = &line[at + 1..];
    let Some(at) = rest.find_byteset(b"<>").filter(|&at| rest[at] == b'>') else {
        return fault("badEmail", "bad email");
    };
    let Some(date) = rest[at + 1..].strip_prefix(b" ") else {
        return fault("missingSpaceBeforeDate", "missing space before date");
    };
    let date = date.trim_start_with(|c| c == ' ');
    let digits = date.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (seconds, rest) = date.split_at(digits);
    if seconds.is_empty() {
        return fault("badDate", "bad date");
    }
    if seconds.len() > 1 && seconds[0] == b'0' {
        return fault("zeroPaddedDate", "zero-padded date");
    }
    if seconds.to_str().ok().and_then(|seconds| seconds.parse::<i64>().ok()).is_none() {
        return fault("badDateOverflow", "date causes integer overflow");
    }
    let Some(zone) = rest.strip_prefix(b" ") else { return fault("badDate", "bad date") };
    match zone {
        [b'+' | b'-', digits @ ..] if digits.len() == 4 && digits.iter().all(u8::is_ascii_digit) => Ok(()),
        _ => fault("badTimezone", "bad time zone"),
    }
}

/// Whether an entry of an index can have that path: no part of it is empty, `.`, `..`, or what a file system may take
/// for `.git`.
pub fn is_index_path(path: &[u8], mode: u32) -> bool {
    let is_link = EntryKind::of_mode(mode) == EntryKind::Symlink;
    path.split_str("/").all(|part| {
        let is_modules = || names::special(part) == Some(names::Special::Modules);
        !(matches!(part, b"" | b"." | b"..") || names::is_dot_git(part) || (is_link && is_modules()))
    })
}

#[cfg(test)]
mod tests;
