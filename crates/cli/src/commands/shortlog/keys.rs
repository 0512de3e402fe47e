//! What commits are grouped by (`--group`).

use adit::{Mailmap, Repository};
use adit_object::Ident;
use adit_text::trailers::{Item, Rules, block, items, unfold};
use bstr::{BStr, BString, ByteSlice};

use crate::context::Context;
use crate::error::Error;
use crate::format::lookups::{Lookups, Wants};
use crate::format::pretty::{Message, Printer, Shown};
use crate::options::pretty::PrettyOptions;

/// A field that commits are grouped by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Key {
    Author,
    Committer,
    /// The values of a trailer.
    Trailer(BString),
    /// What a user's format makes of a commit.
    Format(BString),
}

impl Key {
    /// Reads a value of `--group`.
    pub(super) fn parse(text: &BStr) -> Option<Self> {
        if text.eq_ignore_ascii_case(b"author") {
            Some(Key::Author)
        } else if text.eq_ignore_ascii_case(b"committer") {
            Some(Key::Committer)
        } else if let Some(field) = text.strip_prefix(b"trailer:") {
            Some(Key::Trailer(field.into()))
        } else if let Some(format) = text.strip_prefix(b"format:") {
            Some(Key::Format(format.into()))
        } else if text.contains(&b'%') {
            Some(Key::Format(text.to_owned()))
        } else {
            None
        }
    }
}

/// What was looked up to find the groups of commits.
pub(super) struct Keys<'r> {
    fields: Vec<Field<'r>>,
    emails: bool,
    mailmap: Mailmap,
}

enum Field<'r> {
    Format(Box<Lookups<'r>>),
    Trailer(BString),
}

impl<'r> Keys<'r> {
    pub(super) fn new(
        ctx: &mut Context<'_>,
        repo: &'r Repository,
        keys: &[Key],
        emails: bool,
        pretty: &PrettyOptions,
    ) -> Result<Self, Error> {
        let mut fields = Vec::new();
        for key in keys {
            let format = match (key, emails) {
                (Key::Author, false) => "%aN".into(),
                (Key::Author, true) => "%aN <%aE>".into(),
                (Key::Committer, false) => "%cN".into(),
                (Key::Committer, true) => "%cN <%cE>".into(),
                (Key::Format(format), _) => format.clone(),
                (Key::Trailer(field), _) => {
                    fields.push(Field::Trailer(field.clone()));
                    continue;
                }
            };
            let options = PrettyOptions {
                format: Some([b"format:", format.as_bytes()].concat().into()),
                ..pretty.clone()
            };
            fields.push(Field::Format(Box::new(Lookups::read(ctx, repo, &options, &Wants::default())?)));
        }
        let has_trailers = fields.iter().any(|field| matches!(field, Field::Trailer(_)));
        let mailmap = if has_trailers { repo.mailmap()? } else { Mailmap::default() };
        Ok(Keys { fields, emails, mailmap })
    }

    /// What finds the groups.
    pub(super) fn finder(&self) -> Result<Finder<'_>, Error> {
        let mut parts = Vec::new();
        for field in &self.fields {
            parts.push(match field {
                Field::Format(lookups) => Part::Format(Box::new(lookups.printer(None)?)),
                Field::Trailer(field) => Part::Trailer(field),
            });
        }
        Ok(Finder { parts, keys: self })
    }
}

/// Finds the groups of commits. It can be used from several threads.
pub(super) struct Finder<'k> {
    parts: Vec<Part<'k>>,
    keys: &'k Keys<'k>,
}

enum Part<'k> {
    Format(Box<Printer<'k>>),
    Trailer(&'k BString),
}

impl Finder<'_> {
    /// Appends the groups of a commit, each once.
    pub(super) fn append(&self, shown: &Shown<'_>, keys: &mut Vec<BString>) -> Result<(), Error> {
        let mut add = |key: BString| {
            if !keys.contains(&key) {
                keys.push(key);
            }
        };
        for part in &self.parts {
            match part {
                Part::Format(printer) => {
                    let mut key = Vec::new();
                    printer.append(shown, &mut key)?;
                    add(key.into());
                }
                Part::Trailer(field) => self.trailers(shown, field, &mut add),
            }
        }
        Ok(())
    }

    fn trailers(&self, shown: &Shown<'_>, field: &[u8], add: &mut dyn FnMut(BString)) {
        let rules = Rules::default();
        let message = Message::new(shown.commit.message()).subject_on;
        for item in items(&message[block(message, &rules)], &rules) {
            let Item::Trailer { key, value } = item else { continue };
            if !key.eq_ignore_ascii_case(field) {
                continue;
            }
            let mut text = Vec::new();
            unfold(value, &mut text);
            add(match Ident::parse(&text) {
                Some(ident) => {
                    let (name, email) = self.keys.mailmap.resolve(ident.name, ident.email);
                    if self.keys.emails {
                        [name.as_bytes(), b" <", email, b">"].concat().into()
                    } else {
                        name.into()
                    }
                }
                None => text.into(),
            });
        }
    }
}
