//! Targets that put the bytes in the place of one of the repository's files and read all that is there.

use std::ops::ControlFlow;
use std::path::Path;

use adit_index::{Index, OffsetTables, ReadOptions, Version, WriteOptions};
use adit_object::zlib::Deflater;
use adit_object::{ObjectFormat, ObjectId, Source};
use adit_odb::{CommitGraph, Options, Order, Store, Want};
use adit_sys::LockFile;

use crate::Fixture;

const SHA1: ObjectFormat = ObjectFormat::Sha1;

/// The index: read with and without its checksum, and written again when it can be read.
pub fn index(fixture: &Fixture, data: &[u8]) {
    fixture.with("index", data, |git_dir| {
        let path = git_dir.join("index");
        let _ = Index::read(&path, SHA1, &ReadOptions::default());
        let options = ReadOptions { threads: 2, verify_up_to: 0 };
        let Ok(mut index) = Index::read(&path, SHA1, &options) else { return };
        index.entries().for_each(|entry| drop(entry.to_owned()));
        index.cache_tree();
        index.resolve_undo();
        let first = index.entries().next().map(|entry| entry.path().to_owned());
        if let Some(path) = first {
            index.remove(&path);
        }
        let lock = LockFile::acquire(&git_dir.join("written")).expect("a lock");
        if index.write(lock, &WriteOptions::default(), |_| true).is_ok() {
            Index::read(&git_dir.join("written"), SHA1, &options).expect("what was written");
        }
    });
}

/// Indexes of each kind.
pub fn index_seeds(fixture: &Fixture) -> Vec<Vec<u8>> {
    let whole = fixture.file("index");
    let rewritten = |version: Version, blocks: usize| {
        let mut seed = Vec::new();
        fixture.with("index", &whole, |git_dir| {
            let read = Index::read(&git_dir.join("index"), SHA1, &ReadOptions::default());
            let mut index = read.expect("the fixture's index");
            index.set_version(version);
            let offset_tables = OffsetTables { end_of_entries: true, blocks };
            let options = WriteOptions { offset_tables, ..WriteOptions::default() };
            let lock = LockFile::acquire(&git_dir.join("written")).expect("a lock");
            index.write(lock, &options, |_| false).expect("a written index");
            seed = std::fs::read(git_dir.join("written")).expect("what was written");
        });
        seed
    };
    vec![rewritten(Version::V2, 2), rewritten(Version::V4, 3), whole.clone()]
}

/// A loose object's file.
pub fn loose(fixture: &Fixture, data: &[u8]) {
    fixture.with("loose", data, |git_dir| read_objects(git_dir, &fixture.ids));
}

/// What a loose object's file inflates to.
pub fn loose_content(fixture: &Fixture, data: &[u8]) {
    loose(fixture, &deflated(data));
}

/// Headers of loose objects.
pub fn loose_content_seeds(_: &Fixture) -> Vec<Vec<u8>> {
    [&b"blob 5\0hello"[..], b"commit 0\0", b"tree 18446744073709551615\0", b"tag 99999999999999999999\0x"]
        .map(<[u8]>::to_vec)
        .to_vec()
}

/// A pack with a good index.
pub fn pack(fixture: &Fixture, data: &[u8]) {
    fixture.with("pack", data, |git_dir| read_objects(git_dir, &fixture.ids));
}

/// The index of a good pack.
pub fn idx(fixture: &Fixture, data: &[u8]) {
    // With a multi-pack-index the index is not read.
    fixture.with("midx", b"", |_| {
        fixture.with("idx", data, |git_dir| read_objects(git_dir, &fixture.ids));
    });
}

/// The reverse index of a good pack.
pub fn rev(fixture: &Fixture, data: &[u8]) {
    fixture.with("rev", data, |git_dir| read_objects(git_dir, &fixture.ids));
}

/// A multi-pack-index over a good pack.
pub fn midx(fixture: &Fixture, data: &[u8]) {
    fixture.with("midx", data, |git_dir| read_objects(git_dir, &fixture.ids));
}

/// A delta in a pack that is otherwise good: its base is a blob of 300 bytes.
pub fn delta(fixture: &Fixture, data: &[u8]) {
    let base: Vec<u8> = (0..300_u32).map(|n| n as u8).collect();
    let mut pack = b"PACK\0\0\0\x02\0\0\0\x02".to_vec();
    let first = pack.len() as u32;
    entry_header(3, base.len(), &mut pack);
    pack.extend(deflated(&base));
    let second = pack.len() as u32;
    entry_header(7, data.len(), &mut pack);
    pack.extend([0x11; 20]);
    pack.extend(deflated(data));
    pack.extend([0; 20]);

    let mut idx = b"\xfftOc\0\0\0\x02".to_vec();
    for byte in 0..256_u32 {
        let count = u32::from(byte >= 0x11) + u32::from(byte >= 0x22);
        idx.extend(count.to_be_bytes());
    }
    idx.extend([0x11; 20]);
    idx.extend([0x22; 20]);
    idx.extend([0; 8]);
    idx.extend(first.to_be_bytes());
    idx.extend(second.to_be_bytes());
    idx.extend([0; 40]);

    let ids = [[0x11; 20], [0x22; 20]].map(|raw| ObjectId::from_bytes(SHA1, &raw).expect("an id"));
    fixture.with("midx", b"", |_| {
        fixture.with("rev", b"", |_| {
            fixture.with("idx", &idx, |_| fixture.with("pack", &pack, |git_dir| read_objects(git_dir, &ids)));
        });
    });
}

/// A good delta, one that says it makes more than it does, and one that copies from beyond the base.
pub fn delta_seeds(_: &Fixture) -> Vec<Vec<u8>> {
    [
        &b"\xac\x02\x0a\x90\x05\x05hello"[..],
        b"\xac\x02\xff\xff\xff\xff\x7f\x90\x05",
        b"\xac\x02\x05\x93\xff\xff\x05",
        b"\xac\x02\x80\x80\x04\x80\x80",
    ]
    .map(<[u8]>::to_vec)
    .to_vec()
}

/// A commit-graph file.
pub fn commit_graph(fixture: &Fixture, data: &[u8]) {
    fixture.with("commit-graph", data, |git_dir| {
        let mut diagnostics = Vec::new();
        let Some(graph) = CommitGraph::open(&git_dir.join("objects"), SHA1, &mut diagnostics) else { return };
        for id in &fixture.ids {
            let _ = graph.find(id);
        }
        let settings = graph.bloom_settings();
        let mut parents = Vec::new();
        for position in (0..graph.len().min(1000)).chain([graph.len(), u32::MAX]) {
            let _ = (graph.id(position), graph.commit(position), graph.parents(position, &mut parents));
            if let Some(settings) = &settings {
                let _ = graph.may_have_changed(position, settings, &[]);
            }
        }
    });
}

/// A packed-refs file.
pub fn packed_refs(fixture: &Fixture, data: &[u8]) {
    fixture.with("packed-refs", data, |git_dir| {
        let Some(store) = refs(git_dir) else { return };
        for name in ["HEAD", "refs/heads/main", "refs/heads/side", "refs/tags/v1", "refs/tags/none"] {
            let _ = (store.find(name.as_bytes()), store.resolve(name.as_bytes()));
        }
        for prefix in ["", "refs/", "refs/tags/"] {
            let Ok(mut iter) = store.iter(prefix.as_bytes()) else { continue };
            while let Ok(Some(entry)) = iter.advance() {
                let _ = store.entry_id(&entry);
            }
        }
    });
}

/// A reflog.
pub fn reflog(fixture: &Fixture, data: &[u8]) {
    fixture.with("reflog", data, |git_dir| {
        let Some(Ok(Some(log))) = refs(git_dir).map(|store| store.reflog(b"HEAD")) else { return };
        let mut forward = log.forward();
        while let Ok(Some(_)) = forward.advance() {}
        let Ok(mut backward) = log.backward() else { return };
        while let Ok(Some(_)) = backward.advance() {}
    });
}

fn refs(git_dir: &Path) -> Option<adit_refs::Store> {
    adit_refs::Store::open(git_dir, git_dir, SHA1, adit_refs::Options::default()).ok()
}

/// Asks for everything about every object, in every way.
fn read_objects(git_dir: &Path, ids: &[ObjectId]) {
    let Ok(store) = Store::open(&git_dir.join("objects"), SHA1, Options::default()) else { return };
    let mut content = Vec::new();
    for id in ids {
        let _ = store.try_header(id);
        let _ = store.info(id, Want::ALL);
        let _ = store.try_read(id, &mut content);
    }
    for order in [Order::Id, Order::Storage] {
        let mut count = 0;
        let _ = store.for_each_object(order, |_| {
            count += 1;
            if count > 100_000 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
    }
}

fn entry_header(kind: u8, mut size: usize, out: &mut Vec<u8>) {
    let mut byte = kind << 4 | (size & 15) as u8;
    size >>= 4;
    while size > 0 {
        out.push(byte | 0x80);
        byte = (size & 0x7f) as u8;
        size >>= 7;
    }
    out.push(byte);
}

fn deflated(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    Deflater::new(1).deflate(data, &mut out);
    out
}
