//! Messages of commits and tags: given by options, read from files, cleaned up.

use std::io::Read;

use adit_text::stripspace::Cleanup;
use bstr::{BStr, BString, ByteSlice};

use crate::context::Context;
use crate::error::Error;

/// What lines of comments start with (`core.commentChar`, `core.commentString`).
///
/// # Errors
/// When the setting is none.
pub fn comment_prefix(ctx: &mut Context<'_>) -> Result<BString, Error> {
    let config = ctx.config()?;
    let set =
        |entry: &&adit_config::Entry| entry.name == "core.commentchar" || entry.name == "core.commentstring";
    let Some(entry) = config.entries().iter().rfind(set) else { return Ok("#".into()) };
    let Some(value) = &entry.value else {
        return Err(Error::fatal(format!("missing value for '{}'", entry.name)));
    };
    if value.eq_ignore_ascii_case(b"auto") {
        return Ok("#".into());
    }
    let wrong = match value.find_byte(b'\n') {
        Some(_) => Some("cannot contain newline"),
        None if value.is_empty() => Some("must have at least one character"),
        None => None,
    };
    if let Some(wrong) = wrong {
        ctx.complain(format_args!("{} {wrong}", entry.name));
        let place = match &*entry.origin {
            adit_config::Origin::CommandLine => "command-line config".to_owned(),
            origin => origin.to_string(),
        };
        return Err(Error::fatal(format!("unable to parse '{}' from {place}", entry.name)));
    }
    Ok(value.clone())
}

/// Reads `--cleanup=<mode>` of a command that has no diff to cut off.
///
/// # Errors
/// When there is no such mode.
pub fn cleanup(name: &BStr) -> Result<Cleanup, Error> {
    match Cleanup::from_name(name) {
        Some(mode) if mode != Cleanup::Scissors => Ok(mode),
        _ => Err(Error::fatal(format!("Invalid cleanup mode {name}"))),
    }
}

/// Appends what one `-m` says: a paragraph of its own, which ends its line.
pub fn add_paragraph(message: &mut BString, text: &BStr) {
    if !message.is_empty() {
        message.push(b'\n');
    }
    message.extend_from_slice(text);
    end_line(message);
}

/// Ends the last line, if it is not.
pub fn end_line(message: &mut BString) {
    if message.last().is_some_and(|&byte| byte != b'\n') {
        message.push(b'\n');
    }
}

/// The content of the file `name`, or of standard input for `-`.
///
/// # Errors
/// What the system says.
pub fn read_file(ctx: &mut Context<'_>, name: &BStr) -> std::io::Result<BString> {
    if name == "-" {
        let mut text = Vec::new();
        ctx.streams.input.read_to_end(&mut text)?;
        return Ok(text.into());
    }
    Ok(std::fs::read(ctx.env.cwd().join(name.to_path_lossy()))?.into())
}
