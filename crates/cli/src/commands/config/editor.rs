//! `git config edit`.

use std::io::Write;
use std::path::Path;

use adit_config::Config;
use bstr::{BString, ByteSlice};

use super::options::Request;
use super::source;
use crate::context::Context;
use crate::error::Error;

/// Opens the file in the user's editor.
pub(super) fn edit(ctx: &mut Context<'_>, request: &Request) -> Result<u8, Error> {
    let file = source::file_to_write(ctx, request)?;
    if !file.path.exists() {
        // An editor may well refuse a file in a folder that it cannot list; an empty one is there to be filled.
        let mut created = std::fs::File::create(&file.path).map_err(|error| {
            Error::fatal(format!(
                "cannot create configuration file {}: {}",
                file.shown.display(),
                adit_sys::os_error(&error)
            ))
        })?;
        created.write_all(b"").map_err(Error::Output)?;
    }
    let config = ctx.config()?;
    let editor = editor(ctx, &config)?;
    if editor == ":" {
        return Ok(0);
    }
    let line = [editor.as_slice(), b" \"$@\""].concat();
    let mut child = ctx.child(Path::new("/bin/sh"));
    child.arg("-c").arg(line.to_os_str_lossy()).arg(editor.to_os_str_lossy()).arg(&file.path);
    let ended_well = child.status().is_ok_and(|status| status.success());
    if !ended_well {
        return Err(Error::failed(format!("There was a problem with the editor '{editor}'.")));
    }
    Ok(0)
}

/// The editor that the user wants (git-var, `GIT_EDITOR`).
///
/// # Errors
/// When none is named and the terminal cannot show one.
pub(crate) fn editor(ctx: &Context<'_>, config: &Config) -> Result<BString, Error> {
    let var = |name| ctx.env.var(name).filter(|value| !value.is_empty()).map(ToOwned::to_owned);
    let dumb = ctx.env.var("TERM").is_none_or(|term| term == "dumb");
    let configured = config.last(b"core.editor").and_then(|entry| entry.value.clone());
    var("GIT_EDITOR")
        .or(configured)
        .or_else(|| var("VISUAL").filter(|_| !dumb))
        .or_else(|| var("EDITOR"))
        .or_else(|| (!dumb).then(|| BString::from("vi")))
        .ok_or_else(|| Error::Failed("Terminal is dumb, but EDITOR unset".into(), 1))
}
