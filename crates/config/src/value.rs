//! What values mean: booleans, integers, paths.

use std::path::{Path, PathBuf};

use bstr::{BStr, ByteSlice};

/// Why a value is not of the type that is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    /// It is no boolean.
    #[error("bad boolean config value")]
    Boolean,
    /// It is no number, or has a unit other than `k`, `m` and `g`.
    #[error("invalid unit")]
    Unit,
    /// It does not fit.
    #[error("out of range")]
    Range,
    /// There is no `=`, where a value is needed.
    #[error("missing value")]
    Missing,
}

/// Reads a boolean: a key without `=` is true, an empty value false, words and numbers as git takes them.
///
/// # Errors
/// [`ValueError::Boolean`] for anything else.
pub fn boolean(value: Option<&BStr>) -> Result<bool, ValueError> {
    let Some(value) = value else { return Ok(true) };
    if let Some(word) = boolean_word(value) {
        return Ok(word);
    }
    integer(value).map(|n| n != 0).map_err(|_| ValueError::Boolean)
}

/// The boolean that a word stands for, numbers left aside.
pub fn boolean_word(value: &BStr) -> Option<bool> {
    let is = |word: &str| value.eq_ignore_ascii_case(word.as_bytes());
    if is("true") || is("yes") || is("on") {
        Some(true)
    } else if value.is_empty() || is("false") || is("no") || is("off") {
        Some(false)
    } else {
        None
    }
}

/// Reads an integer with an optional unit: `k`, `m`, `g` in either case; decimal, `0x` or octal like C's `strtol`.
///
/// # Errors
/// [`ValueError::Unit`] when it is no number with such a unit, [`ValueError::Range`] when it does not fit 64 bits.
pub fn integer(value: &BStr) -> Result<i64, ValueError> {
    let text = value.trim_ascii_start();
    let (negative, digits) = match text.split_first() {
        Some((b'-', rest)) => (true, rest),
        Some((b'+', rest)) => (false, rest),
        _ => (false, text),
    };
    let (radix, digits) = match digits {
        [b'0', b'x' | b'X', rest @ ..] if rest.first().is_some_and(u8::is_ascii_hexdigit) => (16, rest),
        [b'0', ..] => (8, digits),
        _ => (10, digits),
    };
    let len = digits.iter().take_while(|d| char::from(**d).is_digit(radix)).count();
    if len == 0 {
        return Err(ValueError::Unit);
    }
    let factor: i128 = match &digits[len..] {
        b"" => 1,
        b"k" | b"K" => 1 << 10,
        b"m" | b"M" => 1 << 20,
        b"g" | b"G" => 1 << 30,
        _ => return Err(ValueError::Unit),
    };
    let text = digits[..len].to_str().map_err(|_| ValueError::Unit)?;
    let number = i64::from_str_radix(text, radix).map_err(|_| ValueError::Range)?;
    let number = i128::from(number) * factor * if negative { -1 } else { 1 };
    i64::try_from(number).map_err(|_| ValueError::Range)
}

/// Reads a path: a leading `~/` stands for `home`, and `~user/` for the home folder of that user. `%(prefix)/` stays for
/// the caller to resolve ([`path_in_prefix`]).
///
/// Returns `None` when there is no such home folder.
pub fn path(value: &BStr, home: Option<&Path>) -> Option<PathBuf> {
    let Some(rest) = value.strip_prefix(b"~") else { return Some(value.to_path_lossy().into_owned()) };
    let (user, below) = rest.split_at(rest.find_byte(b'/').unwrap_or(rest.len()));
    let home = if user.is_empty() { home?.to_owned() } else { adit_sys::home_of(user)? };
    Some(match below.strip_prefix(b"/") {
        Some(below) => home.join(below.to_path_lossy()),
        None => home,
    })
}

/// What follows `%(prefix)/`, which stands for the folder that git is installed in; `None` for other paths.
pub fn path_in_prefix(value: &BStr) -> Option<&BStr> {
    value.strip_prefix(b"%(prefix)/").map(|rest| rest.as_bstr())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_and_units() {
        for (text, expected) in [
            ("10", Ok(10)),
            ("-1k", Ok(-1024)),
            ("0x10", Ok(16)),
            ("010", Ok(8)),
            ("3G", Ok(3 << 30)),
            ("3q", Err(ValueError::Unit)),
            ("", Err(ValueError::Unit)),
            ("9223372036854775807k", Err(ValueError::Range)),
        ] {
            assert_eq!(integer(text.into()), expected, "{text}");
        }
    }

    #[test]
    fn booleans() {
        assert_eq!(boolean(None), Ok(true));
        for (text, expected) in [("", false), ("On", true), ("no", false), ("2", true), ("0", false)] {
            assert_eq!(boolean(Some(text.into())), Ok(expected), "{text}");
        }
        assert_eq!(boolean(Some("perhaps".into())), Err(ValueError::Boolean));
    }
}
