//! Locks: a file `<name>.lock` beside the one that is about to change, made only if it is not there.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use adit_sys::{LockFile, Temporary};
use bstr::{BStr, ByteSlice};

use super::folders::Folders;
use crate::update_error::LockFailure;
use crate::write_options::Patience;

/// The last part of a name, and the same with `.lock`.
pub(super) fn file_names(name: &BStr) -> (&[u8], Vec<u8>) {
    let last = &name.as_bytes()[name.rfind_byte(b'/').map_or(0, |slash| slash + 1)..];
    (last, [last, b".lock"].concat())
}

/// Locks the reference `name`, and opens the file that will take its place.
pub(super) fn reference(
    folders: &mut Folders<'_>,
    name: &BStr,
    patience: Patience,
) -> Result<(Temporary, File), LockFailure> {
    let (_, lock_name) = file_names(name);
    let attempt = || {
        folders.with(name, |folder, path| {
            Temporary::create_in(folder, &lock_name, path.join(lock_name.to_path_lossy()), 0o666)
        })
    };
    patiently(patience, attempt).map_err(|error| failure(folders, name, error))
}

/// Locks the reference `name` with a second name of the lock `first`, which is empty: thousands of locks take one file.
pub(super) fn linked(
    folders: &mut Folders<'_>,
    name: &BStr,
    first: &Temporary,
    patience: Patience,
) -> Result<Temporary, LockFailure> {
    let (_, lock_name) = file_names(name);
    let attempt = || {
        folders.with(name, |folder, path| {
            first.link_in(folder, &lock_name, path.join(lock_name.to_path_lossy()))
        })
    };
    patiently(patience, attempt).map_err(|error| failure(folders, name, error))
}

fn failure(folders: &Folders<'_>, name: &BStr, error: io::Error) -> LockFailure {
    let mut path = folders.path_of(name).into_os_string();
    path.push(".lock");
    LockFailure { path: path.into(), error }
}

/// Locks a file that is replaced as a whole.
pub(super) fn file(path: &Path, patience: Patience) -> Result<LockFile, LockFailure> {
    patiently(patience, || LockFile::acquire(path)).map_err(|error| {
        let mut path = path.as_os_str().to_owned();
        path.push(".lock");
        LockFailure { path: PathBuf::from(path), error }
    })
}

/// Tries again, with longer and longer pauses, for as long as another process holds a lock.
fn patiently<T>(patience: Patience, mut attempt: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    const LONGEST_PAUSE: u32 = 1000;
    let start = Instant::now();
    for round in 1_u32.. {
        match attempt() {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let left = match patience {
                    Patience::Endless => Duration::MAX,
                    Patience::For(time) => time.saturating_sub(start.elapsed()),
                };
                if left.is_zero() {
                    return Err(error);
                }
                // Those who wait for the same lock should not all come back at once.
                let noise = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
                let pause =
                    round.saturating_mul(round).min(LONGEST_PAUSE) * (500 + noise.subsec_nanos() % 1000);
                std::thread::sleep(Duration::from_micros(u64::from(pause)).min(left));
            }
            outcome => return outcome,
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}
