//! Programs that drivers name: those that make text of contents, and those that compare.

use adit_testkit::{FORMATS, Repo};

use crate::ADIT;
use crate::diff::same;

/// A history with binary files, links, renames and a merge; `diff=t` for most of it.
fn repository(format: &str) -> Repo {
    let repo = Repo::new(format);
    repo.write("f", "a\nb\0\nc\n").write("g.txt", "x\n").write("other", "o\0\n").write("mode.txt", "m\n");
    repo.write("ra.txt", "ren\n1\n2\n3\n4\n5\n").write("sub/typ.txt", "a\n").write("gone.txt", "g\n");
    std::os::unix::fs::symlink("f", repo.path().join("l")).unwrap();
    repo.write(".gitattributes", "*.txt diff=t\nf diff=t\nl diff=t\nn diff=t\nother -diff\n").commit("one");
    repo.write("f", "a\nb2\0\nc\n").write("g.txt", "y\n").write("n", "new\0\n").write("other", "p\0\n");
    for name in ["l", "sub/typ.txt", "gone.txt"] {
        std::fs::remove_file(repo.path().join(name)).unwrap();
    }
    std::os::unix::fs::symlink("g", repo.path().join("l")).unwrap();
    std::os::unix::fs::symlink("a", repo.path().join("sub/typ.txt")).unwrap();
    std::fs::rename(repo.path().join("ra.txt"), repo.path().join("sub/ra.foo")).unwrap();
    repo.write("sub/ra.foo", "ren\n1\n2\n3\n4\n5\n6\n");
    std::fs::set_permissions(
        repo.path().join("mode.txt"),
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    repo.commit("two");
    repo.git(&["checkout", "-q", "-b", "side", "HEAD^"]);
    repo.write("f", "a\nside\0\nc\n").commit("side");
    repo.git(&["checkout", "-q", "main"]);
    repo.try_git(&["merge", "-q", "side"], b"");
    repo.write("f", "a\nb2\0\nside\nc\n").commit("merge");
    repo
}

#[test]
fn text_is_made_where_git_makes_it() {
    for format in FORMATS {
        let repo = repository(format);
        repo.git(&["config", "diff.t.textconv", "tr a-z A-Z <"]);
        for args in [
            &["diff", "HEAD~2", "HEAD^"][..],
            &["diff", "HEAD~2", "HEAD^"],
            &["diff", "-R", "-w", "HEAD~2", "HEAD^"],
            &["diff", "--stat", "--numstat", "-p", "HEAD~2", "HEAD^"],
            &["diff", "--binary", "HEAD~2", "HEAD^"],
            &["diff", "--no-textconv", "HEAD~2", "HEAD^"],
            &["diff", "--check", "HEAD~2", "HEAD^"],
            &["diff", "HEAD~2:f", "HEAD:f"],
            &["diff", "HEAD~2:f", "HEAD:g.txt"],
            &["diff", "--no-index", "f", "g.txt"],
            &["diff", "HEAD^!"],
            &["diff-tree", "-p", "HEAD^"],
            &["diff-tree", "-p", "--textconv", "HEAD^"],
            &["diff-tree", "-p", "--textconv", "HEAD~2", "HEAD^"],
            &["log", "-p"],
            &["log", "-p", "--no-textconv"],
            &["log", "--oneline", "-SB2"],
            &["log", "--oneline", "-SB2", "--no-textconv"],
            &["log", "--oneline", "-GB2"],
            &["log", "--oneline", "-Gb2"],
            &["log", "--oneline", "-SNEW", "--pickaxe-all", "--stat"],
            &["show"],
            &["show", "-m", "HEAD"],
            &["show", "HEAD:f"],
            &["show", "--textconv", "HEAD:f", "HEAD:sub"],
            &["show", "--textconv", "HEAD:l"],
            &["cat-file", "--textconv", "HEAD:f"],
            &["cat-file", "--textconv", "HEAD:l"],
            &["cat-file", "--textconv", "HEAD:sub"],
            &["cat-file", "--textconv", "HEAD:other"],
            &["cat-file", "--textconv", "--path=x.txt", "HEAD:other"],
            &["cat-file", "--textconv", "--path=x.txt", "HEAD"],
            &["cat-file", "--textconv", "HEAD"],
            &["-c", "diff.t.textconv=false", "diff", "HEAD~2", "HEAD^"],
            &["-c", "diff.t.textconv=", "diff", "HEAD~2", "HEAD^"],
            &["-c", "diff.t.textconv=no-such-program", "log", "-p", "HEAD^"],
            &["-c", "diff.t.textconv=false", "log", "-Sx"],
            &["-c", "diff.t.textconv=false", "show", "--textconv", "HEAD:f"],
            &["-c", "diff.t.textconv=true", "diff", "--exit-code", "HEAD~2", "HEAD^", "--", "f"],
            &["-c", "diff.t.textconv=basename", "diff", "HEAD~2", "HEAD^", "--", "f", "sub"],
            &["-c", "diff.t.binary=true", "diff", "HEAD~2", "HEAD^", "--", "g.txt"],
            &["-c", "diff.t.binary=true", "diff", "--no-textconv", "HEAD~2", "HEAD^", "--", "g.txt"],
            &["-c", "diff.t.algorithm=histogram", "diff", "HEAD~2", "HEAD^"],
            &["-c", "diff.t.xfuncname=^(A)", "diff", "-U0", "HEAD~2", "HEAD^"],
        ] {
            same(&repo, args, "");
        }
    }
}

/// What would be kept in notes is refused as long as they cannot be written.
#[test]
fn caches_of_text_are_refused() {
    let repo = repository("sha1");
    for (key, value) in [("diff.t.textconv", "cat"), ("diff.t.cachetextconv", "true")] {
        repo.git(&["config", key, value]);
    }
    let adit = repo.run(ADIT, &["diff", "HEAD~2", "HEAD^", "--", "f"], b"");
    let said = String::from_utf8_lossy(&adit.stderr).into_owned();
    assert_eq!(adit.status.code(), Some(128));
    assert_eq!(said, "fatal: diff.t.cachetextconv is not supported by adit yet\n");
    same(&repo, &["diff", "--no-textconv", "HEAD~2", "HEAD^", "--", "f"], "");
}

/// Shows what it was given, but for the random part of the names of files, and what is in these.
const SHOW: &str = r#"show() {
    for a; do echo "arg $a" | sed 's/git-blob-....../git-blob-/'; done
    echo "$GIT_DIFF_PATH_COUNTER of $GIT_DIFF_PATH_TOTAL"
    cat "$2" "$5" | tr '\0' '@'
}; show"#;

#[test]
fn files_are_compared_by_programs_where_git_lets_them() {
    for format in FORMATS {
        let repo = repository(format);
        repo.git(&["config", "diff.t.command", SHOW]);
        for args in [
            &["diff", "HEAD~2", "HEAD^"][..],
            &["diff", "--no-renames", "-R", "HEAD~2", "HEAD^"],
            &["diff", "--stat", "-p", "HEAD~2", "HEAD^"],
            &["diff", "--raw", "HEAD~2", "HEAD^"],
            &["diff", "--relative=sub", "HEAD~2", "HEAD^"],
            &["diff", "--no-ext-diff", "HEAD~2", "HEAD^"],
            &["diff", "--exit-code", "HEAD~2", "HEAD^", "--", "f"],
            &["diff", "--quiet", "HEAD~2", "HEAD^"],
            &["diff", "--no-index", "f", "g.txt"],
            &["diff", "HEAD~2:f", "HEAD:f"],
            &["diff", "HEAD^!"],
            &["log", "-p"],
            &["show", "HEAD^"],
            &["log", "-p", "--ext-diff"],
            &["show", "--ext-diff", "HEAD^", "--", "f"],
            &["diff-tree", "-p", "HEAD^"],
            &[
                "-c",
                "diff.external=echo other $1 #",
                "diff",
                "--no-renames",
                "HEAD~2",
                "HEAD^",
                "--",
                "other",
                "f",
            ],
            &["-c", "diff.external=false", "diff", "HEAD~2", "HEAD^"],
            &["-c", "diff.external=no-such-program", "diff", "HEAD~2", "HEAD^", "--", "other"],
            &["-c", "diff.external=", "diff", "HEAD~2", "HEAD^", "--", "other"],
            &["-c", "diff.external=false", "log", "-p", "--ext-diff"],
        ] {
            same(&repo, args, "");
        }
    }
}

#[test]
fn exit_statuses_of_programs_tell_of_differences_when_they_are_trusted() {
    let repo = repository("sha1");
    for program in ["true", "echo out; false", "sh -c 'echo out; exit 2'"] {
        for trust in ["true", "false"] {
            let settings = [format!("diff.t.command={program}"), format!("diff.t.trustexitcode={trust}")];
            for args in [
                &["diff", "HEAD~2", "HEAD^", "--", "f", "g.txt"][..],
                &["diff", "--exit-code", "HEAD~2", "HEAD^", "--", "f", "g.txt"],
                &["diff", "--quiet", "HEAD~2", "HEAD^", "--", "f", "g.txt"],
                &["diff", "-s", "--exit-code", "HEAD~2", "HEAD^", "--", "f", "g.txt"],
                &["diff", "--name-only", "HEAD~2", "HEAD^", "--", "f", "g.txt"],
            ] {
                same(&repo, &[&["-c", &settings[0], "-c", &settings[1]], args].concat(), "");
            }
        }
    }
}

#[test]
fn the_environment_names_a_program_for_all_files() {
    let repo = repository("sha1");
    repo.git(&["config", "diff.external", "false"]);
    for variables in [
        &[("GIT_EXTERNAL_DIFF", "echo")][..],
        &[("GIT_EXTERNAL_DIFF", "false")],
        &[("GIT_EXTERNAL_DIFF", "true"), ("GIT_EXTERNAL_DIFF_TRUST_EXIT_CODE", "1")],
        &[("GIT_EXTERNAL_DIFF", "true"), ("GIT_EXTERNAL_DIFF_TRUST_EXIT_CODE", "perhaps")],
        &[("TMPDIR", "/nonexistent"), ("GIT_EXTERNAL_DIFF", "")],
    ] {
        let run = |program: &std::ffi::OsStr| {
            let args = ["diff", "--exit-code", "HEAD~2", "HEAD^", "--", "gone.txt", "n"];
            let output = adit_testkit::run(program, repo.path(), &args, b"", variables);
            let printed = String::from_utf8_lossy(&output.stdout).into_owned();
            let words: Vec<String> = printed
                .split_whitespace()
                .map(|word| word.rsplit_once("/git-blob-").map_or(word, |(_, rest)| &rest[6..]).to_owned())
                .collect();
            (words, output.status.code())
        };
        assert_eq!(run(ADIT.as_ref()), run(&adit_testkit::git_program()), "{variables:?}");
    }
}
