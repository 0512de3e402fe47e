//! Suffixes that lead from one object to another: `^`, `^2`, `~3`, `^{commit}`, `^{}`.

use adit_object::{Commit, ObjectId, ObjectKind, SourceError, Tag};
use bstr::ByteSlice;

use super::{Message, NameError, Names, Want};

/// A suffix that was split from a name.
enum Suffix<'n> {
    Parent(usize),
    Ancestor(u64),
    /// What stands between the braces of `^{...}`.
    Peel(&'n [u8]),
}

impl Names<'_> {
    /// Resolves a name without a path: suffixes, then what they apply to.
    pub(super) fn resolve_plain(&self, name: &[u8], want: Want) -> Result<ObjectId, NameError> {
        // Suffixes are taken from the end; what is in front of them all is resolved, then they apply in order.
        let mut suffixes = Vec::new();
        let mut stem = name;
        let mut want = want;
        while let Some((before, suffix)) = split_suffix(stem)? {
            want = match suffix {
                Suffix::Parent(_) | Suffix::Ancestor(_) => Want::Committish,
                Suffix::Peel(b"commit") => Want::Committish,
                Suffix::Peel(b"tree") => Want::Treeish,
                Suffix::Peel(text) if text.starts_with(b"/") => Want::Committish,
                Suffix::Peel(_) => Want::Any,
            };
            suffixes.push((stem, suffix));
            stem = before;
        }
        let mut id = self.resolve_stem(stem, want)?;
        for (whole, suffix) in suffixes.into_iter().rev() {
            id = match suffix {
                Suffix::Parent(number) => self.parent(&id, number)?,
                Suffix::Ancestor(generations) => self.ancestor(&id, generations)?,
                Suffix::Peel(what) => self.peel(whole, &id, what)?,
            };
        }
        Ok(id)
    }

    fn parent(&self, id: &ObjectId, number: usize) -> Result<ObjectId, NameError> {
        let commit = self.commit_of(id)?;
        let Some(before) = number.checked_sub(1) else { return Ok(commit) };
        self.parents(&commit)?.get(before).copied().ok_or(NameError::Unknown)
    }

    fn ancestor(&self, id: &ObjectId, generations: u64) -> Result<ObjectId, NameError> {
        let mut commit = self.commit_of(id)?;
        let mut buffer = Vec::new();
        for _ in 0..generations {
            commit = match self.settings.grafts.get(&commit) {
                Some(parents) => parents.first().copied(),
                None => {
                    self.objects.read_kind(&commit, ObjectKind::Commit, &mut buffer)?;
                    self.parse_commit(&commit, &buffer)?.parents().next()
                }
            }
            .ok_or(NameError::Unknown)?;
        }
        Ok(commit)
    }

    /// The parents of a commit, shallow boundaries and grafts respected.
    pub(super) fn parents(&self, commit: &ObjectId) -> Result<Vec<ObjectId>, NameError> {
        if let Some(parents) = self.settings.grafts.get(commit) {
            return Ok(parents.clone());
        }
        let mut buffer = Vec::new();
        self.objects.read_kind(commit, ObjectKind::Commit, &mut buffer)?;
        Ok(self.parse_commit(commit, &buffer)?.parents().collect())
    }

    fn parse_commit<'b>(&self, id: &ObjectId, bytes: &'b [u8]) -> Result<Commit<'b>, NameError> {
        let parsed = Commit::parse(self.format(), bytes);
        parsed.map_err(|error| SourceError::Malformed { id: *id, error }.into())
    }

    /// Follows tags to a commit; any other object is an error that is told.
    pub fn commit_of(&self, id: &ObjectId) -> Result<ObjectId, NameError> {
        let (id, kind) = self.follow_tags(id)?.ok_or(NameError::Unknown)?;
        if kind == ObjectKind::Commit {
            return Ok(id);
        }
        self.say(Message::Error(format!("object {id} is a {kind}, not a commit").into()));
        Err(NameError::Unknown)
    }

    /// The first object behind tags, which `id` itself may be; `None` when it is not here.
    pub(super) fn follow_tags(&self, id: &ObjectId) -> Result<Option<(ObjectId, ObjectKind)>, NameError> {
        let mut id = *id;
        let mut buffer = Vec::new();
        loop {
            match self.kind(&id)? {
                None => return Ok(None),
                Some(ObjectKind::Tag) => id = self.tag_target(&id, &mut buffer)?,
                Some(kind) => return Ok(Some((id, kind))),
            }
        }
    }

    fn tag_target(&self, id: &ObjectId, buffer: &mut Vec<u8>) -> Result<ObjectId, NameError> {
        self.objects.read_kind(id, ObjectKind::Tag, buffer)?;
        let tag =
            Tag::parse(self.format(), buffer).map_err(|error| SourceError::Malformed { id: *id, error })?;
        Ok(tag.target())
    }

    /// The object of a kind that `id` leads to.
    fn peel(&self, whole: &[u8], id: &ObjectId, what: &[u8]) -> Result<ObjectId, NameError> {
        let kind = self.kind(id)?.ok_or(NameError::Unknown)?;
        match what {
            b"object" => Ok(*id),
            b"" => Ok(self.follow_tags(id)?.ok_or(NameError::Unknown)?.0),
            b"/" => self.commit_of(id),
            _ if what.starts_with(b"/") => {
                let commit = self.commit_of(id)?;
                self.search(&what[1..], vec![commit])
            }
            _ => {
                let wanted = ObjectKind::from_name(what).ok_or(NameError::Unknown)?;
                self.peel_to(whole, *id, kind, wanted)
            }
        }
    }

    /// The object of kind `wanted` that `id` leads to: a tag to what it tags, a commit to its tree. `None` when it leads
    /// to another kind.
    pub fn peeled(&self, id: &ObjectId, wanted: ObjectKind) -> Result<Option<ObjectId>, NameError> {
        let kind = self.kind(id)?.ok_or(SourceError::Missing(*id))?;
        let (id, kind) = self.peel_towards(*id, kind, wanted)?;
        Ok((kind == wanted).then_some(id))
    }

    fn peel_to(
        &self,
        whole: &[u8],
        id: ObjectId,
        kind: ObjectKind,
        wanted: ObjectKind,
    ) -> Result<ObjectId, NameError> {
        let (id, kind) = self.peel_towards(id, kind, wanted)?;
        if kind == wanted {
            return Ok(id);
        }
        let text = format!(
            "{}: expected {wanted} type, but the object dereferences to {kind} type",
            whole.as_bstr()
        );
        self.say(Message::Error(text.into()));
        Err(NameError::Unknown)
    }

    /// Peels `id` until it is of kind `wanted`, or can be peeled no further.
    fn peel_towards(
        &self,
        mut id: ObjectId,
        mut kind: ObjectKind,
        wanted: ObjectKind,
    ) -> Result<(ObjectId, ObjectKind), NameError> {
        let mut buffer = Vec::new();
        while kind != wanted {
            id = match kind {
                ObjectKind::Tag => self.tag_target(&id, &mut buffer)?,
                ObjectKind::Commit => {
                    self.objects.read_kind(&id, ObjectKind::Commit, &mut buffer)?;
                    self.parse_commit(&id, &buffer)?.tree()
                }
                ObjectKind::Tree | ObjectKind::Blob => break,
            };
            kind = self.kind(&id)?.ok_or(NameError::Unknown)?;
        }
        Ok((id, kind))
    }
}

/// Splits the last suffix from a name; `None` when there is none.
fn split_suffix(name: &[u8]) -> Result<Option<(&[u8], Suffix<'_>)>, NameError> {
    let digits = name.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let (before, number) = name.split_at(name.len() - digits);
    if let Some((&mark @ (b'^' | b'~'), stem)) = before.split_last() {
        let number = if number.is_empty() { 1 } else { parse_number(number).ok_or(NameError::Unknown)? };
        let suffix = if mark == b'~' {
            Suffix::Ancestor(u64::from(number))
        } else {
            Suffix::Parent(usize::try_from(number).map_err(|_| NameError::Unknown)?)
        };
        return Ok(Some((stem, suffix)));
    }
    if name.ends_with(b"}")
        && let Some(open) = name.rfind(b"^{")
    {
        let what = &name[open + 2..name.len() - 1];
        let known = what.is_empty()
            || what.starts_with(b"/")
            || what == b"object"
            || ObjectKind::from_name(what).is_some();
        return Ok(known.then_some((&name[..open], Suffix::Peel(what))));
    }
    Ok(None)
}

/// A number that git would hold in an `int`.
fn parse_number(digits: &[u8]) -> Option<u32> {
    let number: u32 = std::str::from_utf8(digits).ok()?.parse().ok()?;
    i32::try_from(number).is_ok().then_some(number)
}
