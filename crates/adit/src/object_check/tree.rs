//! The checks of a tree.

use std::cmp::Ordering;

use adit_object::{EntryKind, ObjectFormat};
use bstr::ByteSlice;
use hashbrown::HashSet;

use super::Fault;
use super::names::{self, Special};

/// The longest name that is not called excessive.
const MAX_NAME: usize = 4096;

/// What a whole tree can be guilty of, in the order in which git names it.
const FAULTS: [(&str, &str); 11] = [
    ("nullSha1", "contains entries pointing to null sha1"),
    ("fullPathname", "contains full pathnames"),
    ("hasDot", "contains '.'"),
    ("hasDotdot", "contains '..'"),
    ("hasDotgit", "contains '.git'"),
    ("zeroPaddedFilemode", "contains zero-padded file modes"),
    ("badFilemode", "contains bad file modes"),
    ("duplicateEntries", "contains duplicate file entries"),
    ("treeNotSorted", "not properly sorted"),
    ("largePathname", "contains excessively large pathname"),
    ("badTree", "cannot be parsed as a tree"),
];

struct Entry<'t> {
    mode: &'t [u8],
    name: &'t [u8],
    id: &'t [u8],
}

pub(super) fn check(format: ObjectFormat, bytes: &[u8]) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut found = [false; FAULTS.len()];
    let mut files = HashSet::new();
    let mut rest = bytes;
    let mut last: Option<(EntryKind, &[u8])> = None;
    while !rest.is_empty() {
        let entry = match take(format, &mut rest) {
            Ok(entry) => entry,
            Err(cause) => {
                let text = "cannot be parsed as a tree".into();
                return vec![Fault { id: "badTree", text, cause: Some(cause) }];
            }
        };
        let mode = entry.mode.iter().fold(0_u32, |mode, digit| mode << 3 | u32::from(digit - b'0'));
        let kind = EntryKind::of_mode(mode);
        if kind == EntryKind::Symlink {
            faults.extend(names::special(entry.name).map(symlink));
        }
        let (repeated, unsorted) = place(last, kind, entry.name, &mut files);
        let here = [
            entry.id.iter().all(|&byte| byte == 0),
            entry.name.contains(&b'/'),
            entry.name == b".",
            entry.name == b"..",
            names::is_dot_git(entry.name),
            entry.mode[0] == b'0',
            !matches!(mode, 0o100755 | 0o100644 | 0o120000 | 0o040000 | 0o160000),
            repeated,
            unsorted,
            entry.name.len() > MAX_NAME,
            false,
        ];
        for (found, here) in found.iter_mut().zip(here) {
            *found |= here;
        }
        last = Some((kind, entry.name));
    }
    faults.extend(
        FAULTS.iter().zip(found).filter(|(_, found)| *found).map(|((id, text), _)| Fault::new(id, *text)),
    );
    faults
}

fn take<'t>(format: ObjectFormat, rest: &mut &'t [u8]) -> Result<Entry<'t>, &'static str> {
    let short = "too-short tree object";
    let nul = rest.find_byte(0).ok_or(short)?;
    let end = nul + 1 + format.len();
    if rest.len() < end {
        return Err(short);
    }
    let space = rest[..nul].find_byte(b' ');
    let mode = &rest[..space.unwrap_or(nul)];
    let digits = !mode.is_empty() && mode.iter().all(|digit| (b'0'..=b'7').contains(digit));
    let Some(space) = space.filter(|_| digits) else { return Err("malformed mode in tree entry") };
    let entry = Entry { mode, name: &rest[space + 1..nul], id: &rest[nul + 1..end] };
    if entry.name.is_empty() {
        return Err("empty filename in tree entry");
    }
    *rest = &rest[end..];
    Ok(entry)
}

/// Whether an entry repeats a name, and whether it is out of order. A folder sorts as if its name ended in `/`, so
/// a file of the same name may lie some entries before it.
fn place<'t>(
    last: Option<(EntryKind, &[u8])>,
    kind: EntryKind,
    name: &'t [u8],
    files: &mut HashSet<&'t [u8]>,
) -> (bool, bool) {
    let repeated = if kind == EntryKind::Tree { files.contains(name) } else { !files.insert(name) };
    let Some((last_kind, last_name)) = last else { return (false, false) };
    if last_name == name {
        return (true, false);
    }
    let key = |kind, name: &'t [u8]| name.iter().copied().chain((kind == EntryKind::Tree).then_some(b'/'));
    let last_key = last_name.iter().copied().chain((last_kind == EntryKind::Tree).then_some(b'/'));
    let unsorted = last_key.cmp(key(kind, name)) != Ordering::Less;
    (repeated && kind == EntryKind::Tree && !unsorted, unsorted)
}

fn symlink(special: Special) -> Fault {
    match special {
        Special::Modules => Fault::new("gitmodulesSymlink", ".gitmodules is a symbolic link"),
        Special::Attributes => Fault::new("gitattributesSymlink", ".gitattributes is a symlink"),
        Special::Ignore => Fault::new("gitignoreSymlink", ".gitignore is a symlink"),
        Special::Mailmap => Fault::new("mailmapSymlink", ".mailmap is a symlink"),
    }
}
