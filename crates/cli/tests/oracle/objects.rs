//! `cat-file`, `count-objects`, `verify-pack` and `show-index`, on loose and on packed objects.

use adit_testkit::{FORMATS, Repo};
use bstr::ByteSlice;

use crate::ADIT;

/// Links that lead everywhere, an annotated tag, a mailmap, files that change.
fn repository(format: &str) -> Repo {
    let repo = Repo::new(format);
    repo.write(".mailmap", "Other Name <other@example.com> <author@example.com>\n");
    for n in 0..4 {
        repo.write("f", format!("{}{n}\n", "a line\n".repeat(40))).write("d/g", "2\n");
        repo.commit(&format!("commit {n}"));
    }
    for (link, target) in [
        ("l", "f"),
        ("dangling", "nowhere"),
        ("loop1", "loop2"),
        ("loop2", "loop1"),
        ("absolute", "/etc/passwd"),
        ("out", "../x"),
        ("d/up", "../f"),
        ("through", "f/x"),
    ] {
        std::os::unix::fs::symlink(target, repo.path().join(link)).unwrap();
    }
    repo.commit("links");
    repo.tick().git(&["tag", "-a", "-m", "a tag", "v1"]);
    repo
}

const NAMES: &str = "HEAD:f\nHEAD:l\nHEAD:dangling\nHEAD:loop1\nHEAD:absolute\nHEAD:out\nHEAD:d/up\nHEAD:through\n\
    HEAD:none\nHEAD:f/x\nHEAD\n\n HEAD\nHEAD x  y\nv1\nv1^{}\nnope\nHEAD^{tree}\nHEAD:d\n\
    1111111111111111111111111111111111111111\n";

/// Standard output, the status, and the lines that say what went wrong.
fn answer(repo: &Repo, program: &str, args: &[&str], input: &[u8]) -> (Vec<u8>, Option<i32>, Vec<String>) {
    let output = match program {
        "git" => repo.try_git(args, input),
        program => repo.run(program, args, input),
    };
    let errors = String::from_utf8_lossy(&output.stderr);
    let errors = errors.lines().filter(|line| line.starts_with("fatal:") || line.starts_with("error:"));
    (output.stdout, output.status.code(), errors.map(str::to_owned).collect())
}

fn assert_same(repo: &Repo, args: &[&str], input: &str) {
    let (git, adit) =
        (answer(repo, "git", args, input.as_bytes()), answer(repo, ADIT, args, input.as_bytes()));
    assert_eq!(git.0.as_bstr(), adit.0.as_bstr(), "{args:?} < {input:?}");
    assert_eq!((git.1, git.2), (adit.1, adit.2), "{args:?} < {input:?}");
}

#[test]
fn one_object() {
    for format in FORMATS {
        let repo = repository(format);
        for name in ["HEAD", "HEAD:", "HEAD:f", "HEAD:l", "v1", "none", "HEAD:none"] {
            for mode in ["-e", "-p", "-t", "-s", "blob", "tree", "commit", "tag"] {
                assert_same(&repo, &["cat-file", mode, name], "");
            }
            assert_same(&repo, &["cat-file", "--use-mailmap", "-p", name], "");
            assert_same(&repo, &["cat-file", "--use-mailmap", "-s", name], "");
        }
    }
}

#[test]
fn mistakes() {
    let repo = repository("sha1");
    for args in [
        "",
        "-t -s HEAD",
        "--batch HEAD",
        "-t --buffer HEAD",
        "-t --batch",
        "--buffer",
        "--batch-all-objects",
        "--unordered",
        "--follow-symlinks",
        "-Z -p HEAD",
        "a b c",
        "-p a b",
        "-p",
        "HEAD",
        "foo HEAD",
        "--path=x -p HEAD",
    ] {
        let args: Vec<&str> =
            ["cat-file"].into_iter().chain(args.split(' ').filter(|arg| !arg.is_empty())).collect();
        assert_same(&repo, &args, "");
    }
    for format in ["%(foo)", "%(objectname"] {
        assert_same(&repo, &["cat-file", &format!("--batch-check={format}")], "HEAD\n");
    }
}

#[test]
fn batches() {
    let formats = [
        "--batch",
        "--batch-check",
        "--batch-check=%(objectname) %(rest)|",
        "--batch=%(objectsize:disk) %(deltabase)",
        "--batch=",
    ];
    for object_format in FORMATS {
        let repo = repository(object_format);
        for packed in [false, true] {
            if packed {
                repo.git(&["repack", "-adq"]);
            }
            for format in formats {
                for option in ["--no-buffer", "--buffer", "--follow-symlinks", "--use-mailmap", "-Z"] {
                    let input = if option == "-Z" { NAMES.replace('\n', "\0") } else { NAMES.to_owned() };
                    assert_same(&repo, &["cat-file", option, format], &input);
                }
                if format.contains("rest") {
                    continue;
                }
                for option in ["--buffer", "--unordered", "-Z", "--use-mailmap"] {
                    // Loose objects come in the order of the file system, which is no promise.
                    if packed || option != "--unordered" {
                        assert_same(&repo, &["cat-file", "--batch-all-objects", option, format], "");
                    }
                }
            }
        }
    }
}

#[test]
fn commands_of_a_batch() {
    let repo = repository("sha1");
    for input in [
        "info HEAD\ncontents HEAD:f\ninfo none\ncontents none\n",
        "info HEAD\nfoo\n",
        "info HEAD\n\n",
        " info HEAD\n",
        "info\n",
        "info HEAD\nflush\ncontents HEAD\n",
        "info HEAD\nflush x\n",
    ] {
        for buffer in ["--buffer", "--no-buffer"] {
            assert_same(&repo, &["cat-file", "--batch-command", buffer], input);
        }
    }
}

#[test]
fn counts_and_packs() {
    for format in FORMATS {
        let repo = repository(format);
        for packed in [false, true] {
            if packed {
                repo.git(&["repack", "-dq"]);
                repo.write("f", "loose\n").commit("loose");
                std::fs::write(repo.git_dir().join("objects/pack/garbage"), "x").unwrap();
            }
            for args in [&["-v"][..], &["-H"], &["-v", "-H"], &[]] {
                assert_same(&repo, &[&["count-objects"], args].concat(), "");
            }
        }
        let pack = std::fs::read_dir(repo.git_dir().join("objects/pack")).unwrap();
        let index =
            pack.map(|entry| entry.unwrap().path()).find(|path| path.extension().is_some_and(|e| e == "idx"));
        let index = index.unwrap();
        for args in [&["-v"][..], &["-s"], &[]] {
            assert_same(&repo, &[&["verify-pack"], args, &[index.to_str().unwrap()]].concat(), "");
        }
        let bytes = std::fs::read(&index).unwrap();
        let shown = repo.run(ADIT, &["show-index"], &bytes);
        assert!(shown.status.success() && shown.stdout == repo.try_git(&["show-index"], &bytes).stdout);
        assert_same(&repo, &["show-index"], "");
        let pack = index.with_extension("pack");
        let mut damaged = std::fs::read(&pack).unwrap();
        damaged[20] ^= 1;
        std::fs::remove_file(&pack).unwrap();
        std::fs::write(&pack, damaged).unwrap();
        let output = repo.run(ADIT, &["verify-pack", pack.to_str().unwrap()], b"");
        assert_eq!(output.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&output.stderr).contains(pack.to_str().unwrap()));
    }
}

#[test]
fn damage_is_told_and_passed_over_where_it_can_be() {
    let repo = repository("sha1");
    repo.git(&["repack", "-adq"]);
    repo.write("f", "loose\n").commit("loose");
    let packs = std::fs::read_dir(repo.git_dir().join("objects/pack")).unwrap();
    let index =
        packs.map(|entry| entry.unwrap().path()).find(|path| path.extension().is_some_and(|e| e == "idx"));
    let index = index.unwrap();
    std::fs::remove_file(&index).unwrap();
    std::fs::write(&index, "damaged").unwrap();
    let listed = repo.run(ADIT, &["cat-file", "--batch-all-objects", "--batch-check"], b"");
    assert_eq!((listed.status.code(), listed.stdout.lines().count()), (Some(0), 3));
    let told = format!("error: {}: index file is too small\n", index.display());
    assert!(String::from_utf8_lossy(&listed.stderr).ends_with(&told), "{listed:?}");
    let read = repo.run(ADIT, &["cat-file", "-p", "HEAD:d/g"], b"");
    assert_eq!(read.status.code(), Some(128));
    assert!(String::from_utf8_lossy(&read.stderr).contains("fatal: "), "{read:?}");
}
