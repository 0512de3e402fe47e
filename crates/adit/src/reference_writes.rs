//! How this repository writes references: what its configuration says, for `adit_refs` transactions.
//!
//! ```no_run
//! # fn f(repo: &adit::Repository, id: adit_object::ObjectId) -> Result<(), Box<dyn std::error::Error>> {
//! use adit_refs::{Edit, Expected};
//!
//! let options = repo.write_options()?;
//! let mut transaction = repo.refs()?.transaction(&options);
//! transaction.add(Edit::set("refs/heads/topic", id).expect(Expected::Missing).message("branch: Created"));
//! transaction.commit(&mut repo.reference_hook()?)?;
//! # Ok(())
//! # }
//! ```

use std::time::Duration;

use adit_refs::{LogPolicy, Patience, WriteOptions};
use adit_sys::Durability;
use bstr::{BStr, BString, ByteSlice};

use crate::ident::Role;
use crate::{OpenError, Repository};

impl Repository {
    /// How references are written here, by the user that the environment and the configuration tell of.
    ///
    /// # Errors
    /// When a setting makes no sense, or the objects cannot be opened.
    pub fn write_options(&self) -> Result<WriteOptions<'_>, OpenError> {
        let mut options = WriteOptions::new(Role::Committer.log_ident(self.env(), self.config()));
        options.log = self.log_policy()?;
        options.sharing = self.sharing()?;
        options.objects = Some(self.objects()?);
        if let Some(patience) = self.patience("core.filesreflocktimeout")? {
            options.reference_patience = patience;
        }
        if let Some(patience) = self.patience("core.packedrefstimeout")? {
            options.packed_patience = patience;
        }
        if self.config().string("core.fsync")?.is_some_and(syncs_references) {
            options.durability = Durability::Content;
        }
        Ok(options)
    }

    /// Which references get a log (`core.logAllRefUpdates`): by default the usual ones, and in a bare repository none.
    ///
    /// # Errors
    /// When the setting makes no sense.
    pub fn log_policy(&self) -> Result<LogPolicy, OpenError> {
        let always = self.config().string("core.logallrefupdates").ok().flatten();
        if always.is_some_and(|value| value.eq_ignore_ascii_case(b"always")) {
            return Ok(LogPolicy::Always);
        }
        let on = self.config().bool("core.logallrefupdates")?.unwrap_or(!self.is_bare());
        Ok(if on { LogPolicy::Usual } else { LogPolicy::Never })
    }

    /// What a log says of a change: `GIT_REFLOG_ACTION` if it is set, else `usual`.
    pub fn log_action(&self, usual: &str) -> BString {
        self.env().var_non_empty("GIT_REFLOG_ACTION").map_or_else(|| usual.into(), ToOwned::to_owned)
    }

    fn patience(&self, setting: &str) -> Result<Option<Patience>, OpenError> {
        let milliseconds = self.config().integer(setting)?;
        Ok(milliseconds.map(|milliseconds| match u64::try_from(milliseconds) {
            Ok(milliseconds) => Patience::For(Duration::from_millis(milliseconds)),
            Err(_) => Patience::Endless,
        }))
    }
}

/// Whether a list such as `committed,-loose-object` names references; by default they are not synced.
fn syncs_references(components: &BStr) -> bool {
    let mut sync = false;
    for component in components.split_str(",").map(ByteSlice::trim) {
        let (on, name) = component.strip_prefix(b"-").map_or((true, component), |name| (false, name));
        match name {
            b"none" => sync = false,
            b"reference" | b"committed" | b"added" | b"all" => sync = on,
            _ => {}
        }
    }
    sync
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn which_settings_sync_references() {
        for (text, syncs) in [
            ("", false),
            ("loose-object", false),
            ("reference", true),
            ("all,-reference", false),
            ("committed,-loose-object", true),
            ("all,none", false),
        ] {
            assert_eq!(syncs_references(text.into()), syncs, "{text}");
        }
    }
}
