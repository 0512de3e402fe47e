//! Colour settings of output: when to colour (`color.ui` and its kin), and the escape sequences of each part.

use adit_config::{Config, ConfigError};
use adit_text::color::{RESET, When};
use bstr::ByteSlice;

use crate::error::Error;

/// Whether a command colours its output.
///
/// `option` is what `--color` said, `key` the command's own setting such as `color.diff`, which `color.ui` stands in
/// for. `terminal` is whether the output goes to a terminal, directly or through a pager, that knows colours.
///
/// # Errors
/// When a setting is none.
pub fn wanted(config: &Config, option: Option<When>, key: &str, terminal: bool) -> Result<bool, Error> {
    let when = match option {
        Some(when) => when,
        None => match setting(config, key)? {
            Some(when) => when,
            None => setting(config, "color.ui")?.unwrap_or(When::Auto),
        },
    };
    Ok(match when {
        When::Always => true,
        When::Never => false,
        When::Auto => terminal && config.bool("color.pager")?.unwrap_or(true),
    })
}

/// Whether a format's colours are printed: `color.ui` has no say in that.
pub fn wanted_by_format(option: Option<When>, terminal: bool) -> bool {
    match option {
        Some(When::Always) => true,
        Some(When::Never) => false,
        Some(When::Auto) | None => terminal,
    }
}

/// What `--color[=<when>]` or `--no-color` says.
///
/// # Errors
/// A usage error when the word is none.
pub fn option(on: bool, value: Option<&bstr::BString>) -> Result<When, Error> {
    let bad = || Error::Failed("option `color' expects \"always\", \"auto\", or \"never\"".into(), 129);
    match value {
        _ if !on => Ok(When::Never),
        None => Ok(When::Always),
        Some(word) => When::parse(&word.to_str_lossy()).ok_or_else(bad),
    }
}

fn setting(config: &Config, key: &str) -> Result<Option<When>, ConfigError> {
    let Some(entry) = config.last(key.as_bytes()) else { return Ok(None) };
    if let Some(when) = entry.value.as_ref().and_then(|value| When::parse(&value.to_str_lossy())) {
        return Ok(Some(when));
    }
    Ok(Some(if config.bool(key)?.unwrap_or(true) { When::Auto } else { When::Never }))
}

/// One of a palette's escape sequences: the configured one, else git's own.
///
/// # Errors
/// When the setting names no colour.
pub fn slot(config: &Config, key: &str, default: &str) -> Result<String, Error> {
    let Some(value) = config.string(key)? else { return Ok(default.to_owned()) };
    adit_text::color::parse(&value.to_str_lossy()).map_err(|_| {
        // git says why on a line of its own before it gives up.
        Error::fatal(format!("invalid color value: {value}"))
    })
}

/// The escape sequences around the parts of a log that are no diff; all empty when colours are off.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LogPalette {
    /// The line that names a commit, and the punctuation of its decorations (`color.diff.commit`).
    pub commit: String,
    /// A local branch.
    pub branch: String,
    /// A remote-tracking branch.
    pub remote_branch: String,
    /// A tag.
    pub tag: String,
    /// The stash.
    pub stash: String,
    /// `HEAD`.
    pub head: String,
    /// A commit whose parents or content are replaced.
    pub grafted: String,
    /// Another reference.
    pub plain: String,
    /// What ends each of them.
    pub reset: String,
}

impl LogPalette {
    /// The configured colours.
    ///
    /// # Errors
    /// When a setting names no colour.
    pub fn read(config: &Config) -> Result<Self, Error> {
        let decorate = |name: &str, default| slot(config, &format!("color.decorate.{name}"), default);
        Ok(LogPalette {
            commit: slot(config, "color.diff.commit", "\x1b[33m")?,
            branch: decorate("branch", "\x1b[1;32m")?,
            remote_branch: decorate("remotebranch", "\x1b[1;31m")?,
            tag: decorate("tag", "\x1b[1;33m")?,
            stash: decorate("stash", "\x1b[1;35m")?,
            head: decorate("head", "\x1b[1;36m")?,
            grafted: decorate("grafted", "\x1b[1;34m")?,
            plain: RESET.to_owned(),
            reset: RESET.to_owned(),
        })
    }

    /// Whether colours are on.
    pub fn is_on(&self) -> bool {
        !self.reset.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use adit_config::{Origin, Scope};

    use super::*;

    fn config(text: &str) -> Config {
        let mut config = Config::default();
        config.add_bytes(text.as_bytes(), Origin::CommandLine, Scope::Command).unwrap();
        config
    }

    #[test]
    fn options_settings_and_terminals_decide() {
        let on =
            |text: &str, option, terminal| wanted(&config(text), option, "color.diff", terminal).unwrap();
        assert!(!on("", None, false) && on("", None, true));
        assert!(on("[color]\nui = always\n", None, false));
        assert!(!on("[color]\nui = always\ndiff = false\n", None, true));
        assert!(on("[color]\ndiff\n", None, true) && !on("[color]\ndiff\n", None, false));
        assert!(on("[color]\ndiff = never\n", Some(When::Always), false));
        assert!(!on("[color]\npager = no\n", None, true));
        assert!(wanted(&config("[color]\nui = x\n"), None, "color.diff", true).is_err());
    }

    #[test]
    fn slots_have_defaults() {
        let palette = LogPalette::read(&config("[color \"decorate\"]\nHEAD = red\n")).unwrap();
        assert_eq!((&palette.head[..], &palette.tag[..]), ("\x1b[31m", "\x1b[1;33m"));
        assert!(LogPalette::read(&config("[color \"diff\"]\ncommit = nope\n")).is_err());
        assert!(palette.is_on() && !LogPalette::default().is_on());
    }
}
