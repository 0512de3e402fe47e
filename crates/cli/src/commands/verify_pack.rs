//! `git verify-pack`: checks packs, and lists what lies in them.

use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};

use adit_object::ObjectFormat;
use adit_odb::{LonePack, PackedObject};
use bstr::{BString, ByteSlice};

use crate::context::Context;
use crate::error::Error;
use crate::options::{Opt, Table, Usage};

#[derive(Clone, Copy)]
enum O {
    Verbose,
    StatOnly,
    Format,
}

const USAGE: Usage = Usage {
    name: "verify-pack",
    synopsis: &["git verify-pack [-v | --verbose] [-s | --stat-only] [--] <pack>.idx..."],
};

const OPTIONS: Table<O> = Table::new(&[
    Opt::flag(O::Verbose, "verbose", "list the objects").short(b'v').no(),
    Opt::flag(O::StatOnly, "stat-only", "tell only how long the chains of deltas are").short(b's').no(),
    Opt::value(O::Format, "object-format", "hash", "the hash that names the objects").no(),
]);

/// Runs the command.
pub fn run(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let (mut verbose, mut stat_only, mut named) = (false, false, None);
    let packs = OPTIONS.parse(&USAGE, args, |given| {
        match given.id {
            O::Verbose => verbose = given.on(),
            O::StatOnly => stat_only = given.on(),
            O::Format => named = given.value,
        }
        Ok(())
    })?;
    if packs.is_empty() {
        return Err(Error::Usage { message: None, usage: OPTIONS.usage(&USAGE) });
    }
    let format = super::show_index::object_format(ctx, named)?;
    let lists = verbose || stat_only;
    let mut status = 0;
    for name in &packs {
        let stem = name.strip_suffix(b".idx").or_else(|| name.strip_suffix(b".pack")).unwrap_or(name);
        let shown = format!("{}.pack", stem.as_bstr());
        let path = ctx.env.cwd().join(PathBuf::from(&shown));
        if !path.with_extension("idx").exists() {
            let index = stem.as_bstr();
            writeln!(ctx.streams.err, "fatal: Cannot open existing pack file '{index}.idx'")?;
            status = bad(ctx, &shown, lists)?;
            continue;
        }
        match check(&path, format, stat_only, verbose) {
            Ok(text) => {
                ctx.streams.out.write_all(text.as_bytes())?;
                if verbose && !stat_only {
                    writeln!(ctx.streams.out, "{shown}: ok")?;
                }
            }
            Err(damage) => {
                writeln!(ctx.streams.err, "fatal: {damage}")?;
                status = bad(ctx, &shown, lists)?;
            }
        }
    }
    Ok(status)
}

fn bad(ctx: &mut Context<'_>, shown: &str, lists: bool) -> Result<u8, Error> {
    if lists {
        writeln!(ctx.streams.out, "{shown}: bad")?;
    }
    Ok(1)
}

/// What there is to print of a pack, once it was checked.
fn check(
    path: &Path,
    format: ObjectFormat,
    stat_only: bool,
    verbose: bool,
) -> Result<String, adit_odb::Damage> {
    let pack = LonePack::open(path, format)?;
    // Git, too, checks the pack even where its manual says that it only tells the statistics.
    pack.verify()?;
    let mut text = String::new();
    if !verbose && !stat_only {
        return Ok(text);
    }
    let objects = pack.objects()?;
    if !stat_only {
        objects.iter().for_each(|object| line(object, &mut text));
    }
    histogram(&objects, &mut text);
    Ok(text)
}

fn line(object: &PackedObject, text: &mut String) {
    let PackedObject { id, kind, size, disk_size, offset, .. } = object;
    // Writing to a string does not fail.
    let _ = write!(text, "{id} {kind:<6} {size} {disk_size} {offset}");
    if let Some((depth, base)) = object.delta {
        let _ = write!(text, " {depth} {base}");
    }
    text.push('\n');
}

/// How many objects are how many deltas away from a whole one.
fn histogram(objects: &[PackedObject], text: &mut String) {
    let mut lengths = vec![0u64];
    for object in objects {
        let depth = object.delta.map_or(0, |(depth, _)| depth as usize);
        if depth >= lengths.len() {
            lengths.resize(depth + 1, 0);
        }
        lengths[depth] += 1;
    }
    for (depth, &count) in lengths.iter().enumerate().filter(|(_, count)| **count > 0) {
        let plural = if count == 1 { "" } else { "s" };
        let _ = match depth {
            0 => writeln!(text, "non delta: {count} object{plural}"),
            _ => writeln!(text, "chain length = {depth}: {count} object{plural}"),
        };
    }
}
