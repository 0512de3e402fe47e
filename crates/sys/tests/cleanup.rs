#![allow(clippy::disallowed_methods)] // A test that starts itself again talks to the copy by a variable.
//! What a process leaves behind that a signal ends.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};

use adit_sys::LockFile;

const FOLDER: &str = "ADIT_CLEANUP_TEST_FOLDER";

/// Not a test by itself: what the process does that is to be killed.
#[test]
fn hold_a_lock_until_killed() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    adit_sys::cleanup::remove_files_on_signals();
    let path = Path::new(&folder).join("file");
    let mut lock = LockFile::acquire(&path).unwrap();
    lock.write_all(b"half of the new").unwrap();
    println!("held");
    std::thread::sleep(std::time::Duration::from_secs(60));
}

#[test]
fn a_signal_removes_locks() {
    for (name, number) in [("TERM", 15), ("INT", 2)] {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("file"), "old").unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "hold_a_lock_until_killed", "--nocapture"])
            .env(FOLDER, dir.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().ends_with("held")));
        assert!(dir.path().join("file.lock").exists());
        let killed =
            Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status().unwrap();
        assert!(killed.success());
        assert_eq!(child.wait().unwrap().signal(), Some(number));
        assert!(!dir.path().join("file.lock").exists(), "{name}");
        assert_eq!(std::fs::read(dir.path().join("file")).unwrap(), b"old");
    }
}
