//! Which references are listed.

use adit_object::ObjectId;
use adit_refs::name::{self, is_per_worktree};
use adit_text::wildmatch::{self, has_wildcard, literal_prefix_len, wildmatch};
use bstr::{BStr, BString};

/// The kinds of references that are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kinds {
    /// All of them (`for-each-ref`).
    All,
    /// All of them and `HEAD` and its like.
    AllAndRoots,
    /// Branches.
    Branches,
    /// Remote-tracking branches.
    Remotes,
    /// Both.
    AllBranches,
    /// Tags.
    Tags,
}

impl Kinds {
    /// The folders that hold them; all when empty.
    fn folders(self) -> &'static [&'static str] {
        match self {
            Kinds::All | Kinds::AllAndRoots => &[""],
            Kinds::Branches => &["refs/heads/"],
            Kinds::Remotes => &["refs/remotes/"],
            Kinds::AllBranches => &["refs/heads/", "refs/remotes/"],
            Kinds::Tags => &["refs/tags/"],
        }
    }

    /// Whether patterns match the name below the folder, and `*` matches slashes, as `branch` and `tag` have it.
    fn matches_below(self) -> bool {
        !matches!(self, Kinds::All | Kinds::AllAndRoots)
    }
}

/// Which references are listed.
#[derive(Debug, Clone)]
pub struct Filter {
    /// Of these kinds.
    pub kinds: Kinds,
    /// Only those that match one of these; all when there are none.
    pub patterns: Vec<BString>,
    /// None that match one of these.
    pub exclude: Vec<BString>,
    /// Letters match whatever their case.
    pub ignore_case: bool,
    /// Only names after this one.
    pub start_after: Option<BString>,
    /// Only those that hold one of these objects, or a tag of it.
    pub points_at: Vec<ObjectId>,
    /// Only those that reach one of these commits.
    pub contains: Vec<ObjectId>,
    /// None of those that reach one of these commits.
    pub no_contains: Vec<ObjectId>,
    /// Only those that one of these commits reaches.
    pub merged: Vec<ObjectId>,
    /// None of those that one of these commits reaches.
    pub no_merged: Vec<ObjectId>,
    /// Only those that lead to commits.
    pub commits_only: bool,
}

impl Filter {
    /// All references of some kinds.
    pub fn new(kinds: Kinds) -> Self {
        Filter {
            kinds,
            patterns: Vec::new(),
            exclude: Vec::new(),
            ignore_case: false,
            start_after: None,
            points_at: Vec::new(),
            contains: Vec::new(),
            no_contains: Vec::new(),
            merged: Vec::new(),
            no_merged: Vec::new(),
            commits_only: false,
        }
    }

    /// Whether commits must be looked at.
    pub fn needs_commits(&self) -> bool {
        self.commits_only
            || [&self.contains, &self.no_contains, &self.merged, &self.no_merged]
                .iter()
                .any(|ids| !ids.is_empty())
    }

    /// Whether all references must be known before the first can be shown.
    pub fn needs_all(&self) -> bool {
        !self.merged.is_empty() || !self.no_merged.is_empty()
    }

    /// The prefixes that together cover all names that can match, in byte order, none within another.
    pub fn prefixes(&self) -> Vec<BString> {
        let folders = self.kinds.folders().iter().map(|folder| BString::from(*folder));
        if self.kinds.matches_below() || self.patterns.is_empty() || self.ignore_case {
            return folders.collect();
        }
        let literal = |pattern: &BString| BString::from(&pattern[..literal_prefix_len(pattern)]);
        let mut prefixes: Vec<BString> = self.patterns.iter().map(literal).collect();
        prefixes.sort();
        prefixes.dedup_by(|later, earlier| later.starts_with(earlier));
        prefixes
    }

    /// Names that the store can leave out by itself.
    pub fn skipped(&self) -> Vec<BString> {
        if self.kinds.matches_below() || self.ignore_case {
            return Vec::new();
        }
        self.exclude.iter().filter(|pattern| !has_wildcard(pattern)).cloned().collect()
    }

    /// Whether the name is listed.
    pub fn matches(&self, name: &BStr) -> bool {
        let matches = |pattern: &BString| {
            if self.kinds.matches_below() {
                self.matches_short(pattern, name)
            } else {
                self.matches_path(pattern, name)
            }
        };
        let is_root = !name.starts_with(b"refs/");
        let of_kind = !is_root
            || matches!(self.kinds, Kinds::AllAndRoots) && is_per_worktree(name) && name::is_root_ref(name);
        of_kind
            && (self.patterns.is_empty() || self.patterns.iter().any(matches))
            && !self.exclude.iter().any(matches)
    }

    /// Whether a `HEAD` that is on no branch is listed among branches.
    pub fn matches_head(&self, name: &BStr) -> bool {
        self.patterns.is_empty() || self.patterns.iter().any(|pattern| self.matches_short(pattern, name))
    }

    fn matches_path(&self, pattern: &[u8], name: &BStr) -> bool {
        let options = wildmatch::Options { pathname: true, ignore_case: self.ignore_case };
        let below = name
            .strip_prefix(pattern)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/") || pattern.ends_with(b"/"));
        below || wildmatch(pattern, name, options)
    }

    fn matches_short(&self, pattern: &[u8], name: &BStr) -> bool {
        let options = wildmatch::Options { pathname: false, ignore_case: self.ignore_case };
        let folders: [&[u8]; 4] = [b"refs/tags/", b"refs/heads/", b"refs/remotes/", b"refs/"];
        let short = folders.iter().find_map(|folder| name.strip_prefix(*folder)).unwrap_or(name);
        wildmatch(pattern, short, options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_cover_patterns_once() {
        let mut filter = Filter::new(Kinds::All);
        assert_eq!(filter.prefixes(), [""]);
        filter.patterns =
            ["refs/tags/v*", "refs/heads", "refs/heads/x", "refs/tags/v1"].map(BString::from).to_vec();
        assert_eq!(filter.prefixes(), ["refs/heads", "refs/tags/v"]);
        assert!(filter.matches("refs/heads/x".into()) && filter.matches("refs/heads".into()));
        assert!(!filter.matches("refs/headsx".into()) && !filter.matches("refs/tags/v/1".into()));
        filter.exclude = vec!["refs/heads/a".into()];
        assert!(!filter.matches("refs/heads/a/b".into()) && filter.matches("refs/heads/a-b".into()));
        assert_eq!(filter.skipped(), ["refs/heads/a"]);
        let mut tags = Filter::new(Kinds::Tags);
        tags.patterns = vec!["v*".into()];
        assert!(tags.matches("refs/tags/v/1".into()) && !tags.matches("refs/tags/w".into()));
    }
}
