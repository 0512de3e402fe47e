//! An open repository.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use adit_config::{Config, Scope};
use adit_object::ObjectFormat;
use bstr::{BStr, BString, ByteSlice};

use crate::discovery::{Location, normalize};
use crate::{Environment, OpenError, RepositoryFormat, config_files};

/// An open repository: where it is, how it is configured, and what it stores.
///
/// It can be shared between threads, and many can be open at once.
#[derive(Debug)]
pub struct Repository {
    env: Environment,
    location: Location,
    config: Arc<Config>,
    format: RepositoryFormat,
    work_tree: Option<PathBuf>,
    prefix: BString,
    bare: bool,
    refs: OnceLock<adit_refs::Store>,
    objects: OnceLock<Arc<adit_odb::Store>>,
    pub(crate) graph: OnceLock<crate::history::Graph>,
    /// What there is to tell the user of settings that make no sense and are done without.
    complaints: Mutex<Vec<String>>,
}

impl Repository {
    /// Opens the repository at `path` or above it, with no regard for environment variables or the user's files.
    ///
    /// # Errors
    /// When there is none, or it cannot be used.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, OpenError> {
        let path = path.into();
        let path = std::fs::canonicalize(&path).map_err(|error| OpenError::Io { path, error })?;
        let mut env = Environment::empty(path);
        // A library does not second-guess the folder that its caller names.
        env.set("GIT_CONFIG_NOSYSTEM", "1");
        env.set("GIT_ATTR_NOSYSTEM", "1");
        let location = Location::find(&env)?;
        let outer = config_files::without_repository(&env)?;
        Self::at(env, location, &outer)
    }

    /// Opens the repository that `env` points to, as a command does: variables, the user's configuration and the
    /// safety of folders that belong to others count.
    ///
    /// # Errors
    /// When there is none, or it cannot be used.
    pub fn discover(env: &Environment) -> Result<Self, OpenError> {
        let location = Location::find(env)?;
        let outer = config_files::without_repository(env)?;
        location.check_safe(env, &outer)?;
        Self::at(env.clone(), location, &outer)
    }

    /// Opens what is at `location`; `outer` is the configuration that does not depend on it.
    fn at(env: Environment, location: Location, outer: &Config) -> Result<Self, OpenError> {
        let mut local = Config::default();
        config_files::add_file(&mut local, &config_files::local_file(&location), Scope::Local, None)?;
        let format = RepositoryFormat::read(&local)?;
        let config = config_files::all(&env, &location, &format, outer, &local)?;
        let configured_bare = config.bool("core.bare")?;
        let work_tree = work_tree(&env, &location, &config, configured_bare)?;
        let prefix = work_tree.as_deref().map(|tree| prefix_in(tree, env.cwd())).unwrap_or_default();
        let bare = work_tree.is_none() && configured_bare.unwrap_or(location.found_in.is_none());
        let config = Arc::new(config);
        let (refs, objects, graph, complaints) = Default::default();
        Ok(Repository {
            env,
            location,
            config,
            format,
            work_tree,
            prefix,
            bare,
            refs,
            objects,
            graph,
            complaints,
        })
    }

    /// The environment that it was opened with.
    pub fn env(&self) -> &Environment {
        &self.env
    }

    /// Where it is, and how it was found.
    pub fn location(&self) -> &Location {
        &self.location
    }

    /// The folder of this working tree's repository: `HEAD` and the index are there.
    pub fn git_dir(&self) -> &Path {
        &self.location.git_dir
    }

    /// The folder that all working trees share.
    pub fn common_dir(&self) -> &Path {
        &self.location.common_dir
    }

    /// The folder of the object store.
    pub fn objects_dir(&self) -> PathBuf {
        match self.env.path("GIT_OBJECT_DIRECTORY") {
            Some(dir) => self.env.cwd().join(dir),
            None => self.location.common_dir.join("objects"),
        }
    }

    /// The top of the working tree; `None` when there is none.
    pub fn work_tree(&self) -> Option<&Path> {
        self.work_tree.as_deref()
    }

    /// Whether it has no working tree by nature.
    pub fn is_bare(&self) -> bool {
        self.bare
    }

    /// Whether the working directory lies within the repository's own folder.
    pub fn is_inside_git_dir(&self) -> bool {
        self.env.cwd().starts_with(self.git_dir())
    }

    /// Whether the working directory lies within the working tree.
    pub fn is_inside_work_tree(&self) -> bool {
        self.work_tree.as_deref().is_some_and(|tree| self.env.cwd().starts_with(tree))
    }

    /// Where the working directory lies below the top of the working tree: empty, or a path that ends with `/`.
    pub fn prefix(&self) -> &BStr {
        self.prefix.as_bstr()
    }

    /// All configuration that applies here.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The same, to be kept longer than a borrow lasts.
    pub fn shared_config(&self) -> Arc<Config> {
        Arc::clone(&self.config)
    }

    /// The format that the repository declares.
    pub fn format(&self) -> &RepositoryFormat {
        &self.format
    }

    /// The references.
    ///
    /// # Errors
    /// When they are kept in a way that this version cannot read.
    pub fn refs(&self) -> Result<&adit_refs::Store, OpenError> {
        match self.refs.get() {
            Some(refs) => Ok(refs),
            None => {
                let opened = self.open_refs()?;
                Ok(self.refs.get_or_init(|| opened))
            }
        }
    }

    /// The objects. Replacement references apply.
    ///
    /// # Errors
    /// When the store cannot be opened.
    pub fn objects(&self) -> Result<&adit_odb::Store, OpenError> {
        Ok(self.shared_objects()?)
    }

    /// The objects, for a thread that may outlive the borrow of the repository.
    ///
    /// # Errors
    /// When they cannot be opened.
    pub fn shared_objects(&self) -> Result<&Arc<adit_odb::Store>, OpenError> {
        match self.objects.get() {
            Some(objects) => Ok(objects),
            None => {
                let opened = Arc::new(self.open_objects()?);
                Ok(self.objects.get_or_init(|| opened))
            }
        }
    }

    /// The objects, if they were asked for before.
    pub(crate) fn objects_if_open(&self) -> Option<&adit_odb::Store> {
        self.objects.get().map(|objects| &**objects)
    }

    /// Notes what is to be told to the user.
    pub(crate) fn complain(&self, what: String) {
        self.complaints.lock().unwrap_or_else(PoisonError::into_inner).push(what);
    }

    /// What was noted so far.
    pub(crate) fn noted_complaints(&self) -> Vec<String> {
        std::mem::take(&mut self.complaints.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The hash that names its objects.
    pub fn object_format(&self) -> ObjectFormat {
        self.format.object_format
    }
}

/// The top of the working tree: `GIT_WORK_TREE`, `core.worktree`, or where the repository was found.
fn work_tree(
    env: &Environment,
    location: &Location,
    config: &Config,
    bare: Option<bool>,
) -> Result<Option<PathBuf>, OpenError> {
    if let Some(tree) = env.path("GIT_WORK_TREE") {
        return Ok(Some(normalize(&env.cwd().join(tree))));
    }
    if let Some(tree) = config.string("core.worktree")? {
        return Ok(Some(normalize(&location.git_dir.join(tree.to_path_lossy()))));
    }
    if bare == Some(true) {
        return Ok(None);
    }
    if let Some(found_in) = &location.found_in {
        return Ok(Some(found_in.clone()));
    }
    if location.explicit && env.bool("GIT_IMPLICIT_WORK_TREE", true)? {
        return Ok(Some(env.cwd().to_owned()));
    }
    Ok(None)
}

/// `dir` relative to `tree`, with a slash at the end unless it is empty.
fn prefix_in(tree: &Path, dir: &Path) -> BString {
    let below = match dir.strip_prefix(tree) {
        Ok(below) => below.to_owned(),
        Err(_) => {
            let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
            match real(dir).strip_prefix(real(tree)) {
                Ok(below) => below.to_owned(),
                Err(_) => PathBuf::new(),
            }
        }
    };
    let mut prefix = BString::from(below.as_os_str().as_bytes());
    if !prefix.is_empty() {
        prefix.push(b'/');
    }
    prefix
}
