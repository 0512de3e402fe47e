//! One attributes file: its lines, and what they say of a path.

use adit_diff::pathspec::AttributeState;
use adit_text::quote::unquote_c;
use adit_text::wildmatch::{Options, wildmatch};
use bstr::{BStr, BString, ByteSlice};

/// Longer lines are passed over, as git does.
const LONGEST_LINE: usize = 2048;
/// Macros may stand for macros this deep.
const DEEPEST_MACRO: usize = 10;

/// The lines of a file that mean something.
#[derive(Debug, Default)]
pub(super) struct AttributesFile {
    rules: Vec<Rule>,
    macros: Vec<Macro>,
}

#[derive(Debug)]
struct Rule {
    pattern: Pattern,
    states: Vec<(BString, AttributeState)>,
}

#[derive(Debug)]
struct Macro {
    name: BString,
    states: Vec<(BString, AttributeState)>,
}

#[derive(Debug)]
struct Pattern {
    text: BString,
    /// It has no slash, and matches the last part of a path.
    is_name: bool,
    /// It ends in a slash, and so matches folders, which have no attributes.
    is_folder: bool,
}

impl AttributesFile {
    /// Reads a file. Macros are defined only where `macros` says so.
    pub(super) fn parse(content: &[u8], macros: bool) -> Self {
        let mut file = AttributesFile::default();
        let content = content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(content);
        for line in content.lines().filter(|line| line.len() < LONGEST_LINE) {
            file.line(line.trim_ascii(), macros);
        }
        file
    }

    fn line(&mut self, line: &[u8], macros: bool) {
        if line.is_empty() || line[0] == b'#' {
            return;
        }
        if let Some(rest) = line.strip_prefix(b"[attr]") {
            let (name, states) = split_word(rest.trim_ascii_start());
            if macros && is_name(name) {
                self.macros.push(Macro { name: name.into(), states: parse_states(states) });
            }
            return;
        }
        let (pattern, states) = match line.strip_prefix(b"\"") {
            Some(_) => match unquote_c(line) {
                Some((pattern, taken)) => (pattern, &line[taken..]),
                None => return,
            },
            None => {
                let (pattern, states) = split_word(line);
                (pattern.into(), states)
            }
        };
        // A negative pattern means nothing in an attributes file.
        if pattern.starts_with(b"!") {
            return;
        }
        self.rules.push(Rule { pattern: Pattern::new(pattern), states: parse_states(states) });
    }

    /// What the file says of attribute `name` for `path`, which is seen from the file's folder; `None` when it says
    /// nothing. `definitions` yields the files that may define macros.
    pub(super) fn state<'f, I>(
        &self,
        path: &BStr,
        name: &BStr,
        ignore_case: bool,
        definitions: &dyn Fn() -> I,
    ) -> Option<AttributeState>
    where
        I: Iterator<Item = &'f AttributesFile>,
    {
        for rule in self.rules.iter().rev() {
            if let Some(state) = find(&rule.states, name, definitions, 0)
                && rule.pattern.matches(path, ignore_case)
            {
                return Some(state);
            }
        }
        None
    }
}

/// The state of `name` in a list, macros expanded; the last mention wins. Recursion ends at `DEEPEST_MACRO`.
fn find<'f, I>(
    states: &[(BString, AttributeState)],
    name: &BStr,
    definitions: &dyn Fn() -> I,
    depth: usize,
) -> Option<AttributeState>
where
    I: Iterator<Item = &'f AttributesFile>,
{
    for (mentioned, state) in states.iter().rev() {
        if mentioned == name {
            return Some(state.clone());
        }
        if *state == AttributeState::Set && depth < DEEPEST_MACRO {
            let defined =
                definitions().flat_map(|file| file.macros.iter().rev()).find(|m| m.name == *mentioned);
            let found = defined.and_then(|defined| find(&defined.states, name, definitions, depth + 1));
            if found.is_some() {
                return found;
            }
        }
    }
    None
}

impl Pattern {
    fn new(mut text: BString) -> Self {
        let is_folder = text.ends_with(b"/");
        if is_folder {
            text.pop();
        }
        let is_name = !text.contains(&b'/');
        if text.starts_with(b"/") {
            text.remove(0);
        }
        Pattern { text, is_name, is_folder }
    }

    fn matches(&self, path: &BStr, ignore_case: bool) -> bool {
        if self.is_folder {
            return false;
        }
        if self.is_name {
            let last = path.rfind_byte(b'/').map_or(0, |slash| slash + 1);
            return wildmatch(&self.text, &path[last..], Options { pathname: false, ignore_case });
        }
        wildmatch(&self.text, path, Options { pathname: true, ignore_case })
    }
}

/// The first word of `text`, and what follows it.
fn split_word(text: &[u8]) -> (&[u8], &[u8]) {
    text.split_at(text.find_byteset(b" \t\r").unwrap_or(text.len()))
}

fn parse_states(text: &[u8]) -> Vec<(BString, AttributeState)> {
    let words = text.split(|b| b" \t\r".contains(b)).filter(|word| !word.is_empty());
    words.filter_map(parse_state).collect()
}

/// Reads `name`, `-name`, `!name` or `name=value`; `None` when the name is none.
fn parse_state(word: &[u8]) -> Option<(BString, AttributeState)> {
    let (name, state) = match word.split_first()? {
        (b'-', name) => (name, AttributeState::Unset),
        (b'!', name) => (name, AttributeState::Unspecified),
        _ => match word.split_once_str("=") {
            Some((name, value)) => (name, AttributeState::Value(value.into())),
            None => (word, AttributeState::Set),
        },
    };
    is_name(name).then(|| (name.into(), state))
}

/// Whether `name` may be the name of an attribute.
fn is_name(name: &[u8]) -> bool {
    let fits = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
    !name.is_empty() && name[0] != b'-' && name.iter().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_bytes_are_read() {
        let text =
            b"\xef\xbb\xbf[attr]m a -b !c d=e\n\"q\\\"x\" m\n*.[ch m f=g=h -- =x\n[attr]-x y\n\"open\n";
        for cut in 0..=text.len() {
            let file = AttributesFile::parse(&text[..cut], true);
            let _ = file.state("q\"x".into(), "a".into(), false, &|| std::iter::once(&file));
        }
        let looped = AttributesFile::parse(b"[attr]a b\n[attr]b a\n* a\n", true);
        assert_eq!(looped.state("x".into(), "c".into(), false, &|| std::iter::once(&looped)), None);
    }
}
