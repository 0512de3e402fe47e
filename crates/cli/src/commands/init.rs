//! `git init`: makes a repository, or makes one anew that is there.

use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use adit::init::{InitError, InitOptions, Notice, Template, init, real_path};
use adit::sharing::{self, SharingError};
use adit::{RefStorage, config_files};
use adit_config::Config;
use adit_object::ObjectFormat;
use adit_sys::Sharing;
use bstr::{BStr, BString, ByteSlice};

use crate::context::Context;
use crate::error::Error;
use crate::options::{Opt, Table, Usage};

#[derive(Clone, Copy)]
enum O {
    Template,
    Bare,
    Shared,
    Quiet,
    SeparateGitDir,
    InitialBranch,
    ObjectFormat,
    RefFormat,
}

const USAGE: Usage = Usage {
    name: "init",
    synopsis: &["git init [-q | --quiet] [--bare] [--template=<folder>] [--separate-git-dir <folder>]\n\
         \x20               [--object-format=<format>] [--ref-format=<format>]\n\
         \x20               [-b <branch> | --initial-branch=<branch>] [--shared[=<permissions>]] [<directory>]"],
};

const OPTIONS: Table<O> = Table::new(&[
    Opt::value(O::Template, "template", "folder", "furnish the repository with what is in this folder").no(),
    Opt::flag(O::Bare, "bare", "make a repository without a working tree").no(),
    Opt::optional(O::Shared, "shared", "permissions", "share the repository with other users"),
    Opt::flag(O::Quiet, "quiet", "say nothing but warnings and errors").short(b'q').no(),
    Opt::value(O::SeparateGitDir, "separate-git-dir", "folder", "keep the repository elsewhere").no(),
    Opt::value(O::InitialBranch, "initial-branch", "branch", "the branch to start on").short(b'b').no(),
    Opt::value(O::ObjectFormat, "object-format", "format", "the hash that names objects").no(),
    Opt::value(O::RefFormat, "ref-format", "format", "how references are stored").no(),
]);

#[derive(Default)]
struct Asked {
    template: Option<BString>,
    bare: bool,
    sharing: Option<Sharing>,
    quiet: bool,
    separate: Option<PathBuf>,
    branch: Option<BString>,
    object_format: Option<ObjectFormat>,
    ref_storage: Option<RefStorage>,
}

/// Runs the command.
pub fn run(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let mut asked = Asked { bare: ctx.program.bare, ..Asked::default() };
    let (mut object_format, mut ref_format, mut separate) = (None, None, None::<BString>);
    let words = OPTIONS.parse(&USAGE, args, |given| {
        match given.id {
            O::Template => asked.template = given.value,
            O::Bare => asked.bare = given.on(),
            O::Shared => asked.sharing = Some(shared(given.value.as_ref().map(|value| value.as_bstr()))?),
            O::Quiet => asked.quiet = given.on(),
            O::SeparateGitDir => separate = given.value,
            O::InitialBranch => asked.branch = given.value,
            O::ObjectFormat => object_format = given.value,
            O::RefFormat => ref_format = given.value,
        }
        Ok(())
    })?;
    if separate.is_some() && asked.bare {
        return Err(Error::fatal("options '--separate-git-dir' and '--bare' cannot be used together"));
    }
    let start = ctx.env.cwd().to_owned();
    asked.separate = match separate {
        Some(path) if path.is_empty() => return Err(Error::fatal("The empty string is not a valid path")),
        Some(path) => Some(real_path(&start.join(path.to_path_lossy()))?),
        None => None,
    };
    match words.as_slice() {
        [] => {}
        [folder] => enter(ctx, folder.as_bstr())?,
        _ => {
            let usage = USAGE.head().trim_end().to_owned() + "\n";
            return Err(Error::Usage { message: None, usage });
        }
    }
    asked.object_format = object_format
        .map(|name| ObjectFormat::from_name(&name).ok_or(InitError::UnknownHash(name)))
        .transpose()?;
    asked.ref_storage = ref_format
        .map(|name| RefStorage::from_name(&name).ok_or(InitError::UnknownRefStorage(name)))
        .transpose()?;
    make(ctx, asked, &start, !words.is_empty())
}

/// What `--shared[=<permissions>]` says.
fn shared(value: Option<&BStr>) -> Result<Sharing, Error> {
    sharing::parse(value).map_err(|error| match error {
        SharingError::OwnerShutOut(_) => Error::fatal(error.to_string()),
        SharingError::NotABoolean => {
            Error::fatal(format!("bad boolean config value '{}' for 'arg'", value.unwrap_or_default()))
        }
    })
}

/// Goes to the folder, which is made when it is not there.
fn enter(ctx: &mut Context<'_>, folder: &BStr) -> Result<(), Error> {
    let path = ctx.env.cwd().join(folder.to_path_lossy());
    let refused = |error: &std::io::Error| {
        // A file in the way is in the way, wherever on the path it is.
        let said = match error.kind() {
            std::io::ErrorKind::NotADirectory => "File exists".to_owned(),
            _ => adit_sys::os_error(error),
        };
        Error::fatal(format!("cannot mkdir {folder}: {said}"))
    };
    if folder.is_empty() {
        return Err(refused(&std::io::ErrorKind::NotFound.into()));
    }
    if !path.is_dir() {
        std::fs::create_dir_all(&path).map_err(|error| refused(&error))?;
    }
    let real = std::fs::canonicalize(&path)
        .map_err(|error| Error::fatal(format!("cannot chdir to {folder}: {}", adit_sys::os_error(&error))))?;
    ctx.env.change_dir(&real);
    Ok(())
}

fn make(ctx: &mut Context<'_>, asked: Asked, start: &Path, named: bool) -> Result<u8, Error> {
    let config = config_files::without_repository(&ctx.env).map_err(InitError::from)?;
    if asked.bare && (named || ctx.env.path("GIT_DIR").is_none()) {
        let cwd = ctx.env.cwd().as_os_str().as_bytes().to_vec();
        ctx.env.set("GIT_DIR", cwd);
    }
    let git_dir = ctx.env.path("GIT_DIR");
    let work_tree = ctx.env.path("GIT_WORK_TREE");
    if work_tree.is_some() && (git_dir.is_none() || asked.bare) {
        return Err(Error::fatal(
            "GIT_WORK_TREE (or --work-tree=<directory>) not allowed without specifying GIT_DIR (or --git-dir=<directory>)",
        ));
    }
    let is_dot_git = git_dir.as_ref().is_none_or(|path| path.file_name().is_some_and(|name| name == ".git"));
    let bare = asked.bare || (work_tree.is_none() && !is_dot_git);
    if bare && asked.separate.is_some() {
        return Err(InitError::SeparateBare.into());
    }
    let git_dir = ctx.env.cwd().join(git_dir.unwrap_or_else(|| ".git".into()));
    let work_tree = match bare {
        true => None,
        false => Some(own_work_tree(ctx, work_tree.as_deref(), &git_dir, is_dot_git)?),
    };
    let options = InitOptions {
        work_tree,
        separate: asked.separate,
        template: template(ctx, &config, asked.template, start)?,
        git_dir,
        bare,
        object_format: asked.object_format,
        ref_storage: asked.ref_storage,
        sharing: asked.sharing,
        initial_branch: asked.branch,
    };
    let mut notices = Vec::new();
    let made = init(&ctx.env, &options, &mut |notice| notices.push(notice));
    for notice in notices {
        tell(ctx, &config, notice, asked.quiet)?;
    }
    let made = made?;
    if !asked.quiet {
        let what = if made.was_there { "Reinitialized existing" } else { "Initialized empty" };
        let shared = if made.sharing == Sharing::Umask { "" } else { " shared" };
        let mut place = BString::from(made.git_dir.as_os_str().as_bytes());
        if !place.ends_with(b"/") {
            place.push(b'/');
        }
        writeln!(ctx.streams.out, "{what}{shared} Git repository in {place}")?;
    }
    Ok(0)
}

/// The working tree: the one that `GIT_WORK_TREE` names, else the folder that `.git` is in.
fn own_work_tree(
    ctx: &Context<'_>,
    named: Option<&Path>,
    git_dir: &Path,
    must_exist: bool,
) -> Result<PathBuf, Error> {
    let path = match named {
        Some(named) => ctx.env.cwd().join(named),
        None => git_dir.parent().unwrap_or(git_dir).to_owned(),
    };
    let real = real_path(&path)?;
    match std::fs::metadata(&real) {
        Err(error) if must_exist => Err(Error::fatal(format!(
            "Cannot access work tree '{}': {}",
            real.display(),
            adit_sys::os_error(&error)
        ))),
        _ => Ok(real),
    }
}

/// What the repository is furnished with: `--template`, `GIT_TEMPLATE_DIR`, `init.templateDir` or our own.
fn template(
    ctx: &Context<'_>,
    config: &Config,
    option: Option<BString>,
    start: &Path,
) -> Result<Template, Error> {
    let path = match (option, ctx.env.var("GIT_TEMPLATE_DIR")) {
        (Some(option), _) if option.is_empty() => return Ok(Template::Nothing),
        // The option is said where the command starts, and the command may have gone elsewhere.
        (Some(option), _) => Some(start.join(option.to_path_lossy())),
        (None, Some(told)) => Some(told.to_path_lossy().into_owned()),
        (None, None) => match config.last(b"init.templatedir").and_then(|entry| entry.value.as_ref()) {
            Some(value) => Some(
                adit_config::value::path(value.as_bstr(), ctx.env.home().as_deref())
                    .ok_or_else(|| Error::fatal(format!("failed to expand user dir in: '{value}'")))?,
            ),
            None => None,
        },
    };
    Ok(match path {
        None => Template::BuiltIn,
        Some(path) if path.as_os_str().is_empty() => Template::Nothing,
        Some(shown) => Template::Folder { path: ctx.env.cwd().join(&shown), shown },
    })
}

const DEFAULT_BRANCH: &str = "\
The first branch is called 'master' because no other name is configured; from Git 3.0 on
it will be 'main'. To choose the name for all repositories to come:

\tgit config --global init.defaultBranch <name>

and to change it in the one just made:

\tgit branch -m <name>
";

fn tell(ctx: &mut Context<'_>, config: &Config, notice: Notice, quiet: bool) -> Result<(), Error> {
    match notice {
        Notice::BranchByDefault if quiet => {}
        Notice::BranchByDefault => ctx.advise(config, "defaultBranchName", DEFAULT_BRANCH)?,
        Notice::BranchIgnored(branch) => {
            ctx.warn(format_args!("re-init: ignored --initial-branch={branch}"));
        }
        Notice::UnknownHash(name) => ctx.warn(format_args!("unknown hash algorithm '{name}'")),
        Notice::UnknownRefStorage(name) => ctx.warn(format_args!("unknown ref storage format '{name}'")),
        Notice::NoTemplates(path) => ctx.warn(format_args!("templates not found in {}", path.display())),
        Notice::OtherTemplates { path, why } => {
            ctx.warn(format_args!("not copying templates from '{}': {why}", path.display()));
        }
        Notice::OddTemplate(path) => ctx.complain(format_args!("ignoring template {}", path.display())),
    }
    Ok(())
}
