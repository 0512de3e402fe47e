//! Every place an object can be in.

use std::ops::ControlFlow;

use adit_object::{IdMap, ObjectKind, Prefix, Source, SourceError};
use adit_odb::{Options, Store};
use adit_testkit::{FORMATS, Repo};

use crate::common::*;

#[test]
fn loose_objects() {
    for name in FORMATS {
        let repo = history(name);
        assert_equal(&repo, name, &open(&repo, name));
    }
}

#[test]
fn packs_with_index_1_and_2_and_with_and_without_rev() {
    for name in FORMATS {
        for (version, rev) in [("1", "false"), ("2", "false"), ("2", "true")] {
            let repo = history(name);
            repo.git(&["config", "pack.indexVersion", version]);
            repo.git(&["config", "pack.writeReverseIndex", rev]);
            repo.git(&["repack", "-adfq", "--depth=50", "--window=50"]);
            repo.git(&["prune-packed"]);
            assert_eq!(pack_files(&repo, "rev").len(), usize::from(rev == "true"));
            assert_equal(&repo, name, &open(&repo, name));
        }
    }
}

#[test]
fn deltas_that_name_their_base_and_64_bit_offsets() {
    for name in FORMATS {
        let repo = history(name);
        let all = repo.git(&["rev-list", "--objects", "--all", "--no-object-names"]);
        let pack = repo.git_dir().join("objects/pack/pack-x").to_str().unwrap().to_owned();
        // No --delta-base-offset: bases are named by id. The index puts offsets above 0x200 in the 64-bit table.
        let made = repo.try_git(&["pack-objects", "-q", "--index-version=2,0x200", &pack], all.as_bytes());
        assert!(made.status.success());
        repo.git(&["prune-packed"]);
        assert_equal(&repo, name, &open(&repo, name));
    }
}

#[test]
fn many_packs_with_and_without_multi_pack_index() {
    for name in FORMATS {
        let repo = Repo::new(name);
        for n in 0..8 {
            repo.write("f", format!("{n}\n").repeat(100)).commit(&n.to_string());
            repo.git(&["repack", "-dq"]);
        }
        let packs = pack_files(&repo, "pack").len();
        assert!(packs >= 8);
        assert_equal(&repo, name, &open(&repo, name));
        repo.git(&["multi-pack-index", "write"]);
        assert_equal(&repo, name, &open(&repo, name));
        repo.write("f", "after\n").commit("after");
        repo.git(&["repack", "-dq"]);
        repo.write("f", "loose\n").commit("loose");
        assert_equal(&repo, name, &open(&repo, name));
        let without = Options { multi_pack_index: false, ..Options::default() };
        let store = Store::open(&repo.git_dir().join("objects"), format(name), without).unwrap();
        assert_equal(&repo, name, &store);
    }
}

#[test]
fn alternates_relative_nested_and_given() {
    for name in FORMATS {
        let (first, second, third) = (history(name), Repo::new(name), Repo::new(name));
        first.git(&["repack", "-adq"]);
        second.write("x", "second\n").commit("second");
        third.write("y", "third\n").commit("third");
        let info = |repo: &Repo| repo.git_dir().join("objects/info/alternates");
        let objects = |repo: &Repo| repo.git_dir().join("objects").to_str().unwrap().to_owned();
        let last = |repo: &Repo| repo.path().file_name().unwrap().to_str().unwrap().to_owned();
        std::fs::write(info(&second), format!("# comment\n\n\"{}\"\n", objects(&first))).unwrap();
        let relative = format!("../../../{}/.git/objects\n", last(&second));
        std::fs::write(info(&third), format!("{relative}{relative}/nowhere\n")).unwrap();
        std::fs::write(info(&first), format!("{}\n", objects(&third))).unwrap();
        let store = open(&third, name);
        assert_equal(&third, name, &store);
        assert_eq!(store.object_folders().len(), 3);
        assert_eq!(store.take_damage().len(), 1);

        let alone = Repo::new(name);
        let given =
            adit_odb::split_alternates(format!("{}:\"{}\"", objects(&second), objects(&first)).as_bytes());
        let options = Options { alternates: given, ..Options::default() };
        let store = Store::open(&alone.git_dir().join("objects"), format(name), options).unwrap();
        assert!(store.contains(&id(name, &first.git(&["rev-parse", "HEAD"]))));
    }
}

#[test]
fn replacements_apply_to_reads_and_not_to_raw_reads() {
    let repo = history("sha1");
    let (one, two) =
        (id("sha1", &repo.git(&["rev-parse", "HEAD:file"])), id("sha1", &repo.git(&["rev-parse", "HEAD~1"])));
    let mut store = open(&repo, "sha1");
    store.set_replacements(IdMap::from_iter([(one, two)]));
    let mut bytes = Vec::new();
    assert_eq!(store.read(&one, &mut bytes).unwrap(), ObjectKind::Commit);
    assert_eq!(store.header(&one).unwrap().kind, ObjectKind::Commit);
    assert_eq!(store.try_read_raw(&one, &mut bytes).unwrap(), Some(ObjectKind::Blob));
    store.set_replacements(IdMap::from_iter([(one, two), (two, one)]));
    assert!(store.read(&one, &mut bytes).is_err());
}

#[test]
fn a_repack_under_a_reader_is_followed() {
    for name in FORMATS {
        let repo = history(name);
        let store = open(&repo, name);
        assert_equal(&repo, name, &store);
        // Each of these takes away what the store knew.
        for args in [
            &["repack", "-adq"][..],
            &["repack", "-adfq", "--window=0"],
            &["multi-pack-index", "write"],
            &["repack", "-adfq", "--depth=9"],
        ] {
            repo.git(args);
            repo.git(&["prune-packed"]);
            for (hex, _) in listing(&repo) {
                store.read(&id(name, &hex), &mut Vec::new()).unwrap();
            }
        }
        repo.write("new", "new").commit("new");
        repo.git(&["repack", "-dq"]);
        let new = id(name, &repo.git(&["rev-parse", "HEAD:new"]));
        assert!(store.contains(&new));
    }
}

#[test]
fn a_missing_object_is_missing() {
    for name in FORMATS {
        let repo = history(name);
        let none = id(name, &"1".repeat(format(name).hex_len()));
        for _ in 0..2 {
            let store = open(&repo, name);
            assert!(!store.contains(&none) && !store.contains_quick(&none));
            assert!(
                matches!(store.read(&none, &mut Vec::new()), Err(SourceError::Missing(id)) if id == none)
            );
            assert!(store.try_header(&none).unwrap().is_none());
            assert!(store.info(&none, adit_odb::Want::ALL).unwrap().is_none());
            repo.git(&["repack", "-adq"]);
        }
    }
}

#[test]
fn what_a_remote_has_promised_is_told_from_what_is_missing() {
    for name in FORMATS {
        let origin = history(name);
        let clone = tempfile::tempdir().unwrap();
        let url = format!("file://{}", origin.path().display());
        origin.git(&["config", "uploadpack.allowFilter", "true"]);
        let to = clone.path().to_str().unwrap();
        origin.git(&["clone", "-q", "--bare", "--filter=blob:none", &url, to]);
        let store = Store::open(&clone.path().join("objects"), format(name), Options::default()).unwrap();
        let blob = id(name, &origin.git(&["rev-parse", "HEAD:file"]));
        let none = id(name, &"1".repeat(format(name).hex_len()));
        assert!(!store.contains(&blob) && store.is_promised(&blob) && !store.is_promised(&none));
        assert!(matches!(store.read(&blob, &mut Vec::new()), Err(SourceError::Promised(id)) if id == blob));
        assert!(matches!(store.header(&blob), Err(SourceError::Promised(id)) if id == blob));
        assert!(matches!(store.header(&none), Err(SourceError::Missing(id)) if id == none));
    }
}

#[test]
fn large_objects_are_written_out_piece_by_piece() {
    for name in FORMATS {
        let repo = history(name);
        for packed in [false, true] {
            if packed {
                repo.git(&["repack", "-adfq", "--window=0"]);
            }
            for threshold in [0, 1 << 40] {
                let options = Options { big_file_threshold: threshold, ..Options::default() };
                let store = Store::open(&repo.git_dir().join("objects"), format(name), options).unwrap();
                let mut expected = Vec::new();
                for (hex, _) in listing(&repo) {
                    let (id, mut out) = (id(name, &hex), Vec::new());
                    let kind = store.stream(&id, &mut out).unwrap();
                    assert_eq!(kind, store.try_read(&id, &mut expected).unwrap());
                    assert!(out == expected, "{hex}");
                }
            }
        }
    }
}

#[test]
fn prefixes_and_abbreviations() {
    for name in FORMATS {
        let repo = Repo::new(name);
        for n in 0..300 {
            repo.write(&format!("f{n}"), n.to_string());
        }
        repo.commit("many");
        for packed in [false, true] {
            if packed {
                repo.git(&["repack", "-adq"]);
                repo.write("loose", "loose").commit("loose");
            }
            let store = open(&repo, name);
            let all = listing(&repo);
            for (hex, _) in &all {
                let id = id(name, hex);
                for len in [1, 2, 3, 5, 39] {
                    let mut found = Vec::new();
                    let prefix = Prefix::from_hex(format(name), &hex.as_bytes()[..len]).unwrap();
                    let each = |id: adit_object::ObjectId| {
                        found.push(id.to_string());
                        ControlFlow::Continue(())
                    };
                    store.for_each_with_prefix(&prefix, each).unwrap();
                    let expected: Vec<_> =
                        all.iter().filter(|(h, _)| h[..len] == hex[..len]).map(|(h, _)| h.clone()).collect();
                    assert_eq!(found, expected);
                }
                assert_eq!(store.abbreviate(&id, 50).unwrap(), if name == "sha1" { 40 } else { 50 });
            }
            let names = all.iter().map(|(hex, _)| hex.clone()).collect::<Vec<_>>();
            let mut args = vec!["rev-parse".to_owned(), "--short=4".to_owned()];
            for chunk in names.chunks(1) {
                args.truncate(2);
                args.extend_from_slice(chunk);
                let short = repo.git(&args);
                let id = id(name, &chunk[0]);
                assert_eq!(store.abbreviate(&id, 4).unwrap(), short.trim().len(), "{short}");
                if chunk[0] > names[8] {
                    break;
                }
            }
            assert_eq!(store.auto_abbreviation(), 7);
        }
    }
}
