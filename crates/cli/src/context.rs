//! What a command is given: the environment, the repository, and where its input and output are.

use std::io::{BufRead, Write};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use adit::{Environment, OpenError, Repository};
use adit_config::Config;
use adit_text::date::LocalZone;
use bstr::ByteSlice;

use crate::error::Error;
use crate::globals::Program;
use crate::pager::RunningPager;

/// Standard input, output and error of a command; a test hands in buffers.
pub struct Streams<'s> {
    /// Standard input.
    pub input: Box<dyn BufRead + 's>,
    /// Standard output, buffered; a command flushes it where a reader waits.
    pub out: Box<dyn Write + Send + 's>,
    /// Standard error.
    pub err: Box<dyn Write + Send + 's>,
    /// Whether standard output is a terminal, or a pager that shows it on one.
    pub out_is_terminal: bool,
    /// Whether standard error is a terminal.
    pub err_is_terminal: bool,
}

/// Everything that a command may use besides its arguments.
pub struct Context<'s> {
    /// Variables and the working directory, global options applied.
    pub env: Environment,
    /// Standard input, output and error.
    pub streams: Streams<'s>,
    /// How the program was called.
    pub program: Program,
    repository: Option<Arc<Repository>>,
    /// The configuration that applies without a repository, once it was needed.
    outer_config: Option<Arc<Config>>,
    pager: Option<RunningPager>,
}

impl<'s> Context<'s> {
    /// A context without a repository.
    pub fn new(env: Environment, streams: Streams<'s>, program: Program) -> Self {
        Context { env, streams, program, repository: None, outer_config: None, pager: None }
    }

    /// Opens the repository that the environment points to, unless that is done.
    ///
    /// # Errors
    /// When there is none, or it cannot be used.
    pub fn open_repository(&mut self) -> Result<(), Error> {
        if self.repository.is_none() {
            self.repository = Some(Arc::new(Repository::discover(&self.env)?));
        }
        Ok(())
    }

    /// Opens the repository that the environment points to, if it points to one.
    ///
    /// # Errors
    /// When there is one and it cannot be used.
    pub fn open_repository_if_any(&mut self) -> Result<(), Error> {
        if self.repository.is_some() {
            return Ok(());
        }
        match Repository::discover(&self.env) {
            Ok(repository) => self.repository = Some(Arc::new(repository)),
            Err(OpenError::NotARepository { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    /// The repository, for a command that needs one.
    ///
    /// # Errors
    /// When there is none.
    pub fn repo(&self) -> Result<Arc<Repository>, Error> {
        let none = || OpenError::NotARepository { named: None, stopped_at: None };
        self.repository.clone().ok_or_else(|| none().into())
    }

    /// The repository, for a command that works without one too.
    pub fn repo_if_any(&self) -> Option<Arc<Repository>> {
        self.repository.clone()
    }

    /// The configuration: the repository's when one is open, else the system's and the user's. A repository is
    /// looked for first, since its configuration may hold an alias or name a pager.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn config(&mut self) -> Result<Arc<Config>, Error> {
        self.open_repository_if_any()?;
        if let Some(repository) = &self.repository {
            return Ok(repository.shared_config());
        }
        let config = match &self.outer_config {
            Some(config) => Arc::clone(config),
            None => Arc::new(adit::config_files::without_repository(&self.env)?),
        };
        self.outer_config = Some(Arc::clone(&config));
        Ok(config)
    }

    /// A program to be started with this environment, in this working directory.
    pub fn child(&mut self, program: &Path) -> Command {
        // What was printed so far comes first.
        let _ = self.streams.out.flush();
        let mut command = Command::new(program);
        command.env_clear().envs(self.env.vars()).current_dir(self.env.cwd());
        command
    }

    /// The width that output is laid out for: `COLUMNS`, the terminal's width, or 80.
    pub fn columns(&self) -> usize {
        let told = self.env.var("COLUMNS").and_then(|value| value.to_str().ok()?.parse().ok());
        let asked = || if self.streams.out_is_terminal { adit_sys::terminal_columns() } else { None };
        told.filter(|columns| *columns > 0).or_else(asked).unwrap_or(80)
    }

    /// The zone that local times are in.
    pub fn local_zone(&self) -> LocalZone {
        LocalZone::from_tz(self.env.var("TZ").map(|tz| tz.to_str_lossy()).as_deref())
    }

    /// Whether what is printed may be coloured when nothing says that it must be: it goes to a terminal that can.
    pub fn out_shows_colors(&self) -> bool {
        self.streams.out_is_terminal && self.env.var("TERM").is_some_and(|term| term != "dumb")
    }

    /// Whether output goes through a pager.
    pub fn is_paged(&self) -> bool {
        self.pager.is_some()
    }

    /// Makes a pager's input the standard output.
    pub fn page_through(&mut self, pager: RunningPager, out: Box<dyn Write + Send>) {
        self.streams.out = out;
        self.pager = Some(pager);
    }

    /// Prints `warning: <message>`.
    pub fn warn(&mut self, message: impl std::fmt::Display) {
        // A warning that cannot be written must not end the command.
        let _ = writeln!(self.streams.err, "warning: {message}");
    }

    /// Prints `error: <message>`, and the command goes on.
    pub fn complain(&mut self, message: impl std::fmt::Display) {
        let _ = writeln!(self.streams.err, "error: {message}");
    }

    /// Writes out what is buffered, says why the command failed if it did, and waits for the pager.
    pub(crate) fn finish(self, result: Result<u8, Error>) -> u8 {
        let Streams { mut out, mut err, .. } = self.streams;
        let written = out.flush().map_err(Error::Output);
        let result = result.and_then(|status| written.map(|()| status));
        for complaint in self.repository.iter().flat_map(|repository| repository.take_complaints()) {
            let _ = writeln!(err, "{complaint}");
        }
        let status = match result {
            Ok(status) => status,
            Err(error) => {
                error.report(&mut out, &mut err);
                let _ = out.flush();
                error.status()
            }
        };
        // The pager ends when its input does.
        drop(out);
        drop(self.pager);
        status
    }
}
