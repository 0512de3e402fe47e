//! `git config set`, `unset`, `rename-section` and `remove-section`.

use adit_config::edit::{self, EditError, Filter};
use adit_config::file::{UpdateError, update};
use adit_config::{Name, NameError, section_header};
use adit_text::posix_regex::{self, Syntax};
use bstr::{BStr, BString, ByteSlice};

use super::options::Request;
use super::{source, typed};
use crate::context::Context;
use crate::error::Error;

/// The status for a file that is no configuration.
const INVALID_FILE: u8 = 3;
/// The status for values that do not exist, or are too many.
const NOTHING_SET: u8 = 5;
/// The status for a pattern that is none.
const INVALID_PATTERN: u8 = 6;
/// The status for what the system does not allow.
const FAILED: u8 = 255;

/// Compiles an extended regular expression.
pub(super) fn compile(pattern: &[u8]) -> Option<regex::bytes::Regex> {
    posix_regex::compile_text(pattern, Syntax::Extended, false).ok()
}

/// The filter that `--value` asks for; a `!` before a pattern turns it round.
pub(super) fn filter(request: &Request) -> Result<Box<Filter<'static>>, Error> {
    let Some(pattern) = request.value_pattern.clone() else { return Ok(Box::new(|_| true)) };
    if request.fixed_value {
        return Ok(Box::new(move |value| value == Some(pattern.as_bstr())));
    }
    let (negated, source) = match pattern.strip_prefix(b"!") {
        Some(rest) => (true, rest),
        None => (false, pattern.as_slice()),
    };
    let invalid = || Error::Failed(format!("invalid pattern: {}", source.as_bstr()).into(), INVALID_PATTERN);
    let regex = compile(source).ok_or_else(invalid)?;
    Ok(Box::new(move |value| value.is_some_and(|value| regex.is_match(value)) != negated))
}

/// Sets a value, or adds one.
pub(super) fn set(ctx: &mut Context<'_>, request: &Request, name: &BStr, value: &BStr) -> Result<u8, Error> {
    let comment = comment(request)?;
    let file = source::file_to_write(ctx, request)?;
    let value = typed::written(request.kind, name, value)?;
    let filter: Box<Filter<'static>> = if request.append { Box::new(|_| false) } else { filter(request)? };
    let parsed = parse_name(name)?;
    let edited = update(&file.path, &file.shown, |text| {
        edit::set(text, &parsed, value.as_bstr(), &filter, request.all, comment.as_bstr()).map(Some)
    });
    match edited {
        Err(UpdateError::Edit(EditError::Several)) => {
            ctx.warn(format_args!("{name} has multiple values"));
            let advice = if request.modern {
                "--value=<pattern>, --append or --all"
            } else {
                "a regexp, --add or --replace-all"
            };
            Err(Error::Failed(
                format!(
                    "cannot overwrite multiple values with a single value\n       Use {advice} to change {name}."
                )
                .into(),
                NOTHING_SET,
            ))
        }
        other => finish(other, &file.shown),
    }
}

/// Removes a value, or all values.
pub(super) fn unset(ctx: &mut Context<'_>, request: &Request, name: &BStr) -> Result<u8, Error> {
    let file = source::file_to_write(ctx, request)?;
    let filter = filter(request)?;
    let parsed = parse_name(name)?;
    let edited =
        update(&file.path, &file.shown, |text| edit::unset(text, &parsed, &filter, request.all).map(Some));
    match edited {
        Err(UpdateError::Edit(EditError::Several)) => {
            ctx.warn(format_args!("{name} has multiple values"));
            Err(Error::Exit(NOTHING_SET))
        }
        Err(UpdateError::Edit(EditError::NotFound)) => Err(Error::Exit(NOTHING_SET)),
        other => finish(other, &file.shown),
    }
}

/// Gives a section another name, or removes it.
pub(super) fn rename_section(
    ctx: &mut Context<'_>,
    request: &Request,
    old: &BStr,
    new: Option<&BStr>,
) -> Result<u8, Error> {
    let file = source::file_to_write(ctx, request)?;
    let invalid = |name: &BStr| Error::Failed(format!("invalid section name: {name}").into(), FAILED);
    let header = new.map(|new| section_header(new).ok_or_else(|| invalid(new))).transpose()?;
    let mut found = false;
    let edited = update(&file.path, &file.shown, |text| {
        let renamed = edit::rename_section(text, old, header.as_ref().map(|header| header.as_bstr()))?;
        found = renamed.is_some();
        Ok(renamed)
    });
    let status = finish(edited, &file.shown)?;
    if found { Ok(status) } else { Err(Error::fatal(format!("no such section: {old}"))) }
}

fn finish(edited: Result<(), UpdateError>, shown: &std::path::Path) -> Result<u8, Error> {
    match edited {
        Ok(()) => Ok(0),
        Err(UpdateError::Edit(EditError::LongLine(line))) => Err(Error::Failed(
            format!("refusing to work with overly long line in '{}' on line {line}", shown.display()).into(),
            FAILED,
        )),
        Err(UpdateError::Edit(_)) => {
            Err(Error::Failed(format!("invalid config file {}", shown.display()).into(), INVALID_FILE))
        }
        Err(error @ UpdateError::Write { .. }) => Err(Error::Failed(error.to_string().into(), 4)),
        Err(error) => Err(Error::Failed(error.to_string().into(), FAILED)),
    }
}

fn parse_name(name: &BStr) -> Result<Name, Error> {
    Name::parse(name).map_err(|error| {
        let status = match error {
            NameError::NoSection(_) | NameError::NoKey(_) => 2,
            NameError::Invalid(_) | NameError::Newline(_) => 1,
        };
        Error::Failed(error.to_string().into(), status)
    })
}

/// What goes behind the value: the comment with what makes it one.
fn comment(request: &Request) -> Result<BString, Error> {
    let Some(comment) = &request.comment else { return Ok(BString::default()) };
    if comment.contains(&b'\n') {
        return Err(Error::fatal(format!("no multi-line comment allowed: '{comment}'")));
    }
    let before: &[u8] = if comment.starts_with(b"#") {
        b" "
    } else if comment.trim_ascii_start().starts_with(b"#") {
        b""
    } else {
        b" # "
    };
    Ok([before, comment].concat().into())
}
