//! `git stripspace`: cleans up a message as committing does, or makes a comment of it.

use std::io::{Read, Write};

use adit_text::stripspace;
use bstr::BString;

use crate::context::Context;
use crate::error::Error;
use crate::message::comment_prefix;
use crate::options::{Opt, Table, Usage};

#[derive(Clone, Copy, PartialEq, Eq)]
enum O {
    StripComments,
    CommentLines,
}

const USAGE: Usage = Usage {
    name: "stripspace",
    synopsis: &["git stripspace [-s | --strip-comments]", "git stripspace [-c | --comment-lines]"],
};
const OPTIONS: Table<O> = Table::new(&[
    Opt::flag(O::StripComments, "strip-comments", "drop the lines that are comments").short(b's'),
    Opt::flag(O::CommentLines, "comment-lines", "make each line a comment").short(b'c'),
]);

/// Runs the command.
pub fn run(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let mut mode: Option<(O, BString)> = None;
    let words = OPTIONS.parse(&USAGE, args, |given| {
        if let Some((other, spelling)) = &mode
            && *other != given.id
        {
            let message = format!("options '{}' and '{spelling}' cannot be used together", given.spelling);
            return Err(Error::Failed(message.into(), 129));
        }
        mode = Some((given.id, given.spelling));
        Ok(())
    })?;
    if !words.is_empty() {
        return Err(Error::Usage { message: None, usage: OPTIONS.usage(&USAGE) });
    }
    let comment = match &mode {
        Some(_) => Some(comment_prefix(ctx)?),
        None => None,
    };
    let mut text = Vec::new();
    ctx.streams
        .input
        .read_to_end(&mut text)
        .map_err(|error| Error::fatal(format!("could not read the input: {}", adit_sys::os_error(&error))))?;
    let out = match (mode.map(|(mode, _)| mode), comment) {
        (Some(O::CommentLines), Some(comment)) => stripspace::comment_lines(&text, &comment),
        (_, comment) => stripspace::stripspace(&text, comment.as_ref().map(|comment| comment.as_slice())),
    };
    ctx.streams.out.write_all(&out)?;
    Ok(0)
}
