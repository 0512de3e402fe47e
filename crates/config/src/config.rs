//! The values of all files and scopes, in order, and how they are looked up.

use std::collections::HashMap;
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice};

use crate::lex::{Item, Lexer};
use crate::name::NameError;
use crate::value::{self, ValueError};

/// How far a value reaches, as `config --show-scope` names it. Later scopes win.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// For all users of the machine.
    System,
    /// For one user.
    Global,
    /// For one repository.
    Local,
    /// For one working tree of a repository.
    Worktree,
    /// For one command: `-c`, or the environment.
    Command,
}

impl Scope {
    /// The name that `config --show-scope` prints.
    pub fn as_str(self) -> &'static str {
        match self {
            Scope::System => "system",
            Scope::Global => "global",
            Scope::Local => "local",
            Scope::Worktree => "worktree",
            Scope::Command => "command",
        }
    }
}

/// Where a value was read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// A file, by the path it was opened with.
    File(PathBuf),
    /// A blob, by the name it was asked for with.
    Blob(BString),
    /// Standard input.
    StandardInput,
    /// `-c` or the environment.
    CommandLine,
}

impl Origin {
    /// The kind of place, as `--show-origin` prints it before a colon.
    pub fn kind(&self) -> &'static str {
        match self {
            Origin::File(_) => "file",
            Origin::Blob(_) => "blob",
            Origin::StandardInput => "standard input",
            Origin::CommandLine => "command line",
        }
    }

    /// The path or name of the place; empty when it has none.
    pub fn name(&self) -> &BStr {
        match self {
            Origin::File(path) => path.as_os_str().as_bytes().as_bstr(),
            Origin::Blob(name) => name.as_bstr(),
            Origin::StandardInput | Origin::CommandLine => b"".as_bstr(),
        }
    }
}

impl fmt::Display for Origin {
    /// As messages name it: `file .git/config`, `command line`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::File(path) => write!(f, "file {}", path.display()),
            Origin::Blob(name) => write!(f, "blob {name}"),
            Origin::StandardInput => f.write_str("standard input"),
            Origin::CommandLine => f.write_str("command line"),
        }
    }
}

/// One value and where it comes from.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The canonical name: section and key in lower case, the subsection as written.
    pub name: BString,
    /// The value; `None` when the key stands without `=`.
    pub value: Option<BString>,
    /// Where it was read from.
    pub origin: Arc<Origin>,
    /// Its line there, from 1; 0 when it has none.
    pub line: u32,
    /// How far it reaches.
    pub scope: Scope,
}

/// A configuration that cannot be read or used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A line that is no configuration.
    #[error("bad config line {line} in {origin}")]
    Syntax {
        /// Where.
        origin: Origin,
        /// The line, from 1.
        line: u32,
    },
    /// A file that exists and cannot be read.
    #[error("unable to access '{}': {}", .path.display(), adit_sys::os_error(.error))]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// A boolean that is none.
    #[error("bad boolean config value '{value}' for '{name}'")]
    Boolean {
        /// The name.
        name: BString,
        /// The value.
        value: BString,
    },
    /// A number that is none.
    #[error("bad numeric config value '{value}' for '{name}'{}: {error}", in_origin(.origin))]
    Number {
        /// The name.
        name: BString,
        /// The value.
        value: BString,
        /// Where it stands.
        origin: Arc<Origin>,
        /// What is wrong with it.
        error: ValueError,
    },
    /// `GIT_CONFIG_PARAMETERS` is not quoted as it should be.
    #[error("bogus format in GIT_CONFIG_PARAMETERS")]
    Parameters,
    /// A name without a section or without a key.
    #[error(transparent)]
    Name(#[from] NameError),
    /// Files include each other too deeply.
    #[error(
        "exceeded maximum include depth (10) while including\n\t{}\nfrom\n\t{}\nThis might be due to circular includes.",
        .path.display(),
        .origin.name()
    )]
    TooDeep {
        /// The file that was to be included.
        path: PathBuf,
        /// Where.
        origin: Origin,
    },
    /// A file included for the URL of a remote sets one itself.
    #[error(
        "remote URLs cannot be configured in file directly or indirectly included by includeIf.hasconfig:remote.*.url"
    )]
    RemoteInInclude,
    /// The command line includes a file by a relative path, or without one.
    #[error("unable to parse command-line config")]
    CommandLine,
    /// A value is needed and there is no `=`.
    #[error("missing value for '{name}'")]
    Missing {
        /// The name.
        name: BString,
    },
}

fn in_origin(origin: &Origin) -> String {
    match origin {
        Origin::CommandLine => " in command line".to_owned(),
        other => format!(" in {other}"),
    }
}

/// All values, in the order in which they were read: the last one wins.
#[derive(Debug, Clone, Default)]
pub struct Config {
    entries: Vec<Entry>,
    /// For each name the positions of its values in `entries`, in order.
    by_name: HashMap<BString, Vec<u32>>,
}

impl Config {
    /// Adds the values of a file, if it exists; says whether it does.
    ///
    /// # Errors
    /// When it cannot be read or is no configuration.
    pub fn add_file(&mut self, path: &Path, scope: Scope) -> Result<bool, ConfigError> {
        self.add_file_shown(path, path, scope)
    }

    /// Adds the values of a file, if it exists; says whether it does. Messages and origins call it `shown`.
    ///
    /// # Errors
    /// When it cannot be read or is no configuration.
    pub fn add_file_shown(&mut self, path: &Path, shown: &Path, scope: Scope) -> Result<bool, ConfigError> {
        let Some(bytes) = Self::read_file(path, shown)? else { return Ok(false) };
        self.add_bytes(&bytes, Origin::File(shown.to_owned()), scope)?;
        Ok(true)
    }

    /// The content of a file; `None` when it does not exist. Messages call it `shown`.
    pub(crate) fn read_file(path: &Path, shown: &Path) -> Result<Option<Vec<u8>>, ConfigError> {
        match std::fs::read(path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(ConfigError::Io { path: shown.to_owned(), error }),
        }
    }

    /// Adds the values of a file whose content is at hand.
    ///
    /// # Errors
    /// When it is no configuration.
    pub fn add_bytes(&mut self, bytes: &[u8], origin: Origin, scope: Scope) -> Result<(), ConfigError> {
        let origin = Arc::new(origin);
        let mut prefix = BString::default();
        for located in Lexer::new(bytes) {
            let located = located
                .map_err(|error| ConfigError::Syntax { origin: Origin::clone(&origin), line: error.line })?;
            match located.item {
                Item::Section { prefix: new } => prefix = new,
                Item::Entry { key, value } => {
                    let name = [prefix.as_slice(), &key].concat().into();
                    self.push(Entry { name, value, origin: Arc::clone(&origin), line: located.line, scope });
                }
            }
        }
        Ok(())
    }

    /// Adds one value at the end, and returns it.
    pub fn push(&mut self, entry: Entry) -> &Entry {
        let at = self.entries.len();
        self.by_name.entry(entry.name.clone()).or_default().push(u32::try_from(at).unwrap_or(u32::MAX));
        self.entries.push(entry);
        &self.entries[at]
    }

    /// All values in order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The values of one canonical name, in order.
    pub fn all<'c>(&'c self, name: &[u8]) -> impl DoubleEndedIterator<Item = &'c Entry> + use<'c> {
        let positions = self.by_name.get(name.as_bstr()).map_or(&[][..], Vec::as_slice);
        positions.iter().filter_map(|at| self.entries.get(*at as usize))
    }

    /// The value of one canonical name that wins.
    pub fn last(&self, name: &[u8]) -> Option<&Entry> {
        self.all(name).next_back()
    }

    /// The winning value as text.
    ///
    /// # Errors
    /// [`ConfigError::Missing`] when the key stands without `=`.
    pub fn string(&self, name: &str) -> Result<Option<&BStr>, ConfigError> {
        let Some(entry) = self.last(name.as_bytes()) else { return Ok(None) };
        match &entry.value {
            Some(value) => Ok(Some(value.as_bstr())),
            None => Err(ConfigError::Missing { name: name.into() }),
        }
    }

    /// The winning value as a boolean.
    ///
    /// # Errors
    /// [`ConfigError::Boolean`] when it is none.
    pub fn bool(&self, name: &str) -> Result<Option<bool>, ConfigError> {
        let Some(entry) = self.last(name.as_bytes()) else { return Ok(None) };
        let value = entry.value.as_ref().map(|value| value.as_bstr());
        value::boolean(value).map(Some).map_err(|_| ConfigError::Boolean {
            name: name.into(),
            value: entry.value.clone().unwrap_or_default(),
        })
    }

    /// The winning value as an integer with units.
    ///
    /// # Errors
    /// [`ConfigError::Number`] when it is none, [`ConfigError::Missing`] when the key stands without `=`.
    pub fn integer(&self, name: &str) -> Result<Option<i64>, ConfigError> {
        let Some(entry) = self.last(name.as_bytes()) else { return Ok(None) };
        let Some(text) = &entry.value else { return Err(ConfigError::Missing { name: name.into() }) };
        value::integer(text.as_bstr()).map(Some).map_err(|error| ConfigError::Number {
            name: name.into(),
            value: text.clone(),
            origin: Arc::clone(&entry.origin),
            error,
        })
    }

    /// The subsections of `section` that have any value, in order of first mention, each once.
    pub fn subsections<'c>(&'c self, section: &str) -> Vec<&'c BStr> {
        let mut seen = std::collections::HashSet::new();
        let mut found = Vec::new();
        for entry in &self.entries {
            let Some(rest) = entry.name.strip_prefix(section.as_bytes()).and_then(|r| r.strip_prefix(b"."))
            else {
                continue;
            };
            if let Some(dot) = rest.rfind_byte(b'.')
                && seen.insert(&rest[..dot])
            {
                found.push(rest[..dot].as_bstr());
            }
        }
        found
    }
}

fn is_absent(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_value_wins_and_all_are_kept() {
        let mut config = Config::default();
        let origin = Origin::CommandLine;
        config.add_bytes(b"[a]b=1\n[a \"X\"]b=2\n", origin.clone(), Scope::Global).unwrap();
        config.add_bytes(b"[A]B=3k\nc\n[a \"Y.z\"]b", origin, Scope::Local).unwrap();
        assert_eq!(config.integer("a.b").unwrap(), Some(3072));
        assert_eq!(config.all(b"a.b").count(), 2);
        assert_eq!(config.bool("a.c").unwrap(), Some(true));
        assert!(config.string("a.c").is_err());
        assert_eq!(config.subsections("a"), ["X", "Y.z"]);
        assert_eq!(config.bool("a.X.b").unwrap(), Some(true));
    }
}
