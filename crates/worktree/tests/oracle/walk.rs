//! Walks as `git ls-files --others` and `git status` show them.

use std::path::PathBuf;

use adit_index::{Index, ReadOptions};
use adit_object::ObjectFormat;
use adit_sys::Folder;
use adit_testkit::Repo;
use adit_worktree::ignore::IgnoreFile;
use adit_worktree::walk::{IgnoredMode, Kind, WalkOptions, walk};
use adit_worktree::{Folders, Ignore};
use bstr::{BStr, ByteSlice};

/// No files of patterns; a walk reads them itself.
struct None_;

impl Folders for None_ {
    fn read(&self, _: &BStr) -> std::io::Result<Option<Vec<u8>>> {
        Ok(None)
    }
}

fn found(repo: &Repo, standard: bool, options: WalkOptions, kind: Kind) -> Vec<String> {
    let ignore = match standard {
        true => {
            let exclude = std::fs::read(repo.git_dir().join("info/exclude")).unwrap_or_default();
            Ignore::new(Box::new(None_), ".gitignore").with_file(IgnoreFile::parse(&exclude, "exclude"))
        }
        false => Ignore::new(Box::new(None_), ""),
    };
    let is_repository = |folder: &Folder| folder.entry_type(b".git/HEAD").unwrap().is_some();
    let top: PathBuf = repo.path().to_owned();
    let index =
        Index::read(&repo.git_dir().join("index"), ObjectFormat::Sha1, &ReadOptions::default()).unwrap();
    let found = walk(&top, &ignore, &index, &is_repository, options).unwrap();
    assert!(found.unreadable().is_empty());
    found.paths(kind).map(|path| path.to_string()).collect()
}

fn lines(text: &str, start: &str) -> Vec<String> {
    text.split_terminator('\0').filter_map(|line| line.strip_prefix(start)).map(str::to_owned).collect()
}

fn options(collapse: bool, empty_folders: bool, ignored: IgnoredMode) -> WalkOptions {
    WalkOptions { collapse, empty_folders, ignored }
}

/// Compares every way to ask with git.
#[track_caller]
fn check(repo: &Repo, what: &str) {
    use IgnoredMode::{Hidden, Matching, Traditional};
    use Kind::{Ignored, Untracked};
    let same = |args: &[&str], start: &str, standard: bool, options: WalkOptions, kind: Kind| {
        let git = lines(&repo.git(&[args, &["-z"]].concat()), start);
        let adit = found(repo, standard, options, kind);
        let listed = |dir: &str| {
            let output =
                std::process::Command::new("find").arg(dir).current_dir(repo.path()).output().unwrap();
            output.stdout.to_str_lossy().into_owned()
        };
        if adit != git {
            panic!(
                "{args:?} {kind:?} {what}\nadit {adit:#?}\ngit {git:#?}\n{}\nindex: {:?}\n{}",
                listed(".").lines().filter(|l| !l.contains(".git/")).collect::<Vec<_>>().join("\n"),
                repo.git(&["ls-files"])
                    + &std::fs::read_to_string(repo.git_dir().join("info/exclude")).unwrap(),
                repo.try_git(&["grep", "--no-index", ".", "--", "*.gitignore"], b"").stdout.as_bstr()
            );
        }
    };
    let others = ["ls-files", "-o"];
    let standard = ["ls-files", "-o", "--exclude-standard"];
    let with = |start: &[&'static str], more: &[&'static str]| [start, more].concat();
    same(&others, "", false, options(false, false, Hidden), Untracked);
    same(&with(&others, &["--directory"]), "", false, options(true, true, Hidden), Untracked);
    same(&standard, "", true, options(false, false, Hidden), Untracked);
    same(&with(&standard, &["--directory"]), "", true, options(true, true, Hidden), Untracked);
    let no_empty = with(&standard, &["--directory", "--no-empty-directory"]);
    same(&no_empty, "", true, options(true, false, Hidden), Untracked);
    same(&with(&standard, &["-i"]), "", true, options(false, false, Traditional), Ignored);
    for (untracked, collapse) in [("-uall", false), ("-unormal", true)] {
        let status = ["status", "--porcelain", untracked];
        same(&status, "?? ", true, options(collapse, false, Hidden), Untracked);
        for (word, mode) in [("--ignored=traditional", Traditional), ("--ignored=matching", Matching)] {
            let status = with(&status, &[word]);
            same(&status, "?? ", true, options(collapse, false, mode), Untracked);
            same(&status, "!! ", true, options(collapse, false, mode), Ignored);
        }
    }
}

/// A working tree of a few names, some of them tracked, with a few patterns; another one for each seed.
fn random_tree(seed: u64) -> Repo {
    const NAMES: [&str; 8] = ["a", "b", "c", "a-b", "x.o", "y.o", "out", "e"];
    const PATTERNS: [&str; 14] = [
        "*.o", "out/", "/a", "b/", "!x.o", "c/d", "**/e", "!out/", "a-b/*", "!a-b/a", "out", "a/**", "!a/b/",
        "e/",
    ];
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state >> 33).unwrap() % below
    };
    let repo = Repo::new("sha1");
    let (mut folders, mut files) = (vec![String::new()], Vec::new());
    for _ in 0..next(12) + 4 {
        let path = folders[next(folders.len())].clone() + NAMES[next(NAMES.len())];
        let place = repo.path().join(&path);
        if place.exists() {
            continue;
        }
        match next(8) {
            0..4 => {
                repo.write(&path, "");
                files.push(path);
            }
            7 if next(4) == 0 => {
                repo.git(&["init", "-q", &path]);
                repo.write(&format!("{path}/inner"), "");
            }
            _ => {
                std::fs::create_dir(place).unwrap();
                folders.push(path + "/");
            }
        }
    }
    for path in &files {
        if next(4) == 0 {
            repo.git(&["add", "-f", path]);
        }
    }
    for folder in &folders {
        if folder.is_empty() || next(5) == 0 {
            let patterns: Vec<&str> = (0..next(3) + 1).map(|_| PATTERNS[next(PATTERNS.len())]).collect();
            repo.write(&format!("{folder}.gitignore"), patterns.join("\n") + "\n");
        }
    }
    repo.write(".git/info/exclude", PATTERNS[next(PATTERNS.len())]);
    repo
}

#[test]
fn random_trees() {
    let first: u64 = std::env::var("ADIT_SEED").ok().map_or(0, |seed| seed.parse().unwrap());
    let count: u64 = std::env::var("ADIT_SEEDS").ok().map_or(12, |count| count.parse().unwrap());
    for seed in first..first + count {
        check(&random_tree(seed), &format!("seed {seed}"));
    }
}
