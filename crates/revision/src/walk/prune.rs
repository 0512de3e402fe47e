//! History simplification as it is walked: which commits change what matters, and which parents to follow
//! ('History Simplification' in rev-list-options).

use std::ops::ControlFlow;

use adit_diff::pathspec::Pathspec;
use adit_diff::trees::{TreeDiff, TreeOptions};
use adit_object::{IdSet, ObjectId, Source, SourceError};
use adit_odb::{BloomKey, BloomSettings};

use super::literal::LiteralPaths;
use super::scout::Scout;
use super::{Walk, WalkOptions};
use crate::flags::Flag;
use crate::{CommitTable, Error};

/// Fewer comparisons than this are not worth a thread.
const MANY: u32 = 256;

/// What compares the trees of a commit and its parents.
pub(super) struct Pruner<'s> {
    comparer: Comparer<'s>,
    /// How many comparisons there were.
    compared: u32,
    scout: Option<Scout>,
    decorated: Option<IdSet>,
    filter: Option<PathFilter>,
    /// Whether additions must be told from other changes.
    remove_empty: bool,
}

/// What compares two trees in the paths that matter.
pub(super) struct Comparer<'s> {
    diff: TreeDiff<'s, dyn Source + 's>,
    pathspec: Option<Pathspec>,
    /// The pathspec when it names paths exactly.
    literal: Option<LiteralPaths<'s>>,
}

impl<'s> Comparer<'s> {
    fn new(source: &'s (dyn Source + 's), pathspec: Option<Pathspec>) -> Self {
        let literal = pathspec.as_ref().and_then(|pathspec| LiteralPaths::new(source, pathspec));
        Comparer { diff: TreeDiff::new(source), pathspec, literal }
    }

    /// Whether two trees differ.
    pub(super) fn differ(&mut self, old: &ObjectId, new: &ObjectId) -> Result<bool, SourceError> {
        match &mut self.literal {
            _ if old == new => Ok(false),
            Some(paths) => paths.differ(old, new),
            None => self.diff.has_changes(Some(old), Some(new), self.pathspec.as_ref()),
        }
    }

    /// How two trees differ.
    fn compare_kinds(&mut self, old: &ObjectId, new: &ObjectId) -> Result<TreeChange, SourceError> {
        let options =
            TreeOptions { recursive: true, pathspec: self.pathspec.as_ref(), ..TreeOptions::default() };
        let mut change = TreeChange::Same;
        let _ = self.diff.diff(Some(old), Some(new), &options, |entry| {
            if entry.old.is_some() {
                change = TreeChange::Different;
                return ControlFlow::Break(());
            }
            change = TreeChange::Additions;
            ControlFlow::Continue(())
        })?;
        Ok(change)
    }

    /// Whether nothing that matters is in a tree.
    fn is_empty(&mut self, tree: &ObjectId) -> Result<bool, SourceError> {
        match &mut self.literal {
            Some(paths) => paths.lacks_all(tree),
            None => Ok(!self.diff.has_changes(None, Some(tree), self.pathspec.as_ref())?),
        }
    }
}

/// How a tree differs from a parent's, in the paths that matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TreeChange {
    Same,
    /// Only additions.
    Additions,
    Different,
}

/// The pathspec as it is asked of changed-path filters: a commit may matter if all keys of one item are there.
struct PathFilter {
    settings: BloomSettings,
    items: Vec<Vec<BloomKey>>,
}

impl PathFilter {
    fn new(table: &CommitTable<'_>, pathspec: &Pathspec) -> Option<Self> {
        let settings = table.graph()?.bloom_settings()?;
        let paths = pathspec.items().iter().map(|item| {
            let path: &[u8] = item.pattern();
            let path = path.strip_suffix(b"/").unwrap_or(path);
            (item.is_literal() && !path.is_empty()).then(|| settings.keys_with_folders(path))
        });
        Some(PathFilter { settings, items: paths.collect::<Option<_>>()? })
    }

    /// Whether a commit is known to change nothing that matters against its first parent.
    fn denies(&self, table: &CommitTable<'_>, position: u32) -> bool {
        let Some((graph, at)) = table.graph().zip(table.graph_position(position)) else { return false };
        self.items.iter().all(|keys| graph.may_have_changed(at, &self.settings, keys) == Some(false))
    }
}

impl<'s> Pruner<'s> {
    /// What the options ask for; `None` when every commit matters.
    pub(super) fn new(table: &CommitTable<'s>, options: &WalkOptions) -> Option<Self> {
        let pathspec = options.pathspec.clone().filter(|pathspec| !pathspec.is_empty());
        if pathspec.is_none() && options.decorated.is_none() {
            return None;
        }
        let filter = pathspec.as_ref().and_then(|pathspec| PathFilter::new(table, pathspec));
        Some(Pruner {
            comparer: Comparer::new(table.source(), pathspec),
            compared: 0,
            scout: None,
            decorated: options.decorated.clone(),
            filter,
            remove_empty: options.remove_empty,
        })
    }

    fn compare(
        &mut self,
        table: &CommitTable<'_>,
        parent: u32,
        commit: u32,
        nth: usize,
    ) -> Result<TreeChange, Error> {
        if let Some(decorated) = &self.decorated {
            if decorated.contains(&table.id(commit)) {
                return Ok(TreeChange::Different);
            }
            if self.comparer.pathspec.is_none() {
                return Ok(TreeChange::Same);
            }
        }
        if nth == 0 && self.filter.as_ref().is_some_and(|filter| filter.denies(table, commit)) {
            return Ok(TreeChange::Same);
        }
        let (old, new) = (table.tree(parent), table.tree(commit));
        if old == new {
            return Ok(TreeChange::Same);
        }
        if self.remove_empty {
            return Ok(self.comparer.compare_kinds(&old, &new)?);
        }
        self.compared += 1;
        let scouted = match &mut self.scout {
            Some(scout) if nth == 0 => scout.verdict(commit),
            _ => None,
        };
        let changed = match scouted {
            Some(changed) => changed,
            None => self.comparer.differ(&old, &new)?,
        };
        Ok(if changed { TreeChange::Different } else { TreeChange::Same })
    }

    /// The walk has come to a commit: has trees compared ahead, once there were many.
    fn come_to(&mut self, table: &mut CommitTable<'_>, commit: u32) {
        if self.compared == MANY && self.scout.is_none() {
            self.compared += 1;
            self.scout = self.start_scout(table);
            if self.scout.is_some() {
                // There is work enough for both threads in what the walk comes to, and it does not come to all commits.
                table.read_alone();
            }
        }
        if let Some(scout) = &mut self.scout {
            scout.follow(table, commit);
        }
    }

    /// A scout, unless few trees are compared at all, or not in this way.
    fn start_scout(&self, table: &CommitTable<'_>) -> Option<Scout> {
        if self.decorated.is_some() || self.filter.is_some() || self.remove_empty {
            return None;
        }
        let pathspec = self.comparer.pathspec.clone();
        Scout::start(table.shared_source()?, |source| Comparer::new(source, pathspec))
    }

    /// Whether nothing that matters is in a commit's tree.
    fn is_empty(&mut self, table: &CommitTable<'_>, commit: u32) -> Result<bool, Error> {
        if self.filter.as_ref().is_some_and(|filter| filter.denies(table, commit))
            && table.parents(commit).is_empty()
        {
            return Ok(true);
        }
        Ok(self.comparer.is_empty(&table.tree(commit))?)
    }
}

/// What was found of a commit's parents so far.
#[derive(Debug, Default)]
struct Verdict {
    relevant_parents: usize,
    relevant_change: bool,
    irrelevant_change: bool,
}

impl Verdict {
    fn add(&mut self, relevant: bool, same: bool) {
        self.relevant_parents += usize::from(relevant);
        if !same {
            if relevant { self.relevant_change = true } else { self.irrelevant_change = true }
        }
    }

    /// Parents that are not walked decide only when there are no others.
    fn is_treesame(&self) -> bool {
        if self.relevant_parents > 0 { !self.relevant_change } else { !self.irrelevant_change }
    }
}

impl Walk<'_> {
    /// Finds out whether a commit changes what matters; a merge that has the content of one parent is cut down to it,
    /// unless the full history is wanted.
    pub(super) fn simplify_commit(&mut self, position: u32) -> Result<(), Error> {
        let Some(mut pruner) = self.pruner.take() else { return Ok(()) };
        let result = self.simplify_with(&mut pruner, position);
        self.pruner = Some(pruner);
        result
    }

    fn simplify_with(&mut self, pruner: &mut Pruner<'_>, position: u32) -> Result<(), Error> {
        let count = self.table.parent_count(position);
        if count == 0 {
            if pruner.is_empty(&self.table, position)? {
                self.flags.set(position, Flag::TREESAME);
            }
            return Ok(());
        }
        if self.options.sparse && count == 1 {
            return Ok(());
        }
        pruner.come_to(&mut self.table, position);
        let mut verdict = Verdict::default();
        let keep_each = count > 1 && self.options.full_history && !self.options.first_parent;
        let mut same_as = vec![false; if keep_each { count } else { 0 }];
        let looked_at = if self.options.first_parent { 1 } else { count };
        for nth in 0..looked_at {
            let Some(parent) = self.table.parent(position, nth) else { break };
            if let Err(error) = self.table.load(parent) {
                if self.options.ignore_missing_links {
                    continue;
                }
                return Err(Error::Parents { commit: self.table.id(position), error: Box::new(error) });
            }
            let relevant = self.is_relevant(parent);
            let change = pruner.compare(&self.table, parent, position, nth)?;
            let same = change == TreeChange::Same;
            verdict.add(relevant, same);
            if let Some(slot) = same_as.get_mut(nth) {
                *slot = same;
            }
            if same && !self.options.full_history && relevant {
                return self.follow_only(position, nth, parent);
            }
            if !same {
                self.note_change(pruner, position, nth, parent, change)?;
            }
        }
        if keep_each {
            self.treesame.insert(position, same_as.into());
        }
        self.flags.put(position, Flag::TREESAME, verdict.is_treesame());
        Ok(())
    }

    /// The commit has the content of this parent: the others do not matter.
    fn follow_only(&mut self, position: u32, nth: usize, parent: u32) -> Result<(), Error> {
        self.table.set_parents(position, &[parent]);
        // A merge that took its content from a side branch is what `--show-pulls` is for.
        if !self.options.show_pulls || nth == 0 {
            self.flags.set(position, Flag::TREESAME);
        }
        Ok(())
    }

    fn note_change(
        &mut self,
        pruner: &mut Pruner<'_>,
        position: u32,
        nth: usize,
        parent: u32,
        change: TreeChange,
    ) -> Result<(), Error> {
        if change == TreeChange::Additions && pruner.remove_empty && pruner.is_empty(&self.table, parent)? {
            self.table.set_parents(parent, &[]);
        }
        if nth == 0 {
            self.flags.set(position, Flag::PULL);
        }
        Ok(())
    }

    /// Decides again whether a merge changes what matters, after some of its parents were excluded.
    pub(super) fn update_treesame(&mut self, position: u32) -> bool {
        if let Some(same_as) = self.treesame.get(&position) {
            let parents = self.table.parents(position);
            let mut verdict = Verdict::default();
            for (&parent, &same) in parents.iter().zip(same_as) {
                verdict.add(self.is_relevant(parent), same);
            }
            let same = verdict.is_treesame();
            self.flags.put(position, Flag::TREESAME, same);
        }
        self.flags.any(position, Flag::TREESAME)
    }

    /// Whether a commit is part of the history that is looked at: not excluded, or where the exclusion starts.
    pub(super) fn is_relevant(&self, position: u32) -> bool {
        !self.flags.any(position, Flag::UNINTERESTING) || self.flags.any(position, Flag::BOTTOM)
    }
}
