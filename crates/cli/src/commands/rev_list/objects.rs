//! `--objects`: the tags, trees and blobs that were named or that commits hold.

use adit_diff::pathspec::Pathspec;
use adit_object::{IdSet, ObjectId, ObjectKind};
use adit_revision::Walk;
use adit_revision::objects::{Event, Listener, Named, ObjectOptions, ObjectWalk, Root};
use adit_text::quote::{needs_c_quotes, quote_path};
use bstr::{BStr, ByteSlice};

use super::{List, Missing, walk_error};
use crate::error::Error;
use crate::revisions::Roots;

/// Lists commits and objects: all commits first, unless objects are to follow the commit that has them first.
pub(super) fn list(
    list: &mut List<'_>,
    walk: &mut Walk<'_>,
    roots: &Roots,
    pathspec: Option<Pathspec>,
) -> Result<(), Error> {
    let args = &list.said.objects;
    let options = ObjectOptions { filter: args.filter.clone(), pathspec, report_omitted: args.print_omitted };
    let mut objects = ObjectWalk::new(walk.table().source(), options);
    exclude_edge(list, walk, &mut objects, roots)?;
    let filtered = args.filter_provided;
    let named: Vec<Named<'_>> = roots
        .others
        .iter()
        .filter(|other| !other.excluded)
        .map(|other| Named { id: other.id, kind: other.kind, path: other.name.as_bstr(), filtered })
        .collect();
    let (said, missing) = (list.said, args.missing);
    let mut listing = Listing { list, walk, roots, noted: Noted::default(), children: Vec::new() };
    if said.revisions.in_commit_order {
        listing.in_commit_order(&named, &mut objects)?;
    } else {
        objects.list(&named, &mut listing)?;
    }
    listing.noted.append(listing.list, missing);
    Ok(())
}

/// Lists commits, and objects as they are told of.
struct Listing<'r, 'l, 'w> {
    list: &'r mut List<'l>,
    walk: &'r mut Walk<'w>,
    roots: &'r Roots,
    noted: Noted,
    /// By position, one more than that of the child whose first parent the commit is.
    children: Vec<u32>,
}

impl Listing<'_, '_, '_> {
    /// Lists the next commit; `None` at the end. A commit that is excluded gives no tree.
    fn next_commit(&mut self) -> Result<Option<Option<Root>>, Error> {
        let Some(position) = self.walk.next().map_err(walk_error)? else { return Ok(None) };
        let args = &self.list.said.objects;
        let id = self.walk.table().id(position);
        let named = !args.filter_provided && self.roots.tips.iter().any(|tip| tip.id == id);
        if named || args.filter.allows(ObjectKind::Commit) {
            self.list.commit(self.walk, position)?;
        }
        if self.walk.is_excluded(position) {
            return Ok(Some(None));
        }
        let table = self.walk.table();
        if let Some(&parent) = table.parents(position).first() {
            self.children.resize(table.len().max(self.children.len()), 0);
            self.children[parent as usize] = position + 1;
        }
        let child = self.children.get(position as usize).and_then(|child| child.checked_sub(1));
        let near = child.map(|child| table.tree(child));
        Ok(Some(Some(Root { id: table.tree(position), near })))
    }

    /// Objects follow the commit that has them first.
    fn in_commit_order(&mut self, named: &[Named<'_>], objects: &mut ObjectWalk<'_>) -> Result<(), Error> {
        let mut named = named.iter();
        while let Some(root) = self.next_commit()? {
            let Some(root) = root else { continue };
            let tell = &mut |event: Event<'_>| self.list.event(event, &mut self.noted);
            named.try_for_each(|named| objects.named(named, tell))?;
            objects.root(root, tell)?;
        }
        let tell = &mut |event: Event<'_>| self.list.event(event, &mut self.noted);
        named.try_for_each(|named| objects.named(named, tell))
    }
}

impl Listener for Listing<'_, '_, '_> {
    type Error = Error;

    fn commits(&mut self, add: &mut dyn FnMut(Root)) -> Result<(), Error> {
        while let Some(root) = self.next_commit()? {
            root.into_iter().for_each(&mut *add);
        }
        Ok(())
    }

    fn tell(&mut self, event: Event<'_>) -> Result<(), Error> {
        self.list.event(event, &mut self.noted)
    }
}

/// What is told at the end.
#[derive(Default)]
struct Noted {
    omitted: Vec<ObjectId>,
    omitted_set: IdSet,
    missing: Vec<(ObjectId, ObjectKind, Vec<u8>)>,
}

impl Noted {
    fn append(&self, list: &mut List<'_>, missing: Missing) {
        let silent = list.said.count || list.said.quiet || list.said.disk_usage.is_some();
        if silent {
            return;
        }
        for id in self.omitted.iter().filter(|id| self.omitted_set.contains(*id)) {
            list.buffer.push(b'~');
            id.append_hex(usize::MAX, &mut list.buffer);
            list.buffer.push(b'\n');
        }
        let Missing::Print { info } = missing else { return };
        for (id, kind, path) in &self.missing {
            list.buffer.push(b'?');
            id.append_hex(usize::MAX, &mut list.buffer);
            if info {
                if !path.is_empty() {
                    list.buffer.extend_from_slice(b" path=");
                    append_path_value(path.as_bstr(), &mut list.buffer);
                }
                list.buffer.extend_from_slice(format!(" type={kind}").as_bytes());
            }
            list.buffer.push(b'\n');
        }
    }
}

/// A path in which neither spaces nor newlines stand outside of quotes.
fn append_path_value(path: &BStr, out: &mut Vec<u8>) {
    if needs_c_quotes(path, true) || !path.contains(&b' ') {
        quote_path(path, true, out);
    } else {
        out.push(b'"');
        out.extend_from_slice(path);
        out.push(b'"');
    }
}

/// Leaves out what excluded commits and objects hold, and prints the edge if that was asked for.
fn exclude_edge(
    list: &mut List<'_>,
    walk: &mut Walk<'_>,
    objects: &mut ObjectWalk<'_>,
    roots: &Roots,
) -> Result<(), Error> {
    let args = &list.said.objects;
    let mut edges = walk.edges();
    if args.aggressive {
        for tip in roots.tips.iter().filter(|tip| tip.excluded) {
            let position = walk.table_mut().intern(&tip.id);
            if !edges.contains(&position) {
                edges.push(position);
            }
        }
    }
    for position in edges {
        let id = walk.table().id(position);
        if walk.table_mut().load(position).is_ok() {
            let tree = walk.table().tree(position);
            objects.exclude(&tree, ObjectKind::Tree)?;
        }
        if args.edge && !list.said.quiet && !list.said.count && list.said.disk_usage.is_none() {
            list.buffer.push(b'-');
            id.append_hex(usize::MAX, &mut list.buffer);
            list.buffer.push(b'\n');
        }
    }
    for other in roots.others.iter().filter(|other| other.excluded) {
        objects.exclude(&other.id, other.kind)?;
    }
    Ok(())
}

impl List<'_> {
    fn event(&mut self, event: Event<'_>, noted: &mut Noted) -> Result<(), Error> {
        match event {
            Event::Found { id, kind, path } => {
                if !noted.omitted_set.is_empty() {
                    noted.omitted_set.remove(&id);
                }
                // Trees are read anyway.
                if kind == ObjectKind::Blob && !self.objects.contains(&id) {
                    return self.missing(id, kind, path, noted);
                }
                self.object(&id, path)
            }
            Event::Missing { id, path } => self.missing(id, ObjectKind::Tree, path, noted),
            Event::Omitted(id) => {
                if noted.omitted_set.insert(id) {
                    noted.omitted.push(id);
                }
                Ok(())
            }
        }
    }

    fn missing(
        &mut self,
        id: ObjectId,
        kind: ObjectKind,
        path: &BStr,
        noted: &mut Noted,
    ) -> Result<(), Error> {
        match self.said.objects.missing {
            Missing::Error if kind == ObjectKind::Tree => Err(Error::fatal(format!("bad tree object {id}"))),
            Missing::Error => Err(Error::fatal(format!("missing {kind} object '{id}'"))),
            Missing::Allow => Ok(()),
            Missing::Print { .. } => {
                noted.missing.push((id, kind, path.to_vec()));
                Ok(())
            }
        }
    }

    fn object(&mut self, id: &ObjectId, path: &BStr) -> Result<(), Error> {
        let said = self.said;
        if said.disk_usage.is_some() {
            return self.totals.add_size(self.objects, id);
        }
        if said.quiet {
            return Ok(());
        }
        if said.count {
            self.totals.count_object();
            return Ok(());
        }
        id.append_hex(usize::MAX, &mut self.buffer);
        if said.nul {
            if !said.objects.nameless && !path.is_empty() {
                self.buffer.extend_from_slice(b"\0path=");
                self.buffer.extend_from_slice(path);
            }
            self.buffer.push(0);
        } else {
            if !said.objects.nameless {
                self.buffer.push(b' ');
                let end = path.find_byte(b'\n').unwrap_or(path.len());
                self.buffer.extend_from_slice(&path[..end]);
            }
            self.buffer.push(b'\n');
        }
        self.flush_some()
    }
}
