//! Names that standard input holds, one a line.

use bstr::BString;

use crate::context::Context;
use crate::error::Error;

/// Reads the next line, which ends in NUL when `nul` says so; `None` at the end.
///
/// # Errors
/// When input cannot be read.
pub(crate) fn next_line(ctx: &mut Context<'_>, nul: bool) -> Result<Option<BString>, Error> {
    let end = if nul { 0 } else { b'\n' };
    let mut line = Vec::new();
    let read = ctx.streams.input.read_until(end, &mut line);
    let read =
        read.map_err(|error| Error::fatal(format!("standard input: {}", adit_sys::os_error(&error))))?;
    if read == 0 {
        return Ok(None);
    }
    if line.last() == Some(&end) {
        line.pop();
    }
    Ok(Some(line.into()))
}

/// Reads the next name, which ends in NUL when `nul` says so, else at the end of its line, and is then C-quoted if it
/// starts with a quote; `None` at the end.
///
/// # Errors
/// When input cannot be read, or a name is badly quoted.
pub(crate) fn next_name(ctx: &mut Context<'_>, nul: bool) -> Result<Option<BString>, Error> {
    let Some(line) = next_line(ctx, nul)? else { return Ok(None) };
    if nul || !line.starts_with(b"\"") {
        return Ok(Some(line));
    }
    match adit_text::quote::unquote_c(&line) {
        Some((name, used)) if used == line.len() => Ok(Some(name)),
        _ => Err(Error::fatal("line is badly quoted")),
    }
}
