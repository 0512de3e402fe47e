//! Would git convert a file's content on its way into the store?
//!
//! Line ends, `$Id$`, encodings and filter drivers are not converted yet. So that no object gets another id than git
//! would give it, this finds out, on the safe side, whether any of them could matter.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use adit::Repository;
use bstr::{BStr, ByteSlice};

use crate::context::Context;
use crate::error::Error;

/// What configuration and attributes say for the whole repository.
pub(super) struct Conversion {
    everywhere: Hazards,
}

/// What could be converted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Hazards {
    line_ends: bool,
    ident: bool,
    /// A filter driver or an encoding, which can change anything.
    anything: bool,
}

impl Hazards {
    /// Whether `content` holds what would be converted.
    pub(super) fn apply_to(self, content: &[u8]) -> bool {
        self.anything
            || self.line_ends && content.contains_str(b"\r\n")
            || self.ident && content.contains_str(b"$Id")
    }

    fn with(self, other: Hazards) -> Hazards {
        Hazards {
            line_ends: self.line_ends | other.line_ends,
            ident: self.ident | other.ident,
            anything: self.anything | other.anything,
        }
    }
}

impl Conversion {
    pub(super) fn new(ctx: &mut Context<'_>) -> Result<Self, Error> {
        let config = ctx.config()?;
        let auto = match config.string("core.autocrlf") {
            Ok(Some(value)) => value == "input" || adit_config::value::boolean_word(value) != Some(false),
            _ => false,
        };
        let mut everywhere = Hazards { line_ends: auto, ..Hazards::default() };
        let attributes_file = match config.string("core.attributesfile") {
            Ok(Some(path)) => adit_config::value::path(path, ctx.env.home().as_deref()),
            _ => default_attributes_file(ctx),
        };
        let info = ctx.repo_if_any().map(|repository| repository.common_dir().join("info/attributes"));
        for path in [Some(PathBuf::from("/etc/gitattributes")), attributes_file, info].into_iter().flatten() {
            everywhere = everywhere.with(read(ctx, &path)?);
        }
        Ok(Conversion { everywhere })
    }

    /// What could be converted in the file at `path`; `None` for nothing.
    pub(super) fn of(&self, ctx: &Context<'_>, path: &BStr) -> Result<Option<Hazards>, Error> {
        let mut hazards = self.everywhere;
        if let Some(repository) = ctx.repo_if_any() {
            for folder in folders(&repository, ctx.env.cwd(), path) {
                hazards = hazards.with(read(ctx, &folder.join(".gitattributes"))?);
            }
        }
        Ok((hazards != Hazards::default()).then_some(hazards))
    }
}

/// The folders from the top of the working tree to the file.
fn folders(repository: &Repository, cwd: &Path, path: &BStr) -> Vec<PathBuf> {
    let file = cwd.join(path.to_path_lossy());
    let Some(top) = repository.work_tree() else { return Vec::new() };
    file.ancestors().skip(1).take_while(|folder| folder.starts_with(top)).map(Path::to_owned).collect()
}

fn default_attributes_file(ctx: &Context<'_>) -> Option<PathBuf> {
    let folder = match ctx.env.var_non_empty("XDG_CONFIG_HOME") {
        Some(folder) => folder.to_path_lossy().into_owned(),
        None => ctx.env.home()?.join(".config"),
    };
    Some(folder.join("git/attributes"))
}

/// What a file of attributes gives to any path.
fn read(ctx: &Context<'_>, path: &Path) -> Result<Hazards, Error> {
    let text = match std::fs::read(path) {
        Ok(text) => text,
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::PermissionDenied
            ) =>
        {
            return Ok(Hazards::default());
        }
        Err(error) => {
            return Err(Error::fatal(format!("{}: {}", path.display(), adit_sys::os_error(&error))));
        }
    };
    let repository = ctx.repo_if_any();
    let filters = |name: &[u8]| {
        repository.as_ref().is_some_and(|repository| {
            [&b"clean"[..], b"process"]
                .iter()
                .any(|key| repository.config().last(&[b"filter.", name, b".", key].concat()).is_some())
        })
    };
    let mut hazards = Hazards::default();
    let lines = text.lines().filter(|line| !line.trim_start().starts_with(b"#"));
    for word in lines.flat_map(|line| line.fields().skip(1)) {
        let (name, value) = word.split_once_str(b"=").unwrap_or((word, b""));
        match name {
            b"text" | b"eol" | b"crlf" => hazards.line_ends = true,
            b"ident" => hazards.ident = true,
            b"filter" => hazards.anything |= filters(value),
            b"working-tree-encoding" => hazards.anything = true,
            _ => {}
        }
    }
    Ok(hazards)
}
