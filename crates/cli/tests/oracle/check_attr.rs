//! `check-attr`.

use adit_testkit::{FORMATS, Repo};
use bstr::ByteSlice;

use crate::ADIT;

/// Runs both from the folder `dir` and compares all that they say but the usage.
#[track_caller]
fn same(repo: &Repo, dir: &str, args: &[&str], input: &[u8]) {
    let args: Vec<&str> = ["-C", dir, "check-attr"].iter().chain(args).copied().collect();
    let said = |program: &std::ffi::OsStr| {
        let output = repo.run(program, &args, input);
        let errors = output.stderr.to_str_lossy().into_owned();
        let errors: Vec<String> = errors.split("usage:").take(1).map(str::to_owned).collect();
        (output.stdout.to_str_lossy().into_owned(), errors, output.status.code())
    };
    let git = said(&adit_testkit::git_program());
    assert_eq!(said(std::ffi::OsStr::new(ADIT)), git, "{args:?} in {dir}");
}

const TOP: &str = "[attr]mine zeta\n*.c zeta alpha=1 mine\n!neg foo\nbad -- --x\n*.c a%b\n*.c builtin_x\n*.c c=\ndir/ slash\n";

fn repository(format: &str) -> Repo {
    let repo = Repo::new(format);
    let long = format!("{TOP}{} foo\n*.h bar\n", "x".repeat(2050));
    repo.write(".gitattributes", TOP).write("x", "").write("deep/er/x", "");
    repo.commit("first");
    repo.write(".gitattributes", long);
    repo.write("sub/.gitattributes", "*.c beta -alpha mid=3 text\n[attr]no way\n*.h !bar -zeta\n");
    repo.write(".git/info/attributes", "*.c info=1 eol=lf\n*.c mid=x\n");
    repo.write("user", "* user\n*.c zeta=user\n");
    repo
}

#[test]
fn paths_and_attributes_in_every_form() {
    for format in FORMATS {
        let repo = repository(format);
        for args in [
            &["-a", "sub/x.c"][..],
            &["--all", "--", "sub/x.c", "x.c", "none"],
            &["-a", "-z", "sub/x.c", "x.h"],
            &["zeta", "sub/x.c", "x.c"],
            &["zeta", "mid", "--", "sub/x.c", "sub/x.h", "sub/deep/x.c", "x.h"],
            &["-z", "zeta", "c", "--", "x.c"],
            &["c", "--", "x.c", "./x.c", "sub/../x.c", "sub//x.c", "x.c/", "a\tb.c", "\u{e9}.c"],
            &["--source=HEAD", "zeta", "--", "x.c", "sub/x.c"],
            &["--source", "bogus", "zeta", "--", "x.c"],
            &["slash", "zeta", "--", "dir", "dir/", "sub/dir/", "dir/x"],
            &["zeta", "--", "../x"],
            &["zeta", "--", "/etc/x"],
            &["zeta"],
            &[],
            &["--"],
            &["zeta", "--"],
            &["--", "zeta"],
            &["--stdin"],
            &["-a", "x", "--"],
            &["a%b", "--", "x"],
            &["", "--", "x"],
            &["--bogus"],
        ] {
            same(&repo, ".", args, b"");
        }
        same(&repo, ".", &["--stdin", "zeta", "mid"], b"x.c\n\"sub/\\170.c\"\n\"bad\n");
        same(&repo, ".", &["--stdin", "-z", "zeta", "mid"], b"x.c\0\"sub/x.c\"\0sub/x.c");
        same(&repo, ".", &["--stdin", "-a"], b"x.c\nsub/x.c\n");
        for args in [
            &["--cached", "-a", "--", "x.c", "sub/x.c", "deep/er/x.c"][..],
            &["--cached", "builtin_objectmode", "--", "x", "none", "deep"],
            &["builtin_objectmode", "zeta", "--", "x", "deep", "deep/er/x"],
            &["builtin_objectmode", "--", "x", "none"],
        ] {
            same(&repo, ".", args, b"");
        }
        same(&repo, "sub", &["-a", "--", "x.c", "../x.c", "../deep/er/x"], b"");
        same(&repo, "sub", &["zeta", "--", "../../x"], b"");
    }
}

#[test]
fn all_sources_count() {
    let repo = repository("sha1");
    let user = format!("core.attributesFile={}", repo.path().join("user").display());
    for settings in [
        &["-c", &user][..],
        &["-c", "core.ignoreCase=true"],
        &["--attr-source=HEAD"],
        &["--attr-source=bogus"],
        &["-c", "attr.tree=HEAD"],
        &["-c", "attr.tree=bogus"],
        &["-c", "core.quotePath=false"],
    ] {
        let args = [settings, &["check-attr", "-a", "--", "x.c", "X.C", "sub/x.c", "sub/\u{e9}.c"]].concat();
        let (git, adit) = (repo.try_git(&args, b""), repo.run(ADIT, &args, b""));
        assert_eq!(adit.stdout.as_bstr(), git.stdout.as_bstr(), "{args:?}");
        assert_eq!(adit.stderr.as_bstr(), git.stderr.as_bstr(), "{args:?}");
        assert_eq!(adit.status.code(), git.status.code(), "{args:?}");
    }
    std::fs::remove_file(repo.path().join(".gitattributes")).unwrap();
    std::os::unix::fs::symlink("user", repo.path().join(".gitattributes")).unwrap();
    // The link is not followed; the index has another file there.
    let link = ["check-attr", "-a", "x", "x.c"];
    assert_eq!(repo.run(ADIT, &link, b"").stdout.as_bstr(), repo.try_git(&link, b"").stdout.as_bstr());
    repo.git(&["rm", "-q", "--cached", ".gitattributes"]);
    same(&repo, ".", &["user", "x"], b"");
    repo.write("other/.gitattributes", "* other\n");
    for tree in ["other", "sub"] {
        let tree = format!("--work-tree=../{tree}");
        let args = ["-C", "deep", "--git-dir=../.git", &tree, "check-attr", "-a", "a.c"];
        let (git, adit) = (repo.try_git(&args, b""), repo.run(ADIT, &args, b""));
        assert_eq!((adit.stdout, adit.status.code()), (git.stdout, git.status.code()), "{args:?}");
    }
}

#[test]
fn macros_of_macros() {
    let repo = Repo::new("sha1");
    let mut text: String = (0..3000).map(|n| format!("[attr]a{n} a{}\n", n + 1)).collect();
    text += "[attr]a3000 -text\n[attr]loop loop other\nfile a0 loop\n";
    repo.write(".gitattributes", text);
    same(&repo, ".", &["-a", "file"], b"");
    same(&repo, ".", &["text", "a2999", "other", "--", "file"], b"");
}
