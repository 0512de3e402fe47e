#![allow(clippy::disallowed_methods, clippy::print_stdout)] // A program that is run by hand and prints.
//! Benchmarks of the object store, Adit beside git.
//!
//! ```text
//! cargo build --release && cargo run --release -p adit-bench -- [--git GIT] [--adit ADIT] [--runs N] [REPOSITORY]
//! ```
//!
//! Two things are measured on a clone of REPOSITORY (by default the one in the current folder), made for the occasion:
//!
//! - `log --raw` and `log -Sfoo --raw` with `core.deltaBaseCacheLimit` from 8 MiB to 1 GiB: the time must fall or stay flat
//!   as the limit grows;
//! - `cat-file --batch-check=%(objectsize:disk)` of 1, 1,000 and all objects, with a `.rev` file and without.

use std::error::Error;
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn Error>> {
    let setup = Setup::from_args(std::env::args_os().skip(1))?;
    let scratch = Scratch::new()?;
    let clone = scratch.0.join("clone.git");
    setup.clone_into(&clone)?;
    cache_limits(&setup, &clone)?;
    disk_sizes(&setup, &clone, &scratch.0)
}

/// What is compared, and on which repository.
struct Setup {
    git: OsString,
    adit: OsString,
    runs: usize,
    repository: PathBuf,
}

impl Setup {
    fn from_args(mut args: impl Iterator<Item = OsString>) -> Result<Self, Box<dyn Error>> {
        let beside = std::env::current_exe()?.with_file_name("adit");
        let mut setup =
            Setup { git: "git".into(), adit: beside.into(), runs: 3, repository: std::env::current_dir()? };
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or(format!("{} needs a value", arg.display()));
            match arg.to_str() {
                Some("--git") => setup.git = value()?,
                Some("--adit") => setup.adit = value()?,
                Some("--runs") => setup.runs = value()?.to_string_lossy().parse::<usize>()?.max(1),
                Some(option) if option.starts_with('-') => {
                    return Err(format!("unknown option {option}").into());
                }
                _ => setup.repository = fs::canonicalize(arg)?,
            }
        }
        Ok(setup)
    }

    /// One pack with a `.rev` file; packs of local clones are linked, not copied.
    fn clone_into(&self, to: &Path) -> Result<(), Box<dyn Error>> {
        let status =
            Command::new(&self.git).args(["clone", "-q", "--bare"]).arg(&self.repository).arg(to).status()?;
        let packs = fs::read_dir(to.join("objects/pack"))?.count();
        if !status.success() || packs == 0 {
            return Err("the repository could not be cloned".into());
        }
        let repack = ["-c", "pack.writeReverseIndex=true", "repack", "-adq"];
        let status = Command::new(&self.git).arg("-C").arg(to).args(repack).status()?;
        if status.success() { Ok(()) } else { Err("the clone could not be repacked".into()) }
    }

    /// The median time of a command line in `dir`.
    fn time(
        &self,
        program: &OsString,
        dir: &Path,
        args: &[&str],
        input: Option<&Path>,
    ) -> Result<Duration, Box<dyn Error>> {
        let mut times = Vec::new();
        for _ in 0..self.runs {
            let stdin = match input {
                Some(path) => Stdio::from(File::open(path)?),
                None => Stdio::null(),
            };
            let start = Instant::now();
            let status = Command::new(program)
                .arg("-C")
                .arg(dir)
                .args(args)
                .stdin(stdin)
                .stdout(Stdio::null())
                .status()?;
            times.push(start.elapsed());
            if !status.success() {
                return Err(format!("{} {args:?} failed", program.display()).into());
            }
        }
        times.sort_unstable();
        Ok(times[times.len() / 2])
    }

    /// Prints a line with both times and their ratio.
    fn compare(
        &self,
        what: &str,
        dir: &Path,
        args: &[&str],
        input: Option<&Path>,
    ) -> Result<(), Box<dyn Error>> {
        let git = self.time(&self.git, dir, args, input)?;
        let adit = self.time(&self.adit, dir, args, input)?;
        let (git, adit) = (git.as_secs_f64(), adit.as_secs_f64());
        println!("{what:<40} git {git:>8.3} s   adit {adit:>8.3} s   ratio {:.2}", adit / git);
        Ok(())
    }
}

fn cache_limits(setup: &Setup, clone: &Path) -> Result<(), Box<dyn Error>> {
    for log in [&["log", "--raw"][..], &["log", "-Sfoo", "--raw"]] {
        println!("{} by core.deltaBaseCacheLimit", log.join(" "));
        for mebibytes in [8, 16, 32, 64, 96, 256, 1024] {
            let limit = format!("core.deltaBaseCacheLimit={mebibytes}m");
            let args = [&["-c", &limit], log].concat();
            setup.compare(&format!("  {mebibytes} MiB"), clone, &args, None)?;
        }
    }
    Ok(())
}

fn disk_sizes(setup: &Setup, clone: &Path, scratch: &Path) -> Result<(), Box<dyn Error>> {
    let listed = Command::new(&setup.git)
        .arg("-C")
        .arg(clone)
        .args(["cat-file", "--batch-all-objects", "--batch-check=%(objectname)"])
        .output()?
        .stdout;
    let ids: Vec<&[u8]> = listed.split_inclusive(|&b| b == b'\n').collect();
    let some = |count: usize| -> Result<PathBuf, Box<dyn Error>> {
        let path = scratch.join(format!("{count}"));
        let step = (ids.len() / count).max(1);
        fs::write(&path, ids.iter().step_by(step).take(count).copied().collect::<Vec<_>>().concat())?;
        Ok(path)
    };
    let (one, thousand) = (some(1)?, some(1000)?);
    let check = ["cat-file", "--buffer", "--batch-check=%(objectsize:disk)"];
    let all = [&check[..], &["--batch-all-objects"]].concat();
    for with_rev in [true, false] {
        if !with_rev {
            for entry in fs::read_dir(clone.join("objects/pack"))? {
                let path = entry?.path();
                if path.extension().is_some_and(|extension| extension == "rev") {
                    fs::remove_file(path)?;
                }
            }
        }
        println!("%(objectsize:disk) {} a .rev file", if with_rev { "with" } else { "without" });
        setup.compare("  1 object", clone, &check, Some(&one))?;
        setup.compare("  1,000 objects", clone, &check, Some(&thousand))?;
        setup.compare(&format!("  all {} objects", ids.len()), clone, &all, None)?;
    }
    Ok(())
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
