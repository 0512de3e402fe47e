//! `hash-object`.

use adit_testkit::{FORMATS, Repo};

use crate::ADIT;

/// What a run printed, its `fatal:` and `error:` lines, and its status.
fn result(output: &std::process::Output) -> (String, String, Option<i32>) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let said = text(&output.stderr);
    let said = said.lines().filter(|line| line.starts_with("fatal: ") || line.starts_with("error: "));
    (text(&output.stdout), said.collect::<Vec<_>>().join("\n"), output.status.code())
}

fn same(repo: &Repo, args: &[&str], input: &str) {
    let args = [&["hash-object"], args].concat();
    let (expected, actual) = (repo.try_git(&args, input.as_bytes()), repo.run(ADIT, &args, input.as_bytes()));
    assert_eq!(result(&actual), result(&expected), "{args:?}");
}

#[test]
fn ids_and_complaints_are_git_s() {
    for format in FORMATS {
        let repo = Repo::new(format);
        repo.write("a", "one\n").write("crlf", "one\r\n").write("d/empty", "").write("with \"quote\"", "q");
        repo.write("big", vec![b'x'; 1 << 20]);
        for args in [
            &["a"][..],
            &["--", "a", "crlf", "d/empty", "big"],
            &["--stdin", "a"],
            &["--stdin", "--path=x"],
            &["-t", "tree", "--stdin"],
            &["-t", "commit", "a"],
            &["-t", "commit", "--literally", "--stdin"],
            &["-t", "bogus", "a"],
            &["nofile"],
            &["a", "nofile", "crlf"],
            &["d"],
            &["--stdin", "--stdin-paths"],
            &["--stdin", "--stdin"],
            &["--stdin-paths", "a"],
            &["--stdin-paths", "--path=x"],
            &["--path=x", "--no-filters", "a"],
            &["--filters", "a"],
            &[],
        ] {
            same(&repo, args, "hello\n");
        }
        same(&repo, &["--stdin-paths"], "a\n\"with \\\"quote\\\"\"\nd/empty");
        same(&repo, &["--stdin-paths"], "a\n\"bad\n");
        same(&repo, &["--stdin-paths"], "nofile\na\n");
    }
}

#[test]
fn git_reads_what_is_stored() {
    for format in FORMATS {
        let repo = Repo::new(format);
        repo.write("a", "one\n").write("big", vec![b'x'; 3 << 20]);
        let output = repo.run(ADIT, &["hash-object", "-w", "--stdin", "a", "big"], b"hello\n");
        let ids = String::from_utf8(output.stdout).unwrap();
        let ids: Vec<&str> = ids.lines().collect();
        assert_eq!(repo.git(&["cat-file", "blob", ids[0]]), "hello\n");
        assert_eq!(repo.git(&["cat-file", "blob", ids[1]]), "one\n");
        assert_eq!(repo.git(&["cat-file", "-s", ids[2]]), format!("{}\n", 3 << 20));
        repo.git(&["fsck", "--strict"]);
    }
}

/// Loose objects are deflated by zlib itself, so that the files are the same.
#[test]
fn files_of_loose_objects_are_git_s() {
    for format in FORMATS {
        for level in ["-1", "1", "9"] {
            let repo = Repo::new(format);
            repo.git(&["config", "core.compression", level]);
            let text: String =
                (0..30_000).map(|n: u32| format!("{:x} ", n.wrapping_mul(2_654_435_761))).collect();
            repo.write("text", &text).write("zeros", vec![0; 200_000]);
            for name in ["text", "zeros"] {
                let id = repo.git(&["hash-object", "-w", name]);
                let path = repo.git_dir().join("objects").join(&id[..2]).join(id[2..].trim());
                let expected = std::fs::read(&path).unwrap();
                std::fs::remove_file(&path).unwrap();
                repo.run(ADIT, &["hash-object", "-w", name], b"");
                assert!(std::fs::read(&path).unwrap() == expected, "{name} at level {level}");
            }
        }
    }
}
