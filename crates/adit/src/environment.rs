//! What a process was given: variables and the working directory.
//!
//! This is the one place below the command line that asks the operating system for them. Everything else takes an
//! [`Environment`], so that a program can open repositories as if from elsewhere, and many at a time.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use bstr::{BStr, ByteSlice};

/// Environment variables and the working directory, as values.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    vars: BTreeMap<OsString, OsString>,
    cwd: PathBuf,
}

impl Environment {
    /// The environment of this process.
    ///
    /// # Errors
    /// When the working directory cannot be told, because it was removed, say.
    #[expect(clippy::disallowed_methods, reason = "this is where the environment enters")]
    pub fn of_process() -> std::io::Result<Self> {
        Ok(Environment { vars: std::env::vars_os().collect(), cwd: std::env::current_dir()? })
    }

    /// An environment without variables, in the folder `cwd`.
    pub fn empty(cwd: impl Into<PathBuf>) -> Self {
        Environment { vars: BTreeMap::new(), cwd: cwd.into() }
    }

    /// The value of a variable; `None` when it is not set.
    pub fn var(&self, name: &str) -> Option<&BStr> {
        self.vars.get(OsStr::new(name)).map(|value| value.as_bytes().as_bstr())
    }

    /// The value of a variable; `None` when it is not set or empty.
    pub fn var_non_empty(&self, name: &str) -> Option<&BStr> {
        self.var(name).filter(|value| !value.is_empty())
    }

    /// The value of a variable as a path; `None` when it is not set or empty.
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        self.var_non_empty(name).map(|value| PathBuf::from(OsStr::from_bytes(value)))
    }

    /// Sets a variable, for what follows and for programs that are started.
    pub fn set(&mut self, name: &str, value: impl AsRef<[u8]>) {
        self.vars.insert(name.into(), OsString::from_vec(value.as_ref().to_vec()));
    }

    /// Removes a variable.
    pub fn unset(&mut self, name: &str) {
        self.vars.remove(OsStr::new(name));
    }

    /// All variables, for programs that are started.
    pub fn vars(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.vars.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    /// The working directory, absolute.
    pub fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// Moves to another working directory, relative to the present one.
    pub fn change_dir(&mut self, dir: &Path) {
        self.cwd.push(dir);
    }

    /// The user's home folder.
    pub fn home(&self) -> Option<PathBuf> {
        self.path("HOME")
    }

    /// Seconds since 1970 by the system's clock, or what `GIT_TEST_DATE_NOW` says, as git's tests want it.
    pub fn now(&self) -> i64 {
        let told = self.var("GIT_TEST_DATE_NOW").and_then(|value| value.to_str().ok()?.parse().ok());
        told.unwrap_or_else(|| {
            std::time::SystemTime::now()
                .duration_since(std::time::UNIX_EPOCH)
                .map_or(0, |since| since.as_secs().cast_signed())
        })
    }

    /// A variable read as git reads boolean ones: unset is `default`, and no value counts as false.
    ///
    /// # Errors
    /// The name of the variable, when its value is neither a boolean word nor a number.
    pub fn bool(&self, name: &'static str, default: bool) -> Result<bool, BadBoolean> {
        let Some(value) = self.var(name) else { return Ok(default) };
        match value.to_ascii_lowercase().as_slice() {
            b"true" | b"yes" | b"on" => Ok(true),
            b"false" | b"no" | b"off" | b"" => Ok(false),
            other => {
                let number: Option<i64> = other.to_str().ok().and_then(|text| text.parse().ok());
                number.map(|n| n != 0).ok_or_else(|| BadBoolean { name, value: value.to_string() })
            }
        }
    }
}

/// A boolean environment variable whose value is none.
#[derive(Debug, Clone, thiserror::Error)]
#[error("bad boolean environment value '{value}' for '{name}'")]
pub struct BadBoolean {
    /// The variable.
    pub name: &'static str,
    /// Its value.
    pub value: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn booleans_read_as_git_reads_them() {
        let mut env = Environment::empty("/");
        assert!(env.bool("GIT_X", true).unwrap());
        for (value, expected) in [("1", true), ("0", false), ("YES", true), ("off", false), ("", false)] {
            env.set("GIT_X", value);
            assert_eq!(env.bool("GIT_X", true).unwrap(), expected, "{value}");
        }
        env.set("GIT_X", "maybe");
        assert_eq!(
            env.bool("GIT_X", true).unwrap_err().to_string(),
            "bad boolean environment value 'maybe' for 'GIT_X'"
        );
    }
}
