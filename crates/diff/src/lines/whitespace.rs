//! What makes two lines equal when white space is to be ignored.

/// Which white space is ignored when lines are compared. Each covers what those below it do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub enum Whitespace {
    /// None.
    #[default]
    Exact,
    /// A carriage return at the end of a line (`--ignore-cr-at-eol`).
    IgnoreCrAtEol,
    /// All of it at the end of a line (`--ignore-space-at-eol`).
    IgnoreAtEol,
    /// Its amount (`-b`).
    IgnoreChange,
    /// All of it (`-w`).
    IgnoreAll,
}

/// White space as git sees it: no vertical tab, no form feed.
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Whether the line holds nothing, or nothing but white space when any of that is ignored.
pub fn is_blank(line: &[u8], whitespace: Whitespace) -> bool {
    match whitespace {
        Whitespace::Exact => line.len() <= 1,
        _ => line.iter().all(|&b| is_space(b)),
    }
}

/// The part of a line that counts, ends first: what is left may still hold runs of white space to be ignored.
fn significant(line: &[u8], whitespace: Whitespace) -> &[u8] {
    match whitespace {
        Whitespace::Exact => line,
        Whitespace::IgnoreCrAtEol => match line.strip_suffix(b"\n") {
            Some(body) => body.strip_suffix(b"\r").unwrap_or(body),
            None => line,
        },
        _ => &line[..line.iter().rposition(|&b| !is_space(b)).map_or(0, |last| last + 1)],
    }
}

/// Appends to `out` the form of `line` that is the same for all lines equal to it.
pub(super) fn normalise(line: &[u8], whitespace: Whitespace, out: &mut Vec<u8>) {
    let body = significant(line, whitespace);
    match whitespace {
        Whitespace::IgnoreAll => out.extend(body.iter().filter(|&&b| !is_space(b))),
        Whitespace::IgnoreChange => {
            let mut in_space = false;
            for &byte in body {
                let space = is_space(byte);
                if !space {
                    out.push(byte);
                } else if !in_space {
                    out.push(b' ');
                }
                in_space = space;
            }
        }
        _ => out.extend_from_slice(body),
    }
}

/// Whether two lines are equal.
pub(crate) fn same(a: &[u8], b: &[u8], whitespace: Whitespace) -> bool {
    if a == b {
        return true;
    }
    match whitespace {
        Whitespace::Exact => false,
        Whitespace::IgnoreAll => {
            let solid = |line| <[u8]>::iter(line).filter(|&&b| !is_space(b));
            solid(a).eq(solid(b))
        }
        Whitespace::IgnoreChange => same_but_amount(significant(a, whitespace), significant(b, whitespace)),
        _ => significant(a, whitespace) == significant(b, whitespace),
    }
}

/// Whether two lines without trailing white space are equal when each run of it counts as one space.
fn same_but_amount(mut a: &[u8], mut b: &[u8]) -> bool {
    let leading = |line: &[u8]| line.iter().take_while(|&&b| is_space(b)).count();
    loop {
        match (a.first(), b.first()) {
            (None, None) => return true,
            (Some(&x), Some(&y)) if is_space(x) && is_space(y) => {
                a = &a[leading(a)..];
                b = &b[leading(b)..];
            }
            (Some(x), Some(y)) if x == y => {
                a = &a[1..];
                b = &b[1..];
            }
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ALL: [Whitespace; 5] = [
        Whitespace::Exact,
        Whitespace::IgnoreCrAtEol,
        Whitespace::IgnoreAtEol,
        Whitespace::IgnoreChange,
        Whitespace::IgnoreAll,
    ];

    fn equal_under(a: &str, b: &str) -> Vec<Whitespace> {
        ALL.into_iter().filter(|&w| same(a.as_bytes(), b.as_bytes(), w)).collect()
    }

    #[test]
    fn each_kind_ignores_what_it_says() {
        use Whitespace::*;
        assert_eq!(equal_under("a b\n", "a b\r\n"), ALL[1..]);
        assert_eq!(equal_under("a b\n", "a b \n"), [IgnoreAtEol, IgnoreChange, IgnoreAll]);
        assert_eq!(equal_under("a b\n", "a\t  b\n"), [IgnoreChange, IgnoreAll]);
        assert_eq!(equal_under("a b\n", "ab\n"), [IgnoreAll]);
        assert_eq!(equal_under("a\n", "a"), ALL[1..]);
        assert_eq!(equal_under("a\r", "a\r\n"), [IgnoreAtEol, IgnoreChange, IgnoreAll]);
        assert_eq!(equal_under("a\x0b\n", "a\n"), []);
    }

    proptest! {
        #[test]
        fn equal_lines_have_equal_forms(a in "[ab \t\r]{0,6}\n?", b in "[ab \t\r]{0,6}\n?") {
            for whitespace in ALL {
                let (mut x, mut y) = (Vec::new(), Vec::new());
                normalise(a.as_bytes(), whitespace, &mut x);
                normalise(b.as_bytes(), whitespace, &mut y);
                prop_assert_eq!(x == y, same(a.as_bytes(), b.as_bytes(), whitespace));
            }
        }
    }
}
