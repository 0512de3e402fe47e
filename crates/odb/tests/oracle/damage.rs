//! Damage in every kind of file: a clear error or another copy, never a panic, a hang or a huge allocation.

use std::path::{Path, PathBuf};

use adit_object::zlib::Deflater;
use adit_object::{ObjectFormat, ObjectId, ObjectKind, Source, SourceError, hash_object};
use adit_odb::{Order, Store, Want};
use adit_testkit::{FORMATS, Repo};

use crate::common::*;
use crate::made_pack::{MadePack, id_delta, offset_delta, whole};

/// Puts `bytes` where a read-only file of git's is.
fn overwrite(path: &Path, bytes: &[u8]) {
    let new = path.with_extension("new");
    std::fs::write(&new, bytes).unwrap();
    std::fs::rename(&new, path).unwrap();
}

/// A small repository, all of it in one pack.
fn packed(name: &str) -> (Repo, Vec<ObjectId>) {
    let repo = Repo::new(name);
    for n in 0..3 {
        repo.write("file", format!("{}\n", "a line that stays\n".repeat(5 + n))).commit("c");
    }
    repo.git(&["repack", "-adfq"]);
    let ids = listing(&repo).iter().map(|(hex, _)| id(name, hex)).collect();
    (repo, ids)
}

/// Damages the file at `path` in every way and lets `check` look at the store each time.
fn damaged(repo: &Repo, name: &str, path: &Path, mut check: impl FnMut(&Store, &str)) {
    let sound = std::fs::read(path).unwrap();
    // All that differs between the formats is the length of ids: one of them is enough for the whole sweep.
    let step = if name == "sha1" { 1 } else { 9 };
    for at in (0..sound.len()).step_by(step) {
        // Fan-out tables repeat themselves.
        if sound.len() > 1000 && (64..1000).contains(&at) && at % 97 != 0 {
            continue;
        }
        for bits in [0x01, 0xff] {
            let mut bytes = sound.clone();
            bytes[at] ^= bits;
            overwrite(path, &bytes);
            check(&open(repo, name), &format!("byte {at} ^ {bits:#x}"));
        }
    }
    for len in (0..sound.len())
        .step_by(step)
        .filter(|len| sound.len() < 1000 || len % 29 == 0 || len + 100 > sound.len())
    {
        overwrite(path, &sound[..len]);
        check(&open(repo, name), &format!("cut at {len}"));
    }
    overwrite(path, &[&sound[..], b"x"].concat());
    check(&open(repo, name), "one byte more");
    overwrite(path, &sound);
    check(&open(repo, name), "sound");
}

/// Everything that can be asked about `id`; the number of answers that are right.
fn ask(store: &Store, id: &ObjectId) -> usize {
    let mut bytes = Vec::new();
    let mut right = 0;
    if let Ok(Some(kind)) = store.try_read(id, &mut bytes) {
        right += usize::from(hash_object(id.format(), kind, &bytes).unwrap() == *id);
    }
    let _ = store.info(id, Want::ALL);
    right
}

#[test]
fn loose_object() {
    for name in FORMATS {
        let repo = Repo::new(name);
        repo.write("f", "some content of a loose object\n");
        let hex = repo.git(&["hash-object", "-w", "f"]);
        let id = id(name, &hex);
        let path = repo.git_dir().join("objects").join(&hex[..2]).join(hex[2..].trim());
        damaged(&repo, name, &path, |store, how| {
            let mut read = Vec::new();
            match store.read(&id, &mut read) {
                // The bits after the last symbol of a stream mean nothing.
                Ok(_) => assert_eq!(read, b"some content of a loose object\n", "{how}"),
                Err(error) => assert!(error.to_string().contains(path.to_str().unwrap()), "{how}: {error}"),
            }
            ask(store, &id);
        });
    }
}

#[test]
fn pack() {
    for name in FORMATS {
        let (repo, ids) = packed(name);
        let path = pack_files(&repo, "pack").remove(0);
        damaged(&repo, name, &path, |store, how| {
            let right: usize = ids.iter().map(|id| ask(store, id)).sum();
            if how.starts_with("cut") || how == "one byte more" {
                assert_eq!(right, 0, "{how}");
                let error = store.read(&ids[0], &mut Vec::new()).unwrap_err().to_string();
                assert!(error.contains(path.to_str().unwrap()) && error.contains(&ids[0].to_string()));
            } else if how == "sound" {
                assert_eq!(right, ids.len());
            }
        });
    }
}

#[test]
fn pack_index() {
    for name in FORMATS {
        for version in ["1", "2"] {
            let (repo, ids) = packed(name);
            repo.git(&["config", "pack.indexVersion", version]);
            repo.git(&["repack", "-adfq"]);
            let path = pack_files(&repo, "idx").remove(0);
            damaged(&repo, name, &path, |store, how| {
                let right: usize = ids.iter().map(|id| ask(store, id)).sum();
                let mut listed = 0;
                let count = |_| {
                    listed += 1;
                    std::ops::ControlFlow::Continue(())
                };
                // Listing looks into 256 folders: not every time.
                if how.contains("7 ^ 0xff") || how == "cut at 0" || how == "sound" {
                    let _ = store.for_each_object(Order::Storage, count);
                }
                if how.starts_with("cut") || how == "one byte more" {
                    assert_eq!((right, listed), (0, 0), "{how}");
                    let error = store.read(&ids[0], &mut Vec::new()).unwrap_err().to_string();
                    assert!(error.contains(path.to_str().unwrap()), "{error}");
                } else if how == "sound" {
                    assert_eq!((right, listed), (ids.len(), ids.len()));
                }
            });
        }
    }
}

#[test]
fn reverse_index() {
    for name in FORMATS {
        let (repo, ids) = packed(name);
        let expected: Vec<_> = ids.iter().map(|id| open(&repo, name).info(id, Want::ALL).unwrap()).collect();
        let path = pack_files(&repo, "rev").remove(0);
        damaged(&repo, name, &path, |store, how| {
            let got: Vec<_> = ids.iter().map(|id| store.info(id, Want::ALL).ok().flatten()).collect();
            // Damage that shows is worked around; a wrong position in the table may not show.
            if !how.starts_with("byte") {
                assert_eq!(got, expected, "{how}");
            }
            if how.contains("7 ^ 0xff") {
                let _ = store.for_each_object(Order::Storage, |_| std::ops::ControlFlow::Continue(()));
            }
        });
    }
}

#[test]
fn multi_pack_index() {
    for name in FORMATS {
        let (repo, ids) = packed(name);
        repo.git(&["multi-pack-index", "write"]);
        let path = repo.git_dir().join("objects/pack/multi-pack-index");
        damaged(&repo, name, &path, |store, how| {
            let right: usize = ids.iter().map(|id| ask(store, id)).sum();
            if !how.starts_with("byte") {
                assert_eq!(right, ids.len(), "{how}");
            }
            if how.starts_with("cut") {
                assert_eq!(store.take_damage()[0].path, path, "{how}");
            }
        });
    }
}

#[test]
fn a_damaged_packed_object_is_read_from_its_loose_copy_or_another_pack() {
    for name in FORMATS {
        let (repo, ids) = packed(name);
        let path = pack_files(&repo, "pack").remove(0);
        let sound = std::fs::read(&path).unwrap();
        // Loose copies first, then a second pack instead.
        let unpacked = repo.path().join("unpacked.pack");
        std::fs::rename(&path, &unpacked).unwrap();
        let index = pack_files(&repo, "idx").remove(0);
        std::fs::rename(&index, repo.path().join("index")).unwrap();
        assert!(repo.try_git(&["unpack-objects", "-q"], &sound).status.success());
        std::fs::rename(repo.path().join("index"), &index).unwrap();
        std::fs::rename(&unpacked, &path).unwrap();
        for second_pack in [false, true] {
            if second_pack {
                let all: String = ids.iter().map(|id| format!("{id}\n")).collect();
                let base = repo.git_dir().join("objects/pack/pack-second").to_str().unwrap().to_owned();
                assert!(
                    repo.try_git(&["pack-objects", "-q", "--window=0", &base], all.as_bytes())
                        .status
                        .success()
                );
                repo.git(&["prune-packed"]);
            }
            for at in 12..sound.len() - format(name).len() {
                let mut bytes = sound.clone();
                bytes[at] ^= 0x55;
                overwrite(&path, &bytes);
                let store = open(&repo, name);
                let mut wrong = 0;
                for id in &ids {
                    let mut bytes = Vec::new();
                    let kind = store.read(id, &mut bytes).unwrap();
                    wrong += usize::from(hash_object(id.format(), kind, &bytes).unwrap() != *id);
                }
                // Only a flip in a header can go unseen: another type, or another base of the same size.
                assert!(
                    wrong == 0 || wrong <= ids.len() && store.take_damage().len() < ids.len(),
                    "byte {at}"
                );
            }
        }
    }
}

#[test]
fn a_delta_whose_base_is_damaged_is_built_on_a_sound_copy_of_the_base() {
    for name in FORMATS {
        let format = format(name);
        let text: Vec<u8> = b"0123456789".repeat(10);
        let base_id = hash_object(format, ObjectKind::Blob, &text).unwrap();
        let copy_all = |len: u8| vec![len, len, 0x90, len];
        let repo = Repo::new(name);
        let mut pack = MadePack::new(format);
        let base = pack.add(base_id, whole(3, &text));
        // The same content under another id, since only the chain matters here.
        let top_id = id(name, &"2".repeat(format.hex_len()));
        let middle_id = id(name, &"1".repeat(format.hex_len()));
        let middle = pack.add(middle_id, offset_delta(pack.next() - base, &copy_all(100)));
        pack.add(top_id, offset_delta(pack.next() - middle, &copy_all(100)));
        let path = pack.write(&repo.git_dir().join("objects/pack"), "p");
        assert_eq!(open(&repo, name).read(&top_id, &mut Vec::new()).unwrap(), ObjectKind::Blob);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[base as usize + 6] ^= 0x55;
        overwrite(&path, &bytes);
        let store = open(&repo, name);
        let error = store.read(&top_id, &mut Vec::new()).unwrap_err();
        assert!(matches!(error, SourceError::Corrupt { id: Some(id), .. } if id == top_id), "{error}");
        let mut loose = Vec::new();
        Deflater::new(1).deflate(&[b"blob 100\0", &text[..]].concat(), &mut loose);
        let hex = base_id.to_string();
        let folder = repo.git_dir().join("objects").join(&hex[..2]);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(&hex[2..]), loose).unwrap();
        let mut read = Vec::new();
        for store in [store, open(&repo, name)] {
            assert_eq!(store.read(&top_id, &mut read).unwrap(), ObjectKind::Blob);
            assert!(read == text);
        }
    }
}

/// A store with one made pack in a bare folder.
fn made(format: ObjectFormat, fill: impl FnOnce(&mut MadePack)) -> (tempfile::TempDir, Store, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("pack")).unwrap();
    let mut pack = MadePack::new(format);
    fill(&mut pack);
    let path = pack.write(&dir.path().join("pack"), "made");
    let store = Store::open(dir.path(), format, adit_odb::Options::default()).unwrap();
    (dir, store, path)
}

fn some_id(format: ObjectFormat, digit: char) -> ObjectId {
    ObjectId::from_hex(format, digit.to_string().repeat(format.hex_len()).as_bytes()).unwrap()
}

#[test]
fn deltas_that_loop_or_lie_are_refused() {
    for format in [ObjectFormat::Sha1, ObjectFormat::Sha256] {
        let (a, b, c, d, e, f) = (
            some_id(format, 'a'),
            some_id(format, 'b'),
            some_id(format, 'c'),
            some_id(format, 'd'),
            some_id(format, 'e'),
            some_id(format, 'f'),
        );
        let (_dir, store, path) = made(format, |pack| {
            // a and b are made from each other, c from itself.
            pack.add(a, id_delta(&b, &[1, 1, 1, 0]));
            pack.add(b, id_delta(&a, &[1, 1, 1, 0]));
            pack.add(c, id_delta(&c, &[1, 1, 1, 0]));
            // d claims to make 2^56 bytes, from a base that is not there.
            let d_at = pack.add(
                d,
                id_delta(&some_id(format, '0'), &[1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 1, 0]),
            );
            // e is a delta of d. f claims a size that its data does not have.
            pack.add(e, offset_delta(pack.next() - d_at, &[1, 1, 1, 0]));
            let mut lie = whole(3, b"x");
            lie[0] = 0xbf;
            lie.splice(1..1, [0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]);
            pack.add(f, lie);
        });
        for id in [a, b, c, d, e, f] {
            let error = store.read(&id, &mut Vec::new()).unwrap_err();
            let text = error.to_string();
            assert!(text.contains(&path.display().to_string()) && text.contains(&id.to_string()), "{text}");
            if id != f {
                assert!(store.info(&id, Want::ALL).is_err());
            }
        }
    }
}

#[test]
fn a_chain_of_ten_thousand_deltas_is_read() {
    let format = ObjectFormat::Sha1;
    let numbered = |n: u32| ObjectId::from_bytes(format, &[&n.to_be_bytes()[..], &[0; 16]].concat()).unwrap();
    let (_dir, store, _) = made(format, |pack| {
        let mut last = pack.add(numbered(0), whole(3, b"base"));
        for n in 1..=10_000 {
            last = pack.add(numbered(n), offset_delta(pack.next() - last, &[4, 4, 0x90, 4]));
        }
    });
    let mut bytes = Vec::new();
    assert_eq!(store.read(&numbered(10_000), &mut bytes).unwrap(), ObjectKind::Blob);
    assert_eq!(bytes, b"base");
    let info = store.info(&numbered(10_000), Want::ALL).unwrap().unwrap();
    assert_eq!((info.kind, info.size), (Some(ObjectKind::Blob), 4));
    assert_eq!(info.delta_base, Some(numbered(9_999)));
}
