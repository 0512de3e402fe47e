//! Attributes in a repository: where their files are, and what they mean for diffs (gitattributes).

use std::collections::HashMap;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use adit_config::Config;
use adit_diff::lines::Algorithm;
use adit_diff::pathspec::{AttributeLookup, AttributeState};
use adit_diff::userdiff::{Driver, Functions, Patterns};
use adit_diff::whitespace::{MARKER_SIZE, Rules};
use adit_object::{EntryKind, ObjectId, ObjectKind, Source, Tree};
use adit_text::posix_regex::Syntax;
use adit_worktree::{Attributes, Folders};
use bstr::{BStr, BString, ByteSlice};

use crate::{Environment, OpenError, Repository, config_files};

/// What the attributes of a repository mean: which driver compares a path, what counts as a white space error.
pub struct PathAttributes {
    attributes: Attributes,
    config: Arc<Config>,
    /// Drivers by name; `None` is a name that means nothing.
    drivers: Mutex<HashMap<BString, Option<Arc<Driver>>>>,
    rules: Rules,
}

impl Repository {
    /// The attributes that apply here: those of the working tree, or of the tree that `--attr-source`, `attr.tree` or
    /// `GIT_ATTR_SOURCE` names.
    ///
    /// # Errors
    /// When a setting cannot be used, or the tree that is named cannot be read.
    pub fn attributes(&self) -> Result<PathAttributes, OpenError> {
        let config = self.shared_config();
        let rules = match config.string("core.whitespace")? {
            Some(list) => Rules::parse(list).map_err(|error| OpenError::BadSetting {
                name: "core.whitespace",
                what: error.to_string(),
            })?,
            None => Rules::default(),
        };
        let attributes = self.path_attributes()?;
        Ok(PathAttributes { attributes, config, drivers: Mutex::default(), rules })
    }

    /// What attributes files say of paths, without what that means.
    ///
    /// # Errors
    /// As [`Repository::attributes`].
    pub fn path_attributes(&self) -> Result<Attributes, OpenError> {
        let (FolderFiles::Tree(folders) | FolderFiles::WorkTree(folders)) = self.attribute_folders()?;
        self.path_attributes_of(folders)
    }

    /// The same, with the `.gitattributes` of a tree instead of those of the working tree.
    ///
    /// # Errors
    /// When `tree` leads to no tree, or cannot be read.
    pub fn path_attributes_in(&self, tree: &ObjectId) -> Result<Attributes, OpenError> {
        self.path_attributes_of(self.tree_folders(tree)?)
    }

    /// The same, with the `.gitattributes` of the index where the working tree has none, or with those alone.
    ///
    /// # Errors
    /// As [`Repository::attributes`], and when the index cannot be read.
    pub fn path_attributes_with_index(&self, only: bool) -> Result<Attributes, OpenError> {
        let outer = match self.attribute_folders()? {
            FolderFiles::Tree(folders) => return self.path_attributes_of(folders),
            FolderFiles::WorkTree(_) if only => Box::new(NoFolders),
            FolderFiles::WorkTree(folders) => folders,
        };
        let store = Repository::open_objects(self)?;
        self.path_attributes_of(Box::new(IndexFolders { outer, index: self.index()?, store }))
    }

    fn path_attributes_of(&self, folders: Box<dyn Folders>) -> Result<Attributes, OpenError> {
        let outer = outer_files(self.env(), self.config())?;
        let info = std::fs::read(self.common_dir().join("info").join("attributes")).ok();
        let ignore_case = self.config().bool("core.ignorecase")?.unwrap_or(false);
        Ok(Attributes::new(folders, outer, info).ignoring_case(ignore_case))
    }

    fn tree_folders(&self, tree: &ObjectId) -> Result<Box<dyn Folders>, OpenError> {
        let Some(root) = self.peel(tree, ObjectKind::Tree)? else {
            return Err(OpenError::NotATree { id: *tree });
        };
        let store = Repository::open_objects(self)?;
        Ok(Box::new(TreeFolders { store, root }))
    }

    fn attribute_folders(&self) -> Result<FolderFiles, OpenError> {
        let named = self.env().var("GIT_ATTR_SOURCE").map(ToOwned::to_owned);
        let configured = self.config().string("attr.tree")?.map(ToOwned::to_owned);
        let tree = match (named, configured) {
            (Some(name), _) => Some(self.resolve(&name).map_err(|_| OpenError::BadAttributeSource)?),
            // A setting that leads nowhere counts for nothing.
            (None, Some(name)) => self.resolve(&name).ok(),
            (None, None) => None,
        };
        if let Some(tree) = tree {
            return Ok(FolderFiles::Tree(self.tree_folders(&tree)?));
        }
        Ok(FolderFiles::WorkTree(match self.work_tree() {
            Some(top) => Box::new(DiskFolders { top: top.to_owned(), name: ".gitattributes" }),
            None => Box::new(NoFolders),
        }))
    }
}

/// The contents of the system's and the user's attributes files.
fn outer_files(env: &Environment, config: &Config) -> Result<Vec<Vec<u8>>, OpenError> {
    let system = config_files::system_attributes(env)?;
    let user = config_files::global_attributes(env, config);
    Ok([system, user].into_iter().flatten().filter_map(|path| std::fs::read(path).ok()).collect())
}

/// What the system's and the user's files say, where there is no repository.
pub(crate) fn outside(env: &Environment, config: &Config) -> Result<Attributes, OpenError> {
    Ok(Attributes::new(Box::new(NoFolders), outer_files(env, config)?, None))
}

/// Reads the file of one name from the folders of a working tree.
pub(crate) struct DiskFolders {
    pub(crate) top: PathBuf,
    pub(crate) name: &'static str,
}

impl Folders for DiskFolders {
    fn read(&self, folder: &BStr) -> io::Result<Option<Vec<u8>>> {
        let path = self.top.join(folder.to_path_lossy()).join(self.name);
        let mut content = Vec::new();
        // A link could lead out of the working tree, and a tree would not follow it: the system refuses to.
        match adit_sys::open_itself(&path).and_then(|mut file| file.read_to_end(&mut content)) {
            Ok(_) => Ok(Some(content)),
            Err(error) => match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::IsADirectory => {
                    Ok(None)
                }
                _ => Err(error),
            },
        }
    }
}

/// Reads `.gitattributes` from a tree object.
struct TreeFolders {
    store: adit_odb::Store,
    root: ObjectId,
}

impl Folders for TreeFolders {
    fn read(&self, folder: &BStr) -> io::Result<Option<Vec<u8>>> {
        Ok(self.find(folder))
    }
}

impl TreeFolders {
    fn find(&self, folder: &BStr) -> Option<Vec<u8>> {
        let mut id = self.root;
        let mut bytes = Vec::new();
        let parts = folder.split_str("/").filter(|part| !part.is_empty());
        for (name, kind) in
            parts.map(|part| (part, EntryKind::Tree)).chain([(&b".gitattributes"[..], EntryKind::File)])
        {
            self.store.read_kind(&id, ObjectKind::Tree, &mut bytes).ok()?;
            let mut entries = Tree::new(self.store.format(), &bytes).filter_map(Result::ok);
            id = entries.find(|entry| entry.name == name && entry.kind() == kind)?.id(self.store.format());
        }
        self.store.read_kind(&id, ObjectKind::Blob, &mut bytes).ok()?;
        Some(bytes)
    }
}

/// Where the files of folders are read.
enum FolderFiles {
    /// A tree that was asked for instead.
    Tree(Box<dyn Folders>),
    /// The working tree, or nowhere when there is none.
    WorkTree(Box<dyn Folders>),
}

/// Reads `.gitattributes` from the index where there is none otherwise.
struct IndexFolders {
    outer: Box<dyn Folders>,
    index: adit_index::Index,
    store: adit_odb::Store,
}

impl Folders for IndexFolders {
    fn read(&self, folder: &BStr) -> io::Result<Option<Vec<u8>>> {
        let outer = self.outer.read(folder);
        if matches!(outer, Ok(Some(_))) {
            return outer;
        }
        let path = [folder.as_bytes(), b".gitattributes"].concat();
        let Some(entry) = self.index.get(&path).filter(|entry| entry.kind() == EntryKind::File) else {
            return outer;
        };
        let mut content = Vec::new();
        match self.store.read_kind(&entry.id(), ObjectKind::Blob, &mut content) {
            Ok(()) => Ok(Some(content)),
            Err(_) => outer,
        }
    }
}

/// No file in any folder.
pub(crate) struct NoFolders;

impl Folders for NoFolders {
    fn read(&self, _: &BStr) -> io::Result<Option<Vec<u8>>> {
        Ok(None)
    }
}

impl AttributeLookup for PathAttributes {
    fn state(&self, path: &BStr, name: &BStr) -> AttributeState {
        self.attributes.state(path, name)
    }
}

impl adit_diff::show::Attributes for PathAttributes {
    fn driver(&self, path: &BStr) -> Option<Arc<Driver>> {
        match self.attributes.state(path, "diff".into()) {
            AttributeState::Unspecified => self.named("default".into()),
            AttributeState::Set => Some(Arc::new(Driver { binary: Some(false), ..Driver::default() })),
            AttributeState::Unset => Some(Arc::new(Driver { binary: Some(true), ..Driver::default() })),
            AttributeState::Value(name) => self.named(name),
        }
    }

    fn rules(&self, path: &BStr) -> Rules {
        match self.attributes.state(path, "whitespace".into()) {
            AttributeState::Unspecified => self.rules,
            AttributeState::Set => Rules::all(self.rules.tab_width),
            AttributeState::Unset => Rules::none(self.rules.tab_width),
            AttributeState::Value(list) => Rules::parse(&list).unwrap_or(self.rules),
        }
    }

    fn marker_size(&self, path: &BStr) -> usize {
        let said = match self.attributes.state(path, "conflict-marker-size".into()) {
            AttributeState::Value(size) => adit_config::value::integer(size.as_bstr()).ok(),
            _ => None,
        };
        said.and_then(|size| usize::try_from(size).ok()).filter(|&size| size > 0).unwrap_or(MARKER_SIZE)
    }
}

impl PathAttributes {
    /// The driver of that name, made when it is first asked for.
    fn named(&self, name: BString) -> Option<Arc<Driver>> {
        let mut drivers = self.drivers.lock().unwrap_or_else(PoisonError::into_inner);
        let made = drivers.entry(name).or_insert_with_key(|name| self.make(name.as_bstr()).map(Arc::new));
        made.clone()
    }

    /// The built-in driver of that name as `diff.<name>.*` changes it; `None` when neither says anything.
    fn make(&self, name: &BStr) -> Option<Driver> {
        let get = |key: &str| {
            let full = [b"diff.", name.as_bytes(), b".", key.as_bytes()].concat();
            self.config.last(&full).map(|entry| entry.value.clone().unwrap_or_default())
        };
        let is_true = |value: BString| adit_config::value::boolean(Some(value.as_bstr())).ok();
        let mut driver = Driver::builtin(name);
        let mut change = |apply: &dyn Fn(&mut Driver)| {
            apply(driver.get_or_insert_with(|| Driver { name: name.to_owned(), ..Driver::default() }));
        };
        for (key, syntax) in [("funcname", Syntax::Basic), ("xfuncname", Syntax::Extended)] {
            if let Some(patterns) = get(key).and_then(|text| Patterns::parse(&text, syntax).ok()) {
                change(&|driver| driver.functions = Functions::Patterns(patterns.clone()));
            }
        }
        if let Some(value) = get("binary") {
            // `auto` leaves it to the content.
            change(&|driver| driver.binary = is_true(value.clone()));
        }
        if let Some(algorithm) = get("algorithm").and_then(|value| Algorithm::from_name(&value)) {
            change(&|driver| driver.algorithm = Some(algorithm));
        }
        if let Some(program) = get("textconv") {
            change(&|driver| driver.textconv = Some(program.clone()));
        }
        if let Some(program) = get("command") {
            change(&|driver| driver.command = Some(program.clone()));
        }
        if let Some(caches) = get("cachetextconv").and_then(is_true) {
            change(&|driver| driver.cache_textconv = caches);
        }
        if let Some(trusts) = get("trustexitcode").and_then(is_true) {
            change(&|driver| driver.trust_exit_code = trusts);
        }
        driver
    }
}
