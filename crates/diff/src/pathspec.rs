//! Pathspecs: which paths a command looks at ('pathspec' in gitglossary).
//!
//! [`Pathspec::parse`] reads what a person gave; [`Pathspec::matches`] answers for a whole path, and
//! [`Pathspec::interest`] for an entry of a tree, so that a walk can leave folders out that hold no match.

mod attributes;
mod parse;

use std::sync::Arc;

use adit_object::EntryKind;
use adit_text::wildmatch::{Options as GlobOptions, wildmatch};
use bstr::{BStr, BString, ByteSlice};

pub use attributes::{AttributeLookup, AttributeState, Requirement};
pub use parse::{PathspecError, PathspecOptions};

/// The magic of one pathspec item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Magic {
    /// Relative to the top of the working tree, not to the current folder.
    pub top: bool,
    /// Wildcards are ordinary characters.
    pub literal: bool,
    /// Wildcards do not match a slash.
    pub glob: bool,
    /// ASCII case does not matter.
    pub icase: bool,
    /// Paths that match are left out.
    pub exclude: bool,
}

/// One pathspec item.
#[derive(Debug, Clone)]
pub struct Item {
    /// As it was given, magic included.
    original: BString,
    /// The pattern from the top, without magic.
    pattern: BString,
    magic: Magic,
    /// How many bytes of the pattern stand for the current folder; wildcards in them are ordinary characters.
    prefix: usize,
    /// Where the first wildcard is; the length of the pattern when there is none.
    literal: usize,
    attributes: Vec<Requirement>,
}

/// How far a tree entry matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Interest {
    /// The entry matters, but nothing below it can match.
    Itself,
    /// The entry matters, and below it there may be matches.
    Within,
    /// The entry and all below it match.
    All,
}

/// A set of pathspec items. The empty one matches everything.
#[derive(Clone, Default)]
pub struct Pathspec {
    items: Vec<Item>,
    attributes: Option<Arc<dyn AttributeLookup>>,
}

impl std::fmt::Debug for Pathspec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pathspec").field("items", &self.items).finish_non_exhaustive()
    }
}

impl Item {
    /// The text as it was given.
    pub fn original(&self) -> &BStr {
        self.original.as_bstr()
    }

    /// The pattern from the top of the repository, without its magic.
    pub fn pattern(&self) -> &BStr {
        self.pattern.as_bstr()
    }

    /// The magic.
    pub fn magic(&self) -> Magic {
        self.magic
    }

    /// How much of the pattern, from its start, is compared byte by byte.
    pub fn literal_len(&self) -> usize {
        self.literal
    }

    /// Whether it names one file or folder by its exact path.
    pub fn is_literal(&self) -> bool {
        self.literal == self.pattern.len()
            && !self.magic.icase
            && !self.magic.exclude
            && self.attributes.is_empty()
    }

    fn has_wildcard(&self) -> bool {
        self.literal < self.pattern.len()
    }

    /// Compares `text` with the pattern from `from` on; with icase only the current folder's part is exact.
    fn same(&self, from: usize, text: &[u8]) -> bool {
        let Some(pattern) = self.pattern.get(from..from + text.len()) else { return false };
        if !self.magic.icase {
            return pattern == text;
        }
        let exact = self.prefix.saturating_sub(from).min(text.len());
        pattern[..exact] == text[..exact] && pattern[exact..].eq_ignore_ascii_case(&text[exact..])
    }

    fn glob_matches(&self, path: &[u8]) -> bool {
        let Some((prefix, rest)) = path.split_at_checked(self.prefix) else { return false };
        let options = GlobOptions { pathname: self.magic.glob, ignore_case: self.magic.icase };
        prefix == &self.pattern[..self.prefix] && wildmatch(&self.pattern[self.prefix..], rest, options)
    }

    /// Whether the path, or a folder that holds it, is spelled out by the pattern.
    fn names(&self, path: &[u8]) -> bool {
        let len = self.pattern.len();
        len <= path.len()
            && self.same(0, &path[..len])
            && (len == path.len() || path[len] == b'/' || self.pattern.ends_with(b"/"))
    }

    /// Whether the literal start of the pattern and `folder` (which ends in a slash, or is empty) lie on one line.
    fn touches(&self, folder: &[u8]) -> bool {
        let shared = self.literal.min(folder.len());
        self.same(0, &folder[..shared])
    }

    fn interest(&self, path: &[u8], base: usize, kind: EntryKind, recursive: bool) -> Option<Interest> {
        let (is_tree, len) = (kind == EntryKind::Tree, self.pattern.len());
        if len == 0 || self.names(path) {
            return Some(Interest::All);
        }
        if len > path.len() && self.pattern[path.len()] == b'/' && self.same(0, path) {
            let names_folder = len == path.len() + 1;
            if names_folder && (is_tree || kind == EntryKind::Gitlink) {
                return Some(Interest::All);
            }
            if !names_folder && is_tree {
                return Some(Interest::Within);
            }
        }
        if !self.has_wildcard() {
            return None;
        }
        if !is_tree || !recursive {
            return self.glob_matches(path).then_some(Interest::Itself);
        }
        // Folders beside the literal part of the pattern count as matches, though nothing in them is.
        let below = self.touches(path) && (self.literal <= path.len() || self.pattern[path.len()] == b'/');
        match self.touches(&path[..base]) {
            true if below => Some(Interest::Within),
            true => Some(Interest::Itself),
            false => None,
        }
    }
}

impl Pathspec {
    /// The items, in the order they were given.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// A pathspec of one of the items alone.
    #[must_use]
    pub fn only(&self, item: &Item) -> Self {
        Pathspec { items: vec![item.clone()], attributes: self.attributes.clone() }
    }

    /// Whether there is no item at all.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Whether every path matches.
    pub fn is_match_all(&self) -> bool {
        self.items.is_empty()
            || self
                .items
                .iter()
                .all(|item| item.pattern.is_empty() && !item.magic.exclude && item.attributes.is_empty())
    }

    /// Whether an item asks for attributes, so that [`Pathspec::set_attributes`] is needed.
    pub fn needs_attributes(&self) -> bool {
        self.items.iter().any(|item| !item.attributes.is_empty())
    }

    /// Where `attr` magic looks attributes up.
    pub fn set_attributes(&mut self, lookup: Arc<dyn AttributeLookup>) {
        self.attributes = Some(lookup);
    }

    /// Whether the file, link, submodule or folder at `path` matches.
    pub fn matches(&self, path: &BStr, kind: EntryKind) -> bool {
        self.decide(path, path.len(), kind, false).is_some()
    }

    /// How far an entry of a tree matters; `None` when neither it nor anything below it does.
    ///
    /// `path` is the entry's whole path, of which the first `base` bytes are its folder with the slash. When the
    /// walk is not `recursive`, a folder counts if it matches itself or is on the way to a literal match.
    pub fn interest(&self, path: &BStr, base: usize, kind: EntryKind, recursive: bool) -> Option<Interest> {
        self.decide(path, base, kind, recursive)
    }

    fn decide(&self, path: &BStr, base: usize, kind: EntryKind, recursive: bool) -> Option<Interest> {
        let (mut best, mut any_positive, mut any_exclude) = (None, false, false);
        for item in &self.items {
            any_exclude |= item.magic.exclude;
            if !item.magic.exclude {
                any_positive = true;
                best = best.max(self.item_interest(item, path, base, kind, recursive));
            }
        }
        if !any_positive {
            best = Some(Interest::All);
        }
        let best = best?;
        if !any_exclude {
            return Some(best);
        }
        self.without_excluded(best, path, base, kind, recursive)
    }

    /// What the exclude items leave of `best`. A folder that is excluded is still on the way, so it counts itself.
    fn without_excluded(
        &self,
        best: Interest,
        path: &BStr,
        base: usize,
        kind: EntryKind,
        recursive: bool,
    ) -> Option<Interest> {
        let mut best = best.min(Interest::Within);
        for item in self.items.iter().filter(|item| item.magic.exclude) {
            let Some(excluded) = self.item_interest(item, path, base, kind, recursive) else { continue };
            if kind != EntryKind::Tree {
                return None;
            }
            if excluded == Interest::All {
                let named = path.len() <= item.pattern.len() && !item.pattern.is_empty();
                if !named || base == path.len() {
                    return None;
                }
                best = Interest::Itself;
            }
        }
        Some(best)
    }

    fn item_interest(
        &self,
        item: &Item,
        path: &BStr,
        base: usize,
        kind: EntryKind,
        recursive: bool,
    ) -> Option<Interest> {
        let interest = item.interest(path, base, kind, recursive)?;
        if item.attributes.is_empty() {
            return Some(interest);
        }
        // Attributes are asked of files only; a folder is on the way to some.
        if kind == EntryKind::Tree {
            return Some(interest.min(Interest::Within));
        }
        let lookup = self.attributes.as_deref()?;
        item.attributes.iter().all(|wanted| wanted.is_met(lookup, path)).then_some(Interest::Itself)
    }
}

#[cfg(test)]
mod tests;
