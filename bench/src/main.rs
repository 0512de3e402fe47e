//! Benchmarks of Adit beside git.
//!
//! ```text
//! cargo build --release && cargo run --release -p adit-bench -- [--git GIT] [--adit ADIT] [--runs N] objects [REPOSITORY]
//! cargo build --release && cargo run --release -p adit-bench -- [--git GIT] [--adit ADIT] [--runs N] refs [COUNT...]
//! cargo build --release && cargo run --release -p adit-bench -- [--git GIT] [--adit ADIT] [--runs N] index [COUNT...]
//! ```
//!
//! `objects` measures on a clone of REPOSITORY (by default the one in the current folder), made for the occasion:
//!
//! - `log --raw` and `log -Sfoo --raw` with `core.deltaBaseCacheLimit` from 8 MiB to 1 GiB: the time must fall or stay flat
//!   as the limit grows;
//! - `cat-file --batch-check=%(objectsize:disk)` of 1, 1,000 and all objects, with a `.rev` file and without.
//!
//! `refs` measures in repositories with 20,000 commits and as many tags as each COUNT says (by default 1,000, 10,000 and
//! 100,000), loose and packed, with warm caches and, where the system lets it drop them, cold ones: listing branches, listing
//! all references, `branch --contains`, `tag --contains`, and packing the references.
//!
//! `index` measures loading an index of as many entries as each COUNT says (by default 100,000, 1 and 2 million) and dropping
//! it again, once, in this process: time, and bytes of memory an entry; beside them `ls-files -- nosuch` of both programs, with
//! their peak memory.
//!
//! The programs run in turn, and the median of their times counts.
#![allow(clippy::disallowed_methods, clippy::print_stdout)] // A program that is run by hand and prints.

mod index;
mod objects;
mod peers;
mod refs;

use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

use peers::Peers;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args_os().skip(1);
    let mut peers = Peers::beside(&std::env::current_exe()?);
    let mut words: Vec<OsString> = Vec::new();
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(format!("{} needs a value", arg.display()));
        match arg.to_str() {
            Some("--git") => peers.git = value()?,
            Some("--adit") => peers.adit = value()?,
            Some("--runs") => peers.runs = value()?.to_string_lossy().parse::<usize>()?.max(1),
            Some(option) if option.starts_with('-') => return Err(format!("unknown option {option}").into()),
            _ => words.push(arg),
        }
    }
    let scratch = Scratch::new()?;
    match words.split_first().map(|(what, rest)| (what.to_str(), rest)) {
        Some((Some("objects"), rest)) => {
            let repository = rest.first().map_or_else(std::env::current_dir, fs::canonicalize)?;
            objects::run(&peers, &repository, &scratch.0)
        }
        Some((Some("refs"), [])) => refs::run(&peers, &[1_000, 10_000, 100_000], &scratch.0),
        Some((Some("refs"), words)) => refs::run(&peers, &counts(words)?, &scratch.0),
        Some((Some("index"), [])) => index::run(&peers, &[100_000, 1_000_000, 2_000_000], &scratch.0),
        Some((Some("index"), words)) => index::run(&peers, &counts(words)?, &scratch.0),
        _ => Err("say what to measure: objects, refs or index".into()),
    }
}

fn counts(words: &[OsString]) -> Result<Vec<usize>, std::num::ParseIntError> {
    words.iter().map(|count| count.to_string_lossy().parse()).collect()
}

/// A temporary folder that is removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> std::io::Result<Self> {
        let path = std::env::temp_dir().join(format!("adit-bench-{}", std::process::id()));
        fs::create_dir(&path)?;
        Ok(Scratch(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed stays in the folder for temporary files.
        let _ = fs::remove_dir_all(&self.0);
    }
}
