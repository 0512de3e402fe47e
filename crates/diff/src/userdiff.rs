//! Diff drivers: what the `diff` attribute can name.

use crate::lines::Algorithm;

/// How files of a kind are compared and shown.
#[derive(Debug, Clone)]
pub struct Driver {
    /// Whether they are binary; by content when this is `None`.
    pub binary: Option<bool>,
    /// How they are compared, and whether minimally.
    pub algorithm: Option<(Algorithm, bool)>,
}

impl Driver {
    /// Whether the driver knows functions.
    pub fn has_functions(&self) -> bool {
        false
    }
}

/// Finds the lines that start functions.
#[derive(Debug, Clone, Copy)]
pub enum FunctionFinder<'a> {
    /// Any line that starts with a letter, an underscore or a dollar sign.
    Default,
    /// What the driver says.
    Driver(&'a Driver),
}

impl FunctionFinder<'_> {
    /// The part of the line that is shown, when it starts a function.
    pub fn name<'l>(&self, line: &'l [u8]) -> Option<&'l [u8]> {
        match self {
            FunctionFinder::Default => {
                let first = line.first()?;
                (first.is_ascii_alphabetic() || matches!(first, b'_' | b'$')).then_some(line)
            }
            FunctionFinder::Driver(_) => None,
        }
    }
}
