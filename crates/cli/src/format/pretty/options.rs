//! The options of long placeholders: `%(decorate:...)`, `%(describe:...)`, `%(trailers:...)`.

use adit_config::value::boolean_word;
use bstr::{BString, ByteSlice};

use super::escapes;

/// How decorations are put together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecorateStyle {
    /// Before the names.
    pub prefix: BString,
    /// After the names.
    pub suffix: BString,
    /// Between names.
    pub separator: BString,
    /// Between `HEAD` and its branch.
    pub pointer: BString,
    /// Before the name of a tag.
    pub tag: BString,
}

impl Default for DecorateStyle {
    fn default() -> Self {
        DecorateStyle {
            prefix: " (".into(),
            suffix: ")".into(),
            separator: ", ".into(),
            pointer: " -> ".into(),
            tag: "tag: ".into(),
        }
    }
}

impl DecorateStyle {
    /// The names alone, without brackets.
    pub fn bare() -> Self {
        DecorateStyle { prefix: BString::default(), suffix: BString::default(), ..Self::default() }
    }

    pub(crate) fn parse(options: &[u8]) -> Option<Self> {
        let mut style = Self::default();
        for (key, value) in options_of(options) {
            let slot = match key {
                b"prefix" => &mut style.prefix,
                b"suffix" => &mut style.suffix,
                b"separator" => &mut style.separator,
                b"pointer" => &mut style.pointer,
                b"tag" => &mut style.tag,
                _ => return None,
            };
            *slot = escapes::expand(value.unwrap_or_default());
        }
        Some(style)
    }
}

/// How a commit is described.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DescribeStyle {
    /// Tags without annotation count too.
    pub tags: bool,
    /// The digits of the id; git's default when there are none.
    pub abbrev: Option<i64>,
    /// Only tags that match one of these.
    pub matching: Vec<BString>,
    /// No tags that match one of these.
    pub excluded: Vec<BString>,
}

impl DescribeStyle {
    pub(crate) fn parse(options: &[u8]) -> Option<Self> {
        let mut style = Self::default();
        for (key, value) in options_of(options) {
            match (key, value) {
                (b"tags", value) => style.tags = boolean(value)?,
                (b"abbrev", Some(digits)) => style.abbrev = Some(digits.to_str().ok()?.parse().ok()?),
                (b"match", Some(pattern)) if !pattern.is_empty() => style.matching.push(pattern.into()),
                (b"exclude", Some(pattern)) if !pattern.is_empty() => style.excluded.push(pattern.into()),
                _ => return None,
            }
        }
        Some(style)
    }
}

/// Which trailers are shown, and how.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrailerStyle {
    /// Only these keys; `None` for all.
    pub keys: Option<Vec<BString>>,
    /// Leave out lines that are no trailers.
    pub only: bool,
    /// Join the lines of a value.
    pub unfold: bool,
    /// Leave out the values.
    pub key_only: bool,
    /// Leave out the keys.
    pub value_only: bool,
    /// Between trailers; a newline after each when not given.
    pub separator: Option<BString>,
    /// Between key and value, `: ` when not given.
    pub key_value_separator: Option<BString>,
}

impl TrailerStyle {
    pub(crate) fn parse(options: &[u8]) -> Option<Self> {
        let mut style = Self::default();
        for (key, value) in options_of(options) {
            match (key, value) {
                (b"key", Some(name)) => {
                    let name = name.strip_suffix(b":").unwrap_or(name);
                    style.keys.get_or_insert_default().push(name.into());
                    style.only = true;
                }
                (b"only", value) => style.only = boolean(value)?,
                (b"unfold", value) => style.unfold = boolean(value)?,
                (b"keyonly", value) => style.key_only = boolean(value)?,
                (b"valueonly", value) => style.value_only = boolean(value)?,
                (b"separator", value) => style.separator = Some(escapes::expand(value.unwrap_or_default())),
                (b"key_value_separator", value) => {
                    style.key_value_separator = Some(escapes::expand(value.unwrap_or_default()));
                }
                _ => return None,
            }
        }
        Some(style)
    }

    /// Whether the block of trailers is shown as it stands.
    pub(super) fn is_plain(&self) -> bool {
        *self == Self::default()
    }
}

/// `key` or `key=value`, separated by commas.
fn options_of(options: &[u8]) -> impl Iterator<Item = (&[u8], Option<&[u8]>)> {
    let options = options.strip_suffix(b",").unwrap_or(options);
    let words = (!options.is_empty()).then(|| options.split(|&b| b == b','));
    words.into_iter().flatten().map(|word| match word.split_once_str("=") {
        Some((key, value)) => (key, Some(value)),
        None => (word, None),
    })
}

fn boolean(value: Option<&[u8]>) -> Option<bool> {
    value.map_or(Some(true), |value| boolean_word(value.as_bstr()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trailers() {
        let style = TrailerStyle::parse(b"key=Key:,key=b,only=no,separator=%x2C ,unfold").unwrap();
        assert_eq!(style.keys.unwrap(), ["Key", "b"]);
        assert_eq!((style.only, style.unfold, style.separator.unwrap()), (false, true, ", ".into()));
        assert!(TrailerStyle::parse(b"").unwrap().is_plain());
        assert!(TrailerStyle::parse(b"only=false").unwrap().is_plain());
        for bad in ["foo", "key", "only=maybe", "unfold,,only"] {
            assert!(TrailerStyle::parse(bad.as_bytes()).is_none(), "{bad}");
        }
    }

    #[test]
    fn describe_and_decorate() {
        let style = DescribeStyle::parse(b"tags=yes,abbrev=4,match=v*,match=w*,exclude=x").unwrap();
        assert_eq!((style.tags, style.abbrev, style.matching.len()), (true, Some(4), 2));
        assert!(DescribeStyle::parse(b"abbrev=x").is_none());
        assert!(DescribeStyle::parse(b"match=").is_none());
        let style = DecorateStyle::parse(b"prefix,tag=T").unwrap();
        assert_eq!((style.prefix, style.tag, style.suffix), ("".into(), "T".into(), ")".into()));
        assert!(DecorateStyle::parse(b"foo").is_none());
    }
}
