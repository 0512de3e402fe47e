//! The chain of operation of gitdiffcore: from the pairs that a comparison found to those that are shown.

use std::ops::ControlFlow;

use adit_object::{EntryKind, ObjectId, Source, SourceError};
use bstr::{BString, ByteSlice};

use crate::breaks::{BreakOptions, put_together, take_apart};
use crate::contents::{Contents, Objects};
use crate::filter::Filter;
use crate::lines;
use crate::order::{OrderFile, Rotate};
use crate::pathspec::Pathspec;
use crate::pickaxe::{Pickaxe, Scratch};
use crate::programs::{ProgramError, Texts};
use crate::renames::{RenameOptions, Skipped, Uses, detect};
use crate::trees::{Change, TreeDiff, TreeOptions};
use crate::{FilePair, Side, Status};

/// What is compared, and what happens to the pairs that are found.
#[derive(Debug, Default)]
pub struct Options {
    /// Descend into folders (`-r`).
    pub recursive: bool,
    /// Show folders too (`-t`).
    pub show_trees: bool,
    /// Which paths are compared.
    pub pathspec: Pathspec,
    /// Only paths that start with this are shown (`--relative`).
    pub relative: BString,
    /// Leave out changes of a submodule's commit (`--ignore-submodules`).
    pub ignore_submodules: bool,
    /// Swap the two sides (`-R`).
    pub reverse: bool,
    /// Take rewrites apart (`-B`).
    pub breaks: Option<BreakOptions>,
    /// Find renames and copies (`-M`, `-C`).
    pub renames: Option<RenameOptions>,
    /// Keep pairs that change something (`-S`, `-G`, `--find-object`).
    pub pickaxe: Option<Pickaxe>,
    /// Keep all pairs when pickaxe keeps one (`--pickaxe-all`).
    pub pickaxe_all: bool,
    /// How pickaxe gets at the text that programs make of contents; `None` to look into contents.
    pub texts: Option<Texts>,
    /// The order of the pairs (`-O`).
    pub order: OrderFile,
    /// Where output starts (`--rotate-to`, `--skip-to`).
    pub rotate: Option<Rotate>,
    /// Which statuses are kept (`--diff-filter`).
    pub filter: Option<Filter>,
    /// How lines are compared, for `-G`.
    pub lines: lines::Options,
}

impl Options {
    /// Whether everything that the comparison finds will be shown, so that the first find settles whether there is any.
    fn keeps_all(&self) -> bool {
        self.pickaxe.is_none()
            && self.filter.is_none()
            && self.relative.is_empty()
            && self.rotate.is_none()
            && !self.ignore_submodules
    }
}

/// Why a comparison could not be made or shown.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An object could not be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// `--rotate-to` or `--skip-to` names a path that does not differ.
    #[error("No such path '{0}' in the diff")]
    NoSuchPath(BString),
    /// A file is too large to be compared by line.
    #[error("unable to generate diffstat for {0}")]
    StatTooLarge(BString),
    /// A program failed.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// A patch could not be written.
    #[error(transparent)]
    Patch(#[from] crate::patch::PatchError),
}

/// Compares trees as the options say. Keeps its buffers, so that one is good for a whole history.
#[derive(Debug)]
pub struct Diffcore<'a, S: ?Sized> {
    source: &'a S,
    options: &'a Options,
    trees: TreeDiff<'a, S>,
    scratch: Scratch,
    skipped: Option<Skipped>,
}

impl<'a, S: Source + ?Sized> Diffcore<'a, S> {
    /// A comparer of trees of `source`.
    pub fn new(source: &'a S, options: &'a Options) -> Self {
        Diffcore { source, options, trees: TreeDiff::new(source), scratch: Scratch::default(), skipped: None }
    }

    /// The options it was made with.
    pub fn options(&self) -> &'a Options {
        self.options
    }

    /// The rename detection that was left out so far for being too much; of several, the largest.
    pub fn skipped(&self) -> Option<Skipped> {
        self.skipped
    }

    /// The pairs to show for the change from tree `old` to tree `new` (`None` is the empty tree).
    pub fn compare(
        &mut self,
        old: Option<&ObjectId>,
        new: Option<&ObjectId>,
    ) -> Result<Vec<FilePair>, Error> {
        let mut pairs = Vec::new();
        self.walk(old, new, |change| {
            pairs.push(change.to_pair());
            ControlFlow::Continue(())
        })?;
        self.transform(pairs)
    }

    /// Whether [`Diffcore::compare`] would find anything; ends at the first find when that can be.
    pub fn differs(&mut self, old: Option<&ObjectId>, new: Option<&ObjectId>) -> Result<bool, Error> {
        if !self.options.keeps_all() {
            return Ok(!self.compare(old, new)?.is_empty());
        }
        Ok(self.walk(old, new, |change| match change.old == change.new {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        })?)
    }

    fn walk(
        &mut self,
        old: Option<&ObjectId>,
        new: Option<&ObjectId>,
        visit: impl FnMut(Change<'_>) -> ControlFlow<()>,
    ) -> Result<bool, SourceError> {
        let options = TreeOptions {
            recursive: self.options.recursive || self.options.show_trees,
            show_trees: self.options.show_trees,
            unmodified: self.options.renames.is_some_and(|renames| renames.harder),
            pathspec: Some(&self.options.pathspec),
        };
        Ok(self.trees.diff(old, new, &options, visit)?.is_break())
    }

    /// Sends pairs that a comparison found through the chain, with the contents of the source.
    pub fn transform(&mut self, pairs: Vec<FilePair>) -> Result<Vec<FilePair>, Error> {
        let contents = Objects(self.source);
        self.transform_with(pairs, &contents)
    }

    /// Sends pairs through the chain, with contents from elsewhere.
    pub fn transform_with(
        &mut self,
        mut pairs: Vec<FilePair>,
        contents: &dyn Contents,
    ) -> Result<Vec<FilePair>, Error> {
        let options = self.options;
        if !options.relative.is_empty() {
            pairs.retain(|pair| pair.new.path.starts_with_str(&options.relative));
        }
        if options.ignore_submodules {
            let is_submodule = |side: &Side| side.kind() == Some(EntryKind::Gitlink);
            pairs.retain(|pair| !(is_submodule(&pair.old) && is_submodule(&pair.new)));
        }
        if options.reverse {
            pairs.iter_mut().for_each(FilePair::reverse);
        }
        if let Some(breaks) = &options.breaks {
            pairs = take_apart(pairs, contents, breaks)?;
        }
        let mut uses = Uses::default();
        if let Some(renames) = &options.renames {
            let detected = detect(pairs, contents, renames)?;
            (pairs, uses) = (detected.pairs, detected.uses);
            self.note_skipped(detected.skipped);
        }
        if options.breaks.is_some() {
            pairs = put_together(pairs, &mut uses);
        }
        if let Some(pickaxe) = &options.pickaxe {
            pickaxe.apply(&mut pairs, contents, options, &mut self.scratch)?;
        }
        options.order.apply(&mut pairs);
        match &options.rotate {
            Some(rotate) if !rotate.apply(&mut pairs) => return Err(Error::NoSuchPath(rotate.path.clone())),
            _ => {}
        }
        uses.settle(&mut pairs);
        if let Some(filter) = &options.filter {
            filter.apply(&mut pairs);
        }
        debug_assert!(pairs.iter().all(|pair| pair.status != Status::Unknown));
        Ok(pairs)
    }

    fn note_skipped(&mut self, skipped: Option<Skipped>) {
        let Some(skipped) = skipped else { return };
        if self.skipped.is_none_or(|before| skipped.needed > before.needed) {
            self.skipped = Some(skipped);
        }
    }
}
