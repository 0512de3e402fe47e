//! Signed tags and commits: what Adit signs git accepts, and what git signs Adit accepts, with the same words.

use std::process::{Command, Output, Stdio};

use adit_testkit::{FORMATS, Repo, git_program, run};
use bstr::ByteSlice;

use crate::ADIT;

/// Whether a program is there; without it a test says that it is passed over.
#[expect(clippy::print_stderr, reason = "whoever reads the tests' output should know what was not tested")]
fn is_there(program: &str) -> bool {
    let found = Command::new(program).arg("-?").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !found {
        eprintln!("passed over: {program} is not installed");
    }
    found
}

fn result(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| bytes.to_str_lossy().into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// Runs the same with git and Adit, which must print the same.
#[track_caller]
fn same(repo: &Repo, env: &[(&str, &str)], line: &str) {
    let words: Vec<&str> = line.split(' ').collect();
    let [git, adit] = [git_program(), ADIT.into()].map(|program| run(program, repo.path(), &words, b"", env));
    assert_eq!(result(&adit), result(&git), "{line}");
}

const LINES: [&str; 15] = [
    "log --format=%h|%G?|%GS|%GK|%GF|%GP|%GT|%GG -2 signed HEAD",
    "verify-tag ours",
    "verify-tag theirs",
    "verify-tag -v ours",
    "verify-tag ours plain nope HEAD",
    "verify-tag -v plain",
    "verify-tag forged",
    "verify-tag --format=%(tag) ours forged",
    "tag -v ours theirs",
    "tag -v plain nope",
    "tag -v --format=%(tag) ours",
    "verify-commit signed",
    "verify-commit -v signed",
    "verify-commit HEAD nope ours",
    "verify-commit",
];

/// Signs with both, and has both check.
fn signs_and_checks(repo: &Repo, env: &[(&str, &str)]) {
    let date = [("GIT_COMMITTER_DATE", "1700000000 +0000"), ("GIT_AUTHOR_DATE", "1700000000 +0000")];
    let env = [env, &date].concat();
    let must = |program: &std::ffi::OsStr, args: &[&str], input: &[u8]| {
        let output = run(program, repo.path(), args, input, &env);
        assert!(output.status.success(), "{args:?}: {}", output.stderr.as_bstr());
        output.stdout.trim_end().to_str().unwrap().to_owned()
    };
    let git = git_program();
    must(ADIT.as_ref(), &["tag", "-s", "-m", "a signed tag", "ours"], b"");
    must(&git, &["tag", "-s", "-m", "a signed tag", "theirs"], b"");
    must(&git, &["tag", "-m", "no signature", "plain"], b"");
    let commit = must(ADIT.as_ref(), &["commit-tree", "-S", "-m", "signed", "HEAD^{tree}"], b"");
    must(&git, &["branch", "signed", &commit], b"");
    let forged = must(&git, &["cat-file", "tag", "ours"], b"").replace("a signed", "another") + "\n";
    let forged = must(&git, &["mktag"], forged.replace("tag ours", "tag forged").as_bytes());
    must(&git, &["update-ref", "refs/tags/forged", &forged], b"");
    must(&git, &["verify-tag", "ours"], b"");
    must(&git, &["verify-commit", "signed"], b"");
    for line in LINES {
        if line != "verify-commit" {
            same(repo, &env, line);
        }
    }
    must(&git, &["fsck", "--strict"], b"");
    for (setting, words, signed) in [
        ("tag.gpgSign", "-m m", true),
        ("tag.gpgSign", "--no-sign -m m", false),
        ("tag.forceSignAnnotated", "-m m", true),
        ("tag.forceSignAnnotated", "-a -m m", false),
    ] {
        let words = ["-c", setting, "tag", "-f", "tag"].into_iter().chain(words.split(' '));
        must(ADIT.as_ref(), &words.collect::<Vec<_>>(), b"");
        let status = run(ADIT, repo.path(), &["verify-tag", "tag"], b"", &env).status;
        assert_eq!(status.success(), signed, "{setting}");
    }
    must(ADIT.as_ref(), &["-c", "tag.forceSignAnnotated", "tag", "light"], b"");
    assert_eq!(must(&git, &["cat-file", "-t", "light"], b""), "commit");
}

#[test]
fn with_ssh() {
    if !is_there("ssh-keygen") {
        return;
    }
    for format in FORMATS {
        let repo = Repo::new(format);
        repo.write("f", "1\n").commit("one");
        let key = repo.git_dir().join("key");
        let made = Command::new("ssh-keygen")
            .args(["-q", "-t", "ed25519", "-N", "", "-C", "someone", "-f"])
            .arg(&key)
            .status();
        assert!(made.unwrap().success());
        let public = std::fs::read_to_string(key.with_extension("pub")).unwrap();
        std::fs::write(repo.git_dir().join("allowed"), format!("committer@example.com {public}")).unwrap();
        repo.git(&["config", "gpg.format", "ssh"]);
        repo.git(&["config", "user.signingKey", key.to_str().unwrap()]);
        repo.git(&["config", "gpg.ssh.allowedSignersFile", ".git/allowed"]);
        signs_and_checks(&repo, &[]);
        // Signatures with these keys are always the same.
        repo.git(&["tag", "-d", "ours"]);
        let tags = [(ADIT.into(), "ours"), (git_program(), "theirs")];
        let ids = tags.map(|(program, name)| {
            repo.run(program, &["tag", "-f", "-s", "-m", "m", name], b"");
            repo.git(&["cat-file", "tag", name]).replace(name, "name")
        });
        assert!(ids[0].lines().count() > 5, "{}", ids[0]);
        std::fs::write(repo.git_dir().join("allowed"), "").unwrap();
        same(&repo, &[], "verify-tag theirs");
        repo.git(&["config", "--unset", "gpg.ssh.allowedSignersFile"]);
        same(&repo, &[], "verify-tag theirs");
        repo.git(&["config", "user.signingKey", "/nonexistent"]);
        let refused = repo.run(ADIT, &["tag", "-s", "-m", "m", "refused"], b"");
        assert_eq!(refused.status.code(), Some(128));
        assert!(
            refused.stderr.contains_str("error: unable to sign the tag\n"),
            "{}",
            refused.stderr.as_bstr()
        );
    }
}

#[test]
fn with_gpg() {
    if !is_there("gpg") {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let home = home.path().to_str().unwrap();
    let who = "C O Mitter <committer@example.com>";
    let made = Command::new("gpg")
        .args([
            "--homedir",
            home,
            "--batch",
            "--passphrase",
            "",
            "--quick-gen-key",
            who,
            "default",
            "default",
            "never",
        ])
        .stderr(Stdio::null())
        .status();
    assert!(made.unwrap().success());
    for format in FORMATS {
        let repo = Repo::new(format);
        repo.write("f", "1\n").commit("one");
        signs_and_checks(&repo, &[("GNUPGHOME", home)]);
        let refused = run(
            ADIT,
            repo.path(),
            &["tag", "-u", "nobody@example.com", "-m", "m", "refused"],
            b"",
            &[("GNUPGHOME", home)],
        );
        assert_eq!(refused.status.code(), Some(128));
        assert!(refused.stderr.starts_with(b"error: gpg failed to sign the data:\n"));
    }
    // The agent that was started for this folder ends with it.
    let _ = Command::new("gpgconf").args(["--homedir", home, "--kill", "all"]).status();
}
