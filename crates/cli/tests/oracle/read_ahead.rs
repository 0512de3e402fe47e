//! Walks so long that commits are read ahead: the same commits as git lists, the same end where something is wrong.

use std::fs;

use adit_testkit::{FORMATS, Repo};
use bstr::ByteSlice;

use crate::{ADIT, assert_same};

/// A pack with 2400 commits: a main line, and a branch of ten for every hundred that is merged.
fn long_history(format: &str) -> Repo {
    let repo = Repo::new(format);
    let mut import = String::new();
    for n in 1..=2400u32 {
        let (branch, from) = match n % 100 {
            30 => ("side", Some(n - 1)),
            31..40 => ("side", None),
            40 => ("main", Some(n - 11)),
            _ => ("main", None),
        };
        import.push_str(&format!(
            "commit refs/heads/{branch}\nmark :{n}\ncommitter C <c@d> {} +0000\ndata 6\nword {}\n",
            1_000_000 + n * 10,
            n % 10
        ));
        from.iter().for_each(|from| import.push_str(&format!("from :{from}\n")));
        if n % 100 == 90 {
            import.push_str(&format!("merge :{}\n", n - 51));
        }
        import.push_str(&format!("M 644 inline d{}/f{}\ndata 3\n{:03}\n", n % 7, n % 50, n % 1000));
    }
    let output = repo.try_git(&["fast-import", "--quiet"], import.as_bytes());
    assert!(output.status.success(), "{}", output.stderr.as_bstr());
    repo.git(&["branch", "-D", "side"]);
    repo.git(&["reflog", "expire", "--expire=now", "--all"]);
    repo.git(&["repack", "-adq"]);
    repo
}

const WALKS: &[&str] = &[
    "rev-list main",
    "rev-list --count main",
    "rev-list -n 1900 main",
    "rev-list main~2100..main",
    "rev-list --topo-order main",
    "rev-list --first-parent main",
    "rev-list --reverse main",
    "rev-list --parents main -- d3",
    "log -S200 --format=%H main",
    "rev-list main -- d3/f10",
    "rev-list main -- *f1",
    "rev-list --full-history --parents main~2100..main -- d3",
    "log --format=%H%n%B main",
    "log --format=%h --raw main -- d1 d2/f2",
    "log --oneline -n 1900 main",
    "log --oneline main -- d5/f5",
    "merge-base main main~2000",
];

/// Those that differ in how they end.
const ENDS: &[&str] = &[
    "rev-list main",
    "rev-list -n 1900 main",
    "rev-list --topo-order main",
    "log --format=%H%n%B main",
    "log -S200 --format=%H main",
    "log --oneline -n 1900 main",
    "log --oneline main -- d5/f5",
];

fn assert_walks(repo: &Repo) {
    assert_same(repo, WALKS);
}

#[test]
fn a_long_history() {
    for format in FORMATS {
        let repo = long_history(format);
        assert_walks(&repo);
        let other = repo.git(&["rev-parse", "main~1000"]);
        fs::write(repo.git_dir().join("shallow"), other).unwrap();
        assert_walks(&repo);
        fs::remove_file(repo.git_dir().join("shallow")).unwrap();
        repo.git(&["replace", "--graft", "main~900", "main~1500"]);
        assert_walks(&repo);
    }
}

/// Packs all objects anew but the one with that id, a line.
fn drop_object(repo: &Repo, id: &str) {
    let all = repo.git(&["cat-file", "--batch-all-objects", "--batch-check=%(objectname)"]);
    let kept: String = all.split_inclusive('\n').filter(|line| **line != *id).collect();
    let pack = repo.git_dir().join("objects/pack");
    fs::rename(&pack, repo.git_dir().join("whole")).unwrap();
    fs::create_dir(&pack).unwrap();
    let alternate = repo.git_dir().join("old");
    fs::create_dir(&alternate).unwrap();
    fs::rename(repo.git_dir().join("whole"), alternate.join("pack")).unwrap();
    let alternates = repo.git_dir().join("objects/info/alternates");
    fs::create_dir_all(alternates.parent().unwrap()).unwrap();
    fs::write(&alternates, format!("{}\n", alternate.display())).unwrap();
    let packed = repo.try_git(&["pack-objects", "-q", ".git/objects/pack/pack"], kept.as_bytes());
    assert!(packed.status.success(), "{}", packed.stderr.as_bstr());
    fs::remove_file(alternates).unwrap();
}

#[test]
fn a_missing_tree_is_an_error_when_the_walk_comes_to_it() {
    for format in FORMATS {
        let repo = long_history(format);
        drop_object(&repo, &repo.git(&["rev-parse", "main~2000^{tree}"]));
        assert_same(
            &repo,
            &["rev-list -n 3 main -- d5/f5", "rev-list main -- d5/f5", "rev-list main -- *f1"],
        );
        let near = repo.run(ADIT, &["rev-list", "-n", "3", "main", "--", "d5/f5"], b"");
        assert!(near.status.success() && near.stderr.is_empty(), "{}", near.stderr.as_bstr());
    }
}

#[test]
fn a_missing_commit_is_an_error_when_the_walk_comes_to_it() {
    for format in FORMATS {
        let repo = long_history(format);
        let missing = repo.git(&["rev-parse", "main~2000"]);
        drop_object(&repo, &missing);
        assert_ends_like_git(&repo);
    }
}

#[test]
fn a_damaged_commit_is_an_error_when_the_walk_comes_to_it() {
    for format in FORMATS {
        let repo = long_history(format);
        let bad = repo.git(&["rev-parse", "main~2000"]);
        let index = repo
            .run(
                "sh",
                &["-c", "cat .git/objects/pack/*.idx | git show-index --object-format=$0", format],
                b"",
            )
            .stdout;
        let line = index.lines().find(|line| line.contains_str(bad.trim())).unwrap();
        let offset: usize = line.split_str(" ").next().unwrap().to_str().unwrap().parse().unwrap();
        let packs = fs::read_dir(repo.git_dir().join("objects/pack")).unwrap();
        let mut packs = packs.map(|entry| entry.unwrap().path());
        let pack = packs.find(|path| path.extension().is_some_and(|found| found == "pack")).unwrap();
        let mut bytes = fs::read(&pack).unwrap();
        bytes[offset + 20] ^= 0x55;
        fs::remove_file(&pack).unwrap();
        fs::write(&pack, bytes).unwrap();
        assert_ends_like_git(&repo);
    }
}

/// `main~2000` cannot be read: walks that end before it do not notice, the others fail there.
#[track_caller]
fn assert_ends_like_git(repo: &Repo) {
    assert_same(repo, ENDS);
    let quiet = repo.run(ADIT, &["rev-list", "-n", "1900", "main"], b"");
    assert!(quiet.status.success() && quiet.stderr.is_empty(), "{}", quiet.stderr.as_bstr());
    let whole = repo.run(ADIT, &["rev-list", "--first-parent", "main"], b"");
    assert_eq!((whole.status.code(), whole.stdout.lines().count()), (Some(128), 1999));
}
