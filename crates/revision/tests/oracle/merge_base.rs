//! Merge bases.

use adit_revision::{CommitTable, merge_base};
use adit_testkit::{FORMATS, Repo};

use crate::history::{build, id, open};

fn ids(table: &CommitTable<'_>, positions: &[u32]) -> String {
    positions.iter().map(|&position| format!("{}\n", table.id(position))).collect()
}

fn compare(repo: &Repo, format: &str) {
    let (store, graph) = open(repo, format);
    for names in
        ["main topic", "topic main~4", "x y", "x y z", "main v1", "p q r topic", "main main", "main~1 p"]
    {
        let mut table = CommitTable::new(&store, graph.as_ref());
        let words: Vec<&str> = names.split(' ').collect();
        let commits: Vec<u32> = words.iter().map(|name| table.intern(&id(repo, name))).collect();
        let git = |option: &str| repo.git(&[&["merge-base", "--all", option][..], &words].concat());
        let all = merge_base::merge_bases(&mut table, commits[0], &commits[1..]).unwrap();
        assert_eq!(ids(&table, &all), git("--all"), "{names}");
        let bases = merge_base::octopus(&mut table, &commits).unwrap();
        let bases = merge_base::independent(&mut table, &bases).unwrap();
        assert_eq!(ids(&table, &bases), git("--octopus"), "octopus {names}");
        let independent = merge_base::independent(&mut table, &commits).unwrap();
        let expected = repo.git(&[&["merge-base", "--independent"][..], &words].concat());
        assert_eq!(ids(&table, &independent), expected, "independent {names}");
        for pair in [[words[0], words[1]], [words[1], words[0]]] {
            let [a, b] = pair.map(|name| table.intern(&id(repo, name)));
            let git = repo.try_git(&["merge-base", "--is-ancestor", pair[0], pair[1]], b"").status.success();
            assert_eq!(merge_base::is_ancestor(&mut table, a, &[b]).unwrap(), git, "is-ancestor {pair:?}");
        }
    }
}

#[test]
fn bases_are_git_s() {
    for format in FORMATS {
        let repo = build(format);
        compare(&repo, format);
        repo.git(&["commit-graph", "write", "--reachable"]);
        compare(&repo, format);
    }
}

#[test]
fn criss_cross_merges_have_two_bases() {
    for format in FORMATS {
        let repo = Repo::new(format);
        repo.commit("root").git(&["branch", "other"]);
        repo.write("a", "a").commit("a").git(&["checkout", "-q", "other"]);
        repo.write("b", "b").commit("b");
        repo.tick().git(&["merge", "-q", "-m", "one", "main"]);
        repo.git(&["checkout", "-q", "main"]);
        repo.tick().git(&["merge", "-q", "-m", "two", "other~1"]);
        let (store, graph) = open(&repo, format);
        let mut table = CommitTable::new(&store, graph.as_ref());
        let [main, other] = ["main", "other"].map(|name| table.intern(&id(&repo, name)));
        let bases = merge_base::merge_bases(&mut table, main, &[other]).unwrap();
        assert_eq!(bases.len(), 2);
        assert_eq!(ids(&table, &bases), repo.git(&["merge-base", "--all", "main", "other"]));
    }
}
