//! What many references cost: loose and packed, cold and warm, and how it grows with their number.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::peers::{Peers, Work};

const COMMITS: usize = 20_000;

/// The command lines that only read. `t1` is on the first commit, which every branch contains.
const READS: [&[&str]; 4] =
    [&["branch"], &["for-each-ref"], &["branch", "--contains", "t1"], &["tag", "--contains", "t1"]];

/// Measures in repositories with each of `counts` tags.
pub(crate) fn run(peers: &Peers, counts: &[usize], scratch: &Path) -> Result<(), Box<dyn Error>> {
    let can_drop = drop_caches().is_ok();
    if !can_drop {
        println!("caches cannot be dropped here: warm ones only");
    }
    for count in counts {
        let repository = scratch.join(format!("{count}.git"));
        make(peers, &repository, *count)?;
        for packed in [false, true] {
            if packed {
                peers.prepare(&repository, &["pack-refs", "--all"])?;
            }
            let state = if packed { "packed" } else { "loose" };
            for cold in [true, false] {
                if cold && !can_drop {
                    continue;
                }
                println!("{count} tags, {state}, {} caches", if cold { "cold" } else { "warm" });
                read(peers, &repository, cold)?;
                if !packed {
                    pack(peers, &repository, &scratch.join("copy.git"), cold)?;
                }
            }
        }
        fs::remove_dir_all(&repository)?;
    }
    Ok(())
}

fn read(peers: &Peers, repository: &Path, cold: bool) -> Result<(), Box<dyn Error>> {
    let before = || if cold { drop_caches() } else { Ok(()) };
    for args in READS {
        let work = Work { dir: repository, args, input: None, before: &before };
        peers.compare_work(&format!("  {}", args.join(" ")), &work)?;
    }
    Ok(())
}

/// Packs the references of a fresh copy each time.
fn pack(peers: &Peers, repository: &Path, copy: &Path, cold: bool) -> Result<(), Box<dyn Error>> {
    let before = || {
        if copy.exists() {
            fs::remove_dir_all(copy)?;
        }
        let status = Command::new("cp").arg("-r").arg(repository).arg(copy).status()?;
        if !status.success() {
            return Err("the repository could not be copied".into());
        }
        if cold { drop_caches() } else { Ok(()) }
    };
    let args = ["pack-refs", "--all"];
    peers
        .compare_work("  pack-refs --all", &Work { dir: copy, args: &args, input: None, before: &before })?;
    Ok(fs::remove_dir_all(copy)?)
}

/// Has the system forget what it knows of files; that takes a privilege.
fn drop_caches() -> Result<(), Box<dyn Error>> {
    rustix::fs::sync();
    Ok(fs::write("/proc/sys/vm/drop_caches", "3")?)
}

/// A history of [`COMMITS`] commits on one branch, and `count` loose tags all along it.
fn make(peers: &Peers, repository: &Path, count: usize) -> Result<(), Box<dyn Error>> {
    let status = Command::new(&peers.git).args(["init", "-q", "--bare"]).arg(repository).status()?;
    if !status.success() {
        return Err("no repository could be made".into());
    }
    let mut import = String::new();
    for n in 1..=COMMITS {
        let when = 1_000_000_000 + n * 60;
        let message = format!("commit {n}\n");
        write!(
            import,
            "commit refs/heads/main\nmark :{n}\ncommitter A U Thor <author@example.com> {when} +0000\n"
        )?;
        write!(
            import,
            "data {}\n{message}M 100644 inline file\ndata {}\n{message}\n",
            message.len(),
            message.len()
        )?;
    }
    let marks = repository.join("marks");
    let stream = repository.join("stream");
    fs::write(&stream, import)?;
    let status = Command::new(&peers.git)
        .arg("-C")
        .arg(repository)
        .args(["fast-import", "--quiet", "--export-marks=marks"])
        .stdin(Stdio::from(fs::File::open(&stream)?))
        .status()?;
    if !status.success() {
        return Err("the history could not be made".into());
    }
    let marks = fs::read_to_string(marks)?;
    let ids: Vec<&str> = marks.lines().filter_map(|line| Some(line.split_once(' ')?.1)).collect();
    let first = ids.first().ok_or("the history is empty")?;
    let tags = repository.join("refs/tags");
    for n in 1..=count {
        let id = if n == 1 { first } else { ids[n * ids.len() / (count + 1)] };
        fs::write(tags.join(format!("t{n}")), format!("{id}\n"))?;
    }
    Ok(())
}
