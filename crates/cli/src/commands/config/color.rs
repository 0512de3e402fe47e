//! `git config --get-color` and `--get-colorbool`, for scripts that colour their output.

use std::io::Write;

use adit_config::value;
use adit_text::color::{self, When};
use bstr::{BStr, ByteSlice};

use super::options::Request;
use super::source;
use crate::context::Context;
use crate::error::Error;

/// Prints the escape sequence of a colour, `default` when the name has none.
pub(super) fn get_color(
    ctx: &mut Context<'_>,
    request: &Request,
    name: &BStr,
    default: Option<&BStr>,
) -> Result<u8, Error> {
    let config = source::read(ctx, request, false)?;
    let canonical = adit_config::canonical_name(name).unwrap_or_default();
    let escape = match config.last(&canonical) {
        Some(entry) => {
            let missing = || Error::fatal(format!("missing value for '{name}'"));
            let value = entry.value.as_ref().ok_or_else(missing)?;
            parse(ctx, value.as_bstr())
                .ok_or_else(|| Error::fatal(format!("bad config value for '{name}' in {}", entry.origin)))?
        }
        None => {
            let unable = || Error::Failed("unable to parse default color value".into(), 255);
            parse(ctx, default.unwrap_or_default()).ok_or_else(unable)?
        }
    };
    ctx.streams.out.write_all(escape.as_bytes())?;
    Ok(0)
}

fn parse(ctx: &mut Context<'_>, value: &BStr) -> Option<String> {
    match color::parse(&value.to_str_lossy()) {
        Ok(escape) => Some(escape),
        Err(error) => {
            ctx.complain(error);
            None
        }
    }
}

/// Tells whether to colour: by the setting `name`, else by `color.ui`. Without being told whether the output is a
/// terminal, the answer is the status.
pub(super) fn get_color_bool(
    ctx: &mut Context<'_>,
    request: &Request,
    name: &BStr,
    is_terminal: Option<&BStr>,
) -> Result<u8, Error> {
    let config = source::read(ctx, request, false)?;
    let told = match is_terminal {
        Some(text) => Some(
            value::boolean(Some(text))
                .map_err(|_| Error::fatal(format!("bad boolean config value '{text}' for 'command line'")))?,
        ),
        None => None,
    };
    let canonical = adit_config::canonical_name(name).unwrap_or_default();
    let entry = config.last(&canonical).or_else(|| config.last(b"color.ui"));
    let when = match entry.map(|entry| (entry, entry.value.as_ref().map(|value| value.as_bstr()))) {
        None | Some((_, None)) => When::Auto,
        Some((entry, Some(text))) => match When::parse(&text.to_str_lossy()) {
            Some(when) => when,
            None => match value::boolean(Some(text)) {
                Ok(true) => When::Auto,
                Ok(false) => When::Never,
                Err(_) => {
                    let (name, value) = (entry.name.clone(), text.to_owned());
                    return Err(adit_config::ConfigError::Boolean { name, value }.into());
                }
            },
        },
    };
    let dumb = ctx.env.var("TERM").is_none_or(|term| term == "dumb");
    let colored = match when {
        When::Always => true,
        When::Never => false,
        When::Auto => told.unwrap_or(ctx.streams.out_is_terminal) && !dumb,
    };
    if told.is_some() {
        writeln!(ctx.streams.out, "{colored}")?;
        return Ok(0);
    }
    Ok(u8::from(!colored))
}
