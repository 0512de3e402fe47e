//! `--check`, and the exit statuses that tell of differences.

use adit_testkit::{FORMATS, Repo};

use crate::ADIT;
use crate::diff::same;

/// A history whose second commit adds white space errors and conflict markers of all kinds, and whose last is a merge.
fn repository(format: &str) -> Repo {
    let repo = Repo::new(format);
    repo.write("a", "a\n").write("b", "b\n").write("bin", "x\0y").write("text", "x\0y").write("s/f", "a\n");
    repo.write("block", "A\n{\n  q\n\n} \nB\n{\n  q\n\n} \nC\n").write("moved", "m  \nm\nm\n");
    repo.write("ww", "a\nb\n").write("long", "-\n");
    repo.write(".gitattributes", "n whitespace=tab-in-indent\nb -whitespace\nlong conflict-marker-size=9\n");
    repo.commit("clean");
    repo.write("a", "a \n\n\n").write("b", "b\n<<<<<<< HEAD\n \tx\n        y\n=======\nz");
    repo.write("bin", "x\0y  \n\n").write("text", "text \n").write("n", "\tn \n").write("s/f", "a \n");
    repo.write("block", "A\n{\n  q\n\n} \nN\n{\n  q\n\n} \nB\n{\n  q\n\n} \nC\n").write("ww", "a  \nb\n");
    repo.write("long", ">>>>>>> seven\n>>>>>>>>> nine\n========= \n").write("q\"\u{fc}", "odd \n");
    std::fs::remove_file(repo.path().join("moved")).unwrap();
    repo.write("moved-to", "m  \nm\nm\nm \n");
    repo.commit("dirty");
    repo.git(&["checkout", "-q", "-b", "side", "HEAD^"]);
    repo.write("side", "side \n").commit("side");
    repo.git(&["checkout", "-q", "main"]);
    repo.tick();
    repo.git(&["merge", "-q", "--no-commit", "side"]);
    repo.write("side", "evil \n").commit("merge");
    repo
}

#[test]
fn errors_among_new_lines_are_reported() {
    for format in FORMATS {
        let repo = repository(format);
        for args in [
            &["diff", "--check", "HEAD~2", "HEAD^"][..],
            &["diff", "--check", "HEAD^", "HEAD^"],
            &["diff", "--check", "--exit-code", "HEAD~2", "HEAD^"],
            &["diff", "--check", "--quiet", "HEAD~2", "HEAD^"],
            &["diff", "--check", "-R", "HEAD~2", "HEAD^"],
            &["diff", "--check", "-p", "--stat", "--raw", "HEAD~2", "HEAD^"],
            &["diff", "--check", "--color", "--line-prefix=> ", "HEAD~2", "HEAD^"],
            &["diff", "--check", "--relative=s", "HEAD~2", "HEAD^"],
            &["diff", "--check", "--patience", "--indent-heuristic", "HEAD~2", "HEAD^", "--", "block"],
            &["diff", "--check", "--name-only", "HEAD~2", "HEAD^"],
            &[
                "-c",
                "core.whitespace=-trailing-space,indent,tabwidth=4",
                "diff",
                "--check",
                "HEAD~2",
                "HEAD^",
            ],
            &["-c", "core.whitespace=cr-at-eol,-blank-at-eof", "diff", "--check", "HEAD~2", "HEAD^"],
            &["log", "--check"],
            &["log", "--check", "--exit-code", "-1", "HEAD^"],
            &["log", "--check", "--format=%h", "-n", "1", "--no-merges"],
            &["log", "--check", "--graph", "-m", "HEAD", "--", "s", "side"],
            &["show", "--check"],
            &["show", "--check", "-m"],
            &["show", "--check", "HEAD^"],
            &["diff-tree", "--check", "HEAD^"],
            &["diff-tree", "--check", "-m", "HEAD"],
            &["diff-tree", "--check", "--cc", "HEAD"],
            &["diff-tree", "--check", "-v", "--stat", "HEAD^"],
            &["diff-tree", "--check", "HEAD~2", "HEAD^"],
            &["diff", "--check", "--no-index", "a", "n"],
        ] {
            same(&repo, args, "");
        }
    }
}

#[test]
fn statuses_tell_of_the_last_comparison() {
    for format in FORMATS {
        let repo = repository(format);
        for args in [
            &["log", "--exit-code"][..],
            &["log", "--exit-code", "-s"],
            &["log", "--exit-code", "--raw", "HEAD~2..HEAD"],
            &["log", "--exit-code", "-Sodd"],
            &["log", "--exit-code", "-Sodd", "-n", "1"],
            &["log", "--exit-code", "--diff-filter=D", "--name-only"],
            &["log", "--exit-code", "--root", "HEAD~2"],
            &["-c", "log.showroot=false", "log", "--exit-code", "HEAD~2"],
            &["show", "--exit-code"],
            &["show", "--exit-code", "-s", "HEAD^"],
            &["show", "--exit-code", "--diff-filter=X", "HEAD^"],
            &["show", "--exit-code", "HEAD:a"],
            &["diff-tree", "--exit-code", "-Sodd", "HEAD^"],
            &["diff-tree", "--exit-code", "-Snothing", "HEAD^"],
            &["diff-tree", "--exit-code", "-s", "HEAD^"],
            &["diff-tree", "--exit-code", "-w", "-p", "HEAD~2", "HEAD^", "--", "ww"],
            &["diff-tree", "--quiet", "-w", "HEAD~2", "HEAD^", "--", "ww"],
        ] {
            same(&repo, args, "");
        }
        let id = |name: &str| repo.git(&["rev-parse", name]).trim().to_owned();
        let input = format!("{0}\n{1} {1}\n", id("HEAD^"), id("HEAD^{tree}"));
        same(&repo, &["diff-tree", "--stdin", "--exit-code"], &input);
        same(&repo, &["diff-tree", "--stdin", "--check"], &input);
    }
}

/// Since git 2.53, what is not shown in a patch since it is ignored is not listed either.
#[test]
fn ignored_changes_are_not_listed() {
    for format in FORMATS {
        let repo = repository(format);
        for (args, expected, status) in [
            (&["diff", "-w", "--name-only", "HEAD~2", "HEAD^", "--", "s", "ww", "text"][..], "text\n", 0),
            (&["diff", "-w", "--raw", "HEAD~2", "HEAD^", "--", "s", "ww"], "", 0),
            (&["diff", "-w", "--check", "--exit-code", "HEAD~2", "HEAD^", "--", "ww"], "", 0),
            (&["diff", "-I.", "--name-status", "HEAD~2", "HEAD^", "--", "ww", "a"], "M\ta\n", 0),
            (&["diff-tree", "-w", "--name-only", "HEAD~2", "HEAD^", "--", "s", "text"], "text\n", 0),
        ] {
            let adit = repo.run(ADIT, args, b"");
            let got = (String::from_utf8_lossy(&adit.stdout).into_owned(), adit.status.code());
            assert_eq!(got, (expected.to_owned(), Some(status)), "{args:?}");
        }
    }
}
