//! Names as starts of walks over reflogs: `ref`, `ref@{n}`, `ref@{date}`.

use adit_refs::Reflog;
use adit_text::date;
use bstr::{BString, ByteSlice};

use super::{NameError, Names};

/// A log, and where in it to start.
#[derive(Debug)]
pub struct Logged {
    /// What the reference was called, or its full name where that is needed to find it.
    pub name: BString,
    /// Its log.
    pub log: Reflog,
    /// Where to start.
    pub from: LogStart,
}

/// Where a walk over a log starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogStart {
    /// At the latest change.
    Latest,
    /// So many changes before that.
    Nth(u64),
    /// At the last change up to a time.
    Time(u64),
}

impl Names<'_> {
    /// The log that `name` starts a walk in; `None` when it means no reference with a log. What follows the braces of a
    /// selector (`main@{1}~2`) counts for nothing.
    pub fn logged(&self, name: &[u8]) -> Result<Option<Logged>, NameError> {
        let replaced = self.expand_at(name)?;
        let name = match &replaced {
            Some(full) => full.strip_prefix(b"refs/heads/").unwrap_or(full),
            None => name,
        };
        let (stem, from) = match name.find(b"@{") {
            Some(open) => {
                let rest = &name[open + 2..];
                let selector = &rest[..rest.find_byte(b'}').unwrap_or(rest.len())];
                (&name[..open], self.log_start(selector))
            }
            None => (name, LogStart::Latest),
        };
        let head;
        let stem = if stem.is_empty() {
            let Some(branch) = self.dwim(b"HEAD")? else { return Ok(None) };
            head = branch.name;
            head.as_slice()
        } else {
            stem
        };
        for prefix in ["", "refs/", "refs/heads/"] {
            if let Some(log) = self.refs().reflog(&[prefix.as_bytes(), stem].concat())? {
                return Ok(Some(Logged { name: stem.into(), log, from }));
            }
        }
        let Some(found) = self.dwim_log(stem)? else { return Ok(None) };
        let log = self.refs().reflog(&found.stored)?;
        Ok(log.map(|log| Logged { name: found.stored, log, from }))
    }

    fn log_start(&self, selector: &[u8]) -> LogStart {
        if !selector.is_empty() && selector.iter().all(u8::is_ascii_digit) {
            let number = selector.to_str().ok().and_then(|digits| digits.parse().ok());
            return LogStart::Nth(number.unwrap_or(u64::MAX));
        }
        LogStart::Time(date::approxidate(selector, self.settings.clock(&self.settings.zone())).seconds)
    }
}
