//! Paths as git writes them: bytes, with slashes between folders.

use std::borrow::Cow;

use bstr::{BStr, BString, ByteSlice};

/// `path`, which is seen from the top, as it is seen from the folder `prefix` (empty, or with a slash at its end).
pub fn relative_to<'p>(path: &'p BStr, prefix: &BStr) -> Cow<'p, BStr> {
    if let Some(below) = path.strip_prefix(prefix.as_bytes())
        && !below.is_empty()
    {
        return Cow::Borrowed(below.as_bstr());
    }
    if prefix.strip_suffix(b"/") == Some(path.as_bytes()) {
        return Cow::Borrowed(b"./".as_bstr());
    }
    let shared = path.iter().zip(prefix.iter()).take_while(|(a, b)| a == b).count();
    // A folder counts as shared only when all of its name is.
    let shared = path[..shared].rfind_byte(b'/').map_or(0, |slash| slash + 1);
    let ups = prefix[shared..].iter().filter(|byte| **byte == b'/').count();
    let mut relative = BString::from(b"../".repeat(ups));
    relative.extend_from_slice(&path[shared..]);
    if relative.is_empty() {
        relative.extend_from_slice(b"./");
    }
    Cow::Owned(relative)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_climb_out_of_folders() {
        for (path, prefix, shown) in [
            ("a/b", "", "a/b"),
            ("a/b", "a/", "b"),
            ("a/b", "a/c/", "../b"),
            ("ab/c", "aa/d/", "../../ab/c"),
            ("x", "a/b/c/", "../../../x"),
            ("a/", "a/", "./"),
            ("a", "a/", "./"),
            ("a", "a/b/", "../../a"),
        ] {
            assert_eq!(&*relative_to(path.into(), prefix.into()), shown, "{path} from {prefix}");
        }
    }
}
