//! Diff drivers: what the `diff` attribute can name (gitattributes).
//!
//! A driver says which lines start functions, for hunk headers and `-W`, and whether files are binary or go through a
//! program first. [`Driver::builtin`] knows git's own ones, which are in `languages`; configuration makes others,
//! or changes these.

mod languages;
mod scan;

use adit_text::posix_regex::{self, Syntax};
use bstr::BString;
use regex::bytes::Regex;

use crate::lines::Algorithm;

/// How files of a kind are compared and shown.
#[derive(Debug, Clone, Default)]
pub struct Driver {
    /// What the attribute calls it.
    pub name: BString,
    /// Which lines start functions.
    pub functions: Functions,
    /// Whether the files are binary; by content when this is `None` (`diff.NAME.binary`).
    pub binary: Option<bool>,
    /// How they are compared, and whether minimally (`diff.NAME.algorithm`).
    pub algorithm: Option<(Algorithm, bool)>,
    /// The program whose output is compared instead of the files (`diff.NAME.textconv`).
    pub textconv: Option<BString>,
    /// Whether that output may be cached (`diff.NAME.cachetextconv`).
    pub cache_textconv: bool,
    /// The program that compares the files (`diff.NAME.command`).
    pub command: Option<BString>,
    /// Whether the exit code of that program counts (`diff.NAME.trustExitCode`).
    pub trust_exit_code: bool,
}

/// Which lines start functions.
#[derive(Debug, Clone, Default)]
pub enum Functions {
    /// The driver does not say.
    #[default]
    Unknown,
    /// Those of a language.
    Language(fn(&[u8]) -> Option<&[u8]>),
    /// Those that a list of patterns matches.
    Patterns(Patterns),
}

/// Patterns as `diff.NAME.xfuncname` has them: the first that matches a line decides.
#[derive(Debug, Clone)]
pub struct Patterns(Vec<Pattern>);

#[derive(Debug, Clone)]
struct Pattern {
    /// Whether lines that match do not start functions.
    negated: bool,
    regex: Regex,
}

/// Why patterns cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternsError {
    /// A list of exceptions only.
    #[error("Last expression must not be negated: {0}")]
    LastNegated(BString),
    /// One is no regular expression.
    #[error("Invalid regexp to look for hunk header: {0}")]
    Invalid(BString),
}

impl Patterns {
    /// Reads patterns, one a line; those after a `!` are exceptions. `syntax` is extended for `xfuncname`, basic for
    /// `funcname`.
    pub fn parse(text: &[u8], syntax: Syntax) -> Result<Self, PatternsError> {
        let mut patterns = Vec::new();
        for line in text.split(|&b| b == b'\n') {
            let (negated, pattern) = line.strip_prefix(b"!").map_or((false, line), |rest| (true, rest));
            let invalid = |_| PatternsError::Invalid(pattern.into());
            let regex = posix_regex::compile(pattern, syntax, false).map_err(invalid)?;
            patterns.push(Pattern { negated, regex });
        }
        match patterns.last() {
            Some(last) if last.negated => {
                let line = text.rsplit(|&b| b == b'\n').next().unwrap_or(text);
                Err(PatternsError::LastNegated(line.into()))
            }
            _ => Ok(Patterns(patterns)),
        }
    }

    /// What is shown of a line that starts a function: the first group of the pattern, or all it matches.
    fn name<'l>(&self, line: &'l [u8]) -> Option<&'l [u8]> {
        for pattern in &self.0 {
            if let Some(captures) = pattern.regex.captures(line) {
                let shown = captures.get(1).or(captures.get(0))?;
                return (!pattern.negated).then(|| shown.as_bytes());
            }
        }
        None
    }
}

impl Driver {
    /// The driver that git has of this name.
    pub fn builtin(name: &[u8]) -> Option<Self> {
        let (_, language) = languages::ALL.iter().find(|(known, _)| known.as_bytes() == name)?;
        Some(Driver { name: name.into(), functions: Functions::Language(*language), ..Driver::default() })
    }

    /// Whether the driver knows which lines start functions.
    pub fn has_functions(&self) -> bool {
        !matches!(self.functions, Functions::Unknown)
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
        let by_letter = |line: &'l [u8]| {
            let first = line.first()?;
            (first.is_ascii_alphabetic() || matches!(first, b'_' | b'$')).then_some(line)
        };
        let FunctionFinder::Driver(driver) = self else { return by_letter(line) };
        let body = line.strip_suffix(b"\n").unwrap_or(line);
        match &driver.functions {
            Functions::Unknown => by_letter(line),
            Functions::Language(language) => language(body),
            Functions::Patterns(patterns) => patterns.name(body),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_pattern_that_matches_decides() {
        let patterns = Patterns::parse(b"!static\n[a-z]+ (s.*)", Syntax::Extended).unwrap();
        assert_eq!(patterns.name(b"void some()"), Some(&b"some()"[..]));
        assert_eq!(patterns.name(b"static some()"), None);
        assert_eq!(patterns.name(b"1"), None);
        let error = Patterns::parse(b"x\n!static", Syntax::Extended).unwrap_err();
        assert_eq!(error.to_string(), "Last expression must not be negated: !static");
    }

    #[test]
    fn drivers_by_name() {
        assert!(Driver::builtin(b"rust").is_some_and(|driver| driver.has_functions()));
        assert!(Driver::builtin(b"cobol").is_none());
    }
}
