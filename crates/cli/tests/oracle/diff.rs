//! `diff-tree` and `diff`, of objects.

use adit_testkit::{FORMATS, Repo};

use crate::ADIT;

/// Runs the command line with both programs and compares what they print and the status they end with.
pub(crate) fn same(repo: &Repo, args: &[&str], input: &str) {
    let expected = repo.try_git(args, input.as_bytes());
    let actual = repo.run(ADIT, args, input.as_bytes());
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!(
        (text(&actual.stdout), actual.status.code()),
        (text(&expected.stdout), expected.status.code()),
        "{args:?}: {}",
        text(&actual.stderr)
    );
}

fn repository(format: &str) -> Repo {
    let repo = Repo::new(format);
    repo.write("a", "one\n").write("d/b", "two\n").write("d/c", "three\n").commit("first");
    repo.write("a", "one\nmore\n").write("d/c", "three  \n").commit("second");
    std::fs::rename(repo.path().join("d/b"), repo.path().join("e")).unwrap();
    repo.commit("third");
    repo
}

#[test]
fn diff_tree_compares_trees_and_commits() {
    for format in FORMATS {
        let repo = repository(format);
        for args in [
            &["HEAD"][..],
            &["HEAD~2"],
            &["--root", "HEAD~2"],
            &["HEAD^", "HEAD"],
            &["HEAD~2..HEAD"],
            &["-r", "--no-commit-id", "HEAD"],
            &["-v", "-p", "--stat", "HEAD"],
            &["-s", "--pretty=oneline", "HEAD"],
            &["--format=%h %s", "-r", "HEAD"],
            &["--abbrev", "-M", "-r", "HEAD"],
            &["--quiet", "HEAD^", "HEAD"],
            &["--exit-code", "HEAD", "HEAD"],
            &["-z", "-r", "HEAD"],
            &["HEAD^{tree}"],
            &["--merge-base", "HEAD~2", "HEAD"],
            &["-r", "HEAD~2", "HEAD", "--", "d", ":!d/b"],
            &["--name-only", "--name-status", "HEAD"],
            &["-r", "--relative=d/", "HEAD~2", "HEAD"],
            &["--nonsense", "HEAD"],
            &["nosuch"],
        ] {
            same(&repo, &[&["diff-tree"], args].concat(), "");
        }
    }
}

#[test]
fn diff_tree_reads_what_to_compare() {
    for format in FORMATS {
        let repo = repository(format);
        let id = |name: &str| repo.git(&["rev-parse", name]).trim().to_owned();
        let (first, third) = (id("HEAD~2"), id("HEAD"));
        let (old, new) = (id("HEAD~2^{tree}"), id("HEAD^{tree}"));
        let input = format!("{third}\nno id\n{third} {first}\n{old} {new}\n{first}\n");
        for args in [&[][..], &["-r", "--root"], &["--pretty", "-s"], &["--no-commit-id", "--stat"]] {
            same(&repo, &[&["diff-tree", "--stdin"], args].concat(), &input);
        }
    }
}

#[test]
fn diff_compares_trees_and_blobs() {
    for format in FORMATS {
        let repo = repository(format);
        for args in [
            &["HEAD~2", "HEAD"][..],
            &["HEAD~2..HEAD"],
            &["HEAD~2...HEAD"],
            &["HEAD^!"],
            &["--merge-base", "HEAD~2", "HEAD"],
            &["HEAD~2:a", "HEAD:a"],
            &["--raw", "HEAD~2:a", "HEAD:e"],
            &["HEAD:a", "HEAD:a"],
            &["-w", "--exit-code", "HEAD~2", "HEAD~1", "--", "d"],
            &["--exit-code", "HEAD~2", "HEAD~1"],
            &["--quiet", "HEAD~2", "HEAD~1"],
            &["-R", "--no-prefix", "HEAD~2", "HEAD"],
            &["--no-renames", "--summary", "HEAD~2", "HEAD"],
            &["--color", "--stat", "-p", "HEAD~2", "HEAD"],
            &["--no-abbrev", "--raw", "-p", "HEAD~2", "HEAD"],
            &["HEAD", "nosuch"],
        ] {
            same(&repo, &[&["diff"], args].concat(), "");
        }
    }
}

#[test]
fn diff_compares_a_merge_with_its_parents() {
    for format in FORMATS {
        let repo = repository(format);
        repo.git(&["checkout", "-q", "-b", "side", "HEAD~2"]);
        repo.write("a", "one\nside\n").write("d/c", "3\n").write("new", "n\n").commit("side");
        repo.git(&["checkout", "-q", "main"]);
        repo.try_git(&["merge", "-q", "side"], b"");
        repo.write("a", "one\nmore\nside\n").write("new", "evil\n").commit("merge");
        let octopus =
            ["commit-tree", "HEAD^{tree}", "-p", "HEAD^1", "-p", "HEAD^2", "-p", "HEAD~3", "-m", "o"];
        let octopus = repo.git(&octopus).trim().to_owned();
        repo.git(&["tag", "o", &octopus]);
        for args in [
            &["HEAD", "HEAD^1", "HEAD^2"][..],
            &["HEAD^!"],
            &["HEAD", "HEAD^@"],
            &["HEAD^@", "HEAD"],
            &["HEAD^1", "HEAD^2", "HEAD"],
            &["HEAD^-", "HEAD^2"],
            &["o^!"],
            &["o^@"],
            &["HEAD^!", "HEAD~2"],
            &["-c", "HEAD^!"],
            &["-c", "--cc", "HEAD^!"],
            &["-m", "HEAD^!"],
            &["-c", "--combined-all-paths", "--raw", "-p", "HEAD^!"],
            &["--raw", "--numstat", "HEAD^!"],
            &["--stat", "--summary", "-p", "HEAD^!"],
            &["--name-only", "--exit-code", "HEAD^!"],
            &["--name-status", "HEAD^!", "--", "a", "d"],
            &["--check", "HEAD^!"],
            &["-R", "--color", "-w", "HEAD^!"],
            &["--quiet", "HEAD^!"],
            &["HEAD^{tree}", "HEAD^1^{tree}", "HEAD^2^{tree}"],
            &["--cc", "HEAD^", "HEAD"],
            &["-c", "--stat", "HEAD^", "HEAD"],
            &["HEAD~2..HEAD", "HEAD^"],
            &["HEAD", "HEAD~2...HEAD^"],
            &["--merge-base", "HEAD", "HEAD^", "HEAD^2"],
            &["HEAD", "HEAD^", "HEAD^2:a"],
            &["HEAD", "HEAD:a"],
            &["HEAD:a", "HEAD^:a", "--", "a"],
            &["HEAD:a", "HEAD^:a", "HEAD^2:a"],
        ] {
            same(&repo, &[&["diff"], args].concat(), "");
        }
        same(&repo, &["diff-tree", "--cc", "HEAD", "HEAD^1", "HEAD^2"], "");
    }
}

#[test]
fn settings_hold_for_diff_and_not_for_diff_tree() {
    let repo = repository("sha1");
    for (key, value) in [("diff.context", "0"), ("diff.noprefix", "true"), ("diff.renames", "false")] {
        repo.git(&["config", key, value]);
    }
    same(&repo, &["diff", "HEAD~2", "HEAD"], "");
    same(&repo, &["diff-tree", "-p", "HEAD~2", "HEAD"], "");
}

#[test]
fn files_and_folders_outside_of_a_repository_are_compared() {
    let repo = Repo::new("sha1");
    repo.write("x/a", "1\n").write("y/a", "2\n").write("x/same", "s\n").write("y/same", "s\n");
    repo.write("x/moved", "some\nlines\nof\ntext\n").write("y/moved-to", "some\nlines\nof\ntext\n");
    repo.write("y/new", "n\n").write("x/sub/old", "o\n");
    std::os::unix::fs::symlink("a", repo.path().join("x/link")).unwrap();
    std::os::unix::fs::symlink("b", repo.path().join("y/link")).unwrap();
    for args in [
        &["x/a", "y/a"][..],
        &["x", "y"],
        &["--raw", "x", "y"],
        &["--raw", "--no-renames", "x", "y"],
        &["--stat", "--summary", "x", "y"],
        &["--name-only", "x", "y"],
        &["-R", "x", "y"],
        &["x/a", "y"],
        &["x/same", "y/same"],
        &["x/link", "x/a"],
        &["x", "nosuch"],
        &["--quiet", "x", "y"],
    ] {
        same(&repo, &[&["diff", "--no-index"], args].concat(), "");
    }
}
