//! Writers beside writers, readers beside writers, and writers that are killed.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};

use adit_testkit::Repo;
use bstr::ByteSlice;

use crate::ADIT;

/// Starts `update-ref --stdin` in `repo` and hands it `script`.
fn start(repo: &Repo, script: &str) -> std::process::Child {
    use std::io::Write;
    let mut child = Command::new(ADIT)
        .args(["update-ref", "--stdin"])
        .current_dir(repo.path())
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    child
}

fn commits(count: usize) -> (Repo, Vec<String>) {
    let repo = Repo::new("sha1");
    let ids = (0..count).map(|n| repo.commit(&format!("{n}")).git(&["rev-parse", "HEAD"]).trim().to_owned());
    let ids = ids.collect();
    (repo, ids)
}

#[test]
fn of_eight_writers_of_the_same_references_one_wins_whole() {
    const WRITERS: usize = 8;
    let (repo, ids) = commits(WRITERS + 1);
    // Fewer go into files, more into packed-refs.
    for count in [200, 1000] {
        let script = |verb: &str, new: &str, old: &str| -> String {
            (0..count).map(|n| format!("{verb} refs/same/{count}/{n} {new}{old}\n")).collect()
        };
        assert!(start(&repo, &script("create", &ids[WRITERS], "")).wait().unwrap().success());
        let old = format!(" {}", ids[WRITERS]);
        let writers: Vec<_> =
            ids[..WRITERS].iter().map(|id| start(&repo, &script("update", id, &old))).collect();
        let won: Vec<usize> = (writers.into_iter().enumerate())
            .filter_map(|(n, mut writer)| writer.wait().unwrap().success().then_some(n))
            .collect();
        assert!(won.len() <= 1, "{won:?}");
        let expected = won.first().map_or(&ids[WRITERS], |winner| &ids[*winner]);
        let listed = repo.git(&["for-each-ref", "--format=%(objectname)", &format!("refs/same/{count}")]);
        assert_eq!(listed, format!("{expected}\n").repeat(count), "{won:?}");
    }
}

#[test]
fn nothing_is_lost_of_eight_writers_of_a_thousand_references_each() {
    let (repo, ids) = commits(2);
    let scripts: Vec<String> = (0..8)
        .map(|writer| {
            (0..1000).map(|n| format!("create refs/of/{writer}/{n} {}\n", ids[writer % 2])).collect()
        })
        .collect();
    let writers: Vec<_> = scripts.iter().map(|script| start(&repo, script)).collect();
    repo.run(ADIT, &["pack-refs", "--all"], b"");
    for mut writer in writers {
        assert!(writer.wait().unwrap().success());
    }
    let listed = repo.git(&["for-each-ref", "--format=%(refname) %(objectname)", "refs/of"]);
    assert_eq!(listed.lines().count(), 8000);
    for (writer, id) in (0..8).map(|writer| (writer, &ids[writer % 2])) {
        assert_eq!(listed.matches(&format!("refs/of/{writer}/")).count(), 1000);
        assert!(listed.contains(&format!("refs/of/{writer}/999 {id}\n")));
    }
}

/// Removes the locks of a process that was killed, as its user would.
fn unlock(path: &Path) {
    for entry in std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            unlock(&entry);
        } else if entry.extension().is_some_and(|extension| extension == "lock") {
            std::fs::remove_file(entry).unwrap();
        }
    }
}

#[test]
fn a_writer_that_is_killed_leaves_the_old_state_or_the_new_one() {
    let can_trace = Command::new("strace").args(["-o", "/dev/null", "true"]).output();
    if !can_trace.is_ok_and(|output| output.status.success()) {
        println!("strace is not installed, or may not trace: no writer is killed");
        return;
    }
    let (repo, ids) = commits(2);
    let value = || {
        let output = repo.try_git(&["rev-parse", "--verify", "-q", "refs/tags/t"], b"");
        output.stdout.to_str_lossy().trim().to_owned()
    };
    let [a, b] = [&ids[0], &ids[1]];
    let gone = String::new();
    let mut kills = 0;
    for (words, old, new) in [
        (vec!["update-ref", "refs/tags/t", b, a], a, b),
        (vec!["update-ref", "-d", "refs/tags/t", b], b, &gone),
        (vec!["pack-refs", "--all"], b, b),
    ] {
        for call in ["openat", "write", "renameat", "unlinkat", "close"] {
            for when in 1.. {
                unlock(&repo.git_dir());
                // The value is in packed-refs, and a newer one in a file.
                repo.git(&["update-ref", "refs/tags/t", a]);
                repo.git(&["pack-refs", "--all"]);
                repo.git(&["update-ref", "refs/tags/t", old]);
                let inject = format!("inject={call}:signal=KILL:when={when}");
                let traced = ["-f", "-o", "/dev/null", "-e", &inject, ADIT];
                let output = repo.run("strace", &[&traced, words.as_slice()].concat(), b"");
                let found = value();
                assert!(found == *old || found == *new, "{words:?} {inject}: {found}");
                if output.status.success() {
                    assert_eq!(found, *new);
                    break;
                }
                assert_eq!(output.status.signal(), Some(9), "{words:?} {inject}");
                kills += 1;
                unlock(&repo.git_dir());
                if found == *old {
                    let again = repo.run(ADIT, &words, b"");
                    assert!(again.status.success(), "{inject}: {}", again.stderr.as_bstr());
                    assert_eq!(value(), *new);
                }
            }
        }
    }
    assert!(kills > 20, "{kills}");
    repo.git(&["fsck", "--strict"]);
}
