//! What `core.sharedRepository` says (git-config; git-init, `--shared`).

use adit_config::{Config, ConfigError, value};
use adit_sys::Sharing;
use bstr::{BStr, ByteSlice};

use crate::{OpenError, Repository};

/// Permissions that shut the owner out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SharingError {
    /// The owner could not read and write.
    #[error(
        "problem with core.sharedRepository filemode value (0{0:03o}).\n\
         The owner of files must always have read and write permissions."
    )]
    OwnerShutOut(u32),
    /// It is neither a word nor a mode.
    #[error("not a boolean")]
    NotABoolean,
}

/// Reads a value of `core.sharedRepository`; a key without a value shares with the group.
///
/// # Errors
/// When it is neither a word, a boolean nor a mode, or the mode shuts the owner out.
pub fn parse(value: Option<&BStr>) -> Result<Sharing, SharingError> {
    let Some(text) = value else { return Ok(Sharing::Group) };
    match text.as_bytes() {
        b"umask" => return Ok(Sharing::Umask),
        b"group" => return Ok(Sharing::Group),
        b"all" | b"world" | b"everybody" => return Ok(Sharing::Everybody),
        _ => {}
    }
    let octal = text.to_str().ok().and_then(|text| u32::from_str_radix(text, 8).ok());
    Ok(match octal {
        Some(0) => Sharing::Umask,
        Some(1) => Sharing::Group,
        Some(2) => Sharing::Everybody,
        Some(mode) if mode & 0o600 != 0o600 => return Err(SharingError::OwnerShutOut(mode)),
        Some(mode) => Sharing::Exactly(mode & 0o666),
        None => match value::boolean(value).map_err(|_| SharingError::NotABoolean)? {
            true => Sharing::Group,
            false => Sharing::Umask,
        },
    })
}

/// The value that `init` records for it.
pub(crate) fn recorded(sharing: Sharing) -> String {
    match sharing {
        Sharing::Umask => "0".to_owned(),
        Sharing::Group => "1".to_owned(),
        Sharing::Everybody => "2".to_owned(),
        Sharing::Exactly(mode) => format!("0{mode:o}"),
    }
}

/// The setting of a configuration.
///
/// # Errors
/// When its value makes no sense.
pub fn configured(config: &Config) -> Result<Sharing, OpenError> {
    let Some(entry) = config.last(b"core.sharedrepository") else { return Ok(Sharing::Umask) };
    parse(entry.value.as_ref().map(|value| value.as_bstr())).map_err(|error| match error {
        SharingError::OwnerShutOut(_) => OpenError::Sharing(error),
        SharingError::NotABoolean => OpenError::Config(ConfigError::Boolean {
            name: entry.name.clone(),
            value: entry.value.clone().unwrap_or_default(),
        }),
    })
}

impl Repository {
    /// Who may use the repository's files (`core.sharedRepository`).
    ///
    /// # Errors
    /// When the setting makes no sense.
    pub fn sharing(&self) -> Result<Sharing, OpenError> {
        configured(self.config())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_booleans_and_modes() {
        assert_eq!(parse(None), Ok(Sharing::Group));
        for (text, expected) in [
            ("umask", Ok(Sharing::Umask)),
            ("false", Ok(Sharing::Umask)),
            ("", Ok(Sharing::Umask)),
            ("true", Ok(Sharing::Group)),
            ("world", Ok(Sharing::Everybody)),
            ("2", Ok(Sharing::Everybody)),
            ("0640", Ok(Sharing::Exactly(0o640))),
            ("2775", Ok(Sharing::Exactly(0o664))),
            ("0400", Err(SharingError::OwnerShutOut(0o400))),
            ("foo", Err(SharingError::NotABoolean)),
        ] {
            assert_eq!(parse(Some(text.into())), expected, "{text}");
        }
        assert_eq!(recorded(Sharing::Exactly(0o640)), "0640");
    }
}
