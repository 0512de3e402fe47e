//! Names of variables and sections as people type them.

use bstr::{BStr, BString, ByteSlice};

/// A variable's name: `section.key` or `section.subsection.key`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    section: BString,
    subsection: Option<BString>,
    key: BString,
}

/// Why a text is no name of a variable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// There is nothing before a dot.
    #[error("key does not contain a section: {0}")]
    NoSection(BString),
    /// There is nothing after the last dot.
    #[error("key does not contain variable name: {0}")]
    NoKey(BString),
    /// It has a character that a name cannot have.
    #[error("invalid key: {0}")]
    Invalid(BString),
    /// Its subsection has a newline.
    #[error("invalid key (newline): {0}")]
    Newline(BString),
}

impl Name {
    /// Reads a name.
    ///
    /// # Errors
    /// When it lacks a section or a key, or has a character that it cannot have.
    pub fn parse(text: &BStr) -> Result<Self, NameError> {
        let first = text.find_byte(b'.').filter(|at| *at > 0);
        let (Some(first), Some(last)) = (first, text.rfind_byte(b'.')) else {
            return Err(NameError::NoSection(text.to_owned()));
        };
        let (section, key) = (&text[..first], &text[last + 1..]);
        if key.is_empty() {
            return Err(NameError::NoKey(text.to_owned()));
        }
        if !section.iter().all(|b| is_name_byte(*b)) || !is_key(key) {
            return Err(NameError::Invalid(text.to_owned()));
        }
        let subsection = (first < last).then(|| &text[first + 1..last]);
        if subsection.is_some_and(|subsection| subsection.contains(&b'\n')) {
            return Err(NameError::Newline(text.to_owned()));
        }
        Ok(Name { section: section.into(), subsection: subsection.map(BString::from), key: key.into() })
    }

    /// The form in which names are compared: section and key in lower case.
    pub fn canonical(&self) -> BString {
        let mut name = self.section_prefix();
        name.extend_from_slice(&self.key.to_ascii_lowercase());
        name
    }

    /// The canonical name of the section, with the dot that ends it.
    pub fn section_prefix(&self) -> BString {
        let mut prefix = BString::from(self.section.to_ascii_lowercase());
        prefix.push(b'.');
        if let Some(subsection) = &self.subsection {
            prefix.extend_from_slice(subsection);
            prefix.push(b'.');
        }
        prefix
    }

    /// The key as it was typed.
    pub fn key(&self) -> &BStr {
        self.key.as_bstr()
    }

    /// The header of the section in a file: `[section "subsection"]`.
    pub fn header(&self) -> BString {
        header(&self.section, self.subsection.as_deref().map(BStr::new))
    }
}

/// The canonical form of a name; `None` when it is none.
pub fn canonical_name(name: &[u8]) -> Option<BString> {
    Name::parse(name.as_bstr()).ok().map(|name| name.canonical())
}

/// The header of a section by its name with dots, as `rename-section` is given it; `None` when there can be none such.
pub fn section_header(name: &BStr) -> Option<BString> {
    let (section, subsection) = match name.split_once_str(".") {
        Some((section, subsection)) => (section, Some(subsection.as_bstr())),
        None => (name.as_bytes(), None),
    };
    let valid = !section.is_empty()
        && section.iter().all(|b| is_name_byte(*b))
        && subsection.is_none_or(|subsection| !subsection.contains(&b'\n'));
    valid.then(|| header(section, subsection))
}

fn header(section: &[u8], subsection: Option<&BStr>) -> BString {
    let mut header = BString::from("[");
    header.extend_from_slice(section);
    if let Some(subsection) = subsection {
        header.extend_from_slice(b" \"");
        for byte in subsection.bytes() {
            if matches!(byte, b'"' | b'\\') {
                header.push(b'\\');
            }
            header.push(byte);
        }
        header.push(b'"');
    }
    header.push(b']');
    header
}

/// Whether `key` can be the last part of a name.
fn is_key(key: &[u8]) -> bool {
    key.first().is_some_and(u8::is_ascii_alphabetic) && key.iter().all(|b| is_name_byte(*b))
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_names() {
        let name = Name::parse("Aa.B\"b\\c.D.Ee".into()).unwrap();
        assert_eq!(name.canonical(), "aa.B\"b\\c.D.ee");
        assert_eq!(name.header(), r#"[Aa "B\"b\\c.D"]"#);
        assert_eq!(Name::parse("Core.BARE".into()).unwrap().canonical(), "core.bare");
        for (text, message) in [
            ("a", "key does not contain a section: a"),
            (".a", "key does not contain a section: .a"),
            ("a.", "key does not contain variable name: a."),
            ("a.1b", "invalid key: a.1b"),
            ("a b.c", "invalid key: a b.c"),
            ("a.b\nc.d", "invalid key (newline): a.b\nc.d"),
        ] {
            assert_eq!(Name::parse(text.into()).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn headers_of_sections() {
        assert_eq!(section_header("n.M.x".into()).unwrap(), "[n \"M.x\"]");
        assert_eq!(section_header("x.".into()).unwrap(), "[x \"\"]");
        for bad in ["", "1 x", "x y", ".a", "a.b\nc"] {
            assert_eq!(section_header(bad.into()), None, "{bad}");
        }
    }
}
