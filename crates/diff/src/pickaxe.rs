//! Pickaxe: keeping only the pairs that change how often something occurs ('diffcore-pickaxe' in gitdiffcore).

use std::sync::RwLock;

use adit_object::{IdMap, IdSet, ObjectId};
use adit_text::posix_regex::{PatternError, Syntax, compile};
use bstr::ByteSlice;
use memchr::memmem;
use regex::bytes::Regex;

use crate::contents::{Contents, is_binary};
use crate::diffcore::{Error, Options};
use crate::lines;
use crate::programs::{self, Texts};
use crate::{FilePair, Side};

/// What to look for.
#[derive(Debug)]
pub enum Pickaxe {
    /// `-S`: pairs whose sides hold it a different number of times.
    Occurrences(Box<Counter>),
    /// `-G`: pairs with a removed or added line that matches.
    ChangedLines {
        /// What a line must match.
        regex: Regex,
        /// Look into binary files too (`--text`).
        text: bool,
    },
    /// `--find-object`: pairs that have one of these on a side.
    Objects(IdSet),
}

impl Pickaxe {
    /// `-G<pattern>`
    pub fn changed_lines(pattern: &[u8], ignore_case: bool, text: bool) -> Result<Self, PatternError> {
        Ok(Pickaxe::ChangedLines { regex: compile(pattern, Syntax::Extended, ignore_case)?, text })
    }
}

/// What `-S` counts.
#[derive(Debug)]
enum Needle {
    Text(Box<memmem::Finder<'static>>),
    Pattern(Regex),
}

/// Counts how often something occurs in blobs, each distinct blob once, however many commits touch it. Can be shared by
/// threads, and filled ahead by a bulk read of all the blobs that a history touches.
#[derive(Debug)]
pub struct Counter {
    needle: Needle,
    counts: RwLock<IdMap<u64>>,
}

impl Counter {
    /// Counts a text (`-S<text>`).
    pub fn text(text: &[u8], ignore_case: bool) -> Result<Self, PatternError> {
        let needle = if ignore_case {
            Needle::Pattern(compile(text, Syntax::Fixed, true)?)
        } else {
            Needle::Text(Box::new(memmem::Finder::new(text).into_owned()))
        };
        Ok(Counter { needle, counts: RwLock::default() })
    }

    /// Counts what an extended regular expression matches (`--pickaxe-regex`).
    pub fn pattern(pattern: &[u8], ignore_case: bool) -> Result<Self, PatternError> {
        let needle = Needle::Pattern(compile(pattern, Syntax::Extended, ignore_case)?);
        Ok(Counter { needle, counts: RwLock::default() })
    }

    /// How often it occurs in `content`, overlaps not counted.
    pub fn count_in(&self, content: &[u8]) -> u64 {
        match &self.needle {
            Needle::Text(finder) => finder.find_iter(content).count() as u64,
            Needle::Pattern(regex) => regex.find_iter(content).count() as u64,
        }
    }

    /// Notes the count of a blob whose content the caller has at hand.
    pub fn fill(&self, id: ObjectId, content: &[u8]) {
        let count = self.count_in(content);
        if let Ok(mut counts) = self.counts.write() {
            counts.insert(id, count);
        }
    }

    /// The count of a blob, when it is known already.
    pub fn known(&self, id: &ObjectId) -> Option<u64> {
        self.counts.read().ok()?.get(id).copied()
    }

    /// How often it occurs on a side.
    fn count(
        &self,
        side: &Side,
        contents: &dyn Contents,
        texts: Option<&Texts>,
        buffer: &mut Vec<u8>,
    ) -> Result<u64, Error> {
        if !side.exists() {
            return Ok(0);
        }
        if let Some(texts) = texts
            && read_text(side, contents, texts, buffer)?
        {
            return Ok(self.count_in(buffer));
        }
        // A submodule's id names no blob, but stands in its line all the same.
        let key = (!side.id.is_null() && !is_gitlink(side)).then_some(side.id);
        let known = key.and_then(|id| self.counts.read().ok()?.get(&id).copied());
        if let Some(count) = known {
            return Ok(count);
        }
        contents.read(side, buffer)?;
        let count = self.count_in(buffer);
        if let (Some(id), Ok(mut counts)) = (key, self.counts.write()) {
            counts.insert(id, count);
        }
        Ok(count)
    }
}

/// Puts the text that a program makes of a side into `out`, if there is one for it; tells whether that was so.
fn read_text(side: &Side, contents: &dyn Contents, texts: &Texts, out: &mut Vec<u8>) -> Result<bool, Error> {
    let driver = texts.attributes.driver(side.path.as_bstr());
    if driver.as_ref().is_none_or(|driver| driver.textconv.is_none()) {
        return Ok(false);
    }
    let mut content = Vec::new();
    contents.read(side, &mut content)?;
    Ok(programs::text_of(&*texts.program, driver.as_deref(), side, &content, out)?)
}

fn is_gitlink(side: &Side) -> bool {
    side.kind() == Some(adit_object::EntryKind::Gitlink)
}

fn is_tree(side: &Side) -> bool {
    side.kind() == Some(adit_object::EntryKind::Tree)
}

/// Buffers that are kept between pairs.
#[derive(Debug, Default)]
pub struct Scratch {
    old: Vec<u8>,
    new: Vec<u8>,
    workspace: lines::Workspace,
    changes: Vec<lines::Change>,
}

impl Pickaxe {
    /// Drops the pairs that do not match; with `--pickaxe-all`, none if one matches.
    pub fn apply(
        &self,
        pairs: &mut Vec<FilePair>,
        contents: &dyn Contents,
        options: &Options,
        scratch: &mut Scratch,
    ) -> Result<(), Error> {
        if options.pickaxe_all {
            for pair in pairs.iter() {
                if self.matches(pair, contents, options, scratch)? {
                    return Ok(());
                }
            }
            pairs.clear();
            return Ok(());
        }
        let mut failure = None;
        pairs.retain(|pair| match self.matches(pair, contents, options, scratch) {
            Ok(matches) => matches && failure.is_none(),
            Err(error) => {
                failure.get_or_insert(error);
                false
            }
        });
        failure.map_or(Ok(()), Err)
    }

    fn matches(
        &self,
        pair: &FilePair,
        contents: &dyn Contents,
        options: &Options,
        scratch: &mut Scratch,
    ) -> Result<bool, Error> {
        if let Pickaxe::Objects(ids) = self {
            let has = |side: &Side| side.exists() && ids.contains(&side.id);
            return Ok(has(&pair.old) || has(&pair.new));
        }
        let same = pair.old.id == pair.new.id && pair.old.exists() == pair.new.exists();
        if (same && !pair.old.id.is_null()) || is_tree(&pair.old) || is_tree(&pair.new) {
            return Ok(false);
        }
        let texts = options.texts.as_ref();
        match self {
            Pickaxe::Occurrences(counter) => {
                let old = counter.count(&pair.old, contents, texts, &mut scratch.old)?;
                Ok(old != counter.count(&pair.new, contents, texts, &mut scratch.old)?)
            }
            Pickaxe::ChangedLines { regex, text } => {
                let mut is_text = true;
                for (side, out) in [(&pair.old, &mut scratch.old), (&pair.new, &mut scratch.new)] {
                    let is_made = texts.map_or(Ok(false), |texts| read_text(side, contents, texts, out))?;
                    if !is_made {
                        contents.read(side, out)?;
                        is_text &= !is_binary(out);
                    }
                }
                Ok((is_text || *text) && changed_line_matches(pair, regex, &options.lines, scratch))
            }
            Pickaxe::Objects(_) => Ok(false),
        }
    }
}

fn changed_line_matches(
    pair: &FilePair,
    regex: &Regex,
    options: &lines::Options,
    scratch: &mut Scratch,
) -> bool {
    let Scratch { old, new, workspace, changes } = scratch;
    match (pair.old.exists(), pair.new.exists()) {
        (false, _) => return regex.is_match(new),
        (_, false) => return regex.is_match(old),
        _ => {}
    }
    // Where neither side matches at all, no line does.
    if !regex.is_match(old) && !regex.is_match(new) {
        return false;
    }
    if lines::diff(old, new, options, workspace, changes).is_err() {
        return false;
    }
    let matches = |text: &[u8]| text.lines().any(|line| regex.is_match(line));
    changes.iter().any(|change| matches(change.old.of(old)) || matches(change.new.of(new)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn occurrences_do_not_overlap() {
        assert_eq!(Counter::text(b"aa", false).unwrap().count_in(b"aaaaa aa"), 3);
        assert_eq!(Counter::text(b"A.", true).unwrap().count_in(b"a.A.ab"), 2);
        assert_eq!(Counter::pattern(b"a+b?", false).unwrap().count_in(b"aab a b"), 2);
    }
}
