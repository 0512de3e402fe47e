//! The pager: a program that shows long output on a terminal (git, `GIT_PAGER`; git-config, `core.pager`).

use std::io::{BufWriter, Write};
use std::process::{Child, ChildStdin, Stdio};

use bstr::{BString, ByteSlice};

use crate::context::Context;
use crate::error::Error;

/// A pager that is running. Dropping it waits until its user leaves it.
#[derive(Debug)]
pub struct RunningPager {
    child: Child,
}

impl Drop for RunningPager {
    fn drop(&mut self) {
        // Its status says nothing about the command whose output it showed.
        let _ = self.child.wait();
    }
}

/// Whether `pager.<command>` asks for a pager or forbids it; any other value names one, and so asks for it.
///
/// # Errors
/// When the configuration cannot be read.
pub fn configured(ctx: &mut Context<'_>, command: &str) -> Result<Option<bool>, Error> {
    let name = format!("pager.{command}");
    let config = ctx.config()?;
    Ok(config.last(name.as_bytes()).map(|_| config.bool(&name).ok().flatten().unwrap_or(true)))
}

/// The command line of the pager; `None` when output is to go to the terminal as it is.
fn program(ctx: &mut Context<'_>, command: &str) -> Result<Option<BString>, Error> {
    let name = format!("pager.{command}");
    let config = ctx.config()?;
    let own = match config.bool(&name) {
        // The value is no boolean, so it is a command.
        Err(_) => config.last(name.as_bytes()).and_then(|entry| entry.value.clone()),
        Ok(_) => None,
    };
    let core = config.last(b"core.pager").and_then(|entry| entry.value.clone());
    let from = |variable| ctx.env.var(variable).map(ToOwned::to_owned);
    let chosen =
        own.or_else(|| from("GIT_PAGER")).or(core).or_else(|| from("PAGER")).unwrap_or("less".into());
    Ok((!chosen.is_empty() && chosen != "cat").then_some(chosen))
}

/// Starts the pager and makes it the standard output of what follows. Does nothing unless that is a terminal.
///
/// # Errors
/// When the configuration cannot be read. A pager that cannot be started is done without.
pub fn start(ctx: &mut Context<'_>, command: &str) -> Result<(), Error> {
    if !ctx.streams.out_is_terminal || ctx.is_paged() {
        return Ok(());
    }
    let Some(program) = program(ctx, command)? else { return Ok(()) };
    let mut child = ctx.child(std::path::Path::new("/bin/sh"));
    child.arg("-c").arg(program.to_os_str_lossy()).stdin(Stdio::piped());
    for (name, value) in [("LESS", "FRX"), ("LV", "-c")] {
        if ctx.env.var(name).is_none() {
            child.env(name, value);
        }
    }
    ctx.env.set("GIT_PAGER_IN_USE", "true");
    let Ok(mut child) = child.spawn() else { return Ok(()) };
    if let Some(input) = child.stdin.take() {
        ctx.page_through(RunningPager { child }, writer(input));
    }
    Ok(())
}

fn writer(input: ChildStdin) -> Box<dyn Write + Send> {
    Box::new(BufWriter::with_capacity(1 << 16, input))
}
