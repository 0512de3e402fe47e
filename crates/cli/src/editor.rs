//! The user's editor (git-var, `GIT_EDITOR`), and texts that are written in it.

use std::path::Path;

use adit_config::Config;
use bstr::{BString, ByteSlice};

use crate::context::Context;
use crate::error::Error;

/// The editor that the user wants.
///
/// # Errors
/// When none is named and the terminal cannot show one.
pub fn editor(ctx: &Context<'_>, config: &Config) -> Result<BString, Error> {
    let var = |name| ctx.env.var(name).filter(|value| !value.is_empty()).map(ToOwned::to_owned);
    let dumb = ctx.env.var("TERM").is_none_or(|term| term == "dumb");
    let configured = config.last(b"core.editor").and_then(|entry| entry.value.clone());
    var("GIT_EDITOR")
        .or(configured)
        .or_else(|| var("VISUAL").filter(|_| !dumb))
        .or_else(|| var("EDITOR"))
        .or_else(|| (!dumb).then(|| BString::from("vi")))
        .ok_or_else(|| Error::failed("Terminal is dumb, but EDITOR unset"))
}

/// Lets the user edit a file, and waits until that is done. `:` is an editor that leaves everything as it is.
///
/// # Errors
/// When there is no editor, or it ends badly.
pub fn edit(ctx: &mut Context<'_>, config: &Config, path: &Path) -> Result<(), Error> {
    let editor = editor(ctx, config)?;
    if editor == ":" {
        return Ok(());
    }
    let mut child = ctx.shell(&editor);
    child.arg(path);
    if child.status().is_ok_and(|status| status.success()) {
        Ok(())
    } else {
        Err(Error::failed(format!("there was a problem with the editor '{editor}'")))
    }
}

impl Context<'_> {
    /// A program that configuration or the environment names. It is a command of the shell, to which arguments can be
    /// added.
    pub fn shell(&mut self, command: &BString) -> std::process::Command {
        let mut child = self.child(Path::new("/bin/sh"));
        let line = [command.as_slice(), b" \"$@\""].concat();
        child.arg("-c").arg(line.to_os_str_lossy()).arg(command.to_os_str_lossy());
        child
    }
}
