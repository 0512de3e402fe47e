//! From a short name to the full ones it may stand for, and back (gitrevisions: `<refname>`).

use bstr::{BStr, BString, ByteSlice};

use crate::backend::Existence;
use crate::{Error, Store};

/// What is put before and after a short name to make a full one, in order of preference.
pub const RULES: [(&str, &str); 6] = [
    ("", ""),
    ("refs/", ""),
    ("refs/tags/", ""),
    ("refs/heads/", ""),
    ("refs/remotes/", ""),
    ("refs/remotes/", "/HEAD"),
];

/// The full names that `short` may stand for, in order of preference.
pub fn expand(short: &[u8]) -> impl Iterator<Item = BString> {
    RULES.iter().map(move |rule| apply(rule, short))
}

fn apply((before, after): &(&str, &str), short: &[u8]) -> BString {
    [before.as_bytes(), short, after.as_bytes()].concat().into()
}

/// Finds the shortest names that still mean the same reference, for many references of one store.
pub struct Shortener<'s> {
    store: &'s Store,
    existence: Box<dyn Existence + 's>,
    strict: bool,
}

impl<'s> Shortener<'s> {
    /// A `strict` one takes no name that any rule could mistake for another reference (core.warnAmbiguousRefs);
    /// otherwise only rules of higher preference count.
    pub fn new(store: &'s Store, strict: bool) -> Result<Self, Error> {
        Ok(Shortener { store, existence: store.existence()?, strict })
    }

    /// The short form of the full name `name`; the name itself when there is none.
    pub fn shorten<'n>(&mut self, name: &'n BStr) -> Result<&'n BStr, Error> {
        for (index, (before, after)) in RULES.iter().enumerate().skip(1).rev() {
            let short =
                name.strip_prefix(before.as_bytes()).and_then(|rest| rest.strip_suffix(after.as_bytes()));
            let Some(short) = short.filter(|short| !short.is_empty()) else { continue };
            let rivals = if self.strict { RULES.len() } else { index };
            let mut taken = false;
            for (_, rule) in RULES[..rivals].iter().enumerate().filter(|(rival, _)| *rival != index) {
                taken = taken || self.leads_somewhere(apply(rule, short).as_bstr())?;
            }
            if !taken {
                return Ok(short.as_bstr());
            }
        }
        Ok(name)
    }

    fn leads_somewhere(&mut self, name: &BStr) -> Result<bool, Error> {
        Ok(self.existence.exists(name)? && self.store.resolve(name)?.is_some())
    }
}
