//! `git reflog expire` and `git reflog delete`: taking entries out of logs.

use std::io::Write;

use adit::{ExpireError, ExpireOptions, ReflogExpiry};
use adit_refs::{LogRewrite, Store};
use adit_text::date::{Clock, approxidate, parse_expiry};
use bstr::{BStr, BString, ByteSlice};

use super::{INCOMPLETE, all_logs, named_log, usage};
use crate::context::Context;
use crate::error::Error;
use crate::options::{Opt, Table};
use crate::references;

#[derive(Clone, Copy)]
enum O {
    DryRun,
    Rewrite,
    UpdateRef,
    Verbose,
    Expire,
    ExpireUnreachable,
    StaleFix,
    All,
    SingleWorktree,
}

const EXPIRE_OPTIONS: Table<O> = Table::new(&[
    Opt::flag(O::DryRun, "dry-run", "change nothing").short(b'n').no(),
    Opt::flag(O::Rewrite, "rewrite", "join the entries on both sides of what goes").no(),
    Opt::flag(O::UpdateRef, "updateref", "set the reference to the last entry that is left").no(),
    Opt::flag(O::Verbose, "verbose", "tell of each entry what becomes of it").no(),
    Opt::value(O::Expire, "expire", "time", "take out entries from before then"),
    Opt::value(
        O::ExpireUnreachable,
        "expire-unreachable",
        "time",
        "take out entries from before then that the reference does not reach",
    ),
    Opt::flag(O::StaleFix, "stale-fix", "take out entries of commits that cannot be read in full").no(),
    Opt::flag(O::All, "all", "expire the logs of all references").no(),
    Opt::flag(O::SingleWorktree, "single-worktree", "leave the logs of other working trees alone").no(),
]);

const DELETE_OPTIONS: Table<O> = Table::new(&[
    Opt::flag(O::DryRun, "dry-run", "change nothing").short(b'n').no(),
    Opt::flag(O::Rewrite, "rewrite", "join the entries on both sides of what goes").no(),
    Opt::flag(O::UpdateRef, "updateref", "set the reference to the last entry that is left").no(),
    Opt::flag(O::Verbose, "verbose", "tell of each entry what becomes of it").no(),
]);

/// What `expire` and `delete` say of each entry.
struct Teller<'c, 's> {
    ctx: &'c mut Context<'s>,
    verbose: bool,
    dry_run: bool,
    /// Whether standard output could not be written.
    failed: Option<std::io::Error>,
}

impl Teller<'_, '_> {
    fn tell(&mut self, kept: bool, message: &BStr) {
        if !self.verbose || self.failed.is_some() {
            return;
        }
        let verdict = match (kept, self.dry_run) {
            (true, _) => "keep",
            (false, true) => "would prune",
            (false, false) => "prune",
        };
        if let Err(error) = writeln!(self.ctx.streams.out, "{verdict} {message}") {
            self.failed = Some(error);
        }
    }

    fn end(self) -> Result<(), Error> {
        self.failed.map_or(Ok(()), |error| Err(error.into()))
    }
}

/// `expire`: takes out entries that are too old.
pub(super) fn expire(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let zone = ctx.local_zone();
    let clock = Clock { now: ctx.env.now(), zone: &zone };
    let mut options = ExpireOptions::default();
    let (mut verbose, mut all, mut single) = (false, false, false);
    let words = EXPIRE_OPTIONS.parse(&usage(6), args, |given| {
        let moment = |option: &str| {
            parse_expiry(given.text(), clock).ok_or_else(|| {
                Error::fatal(format!("invalid timestamp '{}' given to '{option}'", given.text()))
            })
        };
        match given.id {
            O::DryRun => options.rewrite.dry_run = given.on(),
            O::Rewrite => options.rewrite.join = given.on(),
            O::UpdateRef => options.rewrite.update_reference = given.on(),
            O::Verbose => verbose = given.on(),
            O::Expire => options.all = Some(moment("--expire")?),
            O::ExpireUnreachable => options.unreachable = Some(moment("--expire-unreachable")?),
            O::StaleFix => options.broken = given.on(),
            O::All => all = given.on(),
            O::SingleWorktree => single = given.on(),
        }
        Ok(())
    })?;
    let repo = ctx.repo()?;
    let dry_run = options.rewrite.dry_run;
    if options.broken && verbose {
        writeln!(ctx.streams.out, "Marking reachable objects...")?;
    }
    let mut expiry = ReflogExpiry::new(&repo, options).map_err(|error| Error::fatal(error.to_string()))?;
    let mut status = 0;
    let mut run = |ctx: &mut Context<'_>, store: &Store, name: &BStr| {
        let mut teller = Teller { ctx, verbose, dry_run, failed: None };
        let outcome = expiry.expire(store, name, &mut |kept, message| teller.tell(kept, message));
        teller.end()?;
        match outcome {
            Err(ExpireError::Write(error)) => {
                ctx.complain(error.told_from(repo.env().cwd()));
                status = INCOMPLETE;
                Ok(())
            }
            Err(error) => Err(Error::fatal(error.to_string())),
            Ok(()) => Ok(()),
        }
    };
    if all {
        for (store, name) in all_logs(&repo, single)? {
            run(ctx, &store, name.as_bstr())?;
        }
    }
    let mut missing = false;
    for word in &words {
        match named_log(&repo, word.as_bstr())? {
            Some(name) => run(ctx, repo.refs()?, name.as_bstr())?,
            None => {
                ctx.complain(format!("reflog could not be found: '{word}'"));
                missing = true;
            }
        }
    }
    Ok(if missing { INCOMPLETE } else { status })
}

/// `delete`: takes out single entries.
pub(super) fn delete(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let mut how = LogRewrite::default();
    let mut verbose = false;
    let words = DELETE_OPTIONS.parse(&usage(4), args, |given| {
        match given.id {
            O::DryRun => how.dry_run = given.on(),
            O::Rewrite => how.join = given.on(),
            O::UpdateRef => how.update_reference = given.on(),
            _ => verbose = given.on(),
        }
        Ok(())
    })?;
    if words.is_empty() {
        return Err(Error::Failed("no reflog specified to delete".into(), INCOMPLETE));
    }
    let mut status = 0;
    for word in &words {
        if let Err(complaint) = delete_one(ctx, word, how, verbose)? {
            ctx.complain(complaint);
            status = INCOMPLETE;
        }
    }
    Ok(status)
}

/// Which entry is meant: so many before the last, or the last one before a moment.
enum Specifier {
    Number(u64),
    Moment(u64),
}

fn delete_one(
    ctx: &mut Context<'_>,
    word: &BString,
    how: LogRewrite,
    verbose: bool,
) -> Result<Result<(), String>, Error> {
    let repo = ctx.repo()?;
    let Some(at) = word.find(b"@{") else { return Ok(Err(format!("not a reflog: {word}"))) };
    let Some(name) = named_log(&repo, word[..at].as_bstr())? else {
        return Ok(Err(format!("no reflog for '{word}'")));
    };
    let inner = &word[at + 2..];
    let inner = &inner[..inner.find_byte(b'}').unwrap_or(inner.len())];
    let number = inner.to_str().ok().and_then(|text| text.parse().ok());
    let specifier = match number {
        Some(number) => Specifier::Number(number),
        None => {
            let zone = ctx.local_zone();
            Specifier::Moment(approxidate(inner, Clock { now: ctx.env.now(), zone: &zone }).seconds)
        }
    };
    let refs = repo.refs()?;
    // Counted from the oldest, which is the order in which entries are asked for.
    let mut times = Vec::new();
    if let Some(log) = refs.reflog(&name)? {
        let mut entries = log.forward();
        while let Some(entry) = entries.advance()? {
            times.push(entry.time.seconds);
        }
    }
    let index = match specifier {
        Specifier::Number(number) => {
            usize::try_from(number).ok().and_then(|number| times.len().checked_sub(number.checked_add(1)?))
        }
        Specifier::Moment(moment) => times.iter().rposition(|time| *time < moment),
    };
    let options = repo.write_options()?;
    let mut teller = Teller { ctx, verbose, dry_run: how.dry_run, failed: None };
    let mut asked = 0;
    let outcome = refs.rewrite_reflog(&name, how, &options, &mut |entry| {
        let kept = index != Some(asked);
        asked += 1;
        teller.tell(kept, entry.message);
        kept
    });
    teller.end()?;
    Ok(outcome.map_err(|error| references::told(&repo, error)))
}
