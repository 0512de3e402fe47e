//! Which references an option like `--branches=<pattern>` means, and which `--exclude` leaves out (git-rev-parse).

use adit_text::wildmatch;
use adit_text::wildmatch::{Options, has_wildcard, literal_prefix_len};
use bstr::{BStr, BString, ByteSlice};

use crate::{Entry, Error, Store};

/// References that are left out of the next selection.
#[derive(Debug, Clone, Default)]
pub struct Exclusions {
    patterns: Vec<BString>,
    hidden: Vec<BString>,
}

impl Exclusions {
    /// Leaves out what matches `pattern` (`--exclude`).
    pub fn add(&mut self, pattern: &[u8]) {
        self.patterns.push(pattern.into());
    }

    /// Leaves out what the values of `transfer.hideRefs` and its kin hide (`--exclude-hidden`), in order of mention.
    pub fn hide(&mut self, values: impl IntoIterator<Item = BString>) {
        self.hidden.extend(values);
    }

    /// Forgets everything, as each selection does.
    pub fn clear(&mut self) {
        *self = Exclusions::default();
    }

    /// Whether the reference is left out; `name` is as the selection shows it.
    pub fn excludes(&self, name: &BStr) -> bool {
        self.patterns.iter().any(|pattern| wildmatch(pattern, name, Options::FLAT))
            || is_hidden(&self.hidden, name)
    }
}

/// Whether the patterns of `transfer.hideRefs` hide `name`: the last that matches decides, and `!` shows again.
pub fn is_hidden(patterns: &[BString], name: &BStr) -> bool {
    for pattern in patterns.iter().rev() {
        let (shown, pattern) = match pattern.strip_prefix(b"!") {
            Some(rest) => (true, rest),
            None => (false, pattern.as_slice()),
        };
        // Outside of namespaces, the full name is the name.
        let pattern = pattern.strip_prefix(b"^").unwrap_or(pattern);
        let pattern = pattern.trim_end_with(|c| c == '/');
        if name.strip_prefix(pattern).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/")) {
            return !shown;
        }
    }
    false
}

/// References under a prefix that match a pattern.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// What all names start with, which is not shown.
    trimmed: &'static str,
    pattern: Option<BString>,
}

impl Selection {
    /// All references (`--all`).
    pub fn all() -> Self {
        Selection::default()
    }

    /// Those under `folder` (`refs/heads/`, say), shown without it; only those that match `pattern` below it.
    pub fn under(folder: &'static str, pattern: Option<&[u8]>) -> Self {
        Selection { trimmed: folder, pattern: pattern.map(|pattern| complete(folder, pattern)) }
    }

    /// Those that match `pattern`, from `refs/` on (`--glob`).
    pub fn glob(pattern: &[u8]) -> Self {
        let folder = if pattern.starts_with(b"refs/") { "" } else { "refs/" };
        Selection { trimmed: "", pattern: Some(complete(folder, pattern)) }
    }

    /// Calls `each` with every reference and its name as it is shown.
    pub fn for_each<E: From<Error>>(
        &self,
        store: &Store,
        mut each: impl FnMut(&BStr, &Entry<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let prefix = match &self.pattern {
            Some(pattern) => &pattern[..literal_prefix_len(pattern)],
            None => self.trimmed.as_bytes(),
        };
        let mut refs = store.iter(prefix)?;
        while let Some(entry) = refs.advance()? {
            if self.pattern.as_ref().is_none_or(|pattern| wildmatch(pattern, entry.name, Options::FLAT)) {
                let shown = entry.name.strip_prefix(self.trimmed.as_bytes()).unwrap_or(entry.name);
                each(shown.as_bstr(), &entry)?;
            }
        }
        Ok(())
    }
}

/// A pattern without wildcards means everything under it.
fn complete(folder: &str, pattern: &[u8]) -> BString {
    let mut full = BString::from([folder.as_bytes(), pattern].concat());
    if !has_wildcard(pattern) {
        if !full.ends_with(b"/") {
            full.push(b'/');
        }
        full.push(b'*');
    }
    full
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_completed() {
        assert_eq!(complete("refs/heads/", b"ma"), "refs/heads/ma/*");
        assert_eq!(complete("refs/heads/", b"ma/"), "refs/heads/ma/*");
        assert_eq!(complete("refs/", b"*/x"), "refs/*/x");
    }

    #[test]
    fn the_last_pattern_that_matches_decides() {
        let patterns = ["refs/heads".into(), "!refs/heads/a".into(), "refs/heads/a/b".into()];
        let hidden = |name: &str| is_hidden(&patterns, name.into());
        assert!(hidden("refs/heads/x") && !hidden("refs/heads/a") && !hidden("refs/heads/a/c"));
        assert!(hidden("refs/heads/a/b") && !hidden("refs/headsx") && !hidden("refs/tags/a"));
        let mut exclusions = Exclusions::default();
        exclusions.add(b"m*");
        assert!(exclusions.excludes("main".into()) && !exclusions.excludes("side".into()));
        exclusions.clear();
        assert!(!exclusions.excludes("main".into()));
    }
}
