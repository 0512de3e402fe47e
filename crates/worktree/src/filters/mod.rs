//! Conversion of content between the working tree and the repository (gitattributes, "Checking-out and checking-in").
//!
//! [`Filters::conversion`] says once what attributes and settings mean for a path; [`Filters::to_git`] and
//! [`Filters::to_worktree`] convert. A content that needs none comes back as it was lent.

mod driver;
mod encoding;
mod error;
mod ident;
mod line_ends;
mod process;

use std::borrow::Cow;
use std::collections::HashMap;

use adit_diff::pathspec::AttributeState;
use adit_object::ObjectFormat;
use bstr::{BStr, BString, ByteSlice};

pub use driver::{Driver, Origin, Process, Programs, Ran};
pub use error::{FilterError, Notice};
pub use line_ends::{Irreversible, LineEnds, Safety, TextStats};

use crate::attributes::{Attributes, Query};
use driver::{Direction, Driven, Drivers};
use process::Request;

/// Where notices go.
pub type Told<'t> = &'t mut dyn FnMut(Notice);

/// `core.autocrlf`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AutoCrlf {
    /// Attributes alone decide.
    #[default]
    Off,
    /// Text has CRLF in the working tree.
    On,
    /// Text is stored with LF, and otherwise left alone.
    Input,
}

/// What the configuration says.
#[derive(Debug, Clone, Default)]
pub struct FilterSettings {
    /// `core.autocrlf`
    pub auto_crlf: AutoCrlf,
    /// `core.eol` is `crlf`.
    pub eol_is_crlf: bool,
    /// `core.checkRoundtripEncoding`
    pub round_trip: Vec<BString>,
    /// `filter.<driver>.*`
    pub drivers: HashMap<BString, Driver>,
}

impl FilterSettings {
    fn text_is_crlf(&self) -> bool {
        match self.auto_crlf {
            AutoCrlf::On => true,
            AutoCrlf::Input => false,
            AutoCrlf::Off => self.eol_is_crlf,
        }
    }
}

/// What is done to the content of one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversion {
    /// How its line ends are converted.
    pub line_ends: LineEnds,
    ident: bool,
    encoding: Option<BString>,
    driver: Option<BString>,
}

impl Conversion {
    /// Whether content is left as it is, either way. It need then not be held in memory.
    pub fn is_none(&self) -> bool {
        self.line_ends == LineEnds::Keep && !self.ident && self.encoding.is_none() && self.driver.is_none()
    }
}

/// How a content is taken into the repository.
pub struct CheckIn<'c> {
    /// It is to be stored: what cannot be converted is an error. Otherwise it is told, and the content left as it is.
    pub stores: bool,
    /// What is done about line ends that a checkout would not bring back.
    pub safety: Safety,
    /// Tells whether the version in the index has a CRLF.
    pub stored_has_crlf: &'c dyn Fn() -> bool,
}

/// How a content is brought into the working tree.
#[derive(Debug, Clone, Default)]
pub struct CheckOut {
    /// Where it comes from.
    pub origin: Origin,
    /// Whether a filter may deliver it later: see [`Filters::available`].
    pub can_delay: bool,
}

/// A content on its way to the working tree.
#[derive(Debug, PartialEq, Eq)]
pub enum Smudged<'c> {
    /// It is here.
    Now(Cow<'c, [u8]>),
    /// It comes later: ask for it again, with empty content, when [`Filters::available`] names its path.
    Later,
}

/// Converts content as a repository wants it.
pub struct Filters {
    settings: FilterSettings,
    drivers: Drivers,
    format: ObjectFormat,
}

/// The attributes that bear on conversion.
const NAMES: [&str; 6] = ["text", "crlf", "eol", "ident", "working-tree-encoding", "filter"];

impl Filters {
    /// Filters as `settings` say; `programs` runs what drivers name.
    pub fn new(mut settings: FilterSettings, format: ObjectFormat, programs: Box<dyn Programs>) -> Self {
        let drivers = Drivers::new(std::mem::take(&mut settings.drivers), programs);
        Filters { settings, drivers, format }
    }

    /// The question that [`Filters::conversion`] puts to `attributes`; it serves for all paths.
    pub fn query(attributes: &Attributes) -> Query {
        attributes.query(&NAMES.map(BStr::new))
    }

    /// What is done to the content of `path`, by a question of [`Filters::query`].
    ///
    /// # Errors
    /// When its attributes name no encoding where they should.
    pub fn conversion(
        &self,
        attributes: &Attributes,
        query: &Query,
        path: &BStr,
    ) -> Result<Conversion, FilterError> {
        let mut states = [const { AttributeState::Unspecified }; NAMES.len()];
        attributes.states(query, path, &mut states);
        let [text, crlf, eol, ident, encoding, filter] = states;
        let encoding = match encoding {
            AttributeState::Value(name) => encoding::named(name.as_bstr()),
            AttributeState::Unspecified => None,
            AttributeState::Set | AttributeState::Unset => return Err(FilterError::EncodingWithoutName),
        };
        let driver = match filter {
            AttributeState::Value(name) if self.drivers.is_known(name.as_bstr()) => Some(name),
            _ => None,
        };
        let line_ends = self.line_ends(&text, &crlf, &eol);
        Ok(Conversion { line_ends, ident: ident == AttributeState::Set, encoding, driver })
    }

    fn line_ends(&self, text: &AttributeState, crlf: &AttributeState, eol: &AttributeState) -> LineEnds {
        let text = Text::read(text).or_else(|| Text::read(crlf));
        if text == Some(Text::Binary) {
            return LineEnds::Keep;
        }
        let eol = match eol {
            AttributeState::Value(value) if value == "crlf" => Some(true),
            AttributeState::Value(value) if value == "lf" => Some(false),
            _ => None,
        };
        let ends = |auto, crlf| match (auto, crlf) {
            (false, false) => LineEnds::Lf,
            (false, true) => LineEnds::Crlf,
            (true, false) => LineEnds::AutoLf,
            (true, true) => LineEnds::AutoCrlf,
        };
        match (text, eol) {
            (Some(Text::Auto), Some(crlf)) => ends(true, crlf),
            (_, Some(crlf)) => ends(false, crlf),
            (Some(Text::Input), None) => LineEnds::Lf,
            (Some(Text::Auto), None) => ends(true, self.settings.text_is_crlf()),
            (Some(_), None) => ends(false, self.settings.text_is_crlf()),
            (None, None) => match self.settings.auto_crlf {
                AutoCrlf::Off => LineEnds::Keep,
                AutoCrlf::On => LineEnds::AutoCrlf,
                AutoCrlf::Input => LineEnds::AutoLf,
            },
        }
    }

    /// The `content` of the file at `path` as it is stored.
    ///
    /// # Errors
    /// When it cannot be converted and must be.
    pub fn to_git<'c>(
        &self,
        path: &BStr,
        conversion: &Conversion,
        content: Cow<'c, [u8]>,
        how: &CheckIn<'_>,
        told: Told<'_>,
    ) -> Result<Cow<'c, [u8]>, FilterError> {
        let mut content = content;
        if let Some(driver) = &conversion.driver {
            let origin = Origin::default();
            let request = Request { direction: Direction::Clean, path, origin: &origin, can_delay: false };
            let driven = self.drivers.apply(driver.as_bstr(), &request, content, told)?;
            let Driven::Done(cleaned) = driven else {
                let (path, driver) = (path.to_owned(), driver.clone());
                return Err(FilterError::Clean { path, driver });
            };
            content = cleaned;
        }
        if let Some(name) = &conversion.encoding {
            let checks = self.settings.round_trip.iter().any(|listed| listed.eq_ignore_ascii_case(name));
            match encoding::to_git(name.as_bstr(), path, &content, checks && how.stores) {
                Ok(Some(encoded)) => content = Cow::Owned(encoded),
                Ok(None) => {}
                Err(error) if how.stores => return Err(error),
                Err(error) => told(Notice::PassedOver(error)),
            }
        }
        let (mut content, irreversible) = conversion.line_ends.to_git(content, how.stored_has_crlf);
        if let Some(change) = irreversible {
            let path = path.to_owned();
            match how.safety {
                Safety::Ignore => {}
                Safety::Warn => told(Notice::Irreversible { path, change }),
                Safety::Refuse => return Err(FilterError::Irreversible { path, change }),
            }
        }
        if conversion.ident {
            content = ident::to_git(content);
        }
        Ok(content)
    }

    /// The stored `content` of `path` as it is in the working tree.
    ///
    /// # Errors
    /// When it cannot be converted and must be.
    pub fn to_worktree<'c>(
        &self,
        path: &BStr,
        conversion: &Conversion,
        content: Cow<'c, [u8]>,
        how: &CheckOut,
        told: Told<'_>,
    ) -> Result<Smudged<'c>, FilterError> {
        let mut content = content;
        if conversion.ident {
            content = ident::to_worktree(self.format, content);
        }
        content = conversion.line_ends.to_worktree(content);
        if let Some(name) = conversion.encoding.as_ref().filter(|_| !content.is_empty()) {
            match encoding::to_worktree(name.as_bstr(), &content) {
                Some(encoded) => content = Cow::Owned(encoded),
                None => told(Notice::NotEncoded { path: path.to_owned(), encoding: name.clone() }),
            }
        }
        let Some(driver) = &conversion.driver else { return Ok(Smudged::Now(content)) };
        let (direction, origin) = (Direction::Smudge, &how.origin);
        let request = Request { direction, path, origin, can_delay: how.can_delay };
        Ok(match self.drivers.apply(driver.as_bstr(), &request, content, told)? {
            Driven::Done(content) => Smudged::Now(content),
            Driven::Delayed => Smudged::Later,
        })
    }

    /// The paths whose contents filters have ready now, of those that were to come later; waits until there are some.
    /// None means that none will come any more.
    ///
    /// # Errors
    /// When a filter does not answer.
    pub fn available(&self) -> Result<Vec<BString>, FilterError> {
        self.drivers.available()
    }
}

/// What `text`, or the older `crlf`, says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Text {
    Plain,
    Binary,
    Input,
    Auto,
}

impl Text {
    fn read(state: &AttributeState) -> Option<Text> {
        match state {
            AttributeState::Set => Some(Text::Plain),
            AttributeState::Unset => Some(Text::Binary),
            AttributeState::Value(value) if value == "input" => Some(Text::Input),
            AttributeState::Value(value) if value == "auto" => Some(Text::Auto),
            AttributeState::Value(_) | AttributeState::Unspecified => None,
        }
    }
}
