//! Walking a file line by line from any place in it, in either direction, without a table of lines.

use crate::lines::Span;

/// The start of a line: its number, counted from 0, and its first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) line: u32,
    pub(crate) at: usize,
}

impl Place {
    pub(crate) fn start_of(span: &Span) -> Self {
        Place { line: span.line, at: span.start as usize }
    }

    pub(crate) fn end_of(span: &Span) -> Self {
        Place { line: span.line_end(), at: span.end as usize }
    }
}

/// A file's bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Text<'a>(pub(crate) &'a [u8]);

impl<'a> Text<'a> {
    pub(crate) fn is_end(self, place: Place) -> bool {
        place.at >= self.0.len()
    }

    /// The line that starts here, with its newline; `None` at the end.
    pub(crate) fn line(self, place: Place) -> Option<&'a [u8]> {
        let rest = self.0.get(place.at..).filter(|rest| !rest.is_empty())?;
        Some(&rest[..memchr::memchr(b'\n', rest).map_or(rest.len(), |newline| newline + 1)])
    }

    pub(crate) fn next(self, place: Place) -> Option<Place> {
        let line = self.line(place)?;
        Some(Place { line: place.line + 1, at: place.at + line.len() })
    }

    pub(crate) fn previous(self, place: Place) -> Option<Place> {
        let before = self.0.get(..place.at)?;
        let (_, body) = before.split_last()?;
        let at = memchr::memrchr(b'\n', body).map_or(0, |newline| newline + 1);
        Some(Place { line: place.line - 1, at })
    }

    /// Goes back by `lines`, or to the start.
    pub(crate) fn back(self, mut place: Place, lines: u32) -> Place {
        for _ in 0..lines {
            let Some(previous) = self.previous(place) else { break };
            place = previous;
        }
        place
    }

    /// Goes forward by `lines`, or to the end.
    pub(crate) fn forward(self, mut place: Place, lines: u32) -> Place {
        for _ in 0..lines {
            let Some(next) = self.next(place) else { break };
            place = next;
        }
        place
    }

    pub(crate) fn span(from: Place, to: Place) -> Span {
        Span { line: from.line, lines: to.line - from.line, start: from.at as u32, end: to.at as u32 }
    }
}

/// Cuts bytes into lines, each with its newline.
pub(crate) fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = memchr::memchr(b'\n', rest).map_or(rest.len(), |newline| newline + 1);
        let (line, tail) = rest.split_at(end);
        rest = tail;
        Some(line)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Place = Place { line: 0, at: 0 };

    #[test]
    fn there_and_back() {
        let text = Text(b"a\n\nb");
        let end = text.forward(START, 9);
        assert_eq!(end, Place { line: 3, at: 4 });
        assert!(text.is_end(end));
        assert_eq!(text.back(end, 1), Place { line: 2, at: 3 });
        assert_eq!(text.back(end, 2), Place { line: 1, at: 2 });
        assert_eq!(text.back(end, 9), START);
        assert_eq!(text.line(Place { line: 1, at: 2 }), Some(&b"\n"[..]));
        assert_eq!(lines(b"a\n\nb").collect::<Vec<_>>(), [&b"a\n"[..], b"\n", b"b"]);
    }
}
