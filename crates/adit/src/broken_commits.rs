//! Commits that cannot be read in full, because something they lead to is missing (git-reflog, `--stale-fix`).

use adit_object::{Commit, EntryKind, IdMap, IdSet, ObjectId, ObjectKind, Source, Tag, Tree};
use adit_refs::Target;
use adit_revision::{Tip, Walk, WalkOptions};

use crate::{OpenError, Repository};

/// Tells which objects lead to something that is missing. What a reference leads to is taken to be whole.
pub(crate) struct BrokenCommits<'r> {
    repo: &'r Repository,
    whole: IdSet,
    known: IdMap<bool>,
}

impl<'r> BrokenCommits<'r> {
    /// Walks the history of all references.
    pub(crate) fn new(repo: &'r Repository) -> Result<Self, OpenError> {
        let mut tips = Vec::new();
        let mut refs = repo.refs()?.iter(b"")?;
        while let Some(entry) = refs.advance()? {
            if let Target::Direct(id) = &entry.target
                && let Ok(Some(commit)) = repo.peel(id, ObjectKind::Commit)
            {
                tips.push(Tip::included(commit));
            }
        }
        if let Some(head) = repo.refs()?.head()?.id() {
            tips.push(Tip::included(head));
        }
        let mut whole = IdSet::default();
        let mut walk = Walk::new(repo.commit_table()?, &tips, WalkOptions::default())?;
        while let Some(position) = walk.next()? {
            whole.insert(walk.table().id(position));
        }
        Ok(BrokenCommits { repo, whole, known: IdMap::default() })
    }

    /// Whether `id`, or anything that it leads to, is missing.
    pub(crate) fn is_broken(&mut self, id: &ObjectId) -> Result<bool, OpenError> {
        if let Some(known) = self.known.get(id) {
            return Ok(*known);
        }
        let mut seen = IdSet::default();
        let mut queue = vec![(*id, None)];
        let mut broken = false;
        let mut content = Vec::new();
        while let Some((id, kind)) = queue.pop() {
            if self.whole.contains(&id) || !seen.insert(id) {
                continue;
            }
            if !self.read(&id, kind, &mut content, &mut queue)? {
                broken = true;
                break;
            }
        }
        if !broken {
            self.whole.extend(seen);
        }
        self.known.insert(*id, broken);
        Ok(broken)
    }

    /// Queues what `id` leads to; false when it is not there or makes no sense.
    fn read(
        &self,
        id: &ObjectId,
        kind: Option<ObjectKind>,
        content: &mut Vec<u8>,
        queue: &mut Vec<(ObjectId, Option<ObjectKind>)>,
    ) -> Result<bool, OpenError> {
        let objects = self.repo.objects()?;
        if kind == Some(ObjectKind::Blob) {
            return Ok(objects.try_header(id)?.is_some());
        }
        let Some(kind) = objects.try_read(id, content)? else { return Ok(false) };
        match kind {
            ObjectKind::Blob => {}
            ObjectKind::Commit => {
                let Ok(commit) = Commit::parse(id.format(), content) else { return Ok(false) };
                queue.push((commit.tree(), Some(ObjectKind::Tree)));
                queue.extend(commit.parents().map(|parent| (parent, None)));
            }
            ObjectKind::Tag => {
                let Ok(tag) = Tag::parse(id.format(), content) else { return Ok(false) };
                queue.push((tag.target(), None));
            }
            ObjectKind::Tree => {
                for entry in Tree::new(id.format(), content) {
                    let Ok(entry) = entry else { return Ok(false) };
                    match entry.kind() {
                        EntryKind::Gitlink => {}
                        EntryKind::Tree => queue.push((entry.id(id.format()), Some(ObjectKind::Tree))),
                        _ => queue.push((entry.id(id.format()), Some(ObjectKind::Blob))),
                    }
                }
            }
        }
        Ok(true)
    }
}
