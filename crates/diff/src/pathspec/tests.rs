use super::*;

fn spec(args: &[&str]) -> Pathspec {
    Pathspec::parse(args, &PathspecOptions::default()).unwrap()
}

fn file(args: &[&str], path: &str) -> bool {
    spec(args).matches(path.into(), EntryKind::File)
}

/// Interest in a folder, `path` without its slash.
fn folder(args: &[&str], path: &str) -> Option<Interest> {
    let base = path.rfind('/').map_or(0, |at| at + 1);
    spec(args).interest(path.into(), base, EntryKind::Tree, true)
}

#[test]
fn a_path_matches_itself_and_what_is_in_it() {
    assert!(file(&["a/b"], "a/b") && file(&["a/b"], "a/b/c") && file(&["a/"], "a/b"));
    assert!(!file(&["a/b"], "a/bc") && !file(&["a/"], "a") && !file(&["a/b"], "a"));
    assert!(spec(&["a/"]).matches("a".into(), EntryKind::Gitlink));
}

#[test]
fn wildcards_match_slashes_unless_glob_is_asked_for() {
    assert!(file(&["*.c"], "a/x.c") && file(&["a*"], "a/b/c"));
    assert!(!file(&[":(glob)*.c"], "a/x.c") && file(&[":(glob)**/x.c"], "a/x.c"));
    assert!(file(&[":(literal)a*"], "a*") && !file(&[":(literal)a*"], "ab"));
    assert!(file(&["a*"], "a*/x"), "a name with a star in it is still a name");
    assert!(file(&[":(icase)A/B"], "a/b/c"));
}

#[test]
fn exclusion_applies_last_and_alone() {
    assert!(!file(&["a", ":!a/b"], "a/b/c") && file(&["a", ":!a/b"], "a/c"));
    assert!(file(&[":!a"], "b") && !file(&[":^a"], "a"));
    assert!(!file(&["a", ":!b"], "c"));
}

#[test]
fn folders_are_entered_only_where_a_match_may_be() {
    assert_eq!(folder(&["a/b"], "a"), Some(Interest::Within));
    assert_eq!(folder(&["a/b"], "a/b"), Some(Interest::All));
    assert_eq!(folder(&["a/b"], "c"), None);
    assert_eq!(folder(&["a/*.c"], "c"), Some(Interest::Itself));
    assert_eq!(folder(&["a/*.c"], "c/d"), None);
    assert_eq!(folder(&["a/*.c"], "a/d"), Some(Interest::Within));
    assert_eq!(folder(&[":!a"], "a"), Some(Interest::Itself));
    assert_eq!(folder(&[":!a"], "b"), Some(Interest::Within));
}

#[test]
fn the_current_folder_is_no_pattern() {
    let options = PathspecOptions { prefix: b"[x]/", ..PathspecOptions::default() };
    let spec = Pathspec::parse(&["*.c"], &options).unwrap();
    assert!(spec.matches("[x]/a.c".into(), EntryKind::File));
    assert!(!spec.matches("x/a.c".into(), EntryKind::File));
}

#[test]
fn attributes_are_asked_of_files() {
    struct Vendored;
    impl AttributeLookup for Vendored {
        fn state(&self, path: &BStr, name: &BStr) -> AttributeState {
            if name == "vendored" && path.starts_with(b"lib/") {
                AttributeState::Value("yes".into())
            } else {
                AttributeState::Unspecified
            }
        }
    }
    let mut spec = spec(&[":(attr:vendored=yes)"]);
    assert!(spec.needs_attributes());
    spec.set_attributes(Arc::new(Vendored));
    assert!(spec.matches("lib/a".into(), EntryKind::File));
    assert!(!spec.matches("src/a".into(), EntryKind::File));
}
