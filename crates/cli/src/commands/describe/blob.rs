//! Where a blob came into history.

use adit::Repository;
use adit_object::{Commit, EntryKind, IdSet, ObjectId, ObjectKind, Source, SourceError, Tree};
use adit_revision::{Tip, Walk, WalkOptions};
use bstr::BString;

use crate::error::Error;

/// The first commit of the history of `HEAD`, from its beginning, whose tree holds `blob`, and the path there.
pub(super) fn first_commit_with(
    repo: &Repository,
    blob: &ObjectId,
) -> Result<Option<(ObjectId, BString)>, Error> {
    let Some(head) = repo.refs()?.resolve(b"HEAD")? else {
        return Err(Error::fatal(format!("cannot search for blob '{blob}' on an unborn branch")));
    };
    if repo.objects()?.header(&head.id)?.kind != ObjectKind::Commit {
        return Ok(None);
    }
    let mut commits = Vec::new();
    let mut walk = Walk::new(repo.commit_table()?, &[Tip::included(head.id)], WalkOptions::default())?;
    while let Some(position) = walk.next()? {
        commits.push(walk.table().id(position));
    }
    let objects = repo.objects()?;
    let mut seen = IdSet::default();
    let mut content = Vec::new();
    for id in commits.into_iter().rev() {
        objects.read_kind(&id, ObjectKind::Commit, &mut content)?;
        let commit = Commit::parse(objects.format(), &content);
        let tree = commit.map_err(|error| SourceError::Malformed { id, error })?.tree();
        if let Some(path) = find(objects, &tree, blob, &mut seen)? {
            return Ok(Some((id, path)));
        }
    }
    Ok(None)
}

/// The path of `blob` in a tree, in trees that were not seen before.
fn find(
    objects: &dyn Source,
    tree: &ObjectId,
    blob: &ObjectId,
    seen: &mut IdSet,
) -> Result<Option<BString>, Error> {
    let mut pending = vec![(*tree, BString::default())];
    let mut content = Vec::new();
    while let Some((id, prefix)) = pending.pop() {
        if !seen.insert(id) {
            continue;
        }
        objects.read_kind(&id, ObjectKind::Tree, &mut content)?;
        let folders = pending.len();
        for entry in Tree::new(objects.format(), &content) {
            let entry = entry.map_err(|error| SourceError::Malformed { id, error })?;
            let mut path = prefix.clone();
            path.extend_from_slice(entry.name);
            let found = entry.id(objects.format());
            match entry.kind() {
                EntryKind::Tree => {
                    path.push(b'/');
                    pending.push((found, path));
                }
                EntryKind::File | EntryKind::Symlink if found == *blob => return Ok(Some(path)),
                _ => {}
            }
        }
        // Folders are looked into in their order.
        pending[folders..].reverse();
    }
    Ok(None)
}
