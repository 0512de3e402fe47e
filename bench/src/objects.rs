//! How the time of history depends on the delta base cache, and what a reverse index is worth.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::peers::Peers;

/// Measures on a clone of `repository`.
pub(crate) fn run(peers: &Peers, repository: &Path, scratch: &Path) -> Result<(), Box<dyn Error>> {
    let clone = scratch.join("clone.git");
    clone_into(peers, repository, &clone)?;
    cache_limits(peers, &clone)?;
    disk_sizes(peers, &clone, scratch)
}

/// One pack with a `.rev` file; packs of local clones are linked, not copied.
fn clone_into(peers: &Peers, repository: &Path, to: &Path) -> Result<(), Box<dyn Error>> {
    let status = Command::new(&peers.git).args(["clone", "-q", "--bare"]).arg(repository).arg(to).status()?;
    let packs = fs::read_dir(to.join("objects/pack"))?.count();
    if !status.success() || packs == 0 {
        return Err("the repository could not be cloned".into());
    }
    peers.prepare(to, &["-c", "pack.writeReverseIndex=true", "repack", "-adq"])
}

fn cache_limits(peers: &Peers, clone: &Path) -> Result<(), Box<dyn Error>> {
    for log in [&["log", "--raw"][..], &["log", "-Sfoo", "--raw"]] {
        println!("{} by core.deltaBaseCacheLimit", log.join(" "));
        for mebibytes in [8, 16, 32, 64, 96, 256, 1024] {
            let limit = format!("core.deltaBaseCacheLimit={mebibytes}m");
            let args = [&["-c", &limit], log].concat();
            peers.compare(&format!("  {mebibytes} MiB"), clone, &args, None)?;
        }
    }
    Ok(())
}

fn disk_sizes(peers: &Peers, clone: &Path, scratch: &Path) -> Result<(), Box<dyn Error>> {
    let listed = Command::new(&peers.git)
        .arg("-C")
        .arg(clone)
        .args(["cat-file", "--batch-all-objects", "--batch-check=%(objectname)"])
        .output()?
        .stdout;
    let ids: Vec<&[u8]> = listed.split_inclusive(|&b| b == b'\n').collect();
    let some = |count: usize| -> Result<PathBuf, Box<dyn Error>> {
        let path = scratch.join(format!("{count}"));
        let step = (ids.len() / count).max(1);
        fs::write(&path, ids.iter().step_by(step).take(count).copied().collect::<Vec<_>>().concat())?;
        Ok(path)
    };
    let (one, thousand) = (some(1)?, some(1000)?);
    let check = ["cat-file", "--buffer", "--batch-check=%(objectsize:disk)"];
    let all = [&check[..], &["--batch-all-objects"]].concat();
    for with_rev in [true, false] {
        if !with_rev {
            for entry in fs::read_dir(clone.join("objects/pack"))? {
                let path = entry?.path();
                if path.extension().is_some_and(|extension| extension == "rev") {
                    fs::remove_file(path)?;
                }
            }
        }
        println!("%(objectsize:disk) {} a .rev file", if with_rev { "with" } else { "without" });
        peers.compare("  1 object", clone, &check, Some(&one))?;
        peers.compare("  1,000 objects", clone, &check, Some(&thousand))?;
        peers.compare(&format!("  all {} objects", ids.len()), clone, &all, None)?;
    }
    Ok(())
}
