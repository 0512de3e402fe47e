//! Padding and cutting of placeholders: `%<(20,trunc)`, `%>|(40)` and the like.

use adit_text::width::{char_width, color_escape_len, display_width};
use bstr::ByteSlice;

use super::template::MAX_MARGIN;

/// How the next placeholder is padded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pad {
    side: Side,
    width: usize,
    /// Whether `width` is a column of the line instead.
    to_column: bool,
    cut: Option<Cut>,
}

/// Where the text goes in the padded field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
    /// To the right, and over the spaces on its left where it is too long.
    RightStealing,
    Both,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cut {
    Start,
    Middle,
    End,
}

impl Pad {
    /// Reads `<(<n>[,<cut>])` and its kin; negative columns count from the right edge, `columns`.
    pub(super) fn parse(text: &[u8], columns: usize) -> Option<(Self, &[u8])> {
        let (side, rest) =
            [(&b"><"[..], Side::Both), (b">>", Side::RightStealing), (b">", Side::Right), (b"<", Side::Left)]
                .into_iter()
                .find_map(|(sign, side)| Some((side, text.strip_prefix(sign)?)))?;
        let (to_column, rest) = rest.strip_prefix(b"|").map_or((false, rest), |rest| (true, rest));
        let inside = rest.strip_prefix(b"(")?;
        let end = inside.find_byte(b')')?;
        let (number, cut) = match inside[..end].split_once_str(",") {
            Some((number, b"trunc")) => (number, Some(Cut::End)),
            Some((number, b"ltrunc")) => (number, Some(Cut::Start)),
            Some((number, b"mtrunc")) => (number, Some(Cut::Middle)),
            Some(_) => return None,
            None => (&inside[..end], None),
        };
        let number: i64 = number.trim_ascii().to_str().ok()?.parse().ok()?;
        let width = match usize::try_from(number) {
            Ok(width) => width,
            Err(_) if to_column => columns.checked_sub(usize::try_from(number.unsigned_abs()).ok()?)?,
            Err(_) => return None,
        };
        if width == 0 || width > MAX_MARGIN {
            return None;
        }
        Some((Pad { side, width, to_column, cut }, &inside[end + 1..]))
    }

    /// Pads or cuts what `out` holds from `start`; the line it stands on starts at or after `line_limit`.
    pub(super) fn apply(&self, start: usize, line_limit: usize, out: &mut Vec<u8>) {
        let mut width =
            if self.to_column { self.width_to_column(start, line_limit, out) } else { self.width };
        let columns = display_width(&out[start..], true);
        let mut start = start;
        if columns > width && self.side == Side::RightStealing {
            let stolen = steal_spaces(start, line_limit, columns - width, out);
            width += stolen;
            start -= stolen;
        }
        if columns > width {
            if let Some(cut) = self.cut {
                cut.apply(start, columns, width, out);
            }
            return;
        }
        let missing = width - columns;
        let before = match self.side {
            Side::Left => 0,
            Side::Right | Side::RightStealing => missing,
            Side::Both => missing / 2,
        };
        out.splice(start..start, std::iter::repeat_n(b' ', before));
        out.resize(out.len() + missing - before, b' ');
    }

    /// The width that is left to the column, given what the line holds already.
    fn width_to_column(&self, start: usize, line_limit: usize, out: &[u8]) -> usize {
        let line = out[line_limit..start].rfind_byte(b'\n').map_or(line_limit, |at| line_limit + at + 1);
        self.width.saturating_sub(display_width(&out[line..start], true))
    }
}

impl Cut {
    /// Replaces so much of the text from `start` by `..` that `width` columns remain.
    fn apply(self, start: usize, columns: usize, width: usize, out: &mut Vec<u8>) {
        let kept = width.saturating_sub(2);
        let gone = columns - kept;
        let first = match self {
            Cut::Start => 0,
            Cut::Middle => (width / 2).saturating_sub(1),
            Cut::End => kept,
        };
        let text = out.split_off(start);
        let mut column = 0;
        let mut dotted = false;
        let mut rest = &text[..];
        while !rest.is_empty() {
            if let Some(len) = color_escape_len(rest) {
                out.extend_from_slice(&rest[..len]);
                rest = &rest[len..];
                continue;
            }
            let (c, len) = bstr::decode_utf8(rest);
            let columns = c.map_or(1, char_width);
            if column >= first && column < first + gone {
                if !dotted {
                    out.extend_from_slice(b"..");
                    dotted = true;
                }
            } else {
                out.extend_from_slice(&rest[..len]);
            }
            column += columns;
            rest = &rest[len..];
        }
    }
}

/// Takes up to `wanted` spaces away that stand before `start`, at whatever side of colour sequences; how many it took.
fn steal_spaces(start: usize, line_limit: usize, wanted: usize, out: &mut Vec<u8>) -> usize {
    let tail = out.split_off(start);
    let mut kept: Vec<u8> = Vec::new();
    let mut left = wanted;
    while left > 0 && out.len() > line_limit {
        if out.last() == Some(&b' ') {
            out.pop();
            left -= 1;
            continue;
        }
        let escape = out[line_limit..].rfind_byte(0x1b).map(|at| line_limit + at);
        let Some(at) = escape.filter(|&at| color_escape_len(&out[at..]) == Some(out.len() - at)) else {
            break;
        };
        kept.splice(0..0, out.drain(at..));
    }
    out.extend_from_slice(&kept);
    out.extend_from_slice(&tail);
    wanted - left
}

#[cfg(test)]
mod tests {
    use super::*;

    fn padded(before: &str, pad: &str, text: &str) -> String {
        let (pad, rest) = Pad::parse(pad.as_bytes(), 80).unwrap();
        assert!(rest.is_empty());
        let mut out = format!("{before}{text}").into_bytes();
        pad.apply(before.len(), 0, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn sides() {
        assert_eq!(padded("", "<(10)", "94ade35"), "94ade35   ");
        assert_eq!(padded("", ">(10)", "94ade35"), "   94ade35");
        assert_eq!(padded("", "><(10)", "94ade35"), " 94ade35  ");
        assert_eq!(padded("", "<(5)", "94ade35"), "94ade35");
        assert_eq!(padded("ab\nabc", "<|(15)", "94ade35"), "ab\nabc94ade35     ");
        assert_eq!(padded("", "<|(-70)", "94ade35"), "94ade35   ");
    }

    #[test]
    fn stealing_spaces_on_the_left() {
        assert_eq!(padded("abcd      ", ">>(3)", "94ade35"), "abcd  94ade35");
        assert_eq!(padded("abcd   \x1b[31m   ", ">>(3)", "94ade35"), "abcd  \x1b[31m94ade35");
        assert_eq!(padded("abc       ", ">>|(8)", "94ade35"), "abc94ade35");
        assert_eq!(padded("a  ", ">>(5,trunc)", "94ade35"), "a94ade35");
        assert_eq!(padded("a ", ">>(5,trunc)", "94ade35"), "a94ad..");
    }

    #[test]
    fn cutting() {
        let text = "Add the fröbel 日本 thing for all";
        for (pad, cut) in [
            ("<(10,trunc)", "Add the .."),
            ("<(10,ltrunc)", ".. for all"),
            ("<(10,mtrunc)", "Add .. all"),
            ("<(19,trunc)", "Add the fröbel 日.."),
            ("<(20,trunc)", "Add the fröbel 日本.."),
            ("<(1,trunc)", ".."),
            ("<(3,mtrunc)", "..l"),
            ("<(22,mtrunc)", "Add the fr..ng for all"),
        ] {
            assert_eq!(padded("", pad, text), cut, "{pad}");
        }
        assert_eq!(padded("", "<(5,trunc)", "\x1b[31mabcdefg\x1b[m"), "\x1b[31mabc..\x1b[m");
    }

    #[test]
    fn what_is_no_padding() {
        for text in ["<(0)", "<(-1)", "<(10,foo)", "<(10", "<10)", "<( 10 , trunc )", "<(99999999999)"] {
            assert!(Pad::parse(text.as_bytes(), 80).is_none(), "{text}");
        }
    }
}
