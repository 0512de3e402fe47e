//! `@`, `@{-N}`, `@{upstream}` and `@{push}`: short ways to say a branch.

use adit_refs::Head;
use bstr::{BString, ByteSlice};

use super::{NameError, Names};

/// Which other branch a branch is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Upstream,
    Push,
}

impl Mark {
    /// The mark with that spelling, braces taken off.
    pub(super) fn parse(text: &[u8]) -> Option<Mark> {
        if text.eq_ignore_ascii_case(b"u") || text.eq_ignore_ascii_case(b"upstream") {
            Some(Mark::Upstream)
        } else if text.eq_ignore_ascii_case(b"push") {
            Some(Mark::Push)
        } else {
            None
        }
    }
}

impl Names<'_> {
    /// `name` with these marks replaced by the name they mean; `None` when there are none.
    pub fn expand_at(&self, name: &[u8]) -> Result<Option<BString>, NameError> {
        match self.expand_marks(name) {
            // Asked quietly, a branch that is set up against nothing is a name that leads nowhere.
            Err(NameError::Refused(_)) if self.quiet => Err(NameError::Unknown),
            expanded => expanded,
        }
    }

    fn expand_marks(&self, name: &[u8]) -> Result<Option<BString>, NameError> {
        let mut current: Option<BString> = None;
        // Each round replaces the first mark; a name that config made of marks must not go on for ever.
        for _ in 0..16 {
            let text = current.as_ref().map_or(name, |text| text.as_slice());
            match self.expand_one(text)? {
                Some(next) => current = Some(next),
                None => break,
            }
        }
        Ok(current)
    }

    fn expand_one(&self, name: &[u8]) -> Result<Option<BString>, NameError> {
        if name == b"@" {
            return Ok(Some("HEAD".into()));
        }
        if name.starts_with(b"@{-") {
            let Some(close) = name.find_byte(b'}') else { return Ok(None) };
            let Some(mut previous) = self.previous_checkout(&name[..=close])? else { return Ok(None) };
            previous.extend_from_slice(&name[close + 1..]);
            return Ok(Some(previous));
        }
        if let Some(rest) = name.strip_prefix(b"@@{") {
            return Ok(Some([b"HEAD@{", rest].concat().into()));
        }
        let mut from = 0;
        while let Some(found) = name[from..].find(b"@{") {
            let open = from + found;
            // What follows a colon is a path.
            if name[..open].contains(&b':') {
                return Ok(None);
            }
            let Some(len) = name[open..].find_byte(b'}') else { return Ok(None) };
            if let Some(mark) = Mark::parse(&name[open + 2..open + len]) {
                let mut full = self.other_branch(&name[..open], mark)?;
                full.extend_from_slice(&name[open + len + 1..]);
                return Ok(Some(full));
            }
            from = open + 2;
        }
        Ok(None)
    }

    /// The full name of the branch that `branch` (the current one when it is empty) is set up against.
    fn other_branch(&self, branch: &[u8], mark: Mark) -> Result<BString, NameError> {
        let branch = match branch {
            b"" | b"@" | b"HEAD" => match self.refs.head()? {
                Head::Branch { name, .. } => match name.strip_prefix(b"refs/heads/") {
                    Some(short) => BString::from(short),
                    None => return Err(NameError::refused("HEAD does not point to a branch")),
                },
                Head::Detached(_) | Head::Invalid => {
                    return Err(NameError::refused("HEAD does not point to a branch"));
                }
            },
            branch => branch.into(),
        };
        match mark {
            Mark::Upstream => self.upstream(branch.as_bstr()),
            Mark::Push => self.push_destination(branch.as_bstr()),
        }
    }

    /// What was checked out before the last so many checkouts, by `HEAD`'s log: the name of a branch, or an id.
    /// `mark` is `@{-N}`.
    pub(super) fn previous_checkout(&self, mark: &[u8]) -> Result<Option<BString>, NameError> {
        let digits = mark.strip_prefix(b"@{-").and_then(|rest| rest.strip_suffix(b"}")).unwrap_or_default();
        let wanted: u32 = match std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok()) {
            Some(number) if number > 0 && digits.iter().all(u8::is_ascii_digit) => number,
            _ => return Ok(None),
        };
        let Some(log) = self.refs.reflog(b"HEAD")? else { return Ok(None) };
        let mut entries = log.backward()?;
        let mut seen = 0;
        while let Some(entry) = entries.advance()? {
            let Some(moved) = entry.message.strip_prefix(b"checkout: moving from ") else { continue };
            let Some((from, _)) = moved.split_once_str(" to ") else { continue };
            seen += 1;
            if seen == wanted {
                return Ok(Some(from.into()));
            }
        }
        Ok(None)
    }
}
