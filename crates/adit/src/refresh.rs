//! Bringing the index up to date with files that only look different (`update-index --refresh`).

use adit_index::{EntryFlags, Index, Stage};
use adit_object::EntryKind;
use bstr::{BStr, BString};

use crate::{FileState, WorkFiles};

/// What is looked at, and what is let pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RefreshOptions {
    /// Look at files that are assumed to be unchanged too.
    pub really: bool,
    /// Files that are missing are nothing to tell of.
    pub ignore_missing: bool,
    /// Submodules are not looked at.
    pub ignore_submodules: bool,
}

/// What a path needs before the index says what is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// Its file has changed, or is missing.
    Update,
    /// It is in conflict.
    Merge,
}

impl WorkFiles<'_> {
    /// Notes in the entries how files look now whose content is the same, and tells of the others.
    pub fn refresh(&self, index: &mut Index, options: RefreshOptions, tell: &mut dyn FnMut(&BStr, Need)) {
        let mut conflict: Option<BString> = None;
        for at in 0..index.len() {
            let entry = index.entry(at);
            if entry.stage() != Stage::Merged {
                if conflict.as_ref().is_none_or(|path| path != entry.path()) {
                    tell(entry.path(), Need::Merge);
                    conflict = Some(entry.path().to_owned());
                }
                continue;
            }
            let flags = entry.flags();
            let is_submodule = entry.kind() == EntryKind::Gitlink;
            if flags.skip_worktree
                || (flags.assume_unchanged && !options.really)
                || (is_submodule && options.ignore_submodules)
                || entry.is_sparse_folder()
            {
                continue;
            }
            match self.state(index, &entry) {
                Ok(FileState::Unchanged) => {}
                Ok(FileState::Touched(stat)) => index.set_stat(at, &stat),
                Ok(FileState::Missing) if options.ignore_missing => {}
                Ok(FileState::Missing) => tell(entry.path(), Need::Update),
                Ok(FileState::Changed) | Err(_) => {
                    tell(entry.path(), Need::Update);
                    if options.really && flags.assume_unchanged {
                        // The assumption was wrong.
                        index.set_flags(at, EntryFlags { assume_unchanged: false, ..flags });
                    }
                }
            }
        }
    }
}
