//! Programs that make text of contents, and programs that compare files (gitattributes, 'Defining an external diff
//! driver' and 'Performing text diffs of binary files'; git, `GIT_EXTERNAL_DIFF`).

use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;

use adit::{Environment, Repository};
use adit_config::Config;
use adit_diff::Side;
use adit_diff::programs::{self, External, ExternalCall, ExternalSide, ProgramError, Textconv};
use adit_diff::show::Attributes;
use adit_diff::userdiff::Driver;
use adit_object::ObjectId;
use bstr::{BStr, BString, ByteSlice};

use crate::context::Context;
use crate::error::Error;

/// Starts programs, in the environment and at the top of the working tree.
#[derive(Debug, Clone)]
struct Starter {
    env: Environment,
    dir: PathBuf,
}

impl Starter {
    fn new(ctx: &Context<'_>, repo: Option<&Repository>) -> Self {
        let mut env = ctx.env.clone();
        let mut dir = env.cwd().to_owned();
        if let Some(top) = repo.filter(|repo| repo.is_inside_work_tree()).and_then(Repository::work_tree) {
            dir = top.to_owned();
        }
        if let Some(repo) = repo {
            env.set("GIT_PREFIX", repo.prefix());
        }
        Starter { env, dir }
    }

    /// A command that is ready for its arguments. Only what needs a shell gets one, as the errors show.
    fn command(&self, program: &BStr) -> Command {
        const FOR_SHELLS: &[u8] = b"|&;<>()$`\\\"' \t\n*?[#~=%";
        let mut command = if program.iter().any(|b| FOR_SHELLS.contains(b)) {
            let mut shell = Command::new("/bin/sh");
            let line = [program.as_bytes(), b" \"$@\""].concat();
            shell.arg("-c").arg(line.to_os_str_lossy()).arg(program.to_os_str_lossy());
            shell
        } else {
            Command::new(program.to_os_str_lossy())
        };
        command.env_clear().envs(self.env.vars()).current_dir(&self.dir);
        command
    }

    /// Writes `content` to a file of the name that `path` has, in a folder of its own.
    fn file(&self, path: &BStr, content: &[u8]) -> io::Result<TemporaryFile> {
        let folders = self.env.path("TMPDIR").unwrap_or_else(|| "/tmp".into());
        let folder = tempfile::Builder::new().prefix("git-blob-").rand_bytes(6).tempdir_in(folders)?;
        let name = path.rfind_byte(b'/').map_or(path, |slash| path[slash + 1..].as_bstr());
        let path = folder.path().join(name.to_path_lossy());
        let mut file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        file.write_all(content)?;
        Ok(TemporaryFile { path, _folder: folder })
    }
}

/// A file that goes away with its folder when it is dropped.
struct TemporaryFile {
    path: PathBuf,
    _folder: tempfile::TempDir,
}

/// Says that a program cannot be started; nobody is left to tell when that fails.
fn complain(program: &BStr, error: &io::Error) {
    let why = adit_sys::os_error(error);
    let _ = writeln!(io::stderr(), "error: cannot run {program}: {why}");
}

/// Runs the programs of `diff.*.textconv`.
#[derive(Debug)]
struct Converter(Starter);

impl Textconv for Converter {
    fn convert(
        &self,
        driver: &Driver,
        path: &BStr,
        content: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), ProgramError> {
        if driver.cache_textconv {
            return Err(ProgramError::Cache(driver.name.clone()));
        }
        let program = driver.textconv.as_ref().map(|program| program.as_bstr()).unwrap_or_default();
        let file = self.0.file(path, content).map_err(|_| ProgramError::Textconv)?;
        let mut command = self.0.command(program);
        command.arg(&file.path).stdin(Stdio::inherit()).stderr(Stdio::inherit());
        match command.output() {
            Ok(output) if output.status.success() => {
                *out = output.stdout;
                Ok(())
            }
            Ok(_) => Err(ProgramError::Textconv),
            Err(error) => {
                complain(program, &error);
                Err(ProgramError::Textconv)
            }
        }
    }
}

/// What makes text of contents; `None` when no driver names a program for it.
pub fn textconv(ctx: &Context<'_>, repo: Option<&Repository>, config: &Config) -> Option<Arc<dyn Textconv>> {
    let is_named = names(config, b".textconv");
    is_named.then(|| Arc::new(Converter(Starter::new(ctx, repo))) as Arc<dyn Textconv>)
}

/// The text that a program makes of `content`, which lies at `path` with that mode; `None` when there is no program for it.
///
/// # Errors
/// When the program fails, or a setting cannot be used.
pub fn text_of(
    ctx: &Context<'_>,
    repo: &Repository,
    path: &BStr,
    mode: u32,
    content: &[u8],
) -> Result<Option<Vec<u8>>, Error> {
    let Some(program) = textconv(ctx, Some(repo), repo.config()) else { return Ok(None) };
    let driver = repo.attributes()?.driver(path);
    let side = Side { mode, id: ObjectId::null(repo.object_format()), path: path.to_owned() };
    let mut text = Vec::new();
    let is_made = programs::text_of(&*program, driver.as_deref(), &side, content, &mut text)
        .map_err(adit_diff::Error::from)?;
    Ok(is_made.then_some(text))
}

/// Whether a variable `diff.<driver><end>` is set.
fn names(config: &Config, end: &[u8]) -> bool {
    config.entries().iter().any(|entry| entry.name.starts_with(b"diff.") && entry.name.ends_with(end))
}

/// A program that compares.
#[derive(Debug, Clone)]
struct Comparer {
    program: BString,
    /// Its exit status tells whether there is a difference.
    trusted: bool,
}

/// Runs programs that compare.
#[derive(Debug)]
struct Comparers {
    starter: Starter,
    /// The one for files without a driver that names one.
    default: Option<Comparer>,
    /// What they print goes to standard output as it comes, since that is a terminal.
    direct: bool,
}

/// What compares files in place of Adit; `None` when nothing names a program for it.
///
/// # Errors
/// When a setting cannot be used.
pub fn external(
    ctx: &Context<'_>,
    repo: Option<&Repository>,
    config: &Config,
) -> Result<Option<Arc<dyn External>>, Error> {
    let default = match (ctx.env.var("GIT_EXTERNAL_DIFF"), config.string("diff.external")?) {
        (Some(program), _) => {
            let trusted = ctx.env.bool("GIT_EXTERNAL_DIFF_TRUST_EXIT_CODE", false)?;
            Some(Comparer { program: program.to_owned(), trusted })
        }
        (None, Some(program)) => {
            let trusted = config.bool("diff.trustexitcode")?.unwrap_or(false);
            Some(Comparer { program: program.to_owned(), trusted })
        }
        (None, None) => None,
    };
    if default.is_none() && !names(config, b".command") {
        return Ok(None);
    }
    let direct = ctx.streams.out_is_terminal && !ctx.is_paged();
    Ok(Some(Arc::new(Comparers { starter: Starter::new(ctx, repo), default, direct })))
}

impl Comparers {
    fn program(&self, driver: Option<&Driver>) -> Option<Comparer> {
        let own = driver.and_then(|driver| {
            let program = driver.command.clone()?;
            Some(Comparer { program, trusted: driver.trust_exit_code })
        });
        own.or_else(|| self.default.clone())
    }

    /// Runs `command`; its exit status.
    fn run(&self, command: &mut Command, quiet: bool, out: &mut Vec<u8>) -> io::Result<Option<i32>> {
        if quiet {
            return Ok(command.stdout(Stdio::null()).status()?.code());
        }
        if self.direct {
            let mut stdout = io::stdout();
            stdout.write_all(out)?;
            stdout.flush()?;
            out.clear();
            return Ok(command.stdout(Stdio::inherit()).status()?.code());
        }
        let output = command.stdin(Stdio::inherit()).stderr(Stdio::inherit()).output()?;
        out.extend_from_slice(&output.stdout);
        Ok(output.status.code())
    }
}

impl External for Comparers {
    fn applies(&self, driver: Option<&Driver>) -> bool {
        self.program(driver).is_some()
    }

    fn is_trusted(&self, driver: Option<&Driver>) -> bool {
        self.program(driver).is_some_and(|comparer| comparer.trusted)
    }

    fn compare(
        &self,
        driver: Option<&Driver>,
        call: &ExternalCall<'_>,
        quiet: bool,
        out: &mut Vec<u8>,
    ) -> Result<bool, ProgramError> {
        let failed = || ProgramError::External(call.path.to_owned());
        let Comparer { program, trusted } = self.program(driver).ok_or_else(failed)?;
        if quiet && !trusted {
            // Whatever it printed, it was run for a difference.
            return Ok(true);
        }
        let mut command = self.starter.command(program.as_bstr());
        command.arg(call.path.to_os_str_lossy());
        let old = self.side(&call.old, &mut command).map_err(|_| failed())?;
        let new = self.side(&call.new, &mut command).map_err(|_| failed())?;
        if let Some((path, header)) = call.renamed {
            command.arg(path.to_os_str_lossy()).arg(header.to_os_str_lossy());
        }
        command.env("GIT_DIFF_PATH_COUNTER", call.number.to_string());
        command.env("GIT_DIFF_PATH_TOTAL", call.of.to_string());
        let status = self.run(&mut command, quiet, out).map_err(|error| {
            complain(program.as_bstr(), &error);
            failed()
        })?;
        drop((old, new));
        match status {
            Some(0) => Ok(!trusted),
            Some(1) if trusted => Ok(true),
            _ => Err(failed()),
        }
    }
}

impl Comparers {
    /// Adds the arguments that stand for a side: a file, the id, the mode.
    fn side(&self, side: &ExternalSide<'_>, command: &mut Command) -> io::Result<Option<TemporaryFile>> {
        let Some(content) = side.content else {
            command.args(["/dev/null", ".", "."]);
            return Ok(None);
        };
        if let Some(file) = side.file {
            // Its id is not told, since it need not stay what it is.
            let null = ObjectId::null(side.id.format());
            command.arg(file).arg(null.to_string()).arg(format!("{:06o}", side.mode));
            return Ok(None);
        }
        let file = self.starter.file(side.path, content)?;
        command.arg(&file.path).arg(side.id.to_string()).arg(format!("{:06o}", side.mode));
        Ok(Some(file))
    }
}
