//! Names that some file system takes for `.git` or another of git's own files.
//!
//! HFS+ ignores case and some invisible characters; NTFS ignores case and what follows a name's dots and spaces or
//! a colon, and knows every file by a short name too: six letters, `~` and a number, or a few letters of a hash.

use bstr::ByteSlice;

/// A file that git itself reads from the working tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Special {
    /// `.gitmodules`
    Modules,
    /// `.gitattributes`
    Attributes,
    /// `.gitignore`
    Ignore,
    /// `.mailmap`
    Mailmap,
}

/// The special files, what they are called without the dot, and what the hashed short name starts with.
const SPECIALS: [(Special, &[u8], &[u8]); 4] = [
    (Special::Modules, b"gitmodules", b"gi7eba"),
    (Special::Attributes, b"gitattributes", b"gi7d29"),
    (Special::Ignore, b"gitignore", b"gi250a"),
    (Special::Mailmap, b"mailmap", b"maba30"),
];

/// Whether a file system may take `name` for `.git`.
pub(super) fn is_dot_git(name: &[u8]) -> bool {
    let on_ntfs = |part: &[u8]| {
        [&b".git"[..], b"git~1"].iter().any(|dot_git| {
            part.get(..dot_git.len()).is_some_and(|start| {
                start.eq_ignore_ascii_case(dot_git) && ends_on_ntfs(&part[dot_git.len()..])
            })
        })
    };
    is_on_hfs(name, b"git") || name.split_str(b"\\").any(on_ntfs)
}

/// The special file that a file system may take `name` for.
pub(super) fn special(name: &[u8]) -> Option<Special> {
    let is = |long: &[u8], hashed: &[u8]| {
        let on_ntfs = name.strip_prefix(b".").is_some_and(|rest| {
            rest.get(..long.len()).is_some_and(|start| start.eq_ignore_ascii_case(long))
                && ends_on_ntfs(&rest[long.len()..])
        });
        on_ntfs || is_on_hfs(name, long) || is_short_name(name, long, hashed)
    };
    SPECIALS.iter().find(|(_, long, hashed)| is(long, hashed)).map(|(special, _, _)| *special)
}

/// Whether NTFS ignores what follows a name.
fn ends_on_ntfs(rest: &[u8]) -> bool {
    let rest = rest.trim_start_with(|c| c == ' ' || c == '.');
    rest.first().is_none_or(|&byte| byte == b':')
}

/// Whether NTFS may have given `name` to the file as its short name.
fn is_short_name(name: &[u8], long: &[u8], hashed: &[u8]) -> bool {
    let Some(at) = name.find_byte(b'~') else { return false };
    let (start, number) = (&name[..at], &name[at + 1..]);
    let digits = number.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 || number[0] == b'0' || !ends_on_ntfs(&number[digits..]) {
        return false;
    }
    let first_four = digits == 1 && number[0] <= b'4' && start.eq_ignore_ascii_case(&long[..6]);
    let by_hash = start.len() + 1 + digits == 8 && start.eq_ignore_ascii_case(&hashed[..start.len().min(6)]);
    first_four || by_hash
}

/// Whether HFS+ takes `name` for a dot and `rest`.
fn is_on_hfs(name: &[u8], rest: &[u8]) -> bool {
    let mut seen = name.chars().filter(|c| !is_ignored_on_hfs(*c));
    seen.next() == Some('.')
        && rest.iter().all(|&byte| seen.next().is_some_and(|c| c.to_ascii_lowercase() == char::from(byte)))
        && seen.next().is_none()
}

fn is_ignored_on_hfs(c: char) -> bool {
    matches!(
        c,
        '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}'
    )
}
