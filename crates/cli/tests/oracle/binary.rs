//! Patches of binary files (`--binary`).

use adit_testkit::{FORMATS, Repo, git_program};

use crate::ADIT;
use crate::diff::same;

/// Bytes that do not compress, and hold zeros.
fn noise(seed: u32, len: usize) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    };
    (0..len).map(|_| (next() >> 7) as u8).collect()
}

/// Like the relocations of a program: short records that differ in little.
fn records(count: u32) -> Vec<u8> {
    (0..count)
        .flat_map(|n| [n.wrapping_mul(40_503) & 0xffff, 0, 8, 0, n * 7 % 97, 0])
        .flat_map(u32::to_le_bytes)
        .collect()
}

fn repository(format: &str) -> Repo {
    let repo = Repo::new(format);
    let large = noise(1, 150_000);
    repo.write("changed", &large).write("small", "x\0y").write("gone", "gone\0").write("mode", "mode\0");
    repo.write("text", "text\n")
        .write("emptied", "\0")
        .write("moved", noise(2, 3000))
        .write("zeros", [0; 5000]);
    repo.write("records", records(300)).commit("before");
    repo.write("changed", [&large[..70_001], b"something else", &large[70_010..]].concat());
    repo.write("small", "x\0yz").write("text", "text\0\n").write("emptied", "").write("new", "new\0");
    std::fs::remove_file(repo.path().join("gone")).unwrap();
    std::fs::remove_file(repo.path().join("moved")).unwrap();
    repo.write("moved-to", [&noise(2, 3000)[..], b"more"].concat()).write("zeros", [0; 7000]);
    repo.write("records", [&records(400)[..3000], &records(300)[3100..]].concat());
    std::fs::set_permissions(repo.path().join("mode"), std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .unwrap();
    repo.commit("after");
    repo
}

/// Where a change is plain, so is the delta, and all bytes are git's.
#[test]
fn plain_changes_are_written_as_git_does() {
    for format in FORMATS {
        let repo = repository(format);
        for args in [
            &["diff", "--binary", "HEAD^", "HEAD", "--", ":!records", ":!zeros"][..],
            &["diff", "--binary", "--no-renames", "-R", "HEAD^", "HEAD", "--", ":!records", ":!zeros"],
            &["diff", "--binary", "--color", "--line-prefix=> ", "HEAD^", "HEAD", "--", "small", "changed"],
            &["diff", "--binary", "--text", "HEAD^", "HEAD", "--", "small"],
            &["diff", "--binary", "-D", "--stat", "-p", "HEAD^", "HEAD", "--", "gone", "text"],
            &["diff", "--binary", "--abbrev=5", "HEAD^", "HEAD", "--", "small"],
            &["-c", "core.compression=9", "diff", "--binary", "HEAD^", "HEAD", "--", "changed", "new"],
            &["-c", "core.compression=0", "diff", "--binary", "HEAD^", "HEAD", "--", "small"],
            &["-c", "core.compression=-1", "diff", "--binary", "HEAD^", "HEAD", "--", "changed"],
            &["-c", "core.compression=10", "diff", "--binary", "HEAD^", "HEAD", "--", "changed"],
            &["diff", "--full-index", "HEAD^", "HEAD", "--", "small", "mode"],
            &["diff", "--stat", "--numstat", "--shortstat", "--summary", "HEAD^", "HEAD"],
            &["diff-tree", "--binary", "HEAD", "--", "small", "text"],
            &["log", "--binary", "--", "emptied"],
            &["show", "--binary", "--", "moved-to", "moved"],
        ] {
            same(&repo, args, "");
        }
    }
}

/// Whatever the deltas are, they make the same of the same.
#[test]
fn patches_can_be_applied_forwards_and_backwards() {
    for format in FORMATS {
        let repo = repository(format);
        let patch = repo.run(ADIT, &["diff", "--binary", "HEAD^", "HEAD"], b"");
        assert_eq!(patch.status.code(), Some(0));
        let git = repo.run(git_program(), &["diff", "--binary", "HEAD^", "HEAD"], b"");
        assert!(patch.stdout.len() <= git.stdout.len(), "{} {}", patch.stdout.len(), git.stdout.len());
        let tree = |name: &str| repo.git(&["rev-parse", &format!("{name}^{{tree}}")]);
        let applied = |args: &[&str]| {
            let applied = repo.try_git(args, &patch.stdout);
            assert!(applied.status.success(), "{}", String::from_utf8_lossy(&applied.stderr));
            repo.git(&["write-tree"])
        };
        repo.git(&["read-tree", "HEAD^"]);
        assert_eq!(applied(&["apply", "--cached", "-"]), tree("HEAD"));
        assert_eq!(applied(&["apply", "--cached", "-R", "-"]), tree("HEAD^"));
    }
}
