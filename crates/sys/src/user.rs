//! Who runs the process, and where users are at home.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// The effective user id.
pub fn effective_user_id() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// The home folder of the user of that name, as `/etc/passwd` has it.
pub fn home_of(user: &[u8]) -> Option<PathBuf> {
    let home = account(|fields| fields.first() == Some(&user), 5)?;
    Some(PathBuf::from(OsStr::from_bytes(&home)))
}

/// The name by which the user with that id logs in.
pub fn login_name(id: u32) -> Option<Vec<u8>> {
    account(|fields| fields.get(2) == Some(&id.to_string().as_bytes()), 0)
}

/// The name in full of the user with that id; empty when none is recorded.
pub fn full_name(id: u32) -> Option<Vec<u8>> {
    let mut name = account(|fields| fields.get(2) == Some(&id.to_string().as_bytes()), 4)?;
    // What follows a comma is an office, or a telephone number.
    name.truncate(name.iter().position(|byte| *byte == b',').unwrap_or(name.len()));
    Some(name)
}

/// The name of this machine.
pub fn host_name() -> Vec<u8> {
    rustix::system::uname().nodename().to_bytes().to_vec()
}

/// A field of the first line of `/etc/passwd` that `wanted` picks.
fn account(wanted: impl Fn(&[&[u8]]) -> bool, field: usize) -> Option<Vec<u8>> {
    let accounts = std::fs::read("/etc/passwd").ok()?;
    accounts.split(|byte| *byte == b'\n').find_map(|line| {
        let fields: Vec<&[u8]> = line.split(|byte| *byte == b':').collect();
        wanted(&fields).then(|| fields.get(field).map(|value| value.to_vec()))?
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn homes_are_looked_up() {
        assert_eq!(home_of(b"root"), Some("/root".into()));
        assert_eq!(home_of(b"no such user"), None);
        assert_eq!(login_name(0), Some(b"root".to_vec()));
        assert_eq!(full_name(0), Some(b"root".to_vec()));
        assert!(!host_name().is_empty());
    }
}
