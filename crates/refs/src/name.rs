//! What a reference may be called (git-check-ref-format), and what its name says about where it lives.

use bstr::{BStr, BString, ByteSlice};

/// What [`is_valid`] lets pass beyond an ordinary name of two parts or more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rules {
    /// A name without a slash, such as `HEAD`.
    pub one_level: bool,
    /// A single `*`, as in the patterns of refspecs.
    pub pattern: bool,
}

impl Rules {
    /// What a reference of a repository may be called: one level is enough, for `HEAD` and its like.
    pub const ANY: Rules = Rules { one_level: true, pattern: false };
}

/// What a byte does to a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Plain,
    Slash,
    Dot,
    Brace,
    Star,
    Bad,
}

const CLASS: [Class; 256] = {
    let mut table = [Class::Plain; 256];
    let mut i = 0;
    while i <= b' ' as usize {
        table[i] = Class::Bad;
        i += 1;
    }
    table[0x7f] = Class::Bad;
    let bad = b"~^:?[\\";
    i = 0;
    while i < bad.len() {
        table[bad[i] as usize] = Class::Bad;
        i += 1;
    }
    table[b'/' as usize] = Class::Slash;
    table[b'.' as usize] = Class::Dot;
    table[b'{' as usize] = Class::Brace;
    table[b'*' as usize] = Class::Star;
    table
};

/// Whether `name` is well formed as a reference name.
pub fn is_valid(name: &[u8], rules: Rules) -> bool {
    if name.is_empty() || name == b"@" {
        return false;
    }
    let (mut start, mut parts, mut stars) = (0, 1, 0);
    for (at, &byte) in name.iter().enumerate() {
        let before = |wanted| at > start && name[at - 1] == wanted;
        match CLASS[byte as usize] {
            Class::Plain => {}
            Class::Bad => return false,
            Class::Dot if at == start || before(b'.') => return false,
            Class::Brace if before(b'@') => return false,
            Class::Dot | Class::Brace => {}
            Class::Star => stars += 1,
            Class::Slash => {
                if at == start || name[start..at].ends_with(b".lock") {
                    return false;
                }
                start = at + 1;
                parts += 1;
            }
        }
    }
    start < name.len()
        && !name.ends_with(b".lock")
        && !name.ends_with(b".")
        && (parts > 1 || rules.one_level)
        && stars <= usize::from(rules.pattern)
}

/// Drops slashes at the start and joins runs of them. The result may still be no valid name.
pub fn normalize(name: &[u8]) -> BString {
    let mut out = BString::default();
    for &byte in name {
        if byte != b'/' || out.last().is_some_and(|&last| last != b'/') {
            out.push(byte);
        }
    }
    out
}

/// Whether `name` may be the short name of a branch: a valid name that no option or revision syntax hides.
pub fn is_valid_branch(name: &[u8]) -> bool {
    if name.starts_with(b"-") || name == b"HEAD" {
        return false;
    }
    let full = [b"refs/heads/", name].concat();
    is_valid(&full, Rules::default())
}

/// Whether a name that is not well formed can at least do no harm as a path: it stays under `refs/`, or is made of
/// capitals and underscores.
pub fn is_safe(name: &[u8]) -> bool {
    let Some(rest) = name.strip_prefix(b"refs/") else {
        return !name.is_empty() && name.iter().all(|b| b.is_ascii_uppercase() || *b == b'_');
    };
    !rest.is_empty()
        && !rest.contains(&0)
        && rest.split(|&b| b == b'/').all(|part| !part.is_empty() && part != b"." && part != b"..")
}

/// References that belong to one working tree even though they lie under `refs/`.
pub(crate) const WORKTREE_FOLDERS: [&[u8]; 3] = [b"refs/bisect/", b"refs/rewritten/", b"refs/worktree/"];

/// Whether each working tree has its own reference of that name: `HEAD` and its like, `refs/bisect/...`,
/// `refs/rewritten/...` and `refs/worktree/...`.
pub fn is_per_worktree(name: &[u8]) -> bool {
    !name.starts_with(b"refs/") || WORKTREE_FOLDERS.iter().any(|folder| name.starts_with(folder))
}

/// Whether `name` has the form of a reference that lies at the top of the git folder, such as `ORIG_HEAD`.
pub fn has_root_syntax(name: &[u8]) -> bool {
    !name.is_empty() && name.iter().all(|b| b.is_ascii_uppercase() || matches!(b, b'-' | b'_'))
}

/// Whether `name` is a reference at the top of the git folder (gitglossary: root refs). `FETCH_HEAD` and
/// `MERGE_HEAD` are none: they hold more than a reference does.
pub fn is_root_ref(name: &[u8]) -> bool {
    const IRREGULAR: [&[u8]; 5] = [
        b"AUTO_MERGE",
        b"BISECT_EXPECTED_REV",
        b"MERGE_AUTOSTASH",
        b"NOTES_MERGE_PARTIAL",
        b"NOTES_MERGE_REF",
    ];
    has_root_syntax(name)
        && !is_pseudo_ref(name)
        && (name == b"HEAD" || name.ends_with(b"_HEAD") || IRREGULAR.contains(&name))
}

/// Whether `name` is a pseudo-reference (gitglossary): one with more in it than an object id.
pub fn is_pseudo_ref(name: &[u8]) -> bool {
    name == b"FETCH_HEAD" || name == b"MERGE_HEAD"
}

/// The prefix of references that belong to the namespace `namespace` (gitnamespaces): `a/b` becomes
/// `refs/namespaces/a/refs/namespaces/b/`; empty for no namespace. `None` when it makes no valid name.
pub fn namespace_prefix(namespace: &[u8]) -> Option<BString> {
    let mut prefix = BString::default();
    for part in namespace.split(|&b| b == b'/').filter(|part| !part.is_empty()) {
        prefix.extend_from_slice(b"refs/namespaces/");
        prefix.extend_from_slice(part);
        prefix.push(b'/');
    }
    let valid = prefix.is_empty() || is_valid(prefix.trim_end_with(|c| c == '/'), Rules::default());
    valid.then_some(prefix)
}

/// `name` without the `main-worktree/` or `worktrees/NAME/` that picks another working tree, and which it picks.
pub(crate) fn split_worktree(name: &[u8]) -> (Worktree<'_>, &BStr) {
    if let Some(rest) = name.strip_prefix(b"main-worktree/") {
        return (Worktree::Main, rest.as_bstr());
    }
    if let Some(rest) = name.strip_prefix(b"worktrees/")
        && let Some((id, rest)) = rest.split_once_str("/")
    {
        return (Worktree::Linked(id.as_bstr()), rest.as_bstr());
    }
    (Worktree::Current, name.as_bstr())
}

/// Whose reference a name means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Worktree<'a> {
    /// The one that the store was opened for.
    Current,
    /// The main working tree.
    Main,
    /// The linked working tree of that id.
    Linked(&'a BStr),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_of_check_ref_format() {
        let ok = |name: &str| is_valid(name.as_bytes(), Rules::default());
        for good in [
            "refs/heads/main",
            "a/b",
            "refs/heads/@",
            "refs/heads/-x",
            "a/b.c",
            "foo./bar",
            "a/+release",
            "a/}{",
        ] {
            assert!(ok(good), "{good}");
        }
        for bad in [
            "", "@", "main", "/a/b", "a//b", "a/b/", "a/.b", "a/b..c", "a/b.", "a/b.lock", "a.lock/b",
            "a/b c", "a/b~", "a/b^", "a/b:", "a/b?", "a/b*", "a/b[", "a\\b/c", "a/@{b", "a/\u{7f}",
            "a/\u{1}",
        ] {
            assert!(!ok(bad), "{bad}");
        }
        assert!(is_valid(b"HEAD", Rules::ANY));
        let pattern = Rules { one_level: false, pattern: true };
        assert!(is_valid(b"refs/*/x", pattern));
        assert!(!is_valid(b"refs/*/x*", pattern));
        assert_eq!(normalize(b"//refs///heads/x"), "refs/heads/x");
        assert!(is_safe(b"refs/heads/a b") && !is_safe(b"refs/../x") && !is_safe(b"config"));
    }

    #[test]
    fn where_names_live() {
        assert!(is_root_ref(b"ORIG_HEAD") && is_root_ref(b"HEAD") && is_root_ref(b"AUTO_MERGE"));
        assert!(!is_root_ref(b"FETCH_HEAD") && !is_root_ref(b"CONFIG"));
        assert!(
            is_per_worktree(b"HEAD")
                && is_per_worktree(b"refs/bisect/a")
                && !is_per_worktree(b"refs/heads/a")
        );
        assert_eq!(namespace_prefix(b"a/b").unwrap(), "refs/namespaces/a/refs/namespaces/b/");
        assert_eq!(namespace_prefix(b"").unwrap(), "");
        assert!(namespace_prefix(b"a b").is_none());
        assert_eq!(
            split_worktree(b"worktrees/w/HEAD"),
            (Worktree::Linked(b"w".as_bstr()), b"HEAD".as_bstr())
        );
    }
}
