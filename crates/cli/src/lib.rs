//! The command line of Adit: git's commands as thin layers over the `adit` library.
//!
//! - [`table`] lists the commands: what each is called, what it needs, and its `run` function.
//! - [`commands`] has one module a command, each an option table ([`options`]) and a thin `run`.
//! - [`context::Context`] is what a command is given; [`error::Error`] is how it ends early.
//! - [`main`] goes from the words of a command line to an exit status.
//!
//! ```
//! use adit::Environment;
//! use adit_cli::context::Streams;
//!
//! let mut out = Vec::new();
//! let streams = Streams {
//!     input: Box::new(std::io::empty()),
//!     out: Box::new(&mut out),
//!     err: Box::new(std::io::sink()),
//!     out_is_terminal: false,
//!     err_is_terminal: false,
//! };
//! let status = adit_cli::main("git".into(), &["version".into()], Environment::empty("/"), streams);
//! assert_eq!(status, 0);
//! assert!(out.starts_with(b"git version 2.55.0 (Adit "));
//! ```

pub mod advice;
pub mod alias;
pub mod commands;
pub mod context;
mod conversion;
pub mod editor;
pub mod error;
pub mod format;
pub mod globals;
mod lines_in;
pub mod log;
pub mod message;
pub mod names;
pub mod operands;
pub mod options;
pub mod pager;
pub mod pathspecs;
pub mod pipeline;
pub mod programs;
pub mod references;
pub mod revisions;
pub mod signatures;
pub mod suggest;
pub mod table;
pub mod verdict;

use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::process::ExitStatus;

use adit::Environment;
use bstr::{BStr, BString, ByteSlice};

use context::{Context, Streams};
use error::Error;
use globals::{Program, Request};
use table::{Command, Needs, Pager};

/// Runs one command line. `program` is the path it was called by: called as `git-<command>`, it is that command.
pub fn main(program: PathBuf, words: &[BString], env: Environment, streams: Streams<'_>) -> u8 {
    let called = program.file_name().map(OsStrExt::as_bytes).unwrap_or_default();
    let dashed: Option<BString> = called.strip_prefix(b"git-").map(BString::from);
    let mut ctx = Context::new(env, streams, Program { path: program, ..Program::default() });
    let result = match dashed {
        Some(name) => run_command(&mut ctx, &name, words),
        None => run_git(&mut ctx, words),
    };
    ctx.finish(result)
}

fn run_git(ctx: &mut Context<'_>, words: &[BString]) -> Result<u8, Error> {
    match globals::read(words, &mut ctx.env, &mut ctx.program)? {
        Request::Command(name, args) if name == "--list-cmds" => list_commands(ctx, args[0].as_bstr()),
        Request::Command(name, args) => run_command_or_alias(ctx, name, args),
        Request::Print(line) => {
            writeln!(ctx.streams.out, "{line}")?;
            Ok(0)
        }
        Request::Help => {
            commands::help::overview(&mut ctx.streams.out)?;
            Ok(if words.is_empty() { 1 } else { 0 })
        }
    }
}

/// `--list-cmds=<groups>`, which completion scripts ask.
fn list_commands(ctx: &mut Context<'_>, groups: &BStr) -> Result<u8, Error> {
    for group in groups.split_str(",") {
        match group {
            b"main" | b"builtins" => {
                for command in table::COMMANDS {
                    writeln!(ctx.streams.out, "{}", command.name)?;
                }
            }
            b"others" | b"nohelpers" => {}
            b"alias" => {
                let names: Vec<BString> = (ctx.config()?.entries().iter())
                    .filter_map(|entry| entry.name.strip_prefix(b"alias.").map(BString::from))
                    .collect();
                for name in names {
                    writeln!(ctx.streams.out, "{name}")?;
                }
            }
            _ => return Err(Error::fatal(format!("unsupported command listing type '{}'", group.as_bstr()))),
        }
    }
    Ok(0)
}

fn run_command_or_alias(ctx: &mut Context<'_>, name: BString, args: Vec<BString>) -> Result<u8, Error> {
    let (mut name, mut args) = (name, args);
    let mut seen: Vec<BString> = Vec::new();
    loop {
        if table::find(&name).is_some() {
            return run_command(ctx, &name, &args);
        }
        if let Some(status) = run_program(ctx, name.as_bstr(), &args)? {
            return Ok(status);
        }
        let Some(text) = alias::find(ctx, &name)? else { return unknown_command(ctx, &name) };
        if let Some(script) = text.strip_prefix(b"!") {
            return run_shell_alias(ctx, script.as_bstr(), &args);
        }
        let bad = |what: &str| Error::fatal(format!("bad alias.{name} string: {what}"));
        let mut words = alias::split(&text).map_err(bad)?;
        words.append(&mut args);
        if seen.contains(&name) {
            return Err(Error::fatal(format!(
                "alias loop detected: expansion of '{}' does not terminate",
                seen[0]
            )));
        }
        seen.push(name);
        match globals::read(&words, &mut ctx.env, &mut ctx.program)? {
            Request::Command(next, rest) => (name, args) = (next, rest),
            Request::Print(_) | Request::Help => {
                return Err(Error::fatal(format!("empty alias for {}", seen.last().unwrap_or(&text))));
            }
        }
    }
}

fn run_command(ctx: &mut Context<'_>, name: &BString, args: &[BString]) -> Result<u8, Error> {
    let Some(command) = table::find(name) else { return unknown_command(ctx, name) };
    if args.first().is_some_and(|arg| arg == "--help") {
        return commands::help::run(ctx, std::slice::from_ref(name));
    }
    match command.needs {
        Needs::Nothing => {}
        // A command tells its usage without a repository.
        Needs::Repository if args.len() == 1 && args[0] == "-h" => {
            let _ = ctx.open_repository();
        }
        Needs::Repository => ctx.open_repository()?,
        Needs::RepositoryIfAny => ctx.open_repository_if_any()?,
    }
    page(ctx, command)?;
    (command.run)(ctx, args)
}

/// Sends what follows through the pager, when that is wanted.
fn page(ctx: &mut Context<'_>, command: &Command) -> Result<(), Error> {
    let wanted = match ctx.program.paginate {
        Some(said) => said,
        None if !ctx.streams.out_is_terminal => false,
        None => match pager::configured(ctx, command.name)? {
            Some(configured) => configured,
            None => command.pager == Pager::ByDefault,
        },
    };
    if wanted && command.pager != Pager::Itself { pager::start(ctx, command.name) } else { Ok(()) }
}

/// Runs a program `git-<name>` from the folder of git's programs or the path; `None` when there is none.
fn run_program(ctx: &mut Context<'_>, name: &BStr, args: &[BString]) -> Result<Option<u8>, Error> {
    if name.contains(&b'/') {
        return Ok(None);
    }
    let file = [b"git-", name.as_bytes()].concat();
    let exec_path = globals::exec_path(&ctx.env, &ctx.program);
    let path = ctx.env.var("PATH").unwrap_or_default().to_owned();
    let folders = path.split_str(":").map(|dir| dir.to_path_lossy().into_owned());
    let own = std::fs::canonicalize(&ctx.program.path).ok();
    let found =
        std::iter::once(exec_path).chain(folders).map(|dir| dir.join(file.to_path_lossy())).find(|path| {
            // A link to Adit itself under the name of a command it does not have would start it again and again.
            path.is_file() && std::fs::canonicalize(path).ok() != own
        });
    let Some(program) = found else { return Ok(None) };
    let status = ctx.child(&program).args(args.iter().map(|arg| arg.to_os_str_lossy())).status();
    Ok(Some(status_code(status.map_err(|error| {
        Error::fatal(format!("cannot exec '{}': {}", program.display(), adit_sys::os_error(&error)))
    })?)))
}

fn run_shell_alias(ctx: &mut Context<'_>, script: &BStr, args: &[BString]) -> Result<u8, Error> {
    ctx.open_repository_if_any()?;
    let repo = ctx.repo_if_any();
    let dir = repo.as_ref().and_then(|repo| repo.work_tree()).unwrap_or(ctx.env.cwd()).to_owned();
    if let Some(repo) = &repo {
        ctx.env.set("GIT_PREFIX", repo.prefix());
    }
    let line = [script.as_bytes(), b" \"$@\""].concat();
    let mut child = ctx.child(std::path::Path::new("/bin/sh"));
    child.current_dir(dir).arg("-c");
    child.arg(if args.is_empty() { script.to_os_str_lossy() } else { line.to_os_str_lossy() });
    child.arg(script.to_os_str_lossy()).args(args.iter().map(|arg| arg.to_os_str_lossy()));
    let status = child.status().map_err(|error| {
        Error::fatal(format!("while expanding alias: '{script}': {}", adit_sys::os_error(&error)))
    })?;
    Ok(status_code(status))
}

/// The status a shell would report: a signal counts as 128 and its number.
fn status_code(status: ExitStatus) -> u8 {
    use std::os::unix::process::ExitStatusExt;
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    u8::try_from(code).unwrap_or(1)
}

fn unknown_command(ctx: &mut Context<'_>, name: &BString) -> Result<u8, Error> {
    let err = &mut ctx.streams.err;
    writeln!(err, "git: '{name}' is not a git command. See 'git --help'.")?;
    let similar = suggest::similar(name.as_bstr(), table::COMMANDS.iter().map(|c| c.name.as_bytes()));
    if let Some((first, others)) = similar.split_first() {
        let what = if others.is_empty() { "command is" } else { "commands are" };
        writeln!(err, "\nThe most similar {what}\n\t{first}")?;
        for other in others {
            writeln!(err, "\t{other}")?;
        }
    }
    Err(Error::Exit(1))
}
