#![allow(clippy::unwrap_used)] // A test fails by panicking.
//! Index files that git wrote are read as git lists them, and written again as git writes them.

use std::path::{Path, PathBuf};

use adit_index::{Error, Index, OffsetTables, ReadOptions, Version, WriteOptions};
use adit_object::ObjectFormat;
use adit_sys::LockFile;
use adit_testkit::{FORMATS, Repo};

fn format_of(name: &str) -> ObjectFormat {
    ObjectFormat::from_name(name.as_bytes()).unwrap()
}

fn read(repo: &Repo, format: &str, threads: usize) -> Result<Index, Error> {
    let options = ReadOptions { threads, ..ReadOptions::default() };
    Index::read(&repo.git_dir().join("index"), format_of(format), &options)
}

/// The entries as `ls-files -s` prints them.
fn listing(index: &Index) -> String {
    let line = |entry: adit_index::Entry<'_>| {
        format!("{:06o} {} {}\t{}\n", entry.mode(), entry.id(), entry.stage().number(), entry.path())
    };
    index.entries().map(line).collect()
}

/// A repository with folders, a link, an executable, long names, and a conflict that was resolved.
fn sample(format: &str) -> Repo {
    let repo = Repo::new(format);
    for n in 0..300 {
        repo.write(&format!("d{}/e{}/file-{n}", n % 7, n % 3), n.to_string());
    }
    repo.write(
        &format!("long/{}/x", vec!["y".repeat(200); 22].join("/")[..3900].trim_end_matches('/')),
        "long",
    );
    std::os::unix::fs::symlink("d0", repo.path().join("link")).unwrap();
    repo.commit("one");
    repo.git(&["checkout", "-q", "-b", "side"]);
    repo.write("d1/e1/file-1", "side").commit("side");
    repo.git(&["checkout", "-q", "main"]);
    repo.write("d1/e1/file-1", "main").commit("main");
    assert!(!repo.try_git(&["merge", "side"], b"").status.success());
    repo
}

fn rewritten(repo: &Repo, format: &str, options: &WriteOptions) -> Vec<u8> {
    let mut index = read(repo, format, 2).unwrap();
    let copy = repo.git_dir().join("copy");
    index.write(LockFile::acquire(&copy).unwrap(), options, |_| false).unwrap();
    std::fs::read(copy).unwrap()
}

fn file(repo: &Repo) -> Vec<u8> {
    std::fs::read(repo.git_dir().join("index")).unwrap()
}

#[test]
fn every_version_is_read_as_listed_and_written_as_it_was() {
    for format in FORMATS {
        let repo = sample(format);
        for (version, threads) in [("2", 0), ("4", 0), ("2", 3), ("4", 3)] {
            let setting = format!("index.threads={threads}");
            let mut args = vec!["update-index", "--force-write-index", "--index-version", version];
            if threads > 0 {
                args.splice(0..0, ["-c", &setting]);
            } else {
                args.splice(0..0, ["-c", "index.threads=1"]);
            }
            repo.git(&args);
            let expected = repo.git(&["ls-files", "-s"]);
            for readers in [1, 2] {
                let index = read(&repo, format, readers).unwrap();
                assert_eq!(listing(&index), expected);
                assert_eq!(index.version().number().to_string(), version);
                assert!(index.has_conflicts());
                let stages = index.stages(b"d1/e1/file-1");
                assert_eq!(stages.len(), 3);
                assert_eq!(index.below(b"d0/").len(), 43);
                assert!(index.get(b"d1/e1/file-1").is_none() && index.get(b"link").is_some());
            }
            let offset_tables = OffsetTables { end_of_entries: threads > 0, blocks: threads };
            let options = WriteOptions { offset_tables, ..WriteOptions::default() };
            assert!(
                rewritten(&repo, format, &options) == file(&repo),
                "version {version}, {threads} threads"
            );
        }
    }
}

#[test]
fn flags_extensions_and_missing_checksums() {
    for format in FORMATS {
        let repo = sample(format);
        repo.write("d1/e1/file-1", "both");
        repo.git(&["add", "d1/e1/file-1"]);
        repo.write("new", "new");
        repo.git(&["add", "-N", "new"]);
        repo.git(&["update-index", "--skip-worktree", "d0/e0/file-0", "d0/e0/file-21"]);
        repo.git(&["update-index", "--assume-unchanged", "d0/e0/file-42"]);
        let index = read(&repo, format, 1).unwrap();
        assert_eq!(index.version(), Version::V3);
        assert!(index.get(b"new").unwrap().flags().intent_to_add);
        assert!(index.get(b"d0/e0/file-0").unwrap().flags().skip_worktree);
        assert!(index.get(b"d0/e0/file-42").unwrap().flags().assume_unchanged);
        let undo = index.resolve_undo().unwrap();
        assert_eq!(undo.iter().count(), 1);
        assert!(undo.get(b"d1/e1/file-1").unwrap().sides.iter().all(Option::is_some));
        let tree = index.cache_tree().unwrap();
        assert!(tree.root().valid().is_none());
        let expected = repo.git(&["rev-parse", "HEAD:d2"]);
        assert_eq!(tree.folder(b"d2").unwrap().valid().unwrap().0.to_string(), expected.trim());
        assert!(rewritten(&repo, format, &WriteOptions::default()) == file(&repo));

        repo.git(&["-c", "index.skipHash=true", "update-index", "--force-write-index"]);
        let options = WriteOptions { skip_hash: true, ..WriteOptions::default() };
        assert!(rewritten(&repo, format, &options) == file(&repo));
    }
}

#[test]
fn split_indexes_are_joined_and_written_as_they_were() {
    for format in FORMATS {
        let repo = sample(format);
        repo.git(&["reset", "-q", "--hard"]);
        repo.git(&["config", "splitIndex.maxPercentChange", "100"]);
        repo.git(&["update-index", "--split-index"]);
        repo.git(&["rm", "-q", "--cached", "d0/e0/file-0", "link"]);
        repo.write("a", "a").write("zz/z", "z").write("d2/e2/file-2", "other");
        repo.git(&["add", "a", "zz", "d2"]);
        let index = read(&repo, format, 1).unwrap();
        assert_eq!(listing(&index), repo.git(&["ls-files", "-s"]));
        assert!(index.shared_id().is_some_and(|id| !id.is_null()));
        let options = WriteOptions { max_percent_change: 100, ..WriteOptions::default() };
        assert!(rewritten(&repo, format, &options) == file(&repo));
    }
}

#[test]
fn a_file_that_is_cut_or_altered_is_refused_or_read_without_a_panic() {
    for format in FORMATS {
        for version in ["2", "4"] {
            let repo = Repo::new(format);
            repo.write("b/c", "c").write("b/d", "d").commit("one");
            repo.git(&[
                "-c",
                "index.threads=2",
                "update-index",
                "--force-write-index",
                "--index-version",
                version,
            ]);
            let whole = file(&repo);
            let path = repo.git_dir().join("altered");
            let unverified = ReadOptions { threads: 2, verify_up_to: 0 };
            for len in 0..whole.len() {
                std::fs::write(&path, &whole[..len]).unwrap();
                let error = Index::read(&path, format_of(format), &ReadOptions::default()).unwrap_err();
                assert!(error.to_string().contains("altered"), "{error}");
                visit(&path, format, &unverified);
            }
            for at in 0..whole.len() {
                let mut bytes = whole.clone();
                bytes[at] ^= 0x55;
                std::fs::write(&path, &bytes).unwrap();
                assert!(Index::read(&path, format_of(format), &ReadOptions::default()).is_err(), "at {at}");
                visit(&path, format, &unverified);
            }
        }
    }
}

/// Reads all that there is, if anything is.
fn visit(path: &Path, format: &str, options: &ReadOptions) {
    let Ok(mut index) = Index::read(path, format_of(format), options) else { return };
    listing(&index);
    index.cache_tree();
    index.resolve_undo();
    let copy: PathBuf = path.with_file_name("again");
    let written = index.write(LockFile::acquire(&copy).unwrap(), &WriteOptions::default(), |_| true);
    if written.is_ok() {
        Index::read(&copy, format_of(format), options).unwrap();
    }
}

#[test]
fn what_is_wrong_is_told_with_the_file() {
    let repo = Repo::new("sha1");
    repo.write("a", "a").write("b", "b").commit("one");
    let whole = file(&repo);
    let path = repo.git_dir().join("index");
    for (at, byte, what) in [
        (0, b'A', "bad signature 0x41495243"),
        (7, 5, "bad index version 5"),
        (8, 0xff, "too short for 4278190082 entries"),
        (12 + 62, b'c', "unordered stage entries in index, at 'b'"),
        (12 + 62, b'b', "multiple stage entries for merged file 'b'"),
        (12 + 60, 0x40, "unknown index entry format 0x61004000"),
    ] {
        let mut bytes = whole.clone();
        bytes[at] = byte;
        std::fs::write(&path, &bytes).unwrap();
        let options = ReadOptions { threads: 1, verify_up_to: 0 };
        let error = Index::read(&path, ObjectFormat::Sha1, &options).unwrap_err();
        assert_eq!(error.to_string(), format!("index file corrupt: {}: {what}", path.display()));
    }
}
