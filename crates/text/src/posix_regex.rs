//! POSIX regular expressions, basic and extended, as git's patterns are written (regex(7), with GNU's escapes).
//!
//! They are translated to the syntax of the `regex` crate. Lines are the unit: `^` and `$` match at line ends, and
//! neither `.` nor a negated bracket matches a newline. Back-references, which need another kind of matcher, are
//! refused.

use regex::bytes::{Regex, RegexBuilder};

/// How a pattern is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Syntax {
    /// Basic regular expressions: groups are `\(...\)`.
    #[default]
    Basic,
    /// Extended regular expressions: groups are `(...)`.
    Extended,
    /// Every character stands for itself.
    Fixed,
}

/// Why a pattern cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// The pattern ends within a bracket expression.
    #[error("Unmatched [, [^, [:, [., or [=")]
    Bracket,
    /// A group is not closed.
    #[error("Unmatched ( or \\(")]
    Open,
    /// A group is closed that was not opened.
    #[error("Unmatched ) or \\)")]
    Close,
    /// The pattern ends in a backslash.
    #[error("Trailing backslash")]
    TrailingBackslash,
    /// The pattern refers back to what a group has matched.
    #[error("back-references are not supported")]
    BackReference,
    /// It is no regular expression for another reason.
    #[error("Invalid regular expression: {0}")]
    Invalid(String),
}

/// Compiles a pattern.
pub fn compile(pattern: &[u8], syntax: Syntax, ignore_case: bool) -> Result<Regex, PatternError> {
    build(pattern, syntax, ignore_case, true)
}

/// Compiles a pattern for which a newline is a character like any other: `^` and `$` match at the ends of the text only.
pub fn compile_text(pattern: &[u8], syntax: Syntax, ignore_case: bool) -> Result<Regex, PatternError> {
    build(pattern, syntax, ignore_case, false)
}

fn build(pattern: &[u8], syntax: Syntax, ignore_case: bool, lines: bool) -> Result<Regex, PatternError> {
    let mut translator =
        Translator { pattern, at: 0, syntax, lines, out: String::new(), atom: None, repeated: false };
    translator.run()?;
    RegexBuilder::new(&translator.out)
        .unicode(false)
        .multi_line(lines)
        .dot_matches_new_line(!lines)
        .case_insensitive(ignore_case)
        .build()
        .map_err(|error| PatternError::Invalid(last_line(&error.to_string())))
}

fn last_line(text: &str) -> String {
    text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

struct Translator<'p> {
    pattern: &'p [u8],
    at: usize,
    syntax: Syntax,
    lines: bool,
    out: String,
    /// Where the last atom starts in `out`; `None` where an atom must come first.
    atom: Option<usize>,
    /// Whether the last atom has a repetition already.
    repeated: bool,
}

impl Translator<'_> {
    fn run(&mut self) -> Result<(), PatternError> {
        let mut groups = Vec::new();
        while let Some(byte) = self.next() {
            if self.syntax == Syntax::Fixed {
                self.literal(byte);
                continue;
            }
            let escaped = byte == b'\\';
            let byte = if escaped { self.next().ok_or(PatternError::TrailingBackslash)? } else { byte };
            // In basic syntax these are operators when escaped, in extended syntax when not.
            let is_operator = matches!(byte, b'(' | b')' | b'{' | b'|' | b'+' | b'?')
                && escaped == (self.syntax == Syntax::Basic);
            match byte {
                _ if is_operator => self.operator(byte, &mut groups)?,
                _ if escaped => self.escape(byte)?,
                b'[' => self.bracket()?,
                b'.' => self.push_atom("."),
                b'*' => self.star(),
                b'^' if self.is_start_anchor() => self.anchor("^"),
                b'$' if self.is_end_anchor() => self.anchor("$"),
                _ => self.literal(byte),
            }
        }
        if groups.is_empty() { Ok(()) } else { Err(PatternError::Open) }
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.pattern.get(self.at).copied();
        self.at += usize::from(byte.is_some());
        byte
    }

    fn rest(&self) -> &[u8] {
        &self.pattern[self.at..]
    }

    fn push_atom(&mut self, text: &str) {
        self.atom = Some(self.out.len());
        self.repeated = false;
        self.out.push_str(text);
    }

    fn anchor(&mut self, text: &str) {
        self.out.push_str(text);
        self.atom = None;
    }

    fn literal(&mut self, byte: u8) {
        // A character of several bytes is repeated as a whole.
        let continues = byte & 0xc0 == 0x80 && !self.repeated && self.out.ends_with(')');
        if let Some(start) = self.atom.filter(|&start| continues && self.out[start..].starts_with("(?:\\x")) {
            self.out.pop();
            self.out.push_str(&format!("\\x{byte:02x})"));
            self.atom = Some(start);
        } else if byte >= 0x80 {
            self.push_atom(&format!("(?:\\x{byte:02x})"));
        } else if byte.is_ascii_alphanumeric() || byte == b' ' {
            self.push_atom(char::from(byte).encode_utf8(&mut [0; 4]));
        } else {
            self.push_atom(&format!("\\x{byte:02x}"));
        }
    }

    fn repeat(&mut self, text: &str) {
        let Some(start) = self.atom else { return };
        if self.repeated {
            // A second sign would mean 'lazy'.
            self.out.insert_str(start, "(?:");
            self.out.push(')');
        }
        self.out.push_str(text);
        self.repeated = true;
    }

    fn star(&mut self) {
        match (self.atom, self.syntax) {
            (None, Syntax::Basic) => self.literal(b'*'),
            // With nothing to repeat, extended syntax ignores it.
            _ => self.repeat("*"),
        }
    }

    fn operator(&mut self, byte: u8, groups: &mut Vec<usize>) -> Result<(), PatternError> {
        match byte {
            b'(' => {
                groups.push(self.out.len());
                self.out.push('(');
                self.atom = None;
            }
            b')' => {
                self.out.push(')');
                self.atom = Some(groups.pop().ok_or(PatternError::Close)?);
                self.repeated = false;
            }
            b'|' => self.anchor("|"),
            b'+' => self.repeat("+"),
            b'?' => self.repeat("?"),
            _ => match self.interval() {
                Some(text) if self.atom.is_some() => self.repeat(&text),
                Some(_) => {}
                None => self.literal(b'{'),
            },
        }
        Ok(())
    }

    /// Reads `m}`, `m,}`, `,n}` or `m,n}` (in basic syntax with a backslash before the brace).
    fn interval(&mut self) -> Option<String> {
        let end: &[u8] = if self.syntax == Syntax::Basic { b"\\}" } else { b"}" };
        let len = self.rest().windows(end.len()).position(|window| window == end)?;
        let text = std::str::from_utf8(&self.rest()[..len]).ok()?;
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let written = match text.split_once(',') {
            None if is_number(text) => format!("{{{text}}}"),
            Some(("", most)) if is_number(most) => format!("{{0,{most}}}"),
            Some((least, most)) if is_number(least) && (most.is_empty() || is_number(most)) => {
                format!("{{{least},{most}}}")
            }
            _ => return None,
        };
        self.at += len + end.len();
        Some(written)
    }

    fn escape(&mut self, byte: u8) -> Result<(), PatternError> {
        match byte {
            b'w' | b'W' | b's' | b'S' => self.push_atom(&format!("\\{}", char::from(byte))),
            b'b' | b'B' => self.anchor(&format!("\\{}", char::from(byte))),
            b'<' => self.anchor("\\b{start}"),
            b'>' => self.anchor("\\b{end}"),
            b'`' => self.anchor("\\A"),
            b'\'' => self.anchor("\\z"),
            b'1'..=b'9' => return Err(PatternError::BackReference),
            _ => self.literal(byte),
        }
        Ok(())
    }

    fn is_start_anchor(&self) -> bool {
        self.syntax == Syntax::Extended
            || self.out.is_empty()
            || (self.atom.is_none() && (self.out.ends_with('(') || self.out.ends_with('|')))
    }

    fn is_end_anchor(&self) -> bool {
        let rest = self.rest();
        self.syntax == Syntax::Extended
            || rest.is_empty()
            || rest.starts_with(b"\\)")
            || rest.starts_with(b"\\|")
    }

    /// Reads a bracket expression, whose `[` is read. A backslash in it is an ordinary character.
    fn bracket(&mut self) -> Result<(), PatternError> {
        let mut text = String::from("[");
        let negated = self.rest().first() == Some(&b'^');
        if negated {
            self.at += 1;
            text.push_str(if self.lines { "^\\n" } else { "^" });
        }
        let start = self.at;
        loop {
            match self.next().ok_or(PatternError::Bracket)? {
                b']' if self.at > start + 1 => break,
                b'[' if matches!(self.rest().first(), Some(b':' | b'.' | b'=')) => self.named(&mut text)?,
                b'-' if self.at > start + 1 && self.rest().first().is_some_and(|&byte| byte != b']') => {
                    text.push('-');
                }
                byte => text.push_str(&format!("\\x{byte:02x}")),
            }
        }
        text.push(']');
        self.push_atom(&text);
        Ok(())
    }

    /// Reads `[:class:]`, `[.x.]` or `[=x=]`, whose `[` is read.
    fn named(&mut self, text: &mut String) -> Result<(), PatternError> {
        let kind = self.next().ok_or(PatternError::Bracket)?;
        let end = [kind, b']'];
        let len = self.rest().windows(2).position(|window| window == end).ok_or(PatternError::Bracket)?;
        let name = &self.pattern[self.at..self.at + len];
        self.at += len + 2;
        if kind == b':' {
            let name = std::str::from_utf8(name).map_err(|_| PatternError::Bracket)?;
            text.push_str(&format!("[:{name}:]"));
        } else {
            for byte in name {
                text.push_str(&format!("\\x{byte:02x}"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(syntax: Syntax, pattern: &str, text: &str) -> bool {
        compile(pattern.as_bytes(), syntax, false).unwrap().is_match(text.as_bytes())
    }

    #[test]
    fn a_newline_ends_a_line_or_is_a_character() {
        let pattern = b"^b$|a.b|a[^x]b";
        assert!(compile(pattern, Syntax::Extended, false).unwrap().is_match(b"a\nb\nc"));
        let text = compile_text(b"^b$", Syntax::Extended, false).unwrap();
        assert!(!text.is_match(b"a\nb\nc") && text.is_match(b"b"));
        for pattern in ["^a.b$", "^a[^x]b$"] {
            assert!(compile_text(pattern.as_bytes(), Syntax::Extended, false).unwrap().is_match(b"a\nb"));
            assert!(!matches(Syntax::Extended, pattern, "a\nb"));
        }
    }

    #[test]
    fn basic_and_extended_differ_in_what_is_escaped() {
        for (pattern, text, basic, extended) in [
            ("a+b", "a+b", true, false),
            ("a+b", "aab", false, true),
            ("a\\+b", "aab", true, false),
            ("\\(a\\|b\\)c", "bc", true, false),
            ("(a|b)c", "bc", false, true),
            ("(a|b)c", "(a|b)c", true, false),
            ("x\\{2\\}", "xx", true, false),
            ("x{2}", "xx", false, true),
            ("x{2}", "x{2}", true, false),
            ("*a", "*a", true, true),
            ("*a", "ba", false, true),
            ("a^b", "a^b", true, false),
            ("a$b", "a$b", true, false),
            ("^a.c$", "abc", true, true),
            ("^a.c$", "xabc", false, false),
        ] {
            assert_eq!(matches(Syntax::Basic, pattern, text), basic, "basic {pattern} in {text}");
            assert_eq!(matches(Syntax::Extended, pattern, text), extended, "extended {pattern} in {text}");
        }
    }

    #[test]
    fn brackets() {
        for (pattern, text, expected) in [
            ("^[]a]$", "]", true),
            ("^[^]a]$", "]", false),
            ("^[\\n]$", "\\", true),
            ("^[a-c-]$", "-", true),
            ("^[[:digit:]x]$", "5", true),
            ("^[[.-.]a]$", "-", true),
            ("^[a&&b]$", "&", true),
            ("a[^b]c", "a\nc", false),
        ] {
            assert_eq!(matches(Syntax::Basic, pattern, text), expected, "{pattern} in {text}");
        }
        assert_eq!(compile(b"[a", Syntax::Basic, false).unwrap_err(), PatternError::Bracket);
        assert_eq!(compile(b"a\\", Syntax::Basic, false).unwrap_err(), PatternError::TrailingBackslash);
        assert_eq!(compile(b"\\(a\\)\\1", Syntax::Basic, false).unwrap_err(), PatternError::BackReference);
    }

    #[test]
    fn repetitions_of_repetitions_and_of_long_characters() {
        assert!(matches(Syntax::Extended, "^(ab)+?$", ""));
        assert!(matches(Syntax::Extended, "^a{2}{2}$", "aaaa"));
        assert!(matches(Syntax::Extended, "^é*x$", "ééx"));
        assert!(matches(Syntax::Extended, "^a{,2}$", "aa"));
        assert!(matches(Syntax::Extended, "a{b", "a{b"));
        assert!(matches(Syntax::Fixed, "a.*\\", "xa.*\\"));
        assert!(compile(b"ABC", Syntax::Fixed, true).unwrap().is_match(b"xabcx"));
    }
}
