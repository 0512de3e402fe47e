#![allow(clippy::unwrap_used)] // Tests fail by panicking, their helpers too.
//! The command line against git: the same words in the same repository must give the same bytes and the same status.

mod bad_input;
mod binary;
mod check;
mod check_attr;
mod check_ignore;
mod diff;
mod filters;
mod hash_object;
mod index;
mod init;
mod interference;
mod log;
mod objects;
mod odd_histories;
mod programs;
mod read_ahead;
mod read_more;
mod reference_writes;
mod reflogs;
mod refs;
mod rev_list;
mod signatures;
mod start;

use adit_testkit::Repo;
use bstr::ByteSlice;

/// The program under test.
const ADIT: &str = env!("CARGO_BIN_EXE_adit");

/// Runs each line with git and with Adit in `repo`, and compares standard output and status.
#[track_caller]
fn assert_same(repo: &Repo, lines: &[&str]) {
    for line in lines {
        let words: Vec<&str> = line.split(' ').collect();
        let git = repo.try_git(&words, b"");
        let adit = repo.run(ADIT, &words, b"");
        assert!(
            git.stdout == adit.stdout && git.status.code() == adit.status.code(),
            "{line}\ngit  ({:?}): {}\n{}\nadit ({:?}): {}\n{}",
            git.status.code(),
            git.stdout.as_bstr(),
            git.stderr.as_bstr(),
            adit.status.code(),
            adit.stdout.as_bstr(),
            adit.stderr.as_bstr(),
        );
    }
}

/// Runs each line with Adit, which must succeed and complain of nothing.
#[track_caller]
fn assert_quiet(repo: &Repo, lines: &[&str]) {
    for line in lines {
        let words: Vec<&str> = line.split(' ').collect();
        let adit = repo.run(ADIT, &words, b"");
        assert!(adit.status.success() && adit.stderr.is_empty(), "{line}: {}", adit.stderr.as_bstr());
    }
}
