//! Changes to the text of a configuration file that leave the rest of it as it is, byte for byte.
//!
//! All of them are pure: text in, text out. [`crate::file::update`] applies one to a file under its lock.

use std::ops::Range;

use bstr::{BStr, BString, ByteSlice};

use crate::lex::{BYTE_ORDER_MARK, Item, Lexer, Located, SyntaxError};
use crate::name::Name;

/// Which of several values of a name are meant.
pub type Filter<'f> = dyn Fn(Option<&BStr>) -> bool + 'f;

/// Why a text cannot be changed as asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// It is no configuration.
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    /// A line is so long that it is hardly meant, and is not rewritten.
    #[error("overly long line {0}")]
    LongLine(usize),
    /// The name has several such values where one was expected.
    #[error("there are several values")]
    Several,
    /// The name has no such value.
    #[error("there is no such value")]
    NotFound,
}

/// Sets the value of `name` that passes `filter`, or adds one when none does. With `all`, several such values become
/// one. `comment` follows the value on its line, as it is.
///
/// # Errors
/// [`EditError::Several`] without `all` when more than one value passes.
pub fn set(
    text: &[u8],
    name: &Name,
    value: &BStr,
    filter: &Filter<'_>,
    all: bool,
    comment: &BStr,
) -> Result<BString, EditError> {
    let file = File::read(text)?;
    let matching = file.matching(name, filter);
    if matching.len() > 1 && !all {
        return Err(EditError::Several);
    }
    let line = entry_line(name.key(), value, comment);
    if let Some((last, others)) = matching.split_last() {
        let mut edits: Vec<Edit> = others
            .iter()
            .map(|at| Edit { range: file.entry_range(*at), insert: BString::default() })
            .collect();
        edits.push(Edit { range: file.entry_range(*last), insert: line });
        return Ok(apply(text, &edits));
    }
    let (at, insert) = match file.end_of_section(&name.section_prefix()) {
        Some(at) => (at, line),
        None => (text.len(), [name.header().as_slice(), b"\n", &line].concat().into()),
    };
    Ok(apply(text, &[Edit { range: at..at, insert }]))
}

/// Removes the values of `name` that pass `filter`. A section that becomes empty goes too, unless a comment in it or
/// before it may be about it.
///
/// # Errors
/// [`EditError::NotFound`] when no value passes, [`EditError::Several`] without `all` when more than one does.
pub fn unset(text: &[u8], name: &Name, filter: &Filter<'_>, all: bool) -> Result<BString, EditError> {
    let file = File::read(text)?;
    let matching = file.matching(name, filter);
    match matching.len() {
        0 => return Err(EditError::NotFound),
        1 => {}
        _ if !all => return Err(EditError::Several),
        _ => {}
    }
    let mut edits: Vec<Edit> = Vec::new();
    for &at in &matching {
        let range = file.emptied_section(at, &matching).unwrap_or_else(|| file.entry_range(at));
        // The values of one emptied section share a range, and those of neighbours may touch.
        match edits.last_mut() {
            Some(last) if range.start < last.range.end => last.range.end = range.end.max(last.range.end),
            _ => edits.push(Edit { range, insert: BString::default() }),
        }
    }
    Ok(apply(text, &edits))
}

/// Gives the sections called `old` (with dots) the header `new`, or removes them; `None` when there are none.
///
/// # Errors
/// When the text is no configuration.
pub fn rename_section(text: &[u8], old: &BStr, new: Option<&BStr>) -> Result<Option<BString>, EditError> {
    /// What git takes a line to have at most.
    const LONGEST_LINE: usize = 512 << 10;
    if let Some(at) = text.lines().position(|line| line.len() >= LONGEST_LINE) {
        return Err(EditError::LongLine(at + 1));
    }
    let file = File::read(text)?;
    let mut edits = Vec::new();
    for (at, located) in file.items.iter().enumerate() {
        let Item::Section { .. } = &located.item else { continue };
        if !is_section_called(&text[located.span.clone()], old) {
            continue;
        }
        let start = line_start(text, located.span.start);
        // A header that does not start its line, if only for a byte order mark, is none to git here.
        if !text[start..located.span.start].iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let (end, insert) = match new {
            Some(new) => (located.span.end, renamed(text, new, located.span.end)),
            None => (file.next_header_line(at), BString::default()),
        };
        let end = if new.is_some() { skip_to_rest(text, end) } else { end };
        edits.push(Edit { range: start..end, insert });
    }
    if edits.is_empty() {
        return Ok(None);
    }
    let mut out = Vec::with_capacity(text.len() + 64);
    let mut done = 0;
    for Edit { range, insert } in &edits {
        out.extend_from_slice(&text[done..range.start]);
        out.extend_from_slice(insert);
        done = range.end;
    }
    out.extend_from_slice(&text[done..]);
    Ok(Some(out.into()))
}

/// Copies the sections called `old` (with dots), each to right behind itself, under the header `new`; `None` when there
/// are none.
///
/// # Errors
/// When the text is no configuration.
pub fn copy_section(text: &[u8], old: &BStr, new: &BStr) -> Result<Option<BString>, EditError> {
    let file = File::read(text)?;
    let mut out = Vec::with_capacity(text.len() + 64);
    let mut done = 0;
    for (at, located) in file.items.iter().enumerate() {
        let Item::Section { .. } = &located.item else { continue };
        if !is_section_called(&text[located.span.clone()], old) {
            continue;
        }
        let end = file.next_header_line(at);
        out.extend_from_slice(&text[done..end]);
        if out.last().is_some_and(|&byte| byte != b'\n') {
            out.push(b'\n');
        }
        out.extend_from_slice(&renamed(text, new, located.span.end));
        out.extend_from_slice(&text[skip_to_rest(text, located.span.end)..end]);
        done = end;
    }
    if done == 0 {
        return Ok(None);
    }
    out.extend_from_slice(&text[done..]);
    Ok(Some(out.into()))
}

/// The new header, and what keeps the rest of the line apart from it: the rest goes to a line of its own when there is
/// anything on it.
fn renamed(text: &[u8], header: &BStr, end: usize) -> BString {
    let mut new = header.to_owned();
    let rest = skip_to_rest(text, end);
    new.extend_from_slice(match text.get(rest) {
        // The last line is ended.
        None => b"\n",
        Some(b'\n') => b"",
        Some(_) => b"\n\t",
    });
    new
}

/// Skips blanks, and a carriage return that ends the line.
fn skip_to_rest(text: &[u8], at: usize) -> usize {
    let rest = skip_blanks(text, at);
    if text[rest..].starts_with(b"\r\n") { rest + 1 } else { rest }
}

fn skip_blanks(text: &[u8], at: usize) -> usize {
    at + text[at..].iter().take_while(|b| matches!(b, b' ' | b'\t')).count()
}

/// Whether a header, as it stands in the file, is that of the section `name` with dots. Capitals count here.
fn is_section_called(header: &[u8], name: &BStr) -> bool {
    let inner = header.trim_start_with(|c| c == '[').trim_end_with(|c| c == ']');
    let Some((section, quoted)) = inner.split_once_str("\"") else {
        return inner == name.as_bytes();
    };
    let Some(subsection) = quoted.strip_suffix(b"\"") else { return false };
    let mut spelt = section.trim_ascii_end().to_vec();
    spelt.push(b'.');
    let mut bytes = subsection.iter();
    while let Some(&byte) = bytes.next() {
        spelt.extend(if byte == b'\\' { bytes.next().copied() } else { Some(byte) });
    }
    spelt == name.as_bytes()
}

/// The line of an entry, in git's layout.
fn entry_line(key: &BStr, value: &BStr, comment: &BStr) -> BString {
    let mut line = BString::from("\t");
    line.extend_from_slice(key);
    line.extend_from_slice(b" = ");
    let needs_quotes = value.starts_with(b" ")
        || value.ends_with(b" ")
        || value.starts_with(b"\t")
        || value.iter().any(|b| matches!(b, b';' | b'#' | b'\r'));
    if needs_quotes {
        line.push(b'"');
    }
    for byte in value.bytes() {
        match byte {
            b'\n' => line.extend_from_slice(b"\\n"),
            b'\t' => line.extend_from_slice(b"\\t"),
            b'"' | b'\\' => line.extend_from_slice(&[b'\\', byte]),
            _ => line.push(byte),
        }
    }
    if needs_quotes {
        line.push(b'"');
    }
    line.extend_from_slice(comment);
    line.push(b'\n');
    line
}

struct Edit {
    range: Range<usize>,
    insert: BString,
}

/// Applies edits, which are in order. Text before a removed entry that does not end its line (a section header with
/// the entry behind it) gets a line of its own.
fn apply(text: &[u8], edits: &[Edit]) -> BString {
    let mut out = Vec::with_capacity(text.len() + 64);
    let mut done = 0;
    for Edit { range, insert } in edits {
        out.extend_from_slice(&text[done..range.start]);
        if out.last().is_some_and(|byte| *byte != b'\n') {
            out.push(b'\n');
        }
        out.extend_from_slice(insert);
        done = range.end;
    }
    out.extend_from_slice(&text[done..]);
    out.into()
}

fn line_start(text: &[u8], at: usize) -> usize {
    text[..at].rfind_byte(b'\n').map_or(0, |newline| newline + 1)
}

/// A file and what stands where in it.
struct File<'t> {
    text: &'t [u8],
    items: Vec<Located>,
}

impl<'t> File<'t> {
    fn read(text: &'t [u8]) -> Result<Self, EditError> {
        let items = Lexer::new(text).collect::<Result<_, _>>()?;
        Ok(File { text, items })
    }

    /// The items that are values of `name` and pass `filter`.
    fn matching(&self, name: &Name, filter: &Filter<'_>) -> Vec<usize> {
        let (prefix, key) = (name.section_prefix(), name.key().to_ascii_lowercase());
        let mut in_section = false;
        let mut found = Vec::new();
        for (at, located) in self.items.iter().enumerate() {
            match &located.item {
                Item::Section { prefix: current } => in_section = *current == prefix,
                Item::Entry { key: current, value } => {
                    if in_section && **current == key && filter(value.as_ref().map(|v| v.as_bstr())) {
                        found.push(at);
                    }
                }
            }
        }
        found
    }

    /// What goes when an entry is taken out: its lines, but not a section header before it on the first one.
    fn entry_range(&self, at: usize) -> Range<usize> {
        let span = &self.items[at].span;
        let before = self.text[..span.start].iter().rposition(|b| !matches!(b, b' ' | b'\t'));
        before.map_or(0, |at| at + 1)..span.end
    }

    /// Where a new entry of a section goes: after the last item of the last section of that name.
    fn end_of_section(&self, prefix: &BString) -> Option<usize> {
        let header = self.items.iter().rposition(|located| match &located.item {
            Item::Section { prefix: found } => {
                // In the old style of headers, `[a.b]`, capitals do not count here, though they do when names are looked up.
                let old_style = !self.text[located.span.clone()].contains(&b'"');
                found == prefix || (old_style && found.eq_ignore_ascii_case(prefix))
            }
            Item::Entry { .. } => false,
        })?;
        let last = self.last_of_section(header);
        let end = self.items[last].span.end;
        if last > header {
            return Some(end);
        }
        // After a bare header, its line is ended first.
        let blanks = skip_blanks(self.text, end);
        Some(match &self.text[blanks..] {
            [b'\n', ..] => blanks + 1,
            [b'\r', b'\n', ..] => blanks + 2,
            _ => end,
        })
    }

    /// The last item of the section whose header is at `header`.
    fn last_of_section(&self, header: usize) -> usize {
        let next = self.items[header + 1..].iter().position(|i| matches!(i.item, Item::Section { .. }));
        next.map_or(self.items.len(), |next| header + 1 + next) - 1
    }

    /// The line on which the section after the one at `header` starts; the end of the text when it is the last.
    fn next_header_line(&self, header: usize) -> usize {
        let next = self.items.get(self.last_of_section(header) + 1);
        next.map_or(self.text.len(), |next| line_start(self.text, next.span.start))
    }

    /// What goes when the entry at `at` and the others of `removed` leave its section empty: the section, in as many
    /// pieces as follow each other, with the empty lines around it. `None` when something remains or a comment stands by
    /// it.
    fn emptied_section(&self, at: usize, removed: &[usize]) -> Option<Range<usize>> {
        let header =
            self.items[..at].iter().rposition(|located| matches!(located.item, Item::Section { .. }))?;
        let same = |item: usize| match (&self.items[item].item, &self.items[header].item) {
            (Item::Section { prefix }, Item::Section { prefix: own }) => Some(prefix == own),
            _ => None,
        };
        let end_of = |item: usize| self.items[item].span.end;
        let start_of = |item: usize| self.items[item].span.start;
        // Between items there is only white space and comments.
        let mut first = at;
        let start = loop {
            let before = first.checked_sub(1);
            if has_comment(&self.text[before.map_or(0, end_of)..start_of(first)]) {
                return None;
            }
            match before.map(|before| (before, same(before))) {
                None => break if self.text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 },
                Some((before, Some(true))) => first = before,
                Some((before, None)) if removed.contains(&before) => first = before,
                Some((before, _)) if first <= header => break end_of(before),
                Some(_) => return None,
            }
        };
        let mut last = at;
        let end = loop {
            let after = Some(last + 1).filter(|after| *after < self.items.len());
            if has_comment(&self.text[end_of(last)..after.map_or(self.text.len(), start_of)]) {
                return None;
            }
            match after.map(|after| (after, same(after))) {
                None => break self.text.len(),
                Some((after, Some(true))) => last = after,
                Some((after, Some(false))) => break start_of(after),
                Some((after, None)) if removed.contains(&after) => last = after,
                Some(_) => return None,
            }
        };
        Some(start..end)
    }
}

fn has_comment(gap: &[u8]) -> bool {
    gap.iter().any(|b| matches!(b, b'#' | b';'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Name {
        Name::parse(text.into()).unwrap()
    }

    fn set_to(text: &str, variable: &str, value: &str) -> String {
        let set = set(text.as_bytes(), &name(variable), value.into(), &|_| true, true, "".into());
        set.unwrap().to_string()
    }

    fn without(text: &str, variable: &str) -> String {
        unset(text.as_bytes(), &name(variable), &|_| true, true).unwrap().to_string()
    }

    #[test]
    fn values_are_added_to_their_section() {
        for (before, after) in [
            ("", "[a]\n\tc = 2\n"),
            ("[x]\n\ty = 1", "[x]\n\ty = 1\n[a]\n\tc = 2\n"),
            ("[a]\n\tb = 1\n# comment\n\n[x]\n", "[a]\n\tb = 1\n\tc = 2\n# comment\n\n[x]\n"),
            ("[a]\n\tb = 1\n[A]\n[x]\n", "[a]\n\tb = 1\n[A]\n\tc = 2\n[x]\n"),
            ("[a] b = 1\n[x]\n", "[a] b = 1\n\tc = 2\n[x]\n"),
            ("[a]", "[a]\n\tc = 2\n"),
            ("[a.B]\n", "[a.B]\n[a]\n\tc = 2\n"),
            ("[a]\n# foo\n", "[a]\n\tc = 2\n# foo\n"),
            ("[a]\r\n\tb = 1\r\n[c]\r\n", "[a]\r\n\tb = 1\r\n\tc = 2\n[c]\r\n"),
        ] {
            assert_eq!(set_to(before, "a.c", "2"), after, "{before:?}");
        }
    }

    #[test]
    fn values_are_replaced_where_they_stand() {
        assert_eq!(set_to("[a]\n  B=1\\\n 2 ; x\n\tc = 3\n", "a.b", "2"), "[a]\n\tb = 2\n\tc = 3\n");
        assert_eq!(set_to("[a] b = 1 ; c\n", "a.b", "2"), "[a]\n\tb = 2\n");
        assert_eq!(set_to("[a]\nb = 1\nc = 1\nb = 2\n", "a.b", "3"), "[a]\nc = 1\n\tb = 3\n");
        let one = set(
            b"[a]\nb=1\nb=2\n",
            &name("a.b"),
            "3".into(),
            &|v| v == Some("1".into()),
            false,
            " # x".into(),
        );
        assert_eq!(one.unwrap(), "[a]\n\tb = 3 # x\nb=2\n");
        let several = set(b"[a]\nb=1\nb=2\n", &name("a.b"), "3".into(), &|_| true, false, "".into());
        assert_eq!(several, Err(EditError::Several));
    }

    #[test]
    fn values_are_quoted_when_they_must() {
        for (value, line) in [
            (" lead", "\" lead\""),
            ("trail ", "\"trail \""),
            ("x;y", "\"x;y\""),
            ("q\" \\ \t\n", "q\\\" \\\\ \\t\\n"),
            ("", ""),
        ] {
            let text = set_to("", "a.b", value);
            assert_eq!(text, format!("[a]\n\tb = {line}\n"));
        }
    }

    #[test]
    fn values_go_and_empty_sections_with_them() {
        for (before, after) in [
            ("[a]\nb = 1\n# x\nc = 1\nb = 2\n", "[a]\n# x\nc = 1\n"),
            ("[a]\nb = 1 # x\n[c]\nd=1\n", "[c]\nd=1\n"),
            ("[a]\n# x\nb = 1\n[c]\n", "[a]\n# x\n[c]\n"),
            ("# x\n[a]\nb = 1\n[c]\n", "# x\n[a]\n[c]\n"),
            ("[a] # x\nb = 1\n[c]\n", "[a] # x\n[c]\n"),
            ("[a] b = 1\nc=1\n", "[a]\nc=1\n"),
            ("[a]\nb=1\n[a]\nc=1\n", "[a]\n[a]\nc=1\n"),
            ("[a]\nb=1\n[a]\nb=2\n[z]\n", "[z]\n"),
            ("[a]\nb=1\n\n[b]\nc=1\n\n[a]\n\n\nb=2\n\n[d]\n", "[b]\nc=1\n[d]\n"),
            ("[a]\nb = 1", ""),
            ("[one]\nx=1\n[a]\n[a]\nb=1\n[A]\n[one]\n", "[one]\nx=1\n[one]\n"),
        ] {
            assert_eq!(without(before, "a.b"), after, "{before:?}");
        }
        assert_eq!(unset(b"[a]\n", &name("a.b"), &|_| true, true), Err(EditError::NotFound));
    }

    #[test]
    fn sections_are_copied_to_behind_themselves() {
        let copy = |text: &str, old: &str| {
            copy_section(text.as_bytes(), old.into(), "[n]".into()).unwrap().map(|text| text.to_string())
        };
        assert_eq!(
            copy("[a]\nb=1\n[c]\n[a] d=1\n", "a").unwrap(),
            "[a]\nb=1\n[n]\nb=1\n[c]\n[a] d=1\n[n]\n\td=1\n"
        );
        assert_eq!(copy("[a]", "a").unwrap(), "[a]\n[n]\n");
        assert_eq!(copy("[b]\n", "a"), None);
    }

    #[test]
    fn sections_are_renamed_and_removed() {
        let rename = |text: &str, old: &str, new: Option<&str>| {
            rename_section(text.as_bytes(), old.into(), new.map(BStr::new)).unwrap().map(|t| t.to_string())
        };
        let text = "[a]\nb=1\n[b \"x\"]\nc=1\n[a] d=1 # c\n";
        assert_eq!(
            rename(text, "a", Some("[n \"m\"]")).unwrap(),
            "[n \"m\"]\nb=1\n[b \"x\"]\nc=1\n[n \"m\"]\n\td=1 # c\n"
        );
        assert_eq!(rename(text, "b.x", None).unwrap(), "[a]\nb=1\n[a] d=1 # c\n");
        assert_eq!(rename("[a.b]\n", "a.b", Some("[n]")).unwrap(), "[n]\n");
        assert_eq!(rename(text, "q", None), None);
    }
}
