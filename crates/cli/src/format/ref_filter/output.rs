//! The lines of a listing, one below the other or in columns (`column.ui`).

use std::io::Write;

use adit_config::Config;
use adit_text::column::{Frame, Mode, lay_out};
use bstr::{BString, ByteSlice};

use crate::error::Error;

/// How `--column` and the settings want lines laid out. `asked` is the option: its value, or `Some(None)` when it was
/// negated.
///
/// # Errors
/// When a setting has a word that is none.
pub fn column_mode(config: &Config, command: &str, asked: Option<&Option<BString>>) -> Result<Mode, Error> {
    let mut mode = Mode::default();
    for key in ["column.ui".to_owned(), format!("column.{command}")] {
        if let Some(value) = config.string(&key)? {
            mode = mode
                .apply(&value.to_str_lossy())
                .map_err(|_| Error::fatal(format!("invalid column.{command} mode {value}")))?;
        }
    }
    match asked {
        None => Ok(mode),
        Some(None) => Ok(Mode::default()),
        Some(Some(value)) => {
            let value = if value.is_empty() { "always".into() } else { value.to_str_lossy() };
            mode.apply(&value).map_err(|error| Error::Failed(error.to_string().into(), 129))
        }
    }
}

/// Collects lines, and prints them at the end when they are laid out in columns.
pub struct Lines<'o> {
    out: &'o mut (dyn Write + Send + 'o),
    mode: Option<Mode>,
    frame: Frame<'static>,
    cells: Vec<Vec<u8>>,
    omit_empty: bool,
}

impl<'o> Lines<'o> {
    /// Lines printed to `out`; `mode` is `Some` when they are laid out.
    pub fn new(
        out: &'o mut (dyn Write + Send + 'o),
        mode: Option<Mode>,
        frame: Frame<'static>,
        omit_empty: bool,
    ) -> Self {
        Lines { out, mode, frame, cells: Vec::new(), omit_empty }
    }

    /// Adds a line.
    pub fn push(&mut self, text: &[u8]) -> Result<(), Error> {
        if text.is_empty() && self.omit_empty {
            return Ok(());
        }
        if self.mode.is_some() {
            self.cells.push(text.to_vec());
            return Ok(());
        }
        self.out.write_all(text)?;
        Ok(self.out.write_all(b"\n")?)
    }

    /// Prints what was held back.
    pub fn finish(self) -> Result<(), Error> {
        if let Some(mode) = self.mode {
            let mut text = Vec::new();
            lay_out(&self.cells, mode, &self.frame, &mut text);
            self.out.write_all(&text)?;
        }
        Ok(())
    }
}
