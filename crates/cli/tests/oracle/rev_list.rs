//! `rev-list`: what it prints of commits and objects.

use adit_testkit::{FORMATS, Repo};

use crate::ADIT;

/// Runs the command line with both programs and compares what they print and the status they end with.
fn same(repo: &Repo, line: &str, input: &str) {
    let args: Vec<&str> = ["rev-list"].into_iter().chain(line.split(' ')).collect();
    let git = repo.run(adit_testkit::git_program(), &args, input.as_bytes());
    let adit = repo.run(ADIT, &args, input.as_bytes());
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!(text(&adit.stdout), text(&git.stdout), "{line}\n{}", text(&adit.stderr));
    assert_eq!(adit.status.code(), git.status.code(), "{line}\n{}", text(&adit.stderr));
}

fn history(format: &str) -> Repo {
    let repo = Repo::new(format);
    repo.write("a", "1\n").write("dir/b", "b\n").write("dir/sub/c", "c\n").commit("one");
    repo.git(&["checkout", "-q", "-b", "side"]);
    repo.write("s", "side\n").commit("side");
    repo.git(&["checkout", "-q", "main"]);
    repo.write("a", "2\n").commit("two\n\nbody").tick();
    repo.git(&["merge", "-q", "--no-ff", "-m", "merge side", "side"]);
    repo.write("dir/sub/c", "1\n").commit("three").git(&["tag", "-m", "a tag", "v1"]);
    repo.git(&["tag", "-m", "a tree", "tree-tag", "HEAD~1^{tree}"]);
    repo.write("a", "1\n").commit("back to one");
    repo
}

#[test]
fn commits_in_every_form() {
    for format in FORMATS {
        let repo = history(format);
        for line in [
            "HEAD",
            "--all",
            "--count --all",
            "--parents --abbrev-commit HEAD",
            "--header HEAD",
            "--pretty=fuller --timestamp HEAD",
            "--oneline --left-right side...main",
            "--format=%s%n%b HEAD",
            "--format= HEAD",
            "--no-commit-header --format=%an HEAD",
            "--left-right --cherry-mark --count side...main",
            "--exclude=*ain --branches",
            "--not side --not main",
            "--glob=tags HEAD -- dir",
            "--disk-usage main",
            "--simplify-by-decoration main",
            "--no-walk --tags",
            "main -- a --bogus",
            "main^! -- ",
            "nosuch --",
            "--bogus HEAD",
            "a",
            "--quiet HEAD",
            "--graph --all",
            "--graph --oneline --boundary side..main",
            "--graph --format=%s%n%b --left-right side...main",
            "--graph --pretty=short main",
        ] {
            same(&repo, line, "");
        }
        same(&repo, "--stdin", "main\n--not\nside\n");
        same(&repo, "--stdin --not side", "main\n--\na\n");
        same(&repo, "--stdin", "nosuch\n");
        same(&repo, "--stdin", "--max-count=1\nmain\n");
    }
}

#[test]
fn objects_in_their_order() {
    for format in FORMATS {
        let repo = history(format);
        for line in [
            "--objects HEAD",
            "--objects --all",
            "--objects main~2..main",
            "--objects-edge main~2..main",
            "--objects-edge-aggressive main~2..main",
            "--objects --no-object-names main",
            "--objects --in-commit-order main",
            "--objects --count main",
            "--objects --disk-usage main",
            "--objects main -- dir",
            "--objects main:dir/sub",
            "--objects main^{tree} ^main~1^{tree}",
            "--objects --no-walk tree-tag v1",
            "--objects --boundary main~1..main",
            "--objects --filter=blob:none main",
            "--objects --filter=blob:limit=3 main",
            "--objects --filter=tree:1 main",
            "--objects --filter=tree:2 main",
            "--objects --filter=object:type=tree main",
            "--objects --filter=object:type=blob --filter-provided-objects main",
            "--objects --filter=combine:tree:3+blob:none main",
            "--objects --filter=nosuch main",
            "--filter=blob:none main",
        ] {
            same(&repo, line, "");
        }
    }
}

#[test]
fn missing_objects() {
    for format in FORMATS {
        let repo = history(format);
        let id = repo.git(&["rev-parse", "main:dir/b"]);
        let (folder, file) = id.trim().split_at(2);
        std::fs::remove_file(repo.git_dir().join("objects").join(folder).join(file)).unwrap();
        for line in ["--objects main", "--objects --missing=allow-any main", "--objects --missing=print main"]
        {
            same(&repo, line, "");
        }
    }
}

#[test]
fn objects_of_a_long_history_are_read_ahead() {
    let repo = Repo::new("sha1");
    let mut import = String::new();
    for n in 0..1500 {
        import.push_str(&format!(
            "commit refs/heads/main\ncommitter C <c@d> {} +0000\ndata 1\nx\n\
             M 644 inline d{}/f{}\ndata <<E\n{}\nE\n\n",
            1_000_000 + n,
            n % 7,
            n % 50,
            n / 3
        ));
    }
    let status = repo.try_git(&["fast-import", "--quiet"], import.as_bytes()).status;
    assert!(status.success());
    for line in ["--objects main", "--objects main~1400..main", "--objects --count main -- d1"] {
        same(&repo, line, "");
    }
}

#[test]
fn a_broken_commit_graph_is_told_of_and_not_used() {
    let repo = history("sha1");
    repo.git(&["commit-graph", "write", "--reachable"]);
    let graph = repo.git_dir().join("objects/info/commit-graph");
    let mut bytes = std::fs::read(&graph).unwrap();
    bytes[0] = b'X';
    std::fs::remove_file(&graph).unwrap();
    std::fs::write(&graph, bytes).unwrap();
    same(&repo, "--topo-order --all", "");
    let said = repo.run(ADIT, &["rev-list", "HEAD"], b"").stderr;
    let expected = "error: commit-graph signature 58475048 does not match signature 43475048\n";
    assert_eq!(String::from_utf8_lossy(&said), expected);
}

#[test]
fn what_halves_a_range() {
    for format in FORMATS {
        let repo = history(format);
        for line in [
            "--bisect",
            "--bisect HEAD -- dir",
            "--bisect-vars HEAD -- a",
            "--bisect-vars HEAD -- nothing",
            "--bisect-all HEAD --sparse -- nothing",
            "--bisect-all --bisect-vars HEAD -- a dir",
            "--bisect --objects HEAD",
            "--bisect --graph HEAD",
            "--bisect-all --count HEAD",
            "--bisect-all --no-merges --timestamp HEAD",
            "--bisect-all --header HEAD ^HEAD~2",
            "--bisect-all --boundary HEAD ^side",
            "--bisect-vars -- a",
        ] {
            same(&repo, line, "");
        }
        repo.git(&["update-ref", "refs/bisect/bad", "main"]);
        repo.git(&["update-ref", "refs/bisect/good-1", "main~2"]);
        same(&repo, "--bisect", "");
        same(&repo, "--bisect-vars --bisect", "");
        std::fs::write(repo.git_dir().join("BISECT_TERMS"), "new\nold\n").unwrap();
        repo.git(&["update-ref", "refs/bisect/new", "main~1"]);
        same(&repo, "--bisect", "");
    }
}
