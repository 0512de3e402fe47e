//! The attribute `working-tree-encoding`: UTF-8 in the repository, another encoding in the working tree
//! (gitattributes).

use adit_text::encoding::{self, Charset};
use bstr::{BStr, BString, ByteSlice};

use super::FilterError;

/// The attribute's value, unless it says UTF-8.
pub(super) fn named(value: &BStr) -> Option<BString> {
    (!encoding::is_utf8(&value.to_str_lossy())).then(|| value.to_owned())
}

/// What a byte order mark has to do with an encoding.
enum Marks {
    /// There must be one.
    Required,
    /// There must be none; the name without the order can have one.
    Prohibited(String),
    /// It is no matter.
    Any,
}

fn marks(name: &str) -> Marks {
    let upper = name.to_ascii_uppercase().replace('_', "-");
    let squeezed = upper.replace('-', "");
    let Some(width @ ("16" | "32")) = squeezed.strip_prefix("UTF").and_then(|rest| rest.get(..2)) else {
        return Marks::Any;
    };
    match &squeezed[5..] {
        "" => Marks::Required,
        "LE" | "BE" => Marks::Prohibited(format!("UTF-{width}")),
        _ => Marks::Any,
    }
}

fn has_mark(content: &[u8], name: &str) -> bool {
    let wide = name.contains("32");
    let marks: [&[u8]; 2] =
        if wide { [b"\0\0\xfe\xff", b"\xff\xfe\0\0"] } else { [b"\xfe\xff", b"\xff\xfe"] };
    marks.iter().any(|mark| content.starts_with(mark))
}

/// `content` in UTF-8, unless there is nothing to do. With `round_trip` it must come back the same.
pub(super) fn to_git(
    name: &BStr,
    path: &BStr,
    content: &[u8],
    round_trip: bool,
) -> Result<Option<Vec<u8>>, FilterError> {
    if content.is_empty() {
        return Ok(None);
    }
    let label = name.to_str_lossy();
    let (path, encoding) = (path.to_owned(), name.to_owned());
    match marks(&label) {
        Marks::Required if !has_mark(content, &label) => {
            return Err(FilterError::MarkRequired { path, encoding });
        }
        Marks::Prohibited(instead) if has_mark(content, &label) => {
            return Err(FilterError::MarkProhibited { path, encoding, instead });
        }
        _ => {}
    }
    let charset = Charset::find(&label);
    let Some((charset, text)) = charset.and_then(|charset| Some((charset, charset.decode(content)?))) else {
        return Err(FilterError::NotInEncoding { path, encoding });
    };
    if round_trip && charset.encode(&text).as_deref() != Some(content) {
        return Err(FilterError::NoRoundTrip { path, encoding });
    }
    Ok(Some(text.into_bytes()))
}

/// Stored `content` in the encoding of the working tree; `None` when it is not UTF-8 or the encoding lacks a character.
pub(super) fn to_worktree(name: &BStr, content: &[u8]) -> Option<Vec<u8>> {
    Charset::find(&name.to_str_lossy())?.encode(content.to_str().ok()?)
}
