//! `git config`: reads and changes configuration, in the spelling of subcommands and in the older one of options.

mod change;
mod color;
mod editor;
mod options;
mod show;
mod source;
mod typed;

use bstr::{BString, ByteSlice};

use crate::context::Context;
use crate::error::Error;
use options::Action;

/// Runs the command.
pub fn run(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let (action, request, words) = options::parse(args)?;
    let word = |at: usize| words.get(at).map(|word| word.as_bstr()).unwrap_or_default();
    match action {
        Action::List => show::list(ctx, &request),
        Action::Get => show::get(ctx, &request, word(0)),
        Action::GetUrl => show::get_for_url(ctx, &request, word(0)),
        Action::GetColor => color::get_color(ctx, &request, word(0), words.get(1).map(|word| word.as_bstr())),
        Action::GetColorBool => {
            color::get_color_bool(ctx, &request, word(0), words.get(1).map(|w| w.as_bstr()))
        }
        Action::Set => change::set(ctx, &request, word(0), word(1)),
        Action::Unset => change::unset(ctx, &request, word(0)),
        Action::RenameSection => change::rename_section(ctx, &request, word(0), Some(word(1))),
        Action::RemoveSection => change::rename_section(ctx, &request, word(0), None),
        Action::Edit => editor::edit(ctx, &request),
    }
}
