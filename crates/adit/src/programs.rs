//! Programs that configuration names as command lines.

use std::io::{self, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use adit_worktree::filters::{Process, Programs, Ran};
use bstr::{BStr, ByteSlice};

use crate::Environment;

/// Characters that make a command line more than the name of a program.
const SPECIAL: &[u8] = b"|&;<>()$`\\\"' \t\n*?[#~=%";

/// Starts programs in an environment, in a folder.
#[derive(Debug, Clone)]
pub struct Launcher {
    env: Environment,
    folder: PathBuf,
}

impl Launcher {
    /// Programs get the variables of `env` and run in `folder`.
    pub fn new(env: &Environment, folder: &Path) -> Self {
        Launcher { env: env.clone(), folder: folder.to_owned() }
    }

    /// The program of a command line: the shell's, unless it is a name alone.
    pub fn command(&self, line: &BStr) -> Command {
        let mut command = if line.find_byteset(SPECIAL).is_some() {
            let mut shell = Command::new("/bin/sh");
            shell.arg("-c").arg(line.to_os_str_lossy());
            shell
        } else {
            Command::new(line.to_os_str_lossy())
        };
        command.env_clear().envs(self.env.vars()).current_dir(&self.folder);
        command
    }
}

impl Programs for Launcher {
    fn run(&self, line: &BStr, content: &[u8]) -> io::Result<Ran> {
        let mut child = self.command(line).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let stdin = child.stdin.take();
        let mut output = Vec::new();
        let fed = std::thread::scope(|scope| {
            let feed = move || stdin.map_or(Ok(()), |mut stdin| stdin.write_all(content));
            let feeding = scope.spawn(|| adit_sys::surviving_broken_pipes(feed));
            let read = child.stdout.take().map_or(Ok(0), |mut stdout| stdout.read_to_end(&mut output));
            let fed = feeding.join().unwrap_or_else(|_| Err(io::Error::other("a thread ended badly")));
            read.and(fed)
        });
        let status = child.wait()?;
        match fed {
            // A program need not read all that it is told.
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => return Err(error),
            _ => {}
        }
        let status = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(-1);
        Ok(Ran { output, status })
    }

    fn start(&self, line: &BStr) -> io::Result<Box<dyn Process>> {
        let mut child = self.command(line).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        Ok(Box::new(Running { child, input, output }))
    }
}

/// A program that is talked with.
struct Running {
    child: Child,
    input: Option<ChildStdin>,
    output: Option<ChildStdout>,
}

impl Read for Running {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.output.as_mut().map_or(Ok(0), |output| output.read(buffer))
    }
}

impl Write for Running {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(input) = &mut self.input else { return Err(io::ErrorKind::BrokenPipe.into()) };
        adit_sys::surviving_broken_pipes(|| input.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Process for Running {
    fn kill(&mut self) {
        // One that ended meanwhile is as good as killed.
        let _ = self.child.kill();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It ends when its input does.
        drop(self.input.take());
        let _ = self.child.wait();
    }
}
