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
            if let (true, true, Some(states)) = (macros, is_name(name), parse_states(states)) {
                self.macros.push(Macro { name: name.into(), states });
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
        if let Some(states) = parse_states(states) {
            self.rules.push(Rule { pattern: Pattern::new(pattern), states });
        }
    }

    /// Lets the rules for `path`, which is seen from the file's folder, decide what is not decided yet; true once that
    /// is the attribute which was asked for.
    pub(super) fn decide<'f>(
        &'f self,
        path: &BStr,
        ignore_case: bool,
        decisions: &mut Decisions<'f>,
    ) -> bool {
        self.rules.iter().rev().any(|rule| {
            rule.states.iter().any(|(name, _)| decisions.matters(name.as_bstr()))
                && rule.pattern.matches(path, ignore_case)
                && decisions.take(&rule.states, 0)
        })
    }
}

/// What has been decided of a path on the way to one attribute, from the rules that win down to those that lose.
pub(super) struct Decisions<'f> {
    wanted: &'f BStr,
    /// The files that may define macros, those first whose definitions win.
    definitions: Vec<&'f AttributesFile>,
    /// The wanted attribute and the macros: once a macro is decided, later mentions do not expand it.
    decided: Vec<(&'f BStr, &'f AttributeState)>,
}

impl<'f> Decisions<'f> {
    pub(super) fn new(wanted: &'f BStr, definitions: Vec<&'f AttributesFile>) -> Self {
        Decisions { wanted, definitions, decided: Vec::new() }
    }

    /// The state of the attribute that was asked for, once it is decided.
    pub(super) fn answer(&self) -> Option<&'f AttributeState> {
        self.find(self.wanted)
    }

    fn find(&self, name: &BStr) -> Option<&'f AttributeState> {
        self.decided.iter().find_map(|(decided, state)| (*decided == name).then_some(*state))
    }

    fn definition(&self, name: &BStr) -> Option<&'f Macro> {
        self.definitions.iter().flat_map(|file| file.macros.iter().rev()).find(|m| m.name == name)
    }

    fn matters(&self, name: &BStr) -> bool {
        name == self.wanted || self.definition(name).is_some()
    }

    /// Takes what is not decided yet from a list, of which the last mention wins. Recursion ends at `DEEPEST_MACRO`.
    fn take(&mut self, states: &'f [(BString, AttributeState)], depth: usize) -> bool {
        for (name, state) in states.iter().rev() {
            let name = name.as_bstr();
            if !self.matters(name) || self.find(name).is_some() {
                continue;
            }
            self.decided.push((name, state));
            if name == self.wanted {
                return true;
            }
            if *state == AttributeState::Set
                && depth < DEEPEST_MACRO
                && let Some(defined) = self.definition(name)
                && self.take(&defined.states, depth + 1)
            {
                return true;
            }
        }
        false
    }
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

/// Reads the states of a line; `None` when a name in it is none: git then passes over the whole line.
fn parse_states(text: &[u8]) -> Option<Vec<(BString, AttributeState)>> {
    let words = text.split(|b| b" \t\r".contains(b)).filter(|word| !word.is_empty());
    words.map(parse_state).collect()
}

/// Reads `name`, `-name`, `!name` or `name=value`; `None` when the name is none. A value after `-` or `!` means nothing.
fn parse_state(word: &[u8]) -> Option<(BString, AttributeState)> {
    let (before, value) = match word.split_once_str("=") {
        Some((before, value)) => (before, Some(value)),
        None => (word, None),
    };
    let (name, state) = match (before.split_first(), value) {
        (Some((b'-', name)), _) => (name, AttributeState::Unset),
        (Some((b'!', name)), _) => (name, AttributeState::Unspecified),
        (_, Some(value)) => (before, AttributeState::Value(value.into())),
        (_, None) => (before, AttributeState::Set),
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
            let mut decisions = Decisions::new("a".into(), vec![&file]);
            file.decide("q\"x".into(), false, &mut decisions);
        }
        let looped = AttributesFile::parse(b"[attr]a b\n[attr]b a\n* a\n", true);
        let mut decisions = Decisions::new("c".into(), vec![&looped]);
        assert!(!looped.decide("x".into(), false, &mut decisions));
        assert_eq!(decisions.answer(), None);
    }
}
