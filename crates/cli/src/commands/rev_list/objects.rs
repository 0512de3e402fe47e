//! `--objects`: the tags, trees and blobs that were named or that commits hold.

use adit_diff::pathspec::Pathspec;
use adit_object::{IdSet, ObjectId, ObjectKind};
use adit_revision::Walk;
use adit_revision::objects::{Event, ObjectOptions, ObjectWalk};
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
    let said = list.said;
    let args = &said.objects;
    let options = ObjectOptions { filter: args.filter.clone(), pathspec, report_omitted: args.print_omitted };
    let mut objects = ObjectWalk::new(walk.table().source(), options);
    exclude_edge(list, walk, &mut objects, roots)?;
    let mut noted = Noted::default();
    let mut trees: Vec<ObjectId> = Vec::new();
    let mut others = Some(roots);
    let shows_commits = |id: &ObjectId| {
        let named = !args.filter_provided && roots.tips.iter().any(|tip| tip.id == *id);
        args.filter.allows(ObjectKind::Commit) || named
    };
    while let Some(position) = walk.next().map_err(walk_error)? {
        let id = walk.table().id(position);
        if shows_commits(&id) {
            list.commit(walk, position)?;
        }
        if walk.is_excluded(position) {
            continue;
        }
        trees.push(walk.table().tree(position));
        if said.revisions.in_commit_order {
            list_pending(list, &mut objects, &mut noted, others.take(), &trees)?;
            trees.clear();
        }
    }
    list_pending(list, &mut objects, &mut noted, others, &trees)?;
    noted.append(list, args.missing);
    Ok(())
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

fn list_pending(
    list: &mut List<'_>,
    objects: &mut ObjectWalk<'_>,
    noted: &mut Noted,
    roots: Option<&Roots>,
    trees: &[ObjectId],
) -> Result<(), Error> {
    let filtered = list.said.objects.filter_provided;
    let mut tell = |event: Event<'_>| list.event(event, noted);
    for other in roots.iter().flat_map(|roots| &roots.others).filter(|other| !other.excluded) {
        match other.kind {
            ObjectKind::Tree => objects.tree(&other.id, other.name.as_bstr(), !filtered, &mut tell)?,
            kind => objects.single(&other.id, kind, other.name.as_bstr(), filtered, &mut tell)?,
        }
    }
    objects.trees(trees, &mut tell)
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
