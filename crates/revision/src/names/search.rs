//! `:/text` and `REV^{/text}`: the youngest commit whose message matches.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use adit_object::{Commit, IdSet, ObjectId, ObjectKind, SourceError};
use adit_text::posix_regex;
use bstr::ByteSlice;
use regex::bytes::Regex;

use super::{NameError, Names};

impl Names<'_> {
    /// The youngest match reachable from any reference.
    pub(super) fn search_everywhere(&self, pattern: &[u8]) -> Result<ObjectId, NameError> {
        let mut starts = Vec::new();
        let mut add = |id: ObjectId| -> Result<(), NameError> {
            if let Ok(Some((id, ObjectKind::Commit))) = self.follow_tags(&id) {
                starts.push(id);
            }
            Ok(())
        };
        let mut refs = self.refs.iter(b"")?;
        while let Some(entry) = refs.advance()? {
            if let Some(id) = self.refs.entry_id(&entry)? {
                add(id)?;
            }
        }
        if let Some(id) = self.refs.head()?.id() {
            add(id)?;
        }
        self.search(pattern, starts)
    }

    /// The youngest match reachable from `starts`.
    pub(super) fn search(&self, pattern: &[u8], starts: Vec<ObjectId>) -> Result<ObjectId, NameError> {
        let (wanted, pattern) = match pattern.strip_prefix(b"!") {
            None => (true, pattern),
            Some(rest) if rest.starts_with(b"!") => (true, rest),
            Some(rest) => (false, rest.strip_prefix(b"-").ok_or(NameError::Unknown)?),
        };
        let regex = compile(pattern).ok_or(NameError::Unknown)?;
        let mut queue = Queue { names: self, heap: BinaryHeap::new(), seen: IdSet::default(), count: 0 };
        for id in starts {
            queue.push(id)?;
        }
        while let Some((id, content)) = queue.pop() {
            let commit = Commit::parse(self.format(), &content)
                .map_err(|error| SourceError::Malformed { id, error })?;
            // Without an empty line there is no message to match.
            let body = content.find(b"\n\n").map(|at| &content[at + 2..]);
            if body.is_some_and(|body| regex.is_match(body) == wanted) {
                return Ok(id);
            }
            match self.settings.grafts.get(&id) {
                Some(parents) => parents.iter().try_for_each(|parent| queue.push(*parent))?,
                None => commit.parents().try_for_each(|parent| queue.push(parent))?,
            }
        }
        Err(NameError::Unknown)
    }
}

/// Commits, the youngest first, and of the same age the one that was found first.
struct Queue<'a, 'n> {
    names: &'a Names<'n>,
    heap: BinaryHeap<(u64, Reverse<u64>, ObjectId, Vec<u8>)>,
    seen: IdSet,
    count: u64,
}

impl Queue<'_, '_> {
    fn push(&mut self, id: ObjectId) -> Result<(), NameError> {
        if !self.seen.insert(id) {
            return Ok(());
        }
        let mut content = Vec::new();
        self.names.objects.read_kind(&id, ObjectKind::Commit, &mut content)?;
        let commit = Commit::parse(self.names.format(), &content)
            .map_err(|error| SourceError::Malformed { id, error })?;
        let date = commit.committer().and_then(|committer| committer.time()).map_or(0, |time| time.seconds);
        self.count += 1;
        self.heap.push((date, Reverse(self.count), id, content));
        Ok(())
    }

    fn pop(&mut self) -> Option<(ObjectId, Vec<u8>)> {
        self.heap.pop().map(|(_, _, id, content)| (id, content))
    }
}

fn compile(pattern: &[u8]) -> Option<Regex> {
    posix_regex::compile_text(pattern, posix_regex::Syntax::Extended, false).ok()
}
