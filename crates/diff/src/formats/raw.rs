//! `--raw`, `--name-status` and `--name-only`: one record a pair ('Raw output format' in git-diff(1)).

use crate::formats::{Ids, Names};
use crate::{FilePair, Status};

/// Appends the raw record of `pair`.
pub fn raw(pair: &FilePair, ids: &Ids<'_>, names: &Names, out: &mut Vec<u8>) {
    out.push(b':');
    mode(pair.old.mode, out);
    out.push(b' ');
    mode(pair.new.mode, out);
    out.push(b' ');
    ids.append(&pair.old.id, out);
    out.push(b' ');
    ids.append(&pair.new.id, out);
    out.push(b' ');
    name_status(pair, names, out);
}

/// Appends the status and the paths of `pair`.
pub fn name_status(pair: &FilePair, names: &Names, out: &mut Vec<u8>) {
    out.push(pair.status.letter());
    if pair.score != 0 {
        let percent = pair.percent();
        out.extend([percent / 100, percent / 10 % 10, percent % 10].map(|digit| b'0' + digit as u8));
    }
    out.push(names.separator());
    if matches!(pair.status, Status::Renamed | Status::Copied) {
        names.path(pair.old.path.as_ref(), out);
        out.push(names.separator());
        names.path(pair.new.path.as_ref(), out);
    } else {
        names.path(pair.old.path.as_ref(), out);
    }
    out.push(names.terminator());
}

/// Appends the path of `pair` after the change.
pub fn name_only(pair: &FilePair, names: &Names, out: &mut Vec<u8>) {
    names.path(pair.new.path.as_ref(), out);
    out.push(names.terminator());
}

/// Appends a mode as six octal digits.
pub fn mode(mode: u32, out: &mut Vec<u8>) {
    for shift in (0..6).rev() {
        out.push(b'0' + (mode >> (shift * 3) & 7) as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Side;
    use adit_object::{ObjectFormat, ObjectId};

    fn pair() -> FilePair {
        let id = ObjectId::from_hex(ObjectFormat::Sha1, b"0123456789012345678901234567890123456789").unwrap();
        let old = Side { mode: 0o100644, id, path: "a\tb".into() };
        let new = Side { mode: 0o100755, id, path: "c".into() };
        FilePair { old, new, status: Status::Renamed, score: 5_800, broken: false }
    }

    #[test]
    fn records_with_and_without_nul() {
        let mut out = Vec::new();
        raw(&pair(), &Ids::Short(&|_| 7), &Names::default(), &mut out);
        assert_eq!(out, b":100644 100755 0123456 0123456 R009\t\"a\\tb\"\tc\n");
        out.clear();
        name_status(&pair(), &Names { nul: true, ..Names::default() }, &mut out);
        assert_eq!(out, b"R009\0a\tb\0c\0");
    }
}
