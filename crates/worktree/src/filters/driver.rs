//! Filter drivers: `filter=<driver>` and the programs that `filter.<driver>.*` names (gitattributes).

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::sync::{Mutex, PoisonError};

use adit_object::ObjectId;
use bstr::{BStr, BString};

use super::process::{self, Answer, Conversation, Request};
use super::{FilterError, Notice, Told};

/// What `filter.<driver>.*` says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Driver {
    /// The command line that cleans one content.
    pub clean: Option<BString>,
    /// The command line that smudges one content.
    pub smudge: Option<BString>,
    /// The command line of a program that does both for many; it goes before the others.
    pub process: Option<BString>,
    /// Whether content that it does not convert is of no use.
    pub required: bool,
}

/// What a program left.
#[derive(Debug)]
pub struct Ran {
    /// What it printed.
    pub output: Vec<u8>,
    /// Its status; 128 and the signal when it was killed.
    pub status: i32,
}

/// Starts programs for drivers. A command line means what the shell makes of it, at the top of the working tree.
pub trait Programs: Send + Sync {
    /// Runs a program with `content` as its input; it need not read it.
    ///
    /// # Errors
    /// When it cannot be started or read from.
    fn run(&self, command: &BStr, content: &[u8]) -> io::Result<Ran>;

    /// Starts a program that is then talked with.
    ///
    /// # Errors
    /// When it cannot be started.
    fn start(&self, command: &BStr) -> io::Result<Box<dyn Process>>;
}

/// A program that runs: what is written is its input, what is read its output. When it is dropped its input ends, and
/// it is waited for.
pub trait Process: Read + Write + Send {
    /// Ends it, because it does not do what it should.
    fn kill(&mut self);
}

/// Which way a content goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Clean,
    Smudge,
}

impl Direction {
    pub(super) fn word(self) -> &'static str {
        match self {
            Direction::Clean => "clean",
            Direction::Smudge => "smudge",
        }
    }
}

/// What is known of a content that goes to the working tree; it is told to a long-running filter.
#[derive(Debug, Clone, Default)]
pub struct Origin {
    /// The reference that is checked out.
    pub reference: Option<BString>,
    /// The commit or tree that it comes from.
    pub treeish: Option<ObjectId>,
    /// The blob itself.
    pub blob: Option<ObjectId>,
}

/// What came of a driver.
pub(super) enum Driven<'c> {
    /// The content, converted or not.
    Done(Cow<'c, [u8]>),
    /// It comes later.
    Delayed,
}

/// The programs of drivers, those that run among them.
pub(super) struct Drivers {
    known: HashMap<BString, Driver>,
    programs: Box<dyn Programs>,
    /// By command line.
    running: Mutex<HashMap<BString, Conversation>>,
}

impl Drivers {
    pub(super) fn new(known: HashMap<BString, Driver>, programs: Box<dyn Programs>) -> Self {
        Drivers { known, programs, running: Mutex::default() }
    }

    pub(super) fn is_known(&self, name: &BStr) -> bool {
        self.known.contains_key(name)
    }

    /// Lets the driver convert; a content that it cannot convert comes back as it is, unless it must.
    pub(super) fn apply<'c>(
        &self,
        name: &BStr,
        request: &Request<'_>,
        content: Cow<'c, [u8]>,
        told: Told<'_>,
    ) -> Result<Driven<'c>, FilterError> {
        let Some(driver) = self.known.get(name) else { return Ok(Driven::Done(content)) };
        let one = match request.direction {
            Direction::Clean => &driver.clean,
            Direction::Smudge => &driver.smudge,
        };
        let named = |command: &&BString| !command.is_empty();
        let converted = match (driver.process.as_ref().filter(named), one.as_ref().filter(named)) {
            (Some(command), _) => match self.talk(command, request, &content, told)? {
                Answer::Content(converted) => Some(converted),
                Answer::Delayed => return Ok(Driven::Delayed),
                Answer::No => None,
            },
            (None, Some(command)) => self.run(command, request.path, &content, told),
            (None, None) => None,
        };
        match converted {
            Some(converted) => Ok(Driven::Done(Cow::Owned(converted))),
            None if !driver.required => Ok(Driven::Done(content)),
            None => {
                let (path, driver) = (request.path.to_owned(), name.to_owned());
                Err(match request.direction {
                    Direction::Clean => FilterError::Clean { path, driver },
                    Direction::Smudge => FilterError::Smudge { path, driver },
                })
            }
        }
    }

    /// Runs a command line for one content.
    fn run(&self, command: &BString, path: &BStr, content: &[u8], told: Told<'_>) -> Option<Vec<u8>> {
        let line = with_path(command, path);
        match self.programs.run(line.as_ref(), content) {
            Ok(Ran { output, status: 0 }) => return Some(output),
            Ok(Ran { status, .. }) => told(Notice::Status { command: command.clone(), status }),
            Err(error) => told(Notice::NotStarted { command: line, error }),
        }
        told(Notice::Failed { command: command.clone() });
        None
    }

    /// Asks a long-running program, which is started if need be.
    fn talk(
        &self,
        command: &BString,
        request: &Request<'_>,
        content: &[u8],
        told: Told<'_>,
    ) -> Result<Answer, FilterError> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if !running.contains_key(command) {
            let started = match self.programs.start(command.as_ref()) {
                Ok(started) => started,
                Err(error) => {
                    told(Notice::NotStarted { command: command.clone(), error });
                    return Ok(Answer::No);
                }
            };
            match Conversation::begin(started) {
                Ok(conversation) => {
                    running.insert(command.clone(), conversation);
                }
                Err(process::Refusal::Capability(capability)) => {
                    return Err(FilterError::Capability { command: command.clone(), capability });
                }
                Err(process::Refusal::Garbled(what)) => return Err(FilterError::Packet { what }),
                Err(process::Refusal::Other(what)) => {
                    told(Notice::Handshake { command: command.clone(), what });
                    return Ok(Answer::No);
                }
            }
        }
        let Some(conversation) = running.get_mut(command) else { return Ok(Answer::No) };
        match conversation.ask(request, content) {
            Ok(answer) => Ok(answer),
            Err(_) => {
                told(Notice::Failed { command: command.clone() });
                // The next file starts it anew.
                if let Some(mut broken) = running.remove(command) {
                    broken.kill();
                }
                Ok(Answer::No)
            }
        }
    }

    /// The paths whose delayed contents are there, of any driver; empty when none is to come.
    pub(super) fn available(&self) -> Result<Vec<BString>, FilterError> {
        let mut paths = Vec::new();
        for (command, conversation) in self.running.lock().unwrap_or_else(PoisonError::into_inner).iter_mut()
        {
            let asked = conversation.available();
            paths.extend(asked.map_err(|_| FilterError::Available { command: command.clone() })?);
        }
        Ok(paths)
    }
}

/// A command line with `%f` replaced by the path, quoted for the shell, and `%%` by `%`.
fn with_path(command: &BString, path: &BStr) -> BString {
    let mut line = Vec::with_capacity(command.len());
    let mut bytes = command.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match (byte, bytes.peek()) {
            (b'%', Some(b'f')) => adit_text::quote::sq_quote(path, &mut line),
            (b'%', Some(b'%')) => line.push(b'%'),
            _ => {
                line.push(byte);
                continue;
            }
        }
        bytes.next();
    }
    line.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_quoted_into_command_lines() {
        let line = |command: &str| with_path(&command.into(), "a 'b".into());
        assert_eq!(line("x %f %% %x %"), "x 'a '\\''b' % %x %");
    }
}
