//! The two programs, run in turn on the same work.

use std::error::Error;
use std::ffi::OsString;
use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What is compared, and how often each runs.
pub(crate) struct Peers {
    pub(crate) git: OsString,
    pub(crate) adit: OsString,
    pub(crate) runs: usize,
}

/// One command line.
pub(crate) struct Work<'a> {
    pub(crate) dir: &'a Path,
    pub(crate) args: &'a [&'a str],
    pub(crate) input: Option<&'a Path>,
    /// What is done before each run, untimed.
    pub(crate) before: &'a dyn Fn() -> Result<(), Box<dyn Error>>,
}

impl Peers {
    /// The system's git, and the Adit that lies beside the program at `own`.
    pub(crate) fn beside(own: &Path) -> Self {
        Peers { git: "git".into(), adit: own.with_file_name("adit").into(), runs: 3 }
    }

    /// Has git make something ready.
    pub(crate) fn prepare(&self, dir: &Path, args: &[&str]) -> Result<(), Box<dyn Error>> {
        let status = Command::new(&self.git).arg("-C").arg(dir).args(args).status()?;
        if status.success() { Ok(()) } else { Err(format!("git {args:?} failed").into()) }
    }

    /// Prints a line with both times and their ratio.
    pub(crate) fn compare(
        &self,
        what: &str,
        dir: &Path,
        args: &[&str],
        input: Option<&Path>,
    ) -> Result<(), Box<dyn Error>> {
        self.compare_work(what, &Work { dir, args, input, before: &|| Ok(()) })
    }

    /// Like [`Peers::compare`].
    pub(crate) fn compare_work(&self, what: &str, work: &Work<'_>) -> Result<(), Box<dyn Error>> {
        // The first runs fill the caches that the others are to find.
        for program in [&self.git, &self.adit] {
            time(program, work)?;
        }
        let (mut git, mut adit) = (Vec::new(), Vec::new());
        for _ in 0..self.runs {
            git.push(time(&self.git, work)?);
            adit.push(time(&self.adit, work)?);
        }
        let (git, adit) = (median(git), median(adit));
        println!("{what:<40} git {git:>8.4} s   adit {adit:>8.4} s   ratio {:.2}", adit / git);
        Ok(())
    }
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64()
}

fn time(program: &OsString, work: &Work<'_>) -> Result<Duration, Box<dyn Error>> {
    (work.before)()?;
    let stdin = match work.input {
        Some(path) => Stdio::from(File::open(path)?),
        None => Stdio::null(),
    };
    let mut command = Command::new(program);
    command.arg("-C").arg(work.dir).args(work.args).stdin(stdin).stdout(Stdio::null());
    let start = Instant::now();
    let status = command.status()?;
    let elapsed = start.elapsed();
    if status.success() {
        Ok(elapsed)
    } else {
        Err(format!("{} {:?} failed", program.display(), work.args).into())
    }
}
