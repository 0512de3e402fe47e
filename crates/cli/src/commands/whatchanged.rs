//! `git whatchanged`: `log --raw --no-merges` by its old name, which git wants to be rid of.

use std::io::Write;

use bstr::BString;

use crate::context::Context;
use crate::error::Error;
use crate::log::arguments::LogArguments;
use crate::log::{Command, run_walk};
use crate::options::Usage;

const USAGE: Usage =
    Usage { name: "whatchanged", synopsis: &["git whatchanged --i-still-use-this <option>..."] };

/// Runs the command.
pub fn run(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let insists = |word: &&BString| word.as_slice() == b"--i-still-use-this";
    let words: Vec<BString> = args.iter().filter(|word| !insists(word)).cloned().collect();
    if words.len() == args.len() && !args.iter().any(|word| word == "-h") {
        let hint = "'git whatchanged' will go away. 'git log --raw --no-merges' does the same.";
        writeln!(ctx.streams.err, "{hint}")?;
        return Err(Error::fatal("refusing to run without --i-still-use-this"));
    }
    let arguments = LogArguments::read(ctx, &words, &USAGE)?;
    run_walk(ctx, arguments, Command::WhatChanged)
}
