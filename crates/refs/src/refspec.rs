//! Refspecs: which references of one repository stand for which of another (gitglossary, git-fetch).

use bstr::{BString, ByteSlice};

/// `[+|^]<source>[:<destination>]`; one `*` on each side stands for the same text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refspec {
    /// Updates that are no fast-forward are allowed.
    pub force: bool,
    /// What matches is left out.
    pub negative: bool,
    /// The side that is read.
    pub source: BString,
    /// The side that is written; `None` without a colon.
    pub destination: Option<BString>,
}

impl Refspec {
    /// Reads a refspec; `None` when a star is on one side only.
    pub fn parse(text: &[u8]) -> Option<Self> {
        let (negative, text) = strip(text, b"^");
        let (force, text) = strip(text, b"+");
        let (source, destination) = match text.rfind_byte(b':') {
            Some(colon) => (&text[..colon], Some(&text[colon + 1..])),
            None => (text, None),
        };
        let stars = |side: &[u8]| side.iter().filter(|&&b| b == b'*').count();
        let balanced = destination.is_none_or(|to| to.is_empty() || stars(to) == stars(source));
        let valid = stars(source) <= 1 && balanced;
        let destination = destination.map(BString::from);
        valid.then(|| Refspec { force, negative, source: source.into(), destination })
    }

    /// The destination that stands for `source`; `None` when it does not match, or has none.
    pub fn map(&self, source: &[u8]) -> Option<BString> {
        let destination = self.destination.as_ref().filter(|to| !to.is_empty() && !self.negative)?;
        substitute(&self.source, destination, source)
    }

    /// The source that `destination` stands for.
    pub fn map_back(&self, destination: &[u8]) -> Option<BString> {
        let pattern = self.destination.as_ref().filter(|to| !to.is_empty() && !self.negative)?;
        substitute(pattern, &self.source, destination)
    }
}

fn strip<'t>(text: &'t [u8], mark: &[u8]) -> (bool, &'t [u8]) {
    text.strip_prefix(mark).map_or((false, text), |rest| (true, rest))
}

/// `to` with the text in the place of its star that makes `from` equal `name`.
fn substitute(from: &[u8], to: &[u8], name: &[u8]) -> Option<BString> {
    let Some(star) = from.find_byte(b'*') else {
        return (from == name).then(|| to.into());
    };
    let (before, after) = (&from[..star], &from[star + 1..]);
    let middle = name.strip_prefix(before)?.strip_suffix(after)?;
    let star = to.find_byte(b'*')?;
    Some([&to[..star], middle, &to[star + 1..]].concat().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_map_both_ways() {
        let spec = Refspec::parse(b"+refs/heads/*:refs/remotes/o/*").unwrap();
        assert!(spec.force);
        assert_eq!(spec.map(b"refs/heads/a/b").unwrap(), "refs/remotes/o/a/b");
        assert_eq!(spec.map(b"refs/tags/a"), None);
        assert_eq!(spec.map_back(b"refs/remotes/o/x").unwrap(), "refs/heads/x");
        let one = Refspec::parse(b"refs/heads/a:refs/heads/b").unwrap();
        assert_eq!(one.map(b"refs/heads/a").unwrap(), "refs/heads/b");
        assert_eq!(one.map(b"refs/heads/ab"), None);
        assert!(Refspec::parse(b"refs/heads/*:refs/x").is_none());
        assert_eq!(Refspec::parse(b"^refs/heads/*").unwrap().map(b"refs/heads/a"), None);
        assert_eq!(Refspec::parse(b"refs/heads/*").unwrap().map(b"refs/heads/a"), None);
    }
}
