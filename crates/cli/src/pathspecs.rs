//! Pathspecs on the command line, with the global options that bear on them.

use std::borrow::Cow;
use std::sync::Arc;

use adit::Repository;
use adit_diff::pathspec::{Pathspec, PathspecOptions};
use bstr::{BStr, BString, ByteSlice};

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

/// `path`, which is seen from the folder `prefix`, as it is seen from the top.
///
/// # Errors
/// When it lies outside of the working tree.
pub fn from_top<'p>(repo: &Repository, prefix: &BStr, path: &'p BStr) -> Result<Cow<'p, [u8]>, Error> {
    let outside = || {
        let top = repo.work_tree().map(|top| format!(" at '{}'", top.display())).unwrap_or_default();
        Error::fatal(format!("'{path}' is outside repository{top}"))
    };
    if let (Some(top), true) = (repo.work_tree(), path.starts_with(b"/")) {
        let below = path.strip_prefix(top.as_os_str().as_encoded_bytes());
        return below.and_then(|below| below.strip_prefix(b"/")).map(Cow::Borrowed).ok_or_else(outside);
    }
    let mut parts: Vec<&[u8]> = Vec::new();
    let all = prefix.split_str("/").chain(path.split_str("/"));
    for part in all.filter(|part| !part.is_empty() && *part != b".") {
        match part {
            b".." if parts.pop().is_none() => return Err(outside()),
            b".." => {}
            part => parts.push(part),
        }
    }
    let slash: &[u8] = if path.ends_with(b"/") { b"/" } else { b"" };
    Ok(Cow::Owned([&parts.join(&b"/"[..]), slash].concat()))
}

/// What all paths start with that `pathspec` can match.
pub fn common_start(pathspec: &Pathspec) -> &[u8] {
    let mut wanted = pathspec.items().iter().filter(|item| !item.magic().exclude);
    let literal = |item: &adit_diff::pathspec::Item| {
        if item.magic().icase { 0 } else { item.literal_len() }
    };
    let Some(first) = wanted.next() else { return b"" };
    let start = &first.pattern()[..literal(first)];
    let common = wanted.fold(start.len(), |common, item| {
        let other = &item.pattern()[..literal(item)];
        start.iter().zip(other.iter()).take_while(|(a, b)| a == b).count().min(common)
    });
    // A folder may be named with the slash, or without.
    let common = &start[..common];
    common.strip_suffix(b"/").unwrap_or(common)
}
