//! Values as `--type` wants them: shown in the canonical form of a type, and checked before they are written.

use std::path::PathBuf;

use adit_config::{Entry, Origin, value};
use adit_text::date::{Clock, LocalZone, parse_expiry};
use bstr::{BStr, BString, ByteSlice};

use crate::context::Context;
use crate::error::Error;
use crate::globals;

/// A type of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    Bool,
    Int,
    BoolOrInt,
    BoolOrStr,
    Path,
    ExpiryDate,
    Color,
}

impl Type {
    pub(super) fn parse(name: &BStr) -> Option<Self> {
        Some(match name.as_bytes() {
            b"bool" => Type::Bool,
            b"int" => Type::Int,
            b"bool-or-int" => Type::BoolOrInt,
            b"bool-or-str" => Type::BoolOrStr,
            b"path" => Type::Path,
            b"expiry-date" => Type::ExpiryDate,
            b"color" => Type::Color,
            _ => return None,
        })
    }
}

/// What types need to know of the process.
pub(super) struct Surroundings {
    home: Option<PathBuf>,
    prefix: PathBuf,
    now: i64,
    zone: LocalZone,
}

impl Surroundings {
    pub(super) fn new(ctx: &Context<'_>, kind: Option<Type>) -> Self {
        let tz = ctx.env.var("TZ").map(|tz| tz.to_str_lossy().into_owned());
        let zone = match kind {
            Some(Type::ExpiryDate) => LocalZone::from_tz(tz.as_deref()),
            _ => LocalZone::utc(),
        };
        let exec_path = globals::exec_path(&ctx.env, &ctx.program);
        Surroundings {
            home: ctx.env.home(),
            prefix: exec_path.parent().map(ToOwned::to_owned).unwrap_or_default(),
            now: ctx.env.now(),
            zone,
        }
    }

    /// The value of `entry` in its canonical form; `None` when it is to be passed over.
    ///
    /// # Errors
    /// When it is not of that type.
    pub(super) fn shown(&self, kind: Type, entry: &Entry) -> Result<Option<BString>, Error> {
        let text = entry.value.as_ref().map(|value| value.as_bstr());
        let given = text.unwrap_or_default();
        // Git names the line on which a value is missing.
        let missing = || {
            let origin = Origin::clone(&entry.origin);
            Error::from(adit_config::ConfigError::Syntax { origin, line: entry.line })
        };
        Ok(Some(match kind {
            Type::Bool => shown_bool(value::boolean(text).map_err(|_| bad_boolean(entry))?),
            Type::Int => integer(entry)?.to_string().into(),
            Type::BoolOrInt => match text.map(value::boolean_word) {
                None => shown_bool(true),
                Some(Some(word)) => shown_bool(word),
                Some(None) => integer(entry)?.to_string().into(),
            },
            Type::BoolOrStr => match text.map(value::boolean_word) {
                None => shown_bool(true),
                Some(Some(word)) => shown_bool(word),
                Some(None) => given.to_owned(),
            },
            Type::Path => return self.path(text.ok_or_else(missing)?),
            Type::ExpiryDate => {
                let clock = Clock { now: self.now, zone: &self.zone };
                let text = text.ok_or_else(missing)?;
                let seconds = parse_expiry(text, clock).ok_or_else(|| {
                    Error::Failed(
                        format!("'{text}' for '{}' is not a valid timestamp", entry.name).into(),
                        128,
                    )
                })?;
                seconds.to_string().into()
            }
            Type::Color => color(text.ok_or_else(missing)?)?.into(),
        }))
    }

    fn path(&self, text: &BStr) -> Result<Option<BString>, Error> {
        let (optional, text) = match text.strip_prefix(b":(optional)") {
            Some(rest) => (true, rest.as_bstr()),
            None => (false, text),
        };
        let path: BString = match value::path_in_prefix(text) {
            Some(rest) => [self.prefix.as_os_str().as_encoded_bytes(), b"/", rest].concat().into(),
            None => {
                let path = value::path(text, self.home.as_deref());
                let path =
                    path.ok_or_else(|| Error::fatal(format!("failed to expand user dir in: '{text}'")))?;
                path.as_os_str().as_encoded_bytes().into()
            }
        };
        Ok((!optional || path.to_path_lossy().exists()).then_some(path))
    }
}

/// The form in which `text` is written for a value of that type.
///
/// # Errors
/// When it is not of that type.
pub(super) fn written(kind: Option<Type>, name: &BStr, text: &BStr) -> Result<BString, Error> {
    let entry = || Entry {
        name: name.to_owned(),
        value: Some(text.to_owned()),
        origin: std::sync::Arc::new(Origin::StandardInput),
        line: 0,
        scope: adit_config::Scope::Command,
    };
    let bad_number = |error: value::ValueError| {
        Error::fatal(format!("bad numeric config value '{text}' for '{name}': {error}"))
    };
    Ok(match kind {
        None | Some(Type::Path | Type::ExpiryDate) => text.to_owned(),
        Some(Type::Bool) => shown_bool(value::boolean(Some(text)).map_err(|_| bad_boolean(&entry()))?),
        Some(Type::Int) => value::integer(text).map_err(bad_number)?.to_string().into(),
        Some(Type::BoolOrInt) => match value::boolean_word(text) {
            Some(word) => shown_bool(word),
            None => value::integer(text).map_err(bad_number)?.to_string().into(),
        },
        Some(Type::BoolOrStr) => match value::boolean_word(text) {
            Some(word) => shown_bool(word),
            None => text.to_owned(),
        },
        Some(Type::Color) => {
            color(text)?;
            text.to_owned()
        }
    })
}

fn integer(entry: &Entry) -> Result<i64, Error> {
    let text = entry.value.as_ref().map(|value| value.as_bstr()).unwrap_or_default();
    value::integer(text).map_err(|error| {
        adit_config::ConfigError::Number {
            name: entry.name.clone(),
            value: text.to_owned(),
            origin: entry.origin.clone(),
            error,
        }
        .into()
    })
}

fn bad_boolean(entry: &Entry) -> Error {
    let value = entry.value.clone().unwrap_or_default();
    adit_config::ConfigError::Boolean { name: entry.name.clone(), value }.into()
}

fn shown_bool(value: bool) -> BString {
    if value { "true".into() } else { "false".into() }
}

fn color(text: &BStr) -> Result<String, Error> {
    let escape = text.to_str().ok().and_then(|text| adit_text::color::parse(text).ok());
    escape.ok_or_else(|| Error::fatal(format!("cannot parse color '{text}'")))
}
