//! What comparisons have found, as far as the exit status tells of it (`--exit-code`, `--quiet`, `--check`).

use adit_diff::FilePair;
use adit_diff::contents::Contents;
use adit_diff::show::{Attributes, Formats, Printer, ShowOptions};
use adit_object::ObjectId;

use crate::error::Error;
use crate::options::diff::DiffSetup;

/// What one comparison, or none, has found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Judged {
    /// Whether there was a difference; `None` when nothing was compared.
    pub differs: Option<bool>,
    /// Whether `--check` has found anything.
    pub check_failed: bool,
}

/// What all comparisons have found. Of several, the last one tells whether there was a difference, as in git.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Verdict {
    differs: bool,
    check_failed: bool,
}

impl Verdict {
    /// Adds what a later comparison has found.
    pub fn add(&mut self, judged: Judged) {
        self.differs = judged.differs.unwrap_or(self.differs);
        self.check_failed |= judged.check_failed;
    }

    /// The exit status of a command that compares what it is given.
    pub fn status(self, setup: &DiffSetup) -> u8 {
        u8::from(setup.exit_code && self.differs) | u8::from(self.check_failed) << 1
    }

    /// The exit status of a command that walks a history; where it checks, differences do not count.
    pub fn walk_status(self, setup: &DiffSetup) -> u8 {
        match setup.show.formats.check {
            true => u8::from(self.check_failed) << 1,
            false => self.status(setup),
        }
    }
}

/// What counts as a difference for the exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judge {
    /// Nothing: the exit status does not tell of it.
    Nobody,
    /// Every pair.
    Pairs,
    /// What a patch shows, since some changes are ignored, or a program says what is a difference.
    Patches,
}

impl Judge {
    /// What counts for a command that was asked for `setup`.
    pub fn of(setup: &DiffSetup) -> Self {
        match (setup.exit_code, setup.show.from_patches) {
            (false, _) => Judge::Nobody,
            (true, false) => Judge::Pairs,
            (true, true) => Judge::Patches,
        }
    }

    /// Whether `pairs`, which `printer` has just printed, hold a difference.
    ///
    /// # Errors
    /// When something cannot be read.
    pub fn differs(
        self,
        show: &ShowOptions,
        pairs: &[FilePair],
        printer: &mut Printer<'_>,
        contents: &dyn Contents,
        attributes: &dyn Attributes,
    ) -> Result<bool, Error> {
        if self != Judge::Patches || pairs.is_empty() {
            return Ok(!pairs.is_empty());
        }
        let Formats { patch, stat, numstat, shortstat, .. } = show.formats;
        let counts = stat || numstat || shortstat;
        if patch && !counts {
            return Ok(printer.take_differs());
        }
        let mut show = ShowOptions { formats: Formats { patch: true, ..Formats::default() }, ..show.clone() };
        if counts {
            // Lines are counted without the help of programs.
            (show.patch.textconv, show.patch.external) = (None, None);
        }
        let whole = |id: &ObjectId| id.format().hex_len();
        let mut judge = Printer::new(&show, contents, attributes, &whole);
        judge.silence();
        judge.print(pairs, &mut Vec::new())?;
        Ok(judge.take_differs())
    }
}
