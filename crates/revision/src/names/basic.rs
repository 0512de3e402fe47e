//! The names that suffixes apply to: ids, references by short name, and their logs.

use adit_object::ObjectId;
use adit_refs::{Followed, LogEntry, expand};
use adit_text::date::{self, DateFormat, DateStyle, LocalZone};
use bstr::{BStr, BString, ByteSlice};

use super::{Message, NameError, Names, Want};

/// What a short reference name stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dwim {
    /// The first reference of that name, at the end of symbolic ones.
    pub name: BString,
    /// The same before symbolic ones are followed.
    pub stored: BString,
    /// Its object.
    pub id: ObjectId,
    /// How many references the short name could stand for.
    pub matches: usize,
}

/// What stands in the braces of `name@{...}`.
enum Selector {
    Nth(u64),
    Time(u64),
}

impl Names<'_> {
    /// Resolves what stands before all suffixes.
    pub(super) fn resolve_stem(&self, name: &[u8], want: Want) -> Result<ObjectId, NameError> {
        if let Ok(id) = ObjectId::from_hex(self.format(), name) {
            self.warn_hidden_reference(name)?;
            return Ok(id);
        }
        match self.resolve_reference(name) {
            Err(NameError::Unknown) => {}
            found => return found,
        }
        if let Some(hex) = described_id(name) {
            match self.resolve_short(hex, Want::Commit) {
                Err(NameError::Unknown) => {}
                found => return found,
            }
        }
        self.resolve_short(name, want)
    }

    /// A full id is never taken for a reference, even if there is one of that name.
    fn warn_hidden_reference(&self, name: &[u8]) -> Result<(), NameError> {
        if self.quiet || !self.settings.warn_ambiguous || !self.settings.warn_object_names {
            return Ok(());
        }
        if self.dwim(name)?.is_some() {
            self.warn_ambiguous(name);
            self.say(Message::Plain(
                "A name of hexadecimal digits as long as an object id always means that object, so the\n\
                 reference of that name cannot be reached by it. Such references are mostly made by\n\
                 mistake, for example by\n\n  git switch -c $br $(git rev-parse ...)\n\n\
                 with an empty \"$br\". Look at them, and delete those that are not wanted. To turn this\n\
                 message off, run \"git config set advice.objectNameWarning false\""
                    .into(),
            ));
        }
        Ok(())
    }

    fn warn_ambiguous(&self, name: &[u8]) {
        self.say(Message::Warning(format!("refname '{}' is ambiguous.", name.as_bstr()).into()));
    }

    /// Resolves a reference by short name, or one of its former values.
    fn resolve_reference(&self, name: &[u8]) -> Result<ObjectId, NameError> {
        let Some((stem, selector)) = split_selector(name) else {
            let Some(found) = self.dwim(name)? else {
                // What was checked out may have been a commit, not a branch.
                let previous = self.previous_checkout(name)?.ok_or(NameError::Unknown)?;
                return self.resolve_plain(&previous, Want::Any);
            };
            if self.settings.warn_ambiguous && !self.quiet && (found.matches > 1 || self.is_short_id(name)) {
                self.warn_ambiguous(name);
            }
            return Ok(found.id);
        };
        // `@{-1}` stands at the start only, and a date does not start like that.
        if selector.starts_with(b"-") {
            return Err(NameError::Unknown);
        }
        let logged = if stem.is_empty() {
            // Without a name it is the log of the branch that is checked out, not of `HEAD`.
            self.dwim(b"HEAD")?.map(|head| Dwim { stored: head.name.clone(), ..head })
        } else {
            self.dwim_log(stem)?
        };
        let logged = logged.ok_or(NameError::Unknown)?;
        if self.settings.warn_ambiguous && logged.matches > 1 {
            self.warn_ambiguous(stem);
        }
        let shown: BString = if stem.is_empty() {
            logged.name.strip_prefix(b"refs/heads/").unwrap_or(&logged.name).into()
        } else {
            stem.into()
        };
        match self.read_selector(selector)? {
            Selector::Nth(number) => self.nth_former(&logged, shown.as_bstr(), number),
            Selector::Time(time) => self.value_at(&logged, shown.as_bstr(), time),
        }
    }

    fn read_selector(&self, text: &[u8]) -> Result<Selector, NameError> {
        if text.iter().all(u8::is_ascii_digit) {
            let number: u64 =
                std::str::from_utf8(text).ok().and_then(|t| t.parse().ok()).ok_or(NameError::Unknown)?;
            // A number too large for a count is a time.
            return Ok(if number <= 100_000_000 { Selector::Nth(number) } else { Selector::Time(number) });
        }
        let time = date::approxidate(text, self.settings.clock(&self.settings.zone()));
        if time.understood { Ok(Selector::Time(time.seconds)) } else { Err(NameError::Unknown) }
    }

    /// What a reference held `number` changes ago.
    fn nth_former(&self, logged: &Dwim, shown: &BStr, number: u64) -> Result<ObjectId, NameError> {
        let log = self.refs.reflog(&logged.stored)?.ok_or(NameError::Unknown)?;
        let mut entries = log.backward()?;
        let mut count = 0;
        let mut oldest = None;
        while let Some(LogEntry { old, new, .. }) = entries.advance()? {
            if count == number {
                return Ok(new);
            }
            count += 1;
            oldest = Some(old);
        }
        match oldest {
            // An empty log still tells what the reference holds now.
            None if number == 0 => Ok(logged.id),
            None => Err(NameError::refused(format!("log for {} is empty", logged.stored))),
            Some(old) if count == number && !old.is_null() => Ok(old),
            Some(_) => Err(NameError::refused(format!("log for '{shown}' only has {count} entries"))),
        }
    }

    /// What a reference held at `time`.
    fn value_at(&self, logged: &Dwim, shown: &BStr, time: u64) -> Result<ObjectId, NameError> {
        let log = self.refs.reflog(&logged.stored)?.ok_or(NameError::Unknown)?;
        let mut entries = log.backward()?;
        let mut oldest = None;
        while let Some(entry) = entries.advance()? {
            if entry.time.seconds <= time {
                return Ok(entry.new);
            }
            oldest = Some((entry.old, entry.new, entry.time));
        }
        let (old, new, since) =
            oldest.ok_or_else(|| NameError::refused(format!("log for {} is empty", logged.stored)))?;
        let mut text: BString = format!("log for '{shown}' only goes back to ").into();
        let format = DateFormat { style: DateStyle::Rfc2822, local: false };
        format.write(since.seconds, since.zone, self.settings.clock(&LocalZone::utc()), &mut text);
        self.say(Message::Warning(text));
        Ok(if old.is_null() { new } else { old })
    }

    /// The reference that the short name `short` stands for, after `@`, `@{-1}`, `@{upstream}` and `@{push}` in it
    /// are replaced.
    pub fn dwim(&self, short: &[u8]) -> Result<Option<Dwim>, NameError> {
        let replaced = self.expand_at(short)?;
        self.dwim_plain(replaced.as_ref().map_or(short, |text| text.as_slice()))
    }

    fn dwim_plain(&self, short: &[u8]) -> Result<Option<Dwim>, NameError> {
        let mut first: Option<Dwim> = None;
        for full in expand(short) {
            match self.refs.follow(&full)? {
                Followed::Found(found) => match &mut first {
                    Some(first) => first.matches += 1,
                    None => first = Some(Dwim { name: found.name, stored: full, id: found.id, matches: 1 }),
                },
                Followed::Missing => continue,
                Followed::Dangling(_) | Followed::Endless => {
                    if full != "HEAD" {
                        self.say(Message::Warning(format!("ignoring dangling symref {full}").into()));
                    }
                }
                Followed::Broken(_) => {
                    if full.contains(&b'/') {
                        self.say(Message::Warning(format!("ignoring broken ref {full}").into()));
                    }
                }
            }
            if first.is_some() && !self.settings.warn_ambiguous {
                break;
            }
        }
        Ok(first)
    }

    /// Like [`Names::dwim`], for references that have a log; `stored` is the one whose log it is.
    pub(super) fn dwim_log(&self, short: &[u8]) -> Result<Option<Dwim>, NameError> {
        let replaced = self.expand_at(short)?;
        let mut first: Option<Dwim> = None;
        for full in expand(replaced.as_ref().map_or(short, |text| text.as_slice())) {
            let Followed::Found(found) = self.refs.follow(&full)? else { continue };
            let logged = if self.refs.reflog(&full)?.is_some() {
                full
            } else if found.name != full && self.refs.reflog(&found.name)?.is_some() {
                found.name.clone()
            } else {
                continue;
            };
            match &mut first {
                Some(first) => first.matches += 1,
                None => first = Some(Dwim { name: found.name, stored: logged, id: found.id, matches: 1 }),
            }
            if !self.settings.warn_ambiguous {
                break;
            }
        }
        Ok(first)
    }
}

/// Splits `name@{selector}`; `None` when the braces hold no selector of a log.
fn split_selector(name: &[u8]) -> Option<(&[u8], &[u8])> {
    let inner = name.strip_suffix(b"}")?;
    let open = inner.rfind(b"@{")?;
    let selector = &inner[open + 2..];
    let is_branch_mark = super::at::Mark::parse(selector).is_some();
    let is_previous = open == 0 && selector.starts_with(b"-");
    (!selector.is_empty() && !is_branch_mark && !is_previous).then_some((&name[..open], selector))
}

/// The abbreviated id in the output of `describe`: `<name>-<count>-g<id>`.
fn described_id(name: &[u8]) -> Option<&[u8]> {
    let digits = name.iter().rev().take_while(|b| b.is_ascii_hexdigit()).count();
    let (before, hex) = name.split_at(name.len() - digits);
    let before = before.strip_suffix(b"-g")?;
    let count = before.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let tag = before[..before.len() - count].strip_suffix(b"-")?;
    let valid = adit_refs::name::is_valid(tag, adit_refs::name::Rules::ANY);
    (count > 0 && valid && !hex.is_empty()).then_some(hex)
}
