//! `git tag -d`: deletes tags.

use std::io::Write;

use adit_refs::{Edit, Expected};
use bstr::BString;

use crate::context::Context;
use crate::error::Error;

/// Deletes the tags called so, all at once; the status tells whether each was there.
pub(super) fn delete(ctx: &mut Context<'_>, names: &[BString]) -> Result<u8, Error> {
    let repo = ctx.repo()?;
    let options = repo.write_options()?;
    let mut transaction = repo.refs()?.transaction(&options);
    let mut found: Vec<(&BString, _)> = Vec::new();
    let mut missing = false;
    for name in names {
        let full = [b"refs/tags/", name.as_slice()].concat();
        match repo.refs()?.resolve(&full)? {
            Some(tag) => {
                transaction.add(Edit::delete(full).expect(Expected::Id(tag.id)).no_deref());
                found.push((name, tag.id));
            }
            None => {
                ctx.complain(format_args!("tag '{name}' not found."));
                missing = true;
            }
        }
    }
    if let Err(error) = transaction.commit(&mut repo.reference_hook()?) {
        let why = error.told_from(repo.env().cwd());
        return Err(Error::failed(format!("could not delete references: {why}")));
    }
    for (name, id) in found {
        writeln!(ctx.streams.out, "Deleted tag '{name}' (was {})", repo.short_id(&id)?)?;
    }
    Ok(u8::from(missing))
}
