//! Why a name that leads nowhere does not, in git's words.

use bstr::{BStr, BString, ByteSlice};

use super::path::path_start;
use super::{NameError, Names, Want};

/// What an explanation may look at beyond the repository.
pub trait Surroundings {
    /// Whether there is a file at `path`, relative to the working directory.
    fn file_exists(&self, path: &BStr) -> bool;
}

impl<F: Fn(&BStr) -> bool> Surroundings for F {
    fn file_exists(&self, path: &BStr) -> bool {
        self(path)
    }
}

impl Names<'_> {
    /// Why `name` leads nowhere, when it names a path that is not there; `None` when there is no more to say than
    /// [`ambiguous_argument`] does.
    pub fn explain(&self, name: &[u8], around: &dyn Surroundings) -> Result<Option<BString>, NameError> {
        Names { explaining: true, ..*self }.explain_again(name, around)
    }

    fn explain_again(&self, name: &[u8], around: &dyn Surroundings) -> Result<Option<BString>, NameError> {
        match self.resolve_plain(name, Want::Any) {
            Err(NameError::Unknown) => {}
            Err(NameError::Refused(text)) => return Ok(Some(text)),
            Ok(_) => return Ok(None),
            Err(error) => return Err(error),
        }
        if name.starts_with(b":") {
            return match self.resolve_entry(name, Want::Any) {
                Err(NameError::Refused(text)) => Ok(Some(text)),
                _ => Ok(None),
            };
        }
        let Some(colon) = path_start(name) else { return Ok(None) };
        let (rev, path) = (name[..colon].as_bstr(), name[colon + 1..].as_bstr());
        let tree = match self.resolve_plain(rev, Want::Treeish) {
            Ok(tree) => tree,
            Err(NameError::Unknown) => return Ok(Some(format!("invalid object name '{rev}'.").into())),
            Err(error) => return Err(error),
        };
        let full = match self.absolute_path(path) {
            Err(NameError::Refused(text)) => return Ok(Some(text)),
            full => full?,
        };
        if self.entry_at(&tree, &full)?.is_some() {
            return Ok(None);
        }
        let here = path_from_here(self.prefix, &full, path);
        if around.file_exists(here.as_bstr()) {
            return Ok(Some(format!("path '{full}' exists on disk, but not in '{rev}'").into()));
        }
        if let Some(prefix) = self.prefix.filter(|prefix| !prefix.is_empty()) {
            let below: BString = [prefix.as_bytes(), path].concat().into();
            if self.entry_at(&tree, &below)?.is_some() {
                let text = format!(
                    "path '{below}' exists, but not '{path}'\nhint: Did you mean '{rev}:{below}' aka '{rev}:./{path}'?"
                );
                return Ok(Some(text.into()));
            }
        }
        Ok(Some(format!("path '{full}' does not exist in '{rev}'").into()))
    }
}

/// The path to look for on disk: git looks for the path as written, from the working directory.
fn path_from_here(prefix: Option<&BStr>, full: &BString, written: &BStr) -> BString {
    match prefix {
        Some(prefix) if !written.starts_with(b".") => {
            let up = "../".repeat(prefix.find_iter("/").count());
            format!("{up}{full}").into()
        }
        _ => written.into(),
    }
}

/// The message for an argument that is neither a revision nor a file.
pub fn ambiguous_argument(argument: &[u8]) -> BString {
    format!(
        "ambiguous argument '{}': unknown revision or path not in the working tree.\n\
         Use '--' to separate paths from revisions, like this:\n\
         'git <command> [<revision>...] -- [<file>...]'",
        argument.as_bstr()
    )
    .into()
}
