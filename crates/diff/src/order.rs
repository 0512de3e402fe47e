//! The order of pairs: `-O` sorts them by patterns, `--rotate-to` and `--skip-to` choose where to start.

use adit_text::wildmatch::{Options as GlobOptions, wildmatch};
use bstr::{BString, ByteSlice};

use crate::FilePair;

/// The patterns of an order file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OrderFile {
    patterns: Vec<BString>,
}

impl OrderFile {
    /// Reads the file: a pattern a line; empty lines and those that start with `#` do not count.
    pub fn parse(text: &[u8]) -> Self {
        let lines = text.lines().filter(|line| !line.is_empty() && line[0] != b'#');
        let patterns =
            lines.map(|line| BString::from(if line.starts_with(b"\\#") { &line[1..] } else { line }));
        OrderFile { patterns: patterns.collect() }
    }

    /// Sorts pairs by the first pattern that matches the path or a folder around it.
    pub fn apply(&self, pairs: &mut [FilePair]) {
        if !self.patterns.is_empty() {
            pairs.sort_by_cached_key(|pair| self.rank(&pair.new.path));
        }
    }

    fn rank(&self, path: &[u8]) -> usize {
        let matches = |pattern: &BString| {
            let ends = path.rfind_iter(b"/").chain(std::iter::once(path.len()));
            ends.into_iter().any(|end| wildmatch(pattern, &path[..end], GlobOptions::FLAT))
        };
        self.patterns.iter().position(matches).unwrap_or(self.patterns.len())
    }
}

/// Where output starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rotate {
    /// The path to start at.
    pub path: BString,
    /// Drop what comes before it instead of moving it to the end.
    pub skip: bool,
    /// The path must be there; otherwise the next one will do.
    pub strict: bool,
}

impl Rotate {
    /// Rotates; `false` when the path must be there and is not.
    pub fn apply(&self, pairs: &mut Vec<FilePair>) -> bool {
        let found = pairs
            .iter()
            .position(|pair| pair.new.path == self.path || (!self.strict && pair.new.path > self.path));
        match found {
            Some(at) if self.skip => drop(pairs.drain(..at)),
            Some(at) => pairs.rotate_left(at),
            None => return pairs.is_empty() || !self.strict,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Side;
    use adit_object::{ObjectFormat, ObjectId};

    fn pairs(paths: &str) -> Vec<FilePair> {
        let id = ObjectId::null(ObjectFormat::Sha1);
        let side = |path: &str| Side { mode: 0o100644, id, path: path.into() };
        paths.split(' ').map(|path| FilePair::new(side(path), side(path))).collect()
    }

    fn paths(pairs: &[FilePair]) -> String {
        pairs.iter().map(|pair| pair.new.path.to_string()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn patterns_match_folders_too() {
        let order = OrderFile::parse(b"# comment\n\n*.h\nt\n\\#x\n");
        let mut all = pairs("#x a.c b/c.h t/y z");
        order.apply(&mut all);
        assert_eq!(paths(&all), "b/c.h t/y #x a.c z");
    }

    #[test]
    fn rotating_and_skipping() {
        let rotate = |path: &str, skip, strict| {
            let mut all = pairs("a b d");
            let found = Rotate { path: path.into(), skip, strict }.apply(&mut all);
            (found, paths(&all))
        };
        assert_eq!(rotate("b", false, true), (true, "b d a".into()));
        assert_eq!(rotate("b", true, true), (true, "b d".into()));
        assert_eq!(rotate("c", false, false), (true, "d a b".into()));
        assert!(!rotate("c", false, true).0);
    }
}
