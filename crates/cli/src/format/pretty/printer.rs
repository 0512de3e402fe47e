//! A format joined with all that it draws on, ready to print commits.

use adit::{Mailmap, Repository};
use adit_object::{Commit, Ident, ObjectId};
use adit_text::encoding;
use bstr::{BStr, ByteSlice};
use smallvec::SmallVec;

use super::{Dates, DescribeStyle, Layout, Message, Style};
use crate::error::Error;
use crate::format::color::LogPalette;
use crate::format::decorate::Decorations;
use crate::format::notes::Notes;

/// How object ids are shortened.
#[derive(Debug, Clone, Copy)]
pub struct Abbrev<'a> {
    /// Where ids must be unique.
    pub store: &'a adit_odb::Store,
    /// The fewest digits; the full length for no shortening.
    pub digits: usize,
}

impl Abbrev<'_> {
    /// Appends `id`, as short as it can be.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn append(&self, id: &ObjectId, out: &mut Vec<u8>) -> Result<(), Error> {
        id.append_hex(self.store.abbreviate(id, self.digits)?, out);
        Ok(())
    }
}

/// Describes a commit by a tag, as `git describe` does; appends nothing when no tag reaches it.
pub type Describe<'a> = dyn Fn(&ObjectId, &DescribeStyle, &mut Vec<u8>) -> Result<(), Error> + Sync + 'a;

/// Prints commits in one format. It can be used from several threads.
pub struct Printer<'a> {
    /// The format.
    pub style: Style,
    /// How ids are shortened where a format shortens them.
    pub abbrev: Abbrev<'a>,
    /// How dates are printed.
    pub dates: Dates<'a>,
    /// The mailmap, for the placeholders that ask for it.
    pub mailmap: Option<&'a Mailmap>,
    /// Whether the formats that are git's own use the mailmap too (`--use-mailmap`).
    pub map_people: bool,
    /// Names of references.
    pub decorations: Option<&'a Decorations>,
    /// Notes, when they are shown.
    pub notes: Option<&'a Notes<'a>>,
    /// What describes commits.
    pub describe: Option<&'a Describe<'a>>,
    /// What checks signatures of commits.
    pub signatures: Option<&'a Repository>,
    /// Colours.
    pub palette: LogPalette,
    /// The encoding of the output; empty for commits as they are stored.
    pub encoding: String,
    /// The columns between tabs; `None` for the format's own choice.
    pub tab_width: Option<usize>,
    /// What counts as a trailer.
    pub trailers: adit_text::trailers::Rules<'a>,
}

/// A commit to be printed, and what its walk knows of it.
#[derive(Clone, Copy)]
pub struct Shown<'a> {
    /// Its id.
    pub id: ObjectId,
    /// Its bytes.
    pub commit: Commit<'a>,
    /// Its parents when they are not those it was stored with.
    pub parents: Option<&'a [ObjectId]>,
    /// `>`, or what the walk marks it with.
    pub mark: u8,
    /// The name on the command line by which it was reached.
    pub source: Option<&'a BStr>,
    /// The entry of a reflog that it stands for.
    pub reflog: Option<ReflogLine<'a>>,
}

/// An entry of a reflog, as a walk over reflogs shows it.
#[derive(Clone, Copy)]
pub struct ReflogLine<'a> {
    /// `refs/heads/main@{0}`.
    pub selector: &'a BStr,
    /// `main@{0}`.
    pub short_selector: &'a BStr,
    /// `Name <email>`.
    pub who: &'a BStr,
    /// Why the reference was changed.
    pub message: &'a BStr,
}

impl<'a> Shown<'a> {
    /// A commit that no walk has anything to say of.
    pub fn new(id: ObjectId, commit: Commit<'a>) -> Self {
        Shown { id, commit, parents: None, mark: b'>', source: None, reflog: None }
    }

    /// The parents that are shown.
    pub(crate) fn parents(&self) -> SmallVec<[ObjectId; 2]> {
        match self.parents {
            Some(parents) => parents.into(),
            None => self.commit.parents().collect(),
        }
    }
}

/// A commit's header and message in the encoding of the output.
pub(super) struct Text<'t> {
    pub(super) commit: Commit<'t>,
    pub(super) message: Message<'t>,
    /// What the `encoding` header now says.
    pub(super) encoding: EncodingHeader,
}

/// What becomes of the `encoding` header where headers are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EncodingHeader {
    AsStored,
    Dropped,
    /// It names the encoding of the output.
    Replaced,
}

impl Printer<'_> {
    /// Appends the commit's message in the printer's format. What comes before it (`commit <id>`) and after it
    /// (the diff) is up to the command. Formats of several lines end with a newline, `oneline` and user formats without
    /// one.
    ///
    /// # Errors
    /// When something that the format shows cannot be read.
    pub fn append(&self, shown: &Shown<'_>, out: &mut Vec<u8>) -> Result<(), Error> {
        let is_user = self.style.layout.template().is_some();
        let wanted = if is_user { "UTF-8" } else { &self.encoding };
        let mut converted = Vec::new();
        let encoding = convert(&shown.commit, wanted, &mut converted);
        let commit = match encoding {
            Some(_) if !converted.is_empty() => reparse(&shown.commit, &converted),
            _ => shown.commit,
        };
        let text = Text {
            commit,
            message: Message::new(commit.message()),
            encoding: encoding.unwrap_or(EncodingHeader::AsStored),
        };
        match &self.style.layout {
            Layout::User(template) => self.expand(template, shown, &text, out),
            _ => self.lay_out(shown, &text, out),
        }
    }

    /// The width of tabs in messages; 0 for tabs that stay.
    pub(super) fn tabs(&self) -> usize {
        self.tab_width.unwrap_or(self.style.layout.tab_width())
    }

    /// The name and address to show in the formats that are git's own.
    pub(super) fn person<'i>(&'i self, ident: &Ident<'i>) -> (&'i BStr, &'i BStr) {
        super::person::mapped(ident, self.mailmap.filter(|_| self.map_people))
    }
}

/// Converts a commit to the encoding `wanted`, into `converted` unless its bytes are right already.
///
/// Returns what becomes of the `encoding` header.
fn convert(commit: &Commit<'_>, wanted: &str, converted: &mut Vec<u8>) -> Option<EncodingHeader> {
    if wanted.is_empty() {
        return None;
    }
    let declared = commit.encoding();
    let wants_utf8 = encoding::is_utf8(wanted);
    let header = if wants_utf8 { EncodingHeader::Dropped } else { EncodingHeader::Replaced };
    let own = match declared {
        None if wants_utf8 => return None,
        None => "UTF-8".into(),
        Some(name) => name.to_str_lossy(),
    };
    if encoding::same(&own, wanted) {
        return wants_utf8.then_some(header);
    }
    *converted = encoding::reencode(commit.bytes(), &own, wanted)?;
    Some(header)
}

/// The commit in its converted bytes.
fn reparse<'c>(original: &Commit<'c>, converted: &'c [u8]) -> Commit<'c> {
    Commit::parse(original.tree().format(), converted).unwrap_or(*original)
}
