//! Conversion between the character encodings of commit messages (`i18n.commitEncoding`, `encoding` headers).
//!
//! Names are taken as iconv takes them: without regard to case, with or without the dashes of `ISO-8859-1`.
//! A name that is unknown, or text that cannot be converted, is no error: git shows the text as it is.

use encoding_rs::Encoding;

/// An encoding that text can be read from and written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Charset {
    /// UTF-8, git's own.
    Utf8,
    /// Seven bits.
    Ascii,
    /// Bytes are code points.
    Latin1,
    /// Two bytes a unit; `bool`s: big-endian, and whether a byte order mark is written and read.
    Utf16 {
        /// Most significant byte first.
        big_endian: bool,
        /// A byte order mark is written, and decides the order when read.
        marked: bool,
    },
    /// Four bytes a character; `bool`s as for [`Charset::Utf16`].
    Utf32 {
        /// Most significant byte first.
        big_endian: bool,
        /// A byte order mark is written, and decides the order when read.
        marked: bool,
    },
    /// One that encoding_rs knows.
    Other(&'static Encoding),
}

impl Charset {
    /// Looks up a name.
    pub fn find(name: &str) -> Option<Self> {
        let lower = name.to_ascii_lowercase();
        let squeezed: String = lower.chars().filter(|c| !matches!(c, '-' | '_')).collect();
        let utf16 = |big_endian, marked| Some(Charset::Utf16 { big_endian, marked });
        let utf32 = |big_endian, marked| Some(Charset::Utf32 { big_endian, marked });
        match squeezed.as_str() {
            "utf8" => return Some(Charset::Utf8),
            "ascii" | "usascii" | "ansix3.41968" => return Some(Charset::Ascii),
            "iso88591" | "latin1" | "l1" | "cp819" => return Some(Charset::Latin1),
            "utf16" => return utf16(false, true),
            "utf16le" => return utf16(false, false),
            "utf16be" => return utf16(true, false),
            "utf16lebom" => return utf16(false, true),
            "utf16bebom" => return utf16(true, true),
            "utf32" => return utf32(false, true),
            "utf32le" => return utf32(false, false),
            "utf32be" => return utf32(true, false),
            _ => {}
        }
        let label = alias(&squeezed).map(str::to_owned).unwrap_or_else(|| with_dashes(&lower, &squeezed));
        Encoding::for_label(label.as_bytes())
            .or_else(|| Encoding::for_label(lower.as_bytes()))
            .map(Charset::Other)
    }

    /// Reads `text` as UTF-8; `None` when it is not valid in this encoding.
    pub fn decode(self, text: &[u8]) -> Option<String> {
        match self {
            Charset::Utf8 => String::from_utf8(text.to_vec()).ok(),
            Charset::Ascii => text.is_ascii().then(|| text.iter().map(|&b| char::from(b)).collect()),
            Charset::Latin1 => Some(text.iter().map(|&b| char::from(b)).collect()),
            Charset::Utf16 { big_endian, marked } => decode_utf16(text, big_endian, marked),
            Charset::Utf32 { big_endian, marked } => decode_utf32(text, big_endian, marked),
            Charset::Other(encoding) => {
                encoding.decode_without_bom_handling_and_without_replacement(text).map(|t| t.into_owned())
            }
        }
    }

    /// Writes `text` in this encoding; `None` when it has a character that the encoding lacks.
    pub fn encode(self, text: &str) -> Option<Vec<u8>> {
        match self {
            Charset::Utf8 => Some(text.as_bytes().to_vec()),
            Charset::Ascii => text.is_ascii().then(|| text.as_bytes().to_vec()),
            Charset::Latin1 => text.chars().map(|c| u8::try_from(c).ok()).collect(),
            Charset::Utf16 { big_endian, marked } => Some(encode_utf16(text, big_endian, marked)),
            Charset::Utf32 { big_endian, marked } => Some(encode_utf32(text, big_endian, marked)),
            Charset::Other(encoding) => {
                let (bytes, _, unmappable) = encoding.encode(text);
                (!unmappable).then(|| bytes.into_owned())
            }
        }
    }
}

/// Whether two names mean the same encoding without looking further: equal but for case, or both UTF-8.
pub fn same(a: &str, b: &str) -> bool {
    a.eq_ignore_ascii_case(b) || (is_utf8(a) && is_utf8(b))
}

/// Whether `name` is UTF-8 in any of its spellings; no name at all is.
pub fn is_utf8(name: &str) -> bool {
    name.is_empty() || name.eq_ignore_ascii_case("utf-8") || name.eq_ignore_ascii_case("utf8")
}

/// Converts `text` from one encoding to another. `None` when there is nothing to do or it cannot be done: then
/// the text is used as it is.
pub fn reencode(text: &[u8], from: &str, to: &str) -> Option<Vec<u8>> {
    if same(from, to) {
        return None;
    }
    let (from, to) = (Charset::find(from)?, Charset::find(to)?);
    to.encode(&from.decode(text)?)
}

/// Names of iconv's that the WHATWG list behind encoding_rs lacks.
fn alias(squeezed: &str) -> Option<&'static str> {
    Some(match squeezed {
        "eucjp" => "euc-jp",
        "euckr" => "euc-kr",
        "euccn" | "gb2312" | "cp936" => "gbk",
        "sjis" | "shiftjis" | "cp932" | "ms932" => "shift_jis",
        "cp949" | "uhc" => "euc-kr",
        "big5" | "cp950" => "big5",
        "koi8r" => "koi8-r",
        "koi8u" => "koi8-u",
        "macintosh" | "mac" => "macintosh",
        _ => return None,
    })
}

/// The WHATWG spelling of `iso88592` and `cp1251`.
fn with_dashes(lower: &str, squeezed: &str) -> String {
    if let Some(part) = squeezed.strip_prefix("iso8859") {
        return format!("iso-8859-{part}");
    }
    for prefix in ["cp", "windows", "win"] {
        if let Some(page) =
            squeezed.strip_prefix(prefix).filter(|page| page.starts_with("12") || *page == "874")
        {
            return format!("windows-{page}");
        }
    }
    lower.to_owned()
}

fn decode_utf16(text: &[u8], big_endian: bool, marked: bool) -> Option<String> {
    let (big_endian, text) = match text {
        [0xfe, 0xff, rest @ ..] if marked => (true, rest),
        [0xff, 0xfe, rest @ ..] if marked => (false, rest),
        _ => (big_endian, text),
    };
    let (units, rest) = text.as_chunks::<2>();
    let unit =
        |pair: &[u8; 2]| if big_endian { u16::from_be_bytes(*pair) } else { u16::from_le_bytes(*pair) };
    if !rest.is_empty() {
        return None;
    }
    char::decode_utf16(units.iter().map(unit)).collect::<Result<String, _>>().ok()
}

fn encode_utf16(text: &str, big_endian: bool, marked: bool) -> Vec<u8> {
    let mark = marked.then_some(0xfeff);
    mark.into_iter()
        .chain(text.encode_utf16())
        .flat_map(|unit: u16| if big_endian { unit.to_be_bytes() } else { unit.to_le_bytes() })
        .collect()
}

fn decode_utf32(text: &[u8], big_endian: bool, marked: bool) -> Option<String> {
    let (big_endian, text) = match text {
        [0, 0, 0xfe, 0xff, rest @ ..] if marked => (true, rest),
        [0xff, 0xfe, 0, 0, rest @ ..] if marked => (false, rest),
        _ => (big_endian, text),
    };
    let (units, rest) = text.as_chunks::<4>();
    let unit =
        |four: &[u8; 4]| if big_endian { u32::from_be_bytes(*four) } else { u32::from_le_bytes(*four) };
    if !rest.is_empty() {
        return None;
    }
    units.iter().map(|four| char::from_u32(unit(four))).collect()
}

fn encode_utf32(text: &str, big_endian: bool, marked: bool) -> Vec<u8> {
    let mark = marked.then_some('\u{feff}');
    mark.into_iter()
        .chain(text.chars())
        .flat_map(|c| if big_endian { u32::from(c).to_be_bytes() } else { u32::from(c).to_le_bytes() })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_iconv_are_known() {
        for name in [
            "utf8",
            "UTF-8",
            "latin1",
            "latin-1",
            "ISO-8859-1",
            "iso8859-1",
            "ISO-8859-15",
            "latin2",
            "eucJP",
            "EUC-JP",
            "SJIS",
            "Shift_JIS",
            "CP1251",
            "windows-1251",
            "KOI8-R",
            "ISO-2022-JP",
            "US-ASCII",
            "GB18030",
            "GBK",
            "BIG5",
            "cp932",
            "UTF-16",
            "UTF-16LE",
            "macintosh",
            "EUC-KR",
        ] {
            assert!(Charset::find(name).is_some(), "{name}");
        }
        assert_eq!(Charset::find("bogus"), None);
        assert!(same("UTF8", "utf-8") && !same("latin1", "iso-8859-1"));
    }

    #[test]
    fn text_is_converted_or_left_alone() {
        assert_eq!(reencode(b"\x82\xa0\xe9", "iso8859-1", "UTF-8").unwrap(), "\u{82}\u{a0}é".as_bytes());
        assert_eq!(reencode("é".as_bytes(), "utf8", "ISO-8859-1").unwrap(), b"\xe9");
        assert_eq!(reencode("Ж".as_bytes(), "utf8", "ISO-8859-1"), None);
        assert_eq!(reencode("Ж".as_bytes(), "utf8", "koi8-r").unwrap(), b"\xf6");
        assert_eq!(reencode("あ".as_bytes(), "utf8", "eucJP").unwrap(), b"\xa4\xa2");
        assert_eq!(reencode("あ".as_bytes(), "utf8", "ISO-2022-JP").unwrap(), b"\x1b$B$\"\x1b(B");
        assert_eq!(reencode(b"\xff", "utf8", "latin1"), None);
        assert_eq!(reencode(b"x", "utf8", "UTF-8"), None);
        assert_eq!(reencode(b"x", "bogus", "UTF-8"), None);
        assert_eq!(reencode("é".as_bytes(), "UTF-8", "UTF-16").unwrap(), b"\xff\xfe\xe9\0");
        assert_eq!(Charset::find("utf-16").unwrap().decode(b"\xfe\xff\0x"), Some("x".into()));
        for name in ["UTF-16LE", "UTF-16BE-BOM", "UTF-32", "utf-32be", "UTF32LE"] {
            let charset = Charset::find(name).unwrap();
            assert_eq!(charset.decode(&charset.encode("aé\u{1f600}").unwrap()).unwrap(), "aé\u{1f600}");
            assert_eq!(charset.decode(b"abc"), None);
        }
        assert_eq!(Charset::find("utf-32").unwrap().encode("a").unwrap(), b"\xff\xfe\0\0a\0\0\0");
    }
}
