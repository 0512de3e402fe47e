//! Programs that the configuration names, as the crates above run them: those that make text of contents
//! (`diff.NAME.textconv`), and those that compare files in place of this crate (`diff.NAME.command`).

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use adit_object::{EntryKind, ObjectId};
use bstr::{BStr, BString};

use crate::Side;
use crate::show::Attributes;
use crate::userdiff::Driver;

/// Why a program did not do what it should.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// A program that should make text failed.
    #[error("unable to read files to diff")]
    Textconv,
    /// A program that should compare failed at this path.
    #[error("external diff died, stopping at {0}")]
    External(BString),
    /// What its output was should have been kept, which is not possible yet.
    #[error("diff.{0}.cachetextconv is not supported by adit yet")]
    Cache(BString),
}

/// Makes text of contents.
pub trait Textconv: fmt::Debug + Send + Sync {
    /// Puts into `out` what the program of `driver` makes of the content of `path`.
    ///
    /// # Errors
    /// When it cannot be run, or fails.
    fn convert(
        &self,
        driver: &Driver,
        path: &BStr,
        content: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), ProgramError>;
}

/// Puts the text of a side into `out`, when its driver names a program that makes one; false otherwise.
///
/// # Errors
/// Those of the program.
pub fn text_of(
    program: &dyn Textconv,
    driver: Option<&Driver>,
    side: &Side,
    content: &[u8],
    out: &mut Vec<u8>,
) -> Result<bool, ProgramError> {
    match driver {
        Some(driver) if driver.textconv.is_some() && side.kind() == Some(EntryKind::File) => {
            program.convert(driver, side.path.as_ref(), content, out).map(|()| true)
        }
        _ => Ok(false),
    }
}

/// What pickaxe needs to look into text instead of contents.
#[derive(Clone)]
pub struct Texts {
    /// What the drivers of paths are.
    pub attributes: Arc<dyn Attributes>,
    /// What runs their programs.
    pub program: Arc<dyn Textconv>,
}

impl fmt::Debug for Texts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Texts").field("program", &self.program).finish_non_exhaustive()
    }
}

/// One side of what a program compares.
#[derive(Debug, Clone, Copy)]
pub struct ExternalSide<'a> {
    /// The path.
    pub path: &'a BStr,
    /// Where it lies as a file, if it does.
    pub file: Option<&'a Path>,
    /// The content; `None` when there is no file on this side.
    pub content: Option<&'a [u8]>,
    /// Its id.
    pub id: ObjectId,
    /// Its mode.
    pub mode: u32,
}

/// What a program compares.
#[derive(Debug, Clone, Copy)]
pub struct ExternalCall<'a> {
    /// The path, as it is shown.
    pub path: &'a BStr,
    /// Before.
    pub old: ExternalSide<'a>,
    /// After.
    pub new: ExternalSide<'a>,
    /// For a rename or a copy the new path, as it is shown, and the lines of the header that tell of it.
    pub renamed: Option<(&'a BStr, &'a BStr)>,
    /// The number of the call, from 1.
    pub number: usize,
    /// How many pairs are shown.
    pub of: usize,
}

/// Compares files by a program.
pub trait External: fmt::Debug + Send + Sync {
    /// Whether there is a program for files of this driver.
    fn applies(&self, driver: Option<&Driver>) -> bool;

    /// Whether the exit status of that program tells whether there is a difference.
    fn is_trusted(&self, driver: Option<&Driver>) -> bool;

    /// Runs the program and appends what it prints, unless `quiet`; tells whether it found a difference.
    ///
    /// # Errors
    /// When it cannot be run, or fails.
    fn compare(
        &self,
        driver: Option<&Driver>,
        call: &ExternalCall<'_>,
        quiet: bool,
        out: &mut Vec<u8>,
    ) -> Result<bool, ProgramError>;
}
