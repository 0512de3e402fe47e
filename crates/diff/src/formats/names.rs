//! How paths and ids are written: quoted or ended by NUL, whole or abbreviated.

use adit_object::ObjectId;
use adit_text::quote::quote_path;
use bstr::BStr;

/// How paths are written, and what ends a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Names {
    /// `-z`: paths as they are, each ended by NUL.
    pub nul: bool,
    /// `core.quotePath`: bytes from 0x80 on are quoted as well.
    pub quote_high: bool,
}

impl Default for Names {
    fn default() -> Self {
        Names { nul: false, quote_high: true }
    }
}

impl Names {
    /// Appends one path, without what ends it.
    pub fn path(&self, path: &BStr, out: &mut Vec<u8>) {
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
