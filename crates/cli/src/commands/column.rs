//! `git column`: lays the lines of standard input out in columns.

use std::io::{Read, Write};

use adit_text::column::{Frame, Layout, Mode, When, lay_out};
use bstr::{BString, ByteSlice};

use crate::context::Context;
use crate::error::Error;
use crate::options::{Opt, Table, Usage};

#[derive(Clone, Copy)]
enum O {
    Command,
    Mode,
    RawMode,
    Width,
    Indent,
    End,
    Padding,
}

const USAGE: Usage = Usage { name: "column", synopsis: &["git column [<options>]"] };
const OPTIONS: Table<O> = Table::new(&[
    Opt::value(O::Command, "command", "name", "use the settings of this command").no(),
    Opt::optional(O::Mode, "mode", "style", "the layout to use").no(),
    Opt::value(O::RawMode, "raw-mode", "n", "the layout to use, as a number"),
    Opt::value(O::Width, "width", "n", "the width of the terminal").no(),
    Opt::value(O::Indent, "indent", "string", "what each line starts with").no(),
    Opt::value(O::End, "nl", "string", "what each line ends with").no(),
    Opt::value(O::Padding, "padding", "n", "spaces between columns").no(),
]);

/// Runs the command.
pub fn run(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    // The settings of a command count first, wherever it is named.
    let mut mode = match args.iter().find_map(|word| word.strip_prefix(b"--command=")) {
        Some(command) => configured(ctx, command)?,
        None => Mode::default(),
    };
    let (mut width, mut padding) = (None, 1);
    let (mut indent, mut end) = (BString::default(), BString::from("\n"));
    let words = OPTIONS.parse(&USAGE, args, |given| {
        match given.id {
            O::Command => {}
            O::Mode if given.negated => mode = Mode::default(),
            O::Mode => {
                // The option alone means what it says; words without 'when' do as well.
                mode = Mode { when: When::Always, ..mode };
                mode = mode
                    .apply(&given.text().to_str_lossy())
                    .map_err(|error| Error::Failed(error.to_string().into(), 129))?;
            }
            O::RawMode => mode = raw_mode(given.unsigned()?),
            O::Width => width = usize::try_from(given.unsigned()?).ok().filter(|width| *width > 0),
            O::Indent => indent = given.text().to_owned(),
            O::End => end = given.value.clone().unwrap_or_else(|| "\n".into()),
            O::Padding => {
                let number = given.integer()?;
                padding =
                    usize::try_from(number).map_err(|_| Error::fatal("--padding must be non-negative"))?;
            }
        }
        Ok(())
    })?;
    if !words.is_empty() {
        return Err(Error::Usage { message: None, usage: OPTIONS.usage(&USAGE) });
    }
    let columns = ctx.env.var("COLUMNS").and_then(|value| value.to_str().ok()?.parse().ok());
    let width = width.or(columns.filter(|columns| *columns > 0)).unwrap_or(80);
    let mut text = Vec::new();
    ctx.streams
        .input
        .read_to_end(&mut text)
        .map_err(|error| Error::fatal(format!("could not read the input: {}", adit_sys::os_error(&error))))?;
    let mut out = Vec::new();
    if mode.is_active(ctx.streams.out_is_terminal) {
        let cells: Vec<&[u8]> = text.lines().collect();
        lay_out(&cells, mode, &Frame { width, padding, indent: &indent, end: &end }, &mut out);
    } else {
        for line in text.lines() {
            out.extend_from_slice(line);
            out.push(b'\n');
        }
    }
    ctx.streams.out.write_all(&out)?;
    Ok(0)
}

/// The layout that `column.ui` and `column.<command>` ask for.
fn configured(ctx: &mut Context<'_>, command: &[u8]) -> Result<Mode, Error> {
    let config = ctx.config()?;
    let mut mode = Mode::default();
    for name in [b"column.ui".to_vec(), [b"column.", command].concat()] {
        let Some(entry) = config.last(&name) else { continue };
        let value = entry.value.clone().unwrap_or_default();
        mode = mode.apply(&value.to_str_lossy()).map_err(|error| {
            Error::fatal(format!("invalid column.{} mode {value}: {error}", command.as_bstr()))
        })?;
    }
    Ok(mode)
}

/// The layout as other programs pass it: the low four bits are the layout, then come bits for 'always', 'auto' and
/// 'dense'.
fn raw_mode(bits: u64) -> Mode {
    let layout = match bits & 0xf {
        0 => Layout::Column,
        1 => Layout::Row,
        _ => Layout::Plain,
    };
    let when = match bits & 0x30 {
        0x10 => When::Always,
        0x20 => When::Auto,
        _ => When::Never,
    };
    Mode { when, layout, dense: bits & 0x80 != 0 }
}
