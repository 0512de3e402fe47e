//! Hooks: programs that a repository has for certain moments (githooks).

use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use adit_refs::{Hook, Phase};

use crate::{OpenError, Repository};

/// A hook that is there and can be run.
#[derive(Debug)]
pub struct HookProgram<'r> {
    repo: &'r Repository,
    path: PathBuf,
}

impl Repository {
    /// The folder of the hooks: `core.hooksPath`, or `hooks` in the folder that all working trees share.
    ///
    /// # Errors
    /// When the setting cannot be read.
    pub fn hooks_dir(&self) -> Result<PathBuf, OpenError> {
        let named = self.config().string("core.hookspath")?;
        match named.and_then(|path| adit_config::value::path(path, self.env().home().as_deref())) {
            Some(path) => Ok(self.work_tree().unwrap_or(self.git_dir()).join(path)),
            None => Ok(self.common_dir().join("hooks")),
        }
    }

    /// The hook of that name; `None` when there is none that can be run.
    ///
    /// # Errors
    /// When the settings cannot be read.
    pub fn hook(&self, name: &str) -> Result<Option<HookProgram<'_>>, OpenError> {
        let path = self.hooks_dir()?.join(name);
        let runs = std::fs::metadata(&path).is_ok_and(|meta| meta.permissions().mode() & 0o111 != 0);
        Ok(runs.then_some(HookProgram { repo: self, path }))
    }

    /// What is told of the phases of transactions of references: the hook `reference-transaction`, if there is one.
    ///
    /// # Errors
    /// When the settings cannot be read.
    pub fn reference_hook(&self) -> Result<ReferenceHook<'_>, OpenError> {
        Ok(ReferenceHook { program: self.hook("reference-transaction")? })
    }
}

impl HookProgram<'_> {
    /// Where it is.
    pub fn path(&self) -> &std::path::Path {
        &self.path
    }

    /// Runs it with `args` and `input`, from the top of the working tree or the folder of a bare repository. What it
    /// prints goes to standard error.
    ///
    /// # Errors
    /// When it cannot be started or waited for.
    pub fn run<S: AsRef<std::ffi::OsStr>>(&self, args: &[S], input: &[u8]) -> io::Result<bool> {
        let mut command = Command::new(&self.path);
        command.args(args).env_clear().envs(self.repo.env().vars());
        command.env("GIT_DIR", self.repo.git_dir());
        command.current_dir(self.repo.work_tree().unwrap_or(self.repo.git_dir()));
        command.stdin(if input.is_empty() { Stdio::null() } else { Stdio::piped() });
        command.stdout(io::stderr());
        let mut child = command.spawn()?;
        if let Some(mut stdin) = child.stdin.take()
            && let Err(error) = adit_sys::surviving_broken_pipes(|| stdin.write_all(input))
            && error.kind() != io::ErrorKind::BrokenPipe
        {
            // A hook need not read what it is told.
            let _ = child.wait();
            return Err(error);
        }
        Ok(child.wait()?.success())
    }
}

/// Tells the hook `reference-transaction` of each phase.
#[derive(Debug)]
pub struct ReferenceHook<'r> {
    program: Option<HookProgram<'r>>,
}

impl Hook for ReferenceHook<'_> {
    fn is_present(&self) -> bool {
        self.program.is_some()
    }

    fn run(&mut self, phase: Phase, lines: &[u8]) -> bool {
        match &self.program {
            // One that cannot be run counts as one that says no.
            Some(program) => program.run(&[phase.as_str()], lines).unwrap_or(false),
            None => true,
        }
    }
}
