//! Permissions of the files that several users share (git-config, `core.sharedRepository`).

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Who may use the files of a repository besides their owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sharing {
    /// Whoever the process's umask lets.
    #[default]
    Umask,
    /// The group may write, besides what the umask lets.
    Group,
    /// The group may write and all may read, besides what the umask lets.
    Everybody,
    /// Those whom these permissions of a file that is no program let, whatever the umask.
    Exactly(u32),
}

const PERMISSIONS: u32 = 0o777;
const READ: u32 = 0o444;
const WRITE: u32 = 0o222;
const GROUP_READS_OR_WRITES: u32 = 0o060;
const SET_GROUP: u32 = 0o2000;

impl Sharing {
    /// The mode that something of this mode gets.
    pub fn mode(self, mode: u32, is_folder: bool) -> u32 {
        let (mut wanted, kept) = match self {
            Sharing::Umask => return mode,
            Sharing::Group => (0o660, mode),
            Sharing::Everybody => (0o664, mode),
            Sharing::Exactly(wanted) => (wanted, mode & !PERMISSIONS),
        };
        if mode & 0o200 == 0 {
            wanted &= !WRITE;
        }
        if mode & 0o100 != 0 {
            // Who may read a program may start it, and who may list a folder may enter it.
            wanted |= (wanted & READ) >> 2;
        }
        let mut mode = kept | wanted;
        if is_folder && wanted & GROUP_READS_OR_WRITES != 0 {
            mode |= SET_GROUP;
        }
        mode
    }

    /// Gives the file or folder at `path` the permissions that it must have here.
    ///
    /// # Errors
    /// When they cannot be read or set.
    pub fn adjust(self, path: &Path) -> io::Result<()> {
        if self == Sharing::Umask {
            return Ok(());
        }
        let meta = fs::metadata(path)?;
        let old = meta.permissions().mode() & 0o7777;
        let new = self.mode(old, meta.is_dir());
        if new == old { Ok(()) } else { fs::set_permissions(path, Permissions::from_mode(new)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_widen_or_are_replaced() {
        for (sharing, mode, is_folder, expected) in [
            (Sharing::Umask, 0o755, true, 0o755),
            (Sharing::Group, 0o644, false, 0o664),
            (Sharing::Group, 0o755, true, 0o2775),
            (Sharing::Group, 0o700, true, 0o2770),
            (Sharing::Group, 0o444, false, 0o444),
            (Sharing::Everybody, 0o600, false, 0o664),
            (Sharing::Exactly(0o640), 0o644, false, 0o640),
            (Sharing::Exactly(0o640), 0o755, true, 0o2750),
            (Sharing::Exactly(0o666), 0o755, true, 0o2777),
            (Sharing::Exactly(0o600), 0o755, true, 0o700),
            (Sharing::Exactly(0o602), 0o755, true, 0o702),
            (Sharing::Exactly(0o660), 0o444, false, 0o440),
        ] {
            assert_eq!(sharing.mode(mode, is_folder), expected, "{sharing:?} {mode:o}");
        }
    }

    #[test]
    fn permissions_are_set_where_they_differ() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        fs::write(&path, "").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o7777;
        Sharing::Umask.adjust(&path).unwrap();
        assert_eq!(mode(), 0o600);
        Sharing::Group.adjust(&path).unwrap();
        assert_eq!(mode(), 0o660);
    }
}
