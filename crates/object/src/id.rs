//! Object ids, abbreviated ids, and tables keyed by them.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{BuildHasherDefault, Hash, Hasher};

/// Which hash names the objects of a repository (`extensions.objectFormat`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum ObjectFormat {
    /// 20-byte ids.
    #[default]
    Sha1,
    /// 32-byte ids.
    Sha256,
}

impl ObjectFormat {
    /// The name used in configuration and by `rev-parse --show-object-format`.
    pub fn as_str(self) -> &'static str {
        match self {
            ObjectFormat::Sha1 => "sha1",
            ObjectFormat::Sha256 => "sha256",
        }
    }

    /// The format of that name, if there is one.
    pub fn from_name(name: &[u8]) -> Option<Self> {
        match name {
            b"sha1" => Some(ObjectFormat::Sha1),
            b"sha256" => Some(ObjectFormat::Sha256),
            _ => None,
        }
    }

    /// The length of an id in bytes: 20 or 32.
    #[expect(clippy::len_without_is_empty, reason = "a length of ids, not of a collection")]
    pub const fn len(self) -> usize {
        match self {
            ObjectFormat::Sha1 => 20,
            ObjectFormat::Sha256 => 32,
        }
    }

    /// The length of an id in hexadecimal digits: 40 or 64.
    pub const fn hex_len(self) -> usize {
        self.len() * 2
    }

    /// The number that multi-pack-index and commit-graph files use for it (gitformat-commit-graph).
    pub const fn file_version(self) -> u8 {
        match self {
            ObjectFormat::Sha1 => 1,
            ObjectFormat::Sha256 => 2,
        }
    }
}

/// The name of an object: the hash of its header and content.
///
/// Bytes past the length of the format are zero.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ObjectId {
    bytes: [u8; 32],
    format: ObjectFormat,
}

/// Why a text is no object id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a hexadecimal object id of the right length")]
pub struct ParseIdError;

impl ObjectId {
    /// The id of zeros, which stands for 'no object'.
    pub const fn null(format: ObjectFormat) -> Self {
        ObjectId { bytes: [0; 32], format }
    }

    /// The id with these raw bytes; `None` unless there are exactly as many as `format` has.
    pub fn from_bytes(format: ObjectFormat, raw: &[u8]) -> Option<Self> {
        let mut bytes = [0; 32];
        bytes.get_mut(..format.len()).filter(|b| b.len() == raw.len())?.copy_from_slice(raw);
        Some(ObjectId { bytes, format })
    }

    /// Reads exactly one full id in hexadecimal, in either case.
    pub fn from_hex(format: ObjectFormat, hex: &[u8]) -> Result<Self, ParseIdError> {
        if hex.len() != format.hex_len() {
            return Err(ParseIdError);
        }
        let mut bytes = [0; 32];
        for (part, digits) in bytes.chunks_exact_mut(4).zip(hex.chunks_exact(8)) {
            part.copy_from_slice(&decode_eight(digits).ok_or(ParseIdError)?);
        }
        Ok(ObjectId { bytes, format })
    }

    /// The format whose hash this id is.
    pub const fn format(&self) -> ObjectFormat {
        self.format
    }

    /// The raw bytes, 20 or 32 of them.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.format.len()]
    }

    /// Whether this is the id of zeros.
    pub fn is_null(&self) -> bool {
        self.bytes == [0; 32]
    }

    /// The first byte, by which pack indexes fan out.
    pub const fn first_byte(&self) -> u8 {
        self.bytes[0]
    }

    /// The first eight bytes, enough to tell honest ids apart in a table.
    pub const fn first_u64(&self) -> u64 {
        let b = &self.bytes;
        u64::from_be_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]])
    }

    /// Writes all hexadecimal digits into `out` and returns the part that was written.
    pub fn encode_hex<'b>(&self, out: &'b mut [u8; 64]) -> &'b [u8] {
        for (pair, byte) in out.chunks_exact_mut(2).zip(self.as_bytes()) {
            pair[0] = HEX_DIGITS[(byte >> 4) as usize];
            pair[1] = HEX_DIGITS[(byte & 15) as usize];
        }
        &out[..self.format.hex_len()]
    }

    /// Appends the first `len` hexadecimal digits (all of them when `len` is larger) to `out`.
    pub fn append_hex(&self, len: usize, out: &mut Vec<u8>) {
        let mut buf = [0; 64];
        let hex = self.encode_hex(&mut buf);
        out.extend_from_slice(&hex[..len.min(hex.len())]);
    }
}

const HEX_DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Reads eight hexadecimal digits at once, in either case.
fn decode_eight(digits: &[u8]) -> Option<[u8; 4]> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let text = u64::from_le_bytes(digits.try_into().ok()?);
    // A letter has bit 6 set, and its value is nine more than its low four bits.
    let values = (text & (0x0f * ONES)) + 9 * ((text >> 6) & ONES);
    // Written again, values of four bits must give the same digits, letters in lower case: nothing else does.
    let letters = ((values + 6 * ONES) >> 4) & ONES;
    let written = values + u64::from(b'0') * ONES + letters * 39;
    if values & (0xf0 * ONES) != 0 || written != text | letters << 5 {
        return None;
    }
    let pairs = (values << 4 | values >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs | pairs >> 8) & 0x0000_ffff_0000_ffff;
    let [a, b, c, d, ..] = (fours | fours >> 16).to_le_bytes();
    Some([a, b, c, d])
}

impl fmt::Display for ObjectId {
    /// All hexadecimal digits, or as many as the precision says (`{:.7}`).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut buf = [0; 64];
        let hex = self.encode_hex(&mut buf);
        let len = f.precision().unwrap_or(hex.len()).min(hex.len());
        for &digit in &hex[..len] {
            fmt::Write::write_char(f, char::from(digit))?;
        }
        Ok(())
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ObjectId({self})")
    }
}

impl Hash for ObjectId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.first_u64());
    }
}

impl PartialOrd for ObjectId {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ObjectId {
    fn cmp(&self, other: &Self) -> Ordering {
        self.bytes.cmp(&other.bytes).then(self.format.cmp(&other.format))
    }
}

/// A hasher for keys that are already hashes: it passes their first eight bytes through.
#[derive(Debug, Default, Clone, Copy)]
pub struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}

/// Builds [`IdHasher`]s.
pub type IdBuildHasher = BuildHasherDefault<IdHasher>;
/// A map from object ids.
pub type IdMap<V> = hashbrown::HashMap<ObjectId, V, IdBuildHasher>;
/// A set of object ids.
pub type IdSet = hashbrown::HashSet<ObjectId, IdBuildHasher>;

/// The first digits of an object id, as a person types them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prefix {
    id: ObjectId,
    hex_len: usize,
}

impl Prefix {
    /// Reads an abbreviated id of one digit or more, in either case; a full id is a prefix of itself.
    pub fn from_hex(format: ObjectFormat, hex: &[u8]) -> Result<Self, ParseIdError> {
        if hex.is_empty() || hex.len() > format.hex_len() {
            return Err(ParseIdError);
        }
        let mut padded = [b'0'; 64];
        padded[..hex.len()].copy_from_slice(hex);
        let id = ObjectId::from_hex(format, &padded[..format.hex_len()])?;
        Ok(Prefix { id, hex_len: hex.len() })
    }

    /// The first `hex_len` digits of `id` (at least one, at most all).
    pub fn of(id: &ObjectId, hex_len: usize) -> Self {
        let hex_len = hex_len.clamp(1, id.format.hex_len());
        let mut bytes = id.bytes;
        bytes[hex_len.div_ceil(2)..].fill(0);
        if hex_len % 2 == 1 {
            bytes[hex_len / 2] &= 0xf0;
        }
        Prefix { id: ObjectId { bytes, format: id.format }, hex_len }
    }

    /// The smallest id with this prefix: the digits, then zeros.
    pub fn lowest(&self) -> &ObjectId {
        &self.id
    }

    /// How many hexadecimal digits the prefix has.
    pub fn hex_len(&self) -> usize {
        self.hex_len
    }

    /// Whether `id` starts with these digits.
    pub fn matches(&self, id: &ObjectId) -> bool {
        self.compare(id.as_bytes()) == Ordering::Equal
    }

    /// How the raw id `raw` lies to this prefix in sorted order; `Equal` when it starts with it.
    pub fn compare(&self, raw: &[u8]) -> Ordering {
        let full = self.hex_len / 2;
        let order = raw[..full.min(raw.len())].cmp(&self.id.bytes[..full]);
        if order != Ordering::Equal || self.hex_len.is_multiple_of(2) {
            return order;
        }
        (raw.get(full).copied().unwrap_or(0) & 0xf0).cmp(&self.id.bytes[full])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEX: &[u8] = b"0123456789abcdef0123456789ABCDEF01234567";

    #[test]
    fn hex_round_trips_and_is_checked() {
        let id = ObjectId::from_hex(ObjectFormat::Sha1, HEX).unwrap();
        assert_eq!(id.to_string().as_bytes(), HEX.to_ascii_lowercase());
        assert_eq!(format!("{id:.7}"), "0123456");
        assert_eq!(ObjectId::from_bytes(ObjectFormat::Sha1, id.as_bytes()), Some(id));
        assert_eq!(ObjectId::from_bytes(ObjectFormat::Sha256, id.as_bytes()), None);
        assert!(ObjectId::from_hex(ObjectFormat::Sha1, &HEX[1..]).is_err());
        assert!(ObjectId::from_hex(ObjectFormat::Sha1, b"g123456789abcdef0123456789abcdef01234567").is_err());
    }

    #[test]
    fn every_byte_is_a_digit_or_none_in_every_place() {
        for place in 0..HEX.len() {
            for byte in 0..=255_u8 {
                let mut hex = *b"0123456789abcdef0123456789ABCDEF01234567";
                hex[place] = byte;
                let read = ObjectId::from_hex(ObjectFormat::Sha1, &hex);
                assert_eq!(read.is_ok(), byte.is_ascii_hexdigit(), "{byte} at {place}");
                if let Ok(id) = read {
                    assert_eq!(id.to_string().into_bytes(), hex.to_ascii_lowercase());
                }
            }
        }
    }

    #[test]
    fn prefixes_match_by_digit() {
        let id = ObjectId::from_hex(ObjectFormat::Sha1, HEX).unwrap();
        for len in 1..=40 {
            let prefix = Prefix::from_hex(ObjectFormat::Sha1, &HEX[..len]).unwrap();
            assert_eq!(prefix, Prefix::of(&id, len));
            assert!(prefix.matches(&id));
        }
        let other = Prefix::from_hex(ObjectFormat::Sha1, b"012346").unwrap();
        assert_eq!(other.compare(id.as_bytes()), Ordering::Less);
        let odd = Prefix::from_hex(ObjectFormat::Sha1, b"01233").unwrap();
        assert_eq!(odd.compare(id.as_bytes()), Ordering::Greater);
    }
}
