//! Files that include others (git-config, "Includes" and "Conditional includes").

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use adit_text::wildmatch::{self, wildmatch};
use bstr::{BStr, BString, ByteSlice};

use crate::lex::{Item, Lexer};
use crate::{Config, ConfigError, Entry, Origin, Scope, value};

/// How deep files may include each other.
const MAX_DEPTH: u32 = 10;

/// What the paths and the conditions of includes are about.
pub struct Includes<'a> {
    /// The user's home folder.
    pub home: Option<PathBuf>,
    /// Tells the folder of the repository, absolute, when a condition asks; `None` outside of one.
    pub git_dir: &'a dyn Fn() -> Option<PathBuf>,
    /// Tells the branch that is checked out, when a condition asks.
    pub branch: &'a dyn Fn() -> Option<BString>,
    /// Tells the URLs of all remotes in all files, when a condition asks; `None` while those are being gathered: then
    /// the condition is not met.
    pub remote_urls: Option<&'a dyn Fn() -> Result<Vec<BString>, ConfigError>>,
}

impl Config {
    /// Adds the values of a file, if it exists, and of those that it includes; says whether it exists. Messages and
    /// origins call it `shown`.
    ///
    /// # Errors
    /// When one cannot be read or is no configuration.
    pub fn add_file_including(
        &mut self,
        path: &Path,
        shown: &Path,
        scope: Scope,
        includes: &Includes<'_>,
    ) -> Result<bool, ConfigError> {
        let Some(bytes) = Self::read_file(path, shown)? else { return Ok(false) };
        Reader::new(self, includes).read(&bytes, Origin::File(shown.to_owned()), Some(path), scope)?;
        Ok(true)
    }

    /// Adds the values of a file whose content is at hand, and of those that it includes.
    ///
    /// # Errors
    /// When one cannot be read or is no configuration.
    pub fn add_bytes_including(
        &mut self,
        bytes: &[u8],
        origin: Origin,
        scope: Scope,
        includes: &Includes<'_>,
    ) -> Result<(), ConfigError> {
        Reader::new(self, includes).read(bytes, origin, None, scope)
    }

    /// Adds one value of command scope, and what it includes.
    ///
    /// # Errors
    /// When the name is none, or a file that it includes cannot be read or is no configuration.
    pub fn add_entry_including(&mut self, entry: Entry, includes: &Includes<'_>) -> Result<(), ConfigError> {
        Reader::new(self, includes).take(entry, None)
    }

    /// The URLs of all remotes.
    pub fn remote_urls(&self) -> Vec<BString> {
        let is_remote_url = |entry: &&Entry| is_remote_url(&entry.name);
        self.entries().iter().filter(is_remote_url).filter_map(|entry| entry.value.clone()).collect()
    }
}

fn is_remote_url(name: &[u8]) -> bool {
    name.strip_prefix(b"remote.").is_some_and(|rest| rest.ends_with(b".url"))
}

struct Reader<'c, 'i> {
    config: &'c mut Config,
    includes: &'i Includes<'i>,
    depth: u32,
    /// Within a file that is included for a remote's URL, which must not have any itself.
    without_remotes: bool,
}

impl<'c, 'i> Reader<'c, 'i> {
    fn new(config: &'c mut Config, includes: &'i Includes<'i>) -> Self {
        Reader { config, includes, depth: 0, without_remotes: false }
    }

    /// Reads a text; `file` is the path that it was read from, which relative paths in it start at.
    fn read(
        &mut self,
        bytes: &[u8],
        origin: Origin,
        file: Option<&Path>,
        scope: Scope,
    ) -> Result<(), ConfigError> {
        let origin = Arc::new(origin);
        let bad_line = |line| ConfigError::Syntax { origin: Origin::clone(&origin), line };
        let mut prefix = BString::default();
        for located in Lexer::new(bytes) {
            let located = located.map_err(|error| bad_line(error.line))?;
            match located.item {
                Item::Section { prefix: new } => prefix = new,
                Item::Entry { key, value } => {
                    let name = [prefix.as_slice(), &key].concat().into();
                    let line = located.line;
                    self.take(Entry { name, value, origin: Arc::clone(&origin), line, scope }, file)?;
                }
            }
        }
        Ok(())
    }

    fn take(&mut self, entry: Entry, file: Option<&Path>) -> Result<(), ConfigError> {
        if self.without_remotes && is_remote_url(&entry.name) {
            return Err(ConfigError::RemoteInInclude);
        }
        let entry = Entry::clone(self.config.push(entry));
        if entry.name == "include.path" {
            return self.include(&entry, file, self.without_remotes);
        }
        let condition = entry.name.strip_prefix(b"includeif.").and_then(|rest| rest.strip_suffix(b".path"));
        if let Some(condition) = condition {
            let for_remote = condition.starts_with(b"hasconfig:");
            if self.is_met(condition.as_bstr(), file)? {
                return self.include(&entry, file, self.without_remotes || for_remote);
            }
        }
        Ok(())
    }

    fn include(
        &mut self,
        entry: &Entry,
        file: Option<&Path>,
        without_remotes: bool,
    ) -> Result<(), ConfigError> {
        // Git names the line that cannot be followed.
        let bad = || match &*entry.origin {
            Origin::CommandLine => ConfigError::CommandLine,
            origin => ConfigError::Syntax { origin: origin.clone(), line: entry.line },
        };
        let value = entry.value.as_ref().ok_or_else(bad)?;
        let shown = value::path(value.as_bstr(), self.includes.home.as_deref()).ok_or_else(bad)?;
        let (path, shown) = if shown.is_absolute() {
            (shown.clone(), shown)
        } else {
            let (Some(file), Origin::File(named)) = (file, &*entry.origin) else { return Err(bad()) };
            let beside = |file: &Path| file.parent().map_or(shown.clone(), |folder| folder.join(&shown));
            (beside(file), beside(named))
        };
        if self.depth >= MAX_DEPTH {
            return Err(ConfigError::TooDeep { path: shown, origin: Origin::clone(&entry.origin) });
        }
        let Some(bytes) = Config::read_file(&path, &shown)? else { return Ok(()) };
        let outer = (self.depth, self.without_remotes);
        (self.depth, self.without_remotes) = (outer.0 + 1, without_remotes);
        let result = self.read(&bytes, Origin::File(shown), Some(&path), entry.scope);
        (self.depth, self.without_remotes) = outer;
        result
    }

    fn is_met(&self, condition: &BStr, file: Option<&Path>) -> Result<bool, ConfigError> {
        let Some((keyword, data)) = condition.split_once_str(":") else { return Ok(false) };
        Ok(match keyword {
            b"gitdir" => self.is_git_dir(data.as_bstr(), false, file),
            b"gitdir/i" => self.is_git_dir(data.as_bstr(), true, file),
            b"onbranch" => {
                let pattern = with_descendants(data.to_vec());
                (self.includes.branch)()
                    .is_some_and(|b| wildmatch(&pattern, &b, wildmatch::Options::PATHNAME))
            }
            b"hasconfig" => match (data.strip_prefix(b"remote.*.url:"), self.includes.remote_urls) {
                (Some(pattern), Some(remote_urls)) => {
                    let is_match = |url: &BString| wildmatch(pattern, url, wildmatch::Options::PATHNAME);
                    remote_urls()?.iter().any(is_match)
                }
                _ => false,
            },
            _ => false,
        })
    }

    fn is_git_dir(&self, pattern: &BStr, ignore_case: bool, file: Option<&Path>) -> bool {
        let Some(git_dir) = (self.includes.git_dir)() else { return false };
        let mut literal = BString::default();
        let glob: BString = if let Some(rest) = pattern.strip_prefix(b"./") {
            let Some(Ok(file)) = file.map(std::fs::canonicalize) else { return false };
            let Some(folder) = file.parent() else { return false };
            literal = folder.as_os_str().as_bytes().into();
            literal.push(b'/');
            rest.into()
        } else if let Some(rest) = pattern.strip_prefix(b"~/") {
            let Some(home) = &self.includes.home else { return false };
            let home = std::fs::canonicalize(home).unwrap_or_else(|_| home.clone());
            literal = home.as_os_str().as_bytes().into();
            literal.push(b'/');
            rest.into()
        } else if pattern.starts_with(b"/") {
            pattern.to_owned()
        } else {
            [b"**/", pattern.as_bytes()].concat().into()
        };
        let glob = with_descendants(glob.into());
        let options = wildmatch::Options { pathname: true, ignore_case };
        let matches = |path: &Path| {
            let path = path.as_os_str().as_bytes();
            let Some((start, rest)) = path.split_at_checked(literal.len()) else { return false };
            let starts =
                if ignore_case { start.eq_ignore_ascii_case(&literal) } else { start == literal.as_slice() };
            starts && wildmatch(&glob, rest, options)
        };
        // The folder may be named by its real path or by the one that was taken to it.
        std::fs::canonicalize(&git_dir).is_ok_and(|real| matches(&real)) || matches(&git_dir)
    }
}

/// A pattern that ends with a slash means everything below.
fn with_descendants(mut pattern: Vec<u8>) -> Vec<u8> {
    if pattern.ends_with(b"/") {
        pattern.extend_from_slice(b"**");
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(dir: &Path, text: &str) -> Result<Vec<String>, ConfigError> {
        let file = dir.join("config");
        std::fs::write(&file, text).unwrap();
        let home = Some(dir.to_owned());
        let git_dir = || Some(dir.join("work/x/.git"));
        let branch = || Some("topic/one".into());
        let gathering =
            Includes { home: home.clone(), git_dir: &git_dir, branch: &branch, remote_urls: None };
        let remote_urls = || {
            let mut all = Config::default();
            all.add_file_including(&file, &file, Scope::Local, &gathering)?;
            Ok(all.remote_urls())
        };
        let includes = Includes { home, git_dir: &git_dir, branch: &branch, remote_urls: Some(&remote_urls) };
        let mut config = Config::default();
        config.add_file_including(&file, &file, Scope::Local, &includes)?;
        let names = config.entries().iter().filter(|e| !e.name.starts_with(b"include"));
        Ok(names.map(|e| e.name.to_string()).collect())
    }

    #[test]
    fn files_are_included_in_place_when_conditions_are_met() {
        let dir = tempfile::tempdir().unwrap();
        let dir = std::fs::canonicalize(dir.path()).unwrap();
        std::fs::create_dir_all(dir.join("work/x/.git")).unwrap();
        std::fs::write(dir.join("inner"), "[in]\nx=1\n").unwrap();
        for (condition, met) in [
            ("gitdir:work/", true),
            ("gitdir:~/work/", true),
            ("gitdir:./work/**", true),
            ("gitdir:x/.git", true),
            ("gitdir:WORK/", false),
            ("gitdir/i:WORK/", true),
            ("gitdir:/elsewhere/", false),
            ("onbranch:topic/", true),
            ("onbranch:topic", false),
            ("hasconfig:remote.*.url:https://example.com/**", true),
            ("hasconfig:remote.*.url:ssh://**", false),
            ("future:x", false),
        ] {
            let text = format!(
                "[a]\nb=1\n[includeIf \"{condition}\"]\npath=inner\n[remote \"o\"]\nurl=https://example.com/a/b\n"
            );
            let expected: &[&str] =
                if met { &["a.b", "in.x", "remote.o.url"] } else { &["a.b", "remote.o.url"] };
            assert_eq!(load(&dir, &text).unwrap(), expected, "{condition}");
        }
        assert_eq!(load(&dir, "[include]\npath=~/inner\npath=absent\n").unwrap(), ["in.x"]);
    }

    #[test]
    fn includes_that_cannot_be() {
        let dir = tempfile::tempdir().unwrap();
        let message = |text: &str| load(dir.path(), text).unwrap_err().to_string();
        assert!(message("[include]\npath=config\n").starts_with("exceeded maximum include depth (10)"));
        assert!(message("[include]\npath\n").starts_with("bad config line 2"));
        std::fs::write(dir.path().join("remote"), "[remote \"x\"]\nurl=y\n").unwrap();
        let text = "[remote \"o\"]\nurl=u\n[includeIf \"hasconfig:remote.*.url:u\"]\npath=remote\n";
        assert!(message(text).starts_with("remote URLs cannot be configured"));
    }
}
