//! What a file looked like when it was last known to be as its entry says: enough of `stat` to tell that it is
//! unchanged without reading it.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

/// A point in time as index files hold it; the seconds are cut to 32 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct FileTime {
    /// Seconds since 1970.
    pub seconds: u32,
    /// And nanoseconds.
    pub nanos: u32,
}

impl FileTime {
    fn of(seconds: i64, nanos: i64) -> Self {
        FileTime { seconds: low_bits(seconds.cast_unsigned()), nanos: low_bits(nanos.cast_unsigned()) }
    }

    /// Whether nothing is known: there is no such time.
    pub fn is_unknown(self) -> bool {
        self.seconds == 0
    }
}

/// The stat data of an entry (gitformat-index). All numbers are cut to 32 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stat {
    /// When the file's metadata changed.
    pub ctime: FileTime,
    /// When the file's content changed.
    pub mtime: FileTime,
    /// The device.
    pub dev: u32,
    /// The inode.
    pub ino: u32,
    /// The owner.
    pub uid: u32,
    /// The group.
    pub gid: u32,
    /// The length in bytes.
    pub size: u32,
}

/// Which parts of the stat data are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatRules {
    /// Whether `ctime` counts (`core.trustctime`).
    pub trust_ctime: bool,
    /// Whether all parts count; only whole seconds of `mtime` and the size do otherwise (`core.checkStat`).
    pub check_all: bool,
}

impl Default for StatRules {
    fn default() -> Self {
        StatRules { trust_ctime: true, check_all: true }
    }
}

impl Stat {
    /// How many bytes it takes in a file, the mode among them.
    pub(crate) const LEN: usize = 40;

    /// What the system says of a file.
    pub fn of(metadata: &Metadata) -> Self {
        Stat {
            ctime: FileTime::of(metadata.ctime(), metadata.ctime_nsec()),
            mtime: FileTime::of(metadata.mtime(), metadata.mtime_nsec()),
            dev: low_bits(metadata.dev()),
            ino: low_bits(metadata.ino()),
            uid: metadata.uid(),
            gid: metadata.gid(),
            size: Stat::size_of(metadata.size()),
        }
    }

    /// A length cut to 32 bits, but never to the zero that stands for 'unknown'.
    pub fn size_of(len: u64) -> u32 {
        match low_bits(len) {
            0 if len > 0 => 1 << 31,
            size => size,
        }
    }

    /// Whether a file that looked like `self` can be unchanged now that it looks like `now`.
    pub fn matches(&self, now: &Stat, rules: StatRules) -> bool {
        if self.size != now.size || self.mtime.seconds != now.mtime.seconds {
            return false;
        }
        if !rules.check_all {
            return true;
        }
        // A program that cannot tell nanoseconds writes zero.
        self.mtime.nanos == now.mtime.nanos
            && (!rules.trust_ctime || self.ctime == now.ctime)
            && self.uid == now.uid
            && self.gid == now.gid
            && self.ino == now.ino
    }

    /// Reads what [`Stat::append`] wrote: the stat data and the mode.
    pub(crate) fn decode(bytes: &[u8; Stat::LEN]) -> (Self, u32) {
        let mut words = [0; Stat::LEN / 4];
        for (word, bytes) in words.iter_mut().zip(bytes.as_chunks::<4>().0) {
            *word = u32::from_be_bytes(*bytes);
        }
        let [cs, cn, ms, mn, dev, ino, mode, uid, gid, size] = words;
        let ctime = FileTime { seconds: cs, nanos: cn };
        let mtime = FileTime { seconds: ms, nanos: mn };
        (Stat { ctime, mtime, dev, ino, uid, gid, size }, mode)
    }

    /// Appends the stat data with the mode where files have it.
    pub(crate) fn append(&self, mode: u32, out: &mut Vec<u8>) {
        let Stat { ctime, mtime, dev, ino, uid, gid, size } = *self;
        for word in [ctime.seconds, ctime.nanos, mtime.seconds, mtime.nanos, dev, ino, mode, uid, gid, size] {
            out.extend_from_slice(&word.to_be_bytes());
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "index files hold the low 32 bits")]
fn low_bits(number: u64) -> u32 {
    number as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_count_as_the_rules_say() {
        let old = Stat { size: 3, ino: 7, mtime: FileTime { seconds: 5, nanos: 6 }, ..Stat::default() };
        let strict = StatRules::default();
        let minimal = StatRules { check_all: false, ..strict };
        assert!(old.matches(&old, strict));
        let other_inode = Stat { ino: 8, ..old };
        assert!(!old.matches(&other_inode, strict) && old.matches(&other_inode, minimal));
        let touched = Stat { ctime: FileTime { seconds: 9, nanos: 0 }, ..old };
        assert!(!old.matches(&touched, strict));
        assert!(old.matches(&touched, StatRules { trust_ctime: false, ..strict }));
        let other_size = Stat { size: 4, ..old };
        assert!(!old.matches(&other_size, minimal));
        assert_eq!(Stat::size_of(1 << 32), 1 << 31);
        let mut bytes = Vec::new();
        touched.append(0o100_644, &mut bytes);
        assert_eq!(Stat::decode(bytes.as_slice().try_into().unwrap()), (touched, 0o100_644));
    }
}
