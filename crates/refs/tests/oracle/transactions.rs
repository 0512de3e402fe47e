//! The same changes made by git and by a transaction leave the same files.

use std::collections::BTreeMap;
use std::path::Path;

use adit_object::ObjectId;
use adit_refs::{Edit, Expected, Hook, LogPolicy, NoHook, Phase, Store, UpdateError, WriteOptions};
use adit_testkit::{FORMATS, Repo};
use bstr::ByteSlice;

use super::{format, open};

/// The files of the references and their logs, and what they hold.
fn files(git_dir: &Path) -> BTreeMap<String, String> {
    fn walk(top: &Path, path: &Path, found: &mut BTreeMap<String, String>) {
        let name = path.strip_prefix(top).unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            found.insert(format!("{name}/"), String::new());
            for entry in std::fs::read_dir(path).unwrap() {
                walk(top, &entry.unwrap().path(), found);
            }
        } else if path.exists() {
            found.insert(name, String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned());
        }
    }
    let mut found = BTreeMap::new();
    for part in ["refs", "logs", "packed-refs", "HEAD", "ORIG_HEAD"] {
        walk(git_dir, &git_dir.join(part), &mut found);
    }
    found
}

/// Two repositories that are the same but for where they are.
fn twins(format: &str) -> [Repo; 2] {
    [(); 2].map(|()| {
        let repo = Repo::new(format);
        repo.commit("one").commit("two");
        repo.git(&["branch", "packed/a", "HEAD~1"]);
        repo.git(&["branch", "packed/b", "HEAD~1"]);
        repo.tick().git(&["tag", "-a", "-m", "m", "heavy"]);
        repo.git(&["pack-refs", "--all"]);
        repo.git(&["branch", "loose/a"]);
        repo.git(&["symbolic-ref", "refs/heads/symbolic", "refs/heads/loose/a"]);
        repo.git(&["symbolic-ref", "refs/heads/dangling", "refs/heads/new/x"]);
        repo
    })
}

fn ids(repo: &Repo, format_name: &str) -> [ObjectId; 2] {
    ["HEAD~1", "HEAD"].map(|name| {
        let hex = repo.git(&["rev-parse", name]);
        ObjectId::from_hex(format(format_name), hex.trim().as_bytes()).unwrap()
    })
}

fn options(store_objects: LogPolicy) -> WriteOptions<'static> {
    let mut options = WriteOptions::new("C O Mitter <committer@example.com> 1112912173 -0700");
    options.log = store_objects;
    options
}

/// Makes the edits of an `update-ref --stdin` script with a transaction.
fn apply(store: &Store, options: &WriteOptions<'_>, edits: &[Edit]) -> Result<(), UpdateError> {
    let mut transaction = store.transaction(options);
    edits.iter().cloned().for_each(|edit| transaction.add(edit));
    transaction.commit(&mut NoHook)
}

#[test]
fn the_files_are_gits() {
    for name in FORMATS {
        let [git, ours] = twins(name);
        let [a, b] = ids(&git, name);
        let store = open(&ours.git_dir(), &ours.git_dir(), name);
        let options = options(LogPolicy::Usual);
        let steps: [(String, Vec<Edit>); 9] = [
            (
                format!("create refs/heads/new/one {a}\ncreate refs/tags/t {b}\n"),
                vec![
                    Edit::set("refs/heads/new/one", a).expect(Expected::Missing),
                    Edit::set("refs/tags/t", b).expect(Expected::Missing),
                ],
            ),
            (format!("update HEAD {a} {b}\n"), vec![Edit::set("HEAD", a).expect(Expected::Id(b))]),
            (format!("update refs/heads/main {b}\n"), vec![Edit::set("refs/heads/main", b)]),
            (format!("update refs/heads/main {b}\n"), vec![Edit::set("refs/heads/main", b)]),
            (
                format!("update refs/heads/symbolic {a}\nupdate refs/heads/dangling {b}\n"),
                vec![Edit::set("refs/heads/symbolic", a), Edit::set("refs/heads/dangling", b)],
            ),
            (
                format!("delete refs/heads/packed/a {a}\ndelete refs/heads/loose/a\ndelete refs/tags/none\n"),
                vec![
                    Edit::delete("refs/heads/packed/a").expect(Expected::Id(a)),
                    Edit::delete("refs/heads/loose/a"),
                    Edit::delete("refs/tags/none"),
                ],
            ),
            (
                format!("update refs/heads/packed/b {b}\ncreate refs/heads/loose {a}\n"),
                vec![
                    Edit::set("refs/heads/packed/b", b),
                    Edit::set("refs/heads/loose", a).expect(Expected::Missing),
                ],
            ),
            (
                "option no-deref\ndelete refs/heads/symbolic\nverify refs/tags/none\n".to_owned(),
                vec![
                    Edit::delete("refs/heads/symbolic").no_deref(),
                    Edit::verify("refs/tags/none", Expected::Missing),
                ],
            ),
            (format!("delete HEAD {b}\n"), vec![Edit::delete("HEAD").expect(Expected::Id(b))]),
        ];
        for (script, edits) in steps {
            let edits: Vec<Edit> = edits.into_iter().map(|edit| edit.message("a  b\n")).collect();
            let run = git.run(
                adit_testkit::git_program(),
                &["update-ref", "-m", "a  b\n", "--stdin"],
                script.as_bytes(),
            );
            assert!(run.status.success(), "{script}: {}", run.stderr.as_bstr());
            apply(&store, &options, &edits).unwrap();
            assert_eq!(files(&ours.git_dir()), files(&git.git_dir()), "{script}");
        }
        ours.git(&["fsck", "--strict"]);
    }
}

#[test]
fn what_cannot_be_done_changes_nothing() {
    for name in FORMATS {
        let [git, ours] = twins(name);
        let [a, b] = ids(&git, name);
        let store = open(&ours.git_dir(), &ours.git_dir(), name);
        let options = options(LogPolicy::Usual);
        let fine = || Edit::set("refs/heads/fine", a);
        std::fs::write(ours.git_dir().join("refs/heads/locked.lock"), "").unwrap();
        std::fs::write(ours.git_dir().join("refs/heads/broken"), "junk").unwrap();
        let before = files(&ours.git_dir());
        let lock = |name: &str, why: &str| format!("cannot lock ref 'refs/heads/{name}': {why}");
        for (edits, message) in [
            (
                vec![Edit::set("refs/heads/main", a).expect(Expected::Missing)],
                lock("main", "reference already exists"),
            ),
            (
                vec![Edit::set("refs/heads/main", b).expect(Expected::Id(a))],
                lock("main", &format!("is at {b} but expected {a}")),
            ),
            (
                vec![Edit::delete("refs/heads/none").expect(Expected::Id(a))],
                lock("none", "unable to resolve reference 'refs/heads/none'"),
            ),
            (
                vec![Edit::set("refs/heads/packed/a/x", b)],
                "'refs/heads/packed/a' exists; cannot create 'refs/heads/packed/a/x'".to_owned(),
            ),
            (
                vec![Edit::set("refs/heads/loose/a/x", b)],
                lock("loose/a/x", "'refs/heads/loose/a' exists; cannot create 'refs/heads/loose/a/x'"),
            ),
            (
                vec![Edit::set("refs/heads/packed", b)],
                "'refs/heads/packed/a' exists; cannot create 'refs/heads/packed'".to_owned(),
            ),
            (
                vec![Edit::set("refs/heads/loose", b)],
                lock("loose", "'refs/heads/loose/a' exists; cannot create 'refs/heads/loose'"),
            ),
            (
                vec![Edit::set("refs/heads/q/r", b), Edit::set("refs/heads/q", b)],
                lock("q", "cannot process 'refs/heads/q' and 'refs/heads/q/r' at the same time"),
            ),
            (
                vec![Edit::set("refs/heads/broken", b)],
                lock("broken", "unable to resolve reference 'refs/heads/broken': reference broken"),
            ),
            (vec![fine()], "multiple updates for ref 'refs/heads/fine' not allowed".to_owned()),
            (
                vec![Edit::set("HEAD", a), Edit::set("refs/heads/main", a)],
                "multiple updates for 'refs/heads/main' (including one via symref 'HEAD') are not allowed"
                    .to_owned(),
            ),
            (
                vec![Edit::set("refs/heads/a..b", a)],
                "refusing to update ref with bad name 'refs/heads/a..b'".to_owned(),
            ),
            (
                vec![Edit::set("refs/heads/locked", a)],
                lock(
                    "locked",
                    &format!(
                        "Unable to create '{}/refs/heads/locked.lock': File exists.",
                        ours.git_dir().display()
                    ),
                ),
            ),
        ] {
            let edits: Vec<Edit> = [fine()].into_iter().chain(edits).collect();
            let error = apply(&store, &options, &edits).unwrap_err().to_string();
            assert_eq!(error.lines().next().unwrap(), message);
            assert_eq!(files(&ours.git_dir()), before, "{message}");
        }
    }
}

/// A hook that writes down what it is told, and says no in one phase.
struct Recorder {
    told: String,
    refuses: Option<Phase>,
}

impl Hook for Recorder {
    fn run(&mut self, phase: Phase, lines: &[u8]) -> bool {
        self.told.push_str(&format!("{phase}\n{}", lines.as_bstr()));
        self.refuses != Some(phase)
    }
}

#[test]
fn the_hook_is_told_once_a_phase() {
    let [git, ours] = twins("sha1");
    let [a, b] = ids(&git, "sha1");
    let store = open(&ours.git_dir(), &ours.git_dir(), "sha1");
    let options = options(LogPolicy::Never);
    let run = |refuses| {
        let mut hook = Recorder { told: String::new(), refuses };
        let mut transaction = store.transaction(&options);
        transaction.add(Edit::set("HEAD", a).expect(Expected::Id(b)));
        transaction.add(Edit::set_symbolic("refs/heads/symbolic", "refs/heads/main"));
        let outcome = transaction.commit(&mut hook);
        (hook.told, outcome.map_err(|error| error.to_string()))
    };
    let zero = "0".repeat(40);
    let symbolic = format!("{zero} ref:refs/heads/main refs/heads/symbolic\n");
    let preparing = format!("preparing\n{b} {a} HEAD\n{symbolic}");
    let prepared = format!("prepared\n{symbolic}{b} {a} refs/heads/main\n");
    let before = files(&ours.git_dir());
    for (phase, told) in
        [(Phase::Preparing, preparing.clone()), (Phase::Prepared, format!("{preparing}{prepared}"))]
    {
        let no = format!("in '{phase}' phase, update aborted by the reference-transaction hook");
        assert_eq!(run(Some(phase)), (told, Err(no)));
        assert_eq!(files(&ours.git_dir()), before);
    }
    let committed = format!("committed\n{symbolic}{b} {a} refs/heads/main\n");
    assert_eq!(run(None), (format!("{preparing}{prepared}{committed}"), Ok(())));

    let mut hook = Recorder { told: String::new(), refuses: None };
    let mut transaction = store.transaction(&options);
    transaction.add(Edit::delete("refs/heads/symbolic").no_deref());
    let before = files(&ours.git_dir());
    transaction.prepare(&mut hook).unwrap().abort(&mut hook);
    let line = format!("{zero} {zero} refs/heads/symbolic\n");
    assert_eq!(hook.told, format!("preparing\n{line}prepared\n{line}aborted\n{line}"));
    assert_eq!(files(&ours.git_dir()), before);
}

#[test]
fn a_batch_leaves_out_what_cannot_be_made() {
    let [git, ours] = twins("sha1");
    let [a, b] = ids(&git, "sha1");
    let store = open(&ours.git_dir(), &ours.git_dir(), "sha1");
    let options = options(LogPolicy::Never);
    let mut transaction = store.transaction(&options);
    transaction.leave_out_failures();
    transaction.add(Edit::set("refs/heads/one", a));
    transaction.add(Edit::set("refs/heads/main", a).expect(Expected::Missing));
    transaction.add(Edit::set("refs/heads/one/x", a));
    transaction.add(Edit::set("refs/heads/two", a).expect(Expected::Id(b)));
    transaction.add(Edit::set("refs/heads/packed/a", b).expect(Expected::Id(a)));
    let prepared = transaction.prepare(&mut NoHook).unwrap();
    let mut rejected: Vec<_> = prepared
        .rejected()
        .iter()
        .map(|left| (left.edit, left.error.rejection().unwrap().as_str()))
        .collect();
    rejected.sort_unstable();
    let expected =
        [(0, "refname conflict"), (1, "reference already exists"), (3, "reference does not exist")];
    assert_eq!(rejected, expected);
    prepared.commit(&mut NoHook).unwrap();
    assert_eq!(ours.git(&["rev-parse", "refs/heads/one/x", "refs/heads/packed/a"]), format!("{a}\n{b}\n"));
    assert!(!ours.try_git(&["rev-parse", "-q", "--verify", "refs/heads/two"], b"").status.success());
}

#[test]
fn thousands_of_new_references_go_into_packed_refs() {
    for name in FORMATS {
        let [git, ours] = twins(name);
        let [a, b] = ids(&git, name);
        let tag = ours.git(&["rev-parse", "heavy"]);
        let tag = ObjectId::from_hex(format(name), tag.trim().as_bytes()).unwrap();
        let objects = adit_odb_of(&ours, format(name));
        let store = open(&ours.git_dir(), &ours.git_dir(), name);
        let mut options = options(LogPolicy::Usual);
        options.objects = Some(&objects);
        let mut edits: Vec<Edit> = (0..1500)
            .map(|n| Edit::set(format!("refs/many/{}/{n}", n % 7), a).expect(Expected::Missing))
            .collect();
        edits.push(Edit::set("refs/many/tag", tag));
        edits.push(Edit::set("refs/heads/loose/a", a).expect(Expected::Id(b)));
        edits.push(Edit::set("refs/heads/packed/b", b).expect(Expected::Id(a)));
        edits.push(Edit::set("refs/heads/symbolic-too", a));
        edits.push(Edit::delete("refs/heads/packed/a").expect(Expected::Id(a)));
        edits.push(Edit::set("refs/bisect/bad", b));
        ours.git(&["symbolic-ref", "refs/heads/symbolic-too", "refs/heads/behind"]);
        ours.git(&["symbolic-ref", "-d", "refs/heads/dangling"]);
        apply(&store, &options, &edits).unwrap();
        let listed = ours.git(&["for-each-ref", "--format=%(objectname) %(refname)"]);
        for (name, id) in edits.iter().filter_map(|edit| match edit.change {
            adit_refs::Change::Set(id) => Some((&edit.name, id)),
            _ => None,
        }) {
            assert!(listed.contains(&format!("{id} {name}\n")), "{name}");
        }
        assert!(!listed.contains("refs/heads/packed/a\n") && listed.contains("refs/heads/behind\n"));
        let left = files(&ours.git_dir());
        let is_left = |name: &String| !name.ends_with('/') && name.contains("many");
        assert!(!left.keys().any(|name| is_left(name) || name.contains(".lock")));
        let packed = &left["packed-refs"];
        assert!(packed.contains(&format!("{tag} refs/many/tag\n^")) && !packed.contains("refs/bisect"));
        ours.git(&["pack-refs", "--all"]);
        ours.git(&["fsck", "--strict"]);

        // The same again cannot be done, and changes nothing.
        let before = files(&ours.git_dir());
        let error = apply(&store, &options, &edits).unwrap_err().to_string();
        assert!(error.starts_with("cannot lock ref 'refs/heads/loose/a': is at"), "{error}");
        assert_eq!(files(&ours.git_dir()), before);

        // Where they have files, these change.
        let loose: Vec<Edit> = (0..1200).map(|n| Edit::set(format!("refs/many/{}/{n}", n % 7), b)).collect();
        for edit in &loose[..700] {
            std::fs::create_dir_all(ours.git_dir().join(&*edit.name.to_path_lossy()).parent().unwrap())
                .unwrap();
            std::fs::write(ours.git_dir().join(&*edit.name.to_path_lossy()), format!("{a}\n")).unwrap();
        }
        apply(&store, &options, &loose).unwrap();
        let listed = ours.git(&["for-each-ref", "--format=%(objectname) %(refname)", "refs/many"]);
        assert_eq!(listed.matches(&b.to_string()).count(), 1200);
        assert!(!files(&ours.git_dir()).keys().any(|name| name.contains(".lock")));
    }
}

fn adit_odb_of(repo: &Repo, format: adit_object::ObjectFormat) -> adit_odb::Store {
    adit_odb::Store::open(&repo.git_dir().join("objects"), format, adit_odb::Options::default()).unwrap()
}
