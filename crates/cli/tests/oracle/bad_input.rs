//! Damaged files of a repository: a fall-back where git has one, else one line that names the file, and status 128.

use std::fs;
use std::path::{Path, PathBuf};

use adit_testkit::Repo;
use bstr::ByteSlice;

use crate::ADIT;

/// A repository whose objects are all in one pack.
fn packed() -> Repo {
    let repo = Repo::new("sha1");
    let body: String = (0..500).map(|line| format!("line {line}\n")).collect();
    for i in 0..3 {
        repo.write("file", format!("{body}{i}\n")).commit("change");
    }
    repo.git(&["repack", "-adq"]);
    repo
}

fn with_extension(folder: &Path, extension: &str) -> PathBuf {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.into_iter().find(|path| path.extension().is_some_and(|found| found == extension)).unwrap()
}

fn rewrite(path: &Path, content: &[u8]) {
    let _ = fs::remove_file(path);
    fs::write(path, content).unwrap();
}

/// Runs `log -p`; the status, what was printed, and what was complained of.
fn log(repo: &Repo) -> (Option<i32>, Vec<u8>, String) {
    let output = repo.run(ADIT, &["log", "-p"], b"");
    (output.status.code(), output.stdout, output.stderr.to_str_lossy().into_owned())
}

#[track_caller]
fn assert_refused(repo: &Repo, names: &str) {
    let (status, _, complaint) = log(repo);
    let fatal: Vec<_> = complaint.lines().filter(|line| line.starts_with("fatal: ")).collect();
    assert_eq!((status, fatal.len()), (Some(128), 1), "{complaint}");
    assert!(fatal[0].contains(names), "{complaint}");
}

#[test]
fn a_pack_or_index_that_is_cut_short() {
    for extension in ["pack", "idx"] {
        let repo = packed();
        let path = with_extension(&repo.git_dir().join("objects/pack"), extension);
        let content = fs::read(&path).unwrap();
        for len in [0, 4, 20, content.len() / 2, content.len() - 1] {
            rewrite(&path, &content[..len]);
            assert_refused(&repo, path.file_name().unwrap().to_str().unwrap());
        }
    }
}

#[test]
fn a_damaged_pack_whose_objects_are_also_loose() {
    let repo = packed();
    let path = with_extension(&repo.git_dir().join("objects/pack"), "pack");
    let content = fs::read(&path).unwrap();
    let (_, whole, _) = log(&repo);
    let aside = repo.path().join("aside");
    fs::create_dir(&aside).unwrap();
    let kept = aside.join("whole.pack");
    fs::write(&kept, &content).unwrap();
    for file in ["pack", "idx"] {
        fs::remove_file(with_extension(&repo.git_dir().join("objects/pack"), file)).unwrap();
    }
    assert!(repo.try_git(&["unpack-objects", "-q"], &content).status.success());
    let mut damaged = content;
    damaged[40] ^= 0xff;
    rewrite(&path, &damaged);
    repo.git(&["index-pack", "-o", path.with_extension("idx").to_str().unwrap(), kept.to_str().unwrap()]);
    let (status, printed, complaint) = log(&repo);
    assert_eq!((status, printed), (Some(0), whole), "{complaint}");
}

#[test]
fn a_damaged_commit_graph_or_multi_pack_index_is_done_without() {
    for file in ["info/commit-graph", "pack/multi-pack-index"] {
        let repo = packed();
        let (_, whole, _) = log(&repo);
        let path = repo.git_dir().join("objects").join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        rewrite(&path, &[0x5a; 300]);
        let (status, printed, complaint) = log(&repo);
        assert_eq!((status, printed), (Some(0), whole), "{complaint}");
        assert!(!complaint.is_empty(), "{file} is passed over without a word");
    }
}

#[test]
fn damaged_references_and_configuration() {
    for (file, content, names) in [
        ("packed-refs", "garbage\n", "packed-refs"),
        ("config", "[core\n", "bad config line 1 in file"),
        ("refs/heads/main", "garbage\n", "your current branch appears to be broken"),
    ] {
        let repo = packed();
        rewrite(&repo.git_dir().join(file), content.as_bytes());
        assert_refused(&repo, names);
    }
}
