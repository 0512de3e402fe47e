//! The options by which commits are shown in a format: `--pretty`, `--date`, `--notes` and the like (pretty-options).
//!
//! They belong to every command that lists commits; [`PrettyOptions`] holds what was said, and
//! [`Lookups`](crate::format::lookups::Lookups) turns it into a printer.

use bstr::{BString, ByteSlice};

use super::{Given, Opt, Table};
use crate::error::Error;
use crate::format::notes::Choice;

/// The options of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Id {
    /// `--pretty[=<format>]`
    Pretty,
    /// `--format=<format>`
    Format,
    /// `--oneline`
    Oneline,
    /// `--[no-]abbrev-commit`
    AbbrevCommit,
    /// `--date=<format>`
    Date,
    /// `--relative-date`
    RelativeDate,
    /// `--encoding=<encoding>`
    Encoding,
    /// `--[no-]expand-tabs[=<n>]`
    ExpandTabs,
    /// `--[no-]notes[=<ref>]`
    Notes,
    /// `--show-notes[=<ref>]`
    ShowNotes,
    /// `--show-notes-by-default`
    ShowNotesByDefault,
    /// `--[no-]standard-notes`
    StandardNotes,
    /// `--[no-]show-signature`
    ShowSignature,
}

/// The options that say how commits are shown.
pub const TABLE: Table<Id> = Table::exact(&[
    Opt::optional(Id::Pretty, "pretty", "format", "show commits in the given format"),
    Opt::optional(Id::Format, "format", "format", "show commits in the given format"),
    Opt::flag(Id::Oneline, "oneline", "show each commit on one line, with a short id"),
    Opt::flag(Id::AbbrevCommit, "abbrev-commit", "show short ids of commits").no(),
    Opt::value(Id::Date, "date", "format", "show dates in the given format"),
    Opt::flag(Id::RelativeDate, "relative-date", "show how long ago dates are").hidden(),
    Opt::value(Id::Encoding, "encoding", "encoding", "show messages in the given encoding"),
    Opt::optional(Id::ExpandTabs, "expand-tabs", "n", "replace tabs in messages by spaces").no(),
    Opt::optional(Id::Notes, "notes", "ref", "show notes on commits").no(),
    Opt::optional(Id::ShowNotes, "show-notes", "ref", "show these notes beside the standard ones").hidden(),
    Opt::flag(Id::ShowNotesByDefault, "show-notes-by-default", "show notes unless others are asked for")
        .hidden(),
    Opt::flag(Id::StandardNotes, "standard-notes", "show the standard notes").no().hidden(),
    Opt::flag(Id::ShowSignature, "show-signature", "check and show signatures of commits").no(),
]);

/// What was said about how commits are shown.
#[derive(Debug, Clone, Default)]
pub struct PrettyOptions {
    /// The format, by name or as a text; `None` when nothing was said.
    pub format: Option<BString>,
    /// Whether ids of commits are shortened.
    pub abbrev_commit: Option<bool>,
    /// The form of dates.
    pub date: Option<BString>,
    /// The encoding of messages.
    pub encoding: Option<BString>,
    /// The columns between tabs in messages.
    pub tab_width: Option<usize>,
    /// Which notes.
    pub notes: Choice,
    /// Whether notes are shown although a format was asked for.
    pub notes_by_default: bool,
}

impl PrettyOptions {
    /// Notes one option.
    ///
    /// # Errors
    /// When its value is none, or it asks for what there is not yet.
    pub fn apply(&mut self, given: &Given<Id>) -> Result<(), Error> {
        let value = given.value.as_ref();
        match given.id {
            Id::Pretty => self.format = Some(value.cloned().unwrap_or_else(|| "medium".into())),
            Id::Format => {
                let unrecognized = || Error::fatal(format!("unrecognized argument: {}", given.spelling));
                self.format = Some(value.cloned().ok_or_else(unrecognized)?);
            }
            Id::Oneline => {
                self.format = Some("oneline".into());
                self.abbrev_commit = Some(true);
            }
            Id::AbbrevCommit => self.abbrev_commit = Some(given.on()),
            Id::Date => self.date = value.cloned(),
            Id::RelativeDate => self.date = Some("relative".into()),
            Id::Encoding => {
                let name = given.text();
                self.encoding =
                    Some(if name.eq_ignore_ascii_case(b"none") { BString::default() } else { name.into() });
            }
            Id::ExpandTabs if !given.on() => self.tab_width = Some(0),
            Id::ExpandTabs => self.tab_width = Some(value.map_or(Ok(8), tab_width)?),
            Id::Notes if !given.on() => self.notes.show_none(),
            Id::Notes => match value {
                Some(name) => self.notes.show(name),
                None => self.notes.show_default(),
            },
            Id::ShowNotes => match value {
                Some(name) => self.notes.show_beside_default(name),
                None => self.notes.show_default(),
            },
            Id::ShowNotesByDefault => self.notes_by_default = true,
            Id::StandardNotes => self.notes.set_default(given.on()),
            Id::ShowSignature if given.on() => return Err(Error::unsupported("--show-signature")),
            Id::ShowSignature => {}
        }
        Ok(())
    }
}

/// The columns of a tab; so many that no line gets absurdly long.
fn tab_width(value: &BString) -> Result<usize, Error> {
    let number = value.to_str().ok().and_then(|text| text.parse().ok()).filter(|n| *n <= 1 << 16);
    number.ok_or_else(|| Error::fatal(format!("'{value}': not a non-negative integer")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Args;

    fn read(words: &[&str]) -> Result<PrettyOptions, Error> {
        let words: Vec<BString> = words.iter().map(|&word| word.into()).collect();
        let mut args = Args::new(&words);
        let mut options = PrettyOptions::default();
        while let Some(given) = TABLE.take(&mut args)? {
            options.apply(&given)?;
        }
        assert!(args.rest().is_empty());
        Ok(options)
    }

    #[test]
    fn later_options_win() {
        let options =
            read(&["--oneline", "--pretty", "--date", "iso", "--relative-date", "--encoding=none"]).unwrap();
        assert_eq!(options.format.unwrap(), "medium");
        assert_eq!((options.abbrev_commit, options.date.unwrap()), (Some(true), "relative".into()));
        assert_eq!(options.encoding.unwrap(), "");
        assert_eq!(read(&["--format=%h", "--no-abbrev-commit"]).unwrap().abbrev_commit, Some(false));
    }

    #[test]
    fn tabs_are_numbers() {
        assert_eq!(read(&["--expand-tabs"]).unwrap().tab_width, Some(8));
        assert_eq!(read(&["--expand-tabs=4"]).unwrap().tab_width, Some(4));
        assert_eq!(read(&["--no-expand-tabs"]).unwrap().tab_width, Some(0));
        assert!(read(&["--expand-tabs=-1"]).is_err());
    }

    #[test]
    fn what_is_refused() {
        assert!(read(&["--format"]).is_err());
        assert!(read(&["--show-signature"]).is_err());
        assert!(read(&["--no-show-signature"]).is_ok());
    }
}
