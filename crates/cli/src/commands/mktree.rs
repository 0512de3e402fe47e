//! `git mktree`: make a tree object of a listing such as `ls-tree` prints.

use adit_object::{EntryKind, ObjectId, ObjectKind, Source};
use bstr::{BStr, BString, ByteSlice};

use crate::context::Context;
use crate::error::Error;
use crate::lines_in::next_line;
use crate::options::{Opt, Table, Usage};

#[derive(Clone, Copy)]
enum O {
    Nul,
    Missing,
    Batch,
}

const USAGE: Usage = Usage { name: "mktree", synopsis: &["git mktree [-z] [--missing] [--batch]"] };

const OPTIONS: Table<O> = Table::new(&[
    Opt::flag(O::Nul, "", "entries end with a NUL").short(b'z'),
    Opt::flag(O::Missing, "missing", "let objects be missing").no(),
    Opt::flag(O::Batch, "batch", "make several trees, each after an empty line").no(),
]);

/// An entry that was read.
struct NewEntry {
    mode: u32,
    name: BString,
    id: ObjectId,
}

/// Runs the command.
pub fn run(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let (mut nul, mut missing, mut batch) = (false, false, false);
    OPTIONS.parse(&USAGE, args, |given| {
        match given.id {
            O::Nul => nul = true,
            O::Missing => missing = given.on(),
            O::Batch => batch = given.on(),
        }
        Ok(())
    })?;
    let mut entries = Vec::new();
    let mut more = true;
    while more {
        let line = next_line(ctx, nul)?;
        more = line.is_some();
        match line {
            Some(line) if !line.is_empty() => {
                entries.push(entry(ctx, line.as_bstr(), nul, missing)?);
                continue;
            }
            Some(_) if !batch => {
                return Err(Error::fatal("input format error: (blank line only valid in batch mode)"));
            }
            // What ends with an empty line leaves nothing behind it.
            None if batch && entries.is_empty() => break,
            _ => {}
        }
        let id = write(ctx, std::mem::take(&mut entries))?;
        writeln!(ctx.streams.out, "{id}")?;
        ctx.streams.out.flush()?;
    }
    Ok(0)
}

/// Reads `<mode> SP <type> SP <id> TAB <name>`.
fn entry(ctx: &Context<'_>, line: &BStr, nul: bool, missing: bool) -> Result<NewEntry, Error> {
    let bad = || Error::fatal(format!("input format error: {line}"));
    let repo = ctx.repo()?;
    let (head, name) = line.split_once_str("\t").ok_or_else(bad)?;
    let mut words = head.splitn_str(3, " ");
    let (Some(mode), Some(kind), Some(id)) = (words.next(), words.next(), words.next()) else {
        return Err(bad());
    };
    let mode = mode.to_str().ok().and_then(|mode| u32::from_str_radix(mode, 8).ok()).ok_or_else(bad)?;
    // `ls-tree -l` puts sizes behind the id.
    let id = id.split_str(" ").next().unwrap_or_default();
    let id = ObjectId::from_hex(repo.object_format(), id).map_err(|_| bad())?;
    let name: BString = match name.first() {
        Some(b'"') if !nul => match adit_text::quote::unquote_c(name) {
            Some((name, _)) => name,
            None => return Err(Error::fatal("invalid quoting")),
        },
        _ => name.into(),
    };
    if name.contains(&b'/') {
        return Err(Error::fatal(format!("path {name} contains slash")));
    }
    let wanted = EntryKind::of_mode(mode).object_kind();
    let said = ObjectKind::from_name(kind)
        .ok_or_else(|| Error::fatal(format!("invalid object type \"{}\"", kind.as_bstr())))?;
    if said != wanted {
        return Err(Error::fatal(format!(
            "entry '{name}' object type ({said}) doesn't match mode type ({wanted})"
        )));
    }
    // A submodule's commit need not be here.
    if EntryKind::of_mode(mode) != EntryKind::Gitlink {
        match repo.objects()?.try_header(&id)? {
            Some(header) if header.kind != wanted => {
                return Err(Error::fatal(format!(
                    "entry '{name}' object {id} is a {} but specified type was ({wanted})",
                    header.kind
                )));
            }
            None if !missing => {
                return Err(Error::fatal(format!("entry '{name}' object {id} is unavailable")));
            }
            _ => {}
        }
    }
    Ok(NewEntry { mode, name, id })
}

fn write(ctx: &Context<'_>, mut entries: Vec<NewEntry>) -> Result<ObjectId, Error> {
    let repo = ctx.repo()?;
    // Folders sort as if their names ended with a slash.
    let key = |entry: &NewEntry| {
        let mut name = entry.name.to_vec();
        if EntryKind::of_mode(entry.mode) == EntryKind::Tree {
            name.push(b'/');
        }
        name
    };
    entries.sort_by_cached_key(key);
    let mut content = Vec::new();
    for entry in &entries {
        content.extend_from_slice(format!("{:o} ", entry.mode).as_bytes());
        content.extend_from_slice(&entry.name);
        content.push(0);
        content.extend_from_slice(entry.id.as_bytes());
    }
    let written = repo.objects()?.write(ObjectKind::Tree, &content, repo.loose_options()?);
    written.map_err(|error| Error::fatal(error.to_string()))
}
