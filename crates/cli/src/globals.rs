//! Options before the command (git, "Options"), and the name the program was called by.

use std::path::{Path, PathBuf};

use adit::Environment;
use bstr::{BStr, BString, ByteSlice};

use crate::error::Error;

/// How the program was called.
#[derive(Debug, Clone, Default)]
pub struct Program {
    /// The path it was called by, or found at.
    pub path: PathBuf,
    /// `-p` or `-P`; `None` leaves the pager to configuration.
    pub paginate: Option<bool>,
    /// `--bare`, which `init` heeds; the environment tells the others.
    pub bare: bool,
}

/// What the global options leave to be done.
#[derive(Debug)]
pub enum Request {
    /// Run a command: its name and its arguments.
    Command(BString, Vec<BString>),
    /// Print a line.
    Print(String),
    /// Print the help.
    Help,
}

/// How the program may be called, for usage errors.
pub const USAGE: &str = "\
usage: git [-v | --version] [-h | --help] [-C <path>] [-c <name>=<value>]
           [--exec-path[=<path>]] [--html-path] [--man-path] [--info-path]
           [-p | --paginate | -P | --no-pager] [--no-replace-objects] [--no-lazy-fetch]
           [--no-optional-locks] [--no-advice] [--bare] [--git-dir=<path>]
           [--work-tree=<path>] [--namespace=<name>] [--config-env=<name>=<envvar>]
           <command> [<args>]
";

/// An option that only sets an environment variable, as its documentation says.
struct Sets {
    option: &'static str,
    variable: &'static str,
    /// The fixed value; `None` when the option takes one.
    value: Option<&'static str>,
}

const SETS: [Sets; 12] = [
    Sets { option: "--git-dir", variable: "GIT_DIR", value: None },
    Sets { option: "--work-tree", variable: "GIT_WORK_TREE", value: None },
    Sets { option: "--namespace", variable: "GIT_NAMESPACE", value: None },
    Sets { option: "--attr-source", variable: "GIT_ATTR_SOURCE", value: None },
    Sets { option: "--no-replace-objects", variable: "GIT_NO_REPLACE_OBJECTS", value: Some("1") },
    Sets { option: "--no-lazy-fetch", variable: "GIT_NO_LAZY_FETCH", value: Some("1") },
    Sets { option: "--no-optional-locks", variable: "GIT_OPTIONAL_LOCKS", value: Some("0") },
    Sets { option: "--no-advice", variable: "GIT_ADVICE", value: Some("0") },
    Sets { option: "--literal-pathspecs", variable: "GIT_LITERAL_PATHSPECS", value: Some("1") },
    Sets { option: "--glob-pathspecs", variable: "GIT_GLOB_PATHSPECS", value: Some("1") },
    Sets { option: "--noglob-pathspecs", variable: "GIT_NOGLOB_PATHSPECS", value: Some("1") },
    Sets { option: "--icase-pathspecs", variable: "GIT_ICASE_PATHSPECS", value: Some("1") },
];

/// Reads the options before the command into `env` and `program`.
///
/// # Errors
/// A usage error (status 129) for an option that does not exist or lacks its value.
pub fn read(words: &[BString], env: &mut Environment, program: &mut Program) -> Result<Request, Error> {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if !word.starts_with(b"-") {
            return Ok(Request::Command(word.clone(), words.cloned().collect()));
        }
        let (option, joined) = match word.split_once_str("=") {
            Some((option, value)) if option.starts_with(b"--") => (option.as_bstr(), Some(value.as_bstr())),
            _ => (word.as_bstr(), None),
        };
        let mut value = |what: &str| match joined {
            Some(value) => Ok(value.to_owned()),
            None => words.next().cloned().ok_or_else(|| no_value(what, option)),
        };
        if let Some(sets) = SETS.iter().find(|sets| option == sets.option) {
            match (sets.value, joined) {
                (Some(fixed), None) => env.set(sets.variable, fixed),
                (Some(_), Some(_)) => return Err(unknown(word)),
                (None, _) => env.set(sets.variable, value(what_is_given(sets.option))?),
            }
            continue;
        }
        match option.as_bytes() {
            b"-C" => change_dir(env, value("directory")?.as_bstr())?,
            b"-c" => add_config(env, value("configuration string")?.as_bstr()),
            b"--config-env" => add_config_env(env, value("config key")?.as_bstr())?,
            b"--bare" if joined.is_none() => {
                program.bare = true;
                env.set("GIT_IMPLICIT_WORK_TREE", "0");
                if env.var("GIT_DIR").is_none() {
                    use std::os::unix::ffi::OsStrExt;
                    let cwd = env.cwd().as_os_str().as_bytes().to_vec();
                    env.set("GIT_DIR", cwd);
                }
            }
            b"-p" | b"--paginate" if joined.is_none() => program.paginate = Some(true),
            b"-P" | b"--no-pager" if joined.is_none() => program.paginate = Some(false),
            b"--exec-path" => match joined {
                Some(path) => env.set("GIT_EXEC_PATH", path),
                None => return Ok(Request::Print(exec_path(env, program).display().to_string())),
            },
            b"--html-path" | b"--man-path" | b"--info-path" if joined.is_none() => {
                let kind = &option[2..option.len() - "-path".len()];
                return Ok(Request::Print(documentation_path(env, program, kind).display().to_string()));
            }
            b"--list-cmds" if joined.is_some() => {
                let groups = joined.unwrap_or_default().to_owned();
                return Ok(Request::Command("--list-cmds".into(), vec![groups]));
            }
            b"-v" | b"--version" if joined.is_none() => {
                return Ok(Request::Command("version".into(), words.cloned().collect()));
            }
            b"-h" | b"--help" if joined.is_none() => {
                let rest: Vec<BString> = words.cloned().collect();
                return Ok(if rest.is_empty() {
                    Request::Help
                } else {
                    Request::Command("help".into(), rest)
                });
            }
            _ => return Err(unknown(word)),
        }
    }
    Ok(Request::Help)
}

fn what_is_given(option: &str) -> &'static str {
    match option {
        "--namespace" => "namespace",
        "--attr-source" => "attribute source",
        _ => "directory",
    }
}

fn unknown(word: &BString) -> Error {
    Error::Usage { message: None, usage: format!("unknown option: {word}\n{USAGE}") }
}

fn no_value(what: &str, option: &BStr) -> Error {
    Error::Usage { message: None, usage: format!("no {what} given for '{option}' option\n{USAGE}") }
}

fn change_dir(env: &mut Environment, dir: &BStr) -> Result<(), Error> {
    if dir.is_empty() {
        return Ok(());
    }
    let target = env.cwd().join(dir.to_path_lossy());
    let refused = |error| Error::fatal(format!("cannot change to '{dir}': {}", adit_sys::os_error(&error)));
    let target = std::fs::canonicalize(&target).map_err(refused)?;
    std::fs::read_dir(&target).map_err(refused)?;
    env.change_dir(&target);
    Ok(())
}

/// Adds `name=value`, as `-c` gives it, to `GIT_CONFIG_PARAMETERS`, where started programs find it too.
fn add_config(env: &mut Environment, text: &BStr) {
    let (name, value) = match text.split_once_str("=") {
        Some((name, value)) => (name.as_bstr(), Some(value.as_bstr())),
        None => (text, None),
    };
    adit::config_files::add_parameter(env, name, value);
}

fn add_config_env(env: &mut Environment, text: &BStr) -> Result<(), Error> {
    let invalid = || Error::fatal(format!("invalid config format: {text}"));
    let (name, variable) = text.rsplit_once_str("=").ok_or_else(invalid)?;
    if variable.is_empty() {
        return Err(Error::fatal(format!(
            "missing environment variable name for configuration '{}'",
            name.as_bstr()
        )));
    }
    let missing = || {
        Error::fatal(format!(
            "missing environment variable '{}' for configuration '{}'",
            variable.as_bstr(),
            name.as_bstr()
        ))
    };
    let value = env.var(variable.to_str().map_err(|_| missing())?).ok_or_else(missing)?.to_owned();
    adit::config_files::add_parameter(env, name.as_bstr(), Some(value.as_bstr()));
    Ok(())
}

/// The folder of git's programs: `GIT_EXEC_PATH`, else the folder of the program as it was called.
pub fn exec_path(env: &Environment, program: &Program) -> PathBuf {
    env.path("GIT_EXEC_PATH").unwrap_or_else(|| program.path.parent().map(Path::to_owned).unwrap_or_default())
}

fn documentation_path(env: &Environment, program: &Program, kind: &[u8]) -> PathBuf {
    let prefix = exec_path(env, program).parent().map(Path::to_owned).unwrap_or_default();
    match kind {
        b"html" => prefix.join("share/doc/git-doc"),
        b"man" => prefix.join("share/man"),
        _ => prefix.join("share/info"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_line(line: &str) -> (Environment, Result<Request, Error>) {
        let mut env = Environment::empty("/");
        let words: Vec<BString> = line.split(' ').map(BString::from).collect();
        let request = read(&words, &mut env, &mut Program::default());
        (env, request)
    }

    #[test]
    fn options_become_variables_and_the_rest_a_command() {
        let (env, request) = read_line("--git-dir=x --work-tree y --no-replace-objects -C / log -p");
        assert_eq!(env.var("GIT_DIR").unwrap(), "x");
        assert_eq!(env.var("GIT_WORK_TREE").unwrap(), "y");
        assert_eq!(env.var("GIT_NO_REPLACE_OBJECTS").unwrap(), "1");
        match request.unwrap() {
            Request::Command(name, args) => assert_eq!((name, args), ("log".into(), vec!["-p".into()])),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn mistakes_end_with_129() {
        for line in ["--bogus", "-C", "--git-dir", "--no-advice=1"] {
            assert_eq!(read_line(line).1.unwrap_err().status(), 129, "{line}");
        }
    }
}
