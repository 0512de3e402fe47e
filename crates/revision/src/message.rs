//! Choosing commits by what their author, committer and message lines say (`--author`, `--committer`, `--grep`),
//! and changes of references by what their logs say (`--grep-reflog`).

use std::sync::Arc;

use adit_text::posix_regex::{self, PatternError, Syntax};
use bstr::{BString, ByteSlice};
use regex::bytes::Regex;

/// Maps a name and address to those they stand for.
pub type IdentMap = Arc<dyn Fn(&[u8], &[u8]) -> Option<(BString, BString)> + Send + Sync>;

/// What is asked of the lines of a commit.
#[derive(Clone, Default)]
pub struct MessageFilter {
    authors: Vec<Regex>,
    committers: Vec<Regex>,
    messages: Vec<Regex>,
    reflogs: Vec<Regex>,
    all_match: bool,
    invert: bool,
    idents: Option<IdentMap>,
}

impl std::fmt::Debug for MessageFilter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MessageFilter")
            .field("authors", &self.authors)
            .field("committers", &self.committers)
            .field("messages", &self.messages)
            .field("reflogs", &self.reflogs)
            .field("all_match", &self.all_match)
            .field("invert", &self.invert)
            .finish_non_exhaustive()
    }
}

/// Patterns as they were given.
#[derive(Debug, Clone, Default)]
pub struct MessagePatterns {
    /// `--author`: any of them.
    pub authors: Vec<BString>,
    /// `--committer`: any of them.
    pub committers: Vec<BString>,
    /// `--grep`: any of them, or all with `all_match`.
    pub messages: Vec<BString>,
    /// `--grep-reflog`: any of them.
    pub reflogs: Vec<BString>,
    /// How they are written.
    pub syntax: Syntax,
    /// `-i`.
    pub ignore_case: bool,
    /// `--all-match`.
    pub all_match: bool,
    /// `--invert-grep`.
    pub invert: bool,
}

impl MessagePatterns {
    /// Whether nothing is asked.
    pub fn is_empty(&self) -> bool {
        [&self.authors, &self.committers, &self.messages, &self.reflogs].iter().all(|list| list.is_empty())
    }
}

/// A pattern that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{origin}, '{pattern}': {error}")]
pub struct BadPattern {
    /// Where it comes from, as git calls it: `header` for people, `command line` for messages.
    pub origin: &'static str,
    /// The pattern.
    pub pattern: BString,
    /// What is wrong with it.
    pub error: PatternError,
}

impl MessageFilter {
    /// Compiles the patterns. `idents` changes names and addresses before they are matched, as a mailmap does.
    pub fn new(patterns: &MessagePatterns, idents: Option<IdentMap>) -> Result<Self, BadPattern> {
        let compile = |list: &[BString], origin: &'static str| -> Result<Vec<Regex>, BadPattern> {
            list.iter()
                .map(|pattern| {
                    posix_regex::compile(pattern, patterns.syntax, patterns.ignore_case)
                        .map_err(|error| BadPattern { origin, pattern: pattern.clone(), error })
                })
                .collect()
        };
        Ok(MessageFilter {
            authors: compile(&patterns.authors, "header")?,
            committers: compile(&patterns.committers, "header")?,
            messages: compile(&patterns.messages, "command line")?,
            reflogs: compile(&patterns.reflogs, "header")?,
            all_match: patterns.all_match,
            invert: patterns.invert,
            idents,
        })
    }

    /// Whether a commit's content passes, and what the log says of the change to it, where it stands for one.
    pub fn matches(&self, content: &[u8], change: Option<&[u8]>) -> bool {
        let (header, message) = match content.find(b"\n\n") {
            Some(at) => (&content[..at + 1], &content[at + 2..]),
            None => (content, &[][..]),
        };
        self.matches_ident(header, b"author ", &self.authors)
            && self.matches_ident(header, b"committer ", &self.committers)
            && self.matches_message(message)
            && self.matches_change(change.unwrap_or_default())
    }

    fn matches_change(&self, message: &[u8]) -> bool {
        self.reflogs.is_empty() || self.reflogs.iter().any(|pattern| pattern.is_match(message))
    }

    fn matches_ident(&self, header: &[u8], keyword: &[u8], patterns: &[Regex]) -> bool {
        if patterns.is_empty() {
            return true;
        }
        let Some(line) = header.lines().find_map(|line| line.strip_prefix(keyword)) else { return false };
        // The date is not searched.
        let ident = line.rfind_byte(b'>').map_or(line, |at| &line[..=at]);
        let mapped = self.idents.as_ref().and_then(|map| map_ident(map, ident));
        let ident = mapped.as_ref().map_or(ident, |mapped| mapped.as_bytes());
        patterns.iter().any(|pattern| pattern.is_match(ident))
    }

    fn matches_message(&self, message: &[u8]) -> bool {
        if self.messages.is_empty() {
            return true;
        }
        let mut hits = self.messages.iter().map(|pattern| matches_a_line(pattern, message));
        let hit = if self.all_match { hits.all(|hit| hit) } else { hits.any(|hit| hit) };
        hit != self.invert
    }
}

/// Whether a line of `text` matches, the end of the last line being no line of its own.
fn matches_a_line(pattern: &Regex, text: &[u8]) -> bool {
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    // No line matches if the whole does not; what matches in the whole may run over a line's end.
    pattern.is_match(text) && text.lines().any(|line| pattern.is_match(line))
}

fn map_ident(map: &IdentMap, ident: &[u8]) -> Option<BString> {
    let open = ident.find_byte(b'<')?;
    let close = open + ident[open..].find_byte(b'>')?;
    let name = ident[..open].trim_ascii_end();
    let (name, email) = map(name, &ident[open + 1..close])?;
    let mut mapped = name;
    mapped.extend_from_slice(b" <");
    mapped.extend_from_slice(&email);
    mapped.push(b'>');
    Some(mapped)
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMIT: &[u8] = b"tree x\nauthor A U Thor <a@example.com> 1 +0000\n\
        committer C O Mitter <c@example.com> 2 +0000\n\nFix the thing\n\nauthor of all\nsecond line\n";

    fn matches(patterns: MessagePatterns) -> bool {
        MessageFilter::new(&patterns, None).unwrap().matches(COMMIT, None)
    }

    fn list(patterns: &[&str]) -> Vec<BString> {
        patterns.iter().map(|&pattern| pattern.into()).collect()
    }

    #[test]
    fn authors_committers_and_messages_must_all_match() {
        let patterns = |author: &[&str], grep: &[&str]| MessagePatterns {
            authors: list(author),
            messages: list(grep),
            ..MessagePatterns::default()
        };
        assert!(matches(patterns(&["^A U", "nobody"], &["thing$"])));
        assert!(!matches(patterns(&["nobody"], &["thing$"])));
        assert!(!matches(patterns(&["^A U"], &["C O Mitter"])));
        assert!(matches(patterns(&["com>$"], &[])));
        assert!(!matches(patterns(&["+0000"], &[])));
        assert!(matches(MessagePatterns { all_match: true, ..patterns(&[], &["Fix", "second"]) }));
        assert!(!matches(MessagePatterns { all_match: true, ..patterns(&[], &["Fix", "third"]) }));
        assert!(!matches(MessagePatterns { invert: true, ..patterns(&[], &["Fix"]) }));
        assert!(matches(MessagePatterns { ignore_case: true, ..patterns(&[], &["fix THE"]) }));
    }

    #[test]
    fn names_are_mapped_before_they_are_matched() {
        let map: IdentMap = Arc::new(|_, email| Some(("New Name".into(), email.into())));
        let patterns = MessagePatterns { authors: list(&["^New Name <a@"]), ..MessagePatterns::default() };
        assert!(MessageFilter::new(&patterns, Some(map)).unwrap().matches(COMMIT, None));
    }
}
