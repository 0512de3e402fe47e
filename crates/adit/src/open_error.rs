//! Why a repository cannot be opened.

use std::path::PathBuf;

use bstr::BString;

use crate::environment::BadBoolean;

/// Why a repository cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// There is none.
    #[error("{}", not_a_repository(.named, .stopped_at))]
    NotARepository {
        /// The path that was named and is none; `None` after a search.
        named: Option<PathBuf>,
        /// The folder at which the search stopped because its parent is on another file system.
        stopped_at: Option<PathBuf>,
    },
    /// A `.git` file that does not say where the repository is.
    #[error("invalid gitfile format: {}", .path.display())]
    BadGitFile {
        /// The file.
        path: PathBuf,
    },
    /// It belongs to another user.
    #[error(
        "detected dubious ownership in repository at '{0}'\nTo add an exception for this directory, call:\n\n\
         \tgit config --global --add safe.directory {0}",
        .path.display()
    )]
    DubiousOwnership {
        /// The working tree, or the bare repository.
        path: PathBuf,
    },
    /// A bare repository that was found and not named, where that is not allowed.
    #[error("cannot use bare repository '{}' (safe.bareRepository is 'explicit')", .path.display())]
    BareNotAllowed {
        /// The repository.
        path: PathBuf,
    },
    /// A repository format that is newer than this program.
    #[error("Expected git repo version <= 1, found {found}")]
    Version {
        /// The version it has.
        found: i64,
    },
    /// Extensions that this program does not know.
    #[error("unknown repository extension{} found:{}", plural(.0), listed(.0))]
    UnknownExtensions(Vec<String>),
    /// Extensions that need a newer format version than the repository has.
    #[error("repo version is 0, but v1-only extension{} found:{}", plural(.0), listed(.0))]
    ExtensionsNeedVersion1(Vec<String>),
    /// An extension whose value is not known.
    #[error("invalid value for '{name}': '{value}'")]
    BadExtension {
        /// The extension.
        name: &'static str,
        /// Its value.
        value: String,
    },
    /// Something that git has and Adit does not have yet.
    #[error("{0} is not supported by adit yet")]
    Unsupported(&'static str),
    /// An index that cannot be read or written.
    #[error(transparent)]
    Index(#[from] adit_index::Error),
    /// A configuration that cannot be read or used.
    #[error(transparent)]
    Config(#[from] adit_config::ConfigError),
    /// An environment variable that cannot be used.
    #[error(transparent)]
    Environment(#[from] BadBoolean),
    /// One of the variables that give configuration.
    #[error("{what} {name}")]
    Variable {
        /// The variable.
        name: String,
        /// What is wrong with it.
        what: &'static str,
    },
    /// A number of digits that no abbreviated id can have.
    #[error("abbrev length out of range: {digits}")]
    AbbrevOutOfRange {
        /// The number.
        digits: i64,
    },
    /// A kind of object that `core.disambiguate` does not know.
    #[error("unknown hint type for 'core.disambiguate': {value}")]
    BadDisambiguate {
        /// The value.
        value: String,
    },
    /// A line of a file of grafts or shallow commits that is none.
    #[error("bad {what} line: {line}")]
    BadGraft {
        /// `graft` or `shallow`.
        what: &'static str,
        /// The line.
        line: String,
    },
    /// A namespace whose references could have no names (`GIT_NAMESPACE`).
    #[error("bad git namespace path \"{name}\"")]
    BadNamespace {
        /// The namespace.
        name: String,
    },
    /// A setting whose value cannot be used.
    #[error("{what}: {name}")]
    BadSetting {
        /// The setting.
        name: &'static str,
        /// What is wrong with it.
        what: String,
    },
    /// The configuration cannot be changed.
    #[error(transparent)]
    ConfigUpdate(#[from] adit_config::file::UpdateError),
    /// Permissions of a shared repository that make no sense.
    #[error(transparent)]
    Sharing(#[from] crate::sharing::SharingError),
    /// A name that means nothing here.
    #[error("unknown revision '{name}'")]
    UnknownName {
        /// The name.
        name: BString,
    },
    /// The tree that attributes are to be read from is none.
    #[error("bad --attr-source or GIT_ATTR_SOURCE")]
    BadAttributeSource,
    /// An object that leads to no tree, where one is needed.
    #[error("object {id} is not a tree")]
    NotATree {
        /// The object.
        id: adit_object::ObjectId,
    },
    /// A name could not be resolved.
    #[error(transparent)]
    Name(#[from] adit_revision::names::NameError),
    /// The references cannot be read.
    #[error(transparent)]
    Refs(#[from] adit_refs::Error),
    /// History cannot be read.
    #[error(transparent)]
    History(#[from] adit_revision::Error),
    /// The object store cannot be opened.
    #[error(transparent)]
    Objects(#[from] adit_object::SourceError),
    /// The operating system said no.
    #[error("{}: {}", .path.display(), adit_sys::os_error(.error))]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        error: std::io::Error,
    },
}

fn not_a_repository(named: &Option<PathBuf>, stopped_at: &Option<PathBuf>) -> String {
    match (named, stopped_at) {
        (Some(path), _) => format!("not a git repository: '{}'", path.display()),
        (None, Some(path)) => format!(
            "not a git repository (or any parent up to mount point {})\n\
             Stopping at filesystem boundary (GIT_DISCOVERY_ACROSS_FILESYSTEM not set).",
            path.display()
        ),
        (None, None) => "not a git repository (or any of the parent directories): .git".to_owned(),
    }
}

fn plural(names: &[String]) -> &'static str {
    if names.len() == 1 { "" } else { "s" }
}

fn listed(names: &[String]) -> String {
    names.iter().map(|name| format!("\n\t{name}")).collect()
}
