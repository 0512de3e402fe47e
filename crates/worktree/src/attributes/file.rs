//! One attributes file: its lines, and what they say of a path.

use adit_diff::pathspec::AttributeState;
use adit_text::quote::unquote_c;
use bstr::{BStr, BString, ByteSlice};

use super::names::{self, NameId, Names};
use super::{AttributesNotice, Source};
use crate::pattern::Pattern;

/// Longer lines are passed over, as git does.
const LONGEST_LINE: usize = 2048;

/// Attributes and their states, in the order of a line.
type States = Vec<(NameId, AttributeState)>;

/// The lines of a file that mean something.
#[derive(Debug, Default)]
pub(super) struct AttributesFile {
    rules: Vec<Rule>,
    macros: Vec<Macro>,
}

#[derive(Debug)]
struct Rule {
    pattern: Pattern,
    /// It ends in a slash, and matches only what is asked for as a folder.
    is_for_folders: bool,
    states: States,
}

#[derive(Debug)]
struct Macro {
    name: NameId,
    states: States,
}

/// Reads a file.
pub(super) struct Reader<'r> {
    pub(super) names: &'r mut Names,
    pub(super) notices: &'r mut Vec<AttributesNotice>,
    pub(super) source: &'r Source,
    /// Macros are defined in the files for the whole tree only.
    pub(super) macros: bool,
}

impl Reader<'_> {
    pub(super) fn read(mut self, content: &[u8]) -> AttributesFile {
        let mut file = AttributesFile::default();
        let content = content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(content);
        for (number, line) in content.lines().enumerate() {
            let number = number + 1;
            if line.len() >= LONGEST_LINE {
                self.notices.push(AttributesNotice::LongLine { number });
            } else {
                self.line(line.trim_ascii(), number, &mut file);
            }
        }
        file
    }

    fn line(&mut self, line: &[u8], number: usize, file: &mut AttributesFile) {
        if line.is_empty() || line[0] == b'#' {
            return;
        }
        if let Some(rest) = line.strip_prefix(b"[attr]") {
            let (name, states) = split_word(rest.trim_ascii_start());
            if !self.macros {
                self.notices
                    .push(AttributesNotice::MacroBelow { line: line.into(), place: self.place(number) });
            } else if !names::is_settable(name) {
                self.notices.push(AttributesNotice::BadName { name: name.into(), place: self.place(number) });
            } else {
                let name = self.names.intern(name);
                if let Some(states) = self.states(states, number) {
                    file.macros.push(Macro { name, states });
                }
            }
            return;
        }
        let (pattern, states) = match line.strip_prefix(b"\"") {
            // A line whose quote is not closed says nothing.
            Some(_) => match unquote_c(line) {
                Some((pattern, taken)) => (pattern, &line[taken..]),
                None => return,
            },
            None => {
                let (pattern, states) = split_word(line);
                (pattern.into(), states)
            }
        };
        let Some(states) = self.states(states, number) else { return };
        if pattern.starts_with(b"!") {
            self.notices.push(AttributesNotice::Negative);
            return;
        }
        let (is_for_folders, pattern) = match pattern.strip_suffix(b"/") {
            Some(folder) => (true, folder),
            None => (false, pattern.as_slice()),
        };
        file.rules.push(Rule { pattern: Pattern::new(pattern), is_for_folders, states });
    }

    fn place(&self, number: usize) -> BString {
        format!("{}:{number}", self.source.0).into()
    }

    /// Reads the states of a line; `None` when a name in it is none: git then passes over the whole line.
    fn states(&mut self, text: &[u8], number: usize) -> Option<States> {
        let words = || text.split(|b| b" \t\r".contains(b)).filter(|word| !word.is_empty()).map(parse_state);
        if let Some((name, _)) = words().find(|(name, _)| !names::is_settable(name)) {
            self.notices.push(AttributesNotice::BadName { name: name.into(), place: self.place(number) });
            return None;
        }
        Some(words().map(|(name, state)| (self.names.intern(name), state)).collect())
    }
}

impl AttributesFile {
    /// Lets the rules for `path`, which is seen from the file's folder, decide what is not decided yet; true once that
    /// is all which was asked for.
    pub(super) fn decide<'f>(
        &'f self,
        path: &BStr,
        name: usize,
        is_folder: bool,
        ignore_case: bool,
        decisions: &mut Decisions<'f, '_>,
    ) -> bool {
        self.rules.iter().rev().any(|rule| {
            (is_folder || !rule.is_for_folders)
                && rule.states.iter().any(|(name, _)| decisions.matters(*name))
                && rule.pattern.matches(path, name, ignore_case)
                && decisions.take(&rule.states)
        })
    }

    pub(super) fn has_macros(&self) -> bool {
        !self.macros.is_empty()
    }
}

/// What has been decided of a path, from the rules that win down to those that lose.
pub(super) struct Decisions<'f, 'w> {
    /// The attributes that are asked for; `None` for all.
    wanted: Option<&'w [NameId]>,
    open: usize,
    /// The files that define macros, those first whose definitions win.
    definitions: smallvec::SmallVec<[&'f AttributesFile; 4]>,
    /// Attributes that are asked for, and macros: once a macro is decided, later mentions do not expand it.
    decided: smallvec::SmallVec<[(NameId, &'f AttributeState); 8]>,
}

impl<'f, 'w> Decisions<'f, 'w> {
    pub(super) fn new(
        wanted: Option<&'w [NameId]>,
        definitions: impl Iterator<Item = &'f AttributesFile>,
    ) -> Self {
        let open = wanted.map_or(usize::MAX, |wanted| wanted.len());
        let definitions = definitions.filter(|file| file.has_macros()).collect();
        Decisions { wanted, open, definitions, decided: smallvec::SmallVec::new() }
    }

    /// The state of an attribute, once it is decided.
    pub(super) fn find(&self, name: NameId) -> Option<&'f AttributeState> {
        self.decided.iter().find_map(|(decided, state)| (*decided == name).then_some(*state))
    }

    /// All that is decided.
    pub(super) fn all(&self) -> impl Iterator<Item = (NameId, &'f AttributeState)> {
        self.decided.iter().copied()
    }

    fn definition(&self, name: NameId) -> Option<&'f Macro> {
        self.definitions.iter().flat_map(|file| file.macros.iter().rev()).find(|m| m.name == name)
    }

    fn is_wanted(&self, name: NameId) -> bool {
        self.wanted.is_none_or(|wanted| wanted.contains(&name))
    }

    fn matters(&self, name: NameId) -> bool {
        (self.is_wanted(name) || self.definition(name).is_some()) && self.find(name).is_none()
    }

    /// Takes what is not decided yet from a list, of which the last mention wins. A macro is expanded where it is decided,
    /// which happens once; true once all that was asked for is decided.
    fn take(&mut self, states: &'f States) -> bool {
        let mut lists: smallvec::SmallVec<[_; 4]> = smallvec::smallvec![states.iter().rev()];
        while let Some(list) = lists.last_mut() {
            let Some((name, state)) = list.next() else {
                lists.pop();
                continue;
            };
            if !self.matters(*name) {
                continue;
            }
            self.decided.push((*name, state));
            if self.is_wanted(*name) {
                self.open -= 1;
                if self.open == 0 {
                    return true;
                }
            }
            if *state == AttributeState::Set
                && let Some(defined) = self.definition(*name)
            {
                lists.push(defined.states.iter().rev());
            }
        }
        false
    }
}

/// The first word of `text`, and what follows it.
fn split_word(text: &[u8]) -> (&[u8], &[u8]) {
    text.split_at(text.find_byteset(b" \t\r").unwrap_or(text.len()))
}

/// Reads `name`, `-name`, `!name` or `name=value`. A value after `-` or `!` means nothing.
fn parse_state(word: &[u8]) -> (&[u8], AttributeState) {
    let (before, value) = match word.split_once_str("=") {
        Some((before, value)) => (before, Some(value)),
        None => (word, None),
    };
    match (before.split_first(), value) {
        (Some((b'-', name)), _) => (name, AttributeState::Unset),
        (Some((b'!', name)), _) => (name, AttributeState::Unspecified),
        (_, Some(value)) => (before, AttributeState::Value(value.into())),
        (_, None) => (before, AttributeState::Set),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(names: &mut Names, content: &[u8]) -> AttributesFile {
        let (mut notices, source) = (Vec::new(), Source("x".into()));
        Reader { names, notices: &mut notices, source: &source, macros: true }.read(content)
    }

    #[test]
    fn any_bytes_are_read() {
        let text =
            b"\xef\xbb\xbf[attr]m a -b !c d=e\n\"q\\\"x\" m\n*.[ch m f=g=h -- =x\n[attr]-x y\n\"open\n";
        for cut in 0..=text.len() {
            let mut names = Names::default();
            let file = read(&mut names, &text[..cut]);
            let wanted = [names.intern(b"a")];
            let mut decisions = Decisions::new(Some(&wanted), [&file].into_iter());
            file.decide("q\"x".into(), 0, false, false, &mut decisions);
        }
        let mut names = Names::default();
        let looped = read(&mut names, b"[attr]a b\n[attr]b a\n* a\n");
        let wanted = [names.intern(b"c")];
        let mut decisions = Decisions::new(Some(&wanted), [&looped].into_iter());
        assert!(!looped.decide("x".into(), 0, false, false, &mut decisions));
        assert_eq!(decisions.find(wanted[0]), None);
    }
}
