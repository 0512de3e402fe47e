//! `REV:path`: what lies at a path of a tree, with or without following symbolic links.

use adit_object::{EntryKind, ObjectId, ObjectKind, SourceError, Tree};
use bstr::{BStr, BString, ByteSlice};

use super::{NameError, Names, Want};

/// What a name leads to, with where it was found when it names a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathEntry {
    /// The object.
    pub id: ObjectId,
    /// The mode of the tree entry; `None` when the name has no path.
    pub mode: Option<u32>,
    /// The path from the top of the tree.
    pub path: Option<BString>,
}

/// What came of following a path through symbolic links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Followed {
    /// It leads to an object of the tree.
    Found(PathEntry),
    /// It leads out of the tree: this path, absolute or relative to the tree's top.
    Outside(BString),
    /// A link leads to something that is not there.
    Dangling,
    /// Links lead round in a circle, or through too many others.
    Loop,
    /// A part of the path before the last is no folder.
    NotFolder,
    /// Nothing is at the path itself.
    Missing,
}

/// So many links may be followed for one path.
const MOST_LINKS: usize = 40;

impl Names<'_> {
    /// The object that `name` means, and where it lies when the name has a path.
    pub fn resolve_entry(&self, name: &[u8], want: Want) -> Result<PathEntry, NameError> {
        match self.resolve_plain(name, want) {
            Err(NameError::Unknown) => {}
            found => return found.map(|id| PathEntry { id, mode: None, path: None }),
        }
        if let Some(rest) = name.strip_prefix(b":") {
            // What starts like a pathspec is none of the index's paths.
            if rest.is_empty() || matches!(rest[0], b'(' | b'!' | b'^') {
                return Err(NameError::Unknown);
            }
            let Some(pattern) = rest.strip_prefix(b"/") else { return Err(index_refused(name)) };
            if pattern.is_empty() {
                return Err(NameError::Unknown);
            }
            let id = self.search_everywhere(pattern)?;
            return Ok(PathEntry { id, mode: None, path: None });
        }
        let colon = path_start(name).ok_or(NameError::Unknown)?;
        let (rev, path) = (&name[..colon], &name[colon + 1..]);
        let tree = self.resolve_plain(rev, Want::Treeish)?;
        let path = self.absolute_path(path)?;
        let (id, mode) = self.entry_at(&tree, &path)?.ok_or(NameError::Unknown)?;
        Ok(PathEntry { id, mode: Some(mode), path: Some(path) })
    }

    /// Like [`Names::resolve_entry`] for `REV:path`, following symbolic links within the tree.
    pub fn resolve_following(&self, name: &[u8]) -> Result<Followed, NameError> {
        match self.resolve_plain(name, Want::Any) {
            Err(NameError::Unknown) => {}
            found => return found.map(|id| Followed::Found(PathEntry { id, mode: None, path: None })),
        }
        if name.starts_with(b":") {
            return self.resolve_entry(name, Want::Any).map(Followed::Found);
        }
        let colon = path_start(name).ok_or(NameError::Unknown)?;
        let tree = self.resolve_plain(&name[..colon], Want::Treeish)?;
        self.follow_links(&tree, self.absolute_path(&name[colon + 1..])?)
    }

    /// A path as the tree has it: one that starts with `./` or `../` is relative to the working directory.
    pub(super) fn absolute_path(&self, path: &[u8]) -> Result<BString, NameError> {
        if !path.starts_with(b"./") && !path.starts_with(b"../") {
            return Ok(path.into());
        }
        let prefix = self
            .prefix
            .ok_or_else(|| NameError::refused("relative path syntax can't be used outside working tree"))?;
        let mut parts: Vec<&[u8]> = prefix.split(|&b| b == b'/').filter(|part| !part.is_empty()).collect();
        for part in path.split(|&b| b == b'/') {
            match part {
                b"" | b"." => {}
                b".." => {
                    if parts.pop().is_none() {
                        let top = &self.settings.work_tree;
                        let text = format!("'{}' is outside repository at '{top}'", path.as_bstr());
                        return Err(NameError::refused(text));
                    }
                }
                part => parts.push(part),
            }
        }
        Ok(parts.join(&b'/').into())
    }

    /// The entry at `path` in the tree that `treeish` leads to; the tree itself for an empty path.
    pub(super) fn entry_at(
        &self,
        treeish: &ObjectId,
        path: &[u8],
    ) -> Result<Option<(ObjectId, u32)>, NameError> {
        let Some(mut tree) = self.tree_of(treeish)? else { return Ok(None) };
        let mut mode = TREE_MODE;
        let mut buffer = Vec::new();
        let mut rest = path;
        while !rest.is_empty() {
            if EntryKind::of_mode(mode) != EntryKind::Tree {
                return Ok(None);
            }
            let (part, after) = match rest.find_byte(b'/') {
                Some(slash) => (&rest[..slash], &rest[slash + 1..]),
                None => (rest, &b""[..]),
            };
            match self.entry_in(&tree, part, &mut buffer)? {
                Some(found) => (tree, mode) = found,
                None => return Ok(None),
            }
            if after.is_empty() && rest.ends_with(b"/") && EntryKind::of_mode(mode) != EntryKind::Tree {
                return Ok(None);
            }
            rest = after;
        }
        Ok(Some((tree, mode)))
    }

    fn entry_in(
        &self,
        tree: &ObjectId,
        name: &[u8],
        buffer: &mut Vec<u8>,
    ) -> Result<Option<(ObjectId, u32)>, NameError> {
        match self.objects.try_read(tree, buffer)? {
            Some(ObjectKind::Tree) => {}
            _ => return Ok(None),
        }
        for entry in Tree::new(self.format(), buffer) {
            let entry = entry.map_err(|error| SourceError::Malformed { id: *tree, error })?;
            if entry.name == name {
                return Ok(Some((entry.id(self.format()), entry.mode)));
            }
        }
        Ok(None)
    }

    /// The tree that tags and commits lead to; `None` when they lead to a blob or what is not here.
    pub(super) fn tree_of(&self, treeish: &ObjectId) -> Result<Option<ObjectId>, NameError> {
        match self.follow_tags(treeish)? {
            Some((id, ObjectKind::Tree)) => Ok(Some(id)),
            Some((id, ObjectKind::Commit)) => {
                let mut buffer = Vec::new();
                self.objects.read_kind(&id, ObjectKind::Commit, &mut buffer)?;
                let commit = adit_object::Commit::parse(self.format(), &buffer);
                Ok(Some(commit.map_err(|error| SourceError::Malformed { id, error })?.tree()))
            }
            _ => Ok(None),
        }
    }

    /// Follows `path` from the tree that `treeish` leads to, links included.
    fn follow_links(&self, treeish: &ObjectId, path: BString) -> Result<Followed, NameError> {
        let top = self.tree_of(treeish)?.ok_or(NameError::Unknown)?;
        // The folders from the top down to the one that the next part is looked up in.
        let mut folders = vec![top];
        let mut rest = Vec::from(path);
        let mut buffer = Vec::new();
        let mut links = 0;
        loop {
            let slashes = rest.iter().take_while(|&&b| b == b'/').count();
            rest.drain(..slashes);
            let (part, after) = match rest.find_byte(b'/') {
                Some(slash) => (rest[..slash].to_vec(), Some(rest[slash + 1..].to_vec())),
                None => (rest.clone(), None),
            };
            let here = folders.last().copied().unwrap_or(top);
            match part.as_slice() {
                b"" => return Ok(found(here, TREE_MODE)),
                b".." => {
                    if folders.len() == 1 {
                        return Ok(Followed::Outside(rest.into()));
                    }
                    folders.pop();
                    match after {
                        Some(after) => rest = after,
                        None => return Ok(found(folders.last().copied().unwrap_or(top), TREE_MODE)),
                    }
                }
                name => {
                    let Some((id, mode)) = self.entry_in(&here, name, &mut buffer)? else {
                        return Ok(if links > 0 { Followed::Dangling } else { Followed::Missing });
                    };
                    match (EntryKind::of_mode(mode), after) {
                        (EntryKind::Tree, Some(after)) => {
                            folders.push(id);
                            rest = after;
                        }
                        (EntryKind::Symlink, after) => {
                            links += 1;
                            if links > MOST_LINKS {
                                return Ok(Followed::Loop);
                            }
                            let mut target = Vec::new();
                            self.objects.read_kind(&id, ObjectKind::Blob, &mut target)?;
                            if target.starts_with(b"/") {
                                return Ok(Followed::Outside(target.into()));
                            }
                            if let Some(after) = after {
                                target.push(b'/');
                                target.extend_from_slice(&after);
                            }
                            rest = target;
                        }
                        (_, None) => return Ok(found(id, mode)),
                        (EntryKind::File | EntryKind::Gitlink, Some(_)) => {
                            return Ok(Followed::NotFolder);
                        }
                    }
                }
            }
        }
    }
}

const TREE_MODE: u32 = 0o040000;

fn found(id: ObjectId, mode: u32) -> Followed {
    Followed::Found(PathEntry { id, mode: Some(mode), path: None })
}

/// Where in `name` the colon before a path is: the first outside of braces.
pub(super) fn path_start(name: &[u8]) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, &byte) in name.iter().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            b':' if depth == 0 => return Some(at),
            _ => {}
        }
    }
    None
}

/// `:path` and `:N:path` name what is in the index.
fn index_refused(name: &[u8]) -> NameError {
    let name: &BStr = name.as_bstr();
    NameError::refused(format!("'{name}' names a path in the index, which this version cannot read"))
}
