//! `attr` magic: what a pathspec item may require of a path's attributes.

use bstr::{BStr, BString, ByteSlice};

use super::PathspecError;

/// What attributes say of a path (gitattributes(5)).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttributeState {
    /// `attr`
    Set,
    /// `-attr`
    Unset,
    /// `!attr`, or not mentioned.
    Unspecified,
    /// `attr=value`
    Value(BString),
}

/// Where attributes are looked up; the crates above know where they are written.
pub trait AttributeLookup: Send + Sync {
    /// The state of attribute `name` for `path`.
    fn state(&self, path: &BStr, name: &BStr) -> AttributeState;
}

/// One attribute and the state that it must have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requirement {
    name: BString,
    state: AttributeState,
}

impl Requirement {
    /// Reads one word of an `attr:` list.
    pub(super) fn parse(word: &[u8]) -> Result<Self, PathspecError> {
        let (name, state) = match word.split_first() {
            Some((b'-', rest)) => (rest, AttributeState::Unset),
            Some((b'!', rest)) => (rest, AttributeState::Unspecified),
            _ => match word.split_once_str("=") {
                Some((name, value)) => (name, AttributeState::Value(unescape(value)?)),
                None => (word, AttributeState::Set),
            },
        };
        let is_name_byte = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
        if name.is_empty() || name[0] == b'-' || !name.iter().all(is_name_byte) {
            return Err(PathspecError::AttributeName(name.into()));
        }
        Ok(Requirement { name: name.into(), state })
    }

    /// Whether `path` has the attribute in that state.
    pub(super) fn is_met(&self, lookup: &dyn AttributeLookup, path: &BStr) -> bool {
        lookup.state(path, self.name.as_bstr()) == self.state
    }
}

/// Takes the backslashes out of a value; only characters that values may hold are allowed.
fn unescape(value: &[u8]) -> Result<BString, PathspecError> {
    let mut out = BString::default();
    let mut bytes = value.iter().copied();
    while let Some(byte) = bytes.next() {
        let byte = match byte {
            b'\\' => bytes.next().ok_or(PathspecError::TrailingBackslash)?,
            byte => byte,
        };
        if !byte.is_ascii_alphanumeric() && !matches!(byte, b'-' | b'_' | b',') {
            return Err(PathspecError::ValueCharacter(byte));
        }
        out.push(byte);
    }
    Ok(out)
}
