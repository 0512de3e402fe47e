//! `git count-objects`: how many objects are stored in which way, and how much room they take.

use std::io::Write;

use adit_odb::Misplaced;
use bstr::BString;

use crate::context::Context;
use crate::error::Error;
use crate::options::{Opt, Table, Usage};

#[derive(Clone, Copy)]
enum O {
    Verbose,
    Human,
}

const USAGE: Usage =
    Usage { name: "count-objects", synopsis: &["git count-objects [-v] [-H | --human-readable]"] };

const OPTIONS: Table<O> = Table::new(&[
    Opt::flag(O::Verbose, "verbose", "tell of packs and garbage too").short(b'v').no(),
    Opt::flag(O::Human, "human-readable", "print sizes for people").short(b'H').no(),
]);

/// Runs the command.
pub fn run(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let (mut verbose, mut human) = (false, false);
    let rest = OPTIONS.parse(&USAGE, args, |given| {
        match given.id {
            O::Verbose => verbose = given.on(),
            O::Human => human = given.on(),
        }
        Ok(())
    })?;
    if !rest.is_empty() {
        return Err(Error::Usage { message: None, usage: OPTIONS.usage(&USAGE) });
    }
    let repo = ctx.repo()?;
    let objects = repo.objects()?;
    let counts = objects.counts(verbose);
    let cwd = repo.env().cwd();
    for garbage in counts.garbage.iter().filter(|_| verbose) {
        let what = match garbage.why {
            Misplaced::Unknown => "garbage found",
            Misplaced::NoIndex => "no corresponding .idx",
            Misplaced::NoPack => "no corresponding .pack",
            Misplaced::Neither => "no corresponding .idx or .pack",
        };
        let shown = garbage.path.strip_prefix(cwd).unwrap_or(&garbage.path);
        ctx.warn(format!("{what}: {}", shown.display()));
    }
    let size = |bytes: u64| if human { for_people(bytes) } else { (bytes / 1024).to_string() };
    let out = &mut ctx.streams.out;
    if !verbose {
        let unit = if human { "" } else { " kilobytes" };
        writeln!(out, "{} objects, {}{unit}", counts.loose, size(counts.loose_size))?;
        return Ok(0);
    }
    writeln!(out, "count: {}", counts.loose)?;
    writeln!(out, "size: {}", size(counts.loose_size))?;
    writeln!(out, "in-pack: {}", counts.packed)?;
    writeln!(out, "packs: {}", counts.packs)?;
    writeln!(out, "size-pack: {}", size(counts.pack_size))?;
    writeln!(out, "prune-packable: {}", counts.prunable)?;
    writeln!(out, "garbage: {}", counts.garbage.len())?;
    writeln!(out, "size-garbage: {}", size(counts.garbage_size))?;
    for folder in objects.object_folders().skip(1) {
        writeln!(out, "alternate: {}", folder.display())?;
    }
    Ok(0)
}

/// A size with the largest unit that leaves it above one, two digits after the point.
fn for_people(bytes: u64) -> String {
    let (unit, shift) = match bytes {
        0x4000_0001.. => ("GiB", 30),
        0x10_0001.. => ("MiB", 20),
        0x401.. => ("KiB", 10),
        _ => return format!("{bytes} {}", if bytes == 1 { "byte" } else { "bytes" }),
    };
    // Rounded half up, in hundredths.
    let hundredths = (u128::from(bytes) * 100 + (1 << (shift - 1))) >> shift;
    format!("{}.{:02} {unit}", hundredths / 100, hundredths % 100)
}

#[cfg(test)]
mod tests {
    use super::for_people;

    #[test]
    fn sizes_for_people() {
        for (bytes, text) in [
            (0, "0 bytes"),
            (1, "1 byte"),
            (1024, "1024 bytes"),
            (1025, "1.00 KiB"),
            (49_152, "48.00 KiB"),
            (1 << 20, "1024.00 KiB"),
            ((1 << 20) + 1, "1.00 MiB"),
            (329_524_012, "314.26 MiB"),
            (3 << 30, "3.00 GiB"),
        ] {
            assert_eq!(for_people(bytes), text);
        }
    }
}
