//! Which configuration files apply, in order (git-config, "Files").

use std::path::PathBuf;

use adit_config::{Config, ConfigError, Scope};
use bstr::{BStr, ByteSlice};

use crate::discovery::Location;
use crate::{Environment, OpenError, RepositoryFormat};

/// The values that a repository cannot set for itself: system, global and command scope.
pub(crate) fn protected(env: &Environment) -> Result<Config, OpenError> {
    let mut config = Config::default();
    add_outer(&mut config, env)?;
    add_command(&mut config, env)?;
    Ok(config)
}

/// All values that apply in a repository.
pub(crate) fn all(
    env: &Environment,
    location: &Location,
    format: &RepositoryFormat,
) -> Result<Config, OpenError> {
    let mut config = Config::default();
    add_outer(&mut config, env)?;
    config.add_file(&location.common_dir.join("config"), Scope::Local)?;
    if format.worktree_config {
        config.add_file(&location.git_dir.join("config.worktree"), Scope::Worktree)?;
    }
    add_command(&mut config, env)?;
    Ok(config)
}

/// The values that apply outside any repository.
///
/// # Errors
/// When a file cannot be read or is no configuration.
pub fn without_repository(env: &Environment) -> Result<Config, OpenError> {
    protected(env)
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

fn add_outer(config: &mut Config, env: &Environment) -> Result<(), OpenError> {
    if let Some(path) = system_file(env)? {
        config.add_file(&path, Scope::System)?;
    }
    for path in global_files(env) {
        match config.add_file(&path, Scope::Global) {
            // A home folder that cannot be entered must not stop everything.
            Err(ConfigError::Io { error, .. }) if error.kind() == std::io::ErrorKind::PermissionDenied => {}
            other => {
                other?;
            }
        }
    }
    Ok(())
}

/// Adds a value of command scope to the environment, where programs that are started find it too.
pub fn add_parameter(env: &mut Environment, name: &BStr, value: Option<&BStr>) {
    let mut parameters = env.var("GIT_CONFIG_PARAMETERS").unwrap_or_default().to_vec();
    adit_config::parameters::append(&mut parameters, name, value);
    env.set("GIT_CONFIG_PARAMETERS", parameters);
}

/// What `GIT_CONFIG_COUNT` counts, then what `-c` and `--config-env` say.
fn add_command(config: &mut Config, env: &Environment) -> Result<(), OpenError> {
    if let Some(count) = env.var_non_empty("GIT_CONFIG_COUNT") {
        let count: u32 = (count.to_str().ok().and_then(|count| count.parse().ok()))
            .ok_or(OpenError::Variable { name: "GIT_CONFIG_COUNT".to_owned(), what: "bogus count in" })?;
        for i in 0..count {
            let get = |what: &str| {
                let name = format!("GIT_CONFIG_{what}_{i}");
                let missing = if what == "KEY" { "missing config key" } else { "missing config value" };
                env.var(&name).map(ToOwned::to_owned).ok_or(OpenError::Variable { name, what: missing })
            };
            config.add_command_value(&get("KEY")?, Some(get("VALUE")?))?;
        }
    }
    if let Some(parameters) = env.var("GIT_CONFIG_PARAMETERS") {
        config.add_parameters(parameters)?;
    }
    Ok(())
}
