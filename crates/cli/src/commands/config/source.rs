//! Where `git config` reads from and writes to.

use std::io::Read;
use std::path::PathBuf;

use adit::config_files::{self, ConfigFile, Sources};
use adit_config::{Config, Origin, Scope};
use adit_object::{ObjectKind, Source};
use bstr::{BStr, BString, ByteSlice};

use super::options::{Place, Request};
use crate::context::Context;
use crate::error::Error;
use crate::names::Said;

/// Reads what the request is about. With `must_exist`, a file that was named has to be there.
pub(super) fn read(ctx: &mut Context<'_>, request: &Request, must_exist: bool) -> Result<Config, Error> {
    let place = place(ctx, request)?;
    // By default a file stands for itself; a blob or standard input is no file.
    let is_file = match &place {
        None | Some(Place::Blob(_)) => false,
        Some(Place::File(name)) => name != "-",
        Some(_) => true,
    };
    let includes = request.includes.unwrap_or(!is_file);
    let repo = ctx.repo_if_any();
    let env = ctx.env.clone();
    let sources = Sources::of(&env, repo.as_deref());
    match &place {
        None if includes => Ok(sources.read_all()?),
        None => Ok(sources.read(None)?),
        Some(Place::File(name)) if name == "-" => {
            let mut bytes = Vec::new();
            ctx.streams.input.read_to_end(&mut bytes).map_err(|error| {
                Error::fatal(format!("unable to read standard input: {}", adit_sys::os_error(&error)))
            })?;
            read_bytes(&sources, &bytes, Origin::StandardInput, includes)
        }
        Some(Place::Blob(name)) => {
            let bytes = blob(ctx, name.as_bstr())?;
            read_bytes(&sources, &bytes, Origin::Blob(name.clone()), includes)
        }
        Some(place) => {
            let scope = match place {
                Place::Global => Scope::Global,
                Place::System => Scope::System,
                Place::Local => Scope::Local,
                Place::Worktree => Scope::Worktree,
                _ => Scope::Command,
            };
            read_file(&sources, &file(ctx, Some(place))?, scope, includes, must_exist)
        }
    }
}

/// The file that the request changes.
pub(super) fn file_to_write(ctx: &mut Context<'_>, request: &Request) -> Result<ConfigFile, Error> {
    match place(ctx, request)? {
        Some(Place::File(name)) if name == "-" => Err(Error::fatal("writing to stdin is not supported")),
        Some(Place::Blob(_)) => Err(Error::fatal("writing config blobs is not supported")),
        place => file(ctx, place.as_ref()),
    }
}

/// The place that was asked for, on the command line or by `GIT_CONFIG`.
fn place(ctx: &mut Context<'_>, request: &Request) -> Result<Option<Place>, Error> {
    let outside = ctx.repo_if_any().is_none();
    let needs_repository = match request.place {
        Some(Place::Local) => Some("--local"),
        Some(Place::Worktree) => Some("--worktree"),
        Some(Place::Blob(_)) => Some("--blob"),
        _ => None,
    };
    match needs_repository.filter(|_| outside) {
        Some(option) => Err(Error::fatal(format!("{option} can only be used inside a git repository"))),
        None => {
            let named = ctx.env.var("GIT_CONFIG").map(|name| Place::File(name.to_owned()));
            Ok(request.place.clone().or(named))
        }
    }
}

/// The one file that stands for a place.
fn file(ctx: &Context<'_>, place: Option<&Place>) -> Result<ConfigFile, Error> {
    let repo = ctx.repo_if_any();
    let not_inside = || Error::fatal("not in a git directory");
    Ok(match place {
        None | Some(Place::Local) => config_files::local_file(repo.ok_or_else(not_inside)?.location()),
        Some(Place::Worktree) => {
            let repo = repo.ok_or_else(not_inside)?;
            if repo.format().worktree_config {
                config_files::worktree_file(repo.location())
            } else if has_linked_worktrees(&repo) {
                return Err(Error::fatal(
                    "--worktree cannot be used with multiple working trees unless the config\n\
                     extension worktreeConfig is enabled. Please read \"CONFIGURATION FILE\"\n\
                     section in \"git help worktree\" for details",
                ));
            } else {
                config_files::local_file(repo.location())
            }
        }
        Some(Place::System) => {
            ctx.env.path("GIT_CONFIG_SYSTEM").unwrap_or_else(|| PathBuf::from("/etc/gitconfig")).into()
        }
        Some(Place::Global) => {
            let files = config_files::global_files(&ctx.env);
            let home = files
                .last()
                .filter(|_| ctx.env.var("GIT_CONFIG_GLOBAL").is_some() || ctx.env.home().is_some());
            let home = home.ok_or_else(|| Error::fatal("$HOME not set"))?;
            // The file below the home folder, unless only the other one exists.
            files.iter().rev().find(|file| file.exists()).unwrap_or(home).clone().into()
        }
        Some(Place::File(name) | Place::Blob(name)) => named_file(ctx, name),
    })
}

/// A file by the name that was given. Messages call it by that name as seen from the top of the working tree, where git
/// itself would stand.
fn named_file(ctx: &Context<'_>, name: &BString) -> ConfigFile {
    let given = name.to_path_lossy();
    let shown = match ctx.repo_if_any() {
        Some(repo) if given.is_relative() && !repo.prefix().is_empty() => {
            [repo.prefix().as_bytes(), name].concat().to_path_lossy().into_owned()
        }
        _ => given.clone().into_owned(),
    };
    ConfigFile { path: ctx.env.cwd().join(given), shown }
}

fn has_linked_worktrees(repo: &adit::Repository) -> bool {
    std::fs::read_dir(repo.common_dir().join("worktrees")).is_ok_and(|mut entries| entries.next().is_some())
}

fn read_file(
    sources: &Sources<'_>,
    file: &ConfigFile,
    scope: Scope,
    includes: bool,
    must_exist: bool,
) -> Result<Config, Error> {
    let mut config = Config::default();
    let exists = if includes {
        sources.including(|includes| config_files::add_file(&mut config, file, scope, Some(includes)))?
    } else {
        config_files::add_file(&mut config, file, scope, None)?
    };
    if must_exist && !exists {
        let name = file.shown.display();
        return Err(Error::fatal(format!("unable to read config file '{name}': No such file or directory")));
    }
    Ok(config)
}

fn read_bytes(sources: &Sources<'_>, bytes: &[u8], origin: Origin, includes: bool) -> Result<Config, Error> {
    let mut config = Config::default();
    if includes {
        sources.including(|includes| config.add_bytes_including(bytes, origin, Scope::Command, includes))?;
    } else {
        config.add_bytes(bytes, origin, Scope::Command)?;
    }
    Ok(config)
}

fn blob(ctx: &mut Context<'_>, name: &BStr) -> Result<Vec<u8>, Error> {
    let repo = ctx.repo()?;
    let context = repo.name_context()?;
    let said = Said::new(&mut ctx.streams.err);
    let names = context.names(&said)?;
    let id =
        names.resolve(name).map_err(|_| Error::fatal(format!("unable to resolve config blob '{name}'")))?;
    let mut bytes = Vec::new();
    let kind = repo
        .objects()?
        .read(&id, &mut bytes)
        .map_err(|_| Error::fatal(format!("unable to load config blob object '{name}'")))?;
    if kind != ObjectKind::Blob {
        return Err(Error::fatal(format!("reference '{name}' does not point to a blob")));
    }
    Ok(bytes)
}
