//! `git show-index`: prints the pack index that comes on standard input.

use std::io::{Read, Write};

use adit_object::ObjectFormat;
use adit_odb::PackIndex;
use bstr::BString;

use crate::context::Context;
use crate::error::Error;
use crate::options::{Opt, Table, Usage};

const USAGE: Usage =
    Usage { name: "show-index", synopsis: &["git show-index [--object-format=<hash>] < <pack-idx-file>"] };

/// A fan-out table, which every index has.
const SMALLEST: usize = 256 * 4;

const OPTIONS: Table<()> =
    Table::new(&[Opt::value((), "object-format", "hash", "the hash that names the objects").no()]);

/// Runs the command.
pub fn run(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let mut named = None;
    OPTIONS.parse(&USAGE, args, |given| {
        named = given.value;
        Ok(())
    })?;
    let format = object_format(ctx, named)?;
    let mut bytes = Vec::new();
    ctx.streams.input.read_to_end(&mut bytes)?;
    if bytes.len() < 8 {
        return Err(Error::fatal("unable to read header"));
    }
    if bytes.len() < SMALLEST {
        return Err(Error::fatal("unable to read index"));
    }
    let index = PackIndex::from_bytes(bytes, format).map_err(Error::fatal)?;
    let mut line = Vec::new();
    for position in 0..index.count() {
        let offset = index.offset(position).ok_or_else(|| Error::fatal("inconsistent 64b offset index"))?;
        line.clear();
        line.extend_from_slice(offset.to_string().as_bytes());
        line.push(b' ');
        index.id(position).append_hex(usize::MAX, &mut line);
        if let Some(crc) = index.crc32(position) {
            line.extend_from_slice(format!(" ({crc:08x})").as_bytes());
        }
        line.push(b'\n');
        ctx.streams.out.write_all(&line)?;
    }
    Ok(0)
}

/// The format that `--object-format` names, else the repository's, else SHA-1.
pub(super) fn object_format(ctx: &Context<'_>, named: Option<BString>) -> Result<ObjectFormat, Error> {
    match named {
        Some(name) => ObjectFormat::from_name(&name).ok_or_else(|| Error::fatal("Unknown hash algorithm")),
        None => Ok(ctx.repo_if_any().map_or(ObjectFormat::Sha1, |repo| repo.object_format())),
    }
}
