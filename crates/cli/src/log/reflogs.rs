//! What the entries of a log call the changes of references that they stand for (`--walk-reflogs`).

use adit::Repository;
use adit_refs::Shortener;
use adit_revision::LoggedChange;
use adit_revision::names::{LogStart, Logged};
use bstr::{BString, ByteSlice};

use super::reporter::OwnedReflogLine;
use crate::error::Error;
use crate::format::pretty::Dates;

/// Names changes: `main@{1}`, `main@{yesterday}`.
pub(super) struct Selectors<'l> {
    logs: Vec<Names>,
    dates: Dates<'l>,
}

/// How the changes of one reference are named.
struct Names {
    name: BString,
    short: BString,
    /// By their dates, not their numbers.
    dated: bool,
}

impl<'l> Selectors<'l> {
    /// Names the changes in `logs`; those of logs that start nowhere in particular by date if `dated`.
    pub(super) fn new(
        repo: &Repository,
        logs: &[Logged],
        dates: Dates<'l>,
        dated: bool,
    ) -> Result<Self, Error> {
        let strict = repo.config().bool("core.warnambiguousrefs")?.unwrap_or(true);
        let mut shortener = Shortener::new(repo.refs()?, strict)?;
        let mut names = Vec::with_capacity(logs.len());
        for Logged { name, from, .. } in logs {
            let dated = match from {
                LogStart::Latest => dated,
                LogStart::Nth(_) => false,
                LogStart::Time(_) => true,
            };
            let short = shortener.shorten(name.as_bstr())?.to_owned();
            names.push(Names { name: name.clone(), short, dated });
        }
        Ok(Selectors { logs: names, dates })
    }

    /// What is shown of a change.
    pub(super) fn line(&self, change: &LoggedChange) -> Option<OwnedReflogLine> {
        let names = self.logs.get(change.log)?;
        let mut position = Vec::new();
        if names.dated {
            self.dates.append(change.time, &mut position);
        } else {
            position.extend_from_slice(change.number.to_string().as_bytes());
        }
        let selector = |name: &BString| [name.as_slice(), b"@{", &position, b"}"].concat().into();
        Some(OwnedReflogLine {
            selector: selector(&names.name),
            short_selector: selector(&names.short),
            who: change.who.clone(),
            message: change.message.clone(),
        })
    }
}
