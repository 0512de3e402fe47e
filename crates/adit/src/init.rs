//! Making repositories, and making them anew (git-init; gitrepository-layout).

mod error;
mod layout;
mod separate;
mod template;

use std::fs;
use std::path::{Path, PathBuf};

use adit_config::{Config, Scope};
use adit_object::ObjectFormat;
use adit_sys::Sharing;
use bstr::BString;

pub use error::{InitError, Notice};
pub use separate::real_path;
pub use template::Template;

use crate::discovery::Location;
use crate::{Environment, OpenError, RefStorage, RepositoryFormat, config_files, sharing};

/// What kind of repository is wanted, and where.
#[derive(Debug, Clone)]
pub struct InitOptions {
    /// Where it goes: an absolute path, `.git` in the working tree or a bare repository's own folder.
    pub git_dir: PathBuf,
    /// Where it really goes, so that `git_dir` becomes a file that says so; an absolute path.
    pub separate: Option<PathBuf>,
    /// Whether it is to have no working tree.
    pub bare: bool,
    /// The working tree, a path without links in it; it is recorded unless the repository is its `.git`.
    pub work_tree: Option<PathBuf>,
    /// What it is furnished with.
    pub template: Template,
    /// The hash that is to name its objects; `None` leaves that to the environment and the configuration.
    pub object_format: Option<ObjectFormat>,
    /// How its references are to be stored; `None` leaves that to the environment and the configuration.
    pub ref_storage: Option<RefStorage>,
    /// Who may use it; `None` leaves that to the configuration.
    pub sharing: Option<Sharing>,
    /// The branch that it starts on; `None` leaves that to the configuration.
    pub initial_branch: Option<BString>,
}

/// What was made.
#[derive(Debug, Clone)]
pub struct Initialized {
    /// Where the repository is.
    pub git_dir: PathBuf,
    /// Whether it was there before.
    pub was_there: bool,
    /// Who may use it.
    pub sharing: Sharing,
}

/// Makes a repository, or brings one that is there up to date: nothing that it has is overwritten. `notify` gets what
/// is worth telling on the way.
///
/// # Errors
/// When it cannot be made as asked, or what is there is not what was asked for.
pub fn init(
    env: &Environment,
    options: &InitOptions,
    notify: &mut dyn FnMut(Notice),
) -> Result<Initialized, InitError> {
    let place = separate::place(env, options)?;
    let declared = declared_format(&place.common_dir)?;
    let outer = config_files::without_repository(env)?;
    let object_format = object_format(env, &outer, options, declared.as_ref(), notify)?;
    ref_storage(env, &outer, options, declared.as_ref(), notify)?;
    make_folder(&place.git_dir)?;
    // The permissions that templates are copied with are those that hold before they are: theirs come later.
    let before = options.sharing.map_or_else(|| sharing::configured(&outer), Ok)?;
    template::copy(&options.template, &place.common_dir, before, notify)?;

    let location = Location {
        git_dir: place.git_dir.clone(),
        common_dir: place.common_dir.clone(),
        found_in: None,
        explicit: true,
        shown: place.git_dir.clone(),
    };
    let local = local_config(&place.common_dir)?;
    let config = config_files::all(env, &location, &declared.unwrap_or_default(), &outer, &local)?;
    let sharing = options.sharing.map_or_else(|| sharing::configured(&config), Ok)?;
    let head = place.git_dir.join("HEAD");
    let was_there = fs::symlink_metadata(&head).is_ok();
    layout::make_ref_folders(&place, sharing)?;
    layout::write_config(options, &place, &config, object_format, sharing, was_there)?;
    let branch = if was_there { None } else { Some(initial_branch(env, options, &config, notify)?) };
    layout::make_object_folders(env, &place, sharing)?;
    match (&branch, &options.initial_branch) {
        // Now it is a repository.
        (Some(branch), _) => layout::write_head(&head, branch, sharing)?,
        (None, Some(ignored)) => notify(Notice::BranchIgnored(ignored.clone())),
        (None, None) => {}
    }
    Ok(Initialized { git_dir: place.git_dir, was_there, sharing })
}

/// What the configuration of a repository that is there declares; `None` when there is none.
fn declared_format(common_dir: &Path) -> Result<Option<RepositoryFormat>, InitError> {
    let local = local_config(common_dir)?;
    Ok(if local.entries().is_empty() { None } else { Some(RepositoryFormat::read(&local)?) })
}

fn local_config(common_dir: &Path) -> Result<Config, OpenError> {
    let mut local = Config::default();
    local.add_file(&common_dir.join("config"), Scope::Local)?;
    Ok(local)
}

/// Decides which hash names objects. What is there already stays.
fn object_format(
    env: &Environment,
    outer: &Config,
    options: &InitOptions,
    declared: Option<&RepositoryFormat>,
    notify: &mut dyn FnMut(Notice),
) -> Result<ObjectFormat, InitError> {
    let mut configured = None;
    if let Some(name) = outer.string("init.defaultobjectformat").map_err(OpenError::from)? {
        configured = ObjectFormat::from_name(name);
        if configured.is_none() {
            notify(Notice::UnknownHash(name.to_owned()));
        }
    }
    match (declared, options.object_format, env.var_non_empty("GIT_DEFAULT_HASH")) {
        (Some(declared), Some(wanted), _) if wanted != declared.object_format => {
            Err(InitError::DifferentHash)
        }
        (Some(declared), _, _) => Ok(declared.object_format),
        (None, Some(wanted), _) => Ok(wanted),
        (None, None, Some(name)) => {
            ObjectFormat::from_name(name).ok_or_else(|| InitError::UnknownHash(name.to_owned()))
        }
        (None, None, None) => Ok(configured.unwrap_or_default()),
    }
}

/// Decides how references are stored, and refuses what cannot be done. What is there already stays.
fn ref_storage(
    env: &Environment,
    outer: &Config,
    options: &InitOptions,
    declared: Option<&RepositoryFormat>,
    notify: &mut dyn FnMut(Notice),
) -> Result<(), InitError> {
    let mut configured = None;
    if let Some(name) = outer.string("init.defaultrefformat").map_err(OpenError::from)? {
        configured = RefStorage::from_name(name);
        if configured.is_none() {
            notify(Notice::UnknownRefStorage(name.to_owned()));
        }
    }
    let storage = match (declared, options.ref_storage, env.var_non_empty("GIT_DEFAULT_REF_FORMAT")) {
        (Some(declared), Some(wanted), _) if wanted != declared.ref_storage => {
            return Err(InitError::DifferentRefStorage);
        }
        (Some(declared), _, _) => declared.ref_storage,
        (None, Some(wanted), _) => wanted,
        (None, None, Some(name)) => {
            RefStorage::from_name(name).ok_or_else(|| InitError::UnknownRefStorage(name.to_owned()))?
        }
        (None, None, None) => configured.unwrap_or_default(),
    };
    match storage {
        RefStorage::Files => Ok(()),
        RefStorage::Reftable => Err(OpenError::Unsupported("the reference format 'reftable'").into()),
    }
}

/// The full name of the branch that the repository starts on.
fn initial_branch(
    env: &Environment,
    options: &InitOptions,
    config: &Config,
    notify: &mut dyn FnMut(Notice),
) -> Result<BString, InitError> {
    let full = |name: &[u8]| -> Option<BString> {
        let full = [b"refs/heads/", name].concat();
        adit_refs::name::is_valid(&full, adit_refs::name::Rules::default()).then(|| full.into())
    };
    if let Some(name) = &options.initial_branch {
        return full(name).ok_or_else(|| InitError::BadBranch(name.clone()));
    }
    let told = env.var_non_empty("GIT_TEST_DEFAULT_INITIAL_BRANCH_NAME");
    let name = match told {
        Some(name) => Some(name),
        None => config.string("init.defaultbranch").map_err(OpenError::from)?,
    };
    match name {
        Some(name) => full(name).ok_or_else(|| InitError::BadDefaultBranch(name.to_owned())),
        None => {
            notify(Notice::BranchByDefault);
            Ok("refs/heads/master".into())
        }
    }
}

/// Makes a folder unless it is there.
fn make_folder(path: &Path) -> Result<(), InitError> {
    match fs::create_dir(path) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            Err(InitError::Folder { path: path.to_owned(), error })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
