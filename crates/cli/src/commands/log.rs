//! `git log`: shows commits and, when asked, their changes.

use bstr::BString;

use crate::context::Context;
use crate::error::Error;
use crate::log::arguments::LogArguments;
use crate::log::{Command, run_walk};
use crate::options::Usage;

/// How the command is called.
pub(crate) const USAGE: Usage = Usage {
    name: "log",
    synopsis: &[
        "git log [<options>] [<revision-range>] [[--] <path>...]",
        "git show [<options>] <object>...",
    ],
};

/// Runs the command.
pub fn run(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let arguments = LogArguments::read(ctx, args, &USAGE)?;
    run_walk(ctx, arguments, Command::Log)
}
