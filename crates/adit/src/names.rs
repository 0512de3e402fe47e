//! What revision names need to know of a repository: its settings, its remotes, its grafts.

use std::os::unix::ffi::OsStrExt;

use adit_config::Config;
use adit_revision::names::{Branches, Names, Report, Settings, Want};
use bstr::{BStr, BString, ByteSlice};

use crate::{OpenError, Repository};

/// Settings for revision names, read once.
pub struct NameContext<'r> {
    repository: &'r Repository,
    settings: Settings,
    remotes: Remotes<'r>,
}

struct Remotes<'r>(&'r Config);

impl Repository {
    /// Reads the settings that revision names depend on.
    ///
    /// # Errors
    /// When one of them is no valid value.
    pub fn name_context(&self) -> Result<NameContext<'_>, OpenError> {
        let config = self.config();
        let disambiguate = match config.string("core.disambiguate")? {
            None => Want::Any,
            Some(value) => Want::from_name(value)
                .ok_or_else(|| OpenError::BadDisambiguate { value: value.to_str_lossy().into_owned() })?,
        };
        let settings = Settings {
            warn_ambiguous: self.warns_of_ambiguous_references()?,
            warn_object_names: config.bool("advice.objectnamewarning")?.unwrap_or(true),
            disambiguate,
            work_tree: self.work_tree().map(|top| top.as_os_str().as_bytes().into()).unwrap_or_default(),
            abbreviation: if config.last(b"core.abbrev").is_some() { Some(self.abbrev()?) } else { None },
            grafts: self.grafts()?,
            now: self.env().now(),
            tz: self.env().var("TZ").map(|tz| tz.to_str_lossy().into_owned()),
        };
        Ok(NameContext { repository: self, settings, remotes: Remotes(config) })
    }

    /// Whether a name that several references could have is worth a warning (`core.warnAmbiguousRefs`).
    ///
    /// # Errors
    /// When the setting is no boolean.
    pub fn warns_of_ambiguous_references(&self) -> Result<bool, OpenError> {
        Ok(self.config().bool("core.warnambiguousrefs")?.unwrap_or(true))
    }
}

impl NameContext<'_> {
    /// Resolves names; what is said along the way goes to `report`.
    ///
    /// # Errors
    /// When the references or objects cannot be opened.
    pub fn names<'a>(&'a self, report: &'a dyn Report) -> Result<Names<'a>, OpenError> {
        let repository = self.repository;
        let prefix = repository.is_inside_work_tree().then(|| repository.prefix());
        let (objects, refs) = (repository.objects()?, repository.refs()?);
        Ok(Names::new(objects, refs, &self.remotes, &self.settings, report, prefix))
    }

    /// The settings, to be changed by a command that has options for them.
    pub fn settings_mut(&mut self) -> &mut Settings {
        &mut self.settings
    }
}

impl Branches for Remotes<'_> {
    fn value(&self, section: &str, name: &BStr, key: &str) -> Option<BString> {
        self.0.last(&full_name(section, name, key))?.value.clone()
    }

    fn values(&self, section: &str, name: &BStr, key: &str) -> Vec<BString> {
        self.0.all(&full_name(section, name, key)).filter_map(|entry| entry.value.clone()).collect()
    }

    fn remotes(&self) -> Vec<BString> {
        self.0.subsections("remote").into_iter().map(ToOwned::to_owned).collect()
    }
}

fn full_name(section: &str, name: &BStr, key: &str) -> Vec<u8> {
    if name.is_empty() {
        return [section, key].join(".").into_bytes();
    }
    [section.as_bytes(), b".", name.as_bytes(), b".", key.as_bytes()].concat()
}
