//! Changed-path Bloom filters: may a commit have changed this path? (gitformat-commit-graph)

/// How the filters of a file were made. Only filters that were made alike can be asked with one key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BloomSettings {
    /// 1 sign-extends bytes of paths before they are hashed, as a bug of old versions did on most machines; 2 does not.
    version: u32,
    hashes: u32,
    bits_per_entry: u32,
}

/// More hashes than this per path no writer uses; a file that asks for more would only cost time.
const MAX_HASHES: u32 = 64;
/// The format page prints the second without its last digit.
const SEEDS: [u32; 2] = [0x293a_e76f, 0x7e64_6e2c];

impl BloomSettings {
    /// The settings of a filter chunk's header; `None` when filters made so cannot be read.
    pub(super) fn new(version: u32, hashes: u32, bits_per_entry: u32) -> Option<Self> {
        ((1..=2).contains(&version) && (1..=MAX_HASHES).contains(&hashes)).then_some(BloomSettings {
            version,
            hashes,
            bits_per_entry,
        })
    }

    /// The key that asks for `path`, which has no leading or trailing slash.
    pub fn key(&self, path: &[u8]) -> BloomKey {
        let [first, step] = SEEDS.map(|seed| murmur3(seed, path, self.version == 1));
        BloomKey { first, step }
    }

    /// The keys for a path and each folder above it: a commit that changed the path changed all of them.
    pub fn keys_with_folders(&self, path: &[u8]) -> Vec<BloomKey> {
        let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
        slashes.chain([path.len()]).map(|end| self.key(&path[..end])).collect()
    }
}

/// A path, hashed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BloomKey {
    first: u32,
    step: u32,
}

impl BloomKey {
    /// Whether every bit of the key is set in `filter`, which is not empty.
    pub(super) fn is_in(&self, filter: &[u8], settings: &BloomSettings) -> bool {
        let bits = filter.len() as u64 * 8;
        (0..settings.hashes).all(|n| {
            let hash = self.first.wrapping_add(n.wrapping_mul(self.step));
            let bit = u64::from(hash) % bits;
            filter[(bit / 8) as usize] & 1 << (bit % 8) != 0
        })
    }
}

/// The 32-bit murmur3 hash, of sign-extended bytes when `signed` says so.
fn murmur3(seed: u32, data: &[u8], signed: bool) -> u32 {
    let widen = |byte: u8| if signed { byte as i8 as u32 } else { u32::from(byte) };
    let scramble = |k: u32| k.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593);
    let mut hash = seed;
    let mut words = data.chunks_exact(4);
    for word in words.by_ref() {
        let k = widen(word[0]) | widen(word[1]) << 8 | widen(word[2]) << 16 | widen(word[3]) << 24;
        hash = (hash ^ scramble(k)).rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
    }
    let rest = words.remainder();
    if !rest.is_empty() {
        let k = rest.iter().enumerate().fold(0, |k, (n, &byte)| k ^ widen(byte) << (8 * n));
        hash ^= scramble(k);
    }
    hash ^= data.len() as u32;
    hash = (hash ^ hash >> 16).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ hash >> 13).wrapping_mul(0xc2b2_ae35);
    hash ^ hash >> 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn murmur3_known_values() {
        assert_eq!(murmur3(0, b"", false), 0);
        assert_eq!(murmur3(0, b"Hello world!", false), 0x627b_0c2c);
        assert_eq!(murmur3(0, b"The quick brown fox jumps over the lazy dog", false), 0x2e4f_f723);
        assert_eq!(murmur3(0x9747_b28c, b"abc", true), murmur3(0x9747_b28c, b"abc", false));
        assert_ne!(murmur3(0, b"\x99\xaa\xbb\xcc\xdd", true), murmur3(0, b"\x99\xaa\xbb\xcc\xdd", false));
    }

    #[test]
    fn settings_that_no_reader_knows_are_refused() {
        assert!(BloomSettings::new(3, 7, 10).is_none());
        assert!(BloomSettings::new(1, 0, 10).is_none());
        assert!(BloomSettings::new(2, u32::MAX, 10).is_none());
        assert_eq!(BloomSettings::new(2, 7, 10).unwrap().keys_with_folders(b"a/b/c").len(), 3);
    }
}
