//! The glob matcher: `*`, `?`, `[...]`, `\x`, and `**` between slashes.
//!
//! One matcher serves refs, pathspecs, ignore and attribute patterns, config conditions and branch lists; what
//! they mean by a slash is told by [`Options::pathname`]. The pattern language is described in gitignore(5)
//! and glob(7).
//!
//! A star that fails to match is retried only from the last star (and, for `**`, the last double star) before
//! it, so time is bounded by the product of the lengths for a path component, and no pattern is exponential.

/// How a pattern is to be read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Options {
    /// `*`, `?` and `[...]` do not match a slash, and `**` as a whole path component matches any number of them.
    pub pathname: bool,
    /// ASCII letters match whatever their case.
    pub ignore_case: bool,
}

impl Options {
    /// Patterns in which slashes are special.
    pub const PATHNAME: Options = Options { pathname: true, ignore_case: false };
    /// Patterns in which a slash is like any other character.
    pub const FLAT: Options = Options { pathname: false, ignore_case: false };
}

/// Whether `pattern` matches the whole of `text`. A malformed pattern (an open bracket, a trailing backslash)
/// matches nothing.
pub fn wildmatch(pattern: &[u8], text: &[u8], options: Options) -> bool {
    Matcher { pattern, text, options }.run()
}

/// Whether `pattern` has a character that is special to [`wildmatch`].
pub fn has_wildcard(pattern: &[u8]) -> bool {
    literal_prefix_len(pattern) < pattern.len()
}

/// How many bytes at the start of `pattern` come before its first special character (`*`, `?`, `[` or `\`).
pub fn literal_prefix_len(pattern: &[u8]) -> usize {
    pattern.iter().position(|&b| is_special(b)).unwrap_or(pattern.len())
}

/// Whether `byte` is special in a pattern.
pub fn is_special(byte: u8) -> bool {
    matches!(byte, b'*' | b'?' | b'[' | b'\\')
}

struct Matcher<'a> {
    pattern: &'a [u8],
    text: &'a [u8],
    options: Options,
}

/// Where to go on when what follows a star does not match: from `pattern`, with the star taking more text.
#[derive(Clone, Copy)]
struct Retry {
    pattern: usize,
    text: usize,
    kind: Star,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Star {
    /// `*` in a path: anything but a slash.
    Component,
    /// `*` where slashes are not special, or `**` at the end.
    Anything,
    /// `**/`: what follows starts at a component.
    Components,
}

impl Matcher<'_> {
    fn run(&self) -> bool {
        let (mut p, mut t) = (0, 0);
        let mut star: Option<Retry> = None;
        let mut double_star: Option<Retry> = None;
        loop {
            let stepped = match self.pattern.get(p) {
                None if t == self.text.len() => return true,
                None => None,
                Some(b'*') => {
                    let (kind, next) = self.read_star(p);
                    let retry = Retry { pattern: next, text: t, kind };
                    if kind == Star::Component {
                        star = Some(retry);
                    } else {
                        (star, double_star) = (None, Some(retry));
                    }
                    Some((next, t))
                }
                Some(_) => match self.step(p, t) {
                    Ok(stepped) => stepped,
                    Err(Malformed) => return false,
                },
            };
            if let Some(next) = stepped {
                (p, t) = next;
                continue;
            }
            if let Some(retry) = star.as_mut()
                && self.extend(retry)
            {
                (p, t) = (retry.pattern, retry.text);
                continue;
            }
            star = None;
            let Some(retry) = double_star.as_mut() else { return false };
            if !self.extend(retry) {
                return false;
            }
            (p, t) = (retry.pattern, retry.text);
        }
    }

    /// What the run of stars at `p` means, and where the pattern goes on after it.
    fn read_star(&self, p: usize) -> (Star, usize) {
        let stars = self.pattern[p..].iter().take_while(|&&b| b == b'*').count();
        let next = p + stars;
        if !self.options.pathname {
            return (Star::Anything, next);
        }
        let starts_component = p == 0 || self.pattern[p - 1] == b'/';
        if stars < 2 || !starts_component {
            return (Star::Component, next);
        }
        match &self.pattern[next..] {
            [] => (Star::Anything, next),
            [b'/', ..] => (Star::Components, next + 1),
            [b'\\', b'/', ..] => (Star::Components, next + 2),
            _ => (Star::Component, next),
        }
    }

    /// Lets the star of `retry` take more text; false when it cannot.
    fn extend(&self, retry: &mut Retry) -> bool {
        let rest = &self.text[retry.text..];
        let more = match retry.kind {
            Star::Component => rest.first().filter(|&&b| b != b'/').map(|_| 1),
            Star::Anything => (!rest.is_empty()).then_some(1),
            Star::Components => memchr::memchr(b'/', rest).map(|slash| slash + 1),
        };
        retry.text += more.unwrap_or(0);
        more.is_some()
    }

    /// Matches the one-character element at `p` against the text at `t`.
    fn step(&self, p: usize, t: usize) -> Result<Option<(usize, usize)>, Malformed> {
        let fold = |b: u8| if self.options.ignore_case { b.to_ascii_lowercase() } else { b };
        let text = self.text.get(t).copied().map(fold);
        let (matched, next) = match self.pattern[p] {
            b'?' => (text.is_some_and(|b| self.may_be_wild(b)), p + 1),
            b'[' => match text {
                // A bracket is not read before there is something to match with it.
                None => (false, p + 1),
                Some(byte) => {
                    let (is_in, next) = self.read_class(p + 1, byte)?;
                    (is_in && self.may_be_wild(byte), next)
                }
            },
            // Git takes an escaped capital as it is and the text in lower case: they never match.
            b'\\' => (text.is_some() && text == self.pattern.get(p + 1).copied(), p + 2),
            literal => (text == Some(fold(literal)), p + 1),
        };
        Ok(matched.then_some((next, t + 1)))
    }

    fn may_be_wild(&self, byte: u8) -> bool {
        !(self.options.pathname && byte == b'/')
    }

    /// Whether `byte` (already folded) is in the bracket expression whose inside starts at `p`; and where the
    /// pattern goes on after it.
    fn read_class(&self, mut p: usize, byte: u8) -> Result<(bool, usize), Malformed> {
        let negated = matches!(self.pattern.get(p), Some(b'!' | b'^'));
        p += usize::from(negated);
        let start = p;
        let mut is_in = false;
        // What a range may start from: the last plain member.
        let mut low: Option<u8> = None;
        loop {
            let rest = &self.pattern[p..];
            match *rest {
                [] => return Err(Malformed),
                [b']', ..] if p > start => return Ok((is_in != negated, p + 1)),
                [b'-', next, ..] if next != b']' && low.is_some() => {
                    let (high, taken) = self.read_member(p + 1)?;
                    is_in |= low.is_some_and(|low| self.in_range(byte, low, high));
                    low = None;
                    p += 1 + taken;
                }
                [b'[', b':', ..] => match named_class(rest) {
                    NamedClass::Open => return Err(Malformed),
                    NamedClass::NotOne => {
                        is_in |= byte == b'[';
                        low = Some(b'[');
                        p += 1;
                    }
                    NamedClass::Named { name, taken } => {
                        is_in |= self.in_named(byte, name)?;
                        low = None;
                        p += taken;
                    }
                },
                _ => {
                    let (member, taken) = self.read_member(p)?;
                    is_in |= byte == member;
                    low = Some(member);
                    p += taken;
                }
            }
        }
    }

    fn read_member(&self, p: usize) -> Result<(u8, usize), Malformed> {
        match self.pattern[p..] {
            [b'\\', escaped, ..] => Ok((escaped, 2)),
            [b'\\'] | [] => Err(Malformed),
            [plain, ..] => Ok((plain, 1)),
        }
    }

    fn in_range(&self, byte: u8, low: u8, high: u8) -> bool {
        let range = low..=high;
        range.contains(&byte) || (self.options.ignore_case && range.contains(&byte.to_ascii_uppercase()))
    }

    fn in_named(&self, byte: u8, name: &[u8]) -> Result<bool, Malformed> {
        Ok(match name {
            b"alnum" => byte.is_ascii_alphanumeric(),
            b"alpha" => byte.is_ascii_alphabetic(),
            b"blank" => matches!(byte, b' ' | b'\t'),
            b"cntrl" => byte.is_ascii_control(),
            b"digit" => byte.is_ascii_digit(),
            b"graph" => byte.is_ascii_graphic(),
            b"lower" => byte.is_ascii_lowercase(),
            b"print" => byte.is_ascii_graphic() || byte == b' ',
            b"punct" => byte.is_ascii_punctuation(),
            b"space" => byte.is_ascii_whitespace() || byte == 0x0b,
            b"upper" => byte.is_ascii_uppercase() || (self.options.ignore_case && byte.is_ascii_alphabetic()),
            b"xdigit" => byte.is_ascii_hexdigit(),
            _ => return Err(Malformed),
        })
    }
}

/// A bracket expression that never ends or names a class that is none: the pattern matches nothing.
struct Malformed;

enum NamedClass<'a> {
    /// `[:` without a `]` after it.
    Open,
    /// `[:` and then a `]` that does not follow a colon: a plain `[`.
    NotOne,
    Named {
        name: &'a [u8],
        taken: usize,
    },
}

/// Reads `[:name:]` at the start of `text`, which starts with `[:`.
fn named_class(text: &[u8]) -> NamedClass<'_> {
    let Some(close) = memchr::memchr(b']', &text[2..]).map(|at| at + 2) else {
        return NamedClass::Open;
    };
    if close < 3 || text[close - 1] != b':' {
        return NamedClass::NotOne;
    }
    NamedClass::Named { name: &text[2..close - 1], taken: close + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, text: &str, pathname: bool, flat: bool) {
        let matches = |options| wildmatch(pattern.as_bytes(), text.as_bytes(), options);
        assert_eq!(matches(Options::PATHNAME), pathname, "{pattern} in paths against {text}");
        assert_eq!(matches(Options::FLAT), flat, "{pattern} against {text}");
    }

    #[test]
    fn stars_and_slashes() {
        check("src/*.rs", "src/a.rs", true, true);
        check("src/*.rs", "src/a/b.rs", false, true);
        check("**/b.rs", "b.rs", true, false);
        check("**/b.rs", "x/y/b.rs", true, true);
        check("a/**/z", "a/z", true, false);
        check("a/**/z", "a/b/c/z", true, true);
        check("a/**", "a/b/c", true, true);
        check("a/**", "a", false, false);
        check("a**z", "a/z", false, true);
        check("****/z", "a/b/z", true, true);
        check("*/?x", "a//x", false, true);
        check("**/*b*/**/c", "x/ab/c", true, false);
    }

    #[test]
    fn brackets() {
        check("[]-]", "-", true, true);
        check("[!]a]", "b", true, true);
        check("[a-", "a", false, false);
        check("x[^y]z", "x/z", false, true);
        check("[[:digit:]a]", "a", true, true);
        check("[[:nothing:]]", "a", false, false);
        check("[[:]x]", ":x]", true, true);
        check("\\", "\\", false, false);
        check("\\*", "*", true, true);
    }

    #[test]
    fn case_is_ignored_when_asked() {
        let fold = Options { pathname: true, ignore_case: true };
        for (pattern, text) in
            [("AbC", "aBc"), ("[A-Z]", "q"), ("[a-z]", "Q"), ("[[:upper:]]", "a"), ("\\a", "A")]
        {
            assert!(wildmatch(pattern.as_bytes(), text.as_bytes(), fold), "{pattern} {text}");
            assert!(!wildmatch(pattern.as_bytes(), text.as_bytes(), Options::PATHNAME), "{pattern} {text}");
        }
    }

    #[test]
    fn many_stars_end_soon() {
        let text = vec![b'a'; 20_000];
        let pattern = [b"*a".repeat(50), b"b".to_vec()].concat();
        assert!(!wildmatch(&pattern, &text, Options::PATHNAME));
        assert!(!wildmatch(&pattern, &text, Options::FLAT));
        let path = b"a/".repeat(500);
        let pattern = [b"**/a/".repeat(20), b"b".to_vec()].concat();
        assert!(!wildmatch(&pattern, &path, Options::PATHNAME));
    }

    #[test]
    fn literal_prefixes() {
        assert_eq!(literal_prefix_len(b"refs/heads/*"), 11);
        assert!(has_wildcard(b"a\\b"));
        assert!(!has_wildcard(b"a]b"));
    }
}
