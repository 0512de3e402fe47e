//! The repository format: its version, and the extensions that it needs (gitrepository-layout, git-config).

use adit_config::{Config, Scope};
use adit_object::ObjectFormat;
use bstr::{BString, ByteSlice};

use crate::OpenError;

/// How references are stored (`extensions.refStorage`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RefStorage {
    /// Loose files and `packed-refs`.
    #[default]
    Files,
    /// Tables of references.
    Reftable,
}

impl RefStorage {
    /// The name that `rev-parse --show-ref-format` prints.
    pub fn as_str(self) -> &'static str {
        match self {
            RefStorage::Files => "files",
            RefStorage::Reftable => "reftable",
        }
    }

    /// The one of that name.
    pub fn from_name(name: &[u8]) -> Option<Self> {
        [RefStorage::Files, RefStorage::Reftable]
            .into_iter()
            .find(|storage| storage.as_str().as_bytes() == name)
    }
}

/// What a repository's own configuration says of its format.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RepositoryFormat {
    /// Which hash names its objects.
    pub object_format: ObjectFormat,
    /// How its references are stored.
    pub ref_storage: RefStorage,
    /// Whether each working tree has a configuration of its own.
    pub worktree_config: bool,
    /// The remote that has promised missing objects, if any.
    pub partial_clone: Option<BString>,
    /// Whether objects must never be deleted.
    pub precious_objects: bool,
}

/// Extensions that are honoured whatever the version, for the sake of old repositories.
const ANY_VERSION: [&str; 4] = ["noop", "preciousobjects", "partialclone", "worktreeconfig"];
/// Extensions that a repository of version 0 must not have.
const VERSION_1: [&str; 6] = [
    "noop-v1",
    "objectformat",
    "compatobjectformat",
    "refstorage",
    "relativeworktrees",
    "submodulepathconfig",
];

impl RepositoryFormat {
    /// Reads the format from the repository's own configuration (the local scope of `config`).
    ///
    /// # Errors
    /// For a version or an extension that is not known: such a repository must not be touched.
    pub fn read(config: &Config) -> Result<Self, OpenError> {
        let version = config.integer("core.repositoryformatversion")?.unwrap_or(0);
        if version > 1 {
            return Err(OpenError::Version { found: version });
        }
        let mut format = RepositoryFormat::default();
        let (mut unknown, mut too_new) = (Vec::new(), Vec::new());
        for entry in config.entries().iter().filter(|entry| entry.scope == Scope::Local) {
            let Some(name) = entry.name.strip_prefix(b"extensions.").and_then(|name| name.to_str().ok())
            else {
                continue;
            };
            if ANY_VERSION.contains(&name) {
                continue;
            }
            match (VERSION_1.contains(&name), version) {
                (true, 0) => too_new.push(name.to_owned()),
                (false, 1) => unknown.push(name.to_owned()),
                _ => {}
            }
        }
        if version == 1 && !unknown.is_empty() {
            return Err(OpenError::UnknownExtensions(unknown));
        }
        if !too_new.is_empty() {
            return Err(OpenError::ExtensionsNeedVersion1(too_new));
        }
        if let Some(name) = config.string("extensions.objectformat")? {
            format.object_format = ObjectFormat::from_name(name).ok_or_else(|| OpenError::BadExtension {
                name: "extensions.objectformat",
                value: name.to_string(),
            })?;
        }
        if let Some(name) = config.string("extensions.refstorage")? {
            format.ref_storage = RefStorage::from_name(name).ok_or_else(|| OpenError::BadExtension {
                name: "extensions.refstorage",
                value: name.to_string(),
            })?;
        }
        if config.string("extensions.compatobjectformat").is_ok_and(|value| value.is_some()) {
            return Err(OpenError::Unsupported("extensions.compatObjectFormat"));
        }
        format.worktree_config = config.bool("extensions.worktreeconfig")?.unwrap_or(false);
        format.precious_objects = config.bool("extensions.preciousobjects")?.unwrap_or(false);
        format.partial_clone = config.string("extensions.partialclone")?.map(ToOwned::to_owned);
        Ok(format)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use adit_config::Origin;

    fn read(text: &str) -> Result<RepositoryFormat, String> {
        let mut config = Config::default();
        config.add_bytes(text.as_bytes(), Origin::CommandLine, Scope::Local).unwrap();
        RepositoryFormat::read(&config).map_err(|error| error.to_string())
    }

    #[test]
    fn versions_and_extensions() {
        assert_eq!(read("").unwrap(), RepositoryFormat::default());
        let sha256 = read("[core]repositoryformatversion=1\n[extensions]objectformat=sha256").unwrap();
        assert_eq!(sha256.object_format, ObjectFormat::Sha256);
        for (text, message) in [
            ("[core]repositoryformatversion=3", "Expected git repo version <= 1, found 3"),
            (
                "[core]repositoryformatversion=1\n[extensions]foo=x\nbar=y",
                "unknown repository extensions found:\n\tfoo\n\tbar",
            ),
            (
                "[extensions]objectformat=sha256",
                "repo version is 0, but v1-only extension found:\n\tobjectformat",
            ),
        ] {
            assert_eq!(read(text).unwrap_err(), message);
        }
        assert!(read("[extensions]foo=x").is_ok());
    }
}
