//! Line ends: the attributes `text` and `eol`, `core.autocrlf`, `core.eol` and `core.safecrlf` (gitattributes,
//! git-config).

use std::borrow::Cow;

use bstr::ByteSlice;

/// How the line ends of a path are converted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnds {
    /// They are left as they are.
    Keep,
    /// LF in the repository and in the working tree.
    Lf,
    /// LF in the repository, CRLF in the working tree.
    Crlf,
    /// Like [`LineEnds::Lf`], where the content looks like text.
    AutoLf,
    /// Like [`LineEnds::Crlf`], where the content looks like text.
    AutoCrlf,
}

/// What is done about a conversion that a checkout would not undo (`core.safecrlf`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Safety {
    /// Nothing.
    Ignore,
    /// A warning.
    #[default]
    Warn,
    /// The conversion is refused.
    Refuse,
}

/// A change of line ends that a check-in followed by a checkout would make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Irreversible {
    /// CRLF would become LF.
    CrlfToLf,
    /// LF would become CRLF.
    LfToCrlf,
}

/// What a content is made of, as far as line ends and the guess whether it is text go.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TextStats {
    nul: usize,
    lone_cr: usize,
    lone_lf: usize,
    crlf: usize,
    printable: usize,
    unprintable: usize,
}

impl TextStats {
    /// Counts.
    pub fn of(content: &[u8]) -> Self {
        let mut stats = TextStats::default();
        let mut at = 0;
        while let Some(&byte) = content.get(at) {
            at += 1;
            match byte {
                b'\r' if content.get(at) == Some(&b'\n') => {
                    stats.crlf += 1;
                    at += 1;
                }
                b'\r' => stats.lone_cr += 1,
                b'\n' => stats.lone_lf += 1,
                0 => (stats.nul, stats.unprintable) = (stats.nul + 1, stats.unprintable + 1),
                b'\x08' | b'\t' | b'\x1b' | b'\x0c' => stats.printable += 1,
                0x7f | ..b' ' => stats.unprintable += 1,
                _ => stats.printable += 1,
            }
        }
        // The mark that ends a file under DOS.
        if content.last() == Some(&0x1a) {
            stats.unprintable -= 1;
        }
        stats
    }

    /// Whether the content looks binary: a CR that ends no line, a NUL, or too much that cannot be printed.
    pub fn is_binary(&self) -> bool {
        self.lone_cr > 0 || self.nul > 0 || (self.printable >> 7) < self.unprintable
    }

    /// Whether a line ends in CRLF.
    pub fn has_crlf(&self) -> bool {
        self.crlf > 0
    }

    /// Whether a line ends in LF alone.
    pub fn has_lone_lf(&self) -> bool {
        self.lone_lf > 0
    }

    fn becomes_crlf(&self, ends: LineEnds) -> bool {
        match ends {
            LineEnds::Crlf => self.lone_lf > 0,
            // A file of both kinds of lines is left alone.
            LineEnds::AutoCrlf => {
                self.lone_lf > 0 && self.crlf == 0 && self.lone_cr == 0 && !self.is_binary()
            }
            LineEnds::Keep | LineEnds::Lf | LineEnds::AutoLf => false,
        }
    }
}

impl LineEnds {
    fn is_auto(self) -> bool {
        matches!(self, LineEnds::AutoLf | LineEnds::AutoCrlf)
    }

    /// `content` as it is stored, and what a checkout would not undo. `stored_has_crlf` tells whether the present version
    /// in the index has a CRLF, which then is kept; it is asked only when that matters.
    pub(super) fn to_git<'c>(
        self,
        content: Cow<'c, [u8]>,
        stored_has_crlf: &dyn Fn() -> bool,
    ) -> (Cow<'c, [u8]>, Option<Irreversible>) {
        if self == LineEnds::Keep || content.is_empty() {
            return (content, None);
        }
        let stats = TextStats::of(&content);
        let mut converts = stats.crlf > 0;
        if self.is_auto() {
            if stats.is_binary() {
                return (content, None);
            }
            converts = converts && !stored_has_crlf();
        }
        let irreversible = self.irreversible(stats, converts);
        if !converts {
            return (content, irreversible);
        }
        let mut out = Vec::with_capacity(content.len() - stats.crlf);
        for line in content.lines_with_terminator() {
            match line.strip_suffix(b"\r\n") {
                Some(text) => {
                    out.extend_from_slice(text);
                    out.push(b'\n');
                }
                None => out.extend_from_slice(line),
            }
        }
        (Cow::Owned(out), irreversible)
    }

    fn irreversible(self, old: TextStats, converts: bool) -> Option<Irreversible> {
        let mut new = old;
        if converts {
            (new.lone_lf, new.crlf) = (new.lone_lf + new.crlf, 0);
        }
        if new.becomes_crlf(self) {
            (new.crlf, new.lone_lf) = (new.crlf + new.lone_lf, 0);
        }
        if old.crlf > 0 && new.crlf == 0 {
            Some(Irreversible::CrlfToLf)
        } else if old.lone_lf > 0 && new.lone_lf == 0 {
            Some(Irreversible::LfToCrlf)
        } else {
            None
        }
    }

    /// Stored `content` as it is in the working tree.
    pub(super) fn to_worktree(self, content: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
        if !matches!(self, LineEnds::Crlf | LineEnds::AutoCrlf) || content.is_empty() {
            return content;
        }
        let stats = TextStats::of(&content);
        if !stats.becomes_crlf(self) {
            return content;
        }
        let mut out = Vec::with_capacity(content.len() + stats.lone_lf);
        for line in content.lines_with_terminator() {
            match line.strip_suffix(b"\n") {
                Some(text) if !text.ends_with(b"\r") => {
                    out.extend_from_slice(text);
                    out.extend_from_slice(b"\r\n");
                }
                _ => out.extend_from_slice(line),
            }
        }
        Cow::Owned(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(ends: LineEnds, content: &str) -> String {
        let (out, _) = ends.to_git(Cow::Borrowed(content.as_bytes()), &|| false);
        String::from_utf8(out.into_owned()).unwrap()
    }

    fn checked_out(ends: LineEnds, content: &str) -> String {
        String::from_utf8(ends.to_worktree(Cow::Borrowed(content.as_bytes())).into_owned()).unwrap()
    }

    #[test]
    fn line_ends_go_both_ways() {
        assert_eq!(stored(LineEnds::Lf, "a\r\nb\nc\rd\r\r\n\r"), "a\nb\nc\rd\r\n\r");
        assert_eq!(stored(LineEnds::AutoLf, "a\r\nb\n"), "a\nb\n");
        assert_eq!(stored(LineEnds::AutoLf, "a\r\nb\rc\n"), "a\r\nb\rc\n");
        assert_eq!(stored(LineEnds::Keep, "a\r\n"), "a\r\n");
        assert_eq!(checked_out(LineEnds::Crlf, "a\r\nb\n\nc"), "a\r\nb\r\n\r\nc");
        assert_eq!(checked_out(LineEnds::AutoCrlf, "a\r\nb\n"), "a\r\nb\n");
        assert_eq!(checked_out(LineEnds::AutoCrlf, "a\nb\n"), "a\r\nb\r\n");
        assert_eq!(checked_out(LineEnds::AutoCrlf, "a\0\nb\n"), "a\0\nb\n");
        assert_eq!(checked_out(LineEnds::Lf, "a\n"), "a\n");
    }

    #[test]
    fn what_is_stored_with_crlf_stays_so() {
        let content = Cow::Borrowed(&b"a\r\n"[..]);
        assert_eq!(LineEnds::AutoCrlf.to_git(content.clone(), &|| true).0, content);
        assert_eq!(*LineEnds::Crlf.to_git(content, &|| true).0, *b"a\n");
    }

    #[test]
    fn what_a_checkout_would_not_undo_is_told() {
        let told = |ends: LineEnds, content: &'static str| {
            ends.to_git(Cow::Borrowed(content.as_bytes()), &|| false).1
        };
        assert_eq!(told(LineEnds::AutoLf, "a\r\n"), Some(Irreversible::CrlfToLf));
        assert_eq!(told(LineEnds::AutoCrlf, "a\n"), Some(Irreversible::LfToCrlf));
        assert_eq!(told(LineEnds::Crlf, "a\r\n"), None);
        assert_eq!(told(LineEnds::Lf, "a\n"), None);
    }
}
