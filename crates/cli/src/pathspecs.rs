//! Pathspecs on the command line, with the global options that bear on them.

use std::sync::Arc;

use adit::Repository;
use adit_diff::pathspec::{Pathspec, PathspecOptions};
use bstr::BString;

use crate::error::Error;

/// The pathspec that `paths` make, from the folder in which the command runs.
///
/// # Errors
/// When one of them is no pathspec.
pub fn read(repo: &Repository, paths: &[BString]) -> Result<Pathspec, Error> {
    let on = |name: &'static str| repo.env().bool(name, false);
    let options = PathspecOptions {
        prefix: if repo.is_inside_work_tree() { repo.prefix() } else { b"" },
        work_tree: repo.work_tree(),
        literal: on("GIT_LITERAL_PATHSPECS")?,
        glob: on("GIT_GLOB_PATHSPECS")?,
        noglob: on("GIT_NOGLOB_PATHSPECS")?,
        icase: on("GIT_ICASE_PATHSPECS")?,
    };
    let mut pathspec = Pathspec::parse(paths, &options).map_err(|error| Error::fatal(error.to_string()))?;
    if pathspec.needs_attributes() {
        pathspec.set_attributes(Arc::new(repo.attributes()?));
    }
    Ok(pathspec)
}
