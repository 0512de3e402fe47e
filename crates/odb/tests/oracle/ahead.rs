//! Commits that are read ahead are those that are read one by one.

use std::time::{Duration, Instant};

use adit_object::{CommitsAhead, ObjectId, Source, SourceError};
use adit_testkit::{FORMATS, Repo};

use crate::common::*;

/// A pack with a long line of history, and its commits, youngest first.
fn long_history(name: &str) -> (Repo, Vec<ObjectId>) {
    let repo = Repo::new(name);
    let commit = |n: u32| {
        let message = "words ".repeat(n as usize % 40);
        let len = message.len();
        format!("commit refs/heads/main\ncommitter C <c@d> {} +0000\ndata {len}\n{message}\n", 1_000_000 + n)
    };
    let stream: String = (0..2000).map(commit).collect();
    assert!(repo.try_git(&["fast-import", "--quiet"], stream.as_bytes()).status.success());
    repo.git(&["repack", "-adq"]);
    let ids = repo.git(&["rev-list", "main"]).lines().map(|hex| id(name, hex)).collect();
    (repo, ids)
}

/// Reads `ids` in turn and says which of them came ahead; each must be right.
fn read_all<'i>(
    ahead: &mut dyn CommitsAhead,
    source: &dyn Source,
    ids: impl Iterator<Item = &'i ObjectId>,
) -> Vec<ObjectId> {
    let (mut found, mut expected) = (Vec::new(), Vec::new());
    let mut came = Vec::new();
    for id in ids {
        if ahead.take(id, &mut found) {
            source.read(id, &mut expected).unwrap();
            assert_eq!(found, expected, "{id}");
            came.push(*id);
        }
    }
    came
}

/// Reads all in turn until most come ahead, which takes the time that a thread takes to start.
fn read_until_most_come(
    ahead: &mut dyn CommitsAhead,
    source: &dyn Source,
    ids: &[ObjectId],
) -> Vec<ObjectId> {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let came = read_all(ahead, source, ids.iter());
        if came.len() * 4 > ids.len() * 3 {
            return came;
        }
        assert!(Instant::now() < deadline, "{} of {} came ahead", came.len(), ids.len());
        std::thread::yield_now();
    }
}

#[test]
fn what_comes_ahead_is_what_is_stored() {
    for name in FORMATS {
        let (repo, ids) = long_history(name);
        let store = open(&repo, name);
        let Some(mut ahead) = store.commits_ahead() else { return };
        read_until_most_come(&mut *ahead, &store, &ids);
        read_all(&mut *ahead, &store, ids.iter().rev());
        read_all(&mut *ahead, &store, ids.iter().step_by(37).chain(ids.iter().skip(5).step_by(3)));
        let (tree, null) = (repo.git(&["rev-parse", "main^{tree}"]), ObjectId::null(format(name)));
        assert!(!ahead.take(&id(name, &tree), &mut Vec::new()) && !ahead.take(&null, &mut Vec::new()));
    }
}

#[test]
fn a_damaged_commit_does_not_come_ahead() {
    for name in FORMATS {
        let (repo, ids) = long_history(name);
        let bad = ids[1111];
        let place = repo
            .run("sh", &["-c", "cat .git/objects/pack/*.idx | git show-index --object-format=$0", name], b"")
            .stdout;
        let place = String::from_utf8(place).unwrap();
        let line = place.lines().find(|line| line.contains(&bad.to_string())).unwrap();
        let offset: usize = line.split(' ').next().unwrap().parse().unwrap();
        let pack = &pack_files(&repo, "pack")[0];
        let mut bytes = std::fs::read(pack).unwrap();
        bytes[offset + 20] ^= 0x55;
        std::fs::remove_file(pack).unwrap();
        std::fs::write(pack, bytes).unwrap();
        let store = open(&repo, name);
        let Some(mut ahead) = store.commits_ahead() else { return };
        let came = read_until_most_come(&mut *ahead, &store, &ids);
        assert!(!came.contains(&bad));
        assert!(matches!(store.read(&bad, &mut Vec::new()), Err(SourceError::Corrupt { .. })));
    }
}

#[test]
fn commits_that_are_replaced_come_as_what_replaces_them() {
    let (repo, ids) = long_history("sha1");
    let mut store = open(&repo, "sha1");
    store.set_replacements([(ids[700], ids[800])].into_iter().collect());
    let Some(mut ahead) = store.commits_ahead() else { return };
    read_until_most_come(&mut *ahead, &store, &ids);
}
