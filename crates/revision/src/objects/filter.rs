//! Filters: which objects a list leaves out (`--filter` in rev-list-options).

use adit_object::{ObjectId, ObjectKind, Source, SourceError};
use bstr::{BString, ByteSlice};

/// Conditions that an object must all meet.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    NoBlobs,
    /// Blobs below this size.
    BlobLimit(u64),
    /// What lies less deep than this; a root tree has depth 0.
    Depth(u32),
    Kind(ObjectKind),
}

/// Why a filter cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadFilter {
    /// There is no such filter.
    #[error("invalid filter-spec '{0}'")]
    Unknown(BString),
    /// The depth is no number.
    #[error("expected 'tree:<depth>'")]
    Depth,
    /// The kind of object is none.
    #[error("'{0}' for 'object:type=<type>' is not a valid object type")]
    Kind(BString),
    /// A filter inside `combine:` is not encoded as it must be.
    #[error("must escape char in sub-filter-spec: '{}'", char::from(*.0))]
    MustEscape(u8),
    /// A filter that git has and that is not supported.
    #[error("filter '{0}' is not supported by adit yet")]
    Unsupported(BString),
}

/// Filters nested deeper than this are refused.
const MAX_NESTING: usize = 16;

impl Filter {
    /// Adds a condition as `--filter` has it.
    ///
    /// # Errors
    /// When it is none.
    pub fn add(&mut self, text: &[u8]) -> Result<(), BadFilter> {
        self.add_nested(text, 0)
    }

    fn add_nested(&mut self, text: &[u8], nesting: usize) -> Result<(), BadFilter> {
        let unknown = || BadFilter::Unknown(text.into());
        let part = if text == b"blob:none" {
            Part::NoBlobs
        } else if let Some(limit) = text.strip_prefix(b"blob:limit=") {
            Part::BlobLimit(size(limit).ok_or_else(unknown)?)
        } else if let Some(depth) = text.strip_prefix(b"tree:") {
            let depth = depth.to_str().ok().and_then(|depth| depth.parse().ok());
            Part::Depth(depth.ok_or(BadFilter::Depth)?)
        } else if let Some(kind) = text.strip_prefix(b"object:type=") {
            Part::Kind(ObjectKind::from_name(kind).ok_or_else(|| BadFilter::Kind(kind.into()))?)
        } else if let Some(list) = text.strip_prefix(b"combine:") {
            if nesting == MAX_NESTING || list.is_empty() {
                return Err(unknown());
            }
            for filter in list.split(|&byte| byte == b'+') {
                self.add_nested(&decode(filter)?, nesting + 1)?;
            }
            return Ok(());
        } else if text.starts_with(b"sparse:oid=") {
            return Err(BadFilter::Unsupported(text.into()));
        } else {
            return Err(unknown());
        };
        self.parts.push(part);
        Ok(())
    }

    /// Forgets all conditions.
    pub fn clear(&mut self) {
        self.parts.clear();
    }

    /// Whether there is no condition.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Whether objects of a kind can be listed at all.
    pub fn allows(&self, kind: ObjectKind) -> bool {
        self.parts.iter().all(|part| !matches!(part, Part::Kind(only) if *only != kind))
    }

    /// Whether an object that lies so deep is listed. A blob whose size is not known is.
    pub(super) fn shows(
        &self,
        source: &dyn Source,
        id: &ObjectId,
        kind: ObjectKind,
        depth: u32,
    ) -> Result<bool, SourceError> {
        for part in &self.parts {
            let passes = match *part {
                Part::NoBlobs => kind != ObjectKind::Blob,
                Part::BlobLimit(limit) => {
                    kind != ObjectKind::Blob
                        || source.try_header(id)?.is_none_or(|header| header.size < limit)
                }
                Part::Depth(limit) => !matches!(kind, ObjectKind::Tree | ObjectKind::Blob) || depth < limit,
                Part::Kind(only) => kind == only,
            };
            if !passes {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether anything in a tree of that depth can be listed.
    pub(super) fn descends(&self, depth: u32) -> bool {
        self.parts.iter().all(|part| match *part {
            Part::Depth(limit) => depth + 1 < limit,
            Part::Kind(only) => matches!(only, ObjectKind::Tree | ObjectKind::Blob),
            Part::NoBlobs | Part::BlobLimit(_) => true,
        })
    }

    /// Whether there is more than one condition.
    pub(super) fn is_combined(&self) -> bool {
        self.parts.len() > 1
    }

    /// Whether the depth at which an object lies decides.
    pub(super) fn asks_for_depth(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Depth(_)))
    }
}

/// A number with `k`, `m` or `g` after it.
fn size(text: &[u8]) -> Option<u64> {
    let (digits, unit) = match text.split_last()? {
        (b'k' | b'K', rest) => (rest, 1 << 10),
        (b'm' | b'M', rest) => (rest, 1 << 20),
        (b'g' | b'G', rest) => (rest, 1 << 30),
        _ => (text, 1),
    };
    digits.to_str().ok()?.parse::<u64>().ok()?.checked_mul(unit)
}

/// Takes the `%xx` out of a filter inside `combine:`.
fn decode(text: &[u8]) -> Result<Vec<u8>, BadFilter> {
    const RESERVED: &[u8] = b"~`!@#$^&*()[]{}\\;'\",<>?";
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte <= b' ' || RESERVED.contains(&byte) {
            return Err(BadFilter::MustEscape(byte));
        }
        let hex = (byte == b'%').then(|| after.get(..2).and_then(|hex| hex.to_str().ok())).flatten();
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(value) => {
                decoded.push(value);
                rest = &after[2..];
            }
            None => decoded.push(byte),
        }
    }
    Ok(decoded)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Result<Vec<Part>, BadFilter> {
        let mut filter = Filter::default();
        filter.add(text.as_bytes()).map(|()| filter.parts)
    }

    #[test]
    fn every_kind_of_filter() {
        assert_eq!(parts("blob:none").unwrap(), [Part::NoBlobs]);
        assert_eq!(parts("blob:limit=2k").unwrap(), [Part::BlobLimit(2048)]);
        assert_eq!(parts("object:type=tag").unwrap(), [Part::Kind(ObjectKind::Tag)]);
        assert_eq!(parts("combine:tree:3+blob%3Anone").unwrap(), [Part::Depth(3), Part::NoBlobs]);
        for bad in
            ["", "blob:limit=x", "tree:-1", "object:type=x", "combine:", "combine:a b", "sparse:path=x"]
        {
            assert!(parts(bad).is_err(), "{bad}");
        }
        let nested = "combine:".repeat(100) + "blob:none";
        assert!(parts(&nested).is_err());
    }
}
