//! History as the repository has it: its commit-graph, its grafts, and common ancestors.

use std::sync::Arc;

use adit_object::ObjectId;
use adit_odb::{CommitGraph, Diagnostic};
use adit_revision::{CommitTable, merge_base};

use crate::{OpenError, Repository};

/// The commit-graph of a repository, and what is to be said of files that could not be used.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    graph: Option<CommitGraph>,
    diagnostics: Vec<Diagnostic>,
}

impl Repository {
    /// An empty table of commits, which knows this repository's commit-graph and grafts.
    ///
    /// # Errors
    /// When the objects cannot be opened or the grafts cannot be read.
    pub fn commit_table(&self) -> Result<CommitTable<'_>, OpenError> {
        let objects = self.shared_objects()?;
        let grafts = self.grafts()?;
        let graph = if grafts.is_empty() { self.commit_graph()? } else { None };
        let mut table = CommitTable::new(&**objects, graph);
        table.share_source(Arc::<adit_odb::Store>::clone(objects));
        table.set_grafts(grafts);
        Ok(table)
    }

    /// The commit-graph; `None` when there is none, it is broken, or it may not be used: `core.commitGraph` can forbid
    /// it, and it does not know of replaced objects.
    ///
    /// # Errors
    /// When the setting is no boolean.
    pub fn commit_graph(&self) -> Result<Option<&CommitGraph>, OpenError> {
        if self.config().bool("core.commitgraph")? == Some(false) || self.has_replacements()? {
            return Ok(None);
        }
        Ok(self.graph().graph.as_ref())
    }

    /// What was found damaged in files of the repository and done without, so far: commit-graphs first.
    pub fn take_complaints(&self) -> Vec<String> {
        let graph = self.commit_graph_diagnostics().iter().map(|diagnostic| {
            format!("{}: {}", if diagnostic.is_error { "error" } else { "warning" }, diagnostic.text)
        });
        let store = self.objects_if_open().map(adit_odb::Store::take_damage).unwrap_or_default();
        let damage = store.iter().map(|damage| format!("warning: {damage}"));
        graph.chain(damage).chain(self.noted_complaints()).collect()
    }

    /// What is to be said of commit-graph files that were opened and could not be used.
    pub fn commit_graph_diagnostics(&self) -> &[Diagnostic] {
        self.graph.get().map_or(&[], |graph| &graph.diagnostics)
    }

    fn graph(&self) -> &Graph {
        self.graph.get_or_init(|| {
            let mut diagnostics = Vec::new();
            let graph = CommitGraph::open(&self.objects_dir(), self.object_format(), &mut diagnostics);
            Graph { graph, diagnostics }
        })
    }

    /// The best common ancestors of `one` and a merge of `others`, which are commits, youngest first.
    ///
    /// # Errors
    /// When history cannot be read.
    pub fn merge_bases(&self, one: &ObjectId, others: &[ObjectId]) -> Result<Vec<ObjectId>, OpenError> {
        let mut table = self.commit_table()?;
        let one = table.intern(one);
        let others: Vec<u32> = others.iter().map(|id| table.intern(id)).collect();
        let bases = merge_base::merge_bases(&mut table, one, &others)?;
        Ok(bases.into_iter().map(|base| table.id(base)).collect())
    }
}
