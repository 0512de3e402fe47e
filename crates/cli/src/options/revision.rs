//! The options of commands that walk history: what to start from, what to leave out, in which order (rev-list-options).
//!
//! [`RevisionOptions`] holds what was said; the command looks it up in the repository.
//! Revisions and the options that stand for many of them keep their order, because `--not` and `--exclude` hold for
//! what follows.

use adit_revision::message::MessagePatterns;
use adit_revision::{Cherry, NoWalk, Order, Sides, WalkOptions};
use adit_text::date::{Clock, approxidate};
use adit_text::posix_regex::Syntax;
use bstr::{BStr, BString, ByteSlice};

use super::{Given, Opt, Table};
use crate::error::Error;

/// The options of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is called as the option is")]
pub enum Id {
    AllMatch,
    AncestryPath,
    All,
    AlternateRefs,
    Author,
    AuthorDateOrder,
    BasicRegexp,
    Bisect,
    Boundary,
    Branches,
    Cherry,
    CherryMark,
    CherryPick,
    Children,
    Committer,
    DateOrder,
    Dense,
    DoWalk,
    Exclude,
    ExcludeFirstParentOnly,
    ExcludeHidden,
    ExtendedRegexp,
    FirstParent,
    FixedStrings,
    FullHistory,
    Glob,
    Graph,
    GraphLaneLimit,
    Grep,
    GrepReflog,
    IgnoreCase,
    IgnoreMissing,
    IndexedObjects,
    InCommitOrder,
    InvertGrep,
    LeftOnly,
    LeftRight,
    MaxAge,
    MaxCount,
    MaxCountOldest,
    MaximalOnly,
    MaxParents,
    Merge,
    Merges,
    MinAge,
    MinParents,
    NoGraph,
    NoMaxParents,
    NoMerges,
    NoMinParents,
    NoWalk,
    Not,
    Number,
    Parents,
    PerlRegexp,
    Reflog,
    Remotes,
    RemoveEmpty,
    Reverse,
    RightOnly,
    ShowPulls,
    SimplifyByDecoration,
    SimplifyMerges,
    Since,
    SinceAsFilter,
    SingleWorktree,
    Skip,
    Sparse,
    Stdin,
    Tags,
    TopoOrder,
    Unpacked,
    Until,
    WalkReflogs,
}

/// The options that choose and order commits.
pub const TABLE: Table<Id> = Table::exact(&[
    Opt::value(Id::MaxCount, "max-count", "n", "show at most this many commits").short(b'n'),
    Opt::number(Id::Number, "show at most this many commits"),
    Opt::value(Id::MaxCountOldest, "max-count-oldest", "n", "show at most this many of the last commits"),
    Opt::value(Id::Skip, "skip", "n", "leave out the first commits"),
    Opt::value(Id::Since, "since", "date", "show commits younger than a date"),
    Opt::value(Id::Since, "after", "date", "show commits younger than a date").hidden(),
    Opt::value(Id::SinceAsFilter, "since-as-filter", "date", "look behind commits older than the date too"),
    Opt::value(Id::Until, "until", "date", "show commits older than a date"),
    Opt::value(Id::Until, "before", "date", "show commits older than a date").hidden(),
    Opt::value(Id::MaxAge, "max-age", "seconds", "show commits since a time in seconds").hidden(),
    Opt::value(Id::MinAge, "min-age", "seconds", "show commits until a time in seconds").hidden(),
    Opt::value(Id::Author, "author", "pattern", "show commits whose author matches"),
    Opt::value(Id::Committer, "committer", "pattern", "show commits whose committer matches"),
    Opt::value(Id::Grep, "grep", "pattern", "show commits whose message has a line that matches"),
    Opt::value(Id::GrepReflog, "grep-reflog", "pattern", "show entries of reflogs that match").hidden(),
    Opt::flag(Id::AllMatch, "all-match", "every --grep must match"),
    Opt::flag(Id::InvertGrep, "invert-grep", "show commits whose message does not match"),
    Opt::flag(Id::IgnoreCase, "regexp-ignore-case", "match whatever the case").short(b'i'),
    Opt::flag(Id::BasicRegexp, "basic-regexp", "patterns are basic regular expressions"),
    Opt::flag(Id::ExtendedRegexp, "extended-regexp", "patterns are extended regular expressions").short(b'E'),
    Opt::flag(Id::FixedStrings, "fixed-strings", "patterns are plain text").short(b'F'),
    Opt::flag(Id::PerlRegexp, "perl-regexp", "patterns are Perl's regular expressions").short(b'P'),
    Opt::flag(Id::RemoveEmpty, "remove-empty", "stop where the paths disappear"),
    Opt::flag(Id::Merges, "merges", "show only merges"),
    Opt::flag(Id::NoMerges, "no-merges", "show no merges"),
    Opt::value(Id::MinParents, "min-parents", "n", "show commits with at least so many parents"),
    Opt::flag(Id::NoMinParents, "no-min-parents", "forget --min-parents").hidden(),
    Opt::value(Id::MaxParents, "max-parents", "n", "show commits with at most so many parents"),
    Opt::flag(Id::NoMaxParents, "no-max-parents", "forget --max-parents").hidden(),
    Opt::flag(Id::FirstParent, "first-parent", "follow only the first parent of merges"),
    Opt::flag(Id::ExcludeFirstParentOnly, "exclude-first-parent-only", "exclude only along first parents"),
    Opt::flag(Id::MaximalOnly, "maximal-only", "show commits that no other shown one reaches"),
    Opt::flag(Id::Not, "not", "exclude the revisions that follow"),
    Opt::flag(Id::All, "all", "start from all references"),
    Opt::optional(Id::Branches, "branches", "pattern", "start from branches"),
    Opt::optional(Id::Tags, "tags", "pattern", "start from tags"),
    Opt::optional(Id::Remotes, "remotes", "pattern", "start from remote-tracking branches"),
    Opt::value(Id::Glob, "glob", "pattern", "start from references that match"),
    Opt::value(Id::Exclude, "exclude", "pattern", "leave references out of the next option for many"),
    Opt::value(Id::ExcludeHidden, "exclude-hidden", "section", "leave out references that are hidden"),
    Opt::flag(Id::Reflog, "reflog", "start from everything in reflogs"),
    Opt::flag(Id::AlternateRefs, "alternate-refs", "start from references of alternates").hidden(),
    Opt::flag(Id::IndexedObjects, "indexed-objects", "start from the objects in the index").hidden(),
    Opt::flag(Id::SingleWorktree, "single-worktree", "look at this working tree only").hidden(),
    Opt::flag(Id::IgnoreMissing, "ignore-missing", "pass over names that lead nowhere"),
    Opt::flag(Id::Bisect, "bisect", "start from the bad commit, without the good ones").hidden(),
    Opt::flag(Id::Stdin, "stdin", "read revisions from standard input too"),
    Opt::flag(Id::CherryMark, "cherry-mark", "mark commits that the other side has too"),
    Opt::flag(Id::CherryPick, "cherry-pick", "leave out commits that the other side has too"),
    Opt::flag(Id::LeftOnly, "left-only", "show commits of the left side"),
    Opt::flag(Id::RightOnly, "right-only", "show commits of the right side"),
    Opt::flag(Id::Cherry, "cherry", "--right-only --cherry-mark --no-merges"),
    Opt::flag(Id::LeftRight, "left-right", "mark commits by side"),
    Opt::flag(Id::WalkReflogs, "walk-reflogs", "walk entries of reflogs").short(b'g'),
    Opt::flag(Id::Merge, "merge", "show commits that touch conflicted paths").hidden(),
    Opt::flag(Id::Boundary, "boundary", "show the excluded commits at the boundary"),
    Opt::flag(Id::SimplifyByDecoration, "simplify-by-decoration", "show commits that have names"),
    Opt::flag(Id::ShowPulls, "show-pulls", "show merges that brought changes in"),
    Opt::flag(Id::FullHistory, "full-history", "follow all parents of merges"),
    Opt::flag(Id::Dense, "dense", "show only commits that change the paths"),
    Opt::flag(Id::Sparse, "sparse", "show also commits that change nothing"),
    Opt::flag(Id::SimplifyMerges, "simplify-merges", "leave out merges that add nothing"),
    Opt::optional(Id::AncestryPath, "ancestry-path", "commit", "show what lies on the way"),
    Opt::flag(Id::DateOrder, "date-order", "children first, then by date"),
    Opt::flag(Id::AuthorDateOrder, "author-date-order", "children first, then by author date"),
    Opt::flag(Id::TopoOrder, "topo-order", "children first, lines of history together"),
    Opt::flag(Id::Reverse, "reverse", "show the chosen commits in reverse"),
    Opt::optional(Id::NoWalk, "no-walk", "sorted|unsorted", "show only the given commits"),
    Opt::flag(Id::DoWalk, "do-walk", "walk in spite of --no-walk").hidden(),
    Opt::flag(Id::Parents, "parents", "show the parents of each commit"),
    Opt::flag(Id::Children, "children", "show the children of each commit"),
    Opt::flag(Id::Graph, "graph", "draw the history beside the commits"),
    Opt::flag(Id::NoGraph, "no-graph", "draw no graph").hidden(),
    Opt::value(Id::GraphLaneLimit, "graph-lane-limit", "n", "draw at most so many lanes"),
    Opt::flag(Id::InCommitOrder, "in-commit-order", "list objects after the commit that has them first")
        .hidden(),
    Opt::flag(Id::Unpacked, "unpacked", "show what is in no pack").hidden(),
]);

/// Something to start from, or that changes what the next means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// An argument: a revision, or the first path. Its place among the command's arguments is counted from the end.
    Word(BString, usize),
    /// `--not`
    Not,
    /// `--all`
    All,
    /// `--branches`, `--tags`, `--remotes` with the folder they mean.
    Under(&'static str, Option<BString>),
    /// `--glob`
    Glob(BString),
    /// `--exclude`
    Exclude(BString),
    /// `--exclude-hidden`
    ExcludeHidden(BString),
    /// `--reflog`
    Reflog,
    /// `--bisect`
    Bisect,
    /// `--alternate-refs`
    AlternateRefs,
    /// `--single-worktree`
    SingleWorktree,
    /// `--walk-reflogs`: what follows names logs.
    WalkReflogs,
}

/// What was said about which commits to show.
#[derive(Debug, Clone, Default)]
pub struct RevisionOptions {
    /// What needs no repository.
    pub walk: WalkOptions,
    /// Patterns for people and messages.
    pub patterns: MessagePatterns,
    /// Revisions and what stands for them, in order.
    pub items: Vec<Item>,
    /// `--ancestry-path=<commit>`, in order.
    pub ancestry: Vec<BString>,
    /// Sides are marked.
    pub left_right: bool,
    /// Parents are listed.
    pub parents: bool,
    /// A graph is drawn.
    pub graph: bool,
    /// The most lanes of the graph; 0 for no limit.
    pub graph_lanes: usize,
    /// Only commits with names matter.
    pub by_decoration: bool,
    /// Objects are listed after the commit that has them first.
    pub in_commit_order: bool,
    /// What is in a pack is left out.
    pub unpacked: bool,
    /// Names that lead nowhere are passed over.
    pub ignore_missing: bool,
    /// Revisions are read from standard input too.
    pub stdin: bool,
    /// Reflogs are walked, not history.
    pub reflogs: bool,
}

impl RevisionOptions {
    /// Notes one option; `clock` is what dates count from.
    ///
    /// # Errors
    /// When its value is none, or it asks for what there is not yet.
    pub fn apply(&mut self, given: &Given<Id>, clock: Clock<'_>) -> Result<(), Error> {
        match given.id {
            // Who asks for a number of commits wants more than those that are named.
            Id::Number | Id::MaxCount => {
                self.walk.max_count = u64::try_from(integer(given)?).ok();
                self.walk.no_walk = None;
            }
            Id::MaxCountOldest => {
                self.walk.max_count_oldest = Some(counted(given)?);
                self.walk.no_walk = None;
            }
            Id::Skip => self.walk.skip = counted(given)?,
            Id::Since => self.walk.since = Some(date(given, clock)),
            Id::SinceAsFilter => self.walk.since_as_filter = Some(date(given, clock)),
            Id::Until => self.walk.until = Some(date(given, clock)),
            Id::MaxAge => self.walk.since = Some(seconds(given)?),
            Id::MinAge => self.walk.until = Some(seconds(given)?),
            Id::Merges => self.walk.min_parents = 2,
            Id::NoMerges => self.walk.max_parents = Some(1),
            Id::MinParents => self.walk.min_parents = usize::try_from(integer(given)?).unwrap_or(0),
            Id::NoMinParents => self.walk.min_parents = 0,
            Id::MaxParents => self.walk.max_parents = usize::try_from(integer(given)?).ok(),
            Id::NoMaxParents => self.walk.max_parents = None,
            Id::IgnoreMissing => self.ignore_missing = true,
            Id::Stdin => self.stdin = true,
            Id::Unpacked => self.unpacked = true,
            Id::InCommitOrder => self.in_commit_order = true,
            Id::Graph => {
                self.graph = true;
                self.walk.rewrite_parents = true;
                self.order(Order::Topological, false);
            }
            Id::NoGraph => self.graph = false,
            Id::GraphLaneLimit => self.graph_lanes = usize::try_from(integer(given)?).unwrap_or(0),
            Id::Merge => return Err(Error::unsupported("--merge")),
            Id::IndexedObjects => return Err(Error::unsupported("--indexed-objects")),
            _ => {
                self.apply_start(given);
                self.apply_pattern(given)?;
                self.apply_sides(given)?;
                self.apply_shape(given)?;
            }
        }
        Ok(())
    }

    /// Notes a word that is no option; `left` is how many words follow it.
    pub fn word(&mut self, word: &BStr, left: usize) {
        self.items.push(Item::Word(word.to_owned(), left));
    }

    fn apply_start(&mut self, given: &Given<Id>) {
        let value = given.value.clone();
        let item = match given.id {
            Id::Not => Item::Not,
            Id::All => Item::All,
            Id::Branches => Item::Under("refs/heads/", value),
            Id::Tags => Item::Under("refs/tags/", value),
            Id::Remotes => Item::Under("refs/remotes/", value),
            Id::Glob => Item::Glob(given.text().to_owned()),
            Id::Exclude => Item::Exclude(given.text().to_owned()),
            Id::ExcludeHidden => Item::ExcludeHidden(given.text().to_owned()),
            Id::Reflog => Item::Reflog,
            Id::AlternateRefs => Item::AlternateRefs,
            Id::SingleWorktree => Item::SingleWorktree,
            Id::Bisect => Item::Bisect,
            Id::WalkReflogs => {
                self.reflogs = true;
                Item::WalkReflogs
            }
            _ => return,
        };
        self.items.push(item);
    }

    fn apply_pattern(&mut self, given: &Given<Id>) -> Result<(), Error> {
        let patterns = &mut self.patterns;
        let text = || given.text().to_owned();
        match given.id {
            Id::Author => patterns.authors.push(text()),
            Id::Committer => patterns.committers.push(text()),
            Id::Grep => patterns.messages.push(text()),
            Id::GrepReflog => patterns.reflogs.push(text()),
            Id::AllMatch => patterns.all_match = true,
            Id::InvertGrep => patterns.invert = true,
            Id::IgnoreCase => patterns.ignore_case = true,
            Id::BasicRegexp => patterns.syntax = Syntax::Basic,
            Id::ExtendedRegexp => patterns.syntax = Syntax::Extended,
            Id::FixedStrings => patterns.syntax = Syntax::Fixed,
            Id::PerlRegexp => return Err(Error::unsupported("--perl-regexp")),
            _ => {}
        }
        Ok(())
    }

    fn apply_sides(&mut self, given: &Given<Id>) -> Result<(), Error> {
        let walk = &mut self.walk;
        let exclusive = |a, b| Err(Error::fatal(format!("options '{a}' and '{b}' cannot be used together")));
        match given.id {
            Id::LeftRight => self.left_right = true,
            Id::LeftOnly if walk.sides == Sides::Right => {
                return exclusive("--left-only", "--right-only/--cherry");
            }
            Id::LeftOnly => walk.sides = Sides::Left,
            Id::RightOnly | Id::Cherry if walk.sides == Sides::Left => {
                let name = if given.id == Id::Cherry { "--cherry" } else { "--right-only" };
                return exclusive(name, "--left-only");
            }
            Id::RightOnly => walk.sides = Sides::Right,
            Id::Cherry => {
                walk.sides = Sides::Right;
                walk.cherry = Cherry::Mark;
                walk.max_parents = Some(1);
            }
            Id::CherryMark if walk.cherry == Cherry::Pick => {
                return exclusive("--cherry-mark", "--cherry-pick");
            }
            Id::CherryMark => walk.cherry = Cherry::Mark,
            Id::CherryPick if walk.cherry == Cherry::Mark => {
                return exclusive("--cherry-pick", "--cherry-mark");
            }
            Id::CherryPick => walk.cherry = Cherry::Pick,
            _ => {}
        }
        Ok(())
    }

    fn apply_shape(&mut self, given: &Given<Id>) -> Result<(), Error> {
        match given.id {
            Id::FirstParent => self.walk.first_parent = true,
            Id::ExcludeFirstParentOnly => self.walk.exclude_first_parent_only = true,
            Id::MaximalOnly => self.walk.maximal_only = true,
            Id::Boundary => self.walk.boundary = true,
            Id::SimplifyByDecoration => self.by_decoration = true,
            Id::ShowPulls => self.walk.show_pulls = true,
            Id::FullHistory => self.walk.full_history = true,
            Id::Dense => self.walk.sparse = false,
            Id::Sparse => self.walk.sparse = true,
            Id::SimplifyMerges => self.walk.simplify_merges = true,
            Id::RemoveEmpty => self.walk.remove_empty = true,
            Id::AncestryPath => {
                self.walk.ancestry_path.get_or_insert_default();
                self.ancestry.extend(given.value.clone());
            }
            Id::DateOrder => self.order(Order::TopologicalDate, true),
            Id::AuthorDateOrder => self.order(Order::TopologicalAuthorDate, true),
            Id::TopoOrder => self.order(Order::Topological, true),
            Id::Reverse => self.walk.reverse = !self.walk.reverse,
            Id::DoWalk => self.walk.no_walk = None,
            Id::NoWalk => self.walk.no_walk = Some(no_walk(given)?),
            Id::Parents => {
                self.parents = true;
                self.walk.rewrite_parents = true;
            }
            Id::Children => self.walk.children = true,
            _ => {}
        }
        Ok(())
    }

    /// Sets the order; one that is only implied leaves a topological one as it is.
    fn order(&mut self, order: Order, said: bool) {
        if said || self.walk.order == Order::Date {
            self.walk.order = order;
        }
    }

    /// Refuses what does not go together with walking reflogs; `has_generations` tells whether orders need no limits.
    ///
    /// # Errors
    /// When options contradict each other.
    pub fn check_reflogs(&self, has_generations: bool) -> Result<(), Error> {
        let walk = &self.walk;
        let limits = walk.children
            || walk.simplify_merges
            || walk.ancestry_path.is_some()
            || walk.sides != Sides::Both
            || walk.cherry != Cherry::Ignore
            || self.by_decoration
            || (walk.order != Order::Date && !has_generations);
        Err(Error::fatal(match (self.graph, walk.reverse) {
            _ if limits => "cannot combine --walk-reflogs with history-limiting options",
            (true, true) => "options '--graph', '--reverse', and '--walk-reflogs' cannot be used together",
            (true, false) => "options '--graph' and '--walk-reflogs' cannot be used together",
            (false, true) => "options '--reverse' and '--walk-reflogs' cannot be used together",
            (false, false) => return Ok(()),
        }))
    }

    /// Refuses what does not go together.
    ///
    /// # Errors
    /// When two options contradict each other.
    pub fn check(&self) -> Result<(), Error> {
        let walk = &self.walk;
        if !self.patterns.reflogs.is_empty() && !self.reflogs {
            return Err(Error::fatal("the option '--grep-reflog' requires '--walk-reflogs'"));
        }
        let pairs = [
            (walk.rewrite_parents && walk.children, "--parents", "--children"),
            (self.graph && walk.reverse && !self.reflogs, "--reverse", "--graph"),
            (walk.skip > 0 && walk.max_count_oldest.is_some(), "--skip", "--max-count-oldest"),
            (
                walk.max_count.is_some() && walk.max_count_oldest.is_some(),
                "--max-count",
                "--max-count-oldest",
            ),
        ];
        match pairs.iter().find(|(wrong, ..)| *wrong) {
            Some((_, a, b)) => Err(Error::fatal(format!("options '{a}' and '{b}' cannot be used together"))),
            None => Ok(()),
        }
    }
}

fn no_walk(given: &Given<Id>) -> Result<NoWalk, Error> {
    match given.value.as_ref().map(|value| value.as_slice()) {
        None | Some(b"sorted") => Ok(NoWalk::Sorted),
        Some(b"unsorted") => Ok(NoWalk::Unsorted),
        Some(_) => Err(Error::fatal("invalid argument to --no-walk")),
    }
}

fn date(given: &Given<Id>, clock: Clock<'_>) -> u64 {
    approxidate(given.text(), clock).seconds
}

fn integer(given: &Given<Id>) -> Result<i64, Error> {
    let text = given.text();
    let number = text.to_str().ok().and_then(|text| text.parse().ok());
    number.ok_or_else(|| Error::fatal(format!("'{text}': not an integer")))
}

fn seconds(given: &Given<Id>) -> Result<u64, Error> {
    let text = given.text();
    let number = text.to_str().ok().and_then(|text| text.parse().ok());
    number.ok_or_else(|| Error::fatal(format!("'{text}': not a number of seconds since epoch")))
}

/// A number of zero or more; a negative one counts as none.
fn counted(given: &Given<Id>) -> Result<u64, Error> {
    Ok(u64::try_from(integer(given)?).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use adit_text::date::LocalZone;

    use super::*;
    use crate::options::Args;

    fn read(line: &str) -> Result<RevisionOptions, Error> {
        let words: Vec<BString> = line.split(' ').map(BString::from).collect();
        let (mut args, mut options) = (Args::new(&words), RevisionOptions::default());
        let zone = LocalZone::utc();
        while let Some(word) = args.peek() {
            match TABLE.take(&mut args)? {
                Some(given) => options.apply(&given, Clock { now: 1_000_000, zone: &zone })?,
                None => {
                    args.next_word();
                    options.word(word, args.rest().len());
                }
            }
        }
        options.check()?;
        Ok(options)
    }

    #[test]
    fn limits_in_every_spelling() {
        for line in ["-n 5", "-n5", "-5", "--max-count=5", "--max-count 5", "-3 -n5"] {
            assert_eq!(read(line).unwrap().walk.max_count, Some(5), "{line}");
        }
        assert_eq!(read("-n -1").unwrap().walk.max_count, None);
        let walk = read("--max-age=7 --until=@900000000 --skip=-1 --max-parents=-1").unwrap().walk;
        assert_eq!(
            (walk.since, walk.until, walk.skip, walk.max_parents),
            (Some(7), Some(900_000_000), 0, None)
        );
    }

    #[test]
    fn revisions_keep_their_order_among_options_for_many() {
        let items = read("a --not --branches=x b --exclude=y --all").unwrap().items;
        let expected = [
            Item::Word("a".into(), 5),
            Item::Not,
            Item::Under("refs/heads/", Some("x".into())),
            Item::Word("b".into(), 2),
            Item::Exclude("y".into()),
            Item::All,
        ];
        assert_eq!(items, expected);
    }

    #[test]
    fn contradictions_are_refused() {
        for line in [
            "--parents --children",
            "--reverse --graph",
            "--left-only --cherry",
            "--cherry-pick --cherry-mark",
            "-n 1 --max-count-oldest=2",
            "--no-walk=x",
            "--max-age=x",
            "-n x",
            "--grep-reflog=x",
            "-P",
        ] {
            assert!(read(line).is_err(), "{line}");
        }
        assert!(!read("--reverse --reverse").unwrap().walk.reverse);
        assert_eq!(read("--graph --date-order").unwrap().walk.order, Order::TopologicalDate);
        assert_eq!(read("--date-order --graph").unwrap().walk.order, Order::TopologicalDate);
    }
}
