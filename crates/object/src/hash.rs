//! Naming objects by their content, and checksums of whole files.

use sha1::Digest;

use crate::{ObjectFormat, ObjectId, ObjectKind};

/// The content was made so that other content has the same SHA-1; it is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("SHA-1 appears to be part of a collision attack: {id}")]
pub struct CollisionError {
    /// The SHA-1 that both have.
    pub id: ObjectId,
}

/// Computes an object id piece by piece. SHA-1 is checked for known collision attacks while it is computed.
#[derive(Clone)]
pub struct Hasher(State);

#[derive(Clone)]
#[expect(clippy::large_enum_variant, reason = "a hasher lives on the stack and is not stored")]
enum State {
    Sha1(adit_sys::sha1::Sha1),
    Sha256(sha2::Sha256),
}

impl Hasher {
    /// A hasher that has seen nothing. An object's id covers its header too: see [`Hasher::object`].
    pub fn new(format: ObjectFormat) -> Self {
        Hasher(match format {
            ObjectFormat::Sha1 => State::Sha1(adit_sys::sha1::Sha1::new()),
            ObjectFormat::Sha256 => State::Sha256(sha2::Sha256::new()),
        })
    }

    /// A hasher that has seen the header of an object whose content of `size` bytes is to follow.
    pub fn object(format: ObjectFormat, kind: ObjectKind, size: u64) -> Self {
        Self::object_of_type(format, kind.as_str().as_bytes(), size)
    }

    /// Like [`Hasher::object`] for a type that git does not know (`hash-object --literally`).
    pub fn object_of_type(format: ObjectFormat, kind: &[u8], size: u64) -> Self {
        let mut hasher = Self::new(format);
        hasher.update(kind);
        hasher.update(format!(" {size}\0").as_bytes());
        hasher
    }

    /// Takes in the next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        match &mut self.0 {
            State::Sha1(state) => state.update(bytes),
            State::Sha256(state) => state.update(bytes),
        }
    }

    /// The id of all bytes taken in.
    pub fn finalize(self) -> Result<ObjectId, CollisionError> {
        match self.0 {
            State::Sha1(state) => {
                let digest = state.finalize();
                let id = id_of(ObjectFormat::Sha1, &digest.bytes);
                if digest.collision { Err(CollisionError { id }) } else { Ok(id) }
            }
            State::Sha256(state) => Ok(id_of(ObjectFormat::Sha256, &state.finalize())),
        }
    }
}

impl std::io::Write for Hasher {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl std::fmt::Debug for Hasher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Hasher")
    }
}

/// The id of an object with this content.
pub fn hash_object(format: ObjectFormat, kind: ObjectKind, data: &[u8]) -> Result<ObjectId, CollisionError> {
    let mut hasher = Hasher::object(format, kind, data.len() as u64);
    hasher.update(data);
    hasher.finalize()
}

/// The plain hash of a file's bytes, as packs, indexes and the like carry it at their end. It guards against
/// damage, not against malice, and so skips the collision check.
#[derive(Clone, Debug)]
pub struct Checksum(Plain);

#[derive(Clone, Debug)]
enum Plain {
    Sha1(sha1::Sha1),
    Sha256(sha2::Sha256),
}

impl Checksum {
    /// A checksum of nothing yet.
    pub fn new(format: ObjectFormat) -> Self {
        Checksum(match format {
            ObjectFormat::Sha1 => Plain::Sha1(sha1::Sha1::new()),
            ObjectFormat::Sha256 => Plain::Sha256(sha2::Sha256::new()),
        })
    }

    /// Takes in the next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        match &mut self.0 {
            Plain::Sha1(state) => state.update(bytes),
            Plain::Sha256(state) => state.update(bytes),
        }
    }

    /// The hash of all bytes taken in.
    pub fn finalize(self) -> ObjectId {
        match self.0 {
            Plain::Sha1(state) => id_of(ObjectFormat::Sha1, &state.finalize()),
            Plain::Sha256(state) => id_of(ObjectFormat::Sha256, &state.finalize()),
        }
    }

    /// The hash of `bytes`.
    pub fn of(format: ObjectFormat, bytes: &[u8]) -> ObjectId {
        let mut checksum = Self::new(format);
        checksum.update(bytes);
        checksum.finalize()
    }
}

fn id_of(format: ObjectFormat, digest: &[u8]) -> ObjectId {
    #[expect(clippy::expect_used, reason = "a digest of the format is as long as its ids")]
    ObjectId::from_bytes(format, digest).expect("a digest of the format's length")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_objects_have_their_ids() {
        let empty_tree = hash_object(ObjectFormat::Sha1, ObjectKind::Tree, b"").unwrap();
        assert_eq!(empty_tree.to_string(), "4b825dc642cb6eb9a060e54bf8d69288fbee4904");
        let empty_tree = hash_object(ObjectFormat::Sha256, ObjectKind::Tree, b"").unwrap();
        assert_eq!(
            empty_tree.to_string(),
            "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
        );
        let blob = hash_object(ObjectFormat::Sha1, ObjectKind::Blob, b"hello\n").unwrap();
        assert_eq!(blob.to_string(), "ce013625030ba8dba906f756967f9e9ca394464a");
    }

    #[test]
    fn pieces_make_the_same_id_as_the_whole() {
        let data: Vec<u8> = (0..3000_u32).map(|n| ((n * n) >> 3) as u8).collect();
        for format in [ObjectFormat::Sha1, ObjectFormat::Sha256] {
            let whole = hash_object(format, ObjectKind::Blob, &data).unwrap();
            for piece in [1, 63, 64, 65, 128, 1000] {
                let mut hasher = Hasher::object(format, ObjectKind::Blob, data.len() as u64);
                data.chunks(piece).for_each(|bytes| hasher.update(bytes));
                assert_eq!(hasher.finalize().unwrap(), whole, "pieces of {piece}");
            }
            let mut hasher = Hasher::new(format);
            hasher.update(&data);
            assert_eq!(hasher.finalize().unwrap(), Checksum::of(format, &data));
        }
    }

    proptest::proptest! {
        #[test]
        fn the_same_as_the_detecting_crate(data in proptest::collection::vec(proptest::num::u8::ANY, 0..2000)) {
            let expected = sha1_checked::Sha1::try_digest(&data);
            let mut hasher = Hasher::new(ObjectFormat::Sha1);
            hasher.update(&data);
            let id = hasher.finalize();
            proptest::prop_assert_eq!(id.is_err(), expected.has_collision());
            let id = id.unwrap_or_else(|error| error.id);
            proptest::prop_assert_eq!(id.as_bytes(), &expected.hash()[..]);
        }
    }
}
