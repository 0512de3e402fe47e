//! The header lines of a commit that a walk needs: tree, parents, dates. The rest is not looked at.

use adit_object::{Commit, ObjectFormat, ObjectId, ParseError};
use bstr::ByteSlice;

/// Tree, parents and where the author line starts.
pub(super) struct Header<'a> {
    commit: Commit<'a>,
}

impl<'a> Header<'a> {
    pub(super) fn parse(format: ObjectFormat, bytes: &'a [u8]) -> Result<Self, ParseError> {
        Ok(Header { commit: Commit::parse(format, bytes)? })
    }

    pub(super) fn tree(&self) -> ObjectId {
        self.commit.tree()
    }

    pub(super) fn parents(&self) -> impl Iterator<Item = ObjectId> + use<'a> {
        self.commit.parents()
    }

    /// The date of the committer line, which must follow the author line directly; 0 when there is none.
    pub(super) fn commit_time(&self) -> u64 {
        let hex = self.commit.tree().format().hex_len();
        let start = b"tree ".len() + hex + 1 + self.commit.parents().len() * (b"parent ".len() + hex + 1);
        let mut lines = self.commit.bytes()[start..].split(|&byte| byte == b'\n');
        if !lines.next().is_some_and(|line| line.starts_with(b"author ")) {
            return 0;
        }
        lines.next().filter(|line| line.starts_with(b"committer ")).map_or(0, line_time)
    }
}

/// The author date of a commit's content, for ordering; 0 when there is none that can be read.
pub(crate) fn author_time(commit: &Commit<'_>) -> u64 {
    commit.author_line().map_or(0, |line| line_time(line))
}

/// The number after the last `>` of an ident line; 0 when there is none or it does not fit.
fn line_time(line: &[u8]) -> u64 {
    let Some(close) = line.rfind_byte(b'>') else { return 0 };
    let date = line[close + 1..].trim_ascii_start();
    let digits = date.iter().take_while(|byte| byte.is_ascii_digit());
    digits
        .map(|&digit| u64::from(digit - b'0'))
        .try_fold(0u64, |sum, digit| sum.checked_mul(10)?.checked_add(digit))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_odd_lines() {
        assert_eq!(line_time(b"A <a@b> 1234 +0000"), 1234);
        assert_eq!(line_time(b"A <a@b>> 77 --700"), 77);
        assert_eq!(line_time(b"A <a@b>"), 0);
        assert_eq!(line_time(b"no address 5"), 0);
        assert_eq!(line_time(b"A <a@b> 99999999999999999999999 +0000"), 0);
        let text = "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor A <a> 5 +0\nauthor B <b> 6 +0\n\
                    committer C <c> 7 +0\n\n";
        let header = Header::parse(ObjectFormat::Sha1, text.as_bytes()).unwrap();
        assert_eq!(header.commit_time(), 0);
    }
}
