//! `check-ignore`.

use adit_testkit::{FORMATS, Repo};
use bstr::ByteSlice;

use crate::ADIT;

#[track_caller]
fn same(repo: &Repo, dir: &str, args: &[&str], input: &[u8]) {
    let (globals, args) = match args.split_first() {
        Some((&"-c", rest)) => (&args[..2], &rest[1..]),
        _ => (&[][..], args),
    };
    let args: Vec<&str> =
        ["-C", dir].iter().chain(globals).chain(&["check-ignore"]).chain(args).copied().collect();
    let (git, adit) = (repo.try_git(&args, input), repo.run(ADIT, &args, input));
    assert_eq!(adit.stdout.as_bstr(), git.stdout.as_bstr(), "{args:?} in {dir}");
    if !git.stderr.contains_str("usage:") {
        assert_eq!(adit.stderr.as_bstr(), git.stderr.as_bstr(), "{args:?} in {dir}");
    }
    assert_eq!(adit.status.code(), git.status.code(), "{args:?} in {dir}");
}

/// A repository without an index: nothing in it is tracked.
fn repository(format: &str) -> Repo {
    let repo = Repo::new(format);
    let top = "*.o\n/top\nfoo/\n!keep.o\n# c\n\\#hash\ntrail  \nesc\\ \na/b\n**/deep\nx/**\nm/**/z\n*.[ch]?\n!sub/n/\nsub/n\n";
    repo.write(".gitignore", top).write("sub/.gitignore", "!in.o\n/only\nfoo\n").write("foo/f", "");
    repo.write("sub/n/f", "").write("n", "").write("dir/f", "").write("m/q/z", "").write("x/y", "");
    repo.write("crlf/.gitignore", "\u{feff}bom\r\nend\r\n!\n/\n//\nfoo\\\n*\\");
    repo.write("user", "ex\n*.user\n!no.user\n");
    let exclude = "infoex\n!info.o\n/dir\n";
    repo.write(".git/info/exclude", exclude);
    std::os::unix::fs::symlink("sub", repo.path().join("link")).unwrap();
    repo
}

const PATHS: [&str; 44] = [
    "a.o",
    "sub/in.o",
    "sub/a.o",
    "top",
    "sub/top",
    "foo",
    "foo/",
    "foo/x",
    "sub/foo",
    "keep.o",
    "#hash",
    "trail",
    "esc ",
    "a/b",
    "q/a/b",
    "deep/x",
    "x",
    "x/",
    "x/y",
    "x/y/z",
    "infoex",
    "info.o",
    "dir",
    "dir/f",
    "sub/dir",
    "m/z",
    "m/q/z",
    "m/q/r/z",
    "m",
    "l.c2",
    "sub/n",
    "sub/n/f",
    "n",
    "sub/only",
    "only",
    "crlf/bom",
    "crlf/end",
    "crlf/foo\\",
    "crlf/x",
    ".",
    "./a.o",
    "sub/../b.o",
    "\u{e9}.o",
    "tab\t.o",
];

#[test]
fn paths_in_every_form() {
    for format in FORMATS {
        let repo = repository(format);
        for options in
            [&[][..], &["-v"], &["-v", "-n"], &["--no-index"], &["-c", "core.ignoreCase=true", "-v"]]
        {
            same(&repo, ".", &[options, &PATHS].concat(), b"");
            same(&repo, "sub", &[options, &["a.o", "in.o", "../a.o", "n", "n/f", "foo/q"]].concat(), b"");
        }
        let (lines, nuls) = (PATHS.join("\n"), PATHS.join("\0"));
        same(&repo, ".", &["--stdin"], lines.replace('\t', "").as_bytes());
        same(&repo, ".", &["--stdin", "-z", "-v", "-n"], nuls.as_bytes());
        same(&repo, ".", &["--stdin", "-v"], b"a.o\n\"sub/\\141.o\"\nnone\n\"bad");
        same(&repo, ".", &["-c", "core.excludesFile=user", "-v", "ex", "a.user", "no.user", "A.O"], b"");
        same(&repo, ".", &["-c", "core.ignoreCase=true", "A.O", "TOP", "Foo/x", "KEEP.O"], b"");
    }
}

#[test]
fn statuses_and_mistakes() {
    let repo = repository("sha1");
    for args in [
        &["-q", "a.o"][..],
        &["-q", "none"],
        &["-q", "a.o", "b.o"],
        &["-q", "-v", "a.o"],
        &["-n", "a.o"],
        &["-z", "a.o"],
        &["--stdin", "a.o"],
        &["--stdin"],
        &["--stdin", "-q"],
        &["--stdin", "-q", "-v"],
        &["none"],
        &["-v", "keep.o"],
        &[],
        &[""],
        &["../x.o"],
        &["/etc/x.o"],
        &[":(top)a.o", ":!x"],
        &[":(glob)*.o"],
        &[":(top)a.o"],
        &["*.o"],
        &["--", "-x.o"],
        &["link/x.o"],
        &["link"],
        &["--bogus"],
    ] {
        same(&repo, ".", args, b"");
    }
    same(&repo, ".", &["--stdin", "-q"], b"none\na.o\n");
    same(&repo, ".git", &["a.o"], b"");
}

#[test]
fn tracked_files_are_not_subject_to_patterns() {
    for format in FORMATS {
        let repo = repository(format);
        repo.git(&["add", "-f", "n", "foo/f", "dir/f"]);
        repo.git(&["init", "-q", &format!("--object-format={format}"), "mod"]);
        repo.git(&["-C", "mod", "commit", "-q", "--allow-empty", "-m", "x"]);
        repo.git(&["-c", "advice.addEmbeddedRepo=false", "add", "mod"]);
        for options in [&[][..], &["-v", "-n"], &["--no-index", "-v"]] {
            same(&repo, ".", &[options, &PATHS].concat(), b"");
            same(&repo, ".", &[options, &["f*", "*.o", "mod", "mod/", "foo/x.o"]].concat(), b"");
        }
        same(&repo, ".", &["mod/x.o"], b"");
        same(&repo, ".", &["--no-index", "a.o", "mod/x.o"], b"");
    }
}
