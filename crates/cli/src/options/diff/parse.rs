//! The values of diff options.

use adit::MIN_ABBREV;
use adit_diff::MAX_SCORE;
use adit_diff::breaks::BreakOptions;
use adit_text::color::When;
use bstr::{BStr, ByteSlice};

use super::table::O;
use crate::error::Error;
use crate::options::Given;

/// A number as `strtoul` reads it: all of the text.
pub(super) fn number(name: &str, text: &BStr) -> Result<u32, Error> {
    let parsed = text.to_str().ok().and_then(|text| text.parse().ok());
    parsed.ok_or_else(|| Error::usage_line(format!("{name} expects a numerical value")))
}

/// The digits of `--abbrev=<n>`: what is no number counts as none, and too few are made enough.
pub(super) fn abbrev(text: &BStr) -> usize {
    let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
    let number = text[..digits].to_str().ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    usize::max(number, MIN_ABBREV)
}

/// Reads a score at the start of `text` and moves past it: a percentage, or the digits after a decimal point.
fn score_prefix(text: &mut &[u8]) -> u32 {
    let (mut number, mut scale, mut after_dot) = (0u64, 1u64, false);
    while let Some((&byte, rest)) = text.split_first() {
        match byte {
            b'.' if !after_dot => (scale, after_dot) = (1, true),
            b'%' => {
                scale = if after_dot { scale * 100 } else { 100 };
                *text = rest;
                break;
            }
            b'0'..=b'9' if scale < 100_000 => {
                scale *= 10;
                number = number * 10 + u64::from(byte - b'0');
            }
            b'0'..=b'9' => {}
            _ => break,
        }
        *text = rest;
    }
    if number >= scale { MAX_SCORE } else { (u64::from(MAX_SCORE) * number / scale) as u32 }
}

/// The least similarity of `-M<n>` or `-C<n>`; the default when it is left out, or 0.
pub(super) fn score(given: &Given<O>, name: &str) -> Result<u32, Error> {
    let mut text = given.text().as_bytes();
    let score = score_prefix(&mut text);
    if !text.is_empty() {
        return Err(Error::usage_line(format!("invalid argument to {name}")));
    }
    Ok(if score == 0 { MAX_SCORE / 2 } else { score })
}

/// `-B<n>/<m>`
pub(super) fn breaks(text: &BStr) -> Result<BreakOptions, Error> {
    let mut text = text.as_bytes();
    let mut options = BreakOptions::default();
    let first = score_prefix(&mut text);
    let second = match text.strip_prefix(b"/") {
        Some(rest) => {
            text = rest;
            score_prefix(&mut text)
        }
        None => 0,
    };
    if !text.is_empty() {
        return Err(Error::usage_line("break-rewrites expects <n>/<m> form".into()));
    }
    if first != 0 {
        options.break_score = first;
    }
    if second != 0 {
        options.merge_score = second;
    }
    Ok(options)
}

/// One character.
pub(super) fn character(given: &Given<O>) -> Result<u8, Error> {
    let name = given.spelling.strip_prefix(b"--").unwrap_or(&given.spelling).as_bstr();
    match given.text().as_bytes() {
        [] => Ok(0),
        &[byte] => Ok(byte),
        text => Err(Error::usage_line(format!("{name} expects a character, got '{}'", text.as_bstr()))),
    }
}

/// `--color[=<when>]`
pub(super) fn color<I>(given: &Given<I>) -> Result<When, Error> {
    if given.negated {
        return Ok(When::Never);
    }
    match &given.value {
        None => Ok(When::Always),
        Some(value) => When::parse(&value.to_str_lossy()).ok_or_else(|| {
            Error::usage_line(r#"option `color' expects "always", "auto", or "never""#.into())
        }),
    }
}

/// `--ignore-submodules[=<when>]`: whether changes of the recorded commit are left out. The other values are about
/// working trees of submodules.
pub(super) fn ignores_submodules(when: &BStr) -> Result<bool, Error> {
    match when.as_bytes() {
        b"" | b"all" => Ok(true),
        b"none" | b"untracked" | b"dirty" => Ok(false),
        _ => Err(Error::fatal(format!("bad --ignore-submodules argument: {when}"))),
    }
}

/// Options of which Adit has only the value that turns them off.
pub(super) fn off_or_unsupported(given: &Given<O>) -> Result<(), Error> {
    let value = given.text().as_bytes();
    let is_off = match given.id {
        O::ColorMoved => given.negated || value == b"no",
        O::ColorMovedWs => given.negated || value == b"no",
        O::WordDiff => value == b"none",
        O::Submodule => value == b"short",
        _ => false,
    };
    if is_off { Ok(()) } else { Err(Error::unsupported(&format!("option {}", given.spelling))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_fractions_or_percentages() {
        let score = |mut text: &[u8]| {
            let score = score_prefix(&mut text);
            (score * 100 / MAX_SCORE, text.len())
        };
        assert_eq!(score(b"5"), (50, 0));
        assert_eq!(score(b"05"), (5, 0));
        assert_eq!(score(b"90%"), (90, 0));
        assert_eq!(score(b"100%"), (100, 0));
        assert_eq!(score(b".25"), (25, 0));
        assert_eq!(score(b"0.5%x"), (0, 1));
        assert_eq!(score(b"1"), (10, 0));
    }

    #[test]
    fn break_scores_come_in_pairs() {
        let breaks =
            |text: &str| breaks(text.into()).map(|b| (b.break_score / 600, b.merge_score / 600)).unwrap();
        assert_eq!(breaks(""), (50, 60));
        assert_eq!(breaks("70%"), (70, 60));
        assert_eq!(breaks("/7"), (50, 70));
        assert_eq!(breaks("2/30%"), (20, 30));
    }

    #[test]
    fn abbreviations_are_never_too_short() {
        assert_eq!(abbrev("12".into()), 12);
        assert_eq!(abbrev("2".into()), 4);
        assert_eq!(abbrev("x".into()), 4);
    }
}
