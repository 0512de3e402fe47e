//! References filtered, sorted and printed.

use adit_object::{ObjectId, ObjectKind, Source, Tag};
use adit_refs::{IterOptions, Problem, Target};
use adit_revision::reach::{self, Containing};
use bstr::{BStr, BString, ByteSlice};

use super::atom::Field;
use super::filter::Kinds;
use super::value::{Item, Values};
use super::{Filter, Format, Sorting};
use crate::error::Error;
use crate::names::Said;

/// A reference that was kept, owned.
#[derive(Debug, Clone)]
pub struct Row {
    /// Its full name.
    pub name: BString,
    /// What is shown in the place of its name.
    pub description: Option<BString>,
    /// Its object.
    pub id: ObjectId,
    /// The reference that it leads to.
    pub target: Option<BString>,
    /// The object behind tags, when it is known.
    pub peeled: Option<ObjectId>,
}

impl Row {
    /// The row as atoms see it.
    pub fn item(&self) -> Item<'_> {
        Item {
            name: self.name.as_bstr(),
            description: self.description.as_ref().map(|text| text.as_bstr()),
            id: self.id,
            target: self.target.as_ref().map(|target| target.as_bstr()),
            peeled: self.peeled,
        }
    }
}

/// What is listed, and how.
pub struct Listing {
    /// Which references.
    pub filter: Filter,
    /// In what order.
    pub sorting: Sorting,
    /// What is printed of each.
    pub format: Format,
    /// At most so many.
    pub count: Option<usize>,
    /// A row that comes before all others: a `HEAD` on no branch.
    pub first: Option<Row>,
}

impl Listing {
    /// Calls `each` with the text of every reference, in order.
    pub fn for_each(
        &self,
        values: &mut Values<'_>,
        said: &Said<'_>,
        mut each: impl FnMut(&Item<'_>, &[u8]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let left = self.count.unwrap_or(usize::MAX);
        let mut text = Vec::new();
        let asks_bases = self
            .format
            .atoms()
            .chain(self.sorting.atoms())
            .any(|atom| matches!(atom.field, Field::IsBase(_)));
        if self.sorting.is_natural() && !self.filter.needs_all() && !asks_bases && self.first.is_none() {
            let mut left = left;
            return self.find(values, said, |values, item| {
                text.clear();
                self.format.append(values, item, &mut text)?;
                each(item, &text)?;
                left -= 1;
                Ok(left > 0)
            });
        }
        let rows = self.rows(values, said)?;
        let items: Vec<Item<'_>> = rows.iter().map(Row::item).collect();
        let order = self.sorting.order(values, &items)?;
        if asks_bases {
            let sorted: Vec<Item<'_>> = order.iter().map(|&at| items[at]).collect();
            self.find_bases(values, &sorted)?;
        }
        for at in order.into_iter().take(left) {
            text.clear();
            self.format.append(values, &items[at], &mut text)?;
            each(&items[at], &text)?;
        }
        Ok(())
    }

    /// All references that the filter keeps, in order of name.
    pub fn rows(&self, values: &mut Values<'_>, said: &Said<'_>) -> Result<Vec<Row>, Error> {
        let mut rows = Vec::new();
        if let Some(first) = &self.first
            && Judge::new(&self.filter, values)?.keeps(values, &first.item())?
        {
            rows.push(first.clone());
        }
        self.find(values, said, |_, item| {
            rows.push(Row {
                name: item.name.to_owned(),
                description: None,
                id: item.id,
                target: item.target.map(ToOwned::to_owned),
                peeled: item.peeled,
            });
            Ok(true)
        })?;
        if self.filter.needs_all() {
            self.keep_merged(values, &mut rows)?;
        }
        Ok(rows)
    }

    /// Calls `each` with every reference that can be judged alone, until it says no.
    fn find(
        &self,
        values: &mut Values<'_>,
        said: &Said<'_>,
        mut each: impl FnMut(&mut Values<'_>, &Item<'_>) -> Result<bool, Error>,
    ) -> Result<(), Error> {
        let mut judge = Judge::new(&self.filter, values)?;
        let refs = values.refs;
        if self.filter.kinds == Kinds::AllAndRoots {
            for reference in refs.root_refs()? {
                let (name, peeled) = (reference.name.clone(), reference.peeled);
                let target = matches!(reference.target, Target::Symbolic(_));
                let adit_refs::Followed::Found(found) = refs.follow_from(reference)? else { continue };
                let target = target.then_some(found.name);
                let item = Item {
                    name: name.as_bstr(),
                    description: None,
                    id: found.id,
                    target: target.as_ref().map(|target| target.as_bstr()),
                    peeled,
                };
                if self.is_after_start(item.name) && judge.keeps(values, &item)? && !each(values, &item)? {
                    return Ok(());
                }
            }
        }
        for prefix in self.filter.prefixes() {
            let mut from = BString::default();
            if let Some(marker) = &self.filter.start_after {
                from.extend_from_slice(marker);
                from.push(0);
            }
            let options = IterOptions { prefix, exclude: self.filter.skipped(), from };
            let mut iter = refs.iter_with(&options)?;
            while let Some(entry) = iter.advance()? {
                if !self.filter.matches(entry.name) {
                    continue;
                }
                let mut target = None;
                let (id, peeled) = match &entry.target {
                    Target::Direct(id) if !id.is_null() => (*id, entry.peeled),
                    Target::Direct(_) | Target::Broken(Problem::Content) => {
                        said.warning(&format!("ignoring broken ref {}", entry.name));
                        continue;
                    }
                    Target::Broken(Problem::Name) => {
                        said.warning(&format!("ignoring ref with broken name {}", entry.name));
                        continue;
                    }
                    Target::Symbolic(_) => match refs.follow_from(entry.to_reference())? {
                        adit_refs::Followed::Found(found) => {
                            target = Some(found.name);
                            (found.id, found.peeled)
                        }
                        // One that leads nowhere is passed over without a word.
                        _ => continue,
                    },
                };
                let target = target.as_ref().map(|target| target.as_bstr());
                let item = Item { name: entry.name, description: None, id, target, peeled };
                if judge.keeps(values, &item)? && !each(values, &item)? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn is_after_start(&self, name: &BStr) -> bool {
        self.filter.start_after.as_ref().is_none_or(|marker| name > marker) && self.filter.matches(name)
    }

    /// Drops the rows that `--merged` and `--no-merged` leave out.
    fn keep_merged(&self, values: &mut Values<'_>, rows: &mut Vec<Row>) -> Result<(), Error> {
        for (tips, keep) in [(&self.filter.merged, true), (&self.filter.no_merged, false)] {
            if tips.is_empty() {
                continue;
            }
            let mut commits = Vec::with_capacity(rows.len());
            for row in rows.iter() {
                commits.push(values.commit_of(&row.item())?);
            }
            let table = values.table()?;
            let wanted: Vec<u32> = commits.iter().flatten().map(|id| table.intern(id)).collect();
            let tips: Vec<u32> = tips.iter().map(|id| table.intern(id)).collect();
            let mut reached = reach::reached(table, &tips, &wanted)?.into_iter();
            let mut commits = commits.into_iter();
            // What leads to no commit is neither merged nor not.
            rows.retain(|_| commits.next().flatten().is_some() && reached.next() == Some(keep));
        }
        Ok(())
    }

    /// Finds which reference is the likely base of each commit that `%(is-base)` names.
    fn find_bases(&self, values: &mut Values<'_>, items: &[Item<'_>]) -> Result<(), Error> {
        let atoms = self.format.atoms().chain(self.sorting.atoms());
        let names: Vec<BString> = atoms
            .filter_map(|atom| match &atom.field {
                Field::IsBase(of) => Some(of.clone()),
                _ => None,
            })
            .collect();
        for name in names {
            let tip = values.named_commit(&name)?;
            let mut tips = Vec::new();
            for item in items {
                tips.push(values.commit_of(item)?);
            }
            let table = values.table()?;
            let tip = table.intern(&tip);
            let tips: Vec<Option<u32>> = tips.iter().map(|id| id.map(|id| table.intern(&id))).collect();
            if let Some(best) = reach::likely_base(table, tip, &tips)? {
                values.bases.insert(name, items[best].name.to_owned());
            }
        }
        Ok(())
    }
}

/// Judges references one by one.
struct Judge<'f> {
    filter: &'f Filter,
    contains: Option<Containing>,
    no_contains: Option<Containing>,
}

impl<'f> Judge<'f> {
    fn new(filter: &'f Filter, values: &mut Values<'_>) -> Result<Self, Error> {
        let mut asked = |ids: &[ObjectId]| -> Result<Option<Containing>, Error> {
            if ids.is_empty() {
                return Ok(None);
            }
            let table = values.table()?;
            let targets: Vec<u32> = ids.iter().map(|id| table.intern(id)).collect();
            Ok(Some(Containing::new(table, &targets)?))
        };
        Ok(Judge { filter, contains: asked(&filter.contains)?, no_contains: asked(&filter.no_contains)? })
    }

    fn keeps(&mut self, values: &mut Values<'_>, item: &Item<'_>) -> Result<bool, Error> {
        if !self.filter.points_at.is_empty() && !self.points_at(values, item)? {
            return Ok(false);
        }
        if !self.filter.needs_commits() {
            return Ok(true);
        }
        let Some(commit) = values.commit_of(item)? else { return Ok(false) };
        for (asked, wanted) in [(&mut self.contains, true), (&mut self.no_contains, false)] {
            if let Some(asked) = asked {
                let table = values.table()?;
                let position = table.intern(&commit);
                if asked.ask(table, position)? != wanted {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn points_at(&self, values: &Values<'_>, item: &Item<'_>) -> Result<bool, Error> {
        let wanted = &self.filter.points_at;
        let mut id = item.id;
        let mut content = Vec::new();
        loop {
            if wanted.contains(&id) {
                return Ok(true);
            }
            if item.peeled == Some(id) || values.kind(&id, item)? != ObjectKind::Tag {
                return Ok(false);
            }
            values.objects.read_kind(&id, ObjectKind::Tag, &mut content)?;
            match Tag::parse(values.objects.format(), &content) {
                Ok(tag) => id = tag.target(),
                Err(_) => return Ok(false),
            }
        }
    }
}
