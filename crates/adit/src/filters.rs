//! Conversion of content as a repository's configuration and attributes want it (gitattributes, git-config).

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;

use adit_config::{Config, ConfigError};
use adit_object::ObjectFormat;
use adit_worktree::filters::{
    AutoCrlf, CheckIn, CheckOut, Conversion, Driver, FilterError, FilterSettings, Notice, Safety, Smudged,
};
use adit_worktree::{Attributes, Filters, Query};
use bstr::{BStr, BString, ByteSlice};

use crate::programs::Launcher;
use crate::{Environment, OpenError, Repository, attributes};

/// Converts content between the working tree and the repository.
pub struct PathFilters {
    filters: Filters,
    attributes: Attributes,
    query: Query,
    safety: Safety,
    notices: RefCell<Vec<Notice>>,
}

impl Repository {
    /// The filters that apply here.
    ///
    /// # Errors
    /// When a setting cannot be used, or attributes cannot be read.
    pub fn filters(&self) -> Result<PathFilters, OpenError> {
        let top = self.work_tree().unwrap_or(self.env().cwd());
        let launcher = Launcher::new(self.env(), top);
        PathFilters::new(self.config(), self.object_format(), self.path_attributes()?, launcher)
    }
}

impl PathFilters {
    /// The filters that the user's and the system's files ask for, where there is no repository.
    ///
    /// # Errors
    /// When a setting cannot be used.
    pub fn without_repository(env: &Environment, config: &Config) -> Result<Self, OpenError> {
        let attributes = attributes::outside(env, config)?;
        PathFilters::new(config, ObjectFormat::Sha1, attributes, Launcher::new(env, env.cwd()))
    }

    fn new(
        config: &Config,
        format: ObjectFormat,
        attributes: Attributes,
        launcher: Launcher,
    ) -> Result<Self, OpenError> {
        let filters = Filters::new(settings(config)?, format, Box::new(launcher));
        let query = Filters::query(&attributes);
        let safety = match config.string("core.safecrlf") {
            Ok(Some(value)) if value.eq_ignore_ascii_case(b"warn") => Safety::Warn,
            _ => match config.bool("core.safecrlf")? {
                Some(true) => Safety::Refuse,
                Some(false) => Safety::Ignore,
                None => Safety::Warn,
            },
        };
        Ok(PathFilters { filters, attributes, query, safety, notices: RefCell::default() })
    }

    /// What is done to the content of `path`, which is seen from the top.
    ///
    /// # Errors
    /// When its attributes make no sense.
    pub fn conversion(&self, path: &BStr) -> Result<Conversion, FilterError> {
        self.filters.conversion(&self.attributes, &self.query, path)
    }

    /// The `content` of a file as it is stored. When it is not to be stored, what cannot be converted stays as it is, and
    /// nothing is said of line ends that would not come back.
    ///
    /// # Errors
    /// When it cannot be converted and must be.
    pub fn to_git<'c>(
        &self,
        path: &BStr,
        conversion: &Conversion,
        content: Cow<'c, [u8]>,
        stores: bool,
        stored_has_crlf: &dyn Fn() -> bool,
    ) -> Result<Cow<'c, [u8]>, FilterError> {
        let safety = if stores { self.safety } else { Safety::Ignore };
        let how = CheckIn { stores, safety, stored_has_crlf };
        self.filters.to_git(path, conversion, content, &how, &mut |notice| self.note(notice))
    }

    /// The stored `content` of a file as it is in the working tree.
    ///
    /// # Errors
    /// When it cannot be converted and must be.
    pub fn to_worktree<'c>(
        &self,
        path: &BStr,
        conversion: &Conversion,
        content: Cow<'c, [u8]>,
        how: &CheckOut,
    ) -> Result<Smudged<'c>, FilterError> {
        self.filters.to_worktree(path, conversion, content, how, &mut |notice| self.note(notice))
    }

    fn note(&self, notice: Notice) {
        self.notices.borrow_mut().push(notice);
    }

    /// What there is to tell the user since this was last asked.
    pub fn take_notices(&self) -> Vec<Notice> {
        self.notices.take()
    }
}

fn settings(config: &Config) -> Result<FilterSettings, ConfigError> {
    let auto_crlf = match config.string("core.autocrlf") {
        Ok(Some(value)) if value.eq_ignore_ascii_case(b"input") => AutoCrlf::Input,
        _ => match config.bool("core.autocrlf")? {
            Some(true) => AutoCrlf::On,
            _ => AutoCrlf::Off,
        },
    };
    let eol_is_crlf = config.string("core.eol")?.is_some_and(|value| value.eq_ignore_ascii_case(b"crlf"));
    let round_trip = match config.string("core.checkroundtripencoding")? {
        Some(list) => {
            let names = list.split(|b| *b == b',' || b.is_ascii_whitespace());
            names.filter(|name| !name.is_empty()).map(BString::from).collect()
        }
        None => vec!["SHIFT-JIS".into()],
    };
    Ok(FilterSettings { auto_crlf, eol_is_crlf, round_trip, drivers: drivers(config)? })
}

fn drivers(config: &Config) -> Result<HashMap<BString, Driver>, ConfigError> {
    let mut drivers: HashMap<BString, Driver> = HashMap::new();
    for entry in config.entries() {
        let Some(rest) = entry.name.strip_prefix(b"filter.") else { continue };
        let Some((name, key)) = rest.rsplit_once_str(".") else { continue };
        let driver = drivers.entry(name.into()).or_default();
        let command = match key {
            b"clean" => &mut driver.clean,
            b"smudge" => &mut driver.smudge,
            b"process" => &mut driver.process,
            b"required" => {
                let value = entry.value.as_ref().map(|value| value.as_bstr());
                driver.required = adit_config::value::boolean(value).map_err(|_| ConfigError::Boolean {
                    name: entry.name.clone(),
                    value: entry.value.clone().unwrap_or_default(),
                })?;
                continue;
            }
            _ => continue,
        };
        let missing = || ConfigError::Missing { name: entry.name.clone() };
        *command = Some(entry.value.clone().ok_or_else(missing)?);
    }
    Ok(drivers)
}
