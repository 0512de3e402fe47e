//! Display width: how many columns of a terminal a text takes.
//!
//! Git counts by its own table: combining marks, format characters and controls take no column, East Asian
//! wide characters two, everything else one. Text that is no UTF-8 counts its bytes.

mod table;

/// The columns that `text` takes; its bytes when it is no valid UTF-8. With `skip_escapes`, terminal colour
/// sequences take none.
pub fn display_width(text: &[u8], skip_escapes: bool) -> usize {
    let mut rest = text;
    let mut width = 0;
    while let Some(&first) = rest.first() {
        if skip_escapes && let Some(len) = color_escape_len(rest) {
            rest = &rest[len..];
        } else if first.is_ascii() {
            width += usize::from(matches!(first, b' '..=b'~'));
            rest = &rest[1..];
        } else {
            let Some((c, len)) = decode(rest) else { return text.len() };
            width += char_width(c);
            rest = &rest[len..];
        }
    }
    width
}

/// The columns that one character takes.
pub fn char_width(c: char) -> usize {
    let code = u32::from(c);
    if code < 0x300 {
        return usize::from(matches!(code, 0x20..=0x7e | 0xa0..));
    }
    if contains(table::ZERO, code) {
        0
    } else if contains(table::WIDE, code) {
        2
    } else {
        1
    }
}

/// The length of a colour sequence (`ESC [ digits ; ... m`) at the start of `text`.
pub fn color_escape_len(text: &[u8]) -> Option<usize> {
    let parameters = text.strip_prefix(b"\x1b[")?;
    let len = parameters.iter().take_while(|b| b.is_ascii_digit() || **b == b';').count();
    (parameters.get(len) == Some(&b'm')).then_some(len + 3)
}

/// The character at the start of `text` and its length; to git, U+FFFE and U+FFFF are no characters.
fn decode(text: &[u8]) -> Option<(char, usize)> {
    let (c, len) = bstr::decode_utf8(text);
    c.filter(|c| !matches!(c, '\u{fffe}' | '\u{ffff}')).map(|c| (c, len))
}

fn contains(ranges: &[(u32, u32)], code: u32) -> bool {
    ranges
        .binary_search_by(|&(first, last)| {
            if last < code {
                std::cmp::Ordering::Less
            } else if first > code {
                std::cmp::Ordering::Greater
            } else {
                std::cmp::Ordering::Equal
            }
        })
        .is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths() {
        let width = |text: &str| display_width(text.as_bytes(), true);
        assert_eq!(width("abc"), 3);
        assert_eq!(width("日本"), 4);
        assert_eq!(width("e\u{301}\u{ad}\u{200b}"), 2);
        assert_eq!(width("a\tb\u{85}"), 2);
        assert_eq!(width("\x1b[1;31mred\x1b[m"), 3);
        assert_eq!(display_width(b"\x1b[31m", false), 4);
        assert_eq!(display_width(b"ab\xff", false), 3);
        assert_eq!(width("日\u{ffff}"), 6);
        assert_eq!(width("\u{20000}\u{3fffd}\u{1f600}"), 6);
    }

    #[test]
    fn tables_are_in_order() {
        for ranges in [table::ZERO, table::WIDE] {
            assert!(ranges.iter().all(|(first, last)| first <= last));
            assert!(ranges.windows(2).all(|pair| pair[0].1 < pair[1].0));
        }
    }
}
