//! Contents as filters have them (`--filters`).

use std::borrow::Cow;

use adit::PathFilters;
use adit_object::{ObjectId, ObjectKind, Source};
use adit_worktree::filters::{CheckOut, FilterError, Origin, Smudged};
use bstr::{BStr, ByteSlice};

use super::{Asked, one};
use crate::context::Context;
use crate::error::Error;
use crate::names::Said;

/// Shows the object called `name` as it would be in the working tree.
pub(super) fn run(ctx: &mut Context<'_>, asked: &Asked, name: &BStr) -> Result<u8, Error> {
    let repo = ctx.repo()?;
    let objects = repo.objects()?;
    let entry = {
        let names = repo.name_context()?;
        let said = Said::new(&mut ctx.streams.err);
        one::resolve(&repo, &names.names(&said)?, name)?
    };
    let Some(path) = asked.path.as_ref().or(entry.path.as_ref()).map(|path| path.as_bstr()) else {
        return Err(Error::fatal(format!("<object>:<path> required, only <object> '{name}' given")));
    };
    let kind = objects.header(&entry.id)?.kind;
    if kind != ObjectKind::Blob || !is_file(entry.mode) {
        one::stream(objects, &entry.id, &mut ctx.streams.out)?;
        return Ok(0);
    }
    let filters = repo.filters()?;
    match converts(&filters, path) {
        Ok(false) => one::stream(objects, &entry.id, &mut ctx.streams.out)?,
        Ok(true) => {
            let mut content = Vec::new();
            objects.read(&entry.id, &mut content)?;
            match convert(&filters, path, entry.id, &content) {
                Ok(converted) => ctx.streams.out.write_all(&converted)?,
                Err(error) => return Err(ctx.conversion_error(&filters, &error)),
            }
        }
        Err(error) => return Err(ctx.conversion_error(&filters, &error)),
    }
    ctx.tell_notices(&filters);
    Ok(0)
}

/// Whether an entry of a tree is a file; an object that was named without one counts as one.
pub(super) fn is_file(mode: Option<u32>) -> bool {
    mode.is_none_or(|mode| mode & 0o170000 == 0o100000)
}

/// Whether filters change the content of `path` at all.
pub(super) fn converts(filters: &PathFilters, path: &BStr) -> Result<bool, FilterError> {
    Ok(!filters.conversion(path)?.is_none())
}

/// The content of a blob as it would be in the working tree at `path`.
pub(super) fn convert<'c>(
    filters: &PathFilters,
    path: &BStr,
    blob: ObjectId,
    content: &'c [u8],
) -> Result<Cow<'c, [u8]>, FilterError> {
    let conversion = filters.conversion(path)?;
    let origin = Origin { blob: Some(blob), ..Origin::default() };
    let how = CheckOut { origin, can_delay: false };
    match filters.to_worktree(path, &conversion, Cow::Borrowed(content), &how)? {
        Smudged::Now(content) => Ok(content),
        // Not without having been allowed to.
        Smudged::Later => Ok(Cow::Borrowed(content)),
    }
}
