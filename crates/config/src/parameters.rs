//! Values of command scope: `GIT_CONFIG_PARAMETERS`, and the pairs that `GIT_CONFIG_COUNT` counts (git-config).

use std::sync::Arc;

use adit_text::quote::{sq_dequote, sq_quote};
use bstr::{BStr, BString, ByteSlice};

use crate::{ConfigError, Entry, Name, Origin, Scope};

/// Appends `name=value` to the text of `GIT_CONFIG_PARAMETERS`; without a value the key stands alone.
pub fn append(parameters: &mut Vec<u8>, name: &BStr, value: Option<&BStr>) {
    if !parameters.is_empty() {
        parameters.push(b' ');
    }
    sq_quote(name, parameters);
    parameters.push(b'=');
    if let Some(value) = value {
        sq_quote(value, parameters);
    }
}

/// The values of `GIT_CONFIG_PARAMETERS`: `'name'='value'`, `'name'=`, or, as older programs write it, `'name=value'`,
/// separated by white space.
///
/// # Errors
/// When the text is not so quoted, or a name is no name.
pub fn read(text: &BStr) -> Result<Vec<Entry>, ConfigError> {
    let bogus = || ConfigError::Parameters;
    let mut rest = text.trim_ascii_start();
    let mut entries = Vec::new();
    while !rest.is_empty() {
        let (name, after) = sq_dequote(rest).ok_or_else(bogus)?;
        let (name, value, after) = match after {
            [b'=', b'\'', ..] => {
                let (value, after) = sq_dequote(&after[1..]).ok_or_else(bogus)?;
                (name, Some(value), after)
            }
            [b'=', after @ ..] => (name, None, after),
            after => match name.split_once_str("=") {
                Some((name, value)) => (name.into(), Some(value.into()), after),
                None => (name, None, after),
            },
        };
        entries.push(entry(name.as_bstr(), value)?);
        if after.first().is_some_and(|byte| !byte.is_ascii_whitespace()) {
            return Err(bogus());
        }
        rest = after.trim_ascii_start();
    }
    Ok(entries)
}

/// One value of command scope.
///
/// # Errors
/// When the name is none.
pub fn entry(name: &BStr, value: Option<BString>) -> Result<Entry, ConfigError> {
    let name = Name::parse(name)?.canonical();
    Ok(Entry { name, value, origin: Arc::new(Origin::CommandLine), line: 0, scope: Scope::Command })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Config;

    #[test]
    fn what_is_appended_reads_back() {
        let mut text = Vec::new();
        append(&mut text, "a.b".into(), Some("it's = !".into()));
        append(&mut text, "C.D".into(), None);
        text.extend_from_slice(b"  'e.f=g=h'");
        let mut config = Config::default();
        for entry in read(text.as_bstr()).unwrap() {
            config.push(entry);
        }
        assert_eq!(config.string("a.b").unwrap().unwrap(), "it's = !");
        assert_eq!(config.bool("c.d").unwrap(), Some(true));
        assert_eq!(config.string("e.f").unwrap().unwrap(), "g=h");
        for bad in ["a.b=c", "'a.b", "'ab'='c'", "'a.b'='c'x"] {
            assert!(read(bad.into()).is_err(), "{bad}");
        }
    }
}
