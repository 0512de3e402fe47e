//! What the configuration says of branches (git-config, `branch.<name>.*`), as commands change it.

use std::path::Path;

use adit_config::edit::{self, EditError};
use adit_config::{ConfigError, Name, file, section_header};
use bstr::{BStr, BString, ByteSlice};

use crate::{OpenError, Repository, config_files};

/// What a branch builds on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tracking {
    /// The remote, or `.` for this repository.
    pub remote: BString,
    /// The branches there, in full.
    pub merges: Vec<BString>,
    /// Whether it is to be rebased on them.
    pub rebases: bool,
}

impl Repository {
    /// Records what the branch of this short name builds on; what was recorded before goes.
    ///
    /// # Errors
    /// When the configuration cannot be changed.
    pub fn set_tracking(&self, branch: &BStr, tracking: &Tracking) -> Result<(), OpenError> {
        let (remote, merge, rebase) = (key(branch, "remote")?, key(branch, "merge")?, key(branch, "rebase")?);
        self.edit_config(|text| {
            let mut text = set(text, &remote, tracking.remote.as_bstr())?;
            for (i, value) in tracking.merges.iter().enumerate() {
                text = match i {
                    0 => set(&text, &merge, value.as_bstr())?,
                    // No value passes: another one is added.
                    _ => edit::set(&text, &merge, value.as_bstr(), &|_| false, false, b"".as_bstr())?,
                };
            }
            if tracking.rebases {
                text = set(&text, &rebase, b"true".as_bstr())?;
            }
            Ok(Some(text))
        })
    }

    /// Forgets what the branch builds on.
    ///
    /// # Errors
    /// When the configuration cannot be changed.
    pub fn unset_tracking(&self, branch: &BStr) -> Result<(), OpenError> {
        let (remote, merge) = (key(branch, "remote")?, key(branch, "merge")?);
        self.edit_config(|text| Ok(Some(unset(&unset(text, &remote)?, &merge)?)))
    }

    /// Records what the branch is for, or forgets it.
    ///
    /// # Errors
    /// When the configuration cannot be changed.
    pub fn set_branch_description(&self, branch: &BStr, text: Option<&BStr>) -> Result<(), OpenError> {
        let name = key(branch, "description")?;
        self.edit_config(|old| {
            Ok(Some(match text {
                Some(text) => set(old, &name, text)?,
                None => unset(old, &name)?,
            }))
        })
    }

    /// Gives what is recorded of the branch `old` to `new`.
    ///
    /// # Errors
    /// When the configuration cannot be changed.
    pub fn rename_branch_config(&self, old: &BStr, new: &BStr) -> Result<(), OpenError> {
        let header = section_header(section(new).as_bstr());
        self.edit_config(|text| {
            edit::rename_section(text, section(old).as_bstr(), header.as_ref().map(|header| header.as_bstr()))
        })
    }

    /// Records of the branch `new` what is recorded of `old`.
    ///
    /// # Errors
    /// When the configuration cannot be changed.
    pub fn copy_branch_config(&self, old: &BStr, new: &BStr) -> Result<(), OpenError> {
        let Some(header) = section_header(section(new).as_bstr()) else { return Ok(()) };
        self.edit_config(|text| edit::copy_section(text, section(old).as_bstr(), header.as_bstr()))
    }

    /// Forgets all that is recorded of a branch.
    ///
    /// # Errors
    /// When the configuration cannot be changed.
    pub fn remove_branch_config(&self, branch: &BStr) -> Result<(), OpenError> {
        self.edit_config(|text| edit::rename_section(text, section(branch).as_bstr(), None))
    }

    /// Changes the repository's own configuration file.
    fn edit_config(
        &self,
        change: impl FnOnce(&[u8]) -> Result<Option<BString>, EditError>,
    ) -> Result<(), OpenError> {
        let own = config_files::local_file(self.location());
        let shown: &Path = &own.shown;
        Ok(file::update(&own.path, shown, |old| Ok(change(old)?.filter(|new| new.as_slice() != old)))?)
    }
}

fn section(branch: &BStr) -> BString {
    [b"branch.", branch.as_bytes()].concat().into()
}

fn key(branch: &BStr, key: &str) -> Result<Name, OpenError> {
    let mut name = section(branch);
    name.extend_from_slice(b".");
    name.extend_from_slice(key.as_bytes());
    Ok(Name::parse(name.as_bstr()).map_err(ConfigError::from)?)
}

fn set(text: &[u8], name: &Name, value: &BStr) -> Result<BString, EditError> {
    edit::set(text, name, value, &|_| true, true, b"".as_bstr())
}

fn unset(text: &[u8], name: &Name) -> Result<BString, EditError> {
    match edit::unset(text, name, &|_| true, true) {
        Err(EditError::NotFound) => Ok(text.into()),
        other => other,
    }
}
