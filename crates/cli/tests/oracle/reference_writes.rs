//! Commands that change references: the same lines, one after the other, in two repositories that start the same, must
//! say the same and leave the same files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use adit_testkit::{FORMATS, Repo};
use bstr::ByteSlice;

use crate::ADIT;

/// A repository with references of every kind: packed, loose, symbolic, dangling, circular, damaged.
fn repository(format: &str) -> Repo {
    let repo = Repo::new(format);
    repo.write("f", "1\n").commit("one").write("f", "2\n").commit("two").commit("three");
    repo.git(&["branch", "packed/a", "HEAD~1"]);
    repo.git(&["branch", "packed/b", "HEAD~1"]);
    repo.tick().git(&["tag", "-a", "-m", "m", "heavy"]);
    repo.git(&["tag", "light", "HEAD~2"]);
    repo.git(&["pack-refs", "--all"]);
    repo.git(&["branch", "loose/a"]);
    repo.git(&["branch", "packed-and-loose/x"]);
    for (name, target) in [("symbolic", "loose/a"), ("dangling", "new/x"), ("c1", "c2"), ("c2", "c1")] {
        repo.git(&["symbolic-ref", &format!("refs/heads/{name}"), &format!("refs/heads/{target}")]);
    }
    std::fs::write(repo.git_dir().join("refs/heads/broken"), "junk\n").unwrap();
    std::fs::write(repo.git_dir().join("refs/heads/locked.lock"), "").unwrap();
    std::fs::create_dir_all(repo.git_dir().join("refs/heads/void/inner")).unwrap();
    std::fs::create_dir_all(repo.git_dir().join("refs/heads/full/inner")).unwrap();
    std::fs::write(repo.git_dir().join("refs/heads/full/inner/x.lock"), "").unwrap();
    repo
}

/// The files of the references, their logs and the configuration, and what they hold.
fn files(git_dir: &Path) -> BTreeMap<String, String> {
    fn walk(top: &Path, path: &Path, found: &mut BTreeMap<String, String>) {
        let name = path.strip_prefix(top).unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            found.insert(format!("{name}/"), String::new());
            for entry in std::fs::read_dir(path).unwrap() {
                walk(top, &entry.unwrap().path(), found);
            }
        } else if path.exists() {
            found.insert(name, String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned());
        }
    }
    let mut found = BTreeMap::new();
    for part in ["refs", "logs", "packed-refs", "packed-refs.lock", "packed-refs.new", "config"] {
        walk(git_dir, &git_dir.join(part), &mut found);
    }
    for entry in std::fs::read_dir(git_dir).unwrap().map(|entry| entry.unwrap().path()) {
        let name = entry.file_name().unwrap().to_string_lossy().into_owned();
        if entry.is_file() && name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_' || b == b'.') {
            walk(git_dir, &entry, &mut found);
        }
    }
    found
}

/// What a line of commands says: standard output, the status, and the lines that scripts look at, in which the place
/// of the repository does not count.
fn result(repo: &Repo, program: impl AsRef<std::ffi::OsStr>, words: &[String], input: &[u8]) -> String {
    let output = repo.run(program, words, input);
    let errors = output.stderr.to_str_lossy().replace(&format!("{}/", repo.path().display()), "");
    let errors = errors.replace(&repo.path().display().to_string(), "TOP");
    let errors: Vec<&str> = errors
        .lines()
        .filter(|line| ["fatal:", "error:", "warning:"].iter().any(|start| line.starts_with(start)))
        .collect();
    format!("{:?}\n{}{}", output.status.code(), output.stdout.as_bstr(), errors.join("\n"))
}

/// Splits a line of a list into words and input, which follows a bar. `\n`, `\0` and `\"` stand for what they do in C,
/// a quoted word may hold spaces, and `$A`, `$B`, `$C`, `$T` and `$Z` for objects.
fn split(line: &str, objects: &BTreeMap<char, String>) -> (Vec<String>, Vec<u8>) {
    let mut text = line.to_owned();
    for (letter, id) in objects {
        text = text.replace(&format!("${letter}"), id);
    }
    let (command, input) = text.split_once(" | ").unwrap_or((&text, ""));
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in command.chars() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            c => words.iter_mut().last().unwrap().push(c),
        }
    }
    let words = words.into_iter().map(|word| word.replace("\\n", "\n")).collect();
    (words, input.replace("\\n", "\n").replace("\\0", "\0").into_bytes())
}

/// Runs each line with git in one repository and with Adit in its twin. A line that starts with `!` is for git alone,
/// in both: it sets something up.
#[track_caller]
fn same_writes(format: &str, lines: &str) {
    let [theirs, ours] = [repository(format), repository(format)];
    let mut objects = BTreeMap::from([('Z', "0".repeat(if format == "sha1" { 40 } else { 64 }))]);
    for (letter, name) in [('A', "HEAD"), ('B', "HEAD~1"), ('C', "HEAD~2"), ('T', "heavy"), ('F', "HEAD:f")] {
        objects.insert(letter, theirs.git(&["rev-parse", name]).trim().to_owned());
    }
    let git = adit_testkit::git_program();
    let (mut wrong, mut known) = (Vec::new(), Vec::new());
    for line in lines.lines().filter(|line| !line.starts_with('#')) {
        if let Some(setup) = line.strip_prefix('!') {
            let (words, input) = split(setup, &objects);
            for repo in [&theirs, &ours] {
                repo.run(&git, &words, &input);
            }
            continue;
        }
        let (words, input) = split(line, &objects);
        let expected = result(&theirs, &git, &words, &input);
        let found = result(&ours, ADIT, &words, &input);
        if found != expected {
            wrong.push(format!("{line}\ngit:  {expected}\nadit: {found}"));
        }
        let differing = difference(&files(&ours.git_dir()), &files(&theirs.git_dir()));
        if differing != known {
            wrong.push(format!("{line}\nfiles: {differing:#?}"));
            known = differing;
        }
    }
    assert!(wrong.is_empty(), "{format}\n{}", wrong.join("\n\n"));
}

/// The files that differ, and what they hold.
fn difference(ours: &BTreeMap<String, String>, theirs: &BTreeMap<String, String>) -> Vec<String> {
    let names: BTreeSet<&String> = ours.keys().chain(theirs.keys()).collect();
    // git may leave empty folders behind when it fails.
    let left = |name: &String| name.ends_with('/') && !ours.contains_key(name);
    let differing = names.into_iter().filter(|name| ours.get(*name) != theirs.get(*name) && !left(name));
    differing
        .map(|name| format!("{name}\ngit:  {:?}\nadit: {:?}", theirs.get(name), ours.get(name)))
        .collect()
}

#[test]
fn update_ref() {
    for format in FORMATS {
        same_writes(format, include_str!("lines/update_ref.txt"));
    }
}

#[test]
fn symbolic_ref() {
    for format in FORMATS {
        same_writes(format, include_str!("lines/symbolic_ref.txt"));
    }
}

#[test]
fn tag() {
    for format in FORMATS {
        same_writes(format, include_str!("lines/tag.txt"));
    }
}

#[test]
fn branch() {
    for format in FORMATS {
        same_writes(format, include_str!("lines/branch.txt"));
    }
}

#[test]
fn commits_and_tags_as_objects() {
    for format in FORMATS {
        same_writes(format, include_str!("lines/make_objects.txt"));
    }
}

#[test]
fn pack_refs() {
    for format in FORMATS {
        same_writes(format, include_str!("lines/pack_refs.txt"));
    }
}

/// git 2.47 has a tag of that name made.
#[test]
fn no_tag_is_called_head() {
    let repo = repository("sha1");
    let output = repo.run(ADIT, &["tag", "HEAD"], b"");
    assert_eq!(output.stderr.as_bstr(), "fatal: 'HEAD' is not a valid tag name.\n");
    assert_eq!(output.status.code(), Some(128));
}

#[test]
fn reflog() {
    for format in FORMATS {
        same_writes(format, include_str!("lines/reflog.txt"));
    }
}

/// git 2.47 says these another way, or not at all; this is what 2.55 says.
#[test]
fn update_ref_as_newer_git_has_it() {
    for format in FORMATS {
        let repo = repository(format);
        let id = |name: &str| repo.git(&["rev-parse", name]).trim().to_owned();
        let (a, b, blob, gone) = (id("HEAD"), id("HEAD~1"), id("HEAD:f"), "1".repeat(id("HEAD").len()));
        let zero = "0".repeat(a.len());
        for (words, input, error) in [
            (
                "refs/heads/packed/a/x HEAD",
                "",
                "update_ref failed for ref 'refs/heads/packed/a/x': \
              'refs/heads/packed/a' exists; cannot create 'refs/heads/packed/a/x'"
                    .to_owned(),
            ),
            (
                "refs/heads/packed HEAD",
                "",
                "update_ref failed for ref 'refs/heads/packed': \
              'refs/heads/packed/a' exists; cannot create 'refs/heads/packed'"
                    .to_owned(),
            ),
            (
                "refs/heads/blob HEAD:f",
                "",
                format!(
                    "update_ref failed for ref 'refs/heads/blob': \
              trying to write non-commit object {blob} to branch 'refs/heads/blob'"
                ),
            ),
            (
                "FETCH_HEAD HEAD",
                "",
                "update_ref failed for ref 'FETCH_HEAD': \
              refusing to update pseudoref 'FETCH_HEAD'"
                    .to_owned(),
            ),
            (
                "--stdin",
                "create refs/heads/q/r HEAD\ncreate refs/heads/q HEAD\n",
                "cannot lock ref 'refs/heads/q': cannot process 'refs/heads/q' and 'refs/heads/q/r' at the same time"
                    .to_owned(),
            ),
            (
                "--stdin",
                "create refs/heads/q HEAD\ncreate refs/heads/q/r HEAD\n",
                "cannot process 'refs/heads/q' and 'refs/heads/q/r' at the same time".to_owned(),
            ),
            (
                "--stdin",
                &format!("create refs/tags/gone {gone}\n"),
                format!("trying to write ref 'refs/tags/gone' with nonexistent object {gone}"),
            ),
            (
                "--batch-updates refs/heads/x HEAD",
                "",
                "--batch-updates can only be used with --stdin".to_owned(),
            ),
        ] {
            let words: Vec<&str> = ["update-ref"].into_iter().chain(words.split(' ')).collect();
            let before = files(&repo.git_dir());
            let output = repo.run(ADIT, &words, input.as_bytes());
            assert_eq!(output.stderr.as_bstr(), format!("fatal: {error}\n"));
            assert_eq!(output.status.code(), Some(128));
            assert_eq!(files(&repo.git_dir()), before);
        }
        let input = format!(
            "update refs/heads/loose/a {b} {a}\nupdate refs/heads/none {a} {b}\nupdate refs/heads/packed {a}\n\
             create refs/heads/main {a}\nupdate refs/heads/gone {gone}\nupdate refs/heads/fine {a}\n\
             delete refs/heads/packed/a {a}\nsymref-update refs/heads/y refs/heads/main ref refs/heads/x\n\
             option no-deref\nsymref-update refs/heads/main refs/heads/x ref refs/heads/z\n"
        );
        let input =
            input.replace("symref-update refs/heads/main refs", "symref-update refs/heads/packed/b refs");
        let output = repo.run(ADIT, &["update-ref", "--stdin", "--batch-updates"], input.as_bytes());
        let expected = format!(
            "rejected refs/heads/gone {gone} (null) invalid new value provided\n\
             rejected refs/heads/none {a} {b} reference does not exist\n\
             rejected refs/heads/packed {a} (null) refname conflict\n\
             rejected refs/heads/main {a} {zero} reference already exists\n\
             rejected refs/heads/packed/a {zero} {a} incorrect old value provided\n\
             rejected refs/heads/y {zero} {zero} reference does not exist\n\
             rejected refs/heads/packed/b {zero} {zero} expected symref but found regular ref\n"
        );
        assert_eq!(output.stdout.as_bstr(), expected, "{}", output.stderr.as_bstr());
        assert!(output.status.success());
        assert_eq!(id("refs/heads/loose/a"), b);
        assert_eq!(id("refs/heads/fine"), a);
    }
}

/// git 2.47 does not have these; this is what 2.55 does.
#[test]
fn logs_are_written_and_dropped() {
    let repo = repository("sha1");
    let [a, b] = ["HEAD", "HEAD~1"].map(|name| repo.git(&["rev-parse", name]).trim().to_owned());
    let run = |words: &[&str]| {
        let output = repo.run(ADIT, &[&["reflog"], words].concat(), b"");
        (output.status.code(), output.stderr.to_str_lossy().lines().next().unwrap_or_default().to_owned())
    };
    let (fine, fatal) = ((Some(0), String::new()), |text: String| (Some(128), format!("fatal: {text}")));
    assert_eq!(run(&["write", "refs/heads/w", &a, &b, "a  message\n"]), fine);
    let log = || std::fs::read_to_string(repo.git_dir().join("logs/refs/heads/w"));
    assert_eq!(
        log().unwrap(),
        format!("{a} {b} C O Mitter <committer@example.com> 1112912233 -0700\ta message\n")
    );
    assert_eq!(run(&["write", "w", &a, &b, "m"]), fatal("invalid reference name: w".to_owned()));
    assert_eq!(run(&["write", "refs/w", "1234", &b, "m"]), fatal("invalid old object ID: '1234'".to_owned()));
    let gone = "1".repeat(40);
    assert_eq!(
        run(&["write", "refs/w", &a, &gone, "m"]),
        fatal(format!("new object '{gone}' does not exist"))
    );
    let missing = |name: &str| (Some(255), format!("error: reflog could not be found: '{name}'"));
    assert_eq!(run(&["drop", "none"]), missing("none"));
    assert_eq!(run(&["drop", "refs/heads/w"]), missing("refs/heads/w"));
    assert_eq!(run(&["drop", "loose/a"]), fine);
    assert!(!repo.git_dir().join("logs/refs/heads/loose").exists());
    assert_eq!(run(&["drop", "--all", "x"]).0, Some(129));
    assert_eq!(run(&["drop", "--all"]), fine);
    assert_eq!(repo.git(&["reflog", "list"]), "");
}

#[test]
fn entries_of_broken_commits_are_taken_out() {
    let repo = Repo::new("sha1");
    repo.write("f", "1\n").commit("one").write("f", "2\n").commit("two");
    let gone = repo.git(&["rev-parse", "HEAD:f"]).trim().to_owned();
    repo.git(&["reset", "-q", "--hard", "HEAD~1"]);
    std::fs::remove_file(repo.git_dir().join("objects").join(&gone[..2]).join(&gone[2..])).unwrap();
    let words = ["reflog", "expire", "--expire=never", "--expire-unreachable=never", "--stale-fix", "main"];
    assert!(repo.run(ADIT, &words, b"").status.success());
    let log = std::fs::read_to_string(repo.git_dir().join("logs/refs/heads/main")).unwrap();
    assert_eq!(log.lines().count(), 1, "{log}");
    assert!(log.contains("one"));
}

#[test]
fn refs_lists_tells_and_optimizes() {
    let repo = repository("sha1");
    let run = |words: &[&str]| repo.run(ADIT, &[&["refs"], words].concat(), b"");
    assert_eq!(run(&["list"]).stdout.as_bstr(), repo.run(ADIT, &["for-each-ref"], b"").stdout.as_bstr());
    for (name, status) in [("refs/heads/main", 0), ("refs/heads/none", 2), ("refs/heads/broken", 1)] {
        assert_eq!(run(&["exists", name]).status.code(), Some(status), "{name}");
    }
    assert_eq!(run(&["exists"]).stderr.as_bstr(), "fatal: 'git refs exists' requires a reference\n");
    assert!(run(&["optimize", "--all"]).status.success());
    assert!(!repo.git_dir().join("refs/heads/loose/a").exists());
    for words in [vec![], vec!["bogus"], vec!["optimize", "x"]] {
        assert_eq!(run(&words).status.code(), Some(129), "{words:?}");
    }
}

#[test]
fn a_hook_need_not_read_what_it_is_told() {
    use std::os::unix::fs::PermissionsExt;
    let repo = Repo::new("sha1");
    repo.write("file", "text\n").commit("one");
    let hook = repo.git_dir().join("hooks/reference-transaction");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(&hook, "#!/bin/sh\nexit 0\n").unwrap();
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    // More than a pipe holds.
    let input: String = (0..2000).map(|n| format!("create refs/heads/{n:0>100} HEAD\n")).collect();
    let output = repo.run(ADIT, &["update-ref", "--stdin"], input.as_bytes());
    assert_eq!((output.status.code(), output.stderr.as_bstr()), (Some(0), b"".as_bstr()));
    assert_eq!(repo.git(&["for-each-ref", "--format=x", "refs/heads/0*"]).lines().count(), 2000);
}
