//! A small history with merges, an octopus, equal dates and wrong dates, and what the tests ask of it.

use adit_object::{ObjectFormat, ObjectId};
use adit_odb::{CommitGraph, Options, Store};
use adit_revision::{CommitTable, Tip, merge_base};
use adit_testkit::Repo;

/// Main line `main`, side branches merged into it, an unmerged `topic` that shares a change with `main`.
pub(crate) fn build(format: &str) -> Repo {
    let repo = Repo::new(format);
    repo.write("a", "1\n").write("dir/b", "1\n").commit("base fix");
    for (n, side) in ["x", "y", "z"].iter().enumerate() {
        repo.git(&["checkout", "-q", "-b", side, "main"]);
        repo.write(side, side).commit(&format!("add {side}"));
        repo.write("dir/b", format!("{side}\n")).commit(&format!("change b in {side}"));
        repo.git(&["checkout", "-q", "main"]);
        repo.write("c", format!("{n}\n")).commit(&format!("main {n}"));
        repo.tick().git(&["merge", "-q", "-X", "ours", "-m", &format!("merge {side}"), side]);
    }
    repo.git(&["checkout", "-q", "-b", "topic", "main~2"]);
    repo.write("t", "shared\n").commit("shared change");
    repo.write("u", "only topic\n").commit("fix only topic");
    repo.git(&["checkout", "-q", "main"]);
    repo.write("t", "shared\n").commit("picked change");
    let wrong =
        ["-c", "user.name=Other", "commit", "-q", "--allow-empty", "--date=@1000 +0000", "-m", "old author"];
    repo.git(&wrong);
    for side in ["p", "q", "r"] {
        repo.git(&["checkout", "-q", "-b", side, "main"]);
        repo.write(side, side).commit(side);
    }
    repo.git(&["checkout", "-q", "main"]);
    repo.tick().git(&["merge", "-q", "-m", "octopus", "p", "q", "r"]);
    repo.git(&["rm", "-q", "c"]);
    repo.commit("remove c").git(&["tag", "-m", "a tag", "v1", "main~3"]);
    repo
}

/// Opens the objects, and the commit-graph if there is one.
pub(crate) fn open(repo: &Repo, format: &str) -> (Store, Option<CommitGraph>) {
    let format = ObjectFormat::from_name(format.as_bytes()).unwrap();
    let objects = repo.git_dir().join("objects");
    let graph = CommitGraph::open(&objects, format, &mut Vec::new());
    (Store::open(&objects, format, Options::default()).unwrap(), graph)
}

/// The commit that a name stands for.
pub(crate) fn id(repo: &Repo, name: &str) -> ObjectId {
    let hex = repo.git(&["rev-parse", &format!("{name}^{{commit}}")]);
    let hex = hex.trim();
    let format = if hex.len() == 40 { ObjectFormat::Sha1 } else { ObjectFormat::Sha256 };
    ObjectId::from_hex(format, hex.as_bytes()).unwrap()
}

/// Tips for `a`, `^a`, `a..b` and `a...b`.
pub(crate) fn tips(repo: &Repo, table: &mut CommitTable<'_>, names: &str) -> Vec<Tip> {
    let mut tips = Vec::new();
    for name in names.split(' ') {
        if let Some((left, right)) = name.split_once("...") {
            let (left, right) = (id(repo, left), id(repo, right));
            let (a, b) = (table.intern(&left), table.intern(&right));
            let bases = merge_base::merge_bases(table, a, &[b]).unwrap();
            tips.extend(bases.into_iter().map(|base| Tip::excluded(table.id(base))));
            tips.push(Tip { id: left, excluded: false, left: true });
            tips.push(Tip::included(right));
        } else if let Some((from, to)) = name.split_once("..") {
            tips.extend([Tip::excluded(id(repo, from)), Tip::included(id(repo, to))]);
        } else if let Some(name) = name.strip_prefix('^') {
            tips.push(Tip::excluded(id(repo, name)));
        } else {
            tips.push(Tip::included(id(repo, name)));
        }
    }
    tips
}
