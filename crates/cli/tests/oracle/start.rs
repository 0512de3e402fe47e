//! How the program starts and ends: with streams that are closed, and with a reader that goes away.

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

use adit_testkit::Repo;

use crate::ADIT;

#[test]
fn streams_that_are_closed_are_not_mistaken_for_files() {
    let repo = Repo::new("sha1");
    repo.write("file", "text\n").commit("one");
    for closed in ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"] {
        let script = format!("\"$0\" log -p {closed}");
        let run = |program: &str| {
            Command::new("sh").args(["-c", &script, program]).current_dir(repo.path()).output().unwrap()
        };
        let (git, adit) = (run("git"), run(ADIT));
        assert_eq!((adit.status.code(), adit.stdout), (git.status.code(), git.stdout), "{closed}");
    }
}

#[test]
fn a_reader_that_goes_away_ends_the_program() {
    let repo = Repo::new("sha1");
    let text: String = (0..100_000).map(|line| format!("line {line}\n")).collect();
    repo.write("file", &text).commit("one");
    let mut child = Command::new(ADIT)
        .args(["log", "-p"])
        .current_dir(repo.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().signal(), Some(13), "SIGPIPE");
}
