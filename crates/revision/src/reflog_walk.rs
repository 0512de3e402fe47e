//! Walks over reflogs: the changes of several references, the latest first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use adit_object::{ObjectId, Time};

use adit_refs::{Backward, LogEntry, Reflog};
use bstr::BString;

use crate::Error;
use crate::names::LogStart;

/// A change of a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedChange {
    /// Which of the logs it is in.
    pub log: usize,
    /// How many changes came after it in that log.
    pub number: u64,
    /// What the reference was set to.
    pub id: ObjectId,
    /// When.
    pub time: Time,
    /// Who changed it: `Name <email>`.
    pub who: BString,
    /// Why.
    pub message: BString,
}

/// Walks back through logs, whose changes are merged by time; of those of one time, the first log's come first.
pub struct ReflogWalk<'l> {
    logs: Vec<Cursor<'l>>,
    /// The next change of each log that is not at its end.
    next: BinaryHeap<(u64, Reverse<usize>)>,
}

struct Cursor<'l> {
    entries: Backward<'l>,
    read: u64,
    /// The change that was read and is not yet handed out.
    held: Option<LoggedChange>,
}

impl Cursor<'_> {
    /// Reads the change before.
    fn read(&mut self, log: usize) -> Result<(), Error> {
        self.held = self.entries.advance()?.map(|LogEntry { new, who, time, message, .. }| LoggedChange {
            log,
            number: self.read,
            id: new,
            time,
            who: who.to_owned(),
            message: message.to_owned(),
        });
        self.read += 1;
        Ok(())
    }

    fn go_to(&mut self, log: usize, start: LogStart) -> Result<(), Error> {
        self.read(log)?;
        while let Some(change) = &self.held {
            let is_there = match start {
                LogStart::Latest => true,
                LogStart::Nth(number) => change.number >= number,
                LogStart::Time(time) => change.time.seconds <= time,
            };
            if is_there {
                break;
            }
            self.read(log)?;
        }
        Ok(())
    }
}

impl<'l> ReflogWalk<'l> {
    /// Starts in each of `logs`.
    ///
    /// # Errors
    /// When a log cannot be read.
    pub fn new(logs: impl IntoIterator<Item = (&'l Reflog, LogStart)>) -> Result<Self, Error> {
        let mut walk = ReflogWalk { logs: Vec::new(), next: BinaryHeap::new() };
        for (at, (log, start)) in logs.into_iter().enumerate() {
            let mut cursor = Cursor { entries: log.backward()?, read: 0, held: None };
            cursor.go_to(at, start)?;
            walk.logs.push(cursor);
            walk.queue(at);
        }
        Ok(walk)
    }

    fn queue(&mut self, at: usize) {
        if let Some(change) = self.logs.get(at).and_then(|cursor| cursor.held.as_ref()) {
            self.next.push((change.time.seconds, Reverse(at)));
        }
    }

    /// The change before.
    ///
    /// # Errors
    /// When a log cannot be read.
    pub fn advance(&mut self) -> Result<Option<LoggedChange>, Error> {
        let Some((_, Reverse(at))) = self.next.pop() else { return Ok(None) };
        let Some(cursor) = self.logs.get_mut(at) else { return Ok(None) };
        let change = cursor.held.take();
        cursor.read(at)?;
        self.queue(at);
        Ok(change)
    }
}
