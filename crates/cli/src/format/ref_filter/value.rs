//! The value of each atom for one reference, read no sooner than it is asked for.

use adit::{Mailmap, NameContext, Repository};
use adit_object::{Commit, Ident, ObjectId, ObjectKind, Source, Tag};
use adit_odb::Want;
use adit_refs::Shortener;
use adit_revision::{CommitTable, reach};
use adit_text::date::{Clock, DateFormat, LocalZone};
use adit_text::trailers;
use bstr::{BStr, BString, ByteSlice};
use hashbrown::HashMap;

use super::atom::{Atom, Field, IdForm, NameForm, PersonPart, Who, has_message};
use super::contents;
use crate::error::Error;
use crate::format::pretty::Describe;

/// A reference that is listed.
#[derive(Debug, Clone, Copy)]
pub struct Item<'a> {
    /// Its full name.
    pub name: &'a BStr,
    /// What is shown in the place of its name: for a `HEAD` that is on no branch.
    pub description: Option<&'a BStr>,
    /// Its object.
    pub id: ObjectId,
    /// The reference that it leads to when it is symbolic.
    pub target: Option<&'a BStr>,
    /// The object behind tags, when it is known without a look at the object.
    pub peeled: Option<ObjectId>,
}

/// An object that was read.
#[derive(Default)]
struct Loaded {
    id: Option<ObjectId>,
    kind: Option<ObjectKind>,
    content: Vec<u8>,
}

/// What atoms draw on.
pub struct Values<'r> {
    pub(super) repo: &'r Repository,
    pub(super) objects: &'r adit_odb::Store,
    pub(super) refs: &'r adit_refs::Store,
    pub(super) context: &'r NameContext<'r>,
    /// What `%(describe)` asks.
    pub describe: Option<&'r Describe<'r>>,
    own: Loaded,
    behind: Loaded,
    table: Option<CommitTable<'r>>,
    shortener: Option<Shortener<'r>>,
    /// The branch that is checked out, in full.
    head: Option<Option<BString>>,
    worktrees: Option<HashMap<BString, BString>>,
    mailmap: Option<Mailmap>,
    digits: Option<usize>,
    zone: LocalZone,
    commits: HashMap<BString, ObjectId>,
    /// For each commit that bases are asked of, the reference that is most likely it.
    pub(super) bases: HashMap<BString, BString>,
    known_trailers: Vec<Vec<u8>>,
}

impl<'r> Values<'r> {
    /// Atoms of references of `repo`.
    ///
    /// # Errors
    /// When its stores cannot be opened.
    pub fn new(repo: &'r Repository, context: &'r NameContext<'r>) -> Result<Self, Error> {
        let tz = repo.env().var("TZ").map(|tz| tz.to_str_lossy());
        Ok(Values {
            repo,
            objects: repo.objects()?,
            refs: repo.refs()?,
            context,
            describe: None,
            own: Loaded::default(),
            behind: Loaded::default(),
            table: None,
            shortener: None,
            head: None,
            worktrees: None,
            mailmap: None,
            digits: None,
            zone: LocalZone::from_tz(tz.as_deref()),
            commits: HashMap::new(),
            bases: HashMap::new(),
            known_trailers: known_trailers(repo),
        })
    }

    /// Appends the value of an atom for a reference.
    pub fn append(&mut self, atom: &Atom, item: &Item<'_>, out: &mut Vec<u8>) -> Result<(), Error> {
        match &atom.field {
            Field::RefName(form) => {
                match item.description {
                    Some(description) => out.extend_from_slice(description),
                    None => self.append_name(item.name, *form, out)?,
                }
                if atom.behind {
                    out.extend_from_slice(b"^{}");
                }
                Ok(())
            }
            Field::SymRef(form) => match item.target {
                Some(target) => self.append_name(target, *form, out),
                None => Ok(()),
            },
            Field::Flag => {
                let flags = [(item.target.is_some(), "symref"), (item.peeled.is_some(), "packed")];
                let flags: Vec<_> = flags.into_iter().filter_map(|(is, flag)| is.then_some(flag)).collect();
                out.extend_from_slice(flags.join(",").as_bytes());
                Ok(())
            }
            Field::Head => {
                let checked_out =
                    item.description.is_some() || self.head()?.is_some_and(|head| head == item.name);
                out.push(if checked_out { b'*' } else { b' ' });
                Ok(())
            }
            Field::Color(sequence) => {
                out.extend_from_slice(sequence.as_bytes());
                Ok(())
            }
            Field::WorktreePath => {
                if let Some(path) = self.worktree(item.name)? {
                    out.extend_from_slice(path);
                }
                Ok(())
            }
            Field::Upstream(form) => self.append_tracking(item, *form, false, out),
            Field::Push(form) => self.append_tracking(item, *form, true, out),
            Field::IsBase(of) => {
                if self.bases.get(of).is_some_and(|base| base == item.name) {
                    out.extend_from_slice(format!("({of})").as_bytes());
                }
                Ok(())
            }
            Field::Nothing | Field::Align(..) | Field::If(_) | Field::Then | Field::Else | Field::End => {
                Ok(())
            }
            _ => self.append_of_object(atom, item, out),
        }
    }

    fn append_of_object(&mut self, atom: &Atom, item: &Item<'_>, out: &mut Vec<u8>) -> Result<(), Error> {
        let Some(id) = (if atom.behind { self.id_behind(item)? } else { Some(item.id) }) else {
            return Ok(());
        };
        match &atom.field {
            Field::ObjectName(form) => return self.append_id(&id, *form, out),
            Field::ObjectType | Field::ObjectSize | Field::DiskSize | Field::DeltaBase => {
                return self.append_info(&atom.field, &id, item, out);
            }
            Field::AheadBehind(base) => return self.append_ahead_behind(&id, base, out),
            Field::Describe(style) => {
                let describe = self.describe.ok_or_else(|| Error::unsupported("%(describe)"))?;
                let commit =
                    self.commit_of(&Item { id, peeled: item.peeled.filter(|_| id == item.id), ..*item })?;
                return commit.map_or(Ok(()), |commit| describe(&commit, style, out));
            }
            _ => {}
        }
        let loaded =
            load(self.objects, if atom.behind { &mut self.behind } else { &mut self.own }, &id, item)?;
        let Some(kind) = loaded.kind else { return Ok(()) };
        let content = std::mem::take(&mut loaded.content);
        let appended = self.append_from(&atom.field, kind, &content, out);
        // The content serves the next atom of the same object.
        let loaded = if atom.behind { &mut self.behind } else { &mut self.own };
        loaded.content = content;
        appended
    }

    /// Appends what stands in the object itself.
    fn append_from(
        &mut self,
        field: &Field,
        kind: ObjectKind,
        content: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        match field {
            Field::Raw => out.extend_from_slice(content),
            Field::RawSize => out.extend_from_slice(content.len().to_string().as_bytes()),
            Field::Message(part) if has_message(kind) => {
                let rules =
                    trailers::Rules { known_keys: &self.known_trailers, ..trailers::Rules::default() };
                contents::append(content, part, &rules, out);
            }
            Field::Person(who, part) => self.append_person(*who, part, kind, content, out)?,
            Field::Tree(_) | Field::Parent(_) | Field::ParentCount if kind == ObjectKind::Commit => {
                let Ok(commit) = Commit::parse(self.objects.format(), content) else { return Ok(()) };
                match field {
                    Field::Tree(form) => self.append_id(&commit.tree(), *form, out)?,
                    Field::Parent(form) => {
                        for (index, parent) in commit.parents().enumerate() {
                            if index > 0 {
                                out.push(b' ');
                            }
                            self.append_id(&parent, *form, out)?;
                        }
                    }
                    _ => out.extend_from_slice(commit.parents().count().to_string().as_bytes()),
                }
            }
            Field::Object | Field::Type | Field::Tag if kind == ObjectKind::Tag => {
                let Ok(tag) = Tag::parse(self.objects.format(), content) else { return Ok(()) };
                match field {
                    Field::Object => tag.target().append_hex(usize::MAX, out),
                    Field::Type => out.extend_from_slice(tag.target_kind().as_str().as_bytes()),
                    _ => out.extend_from_slice(tag.name().unwrap_or_default()),
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn append_person(
        &mut self,
        who: Who,
        part: &PersonPart,
        kind: ObjectKind,
        content: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let Some(line) = person_line(who, kind, content, self.objects.format()) else { return Ok(()) };
        match part {
            PersonPart::Whole => out.extend_from_slice(line),
            PersonPart::Date(format) => {
                if let Some(time) = Ident::parse(line).and_then(|ident| ident.time()) {
                    let clock = Clock { now: self.repo.env().now(), zone: &self.zone };
                    let usual = DateFormat::default();
                    format.as_ref().unwrap_or(&usual).write(time.seconds, time.zone, clock, out);
                }
            }
            PersonPart::Name { mapped } => {
                let name = line.find(b" <").map_or(&b""[..], |end| &line[..end]).as_bstr();
                let email = bracketed(line).unwrap_or_default().as_bstr();
                let name = if *mapped { self.mailmap()?.resolve(name, email).0 } else { name };
                out.extend_from_slice(name);
            }
            PersonPart::Email { mapped, trim, local } => {
                let Some(email) = bracketed(line) else { return Ok(()) };
                let name = line.find(b" <").map_or(&b""[..], |end| &line[..end]).as_bstr();
                let email = email.as_bstr();
                let email = if *mapped { self.mailmap()?.resolve(name, email).1 } else { email };
                let shown =
                    if *local { email.split(|&b| b == b'@').next().unwrap_or_default() } else { email };
                if *trim || *local {
                    out.extend_from_slice(shown);
                } else {
                    out.extend_from_slice(&[b"<", shown, b">"].concat());
                }
            }
        }
        Ok(())
    }

    /// The seconds of a date, to sort by; 0 when there is none.
    pub(super) fn number(&mut self, atom: &Atom, item: &Item<'_>) -> Result<u64, Error> {
        if let Field::Person(who, PersonPart::Date(None)) = &atom.field {
            let Some(id) = (if atom.behind { self.id_behind(item)? } else { Some(item.id) }) else {
                return Ok(0);
            };
            let format = self.objects.format();
            let loaded =
                load(self.objects, if atom.behind { &mut self.behind } else { &mut self.own }, &id, item)?;
            let Some(kind) = loaded.kind else { return Ok(0) };
            let line = person_line(*who, kind, &loaded.content, format);
            let time = line.and_then(Ident::parse).and_then(|ident| ident.time());
            return Ok(time.map_or(0, |time| time.seconds));
        }
        let mut text = Vec::new();
        self.append(atom, item, &mut text)?;
        Ok(text.to_str().ok().and_then(|text| text.parse().ok()).unwrap_or(0))
    }

    fn append_info(
        &self,
        field: &Field,
        id: &ObjectId,
        item: &Item<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let want = Want {
            kind: *field == Field::ObjectType,
            size: *field == Field::ObjectSize,
            disk_size: *field == Field::DiskSize,
            delta_base: *field == Field::DeltaBase,
        };
        let info = self.objects.info(id, want)?.ok_or_else(|| missing(id, item))?;
        match field {
            Field::ObjectType => {
                out.extend_from_slice(info.kind.map_or("", ObjectKind::as_str).as_bytes());
            }
            Field::ObjectSize => out.extend_from_slice(info.size.to_string().as_bytes()),
            Field::DiskSize => out.extend_from_slice(info.disk_size.to_string().as_bytes()),
            _ => info.delta_base.unwrap_or(ObjectId::null(id.format())).append_hex(usize::MAX, out),
        }
        Ok(())
    }

    /// The kind of the object of an item.
    pub(super) fn kind(&self, id: &ObjectId, item: &Item<'_>) -> Result<ObjectKind, Error> {
        Ok(self.objects.try_header(id)?.ok_or_else(|| missing(id, item))?.kind)
    }

    /// The object behind a tag; `None` when the reference holds no tag.
    fn id_behind(&mut self, item: &Item<'_>) -> Result<Option<ObjectId>, Error> {
        if let Some(peeled) = item.peeled {
            return Ok((peeled != item.id).then_some(peeled));
        }
        let mut id = item.id;
        loop {
            if self.kind(&id, item)? != ObjectKind::Tag {
                return Ok((id != item.id).then_some(id));
            }
            let loaded =
                load(self.objects, if id == item.id { &mut self.own } else { &mut self.behind }, &id, item)?;
            match Tag::parse(self.objects.format(), &loaded.content) {
                Ok(tag) => {
                    let (target, claimed) = (tag.target(), tag.target_kind());
                    if self.kind(&target, item)? != claimed {
                        return Err(Error::fatal(format!(
                            "bad tag pointer to {target} in {id} ({})",
                            item.name
                        )));
                    }
                    id = target;
                }
                Err(error) => return Err(adit_object::SourceError::Malformed { id, error }.into()),
            }
        }
    }

    /// The commit that a reference leads to; `None` when it leads to none.
    pub(super) fn commit_of(&mut self, item: &Item<'_>) -> Result<Option<ObjectId>, Error> {
        let id = self.id_behind(item)?.unwrap_or(item.id);
        Ok((self.kind(&id, item)? == ObjectKind::Commit).then_some(id))
    }

    pub(super) fn append_id(&mut self, id: &ObjectId, form: IdForm, out: &mut Vec<u8>) -> Result<(), Error> {
        let min = match form {
            IdForm::Full => usize::MAX,
            IdForm::AtLeast(digits) => digits,
            IdForm::Short => match self.digits {
                Some(digits) => digits,
                None => *self.digits.insert(self.repo.abbrev()?),
            },
        };
        id.append_hex(self.objects.abbreviate(id, min)?, out);
        Ok(())
    }

    /// Appends the name of a reference in some form.
    pub(super) fn append_name(
        &mut self,
        name: &BStr,
        form: NameForm,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        match form {
            NameForm::Full => out.extend_from_slice(name),
            NameForm::Short => {
                let shortener = match &mut self.shortener {
                    Some(shortener) => shortener,
                    None => {
                        let strict = self.repo.warns_of_ambiguous_references()?;
                        self.shortener.insert(Shortener::new(self.refs, strict)?)
                    }
                };
                out.extend_from_slice(shortener.shorten(name)?);
            }
            NameForm::StripStart(count) => {
                let parts = name.iter().filter(|&&b| b == b'/').count() as i64 + 1;
                let drop = if count < 0 { (parts + count).max(0) } else { count };
                let drop = usize::try_from(drop).unwrap_or(usize::MAX);
                let rest: Vec<_> = name.split(|&b| b == b'/').skip(drop).collect();
                out.extend_from_slice(&rest.join(&b'/'));
            }
            NameForm::StripEnd(count) => {
                let parts = name.iter().filter(|&&b| b == b'/').count() as i64 + 1;
                let keep = if count < 0 { count.saturating_neg().min(parts) } else { (parts - count).max(0) };
                let keep = usize::try_from(keep).unwrap_or(usize::MAX);
                let rest: Vec<_> = name.split(|&b| b == b'/').take(keep).collect();
                out.extend_from_slice(&rest.join(&b'/'));
            }
        }
        Ok(())
    }

    /// The branch that is checked out here, in full.
    pub(super) fn head(&mut self) -> Result<Option<&BStr>, Error> {
        let refs = self.refs;
        let head = filled(&mut self.head, || Ok(refs.head()?.branch().map(ToOwned::to_owned)))?;
        Ok(head.as_ref().map(|head| head.as_bstr()))
    }

    /// The working tree in which a branch is checked out.
    pub(super) fn worktree(&mut self, name: &BStr) -> Result<Option<&BString>, Error> {
        use std::os::unix::ffi::OsStrExt;
        let repo = self.repo;
        let map = filled(&mut self.worktrees, || {
            let mut map = HashMap::new();
            for tree in repo.worktrees()? {
                if let (Some(branch), false) = (tree.head.branch(), tree.is_bare) {
                    map.insert(branch.to_owned(), BString::from(tree.path.as_os_str().as_bytes()));
                }
            }
            Ok(map)
        })?;
        Ok(map.get(name))
    }

    fn mailmap(&mut self) -> Result<&Mailmap, Error> {
        let repo = self.repo;
        filled(&mut self.mailmap, || Ok(repo.mailmap()?)).map(|mailmap| &*mailmap)
    }

    pub(super) fn table(&mut self) -> Result<&mut CommitTable<'r>, Error> {
        let repo = self.repo;
        filled(&mut self.table, || Ok(repo.commit_table()?))
    }

    /// The commit that an atom names.
    pub(super) fn named_commit(&mut self, name: &BString) -> Result<ObjectId, Error> {
        if let Some(id) = self.commits.get(name) {
            return Ok(*id);
        }
        let silent = |_| {};
        let found = self.context.names(&silent)?.quiet().resolve_commit(name);
        let id = found.map_err(|_| Error::fatal(format!("failed to find '{name}'")))?;
        self.commits.insert(name.clone(), id);
        Ok(id)
    }

    /// How many commits `one` is ahead of and behind `other`.
    pub(super) fn ahead_behind(&mut self, one: &ObjectId, other: &ObjectId) -> Result<(usize, usize), Error> {
        let table = self.table()?;
        let (one, other) = (table.intern(one), table.intern(other));
        Ok(reach::ahead_behind(table, one, other)?)
    }

    fn append_ahead_behind(&mut self, id: &ObjectId, base: &BString, out: &mut Vec<u8>) -> Result<(), Error> {
        let base = self.named_commit(base)?;
        let (mut id, mut content) = (*id, Vec::new());
        loop {
            match self.objects.try_read(&id, &mut content)? {
                Some(ObjectKind::Commit) => break,
                Some(ObjectKind::Tag) => match Tag::parse(self.objects.format(), &content) {
                    Ok(tag) => id = tag.target(),
                    Err(_) => return Ok(()),
                },
                _ => return Ok(()),
            }
        }
        let (ahead, behind) = self.ahead_behind(&id, &base)?;
        out.extend_from_slice(format!("{ahead} {behind}").as_bytes());
        Ok(())
    }
}

/// The value in a slot, made when there is none.
fn filled<T>(slot: &mut Option<T>, make: impl FnOnce() -> Result<T, Error>) -> Result<&mut T, Error> {
    let value = match slot.take() {
        Some(value) => value,
        None => make()?,
    };
    Ok(slot.insert(value))
}

/// Reads an object, unless it is the one that was read last.
fn load<'l>(
    objects: &adit_odb::Store,
    loaded: &'l mut Loaded,
    id: &ObjectId,
    item: &Item<'_>,
) -> Result<&'l mut Loaded, Error> {
    if loaded.id != Some(*id) {
        loaded.id = None;
        loaded.kind = objects.try_read(id, &mut loaded.content)?;
        if loaded.kind.is_none() {
            return Err(missing(id, item));
        }
        loaded.id = Some(*id);
    }
    Ok(loaded)
}

fn missing(id: &ObjectId, item: &Item<'_>) -> Error {
    Error::fatal(format!("missing object {id} for {}", item.name))
}

fn person_line(
    who: Who,
    kind: ObjectKind,
    content: &[u8],
    format: adit_object::ObjectFormat,
) -> Option<&[u8]> {
    let line = match kind {
        ObjectKind::Commit => {
            let commit = Commit::parse(format, content).ok()?;
            match who {
                Who::Author => commit.author_line(),
                Who::Committer | Who::Creator => commit.committer_line(),
                Who::Tagger => None,
            }
        }
        ObjectKind::Tag if matches!(who, Who::Tagger | Who::Creator) => {
            Tag::parse(format, content).ok()?.header("tagger")
        }
        _ => None,
    };
    line.map(|line| line.as_bytes())
}

/// The address between the first `<` and the `>` after it.
fn bracketed(line: &[u8]) -> Option<&[u8]> {
    let open = line.find_byte(b'<')?;
    let len = line[open + 1..].find_byte(b'>')?;
    Some(&line[open + 1..open + 1 + len])
}

fn known_trailers(repo: &Repository) -> Vec<Vec<u8>> {
    repo.config().subsections("trailer").into_iter().map(|key| key.to_vec()).collect()
}
