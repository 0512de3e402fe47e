//! `git config edit`.

use std::io::Write;

use super::options::Request;
use super::source;
use crate::context::Context;
use crate::editor;
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
    editor::edit(ctx, &config, &file.path)?;
    Ok(0)
}
