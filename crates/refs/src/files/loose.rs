//! Loose references: one small file each (gitrepository-layout).

use adit_object::{ObjectFormat, ObjectId};
use adit_sys::SmallFile;
use bstr::ByteSlice;

use crate::name::{self, Rules};
use crate::reference::{Problem, Target};

/// More than any symbolic reference can hold; `FETCH_HEAD` can be longer, but only its start counts.
pub(super) const LIMIT: usize = 4096;

/// Reads what a file of references holds: `ref: <name>`, or an object id that white space may follow.
pub(super) fn parse(format: ObjectFormat, content: &[u8]) -> Target {
    if let Some(target) = content.strip_prefix(b"ref:") {
        return Target::Symbolic(target.trim_with(is_space).into());
    }
    let hex_len = format.hex_len();
    let id = content.get(..hex_len).and_then(|hex| ObjectId::from_hex(format, hex).ok());
    match id {
        Some(id) if content.get(hex_len).is_none_or(|&b| is_space(char::from(b))) => Target::Direct(id),
        _ => Target::Broken(Problem::Content),
    }
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

/// What the outcome of reading a file means; `None` when there is no loose reference. `through` reads a link's file.
pub(super) fn interpret(
    format: ObjectFormat,
    outcome: SmallFile,
    content: &mut Vec<u8>,
    through: impl FnOnce(&mut Vec<u8>) -> std::io::Result<SmallFile>,
) -> std::io::Result<Option<Target>> {
    match outcome {
        SmallFile::Content => Ok(Some(parse(format, content))),
        SmallFile::Folder | SmallFile::Missing => Ok(None),
        // Before symbolic references were files, they were symbolic links.
        SmallFile::Link if content.starts_with(b"refs/") && name::is_valid(content, Rules::default()) => {
            Ok(Some(Target::Symbolic(content.as_slice().into())))
        }
        SmallFile::Link => {
            content.clear();
            let outcome = through(content)?;
            Ok((outcome == SmallFile::Content).then(|| parse(format, content)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_files_hold() {
        let hex = "0123456789ABCDEF0123456789abcdef01234567";
        let id = ObjectId::from_hex(ObjectFormat::Sha1, hex.as_bytes()).unwrap();
        let read = |text: &str| parse(ObjectFormat::Sha1, text.as_bytes());
        for good in [hex.to_owned(), format!("{hex}\n"), format!("{hex}\tnot-for-merge\tbranch\n")] {
            assert_eq!(read(&good), Target::Direct(id));
        }
        for bad in ["", "\n", "junk\n", &hex[1..], &format!("{hex}0"), &format!(" {hex}")] {
            assert_eq!(read(bad), Target::Broken(Problem::Content), "{bad:?}");
        }
        for symbolic in ["ref: refs/heads/x\n", "ref:refs/heads/x", "ref: \trefs/heads/x \n\n"] {
            assert_eq!(read(symbolic), Target::Symbolic("refs/heads/x".into()));
        }
        assert_eq!(read("ref: \n"), Target::Symbolic("".into()));
    }
}
