//! Walks: orders, limits, simplification.

use adit_diff::pathspec::{Pathspec, PathspecOptions};
use adit_revision::message::{MessageFilter, MessagePatterns};
use adit_revision::{Cherry, CommitTable, NoWalk, Order, Sides, Walk, WalkOptions};
use adit_testkit::{FORMATS, Repo};

use crate::history::{build, id, open, tips};

/// What `rev-list` would print with these arguments, of which the last words without a dash are tips.
fn rev_list(repo: &Repo, format: &str, args: &str) -> String {
    let (store, graph) = open(repo, format);
    let mut table = CommitTable::new(&store, graph.as_ref());
    let (args, paths) = match args.split_once(" -- ") {
        Some((args, paths)) => (args, paths.split(' ').collect()),
        None => (args, Vec::new()),
    };
    let mut options = WalkOptions::default();
    let mut patterns = MessagePatterns::default();
    let mut names = Vec::new();
    for word in args.split(' ') {
        if word.starts_with('-') {
            set(repo, word, &mut options, &mut patterns);
        } else {
            names.push(word);
        }
    }
    if !patterns.is_empty() {
        options.message = Some(MessageFilter::new(&patterns, None).unwrap());
    }
    if !paths.is_empty() {
        let paths: Vec<&[u8]> = paths.iter().map(|path| path.as_bytes()).collect();
        options.pathspec = Some(Pathspec::parse(&paths, &PathspecOptions::default()).unwrap());
    }
    let tips = tips(repo, &mut table, &names.join(" "));
    let left_right = args.contains("--left-right");
    let (parents, children) = (options.rewrite_parents, options.children);
    let mut walk = Walk::new(table, &tips, options).unwrap();
    let mut out = String::new();
    while let Some(position) = walk.next().unwrap() {
        out.extend(walk.mark(position, left_right).map(char::from));
        out.push_str(&walk.table().id(position).to_string());
        let related = if parents { walk.table().parents(position) } else { &[] };
        let related = if children { walk.children(position) } else { related };
        for &other in related {
            out.push_str(&format!(" {}", walk.table().id(other)));
        }
        out.push('\n');
    }
    out
}

fn set(repo: &Repo, word: &str, options: &mut WalkOptions, patterns: &mut MessagePatterns) {
    let (name, value) = word.split_once('=').unwrap_or((word, ""));
    let number = || value.parse().unwrap();
    match name {
        "--topo-order" => options.order = Order::Topological,
        "--date-order" => options.order = Order::TopologicalDate,
        "--author-date-order" => options.order = Order::TopologicalAuthorDate,
        "--reverse" => options.reverse = true,
        "--max-count" => options.max_count = Some(number()),
        "--skip" => options.skip = number(),
        "--max-age" => options.since = Some(number()),
        "--min-age" => options.until = Some(number()),
        "--merges" => options.min_parents = 2,
        "--no-merges" => options.max_parents = Some(1),
        "--first-parent" => options.first_parent = true,
        "--exclude-first-parent-only" => options.exclude_first_parent_only = true,
        "--ancestry-path" => {
            let given = options.ancestry_path.get_or_insert_default();
            given.extend((!value.is_empty()).then(|| id(repo, value)));
        }
        "--left-right" => {}
        "--left-only" => options.sides = Sides::Left,
        "--right-only" => options.sides = Sides::Right,
        "--cherry-pick" => options.cherry = Cherry::Pick,
        "--cherry-mark" => options.cherry = Cherry::Mark,
        "--boundary" => options.boundary = true,
        "--parents" => options.rewrite_parents = true,
        "--children" => options.children = true,
        "--sparse" => options.sparse = true,
        "--full-history" => options.full_history = true,
        "--simplify-merges" => options.simplify_merges = true,
        "--show-pulls" => options.show_pulls = true,
        "--remove-empty" => options.remove_empty = true,
        "--no-walk" => options.no_walk = Some(NoWalk::Sorted),
        "--author" => patterns.authors.push(value.into()),
        "--grep" => patterns.messages.push(value.into()),
        "--invert-grep" => patterns.invert = true,
        _ => panic!("unknown {word}"),
    }
}

const CASES: &[&str] = &[
    "main",
    "--topo-order main topic",
    "--date-order main topic",
    "--author-date-order main topic",
    "--reverse --max-count=4 --skip=2 main",
    "--max-age=1112912600 main",
    "--min-age=1112912600 main",
    "--merges main",
    "--no-merges main",
    "--first-parent main",
    "--first-parent --parents main -- dir",
    "--parents main topic",
    "--children main topic",
    "--boundary main ^y",
    "--boundary --topo-order main ^y topic",
    "--boundary --max-count=3 main",
    "--left-right main...topic",
    "--left-right --cherry-pick main...topic",
    "--left-right --cherry-mark main...topic",
    "--left-only main...topic",
    "--right-only --boundary main...topic",
    "--exclude-first-parent-only main ^main~5",
    "--ancestry-path x..main",
    "--ancestry-path=y x~1..main",
    "--no-walk x main y",
    "--grep=fix main topic",
    "--grep=fix --invert-grep main",
    "--author=^Other main",
    "main -- a",
    "main -- dir",
    "--parents main -- dir",
    "--full-history main -- dir",
    "--full-history --parents main -- dir",
    "--simplify-merges main -- dir",
    "--simplify-merges --parents main -- dir x",
    "--show-pulls main -- dir",
    "--show-pulls --simplify-merges main -- dir",
    "--sparse main -- dir",
    "--remove-empty main -- c",
    "--children main -- dir",
    "--topo-order --boundary --parents main ^x -- dir c",
];

fn compare_all(repo: &Repo, format: &str) {
    for case in CASES {
        let end = (!case.contains(" -- ")).then_some("--");
        let words: Vec<&str> = ["rev-list"].into_iter().chain(case.split(' ')).chain(end).collect();
        assert_eq!(rev_list(repo, format, case), repo.git(&words), "rev-list {case}");
    }
}

#[test]
fn every_kind_of_walk_without_and_with_a_commit_graph() {
    for format in FORMATS {
        let repo = build(format);
        compare_all(&repo, format);
        repo.git(&["commit-graph", "write", "--reachable", "--changed-paths"]);
        compare_all(&repo, format);
    }
}
