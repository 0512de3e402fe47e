#![allow(clippy::unwrap_used, clippy::expect_used)]
//! References as the store reads them against what git says of the same repository.

mod readers;
mod transactions;

use std::path::Path;

use adit_object::{ObjectFormat, ObjectId};
use adit_refs::{
    Error, Followed, Head, IterOptions, Options, Problem, RULES, Shortener, Storage, Store, Target,
};
use adit_testkit::{FORMATS, Repo};
use bstr::{BStr, ByteSlice};

fn format(name: &str) -> ObjectFormat {
    ObjectFormat::from_name(name.as_bytes()).unwrap()
}

fn open(git_dir: &Path, common_dir: &Path, name: &str) -> Store {
    Store::open(git_dir, common_dir, format(name), Options::default()).unwrap()
}

/// The references that git lists: those that lead to an object.
fn listed(store: &Store, options: &IterOptions) -> String {
    let mut out = String::new();
    let mut iter = store.iter_with(options).unwrap();
    while let Some(entry) = iter.advance().unwrap() {
        if let Some(id) = store.entry_id(&entry).unwrap().filter(|id| !id.is_null()) {
            out.push_str(&format!("{id} {}\n", entry.name));
        }
    }
    out
}

fn with_prefix(prefix: &str) -> IterOptions {
    IterOptions { prefix: prefix.into(), ..IterOptions::default() }
}

/// A repository whose references are packed, loose, both, symbolic, odd and broken.
fn odd(format: &str) -> Repo {
    let repo = Repo::new(format);
    repo.commit("one");
    for name in ["a", "a/b", "b", "topic/x", "topic/x/y", "topic/z"] {
        // Some of these cannot be both a file and a folder.
        repo.try_git(&["branch", name], b"");
    }
    repo.git(&["tag", "light"]);
    repo.tick().git(&["tag", "-a", "-m", "m", "heavy"]);
    repo.git(&["pack-refs", "--all"]);
    repo.commit("two");
    repo.git(&["branch", "-f", "b"]);
    repo.git(&["branch", "loose"]);
    repo.git(&["tag", "again"]);
    let head = repo.git(&["rev-parse", "HEAD"]).trim().to_owned();
    let heads = repo.git_dir().join("refs/heads");
    let write = |name: &str, content: &str| std::fs::write(heads.join(name), content).unwrap();
    write("junk", "junk\n");
    write("empty", "");
    write("cut", &head[1..]);
    write("long", &format!("{head}0\n"));
    write("zero", &format!("{}\n", "0".repeat(head.len())));
    write("no-newline", &head);
    write("tail", &format!("{head}\tbranch\n"));
    write("dangling", "ref: refs/heads/nowhere\n");
    write("symbolic", "ref:   refs/heads/main \n");
    write("circle", "ref: refs/heads/circle\n");
    write("bad-target", "ref: refs/../x\n");
    write("sp ace", &format!("{head}\n"));
    write("skipped.lock", &format!("{head}\n"));
    write(".hidden", &format!("{head}\n"));
    write("@", &format!("{head}\n"));
    write("-x", &format!("{head}\n"));
    for n in 1..8 {
        write(&format!("s{n}"), &format!("ref: refs/heads/s{}\n", n + 1));
    }
    write("s8", &format!("{head}\n"));
    std::os::unix::fs::symlink("refs/heads/main", heads.join("old-link")).unwrap();
    std::os::unix::fs::symlink("s8", heads.join("file-link")).unwrap();
    std::fs::create_dir(heads.join("void")).unwrap();
    repo
}

#[test]
fn listings_are_gits() {
    for format in FORMATS {
        let repo = odd(format);
        let store = open(&repo.git_dir(), &repo.git_dir(), format);
        let pattern = "--format=%(objectname) %(refname)";
        assert_eq!(listed(&store, &with_prefix("")), repo.git(&["for-each-ref", pattern]));
        for folder in ["refs/heads", "refs/tags", "refs/heads/topic", "refs/none"] {
            let ours = listed(&store, &with_prefix(&format!("{folder}/")));
            assert_eq!(ours, repo.git(&["for-each-ref", pattern, folder]), "{folder}");
        }
        let exclude = vec!["refs/heads/topic".into(), "refs/heads/a".into(), "refs/tags/".into()];
        let git =
            repo.git(&["for-each-ref", pattern, "--exclude=refs/heads/topic", "--exclude=refs/heads/a"]);
        let git: String =
            git.lines().filter(|line| !line.contains("refs/tags/")).map(|line| format!("{line}\n")).collect();
        assert_eq!(listed(&store, &IterOptions { exclude, ..IterOptions::default() }), git);
        // git 2.47 leaves out names that only start with an excluded one when they are packed.
        repo.git(&["update-ref", "refs/heads/topic-x", "HEAD"]);
        repo.git(&["pack-refs", "--all"]);
        let exclude = vec!["refs/heads/topic".into()];
        let left = listed(&store, &IterOptions { exclude, ..with_prefix("refs/heads/") });
        assert!(left.contains("refs/heads/topic-x\n") && !left.contains("refs/heads/topic/"));
        let from = IterOptions { from: "refs/heads/topic".into(), ..with_prefix("") };
        let all = listed(&store, &with_prefix(""));
        let after: String = all
            .lines()
            .filter(|l| &l[l.find(' ').unwrap() + 1..] >= "refs/heads/topic")
            .map(|l| format!("{l}\n"))
            .collect();
        assert_eq!(listed(&store, &from), after);
        assert_eq!(
            listed(&store, &with_prefix("refs/heads/top")).lines().count(),
            all.matches("/topic").count()
        );
    }
}

#[test]
fn each_name_leads_where_git_says() {
    for format in FORMATS {
        let repo = odd(format);
        let store = open(&repo.git_dir(), &repo.git_dir(), format);
        let mut names: Vec<String> = store.iter(b"").unwrap().map(|r| r.unwrap().name.to_string()).collect();
        names.extend(
            ["HEAD", "refs/heads/none", "refs/heads/a/b/c", "refs/heads/void", "refs/heads"]
                .map(String::from),
        );
        for name in &names {
            let git = repo.try_git(&["rev-parse", "--verify", "-q", "--end-of-options", name], b"");
            let git = String::from_utf8(git.stdout).unwrap();
            let ours =
                store.resolve(name.as_bytes()).unwrap().map(|r| format!("{}\n", r.id)).unwrap_or_default();
            assert_eq!(ours, git, "{name}");
        }
        let follow = |name: &str| store.follow(name.as_bytes()).unwrap();
        assert_eq!(follow("refs/heads/dangling"), Followed::Dangling("refs/heads/nowhere".into()));
        assert_eq!(follow("refs/heads/circle"), Followed::Endless);
        assert_eq!(follow("refs/heads/s3"), Followed::Endless);
        assert_eq!(follow("refs/heads/bad-target"), Followed::Endless);
        assert_eq!(follow("refs/heads/junk"), Followed::Broken("refs/heads/junk".into()));
        assert!(matches!(follow("refs/heads/s4"), Followed::Found(r) if r.name == "refs/heads/s8"));
        let broken: Vec<_> = store
            .iter(b"refs/heads/")
            .unwrap()
            .map(Result::unwrap)
            .filter(|r| r.target == Target::Broken(Problem::Name))
            .map(|r| r.name)
            .collect();
        assert_eq!(broken, ["refs/heads/sp ace"]);
    }
}

#[test]
fn peeled_tags_come_with_packed_references() {
    for format in FORMATS {
        let repo = odd(format);
        let store = open(&repo.git_dir(), &repo.git_dir(), format);
        let peeled =
            |name: &str| store.find(name.as_bytes()).unwrap().unwrap().peeled.map(|id| id.to_string());
        assert_eq!(peeled("refs/tags/heavy").unwrap(), repo.git(&["rev-parse", "heavy^{}"]).trim());
        assert_eq!(peeled("refs/tags/light").unwrap(), repo.git(&["rev-parse", "light"]).trim());
        assert_eq!(peeled("refs/tags/again"), None);
    }
}

#[test]
fn head_in_each_state() {
    for format in FORMATS {
        let repo = Repo::new(format);
        let store = open(&repo.git_dir(), &repo.git_dir(), format);
        assert_eq!(store.head().unwrap(), Head::Branch { name: "refs/heads/main".into(), id: None });
        repo.commit("one");
        assert_eq!(store.head().unwrap().id().unwrap().to_string(), repo.git(&["rev-parse", "HEAD"]).trim());
        repo.git(&["checkout", "-q", "--detach"]);
        assert!(matches!(store.head().unwrap(), Head::Detached(_)));
        std::fs::write(repo.git_dir().join("HEAD"), "?").unwrap();
        assert_eq!(store.head().unwrap(), Head::Invalid);
    }
}

#[test]
fn a_linked_working_tree_has_its_own() {
    for format in FORMATS {
        let repo = Repo::new(format);
        repo.commit("one").git(&["branch", "side"]);
        repo.git(&["update-ref", "refs/bisect/main-only", "HEAD"]);
        repo.git(&["worktree", "add", "-q", "tree", "side"]);
        let tree = repo.path().join("tree");
        let git = |args: &[&str]| {
            let output = adit_testkit::run(adit_testkit::git_program(), &tree, args, b"", &[]);
            assert!(output.status.success());
            String::from_utf8(output.stdout).unwrap()
        };
        git(&["update-ref", "refs/bisect/here", "HEAD"]);
        git(&["update-ref", "refs/worktree/here", "HEAD"]);
        let common = repo.git_dir();
        let linked = open(&common.join("worktrees/tree"), &common, format);
        let main = open(&common, &common, format);
        let pattern = "--format=%(objectname) %(refname)";
        assert_eq!(listed(&linked, &with_prefix("")), git(&["for-each-ref", pattern]));
        assert_eq!(listed(&main, &with_prefix("")), repo.git(&["for-each-ref", pattern]));
        assert_eq!(linked.head().unwrap().branch().unwrap(), "refs/heads/side");
        for (store, name) in [
            (&linked, "main-worktree/HEAD"),
            (&linked, "main-worktree/refs/bisect/main-only"),
            (&main, "worktrees/tree/HEAD"),
            (&main, "worktrees/tree/refs/bisect/here"),
        ] {
            assert!(store.resolve(name.as_bytes()).unwrap().is_some(), "{name}");
        }
        assert!(main.resolve(b"worktrees/none/HEAD").unwrap().is_none());
    }
}

#[test]
fn packed_refs_in_any_shape_read_as_git_reads_them() {
    for format in FORMATS {
        let repo = Repo::new(format);
        repo.commit("one").git(&["tag", "v1"]);
        repo.git(&["pack-refs", "--all"]);
        let id = repo.git(&["rev-parse", "HEAD"]).trim().to_owned();
        let header = "# pack-refs with: peeled fully-peeled sorted \n";
        let contents = [
            format!("{id} refs/tags/v1\n{id} refs/heads/main\n"),
            format!("# pack-refs with: odd \n{id} refs/tags/v1\n^{id}\n{id} refs/heads/main\n^{id}\n"),
            format!("{header}{id} refs/heads/main\n{id} refs/heads/..x\n{id} refs/tags/v1\n"),
            format!("{header}{id}\trefs/heads/main\n{id} refs/tags/v1\n"),
            String::new(),
            header.to_owned(),
            format!("{header}{id} refs/heads/main\n{id} refs/tags/v1"),
            format!("{header}{id} refs/heads/main\n{id} refs/tags/v"),
            format!("{header}{id} refs/heads/main\nxyz refs/tags/v1\n"),
            format!("{header}{id} refs/heads/main\nxyz\n"),
            format!("{header}{id} refs/heads/main\n^xyz\n"),
            format!("{header}^{id}\n{id} refs/heads/main\n"),
            format!("{header}{id} refs/heads/main\n{id}\n{id} refs/tags/v1\n"),
            format!("{header}{id} refs/heads/main\n\n{id} refs/tags/v1\n"),
            format!("{header}# note\n{id} refs/heads/main\n{id} refs/tags/v1\n"),
            format!("# note\n{id} refs/heads/main\n"),
            "# pack-refs with: peeled".to_owned(),
        ];
        for content in contents {
            std::fs::write(repo.git_dir().join("packed-refs"), &content).unwrap();
            let store =
                Store::open(Path::new(".git"), Path::new(".git"), self::format(format), Options::default());
            drop(store.unwrap());
            let store = open(&repo.git_dir(), &repo.git_dir(), format);
            let git = repo.try_git(&["for-each-ref", "--format=%(objectname) %(refname)"], b"");
            let ours: Result<Vec<_>, Error> = store.iter(b"").and_then(Iterator::collect);
            match ours {
                Ok(_) => {
                    assert!(git.status.success(), "{content}");
                    assert_eq!(
                        listed(&store, &with_prefix("")).as_bytes(),
                        git.stdout.as_bstr(),
                        "{content}"
                    );
                }
                Err(error) => {
                    let ours = error.to_string().replace(repo.git_dir().to_str().unwrap(), ".git");
                    let stderr = String::from_utf8(git.stderr).unwrap();
                    let fatal = stderr.lines().find(|line| line.starts_with("fatal")).unwrap_or_default();
                    assert_eq!(format!("fatal: {ours}"), fatal, "{content}");
                }
            }
        }
    }
}

#[test]
fn bisection_finds_each_of_many() {
    let repo = Repo::new("sha1");
    let mut content = String::from("# pack-refs with: peeled fully-peeled sorted \n");
    for n in 0..3000 {
        content.push_str(&format!("{:040x} refs/tags/t{n:05}\n", n + 1));
        if n % 3 == 0 {
            content.push_str(&format!("^{:040x}\n", n + 7));
        }
    }
    std::fs::write(repo.git_dir().join("packed-refs"), &content).unwrap();
    let store = open(&repo.git_dir(), &repo.git_dir(), "sha1");
    for n in 0..3000_u32 {
        let found = store.find(format!("refs/tags/t{n:05}").as_bytes()).unwrap().unwrap();
        assert_eq!(found.target, Target::Direct(id(n + 1)));
        assert_eq!(found.peeled, Some(id(if n % 3 == 0 { n + 7 } else { n + 1 })));
        assert!(store.find(format!("refs/tags/t{n:05}x").as_bytes()).unwrap().is_none());
    }
    for missing in ["refs/a", "refs/tags/t", "refs/z"] {
        assert!(store.find(missing.as_bytes()).unwrap().is_none());
    }
}

fn id(n: u32) -> ObjectId {
    ObjectId::from_hex(ObjectFormat::Sha1, format!("{n:040x}").as_bytes()).unwrap()
}

#[test]
fn a_changed_packed_refs_is_read_again() {
    let repo = Repo::new("sha1");
    repo.commit("one").git(&["tag", "v1"]);
    let store = open(&repo.git_dir(), &repo.git_dir(), "sha1");
    assert!(store.resolve(b"refs/tags/v1").unwrap().is_some());
    assert!(store.resolve(b"refs/tags/v2").unwrap().is_none());
    repo.git(&["pack-refs", "--all"]);
    assert!(store.resolve(b"refs/tags/v1").unwrap().is_some());
    repo.git(&["tag", "v2"]);
    repo.git(&["tag", "-d", "v1"]);
    repo.git(&["pack-refs", "--all"]);
    assert!(store.resolve(b"refs/tags/v1").unwrap().is_none());
    assert!(store.resolve(b"refs/tags/v2").unwrap().is_some());
}

#[test]
fn short_names_are_gits() {
    for format in FORMATS {
        let repo = Repo::new(format);
        repo.commit("one");
        for name in [
            "heads/both",
            "tags/both",
            "heads/HEAD",
            "remotes/origin/main",
            "heads/origin/main",
            "tags/x",
            "odd/x",
            "remotes/far/HEAD",
            "heads/config",
            "tags/refs/heads/y",
            "heads/y",
            "tags/heads/y",
        ] {
            repo.git(&["update-ref", &format!("refs/{name}"), "HEAD"]);
        }
        for n in 0..40 {
            repo.git(&["update-ref", &format!("refs/tags/t{n}"), "HEAD"]);
        }
        repo.git(&["update-ref", "refs/heads/t33", "HEAD"]);
        for packed in [false, true] {
            if packed {
                repo.git(&["pack-refs", "--all"]);
            }
            let store = open(&repo.git_dir(), &repo.git_dir(), format);
            for strict in [true, false] {
                let config = format!("core.warnAmbiguousRefs={strict}");
                let git = repo.git(&["-c", &config, "for-each-ref", "--format=%(refname:short)"]);
                let mut shortener = Shortener::new(&store, strict).unwrap();
                let names: Vec<_> = store.iter(b"").unwrap().map(|r| r.unwrap().name).collect();
                let ours: String = names
                    .iter()
                    .map(|name| format!("{}\n", shortener.shorten(BStr::new(name)).unwrap()))
                    .collect();
                assert_eq!(ours, git, "strict {strict}, packed {packed}");
            }
        }
        assert_eq!(RULES.len(), adit_refs::expand(b"x").count());
    }
}

#[test]
fn logs_read_from_both_ends() {
    for format in FORMATS {
        let repo = Repo::new(format);
        for n in 0..20 {
            repo.commit(&format!("commit {n}"));
        }
        repo.git(&["branch", "side"]);
        let store = open(&repo.git_dir(), &repo.git_dir(), format);
        let log = store.reflog(b"HEAD").unwrap().unwrap();
        let mut ours = String::new();
        let mut back = log.backward().unwrap();
        while let Some(entry) = back.advance().unwrap() {
            ours.push_str(&format!("{} {} {}\n", entry.new, entry.who, entry.message));
        }
        assert_eq!(ours, repo.git(&["log", "-g", "--format=%H %gn <%ge> %gs", "HEAD"]));
        assert_eq!(store.reflog_names().unwrap(), ["HEAD", "refs/heads/main", "refs/heads/side"]);
        assert!(store.reflog(b"refs/heads/none").unwrap().is_none());
        assert!(store.reflog(b"refs/heads").unwrap().is_none());
    }
}

#[test]
fn root_references() {
    let repo = Repo::new("sha1");
    repo.commit("one");
    for name in ["ORIG_HEAD", "FETCH_HEAD", "AUTO_MERGE", "XYZ"] {
        std::fs::write(repo.git_dir().join(name), repo.git(&["rev-parse", "HEAD"])).unwrap();
    }
    let store = open(&repo.git_dir(), &repo.git_dir(), "sha1");
    let names: Vec<_> = store.root_refs().unwrap().into_iter().map(|r| r.name).collect();
    assert_eq!(names, ["AUTO_MERGE", "HEAD", "ORIG_HEAD"]);
    assert!(store.resolve(b"FETCH_HEAD").unwrap().is_some());
}

#[test]
fn an_unknown_storage_is_refused_by_name() {
    let options = Options { storage: Storage::Other("reftable".into()), ..Options::default() };
    let error = Store::open(Path::new("."), Path::new("."), ObjectFormat::Sha1, options).unwrap_err();
    assert_eq!(error.to_string(), "unknown ref storage format 'reftable'");
}
