//! What a printer draws on, read once for a command: mailmap, decorations, notes, the local zone.

use adit::{Mailmap, Repository};
use adit_text::date::{Clock, DateFormat, DateStyle, LocalZone};
use adit_text::trailers::Rules;
use bstr::{BStr, BString, ByteSlice};

use super::color::LogPalette;
use super::decorate::{Decorations, Filter};
use super::notes::Notes;
use super::pretty::{Abbrev, Dates, Describe, Printer, Style};
use crate::context::Context;
use crate::error::Error;
use crate::options::pretty::PrettyOptions;

/// What a command wants besides what the options say.
#[derive(Debug, Clone, Default)]
pub struct Wants {
    /// The format when none was asked for; git's own when there is none.
    pub default_format: Option<BString>,
    /// The form of dates when none was asked for (`log.date`).
    pub default_date: Option<BString>,
    /// Colours.
    pub color: bool,
    /// Notes, unless a format was asked for.
    pub notes: bool,
    /// Decorations, whether or not the format asks for them.
    pub decorations: bool,
    /// Decorations in full.
    pub full_names: bool,
    /// Which references decorate.
    pub filter: Filter,
    /// The mailmap in the formats that are git's own.
    pub map_people: bool,
    /// The fewest digits of short ids; `None` for the configured ones.
    pub abbrev: Option<usize>,
}

/// Everything that was read for the printers of a command.
pub struct Lookups<'r> {
    repo: &'r Repository,
    style: Style,
    digits: usize,
    date: DateFormat,
    now: i64,
    zone: LocalZone,
    mailmap: Option<Mailmap>,
    map_people: bool,
    decorations: Option<Decorations>,
    notes: Option<Notes<'r>>,
    palette: LogPalette,
    encoding: String,
    tab_width: Option<usize>,
    separators: BString,
    comment: BString,
    known_keys: Vec<Vec<u8>>,
}

impl<'r> Lookups<'r> {
    /// Reads what the format needs.
    ///
    /// # Errors
    /// When an option or a setting is none, or something cannot be read.
    pub fn read(
        ctx: &mut Context<'_>,
        repo: &'r Repository,
        options: &PrettyOptions,
        wants: &Wants,
    ) -> Result<Self, Error> {
        let config = repo.config();
        let style = match options.format.as_ref().or(wants.default_format.as_ref()) {
            Some(name) => find_style(ctx, name.as_bstr(), repo, wants.color)?,
            None => Style::medium(),
        };
        let needs = style.layout.template().map(|template| template.needs()).unwrap_or_default();
        let decorations = match wants.decorations || needs.decorations {
            true => Some(read_decorations(repo, wants)?),
            false => None,
        };
        // A user's format shows notes where it says so, unless they are turned off.
        let by_default = wants.notes && options.format.is_none() || needs.notes || options.notes_by_default;
        let wanted = options.notes.is_on(by_default) && (style.layout.template().is_none() || needs.notes);
        let notes = match wanted {
            true => {
                let mut warn = |message: String| ctx.warn(message);
                let sources = (config, repo.env());
                Some(Notes::open(&options.notes, sources, repo.refs()?, repo.objects()?, &mut warn)?)
            }
            false => None,
        };
        let mailmap = match wants.map_people || needs.mailmap {
            true => Some(repo.mailmap()?),
            false => None,
        };
        Ok(Lookups {
            repo,
            digits: wants.abbrev.map_or_else(|| repo.abbrev(), Ok)?,
            date: date_format(ctx, options, wants, &style)?,
            now: ctx.env.now(),
            zone: ctx.local_zone(),
            mailmap: mailmap.filter(|map| !map.is_empty()),
            map_people: wants.map_people,
            decorations,
            notes,
            palette: if wants.color { LogPalette::read(config)? } else { LogPalette::default() },
            encoding: output_encoding(options, repo)?,
            tab_width: options.tab_width,
            separators: config.string("trailer.separators")?.unwrap_or(BStr::new(":")).to_owned(),
            comment: comment_prefix(repo)?,
            known_keys: trailer_keys(repo),
            style,
        })
    }

    /// The format.
    pub fn style(&self) -> &Style {
        &self.style
    }

    /// The colours.
    pub fn palette(&self) -> &LogPalette {
        &self.palette
    }

    /// Whether people are shown as the mailmap has them.
    pub fn maps_people(&self) -> bool {
        self.map_people && self.mailmap.is_some()
    }

    /// The names of references, when they were read.
    pub fn decorations(&self) -> Option<&Decorations> {
        self.decorations.as_ref()
    }

    /// The names of references, to add to them.
    pub fn decorations_mut(&mut self) -> Option<&mut Decorations> {
        self.decorations.as_mut()
    }

    /// How dates are printed.
    pub fn dates(&self) -> Dates<'_> {
        Dates { format: self.date.clone(), clock: Clock { now: self.now, zone: &self.zone } }
    }

    /// A printer of the format.
    ///
    /// # Errors
    /// When the repository's objects cannot be opened.
    pub fn printer<'p>(&'p self, describe: Option<&'p Describe<'p>>) -> Result<Printer<'p>, Error> {
        Ok(Printer {
            style: self.style.clone(),
            abbrev: Abbrev { store: self.repo.objects()?, digits: self.digits },
            dates: self.dates(),
            mailmap: self.mailmap.as_ref(),
            map_people: self.map_people,
            decorations: self.decorations.as_ref(),
            notes: self.notes.as_ref(),
            describe,
            signatures: Some(self.repo),
            palette: self.palette.clone(),
            encoding: self.encoding.clone(),
            tab_width: self.tab_width,
            trailers: Rules {
                separators: &self.separators,
                comment: &self.comment,
                known_keys: &self.known_keys,
            },
        })
    }
}

/// Finds a format by name; a colour in it that is none is named before the command fails.
fn find_style(ctx: &mut Context<'_>, name: &BStr, repo: &Repository, color: bool) -> Result<Style, Error> {
    Style::find(name, repo.config(), color, ctx.columns()).map_err(|error| {
        if let super::pretty::FormatError::Color(value) = &error {
            ctx.complain(format!("invalid color value: {value}"));
        }
        Error::fatal(error.to_string())
    })
}

fn read_decorations(repo: &Repository, wants: &Wants) -> Result<Decorations, Error> {
    let base = repo.env().var("GIT_REPLACE_REF_BASE").map_or(&b"refs/replace/"[..], |base| base.as_bytes());
    let replace_base = repo.uses_replacements()?.then_some(base);
    Decorations::read(
        repo.refs()?,
        repo.objects()?,
        &wants.filter,
        wants.full_names,
        replace_base,
        repo.grafts()?.into_keys(),
    )
}

fn date_format(
    ctx: &Context<'_>,
    options: &PrettyOptions,
    wants: &Wants,
    style: &Style,
) -> Result<DateFormat, Error> {
    if options.date.is_none() && style.short_dates {
        return Ok(DateFormat { style: DateStyle::Short, local: false });
    }
    let Some(name) = options.date.as_ref().or(wants.default_date.as_ref()) else {
        return Ok(DateFormat::default());
    };
    DateFormat::parse(&name.to_str_lossy(), ctx.streams.out_is_terminal)
        .map_err(|error| Error::fatal(error.to_string()))
}

/// `--encoding`, `i18n.logOutputEncoding`, or what commits are written in.
fn output_encoding(options: &PrettyOptions, repo: &Repository) -> Result<String, Error> {
    if let Some(name) = &options.encoding {
        return Ok(name.to_string());
    }
    let config = repo.config();
    let configured = match config.string("i18n.logoutputencoding")? {
        Some(name) => Some(name),
        None => config.string("i18n.commitencoding")?,
    };
    Ok(configured.map_or_else(|| "UTF-8".to_owned(), |name| name.to_string()))
}

/// What starts a comment line in messages (`core.commentChar`, `core.commentString`).
fn comment_prefix(repo: &Repository) -> Result<BString, Error> {
    let config = repo.config();
    let string = config.last(b"core.commentstring").or(config.last(b"core.commentchar"));
    Ok(match string.and_then(|entry| entry.value.as_ref()) {
        Some(value) if !value.is_empty() && !value.eq_ignore_ascii_case(b"auto") => value.clone(),
        _ => "#".into(),
    })
}

/// The keys of trailers that the configuration knows (`trailer.<alias>.key`, or the alias itself).
fn trailer_keys(repo: &Repository) -> Vec<Vec<u8>> {
    let config = repo.config();
    let aliases = config.subsections("trailer");
    let key = |alias: &&BStr| {
        let name = [b"trailer.", alias.as_bytes(), b".key"].concat();
        let value = config.last(&name).and_then(|entry| entry.value.as_ref());
        let key = value.map_or_else(|| alias.to_vec(), |value| value.to_vec());
        key.trim_ascii_end().trim_end_with(|c| c == ':').trim_ascii_end().to_vec()
    };
    aliases.iter().map(key).collect()
}
