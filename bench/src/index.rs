//! What an index of many entries costs: loading it and dropping it again, in this process and as a command.

use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use adit_index::{EntryValue, Index, NewEntry, ReadOptions, Rebuilt, Version, WriteOptions};
use adit_object::{ObjectFormat, ObjectId};
use adit_sys::LockFile;

use crate::peers::Peers;

const FORMAT: ObjectFormat = ObjectFormat::Sha1;
const LISTING: &[&str] = &["ls-files", "--", "nosuch"];

/// Measures with indexes of each of `counts` entries.
pub(crate) fn run(peers: &Peers, counts: &[usize], scratch: &Path) -> Result<(), Box<dyn Error>> {
    for count in counts {
        let repository = scratch.join(count.to_string());
        fs::create_dir(&repository)?;
        peers.prepare(&repository, &["init", "-q"])?;
        for version in [Version::V2, Version::V4] {
            println!("{count} entries, version {}", version.number());
            let file = repository.join(".git/index");
            make(&file, *count, version)?;
            load_once(&file)?;
            peers.compare(&format!("  {}", LISTING.join(" ")), &repository, LISTING, None)?;
            let [git, adit] = [&peers.git, &peers.adit].map(|program| peak_memory(program, &repository));
            println!("  peak memory: git {} KiB, adit {} KiB", git?, adit?);
        }
        fs::remove_dir_all(&repository)?;
    }
    Ok(())
}

/// Writes an index of `count` files, 200 to a folder.
fn make(file: &Path, count: usize, version: Version) -> Result<(), Box<dyn Error>> {
    let mut index = Index::empty(FORMAT);
    let entries = (0..count).map(|number| {
        let mut raw = [1; 20];
        raw[..8].copy_from_slice(&number.to_be_bytes());
        let id = ObjectId::from_bytes(FORMAT, &raw).unwrap_or(ObjectId::null(FORMAT));
        let path = format!("folder-{:06}/sub/file-{number:08}.c", number / 200);
        Rebuilt::New(NewEntry { path: path.into(), value: EntryValue::new(0o100_644, id) })
    });
    index.rebuild(entries);
    index.set_version(version);
    Ok(index.write(LockFile::acquire(file)?, &WriteOptions::default(), |_| false)?)
}

/// Loads and drops the index once, as a short command does.
fn load_once(file: &Path) -> Result<(), Box<dyn Error>> {
    // Git does not check the checksum either.
    let options = ReadOptions { threads: 1, verify_up_to: 0 };
    let start = Instant::now();
    let index = Index::read(file, FORMAT, &options)?;
    let loaded = start.elapsed();
    let (bytes, count) = (index.allocated(), index.len());
    let start = Instant::now();
    drop(index);
    let dropped = start.elapsed();
    println!(
        "  load {:.4} s, drop {:.4} s, {:.1} bytes of memory an entry besides the file",
        loaded.as_secs_f64(),
        dropped.as_secs_f64(),
        bytes as f64 / count as f64,
    );
    Ok(())
}

/// The most memory that the program had while it looked a path up, in KiB.
fn peak_memory(program: &OsString, repository: &Path) -> Result<i64, Box<dyn Error>> {
    let time = Command::new("/usr/bin/time")
        .args(["-f", "%M"])
        .arg(program)
        .arg("-C")
        .arg(repository)
        .args(LISTING)
        .stdout(Stdio::null())
        .output()?;
    let text = String::from_utf8(time.stderr)?;
    Ok(text.lines().last().unwrap_or_default().trim().parse()?)
}
