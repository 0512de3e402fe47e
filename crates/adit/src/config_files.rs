//! Which configuration files apply, in order (git-config, "Files").

use std::path::{Path, PathBuf};

use adit_config::{Config, ConfigError, Entry, Includes, Scope, parameters};
use bstr::{BStr, BString, ByteSlice};

use crate::discovery::Location;
use crate::{Environment, OpenError, Repository, RepositoryFormat};

/// All values that apply in a repository: the `outer` ones, which do not depend on it, the `local` ones of its own file,
/// read without includes, and those of its working tree.
///
/// Each file is read once, unless what it includes depends on the repository.
pub(crate) fn all(
    env: &Environment,
    location: &Location,
    format: &RepositoryFormat,
    outer: &Config,
    local: &Config,
) -> Result<Config, OpenError> {
    let has = |config: &Config, section: &[u8]| {
        config.entries().iter().any(|entry| entry.name.starts_with(section))
    };
    if has(outer, b"includeif.") || has(local, b"include") || format.worktree_config {
        return Sources {
            env,
            local: Some(local_file(location)),
            worktree: format.worktree_config.then(|| worktree_file(location)),
            git_dir: Some(location.git_dir.clone()),
        }
        .read_all();
    }
    let mut config = Config::default();
    let is_command = |entry: &&Entry| entry.scope == Scope::Command;
    let before = outer.entries().iter().filter(|entry| !is_command(entry));
    let after = outer.entries().iter().filter(is_command);
    for entry in before.chain(local.entries()).chain(after) {
        config.push(entry.clone());
    }
    Ok(config)
}

/// The values that apply outside any repository, and those that a repository cannot set for itself: system, global and
/// command scope.
///
/// # Errors
/// When a file cannot be read or is no configuration.
pub fn without_repository(env: &Environment) -> Result<Config, OpenError> {
    Sources { env, local: None, worktree: None, git_dir: None }.read_all()
}

/// The files that apply, for a program that decides itself how they are read.
#[derive(Debug)]
pub struct Sources<'e> {
    env: &'e Environment,
    local: Option<ConfigFile>,
    worktree: Option<ConfigFile>,
    git_dir: Option<PathBuf>,
}

/// A file, and what messages call it.
#[derive(Debug, Clone)]
pub struct ConfigFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its name in messages and for `config --show-origin`.
    pub shown: PathBuf,
}

impl From<PathBuf> for ConfigFile {
    fn from(path: PathBuf) -> Self {
        ConfigFile { shown: path.clone(), path }
    }
}

/// The file of a repository.
pub fn local_file(location: &Location) -> ConfigFile {
    in_shown_folder(location, &location.common_dir, "config")
}

/// The file of a working tree.
pub fn worktree_file(location: &Location) -> ConfigFile {
    in_shown_folder(location, &location.git_dir, "config.worktree")
}

fn in_shown_folder(location: &Location, folder: &Path, name: &str) -> ConfigFile {
    let shown = if folder == location.git_dir { &location.shown } else { folder };
    // The folder `.` is not mentioned.
    let shown = shown.strip_prefix(".").unwrap_or(shown).join(name);
    ConfigFile { path: folder.join(name), shown }
}

impl<'e> Sources<'e> {
    /// The files that apply in a repository, or outside any.
    pub fn of(env: &'e Environment, repository: Option<&Repository>) -> Self {
        let with_own_file = repository.filter(|repository| repository.format().worktree_config);
        Sources {
            env,
            local: repository.map(|repository| local_file(repository.location())),
            worktree: with_own_file.map(|repository| worktree_file(repository.location())),
            git_dir: repository.map(|repository| repository.git_dir().to_owned()),
        }
    }

    /// Reads everything, and what it includes.
    ///
    /// # Errors
    /// When a file cannot be read or is no configuration.
    pub fn read_all(&self) -> Result<Config, OpenError> {
        self.including(|includes| self.read(Some(includes)))
    }

    /// Reads everything; included files only with `includes`.
    ///
    /// # Errors
    /// When a file cannot be read or is no configuration.
    pub fn read(&self, includes: Option<&Includes<'_>>) -> Result<Config, OpenError> {
        let mut config = Config::default();
        if let Some(path) = system_file(self.env)? {
            add_file(&mut config, &path.into(), Scope::System, includes)?;
        }
        for path in global_files(self.env) {
            match add_file(&mut config, &path.into(), Scope::Global, includes) {
                // A home folder that cannot be entered must not stop everything.
                Err(ConfigError::Io { error, .. })
                    if error.kind() == std::io::ErrorKind::PermissionDenied => {}
                other => {
                    other?;
                }
            }
        }
        if let Some(file) = &self.local {
            add_file(&mut config, file, Scope::Local, includes)?;
        }
        if let Some(file) = &self.worktree {
            add_file(&mut config, file, Scope::Worktree, includes)?;
        }
        for entry in command_values(self.env)? {
            match includes {
                Some(includes) => config.add_entry_including(entry, includes)?,
                None => {
                    config.push(entry);
                }
            }
        }
        Ok(config)
    }

    /// Hands what decides about includes to `read`.
    pub fn including<R>(&self, read: impl FnOnce(&Includes<'_>) -> R) -> R {
        let branch = || branch(self.git_dir.as_deref()?);
        let home = self.env.home();
        let git_dir = || self.git_dir.as_deref().map(|git_dir| as_walked_to(self.env, git_dir));
        let gathering =
            Includes { home: home.clone(), git_dir: &git_dir, branch: &branch, remote_urls: None };
        let remote_urls = || match self.read(Some(&gathering)) {
            Ok(config) => Ok(config.remote_urls()),
            Err(OpenError::Config(error)) => Err(error),
            // Other mistakes are told by the read that these URLs are gathered for.
            Err(_) => Ok(Vec::new()),
        };
        let remote_urls = Some(&remote_urls as &dyn Fn() -> Result<Vec<BString>, ConfigError>);
        read(&Includes { home, git_dir: &git_dir, branch: &branch, remote_urls })
    }
}

/// Adds the values of a file, if it exists; says whether it does.
///
/// # Errors
/// When it, or a file that it includes, cannot be read or is no configuration.
pub fn add_file(
    config: &mut Config,
    file: &ConfigFile,
    scope: Scope,
    includes: Option<&Includes<'_>>,
) -> Result<bool, ConfigError> {
    match includes {
        Some(includes) => config.add_file_including(&file.path, &file.shown, scope, includes),
        None => config.add_file_shown(&file.path, &file.shown, scope),
    }
}

/// A path by way of the symbolic links that the shell went through to the working directory, as it tells in `PWD`.
fn as_walked_to(env: &Environment, path: &Path) -> PathBuf {
    let walked = env.path("PWD").filter(|pwd| pwd.is_absolute());
    let Some(walked) = walked.filter(|pwd| std::fs::canonicalize(pwd).is_ok_and(|real| real == env.cwd()))
    else {
        return path.to_owned();
    };
    let pairs = env.cwd().ancestors().zip(walked.ancestors());
    let same =
        |(real, walked): &(&Path, &Path)| std::fs::canonicalize(walked).is_ok_and(|path| path == *real);
    let below =
        pairs.take_while(same).find_map(|(real, walked)| Some(walked.join(path.strip_prefix(real).ok()?)));
    below.unwrap_or_else(|| path.to_owned())
}

/// The branch that is checked out, for conditions; it may have no commit yet.
fn branch(git_dir: &Path) -> Option<BString> {
    let head = std::fs::read(git_dir.join("HEAD")).ok()?;
    Some(head.strip_prefix(b"ref: refs/heads/")?.trim_ascii().into())
}

/// The system's file and its scope's path, unless `GIT_CONFIG_NOSYSTEM` says to leave it out.
pub fn system_file(env: &Environment) -> Result<Option<PathBuf>, OpenError> {
    if env.bool("GIT_CONFIG_NOSYSTEM", false)? {
        return Ok(None);
    }
    Ok(Some(env.path("GIT_CONFIG_SYSTEM").unwrap_or_else(|| "/etc/gitconfig".into())))
}

/// The user's files in the order in which they are read: `$XDG_CONFIG_HOME/git/config`, then `~/.gitconfig`.
pub fn global_files(env: &Environment) -> Vec<PathBuf> {
    if env.var("GIT_CONFIG_GLOBAL").is_some() {
        return env.path("GIT_CONFIG_GLOBAL").into_iter().collect();
    }
    let xdg = env.path("XDG_CONFIG_HOME").or_else(|| Some(env.home()?.join(".config")));
    let xdg = xdg.map(|dir| dir.join("git").join("config"));
    xdg.into_iter().chain(env.home().map(|home| home.join(".gitconfig"))).collect()
}

/// The system's file of attributes, unless `GIT_ATTR_NOSYSTEM` does without.
///
/// # Errors
/// When the variable is no boolean.
pub fn system_attributes(env: &Environment) -> Result<Option<PathBuf>, OpenError> {
    if env.bool("GIT_ATTR_NOSYSTEM", false)? {
        return Ok(None);
    }
    Ok(Some(env.path("GIT_ATTR_SYSTEM").unwrap_or_else(|| "/etc/gitattributes".into())))
}

/// The user's file of attributes (`core.attributesFile`), by default `$XDG_CONFIG_HOME/git/attributes`.
pub fn global_attributes(env: &Environment, config: &Config) -> Option<PathBuf> {
    users_file(env, config, b"core.attributesfile", "attributes")
}

/// The user's file of ignore patterns (`core.excludesFile`), by default `$XDG_CONFIG_HOME/git/ignore`.
pub fn global_ignore(env: &Environment, config: &Config) -> Option<PathBuf> {
    users_file(env, config, b"core.excludesfile", "ignore")
}

/// The file that a setting names, by default the one called `name` in the user's folder.
fn users_file(env: &Environment, config: &Config, setting: &[u8], name: &str) -> Option<PathBuf> {
    match config.last(setting).and_then(|entry| entry.value.as_ref()) {
        Some(path) => adit_config::value::path(path.as_bstr(), env.home().as_deref()),
        None => {
            let folder = env.path("XDG_CONFIG_HOME").or_else(|| Some(env.home()?.join(".config")));
            folder.map(|folder| folder.join("git").join(name))
        }
    }
}

/// Adds a value of command scope to the environment, where programs that are started find it too.
pub fn add_parameter(env: &mut Environment, name: &BStr, value: Option<&BStr>) {
    let mut parameters = env.var("GIT_CONFIG_PARAMETERS").unwrap_or_default().to_vec();
    adit_config::parameters::append(&mut parameters, name, value);
    env.set("GIT_CONFIG_PARAMETERS", parameters);
}

/// What `GIT_CONFIG_COUNT` counts, then what `-c` and `--config-env` say.
fn command_values(env: &Environment) -> Result<Vec<Entry>, OpenError> {
    let mut entries = Vec::new();
    if let Some(count) = env.var_non_empty("GIT_CONFIG_COUNT") {
        let bad = |what| OpenError::Variable { name: "GIT_CONFIG_COUNT".to_owned(), what };
        let count: u64 = (count.to_str().ok().and_then(|count| count.trim_ascii().parse().ok()))
            .ok_or_else(|| bad("bogus count in"))?;
        let count = i32::try_from(count).map_err(|_| bad("too many entries in"))?;
        for i in 0..count {
            let get = |what: &str| {
                let name = format!("GIT_CONFIG_{what}_{i}");
                let missing = if what == "KEY" { "missing config key" } else { "missing config value" };
                env.var(&name).map(ToOwned::to_owned).ok_or(OpenError::Variable { name, what: missing })
            };
            entries.push(parameters::entry(get("KEY")?.as_bstr(), Some(get("VALUE")?))?);
        }
    }
    if let Some(text) = env.var("GIT_CONFIG_PARAMETERS") {
        entries.extend(parameters::read(text)?);
    }
    Ok(entries)
}
