//! Repositories for the tests, and what git says of their objects.

use std::ops::ControlFlow;
use std::path::PathBuf;

use adit_object::{ObjectFormat, ObjectId, Source};
use adit_odb::{Options, Store};
use adit_testkit::Repo;

pub(crate) fn format(name: &str) -> ObjectFormat {
    ObjectFormat::from_name(name.as_bytes()).unwrap()
}

pub(crate) fn open(repo: &Repo, name: &str) -> Store {
    Store::open(&repo.git_dir().join("objects"), format(name), Options::default()).unwrap()
}

pub(crate) fn id(name: &str, hex: &str) -> ObjectId {
    ObjectId::from_hex(format(name), hex.trim().as_bytes()).unwrap()
}

/// A repository with some history: files that change a little (deltas), a large one, a tag, an empty blob.
pub(crate) fn history(name: &str) -> Repo {
    let repo = Repo::new(name);
    let mut lines: Vec<String> = (0..400).map(|n| format!("line {n} of a file that changes\n")).collect();
    repo.write("empty", "").write("big", "0123456789abcdef".repeat(5000));
    for n in 0..12 {
        lines[n * 30] = format!("changed in {n}\n");
        repo.write("file", lines.concat()).write(&format!("dir/sub{}/f{n}", n % 3), format!("{n}\n"));
        repo.commit(&format!("commit {n}"));
    }
    repo.git(&["tag", "-a", "-m", "a tag", "v1"]);
    repo
}

/// Every object as git lists it: id, kind, size, size on disk, delta base.
pub(crate) fn listing(repo: &Repo) -> Vec<(String, String)> {
    let format = "%(objectname) %(objecttype) %(objectsize) %(objectsize:disk) %(deltabase)";
    let text = repo.git(&["cat-file", "--batch-all-objects", &format!("--batch-check={format}")]);
    let split = |line: &str| {
        let (id, rest) = line.split_once(' ').unwrap();
        (id.to_owned(), rest.to_owned())
    };
    text.lines().map(split).collect()
}

/// Reads every object of `store` and compares with what git says.
pub(crate) fn assert_equal(repo: &Repo, name: &str, store: &Store) {
    let expected = listing(repo);
    let mut listed = Vec::new();
    store
        .for_each_object(adit_odb::Order::Id, |id| {
            listed.push(id.to_string());
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!(listed, expected.iter().map(|(id, _)| id.clone()).collect::<Vec<_>>());
    let mut stored = Vec::new();
    store
        .for_each_object(adit_odb::Order::Storage, |id| {
            stored.push(id.to_string());
            ControlFlow::Continue(())
        })
        .unwrap();
    stored.sort();
    assert_eq!(stored, listed);
    assert_bulk_equal(&expected, name, store);
    let mut bytes = Vec::new();
    for (hex, rest) in &expected {
        let id = id(name, hex);
        let info = store.info(&id, adit_odb::Want::ALL).unwrap().unwrap();
        let base = info.delta_base.unwrap_or(ObjectId::null(id.format()));
        let kind = info.kind.unwrap();
        assert_eq!(&format!("{kind} {} {} {base}", info.size, info.disk_size), rest, "{hex}");
        assert_eq!(store.read(&id, &mut bytes).unwrap(), kind, "{hex}");
        assert_eq!(adit_object::hash_object(id.format(), kind, &bytes).unwrap(), id, "{hex}");
        let header = store.header(&id).unwrap();
        assert_eq!((header.kind, header.size), (kind, bytes.len() as u64), "{hex}");
        assert!(store.contains(&id) && store.contains_quick(&id));
    }
}

/// Reads every object in bulk, in each way, and compares with what git says.
fn assert_bulk_equal(expected: &[(String, String)], name: &str, store: &Store) {
    let good = |id: &ObjectId, object: adit_odb::BulkObject<'_>| {
        let (kind, bytes) = object.unwrap();
        assert_eq!(adit_object::hash_object(id.format(), kind, bytes).unwrap(), *id);
        id.to_string()
    };
    let ids: Vec<String> = expected.iter().map(|(id, _)| id.clone()).collect();
    for threads in [1, 3] {
        let mut read = Vec::new();
        store.bulk_all().unwrap().threads(threads).in_order(|id, object| {
            read.push(good(id, object));
            ControlFlow::Continue(())
        });
        read.sort();
        assert_eq!(read, ids);
        let some: Vec<ObjectId> = ids.iter().step_by(3).map(|hex| id(name, hex)).collect();
        let bulk = store.bulk(some.iter().chain(&some).copied()).threads(threads);
        assert_eq!(bulk.len(), some.len());
        let each = |read: &mut Vec<String>, id: &ObjectId, object: adit_odb::BulkObject<'_>| {
            read.push(good(id, object));
            ControlFlow::Continue(())
        };
        let mut read = bulk.fold(Vec::new, each).concat();
        read.sort();
        assert_eq!(read, some.iter().map(ToString::to_string).collect::<Vec<_>>());
    }
    for order in [adit_odb::Order::Id, adit_odb::Order::Storage] {
        let mut infos = Vec::new();
        let each = |id: &ObjectId, info: Result<adit_odb::Info, adit_object::SourceError>| {
            let info = info.unwrap();
            let base = info.delta_base.unwrap_or(ObjectId::null(id.format()));
            infos.push((
                id.to_string(),
                format!("{} {} {} {base}", info.kind.unwrap(), info.size, info.disk_size),
            ));
            ControlFlow::Continue(())
        };
        store.info_all(order, adit_odb::Want::ALL, each).unwrap();
        if order == adit_odb::Order::Storage {
            infos.sort();
        }
        assert_eq!(infos, expected);
    }
}

/// The files of the pack folder with this extension.
pub(crate) fn pack_files(repo: &Repo, extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(repo.git_dir().join("objects/pack")).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == extension));
    files.sort();
    files
}
