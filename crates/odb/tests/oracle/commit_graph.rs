//! What the commit-graph says against what `git log` says, and what damage does.

use std::path::Path;

use adit_object::{ObjectFormat, ObjectId};
use adit_odb::{CommitGraph, Diagnostic};
use adit_testkit::{FORMATS, Repo};

fn format(name: &str) -> ObjectFormat {
    ObjectFormat::from_name(name.as_bytes()).unwrap()
}

fn history(name: &str) -> Repo {
    let repo = Repo::new(name);
    repo.write("a", "1\n").commit("one").write("dir/b", "1\n").commit("two");
    for side in ["x", "y", "z"] {
        repo.git(&["checkout", "-q", "-b", side, "main"]);
        repo.write(side, side).commit(side);
    }
    repo.git(&["checkout", "-q", "main"]);
    repo.tick();
    repo.git(&["merge", "-q", "-m", "octopus", "x", "y", "z"]);
    repo.write("h\u{e9}/c", "c\n").commit("three");
    repo
}

fn open(repo: &Repo, name: &str) -> (Option<CommitGraph>, Vec<Diagnostic>) {
    let mut said = Vec::new();
    let graph = CommitGraph::open(&repo.git_dir().join("objects"), format(name), &mut said);
    (graph, said)
}

/// Lines of `id tree time parents...`, as `git log --format='%H %T %ct %P'` prints them.
fn describe(graph: &CommitGraph) -> Vec<String> {
    let mut lines = Vec::new();
    for position in 0..graph.len() {
        let commit = graph.commit(position).unwrap();
        let mut parents = Vec::new();
        graph.parents(position, &mut parents).unwrap();
        let id = graph.id(position).unwrap();
        assert_eq!(graph.find(&id), Some(position));
        let mut line = format!("{id} {} {}", commit.tree, commit.time);
        for parent in parents {
            let above = graph.commit(parent).unwrap();
            assert!(above.level < commit.level && above.corrected_date < commit.corrected_date);
            line.push_str(&format!(" {}", graph.id(parent).unwrap()));
        }
        lines.push(line);
    }
    lines.sort();
    lines
}

fn expected(repo: &Repo) -> Vec<String> {
    let log = repo.git(&["log", "--format=%H %T %ct %P"]);
    let mut lines: Vec<_> = log.lines().map(|line| line.trim_end().to_string()).collect();
    lines.sort();
    lines
}

#[test]
fn one_file_and_a_chain_say_what_git_says() {
    for name in FORMATS {
        let repo = history(name);
        repo.git(&["commit-graph", "write", "--reachable", "--changed-paths"]);
        let (graph, said) = open(&repo, name);
        assert_eq!((describe(&graph.unwrap()), said), (expected(&repo), vec![]));

        repo.git(&["commit-graph", "write", "--reachable", "--split=replace"]);
        repo.write("d", "d").commit("four").write("e", "e").commit("five");
        repo.git(&["commit-graph", "write", "--reachable", "--split=no-merge"]);
        let (graph, said) = open(&repo, name);
        let graph = graph.unwrap();
        assert_eq!((describe(&graph), said), (expected(&repo), vec![]));
        assert!(graph.has_corrected_dates() && graph.has_generations());
        assert!(graph.find(&ObjectId::null(format(name))).is_none());
    }
}

#[test]
fn filters_never_deny_a_change() {
    for name in FORMATS {
        for version in ["1", "2"] {
            let repo = history(name);
            repo.git(&["config", "commitGraph.changedPathsVersion", version]);
            repo.git(&["commit-graph", "write", "--reachable", "--changed-paths"]);
            let (graph, _) = open(&repo, name);
            let graph = graph.unwrap();
            let settings = graph.bloom_settings().unwrap();
            let mut denied = 0;
            for position in 0..graph.len() {
                let id = graph.id(position).unwrap().to_string();
                for path in ["a", "dir", "dir/b", "x", "h\u{e9}", "h\u{e9}/c", "nosuch"] {
                    let keys = settings.keys_with_folders(path.as_bytes());
                    let may = graph.may_have_changed(position, &settings, &keys).unwrap();
                    let changed = !repo
                        .git(&[
                            "-c",
                            "core.quotePath=false",
                            "diff-tree",
                            "-m",
                            "--root",
                            "-t",
                            "-r",
                            &id,
                            "--",
                            path,
                        ])
                        .is_empty();
                    let merge = graph.commit(position).is_ok_and(|_| {
                        let mut parents = Vec::new();
                        graph.parents(position, &mut parents).unwrap();
                        parents.len() > 1
                    });
                    assert!(may || !changed || merge, "{path} in {id}, version {version}");
                    denied += usize::from(!may);
                }
            }
            assert!(denied > 20, "the filters say something");
        }
    }
}

/// Opens a changed copy of the graph, and reads all of it when it is accepted.
fn try_damaged(dir: &Path, bytes: &[u8], name: &str) -> Vec<Diagnostic> {
    std::fs::write(dir.join("info/commit-graph"), bytes).unwrap();
    let mut said = Vec::new();
    if let Some(graph) = CommitGraph::open(dir, format(name), &mut said) {
        let settings = graph.bloom_settings();
        let key = settings.map(|settings| settings.key(b"a"));
        for position in 0..graph.len().min(100) {
            let _ = (graph.id(position), graph.commit(position), graph.parents(position, &mut Vec::new()));
            if let (Some(settings), Some(key)) = (&settings, key) {
                let _ = graph.may_have_changed(position, settings, &[key]);
            }
        }
    }
    said
}

#[test]
fn damage_is_told_and_never_panics() {
    for name in FORMATS {
        let repo = history(name);
        repo.git(&["commit-graph", "write", "--reachable", "--changed-paths"]);
        let good = std::fs::read(repo.git_dir().join("objects/info/commit-graph")).unwrap();
        let scratch = tempfile::tempdir().unwrap();
        std::fs::create_dir(scratch.path().join("info")).unwrap();
        assert!(try_damaged(scratch.path(), &good, name).is_empty());
        for cut in (0..good.len()).step_by(7) {
            let said = try_damaged(scratch.path(), &good[..cut], name);
            assert!(!said.is_empty(), "cut at {cut}");
        }
        let mut bytes = good.clone();
        for at in 0..good.len() {
            for value in [0, 0xff] {
                bytes[at] = value;
                try_damaged(scratch.path(), &bytes, name);
            }
            bytes[at] = good[at];
        }
        let bad_signature = [b"XXXX", &good[4..]].concat();
        let said = try_damaged(scratch.path(), &bad_signature, name);
        assert_eq!(said[0].text, "commit-graph signature 58585858 does not match signature 43475048");
        assert!(said[0].is_error);
    }
}
