//! A filter that runs as long as the command does (gitattributes, "Long Running Filter Process").

use std::collections::BTreeSet;
use std::io::{self, Write};

use adit_text::pkt_line::{self, Packet};
use bstr::{BStr, BString, ByteSlice};

use super::driver::{Direction, Origin, Process};

/// What a filter is asked to do.
pub(super) struct Request<'r> {
    pub(super) direction: Direction,
    pub(super) path: &'r BStr,
    pub(super) origin: &'r Origin,
    /// Whether the answer may come later.
    pub(super) can_delay: bool,
}

/// What it answers.
pub(super) enum Answer {
    Content(Vec<u8>),
    Delayed,
    /// It cannot or will not.
    No,
}

/// Why no conversation begins.
pub(super) enum Refusal {
    /// It wants what was not offered.
    Capability(BString),
    /// It does not even send packets.
    Garbled(String),
    Other(String),
}

/// A filter that has said what it can do.
pub(super) struct Conversation {
    process: Box<dyn Process>,
    clean: bool,
    smudge: bool,
    delay: bool,
    /// Contents that were promised for later.
    delayed: BTreeSet<BString>,
    buffer: Vec<u8>,
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::InvalidData {
            return Refusal::Garbled(error.to_string());
        }
        Refusal::Other("could not talk with the subprocess".into())
    }
}

fn broken(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

impl Conversation {
    /// Says hello, and agrees on a version and on what can be done.
    pub(super) fn begin(process: Box<dyn Process>) -> Result<Self, Refusal> {
        let buffer = Vec::new();
        let mut talk = Conversation {
            process,
            clean: false,
            smudge: false,
            delay: false,
            delayed: BTreeSet::new(),
            buffer,
        };
        let result = talk.handshake();
        if matches!(result, Err(Refusal::Other(_))) {
            talk.kill();
        }
        result.map(|()| talk)
    }

    fn handshake(&mut self) -> Result<(), Refusal> {
        self.lines(&[b"git-filter-client", b"version=2"])
            .map_err(|_| Refusal::Other("Could not write client identification".into()))?;
        let other = |text: String| Err(Refusal::Other(text));
        if self.line()? != Packet::Data || self.buffer != b"git-filter-server" {
            let said = self.buffer.as_bstr();
            return other(format!("Unexpected line '{said}', expected git-filter-server"));
        }
        let read = self.line()?;
        let version = self.buffer.strip_prefix(b"version=").filter(|_| read == Packet::Data);
        match version {
            Some(b"2") => {}
            Some(version) => return other(format!("Version {} not supported", version.as_bstr())),
            None => return other(format!("Unexpected line '{}', expected version", self.buffer.as_bstr())),
        }
        if self.line()? != Packet::Flush {
            return other(format!("Unexpected line '{}', expected flush", self.buffer.as_bstr()));
        }
        self.lines(&[b"capability=clean", b"capability=smudge", b"capability=delay"])?;
        while self.line()? == Packet::Data {
            match self.buffer.strip_prefix(b"capability=") {
                Some(b"clean") => self.clean = true,
                Some(b"smudge") => self.smudge = true,
                Some(b"delay") => self.delay = true,
                Some(name) => return Err(Refusal::Capability(name.into())),
                None => {}
            }
        }
        Ok(())
    }

    /// Asks for one conversion. An error means that the filter cannot be talked with any more.
    pub(super) fn ask(&mut self, request: &Request<'_>, content: &[u8]) -> io::Result<Answer> {
        let able = match request.direction {
            Direction::Clean => self.clean,
            Direction::Smudge => self.smudge,
        };
        if !able {
            return Ok(Answer::No);
        }
        self.delayed.remove(request.path);
        let can_delay = request.can_delay && self.delay;
        self.send(request, can_delay, content)?;
        match self.status(b"")?.as_slice() {
            b"success" => {}
            b"delayed" if can_delay => {
                self.delayed.insert(request.path.to_owned());
                return Ok(Answer::Delayed);
            }
            status => return self.refusal(status, request.direction),
        }
        let mut converted = Vec::new();
        loop {
            match pkt_line::read(&mut self.process, &mut self.buffer)? {
                Packet::Data => converted.extend_from_slice(&self.buffer),
                Packet::Flush => break,
                _ => return Err(broken("content without an end")),
            }
        }
        match self.status(b"success")?.as_slice() {
            b"success" => Ok(Answer::Content(converted)),
            status => self.refusal(status, request.direction),
        }
    }

    fn send(&mut self, request: &Request<'_>, can_delay: bool, content: &[u8]) -> io::Result<()> {
        let mut head = Vec::new();
        pkt_line::write_line(&mut head, &[b"command=", request.direction.word().as_bytes()])?;
        pkt_line::write_line(&mut head, &[b"pathname=", request.path])?;
        if let Some(reference) = &request.origin.reference {
            pkt_line::write_line(&mut head, &[b"ref=", reference])?;
        }
        for (key, id) in [("treeish=", request.origin.treeish), ("blob=", request.origin.blob)] {
            if let Some(id) = id {
                pkt_line::write_line(&mut head, &[key.as_bytes(), id.to_string().as_bytes()])?;
            }
        }
        if can_delay {
            pkt_line::write_line(&mut head, &[b"can-delay=1"])?;
        }
        pkt_line::write_flush(&mut head)?;
        self.process.write_all(&head)?;
        for chunk in content.chunks(pkt_line::MOST) {
            pkt_line::write(&mut self.process, chunk)?;
        }
        pkt_line::write_flush(&mut self.process)?;
        self.process.flush()
    }

    fn refusal(&mut self, status: &[u8], direction: Direction) -> io::Result<Answer> {
        match status {
            b"error" => {}
            // It will not do so again either.
            b"abort" => match direction {
                Direction::Clean => self.clean = false,
                Direction::Smudge => self.smudge = false,
            },
            _ => return Err(broken("an unknown status")),
        }
        Ok(Answer::No)
    }

    /// The paths of delayed contents that are there now.
    pub(super) fn available(&mut self) -> io::Result<Vec<BString>> {
        if self.delayed.is_empty() {
            return Ok(Vec::new());
        }
        self.lines(&[b"command=list_available_blobs"])?;
        let mut paths = Vec::new();
        loop {
            match self.line()? {
                Packet::Data => paths.extend(self.buffer.strip_prefix(b"pathname=").map(BString::from)),
                Packet::Flush => break,
                _ => return Err(broken("a list without an end")),
            }
        }
        if self.status(b"")? != "success" {
            return Err(broken("no list"));
        }
        Ok(paths)
    }

    /// Reads a list up to its end and tells the last status in it.
    fn status(&mut self, before: &[u8]) -> io::Result<BString> {
        let mut status = BString::from(before);
        loop {
            match self.line()? {
                Packet::Data => {
                    if let Some(said) = self.buffer.strip_prefix(b"status=") {
                        status = said.into();
                    }
                }
                Packet::Flush => return Ok(status),
                _ => return Err(broken("a list without an end")),
            }
        }
    }

    fn line(&mut self) -> io::Result<Packet> {
        pkt_line::read_line(&mut self.process, &mut self.buffer)
    }

    fn lines(&mut self, lines: &[&[u8]]) -> io::Result<()> {
        let mut list = Vec::new();
        for line in lines {
            pkt_line::write_line(&mut list, &[line])?;
        }
        pkt_line::write_flush(&mut list)?;
        self.process.write_all(&list)?;
        self.process.flush()
    }

    pub(super) fn kill(&mut self) {
        self.process.kill();
    }
}
