//! Where the repository is, and the paths of its parts, as `rev-parse` shows them.

use std::path::{Component, Path, PathBuf};

use adit::{Environment, Repository};
use bstr::{BStr, BString, ByteSlice};

use crate::error::Error;

/// The variables that belong to one repository.
pub(super) const LOCAL_VARIABLES: [&str; 15] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_CONFIG",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_COUNT",
    "GIT_OBJECT_DIRECTORY",
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_GRAFT_FILE",
    "GIT_INDEX_FILE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_REPLACE_REF_BASE",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_COMMON_DIR",
];

/// `--path-format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathFormat {
    /// As each option likes it best.
    Default,
    Absolute,
    Relative,
}

impl PathFormat {
    pub(super) fn parse(mode: &BStr) -> Result<Self, Error> {
        match mode.as_bytes() {
            b"absolute" => Ok(PathFormat::Absolute),
            b"relative" => Ok(PathFormat::Relative),
            _ => Err(Error::fatal(format!("unknown argument to --path-format: {mode}"))),
        }
    }
}

/// Answers an option about the repository. `Some(None)` prints nothing; `None` is no such option.
pub(super) fn answer(
    repo: &Repository,
    option: &BStr,
    format: PathFormat,
) -> Result<Option<Option<BString>>, Error> {
    let truth = |is: bool| BString::from(if is { "true" } else { "false" });
    let text = match option.as_bytes() {
        b"--git-dir" => show(repo, &git_dir(repo), format, Usual::AsIs),
        b"--absolute-git-dir" => show(repo, repo.git_dir(), PathFormat::Absolute, Usual::AsIs),
        b"--git-common-dir" => show(repo, &common_dir(repo), format, Usual::Relative),
        b"--show-toplevel" => show(repo, work_tree(repo)?, format, Usual::Absolute),
        b"--show-cdup" => match cdup(repo) {
            Some(way) => way,
            None => return Ok(Some(None)),
        },
        b"--show-prefix" => repo.prefix().to_owned(),
        b"--is-inside-git-dir" => truth(repo.is_inside_git_dir()),
        b"--is-inside-work-tree" => truth(repo.is_inside_work_tree()),
        b"--is-bare-repository" => truth(repo.is_bare()),
        b"--is-shallow-repository" => truth(repo.is_shallow()),
        b"--show-ref-format" => repo.format().ref_storage.as_str().into(),
        b"--show-superproject-working-tree" => return superproject(repo).map(|()| Some(None)),
        b"--shared-index-path" => return shared_index(repo).map(|()| Some(None)),
        _ => match super::optional_value(&option.to_owned(), "--show-object-format") {
            Some(mode) => match mode.map_or(&b"storage"[..], |mode| mode.as_bytes()) {
                b"storage" | b"input" | b"output" => repo.object_format().as_str().into(),
                // There is no second format that ids could be translated to.
                b"compat" => BString::default(),
                other => {
                    let mode = other.as_bstr();
                    return Err(Error::fatal(format!("unknown mode for --show-object-format: {mode}")));
                }
            },
            None => return Ok(None),
        },
    };
    Ok(Some(Some(text)))
}

/// The path of `$GIT_DIR/<path>`, moved where variables and settings say it is.
pub(super) fn git_path(repo: &Repository, path: &BStr, format: PathFormat) -> BString {
    let env = repo.env();
    let below = |rest: &[u8], dir: PathBuf| {
        let rest = rest.strip_prefix(b"/").unwrap_or(rest);
        if rest.is_empty() { dir } else { dir.join(rest.to_path_lossy()) }
    };
    let under =
        |folder: &[u8]| path.strip_prefix(folder).filter(|rest| rest.is_empty() || rest.starts_with(b"/"));
    let from_env = |name: &str| env.path(name);
    let moved = if let (Some(rest), Some(dir)) = (under(b"objects"), from_env("GIT_OBJECT_DIRECTORY")) {
        Some(below(rest, dir))
    } else if let (true, Some(file)) = (path == "index", from_env("GIT_INDEX_FILE")) {
        Some(file)
    } else if let (true, Some(file)) = (path == "info/grafts", from_env("GIT_GRAFT_FILE")) {
        Some(file)
    } else if let (true, Some(file)) = (path == "shallow", from_env("GIT_SHALLOW_FILE")) {
        Some(file)
    } else if let (Some(rest), Some(dir)) = (under(b"hooks"), hooks_path(repo)) {
        Some(below(rest, dir))
    } else {
        None
    };
    if let (Some(moved), PathFormat::Default) = (&moved, format) {
        return to_bytes(moved);
    }
    let found = moved.unwrap_or_else(|| {
        let base = if is_shared(path) { common_dir(repo) } else { git_dir(repo) };
        if base.as_os_str() == "." {
            path.to_path_lossy().into_owned()
        } else {
            base.join(path.to_path_lossy())
        }
    });
    show(repo, &found, format, Usual::RelativeIfShared)
}

fn hooks_path(repo: &Repository) -> Option<PathBuf> {
    let value = repo.config().string("core.hookspath").ok().flatten()?;
    adit_config::value::path(value, repo.env().home().as_deref())
}

/// Whether linked working trees share what lies at `path` of the git folder (gitrepository-layout).
fn is_shared(path: &BStr) -> bool {
    const SHARED: [&[u8]; 14] = [
        b"branches",
        b"common",
        b"hooks",
        b"info",
        b"logs",
        b"lost-found",
        b"modules",
        b"objects",
        b"refs",
        b"remotes",
        b"worktrees",
        b"rr-cache",
        b"svn",
        b"config",
    ];
    const OWN: [&[u8]; 8] = [
        b"info/sparse-checkout",
        b"logs/HEAD",
        b"logs/refs/bisect",
        b"logs/refs/rewritten",
        b"logs/refs/worktree",
        b"refs/bisect",
        b"refs/rewritten",
        b"refs/worktree",
    ];
    const FILES: [&[u8]; 4] = [b"gc.pid", b"packed-refs", b"shallow", b"config"];
    let within = |folder: &&[u8]| {
        path.strip_prefix(*folder).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
    };
    (SHARED.iter().any(within) && !OWN.iter().any(within)) || FILES.contains(&path.as_bytes())
}

/// The git folder as git calls it.
fn git_dir(repo: &Repository) -> PathBuf {
    repo.location().shown.clone()
}

fn common_dir(repo: &Repository) -> PathBuf {
    if repo.common_dir() == repo.git_dir() { git_dir(repo) } else { repo.common_dir().to_owned() }
}

fn work_tree(repo: &Repository) -> Result<&Path, Error> {
    let outside = || Error::fatal("this operation must be run in a work tree");
    if repo.location().found_in.is_some() && !repo.is_inside_work_tree() {
        return Err(outside());
    }
    repo.work_tree().ok_or_else(outside)
}

/// The way to the top of the working tree; `None` when there is none.
fn cdup(repo: &Repository) -> Option<BString> {
    let top = repo.work_tree()?;
    Some(if repo.is_inside_work_tree() || repo.is_inside_git_dir() {
        "../".repeat(repo.prefix().find_iter("/").count()).into()
    } else {
        to_bytes(top)
    })
}

/// How an option shows a path when `--path-format` says nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Usual {
    AsIs,
    Absolute,
    Relative,
    RelativeIfShared,
}

fn show(repo: &Repository, path: &Path, format: PathFormat, usual: Usual) -> BString {
    let cwd = repo.env().cwd();
    let absolute = || real_path(&cwd.join(path));
    match format {
        PathFormat::Absolute => to_bytes(&absolute()),
        PathFormat::Relative => relative(&absolute(), &real_path(cwd)),
        PathFormat::Default => match usual {
            Usual::AsIs => to_bytes(path),
            Usual::Absolute => to_bytes(&absolute()),
            Usual::Relative | Usual::RelativeIfShared if path.is_relative() => to_bytes(path),
            Usual::Relative | Usual::RelativeIfShared => {
                // A path above the working directory is shown as the way there, any other as it is.
                let inside = repo.is_inside_work_tree() && !repo.prefix().is_empty();
                if inside && !repo.location().explicit && !is_elsewhere(repo, path) {
                    relative(&absolute(), &real_path(cwd))
                } else {
                    to_bytes(path)
                }
            }
        },
    }
}

/// Whether `path` lies outside of the working tree, so that no short way leads there.
fn is_elsewhere(repo: &Repository, path: &Path) -> bool {
    repo.work_tree().is_none_or(|top| !repo.env().cwd().join(path).starts_with(top))
}

/// The path with links followed as far as it exists.
fn real_path(path: &Path) -> PathBuf {
    if let Ok(real) = std::fs::canonicalize(path) {
        return real;
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => real_path(parent).join(name),
        _ => path.to_owned(),
    }
}

/// The way from the folder `from` to `to`; both are absolute. The folder itself is `./`, and one above ends in a slash.
fn relative(to: &Path, from: &Path) -> BString {
    let common = to.components().zip(from.components()).take_while(|(a, b)| a == b).count();
    let up = from.components().skip(common).filter(|part| matches!(part, Component::Normal(_))).count();
    let down: PathBuf = to.components().skip(common).collect();
    let way = [b"../".repeat(up), to_bytes(&down).into()].concat();
    if way.is_empty() { "./".into() } else { way.into() }
}

fn to_bytes(path: &Path) -> BString {
    use std::os::unix::ffi::OsStrExt;
    path.as_os_str().as_bytes().into()
}

/// `path` below the folder `prefix`, dots and doubled slashes resolved.
pub(super) fn below(prefix: &BStr, path: &BStr) -> BString {
    if path.starts_with(b"/") {
        return path.to_owned();
    }
    [prefix.as_bytes(), path.as_bytes()].concat().into()
}

/// Where a word is on disk when it is a path, magic at its start taken off.
pub(super) fn as_path(repo: &Repository, prefix: Option<&BString>, word: &BStr) -> PathBuf {
    if let Some(rest) = word.strip_prefix(b":/") {
        return repo.work_tree().unwrap_or(repo.env().cwd()).join(rest.to_path_lossy());
    }
    let word = word.strip_prefix(b":!").or_else(|| word.strip_prefix(b":^")).unwrap_or(word).as_bstr();
    match prefix {
        Some(prefix) => {
            let top = repo.work_tree().unwrap_or(repo.env().cwd());
            top.join(below(prefix.as_bstr(), word).to_path_lossy())
        }
        None => repo.env().cwd().join(word.to_path_lossy()),
    }
}

/// The repository that `path` is, or that the file there names.
pub(super) fn resolve_git_dir(env: &Environment, path: &BStr) -> Result<BString, Error> {
    let none = || Error::fatal(format!("not a gitdir '{path}'"));
    let full = env.cwd().join(path.to_path_lossy());
    let (dir, shown) = if full.is_file() {
        let content = std::fs::read(&full).map_err(|_| none())?;
        let named = content.strip_prefix(b"gitdir: ").ok_or_else(none)?;
        let named = named.trim_end_with(|c| c == '\n' || c == '\r').to_path_lossy().into_owned();
        let dir = real_path(&full.parent().unwrap_or(&full).join(named));
        let shown = to_bytes(&dir);
        (dir, shown)
    } else {
        (full, path.to_owned())
    };
    let common = std::fs::read(dir.join("commondir")).ok();
    let common = common.map_or(dir.clone(), |to| dir.join(to.trim_end().to_path_lossy()));
    let is_repository = dir.join("HEAD").symlink_metadata().is_ok()
        && common.join("objects").is_dir()
        && common.join("refs").is_dir();
    if is_repository { Ok(shown) } else { Err(none()) }
}

/// Nothing is printed when no other repository holds this working tree; otherwise its index would tell.
fn superproject(repo: &Repository) -> Result<(), Error> {
    let Some(above) = repo.work_tree().and_then(Path::parent) else { return Ok(()) };
    let mut env = Environment::empty(above);
    env.set("GIT_CONFIG_NOSYSTEM", "1");
    match Repository::open(above) {
        Err(_) => Ok(()),
        Ok(_) => Err(Error::unsupported("--show-superproject-working-tree within another repository")),
    }
}

/// Nothing is printed when the index is whole; otherwise the index would tell.
fn shared_index(repo: &Repository) -> Result<(), Error> {
    let split = std::fs::read_dir(repo.git_dir()).is_ok_and(|mut entries| {
        entries.any(|entry| {
            entry.is_ok_and(|entry| to_bytes(Path::new(&entry.file_name())).starts_with(b"sharedindex."))
        })
    });
    if split { Err(Error::unsupported("--shared-index-path with a split index")) } else { Ok(()) }
}
