//! `update-ref --stdin`: instructions gathered into transactions, one after the other.

use std::io::Write;
use std::sync::Arc;

use adit::{ReferenceHook, Repository};
use adit_object::ObjectId;
use adit_refs::{Change, Edit, Expected, Prepared, Rejected, Transaction, UpdateError, WriteOptions};
use bstr::{BString, ByteSlice};

use super::instructions::{Instructions, OldValue, Operands, Verb, spelt};
use super::{Asked, object};
use crate::context::Context;
use crate::error::Error;
use crate::references;

/// How far a transaction is.
enum State<'r> {
    /// Instructions are gathered; the end of the input makes the changes, unless `start` was said.
    Open { transaction: Transaction<'r>, started: bool },
    /// Everything is locked; these are the edits.
    Prepared { prepared: Prepared<'r>, edits: Vec<Edit> },
    /// Committed or aborted.
    Closed,
}

struct Session<'r, 'c, 's> {
    ctx: &'c mut Context<'s>,
    repo: &'r Repository,
    options: &'r WriteOptions<'r>,
    asked: &'c Asked,
    hook: ReferenceHook<'r>,
    state: State<'r>,
}

/// Follows the instructions on standard input.
pub(super) fn run(ctx: &mut Context<'_>, repo: &Arc<Repository>, asked: &Asked) -> Result<u8, Error> {
    let options = repo.write_options()?;
    let hook = repo.reference_hook()?;
    let mut input = std::mem::replace(&mut ctx.streams.input, Box::new(std::io::empty()));
    let mut session =
        Session { ctx, repo: repo.as_ref(), options: &options, asked, hook, state: State::Closed };
    session.begin(false)?;
    let mut instructions = Instructions::new(&mut *input, asked.nul);
    if asked.no_deref {
        instructions.never_deref();
    }
    while let Some(verb) = instructions.advance().map_err(Error::fatal)? {
        session.check_state(verb)?;
        match verb {
            Verb::Option => instructions.option().map_err(Error::fatal)?,
            Verb::Start | Verb::Prepare | Verb::Commit | Verb::Abort => session.control(verb)?,
            _ => {
                let operands = instructions.operands(verb).map_err(Error::fatal)?;
                let edit = session.edit(verb, operands)?;
                if let State::Open { transaction, .. } = &mut session.state {
                    transaction.add(edit);
                }
            }
        }
    }
    session.end()?;
    Ok(0)
}

impl<'r> Session<'r, '_, '_> {
    fn begin(&mut self, started: bool) -> Result<(), Error> {
        let mut transaction = self.repo.refs()?.transaction(self.options);
        if self.asked.batch {
            transaction.leave_out_failures();
        }
        self.state = State::Open { transaction, started };
        Ok(())
    }

    fn check_state(&self, verb: Verb) -> Result<(), Error> {
        let closing = matches!(verb, Verb::Commit | Verb::Abort);
        match &self.state {
            State::Open { started: true, .. } if verb == Verb::Start => {
                Err(Error::fatal("cannot restart ongoing transaction"))
            }
            State::Prepared { .. } if !closing => {
                Err(Error::fatal("prepared transactions can only be closed"))
            }
            State::Closed if verb != Verb::Start => Err(Error::fatal("transaction is closed")),
            _ => Ok(()),
        }
    }

    fn control(&mut self, verb: Verb) -> Result<(), Error> {
        match (verb, std::mem::replace(&mut self.state, State::Closed)) {
            (Verb::Start, State::Open { transaction, .. }) => {
                self.state = State::Open { transaction, started: true };
            }
            (Verb::Start, _) => self.begin(true)?,
            (Verb::Prepare, State::Open { transaction, .. }) => self.prepare(transaction)?,
            (Verb::Commit, State::Open { transaction, .. }) => {
                self.prepare(transaction)?;
                self.commit()?;
            }
            (Verb::Commit, state) => {
                self.state = state;
                self.commit()?;
            }
            (_, State::Open { transaction, .. }) => transaction.abort(&mut self.hook),
            (_, State::Prepared { prepared, .. }) => prepared.abort(&mut self.hook),
            (_, State::Closed) => {}
        }
        // Whoever steers a transaction waits for each answer.
        writeln!(self.ctx.streams.out, "{}: ok", spelt(verb))?;
        self.ctx.streams.out.flush()?;
        Ok(())
    }

    fn prepare(&mut self, transaction: Transaction<'r>) -> Result<(), Error> {
        let edits = if self.asked.batch { transaction.edits().to_vec() } else { Vec::new() };
        let prepared = transaction.prepare(&mut self.hook).map_err(|error| self.fatal(error))?;
        self.state = State::Prepared { prepared, edits };
        Ok(())
    }

    fn commit(&mut self) -> Result<(), Error> {
        let State::Prepared { prepared, edits } = std::mem::replace(&mut self.state, State::Closed) else {
            return Ok(());
        };
        let mut lines = Vec::new();
        let mut rejected: Vec<&Rejected> = prepared.rejected().iter().collect();
        // What can be told without a look at references comes first.
        rejected.sort_by_key(|left| (!matches!(left.error, UpdateError::BadObject { .. }), left.edit));
        for Rejected { edit, error } in rejected {
            self.ctx.complain(error);
            let reason = error.rejection().map_or("", |rejection| rejection.as_str());
            append_rejection(&edits[*edit], self.repo, reason, &mut lines);
        }
        prepared.commit(&mut self.hook).map_err(|error| self.fatal(error))?;
        self.ctx.streams.out.write_all(&lines)?;
        Ok(())
    }

    fn end(&mut self) -> Result<(), Error> {
        match std::mem::replace(&mut self.state, State::Closed) {
            State::Open { transaction, started: false } => {
                self.prepare(transaction)?;
                self.commit()?;
            }
            State::Open { transaction, .. } => transaction.abort(&mut self.hook),
            State::Prepared { prepared, .. } => prepared.abort(&mut self.hook),
            State::Closed => {}
        }
        Ok(())
    }

    fn fatal(&self, error: UpdateError) -> Error {
        references::fatal(self.repo, error)
    }

    fn edit(&mut self, verb: Verb, operands: Operands) -> Result<Edit, Error> {
        let Operands { name, new, old, no_deref, new_is_missing } = operands;
        let about = format!("{} {name}", spelt(verb));
        if new_is_missing {
            self.ctx.warn(format!("{about}: missing <new-oid>, treating as zero"));
        }
        let null = ObjectId::null(self.repo.object_format());
        let mut find = |word: &BString, what: &str| {
            if word.is_empty() {
                return Ok(null);
            }
            let found = object(self.ctx, self.repo, word)?;
            found.ok_or_else(|| Error::fatal(format!("{about}: invalid {what}: {word}")))
        };
        let symbolic = matches!(verb, Verb::SymrefUpdate | Verb::SymrefCreate);
        let change = match (verb, &new) {
            (Verb::Verify | Verb::SymrefVerify, _) => Change::Verify,
            (_, Some(target)) if symbolic => Change::SetSymbolic(target.clone()),
            (_, Some(word)) => match find(word, "<new-oid>")? {
                id if !id.is_null() => Change::Set(id),
                _ if verb == Verb::Create => return Err(Error::fatal(format!("{about}: zero <new-oid>"))),
                _ => Change::Delete,
            },
            (_, None) => Change::Delete,
        };
        let what = if symbolic { "oid" } else { "<old-oid>" };
        let expected = match (verb, old) {
            (Verb::Create | Verb::SymrefCreate | Verb::Verify | Verb::SymrefVerify, None) => {
                Expected::Missing
            }
            (_, None) => Expected::Any,
            (_, Some(OldValue::Symbolic(target))) => Expected::Symbolic(target),
            (_, Some(OldValue::Object(word))) => match find(&word, what)? {
                id if !id.is_null() => Expected::Id(id),
                _ if verb == Verb::Delete => return Err(Error::fatal(format!("{about}: zero <old-oid>"))),
                _ => Expected::Missing,
            },
        };
        let message = self.asked.message.clone().unwrap_or_default();
        Ok(Edit { name, change, expected, no_deref, message, create_log: self.asked.create_log })
    }
}

/// Appends the line that tells of an edit that was left out.
fn append_rejection(edit: &Edit, repo: &Repository, reason: &str, lines: &mut Vec<u8>) {
    let null = ObjectId::null(repo.object_format());
    let new = match &edit.change {
        Change::Set(id) => *id,
        _ => null,
    };
    let old = match &edit.expected {
        Expected::Id(id) => Some(*id),
        Expected::Missing | Expected::Symbolic(_) => Some(null),
        Expected::Any => None,
    };
    lines.extend_from_slice(format!("rejected {} {new} ", edit.name.as_bstr()).as_bytes());
    match old {
        Some(id) => id.append_hex(usize::MAX, lines),
        // What git prints when there is nothing to print.
        None => lines.extend_from_slice(b"(null)"),
    }
    lines.extend_from_slice(format!(" {reason}\n").as_bytes());
}
