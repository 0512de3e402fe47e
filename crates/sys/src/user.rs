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
    let accounts = std::fs::read("/etc/passwd").ok()?;
    accounts.split(|byte| *byte == b'\n').find_map(|line| {
        let mut fields = line.split(|byte| *byte == b':');
        let home = (fields.next()? == user).then(|| fields.nth(4))??;
        Some(PathBuf::from(OsStr::from_bytes(home)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn homes_are_looked_up() {
        assert_eq!(home_of(b"root"), Some("/root".into()));
        assert_eq!(home_of(b"no such user"), None);
    }
}
