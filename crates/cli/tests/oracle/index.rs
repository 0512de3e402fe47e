//! Commands about the index, in a repository with folders, a link, a conflict, files that have changed and flags that
//! are set.

use adit_testkit::{FORMATS, Repo};
use bstr::ByteSlice;

use crate::{ADIT, assert_same};

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

/// Runs lines with git and then with Adit on the same index and the same files, and compares what is printed, the
/// status, and the index that is left behind byte by byte. What git leaves is where the next line starts.
#[derive(Default)]
struct Comparison {
    differences: Vec<String>,
}

impl Comparison {
    fn run(&mut self, repo: &Repo, line: &str, input: &[u8]) {
        let words: Vec<&str> = line.split(' ').collect();
        let file = repo.git_dir().join("index");
        let before = std::fs::read(&file).ok();
        let time = std::fs::metadata(&file).and_then(|meta| meta.modified()).ok();
        let git = repo.try_git(&words, input);
        let expected = std::fs::read(&file).ok();
        let restore = |content: &Option<Vec<u8>>| match content {
            Some(content) => std::fs::write(&file, content).unwrap(),
            None => drop(std::fs::remove_file(&file)),
        };
        restore(&before);
        if let Some(time) = time {
            std::fs::File::options().append(true).open(&file).unwrap().set_modified(time).unwrap();
        }
        let adit = repo.run(ADIT, &words, input);
        let left = std::fs::read(&file).ok();
        let listing = || {
            let listed = repo.git(&["ls-files", "-s", "--debug"]);
            restore(&expected);
            let wanted = repo.git(&["ls-files", "-s", "--debug"]);
            let pairs = wanted.lines().zip(listed.lines());
            let differ: Vec<_> = pairs.filter(|(a, b)| a != b).take(4).collect();
            format!("{differ:?} {:?} {:?}", left.as_ref().map(Vec::len), expected.as_ref().map(Vec::len))
        };
        let index = if left == expected { String::new() } else { listing() };
        if git.stdout != adit.stdout || git.status.code() != adit.status.code() || left != expected {
            self.differences.push(format!(
                "{line}\n  git: {:?} {:?} {:?}\n  adit: {:?} {:?} {:?}\n  {index}",
                git.status.code(),
                git.stdout.as_bstr(),
                git.stderr.as_bstr(),
                adit.status.code(),
                adit.stdout.as_bstr(),
                adit.stderr.as_bstr(),
            ));
        }
    }

    #[track_caller]
    fn assert_none(self) {
        assert!(self.differences.is_empty(), "{}", self.differences.join("\n"));
    }
}

#[test]
fn files_are_listed_as_git_lists_them() {
    for format in FORMATS {
        let repo = sample(format);
        assert_same(
            &repo,
            &[
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
            ],
        );
        repo.git(&["update-index", "--index-version", "4"]);
        assert_same(&repo, &["ls-files -s"]);
    }
}

/// Waits until files that are written from now on are younger than the index.
fn settle() {
    std::thread::sleep(std::time::Duration::from_millis(20));
}

#[test]
fn entries_are_changed_as_git_changes_them() {
    for format in FORMATS {
        let repo = sample(format);
        let mut comparison = Comparison::default();
        let id = repo.git(&["rev-parse", "HEAD:top"]);
        let id = id.trim();
        for line in [
            "update-index --refresh",
            "update-index -q --refresh",
            "update-index --really-refresh --ignore-missing",
            "update-index --unmerged --refresh",
            "update-index --add new d3/e0/file-3",
            "update-index --verbose --add new top",
            "update-index new",
            "update-index nosuch",
            "update-index d2/e2/file-2",
            "update-index --remove d2/e2/file-2",
            "update-index --force-remove top",
            "update-index --force-remove nosuch",
            "update-index d1",
            "update-index --add d1/e1/file-1",
            "update-index --chmod=+x top",
            "update-index --chmod=x top",
            "update-index --chmod=+x link",
            "update-index --assume-unchanged top link",
            "update-index --no-assume-unchanged d0/e1/file-4",
            "update-index --skip-worktree d1/e2/file-5",
            "update-index --no-skip-worktree d0/e0/file-0",
            "update-index --skip-worktree nosuch",
            "update-index --index-version 4",
            "update-index --index-version 5",
            "update-index --show-index-version",
            "update-index --verbose --index-version 4",
            "update-index --force-write-index",
            "-c index.threads=3 update-index --force-write-index",
            "-c index.threads=true update-index --force-write-index --index-version 4",
            "-c index.skipHash=true update-index --force-write-index",
            "update-index --unresolve d1/e2/file-5",
            "update-index --clear-resolve-undo",
            "update-index --add .git/config",
            "update-index --info-only --add new",
            "-C d0 update-index --add ../new e2/file-8",
            "update-index --cacheinfo 100644",
            "read-tree HEAD",
            "read-tree --empty",
            "read-tree -m HEAD",
            "read-tree nosuch",
            "read-tree --prefix=sub/ side",
            "write-tree",
        ] {
            settle();
            comparison.run(&repo, line, b"");
        }
        for line in [
            format!("update-index --cacheinfo 100644,{id},new"),
            format!("update-index --add --cacheinfo 100644,{id},new"),
            format!("update-index --add --cacheinfo 755 {id} d0/other"),
            format!("update-index --add --cacheinfo 100644,{id},top/below"),
            format!("update-index --add --replace --cacheinfo 100644,{id},top/below"),
            format!("update-index --add --replace --cacheinfo 100644,{id},d0"),
            format!("update-index --add --cacheinfo 100644,{id},a/.git/b"),
        ] {
            comparison.run(&repo, &line, b"");
        }
        let info = format!(
            "0 {id}\tlink\n100644 {id} 1\tlink\n100755 {id} 2\tlink\n100644 blob {id}\ta/b\n100644 {id}\t\"a\\tb\"\n"
        );
        comparison.run(&repo, "update-index --index-info", info.as_bytes());
        comparison.run(&repo, "update-index --index-info", b"100644 nothing\n");
        comparison.run(&repo, "update-index --add --stdin", b"new\nlink\n");
        comparison.run(&repo, "update-index -z --add --stdin", b"new\0link\0");
        comparison.assert_none();
    }
}

#[test]
fn trees_are_read_and_written_as_git_does() {
    for format in FORMATS {
        let repo = sample(format);
        let mut comparison = Comparison::default();
        repo.git(&["reset", "-q", "--hard"]);
        settle();
        for line in [
            "read-tree HEAD",
            "read-tree -m HEAD",
            "read-tree -m side",
            "read-tree --reset side",
            "read-tree -i -m HEAD side",
            "read-tree -m HEAD side",
            "read-tree -m side HEAD",
            "read-tree -n -m HEAD side",
            "read-tree --prefix=sub/ side",
            "read-tree --prefix=d0 side",
            "read-tree --empty HEAD",
        ] {
            comparison.run(&repo, line, b"");
        }
        assert_same(&repo, &["write-tree", "write-tree --prefix=d0/e0", "write-tree --prefix=nosuch"]);
        repo.write("d9/new", "new");
        repo.git(&["update-index", "--add", "--info-only", "d9/new"]);
        assert_same(&repo, &["write-tree", "write-tree --missing-ok"]);
        repo.git(&["add", "d9/new"]);
        comparison.run(&repo, "write-tree", b"");
        repo.write("later", "later");
        repo.git(&["add", "-N", "later"]);
        comparison.run(&repo, "write-tree", b"");

        let listing = repo.git(&["ls-tree", "HEAD"]);
        for (line, input) in [
            ("mktree", listing.as_str()),
            ("mktree --batch", &format!("{listing}\n{listing}")),
            ("mktree", ""),
            ("mktree", "100644 blob nothing\ta\n"),
            ("mktree", &listing.replace("tree", "blob")),
            (
                "mktree --missing",
                &format!("100644 blob {}\tx\n", "1".repeat(listing.split([' ', '\t']).nth(2).unwrap().len())),
            ),
        ] {
            comparison.run(&repo, line, input.as_bytes());
        }
        comparison.assert_none();
    }
}
