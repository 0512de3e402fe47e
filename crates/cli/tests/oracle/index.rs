//! Commands about the index, in a repository with folders, a link, a conflict, files that have changed and flags that
//! are set.

use adit_testkit::{FORMATS, Repo};

use crate::ADIT;

/// A repository whose index holds something of everything.
fn sample(format: &str) -> Repo {
    let repo = Repo::new(format);
    for n in 0..20 {
        repo.write(&format!("d{}/e{}/file-{n}", n % 4, n % 3), n.to_string());
    }
    repo.write("d0/\u{e4} \"q\"", "quoted").write("top", "top");
    std::os::unix::fs::symlink("d0", repo.path().join("link")).unwrap();
    repo.commit("one");
    repo.git(&["checkout", "-q", "-b", "side"]);
    repo.write("d1/e1/file-1", "side").write("d1/e2/file-5", "side").commit("side");
    repo.git(&["checkout", "-q", "main"]);
    repo.write("d1/e1/file-1", "main").write("d1/e2/file-5", "main").commit("main");
    assert!(!repo.try_git(&["merge", "side"], b"").status.success());
    repo.write("d1/e2/file-5", "both");
    repo.git(&["add", "d1/e2/file-5"]);
    repo.git(&["update-index", "--skip-worktree", "d0/e0/file-0"]);
    repo.git(&["update-index", "--assume-unchanged", "d0/e1/file-4"]);
    std::fs::remove_file(repo.path().join("d2/e2/file-2")).unwrap();
    repo.write("d3/e0/file-3", "changed").write("d0/e1/file-4", "unseen").write("new", "new");
    repo
}

/// Runs the words of `line` with git and with Adit in the same repository and compares all that comes of it.
fn same(repo: &Repo, line: &str) {
    let words: Vec<&str> = line.split(' ').collect();
    let expected = repo.try_git(&words, b"");
    let got = repo.run(ADIT, &words, b"");
    assert_eq!(
        String::from_utf8_lossy(&got.stdout),
        String::from_utf8_lossy(&expected.stdout),
        "{line}: {}",
        String::from_utf8_lossy(&got.stderr)
    );
    assert_eq!(got.status.code(), expected.status.code(), "{line}");
}

#[test]
fn files_are_listed_as_git_lists_them() {
    for format in FORMATS {
        let repo = sample(format);
        for line in [
            "ls-files",
            "ls-files -z",
            "ls-files -s",
            "ls-files --stage --abbrev",
            "ls-files -s --abbrev=12 d1",
            "ls-files -u",
            "ls-files -t -u d1/e1",
            "ls-files -t",
            "ls-files -v",
            "ls-files -c -d -m -t",
            "ls-files -d",
            "ls-files -m",
            "ls-files -m --deduplicate",
            "ls-files --deduplicate",
            "ls-files --resolve-undo",
            "ls-files --debug top",
            "ls-files d0/",
            "ls-files *4 :!d0",
            "ls-files :(icase)TOP",
            "ls-files --error-unmatch top nosuch",
            "ls-files --error-unmatch top d0",
            "ls-files nosuch",
            "ls-files --format=%(objectmode)%x20%(objecttype)%x20%(objectname)%x20%(objectsize:padded)%x20%(stage)%x20%(path)",
            "-C d0 ls-files",
            "-C d0/e0 ls-files --full-name",
            "-C d0/e0 ls-files -s .. ../../top",
            "-c core.quotePath=false ls-files d0",
            "ls-files --stage -- top link",
        ] {
            same(&repo, line);
        }
        repo.git(&["update-index", "--index-version", "4"]);
        same(&repo, "ls-files -s");
    }
}
