#![allow(clippy::expect_used, clippy::disallowed_methods)] // A test helper fails by panicking and runs in the test's environment.
//! For tests only: repositories built by the real git, which is also the oracle.
//!
//! - [`Repo`] is a repository in a temporary folder, in either object format, with a fixed identity and clock.
//! - [`git_program`] is the oracle; [`run`] runs any program the same way, so that outputs can be compared.
//!
//! ```
//! let repo = adit_testkit::Repo::new("sha1");
//! repo.write("a", "one\n").commit("first");
//! assert_eq!(repo.git(&["log", "--format=%s"]), "first\n");
//! ```

use std::cell::Cell;
use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Both object formats; suites run once for each.
pub const FORMATS: [&str; 2] = ["sha1", "sha256"];

/// A repository that lives as long as the value.
pub struct Repo {
    dir: tempfile::TempDir,
    clock: Cell<u64>,
}

impl Repo {
    /// An empty repository with a working tree, its branch `main` unborn.
    pub fn new(object_format: &str) -> Self {
        let repo =
            Repo { dir: tempfile::tempdir().expect("a temporary folder"), clock: Cell::new(1_112_911_993) };
        repo.git(&["init", "-q", "-b", "main", &format!("--object-format={object_format}")]);
        repo
    }

    /// The top of the working tree.
    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// The `.git` folder.
    pub fn git_dir(&self) -> PathBuf {
        self.dir.path().join(".git")
    }

    /// Writes a file of the working tree, making its folders.
    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) -> &Self {
        let path = self.dir.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a file in the work tree")).expect("folders");
        std::fs::write(path, content).expect("a written file");
        self
    }

    /// Stages everything and commits it, a minute after the last commit.
    pub fn commit(&self, message: &str) -> &Self {
        self.git(&["add", "-A"]);
        self.tick();
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self
    }

    /// Moves the clock that stamps commits and tags a minute on.
    pub fn tick(&self) -> &Self {
        self.clock.set(self.clock.get() + 60);
        self
    }

    /// Runs git here, which must succeed, and returns what it printed.
    pub fn git<S: AsRef<OsStr>>(&self, args: &[S]) -> String {
        let output = self.run(git_program(), args, b"");
        assert!(
            output.status.success(),
            "git {:?}: {}",
            words(args),
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Runs git here with `input` on its standard input, whatever comes of it.
    pub fn try_git<S: AsRef<OsStr>>(&self, args: &[S], input: &[u8]) -> Output {
        self.run(git_program(), args, input)
    }

    /// Runs `program` here in the same environment that git gets.
    pub fn run<S: AsRef<OsStr>>(&self, program: impl AsRef<OsStr>, args: &[S], input: &[u8]) -> Output {
        let date = format!("{} -0700", self.clock.get());
        run(program, self.path(), args, input, &[("GIT_AUTHOR_DATE", &date), ("GIT_COMMITTER_DATE", &date)])
    }
}

/// The git that serves as the oracle: `$ADIT_TEST_GIT`, else the one on the path.
pub fn git_program() -> std::ffi::OsString {
    std::env::var_os("ADIT_TEST_GIT").unwrap_or_else(|| "git".into())
}

/// Runs `program` in `dir` with a fixed identity, locale and zone and no configuration but the repository's.
pub fn run<S: AsRef<OsStr>>(
    program: impl AsRef<OsStr>,
    dir: &Path,
    args: &[S],
    input: &[u8],
    env: &[(&str, &str)],
) -> Output {
    let mut command = Command::new(program);
    command.args(args).current_dir(dir).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("GIT_") {
            command.env_remove(name);
        }
    }
    for (name, value) in [
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_AUTHOR_NAME", "A U Thor"),
        ("GIT_AUTHOR_EMAIL", "author@example.com"),
        ("GIT_COMMITTER_NAME", "C O Mitter"),
        ("GIT_COMMITTER_EMAIL", "committer@example.com"),
        ("LC_ALL", "C"),
        ("TZ", "UTC"),
        ("TERM", "dumb"),
        ("HOME", "/nonexistent"),
    ] {
        command.env(name, value);
    }
    command.envs(env.iter().copied());
    let mut child = command.spawn().expect("a program that starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    std::thread::scope(|scope| {
        // A program that ends early closes the pipe; what it printed still counts.
        scope.spawn(move || drop(stdin.write_all(input)));
        child.wait_with_output().expect("a program that ends")
    })
}

fn words<S: AsRef<OsStr>>(args: &[S]) -> Vec<String> {
    args.iter().map(|a| a.as_ref().to_string_lossy().into_owned()).collect()
}
