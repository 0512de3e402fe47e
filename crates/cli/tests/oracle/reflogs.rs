//! Walks over reflogs: `log -g`, and what goes with it.

use adit_testkit::{FORMATS, Repo};

use crate::assert_same;

/// Branches that were made, merged and reset, and a log with entries that lead nowhere.
fn history(format: &str) -> Repo {
    let repo = Repo::new(format);
    for n in ["1", "2", "3"] {
        repo.write("f", n).commit(&format!("c{n}"));
    }
    repo.tick().git(&["checkout", "-q", "-b", "side"]);
    repo.write("s", "side").commit("side");
    repo.tick().git(&["checkout", "-q", "main"]);
    repo.tick().git(&["merge", "-q", "--no-ff", "-m", "merged", "side"]);
    repo.tick().git(&["reset", "-q", "--hard", "HEAD^"]);
    repo.tick().git(&["reset", "-q", "--hard", "HEAD@{1}"]);
    repo.git(&["tag", "-a", "-m", "tag", "v1"]);
    repo.git(&["config", "branch.main.remote", "."]);
    repo.git(&["config", "branch.main.merge", "refs/heads/side"]);
    repo.git(&["branch", "odd"]);
    repo.git(&["update-ref", "refs/remotes/origin/main", "side"]);
    repo.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main"]);
    let id = |name: &str| repo.git(&["rev-parse", name]).trim().to_owned();
    let null = "0".repeat(id("main").len());
    let gone = "12".repeat(null.len() / 2);
    let steps = [
        (id("main~2"), "1100001000 +0000\tone"),
        (id("main~1"), "1100003000 +0130\ttwo"),
        (id("main"), "1100002000 -0700\tthree"),
        (gone, "1100004000 +0000\tmissing"),
        (id("main:f"), "1100005000 +0000\tblob"),
        (id("v1"), "1100006000 +0000\ttag"),
        (null.clone(), "1100007000 +0000\tgone"),
        (id("main"), "1100008000 +0000\t  back again "),
    ];
    let (mut log, mut old) = (String::new(), null);
    for (new, rest) in steps {
        log.push_str(&format!("{old} {new} W Ho <w@example.com> {rest}\n"));
        old = new;
    }
    std::fs::write(repo.git_dir().join("logs/refs/heads/odd"), &log).unwrap();
    std::fs::create_dir_all(repo.git_dir().join("logs/refs/tags")).unwrap();
    repo.git(&["tag", "light"]);
    std::fs::write(repo.git_dir().join("logs/refs/tags/light"), &log).unwrap();
    repo
}

/// Command lines that work and command lines that are refused.
const LINES: &str = "\
log -g
log -g --oneline
log -g --oneline -1 main
log -g --oneline main side odd
log -g --oneline main@{2}
log -g --oneline main@{now}
log -g --oneline @{1}
log -g --oneline @{now} --date=short
log -g --oneline @
log -g --oneline @{1112912400}
log -g --oneline main@{100}
log -g --oneline main@{2001-01-01}
log -g --oneline @{-1}
log -g --oneline @{-1}@{1}
log -g --oneline @{u}
log -g --oneline main@{u}@{1}
log -g --oneline main~0
log -g --oneline main@{1}~0
log -g --oneline main@{yesterday}^{commit}
log -g --oneline odd@{1100002500}
log -g --oneline odd
log -g --oneline light
log -g --oneline heads/odd
log -g --oneline refs/heads/odd
log -g --oneline origin
log -g --oneline origin/main
log -g --oneline v1
log -g --oneline HEAD^
log -g --oneline nonexist
log -g --oneline --date=iso
log -g --oneline --date=raw main@{1} odd
log -g --oneline --relative-date
-c log.date=iso log -g -2 --oneline
-c log.date=iso log -g -2 --oneline main@{now}
log -g --oneline --all
log -g --oneline --branches
log -g --oneline --tags
log -g --oneline --remotes
log -g --oneline --glob=heads
log -g --oneline --reflog
log -g main..side
log -g main...side
log -g ^main
log -g ^main:f
log -g --not main
log -g --reverse
log -g --graph
log -g --graph --reverse
log -g --reverse main..side
log -g --children
log -g --cherry
log -g --cherry-pick
log -g --topo-order
log -g --date-order
log -g --ancestry-path
log -g --simplify-by-decoration
log -g --simplify-merges
log -g --oneline --no-walk
log -g --oneline --do-walk
log -g --oneline -- f
log -g --oneline --parents -- f
log -g --oneline --full-history -- s
log -g --oneline --sparse -- f
log -g --oneline --remove-empty -- f
log -g --oneline --full-diff --stat -- f
log -g --oneline --first-parent --stat
log -g --oneline --no-merges
log -g --oneline --merges
log -g --oneline --boundary main side
log -g --oneline --left-right
log -g --oneline --source
log -g --oneline --decorate
log -g --oneline --name-only
log -g --oneline --skip=3 -n 2
log -g --oneline --since=@1100002500 odd
log -g --oneline --until=@1100002500 odd
log -g --oneline --since-as-filter=@1100002500 odd
log -g --oneline --grep=c2
log -g --oneline --grep-reflog=merge
log -g --oneline --grep-reflog=MERGE -i
log -g --oneline --grep-reflog=^c --grep-reflog=reset --all-match
log -g --oneline --grep-reflog=^c --invert-grep
log -g --oneline --grep-reflog=^c --grep=c2
log -g --oneline --grep-reflog=^c --author=Nobody
log -g --oneline --grep-reflog=m.rge -F
log --grep-reflog=x
log -g --format=%gd|%gD|%gn|%ge|%gN|%gE|%gs main side odd refs/heads/main
log -g --format=%gd|%gD|%gs --date=short main@{1} side@{now}
log --format=%gd|%gD|%gn|%ge|%gN|%gE|%gs -1
log -g --format=short -1 refs/heads/main
log -g --format=raw -1
log -g --format=email -1
log -g --format=reference -2
log -g -z --oneline -2
log -g -z -2
log -g --log-size -2
log -g -p --color -3 main
log --oneline main -g
log --oneline main..side -g
log --oneline main -g side
show -g
show -g v1
show -g HEAD:f main
show -g -2
rev-list -g main
rev-list -g --oneline odd
rev-list -g --header -1 main
rev-list -g --pretty=raw -1 main
rev-list -g --format=%gd|%gs main
rev-list -g --objects main
rev-list -g --count main
rev-list -g --count --left-right main
rev-list -g --left-right main
rev-list -g --timestamp main
rev-list -g --boundary main
rev-list -g --reverse main
rev-list -g --graph main
rev-list -g
log --no-walk -3 main --oneline
log -3 --no-walk main --oneline
show -s --oneline -2
show -s --oneline -2 v1
show -s --oneline -2 main:f
show -s --oneline --do-walk main
rev-list --no-walk -2 main";

#[test]
fn reflogs_are_walked_as_git_walks_them() {
    for format in FORMATS {
        assert_same(&history(format), &LINES.lines().collect::<Vec<_>>());
    }
}

#[test]
fn orders_are_no_limits_where_there_are_generations() {
    let repo = history("sha1");
    repo.git(&["commit-graph", "write", "--reachable"]);
    assert_same(
        &repo,
        &[
            "log -g --oneline --topo-order",
            "log -g --oneline --date-order odd",
            "log -g --graph",
            "log -g --graph --reverse",
            "log -g --oneline -- f",
        ],
    );
}

#[test]
fn more_logs_than_files_may_be_open() {
    let repo = Repo::new("sha1");
    repo.write("f", "f").commit("one");
    let id = repo.git(&["rev-parse", "HEAD"]);
    let lines: String = (0..300).map(|n| format!("create refs/heads/b{n} {}\n", id.trim())).collect();
    assert!(repo.try_git(&["update-ref", "--stdin"], lines.as_bytes()).status.success());
    let script = "ulimit -n 100; exec \"$0\" log -g --all --oneline";
    let adit = repo.run("sh", &["-c", script, crate::ADIT], b"");
    let git = repo.try_git(&["log", "-g", "--all", "--oneline"], b"");
    assert_eq!(String::from_utf8_lossy(&adit.stdout), String::from_utf8_lossy(&git.stdout));
    assert!(git.status.success() && git.stdout.len() > 3000);
}
