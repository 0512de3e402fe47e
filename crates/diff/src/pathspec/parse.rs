//! Reading pathspecs: short magic (`:!x`), long magic (`:(exclude)x`), and paths relative to the current folder.

use std::path::Path;

use adit_text::wildmatch::literal_prefix_len;
use bstr::{BString, ByteSlice};

use super::{Item, Magic, Pathspec, Requirement};

/// What paths are relative to, and the settings that hold for every item.
#[derive(Debug, Clone, Copy, Default)]
pub struct PathspecOptions<'a> {
    /// The current folder from the top, empty or with a slash at its end.
    pub prefix: &'a [u8],
    /// The top of the working tree, from which absolute paths are taken, and which errors mention.
    pub work_tree: Option<&'a Path>,
    /// `--literal-pathspecs`: magic and wildcards are ordinary characters.
    pub literal: bool,
    /// `--glob-pathspecs`
    pub glob: bool,
    /// `--noglob-pathspecs`
    pub noglob: bool,
    /// `--icase-pathspecs`
    pub icase: bool,
}

/// Why a pathspec cannot be used. The texts are git's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathspecError {
    /// An empty argument.
    #[error("empty string is not a valid pathspec. please use . instead if you meant to match all paths")]
    Empty,
    /// A path that leads out of the working tree.
    #[error("{original}: '{path}' is outside repository{}", at(.work_tree.as_ref()))]
    Outside {
        /// The argument.
        original: BString,
        /// The path in it.
        path: BString,
        /// The top of the working tree, when there is one.
        work_tree: Option<BString>,
    },
    /// A word of long magic that has no meaning.
    #[error("Invalid pathspec magic '{word}' in '{original}'")]
    InvalidMagic {
        /// The word.
        word: BString,
        /// The argument.
        original: BString,
    },
    /// A short magic character that has no meaning.
    #[error("Unimplemented pathspec magic '{}' in '{original}'", char::from(*.symbol))]
    UnimplementedMagic {
        /// The character.
        symbol: u8,
        /// The argument.
        original: BString,
    },
    /// Long magic without its end.
    #[error("Missing ')' at the end of pathspec magic in '{0}'")]
    Unclosed(BString),
    /// Magic that contradicts itself.
    #[error("{0}: 'literal' and 'glob' are incompatible")]
    LiteralAndGlob(BString),
    /// Global settings that contradict each other.
    #[error("global 'glob' and 'noglob' pathspec settings are incompatible")]
    GlobAndNoglob,
    /// `literal` together with another global setting.
    #[error("global 'literal' pathspec setting is incompatible with all other global pathspec settings")]
    LiteralAndOthers,
    /// The number of `prefix:` magic is none.
    #[error("invalid parameter for pathspec magic 'prefix'")]
    BadPrefix,
    /// `attr:` without anything after it.
    #[error("attr spec must not be empty")]
    EmptyAttributes,
    /// `attr:` twice.
    #[error("Only one 'attr:' specification is allowed.")]
    TwoAttributes,
    /// No name of an attribute.
    #[error("invalid attribute name {0}")]
    AttributeName(BString),
    /// A character that attribute values to be matched may not hold.
    #[error("cannot use '{}' for value matching", char::from(*.0))]
    ValueCharacter(u8),
    /// An attribute value that ends in a backslash.
    #[error("Escape character '\\' not allowed as last character in attr value")]
    TrailingBackslash,
}

fn at(work_tree: Option<&BString>) -> String {
    work_tree.map(|path| format!(" at '{path}'")).unwrap_or_default()
}

impl Pathspec {
    /// Reads the arguments of a command. No argument at all gives the pathspec that matches everything.
    pub fn parse<T: AsRef<[u8]>>(args: &[T], options: &PathspecOptions<'_>) -> Result<Self, PathspecError> {
        if options.glob && options.noglob {
            return Err(PathspecError::GlobAndNoglob);
        }
        if options.literal && (options.glob || options.noglob || options.icase) {
            return Err(PathspecError::LiteralAndOthers);
        }
        let items = args.iter().map(|arg| Item::parse(arg.as_ref(), options)).collect::<Result<_, _>>()?;
        Ok(Pathspec { items, attributes: None })
    }
}

/// The magic in front of a pattern.
#[derive(Default)]
struct Parsed<'a> {
    magic: Magic,
    /// The length of the current folder that `prefix:` claims the pattern already holds.
    prefix: Option<usize>,
    attributes: Option<Vec<Requirement>>,
    rest: &'a [u8],
}

impl Item {
    fn parse(original: &[u8], options: &PathspecOptions<'_>) -> Result<Self, PathspecError> {
        if original.is_empty() {
            return Err(PathspecError::Empty);
        }
        let parsed = match original {
            _ if options.literal => Parsed { rest: original, ..Parsed::default() },
            [b':', b'(', ..] => Parsed::long(original)?,
            [b':', ..] => Parsed::short(original)?,
            _ => Parsed { rest: original, ..Parsed::default() },
        };
        let mut magic = parsed.magic;
        magic.glob |= options.glob && !magic.literal;
        magic.literal |= options.literal || (options.noglob && !magic.glob);
        magic.icase |= options.icase;
        if magic.literal && magic.glob {
            return Err(PathspecError::LiteralAndGlob(original.into()));
        }
        let (pattern, prefix): (BString, usize) = match parsed.prefix {
            Some(prefix) => (parsed.rest.into(), prefix.min(parsed.rest.len())),
            None if magic.top => (parsed.rest.into(), 0),
            None => place(original, parsed.rest, options)?,
        };
        let literal =
            if magic.literal { pattern.len() } else { prefix + literal_prefix_len(&pattern[prefix..]) };
        let attributes = parsed.attributes.unwrap_or_default();
        Ok(Item { original: original.into(), pattern, magic, prefix, literal, attributes })
    }
}

impl<'a> Parsed<'a> {
    /// `:!/x`
    fn short(original: &'a [u8]) -> Result<Self, PathspecError> {
        let mut parsed = Parsed { rest: &original[1..], ..Parsed::default() };
        while let Some((&symbol, rest)) = parsed.rest.split_first() {
            match symbol {
                b':' => {
                    parsed.rest = rest;
                    break;
                }
                b'/' => parsed.magic.top = true,
                b'!' | b'^' => parsed.magic.exclude = true,
                b'"' | b'#' | b'%' | b'&' | b'\'' | b',' | b'-' | b';' | b'<' | b'=' | b'>' | b'@' | b'_'
                | b'`' | b'~' => {
                    return Err(PathspecError::UnimplementedMagic { symbol, original: original.into() });
                }
                _ => break,
            }
            parsed.rest = rest;
        }
        Ok(parsed)
    }

    /// `:(exclude,icase)x`
    fn long(original: &'a [u8]) -> Result<Self, PathspecError> {
        let mut parsed = Parsed { rest: &original[2..], ..Parsed::default() };
        loop {
            let end = word_end(parsed.rest).ok_or_else(|| PathspecError::Unclosed(original.into()))?;
            let (word, after) = (&parsed.rest[..end], &parsed.rest[end + 1..]);
            let is_last = parsed.rest[end] == b')';
            parsed.word(original, word)?;
            parsed.rest = after;
            if is_last {
                return Ok(parsed);
            }
        }
    }

    fn word(&mut self, original: &[u8], word: &[u8]) -> Result<(), PathspecError> {
        match word {
            b"" => {}
            b"top" => self.magic.top = true,
            b"literal" => self.magic.literal = true,
            b"glob" => self.magic.glob = true,
            b"icase" => self.magic.icase = true,
            b"exclude" => self.magic.exclude = true,
            _ => {
                if let Some(list) = word.strip_prefix(b"attr:") {
                    return self.attributes(list);
                }
                let Some(number) = word.strip_prefix(b"prefix:") else {
                    return Err(PathspecError::InvalidMagic { word: word.into(), original: original.into() });
                };
                let number = number.to_str().ok().and_then(|text| text.parse().ok());
                self.prefix = Some(number.ok_or(PathspecError::BadPrefix)?);
            }
        }
        Ok(())
    }

    fn attributes(&mut self, list: &[u8]) -> Result<(), PathspecError> {
        if list.is_empty() {
            return Err(PathspecError::EmptyAttributes);
        }
        if self.attributes.is_some() {
            return Err(PathspecError::TwoAttributes);
        }
        let words = list.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        self.attributes = Some(words.map(Requirement::parse).collect::<Result<_, _>>()?);
        Ok(())
    }
}

/// Where a word of long magic ends: at a comma or parenthesis that no backslash is in front of.
fn word_end(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        match text.get(at)? {
            b',' | b')' => return Some(at),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// The path from the top, normalised, and how much of it is the current folder.
fn place(
    original: &[u8],
    path: &[u8],
    options: &PathspecOptions<'_>,
) -> Result<(BString, usize), PathspecError> {
    let work_tree = options.work_tree.map(|path| path.as_os_str().as_encoded_bytes());
    let outside = || PathspecError::Outside {
        original: original.into(),
        path: path.into(),
        work_tree: work_tree.map(BString::from),
    };
    let (start, relative) = match path.first() {
        Some(b'/') => (&[][..], below(work_tree.ok_or_else(outside)?, path).ok_or_else(outside)?),
        _ => (options.prefix, path),
    };
    let (placed, kept) = normalise(start, relative).ok_or_else(outside)?;
    Ok((placed, kept))
}

/// What follows the folder `top` in the absolute `path`.
fn below<'p>(top: &[u8], path: &'p [u8]) -> Option<&'p [u8]> {
    let rest = path.strip_prefix(top.trim_end_with(|c| c == '/').as_bytes())?;
    match rest.first() {
        None => Some(rest),
        Some(b'/') => Some(&rest[1..]),
        Some(_) => None,
    }
}

/// Joins `relative` to `prefix`, takes out empty, `.` and `..` components, and tells how much of the prefix is left.
fn normalise(prefix: &[u8], relative: &[u8]) -> Option<(BString, usize)> {
    let mut out = BString::from(prefix);
    let mut kept = prefix.len();
    let mut rest = relative;
    loop {
        let (component, after) = match rest.find_byte(b'/') {
            Some(at) => (&rest[..at], Some(&rest[at + 1..])),
            None => (rest, None),
        };
        match component {
            b"" | b"." => {}
            b".." => {
                let folder = out.strip_suffix(b"/").unwrap_or(&out);
                if folder.is_empty() {
                    return None;
                }
                let parent = folder.rfind_byte(b'/').map_or(0, |at| at + 1);
                out.truncate(parent);
                kept = kept.min(out.len());
            }
            name => {
                out.extend_from_slice(name);
                if after.is_some() {
                    out.push(b'/');
                }
            }
        }
        match after {
            Some(after) => rest = after,
            None => return Some((out, kept)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normal(prefix: &str, path: &str) -> Option<(String, usize)> {
        normalise(prefix.as_bytes(), path.as_bytes()).map(|(path, kept)| (path.to_string(), kept))
    }

    #[test]
    fn paths_are_normalised_from_the_current_folder() {
        assert_eq!(normal("a/b/", "./c//d"), Some(("a/b/c/d".into(), 4)));
        assert_eq!(normal("a/b/", "../x"), Some(("a/x".into(), 2)));
        assert_eq!(normal("a/b/", "../.."), Some((String::new(), 0)));
        assert_eq!(normal("a/", "../../x"), None);
        assert_eq!(normal("", "a/b/../c/"), Some(("a/c/".into(), 0)));
        assert_eq!(normal("", "a/.."), Some((String::new(), 0)));
        assert_eq!(normal("a/b/", "."), Some(("a/b/".into(), 4)));
    }

    #[test]
    fn absolute_paths_are_taken_from_the_top() {
        assert_eq!(below(b"/w/t", b"/w/t/a"), Some(&b"a"[..]));
        assert_eq!(below(b"/w/t", b"/w/t"), Some(&b""[..]));
        assert_eq!(below(b"/w/t", b"/w/tx"), None);
        assert_eq!(below(b"/", b"/a"), Some(&b"a"[..]));
    }

    #[test]
    fn errors_read_as_in_git() {
        let error = |arg: &str| Pathspec::parse(&[arg], &PathspecOptions::default()).unwrap_err().to_string();
        assert_eq!(error(":(foo)bar"), "Invalid pathspec magic 'foo' in ':(foo)bar'");
        assert_eq!(error(":(top"), "Missing ')' at the end of pathspec magic in ':(top'");
        assert_eq!(error(":@x"), "Unimplemented pathspec magic '@' in ':@x'");
        assert_eq!(error(":(attr:a=b=c)x"), "cannot use '=' for value matching");
        assert_eq!(error("../x"), "../x: '../x' is outside repository");
    }
}
