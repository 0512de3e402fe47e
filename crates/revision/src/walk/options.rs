//! What to walk and what to show of it.

use adit_diff::pathspec::Pathspec;
use adit_object::{IdSet, ObjectId};

use super::Halving;
use crate::message::MessageFilter;

/// A commit to start from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tip {
    /// The commit.
    pub id: ObjectId,
    /// Whether it and what it reaches are left out (`^id`).
    pub excluded: bool,
    /// Whether it is the left side of `left...right`.
    pub left: bool,
}

impl Tip {
    /// A commit whose history is shown.
    pub fn included(id: ObjectId) -> Self {
        Tip { id, excluded: false, left: false }
    }

    /// A commit whose history is left out.
    pub fn excluded(id: ObjectId) -> Self {
        Tip { id, excluded: true, left: false }
    }
}

/// In which order commits come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// By committer date, newest first, as the walk meets them.
    #[default]
    Date,
    /// Children before parents, lines of history kept together (`--topo-order`).
    Topological,
    /// Children before parents, else by committer date (`--date-order`).
    TopologicalDate,
    /// Children before parents, else by author date (`--author-date-order`).
    TopologicalAuthorDate,
}

/// Whether to show the given commits only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoWalk {
    /// By committer date, newest first.
    Sorted,
    /// As they were given.
    Unsorted,
}

/// What to do with commits that make the same change as one on the other side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Cherry {
    /// Nothing.
    #[default]
    Ignore,
    /// Leave both out (`--cherry-pick`).
    Pick,
    /// Mark both (`--cherry-mark`).
    Mark,
}

/// Which sides of a symmetric difference to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sides {
    /// Both.
    #[default]
    Both,
    /// The left one (`--left-only`).
    Left,
    /// The right one (`--right-only`).
    Right,
}

/// What a walk shows, and how. The default shows all commits reachable from the tips by date.
#[derive(Debug, Clone, Default)]
pub struct WalkOptions {
    /// The order.
    pub order: Order,
    /// Show the chosen commits last to first.
    pub reverse: bool,
    /// Show at most so many.
    pub max_count: Option<u64>,
    /// Of the commits that would be shown, show at most the last so many.
    pub max_count_oldest: Option<u64>,
    /// Leave out so many first.
    pub skip: u64,
    /// Stop at commits older than this.
    pub since: Option<u64>,
    /// Leave out commits older than this, without stopping.
    pub since_as_filter: Option<u64>,
    /// Leave out commits younger than this.
    pub until: Option<u64>,
    /// Show only commits with at least so many parents.
    pub min_parents: usize,
    /// Show only commits with at most so many parents.
    pub max_parents: Option<usize>,
    /// Show only commits whose header or message match.
    pub message: Option<MessageFilter>,
    /// Follow only first parents.
    pub first_parent: bool,
    /// Exclude only along first parents.
    pub exclude_first_parent_only: bool,
    /// Show only what lies between excluded tips and included ones, or on the way to or from the given commits.
    pub ancestry_path: Option<Vec<ObjectId>>,
    /// Which sides to show.
    pub sides: Sides,
    /// What to do with equivalent commits of the other side.
    pub cherry: Cherry,
    /// Show the excluded commits at the boundary too.
    pub boundary: bool,
    /// Rewrite parents to those that are shown (`--parents`, `--graph`, ...).
    pub rewrite_parents: bool,
    /// Find out the children of each commit (`--children`).
    pub children: bool,
    /// Only the paths that matter.
    pub pathspec: Option<Pathspec>,
    /// Show also commits that change nothing that matters (`--sparse`).
    pub sparse: bool,
    /// Follow all parents of a merge, even if one has the same content.
    pub full_history: bool,
    /// Simplify merges after a full history was made.
    pub simplify_merges: bool,
    /// Show merges that brought in a change from a side branch.
    pub show_pulls: bool,
    /// Stop where the paths disappear.
    pub remove_empty: bool,
    /// Only commits in this set matter (`--simplify-by-decoration`), and those that change the pathspec.
    pub decorated: Option<IdSet>,
    /// Show the given commits only.
    pub no_walk: Option<NoWalk>,
    /// Show only commits that no other commit shown reaches.
    pub maximal_only: bool,
    /// Go on when a parent is missing, as if it were not there.
    pub ignore_missing_links: bool,
    /// Walk all before the first commit is shown, whether or not the other options ask for it.
    pub limited: bool,
    /// Which commits of the whole range are shown.
    pub halving: Halving,
    /// Remember which tip each commit was first reached from (`--source`).
    pub track_sources: bool,
}
