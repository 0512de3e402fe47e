//! How paths and ids are written: quoted or ended by NUL, whole or abbreviated.

use adit_object::ObjectId;
use adit_text::quote::quote_path;
use bstr::{BStr, BString, ByteSlice};

/// How paths are written, and what ends a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Names {
    /// `-z`: paths as they are, each ended by NUL.
    pub nul: bool,
    /// `core.quotePath`: bytes from 0x80 on are quoted as well.
    pub quote_high: bool,
    /// `--relative`: the folder that paths are relative to, with its slash; empty for the top.
    pub relative: BString,
}

impl Default for Names {
    fn default() -> Self {
        Names { nul: false, quote_high: true, relative: BString::default() }
    }
}

impl Names {
    /// The part of `path` that is shown.
    pub fn shown<'p>(&self, path: &'p BStr) -> &'p BStr {
        match path.strip_prefix(self.relative.as_slice()) {
            // A folder name that was given without its slash leaves one.
            Some(rest) if !self.relative.is_empty() => rest.strip_prefix(b"/").unwrap_or(rest).as_bstr(),
            _ => path,
        }
    }

    /// Appends one path, without what ends it.
    pub fn path(&self, path: &BStr, out: &mut Vec<u8>) {
        let path = self.shown(path);
        if self.nul {
            out.extend_from_slice(path);
        } else {
            quote_path(path, self.quote_high, out);
        }
    }

    /// What stands between the fields of a record.
    pub fn separator(&self) -> u8 {
        if self.nul { 0 } else { b'\t' }
    }

    /// What ends a record.
    pub fn terminator(&self) -> u8 {
        if self.nul { 0 } else { b'\n' }
    }

    /// Appends the two paths of a rename as one: what they share stands outside of `{old => new}`.
    pub fn rename(&self, old: &BStr, new: &BStr, out: &mut Vec<u8>) {
        let (old, new) = (self.shown(old), self.shown(new));
        let mut quoted = Vec::new();
        let is_plain = [old, new].into_iter().all(|path| {
            quoted.clear();
            quote_path(path, self.quote_high, &mut quoted);
            quoted == *path
        });
        if !is_plain {
            quote_path(old, self.quote_high, out);
            out.extend_from_slice(b" => ");
            quote_path(new, self.quote_high, out);
            return;
        }
        let (head, tail) = shared_ends(old, new);
        if head + tail == 0 {
            return [old, b" => ".into(), new].into_iter().for_each(|part| out.extend_from_slice(part));
        }
        let inner = |path: &'_ BStr| head..path.len().saturating_sub(tail).max(head);
        out.extend_from_slice(&old[..head]);
        out.push(b'{');
        out.extend_from_slice(&old[inner(old)]);
        out.extend_from_slice(b" => ");
        out.extend_from_slice(&new[inner(new)]);
        out.push(b'}');
        out.extend_from_slice(&old[old.len() - tail..]);
    }
}

/// How many bytes of whole folders two paths share at their start (with the slash) and at their end (from the slash
/// on). The slash that ends the start may begin the end.
fn shared_ends(old: &[u8], new: &[u8]) -> (usize, usize) {
    let common = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let head = old[..common].rfind_byte(b'/').map_or(0, |at| at + 1);
    // One slash may belong to both, as in `a/{ => b}/c`.
    let reach = if head > 0 { head - 1 } else { 0 };
    let mut tail = 0;
    let longest = (old.len() - reach).min(new.len() - reach);
    for back in 1..=longest {
        let (a, b) = (old[old.len() - back], new[new.len() - back]);
        if a != b {
            break;
        }
        if a == b'/' {
            tail = back;
        }
    }
    (head, tail)
}

/// How ids are written.
#[derive(Clone, Copy)]
pub enum Ids<'a> {
    /// All digits.
    Full,
    /// As many digits as the function says; it is asked for the null id too.
    Short(&'a (dyn Fn(&ObjectId) -> usize + Sync)),
}

impl Ids<'_> {
    /// Appends one id.
    pub fn append(&self, id: &ObjectId, out: &mut Vec<u8>) {
        let len = match self {
            Ids::Full => usize::MAX,
            Ids::Short(len) => len(id),
        };
        id.append_hex(len, out);
    }
}

impl std::fmt::Debug for Ids<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Ids::Full => "Full",
            Ids::Short(_) => "Short",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rename(old: &str, new: &str) -> String {
        let mut out = Vec::new();
        Names::default().rename(old.into(), new.into(), &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn renames_share_their_folders() {
        // As git 2.55 prints them.
        assert_eq!(rename("a", "b"), "a => b");
        assert_eq!(rename("d/a", "d/b"), "d/{a => b}");
        assert_eq!(rename("a/x/c", "a/y/c"), "a/{x => y}/c");
        assert_eq!(rename("a/c", "a/b/c"), "a/{ => b}/c");
        assert_eq!(rename("a/b/c", "a/c"), "a/{b => }/c");
        assert_eq!(rename("c", "a/c"), "c => a/c");
        assert_eq!(rename("x/c", "c"), "x/c => c");
        assert_eq!(rename("x/c", "y/c"), "{x => y}/c");
        assert_eq!(rename("a/b/b/c", "a/b/c"), "a/b/{b => }/c");
        assert_eq!(rename("a b", "c\td"), "a b => \"c\\td\"");
    }
}
