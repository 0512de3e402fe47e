//! `log`, `show` and `shortlog`, and the formats they print commits in.

use adit_testkit::{FORMATS, Repo};

use crate::ADIT;

/// Runs the command line with both programs and compares what they print and the status they end with.
fn same(repo: &Repo, args: &[&str]) {
    let git = repo.run(adit_testkit::git_program(), args, b"");
    let adit = repo.run(ADIT, args, b"");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!(text(&adit.stdout), text(&git.stdout), "{args:?}\n{}", text(&adit.stderr));
    assert_eq!(adit.status.code(), git.status.code(), "{args:?}\n{}", text(&adit.stderr));
}

/// A short history with a merge, a rename, tags, notes and odd messages.
fn history(format: &str) -> Repo {
    let repo = Repo::new(format);
    repo.write("a", "1\n2\n3\n").write("dir/b", "x\n").commit("one\n\nbody of one\n\twith a tab\n");
    repo.git(&["checkout", "-q", "-b", "side"]);
    repo.write("c", "side\n")
        .commit("side: ünïcode and a subject that is long enough to be folded in a mail");
    repo.git(&["checkout", "-q", "main"]);
    repo.write("a", "1\ntwo\n3\n")
        .commit("two lines\nof subject\n\nbody\n\nSigned-off-by: A <a@b>\nAcked-by: B <b@c>\n");
    repo.tick().git(&["merge", "-q", "--no-ff", "-m", "merge side", "side"]);
    repo.tick().git(&["tag", "-a", "-m", "a tag\n\nwith a body", "v1"]);
    repo.git(&["mv", "dir/b", "dir/renamed"]);
    repo.commit("rename\n\n\n  indented  \n\n\n").git(&["tag", "light"]);
    repo.git(&["notes", "add", "-m", "a note\n\nof two parts", "HEAD~1"]);
    repo.write(".mailmap", "Proper Name <proper@example.com> <author@example.com>\n").commit("mailmap");
    repo
}

#[test]
fn formats_of_gits_own() {
    for format in FORMATS {
        let repo = history(format);
        for style in ["oneline", "short", "medium", "full", "fuller", "raw", "email", "mboxrd", "reference"] {
            same(&repo, &["log", &format!("--pretty={style}")]);
            same(&repo, &["log", "--notes", "-p", &format!("--pretty={style}")]);
            same(
                &repo,
                &["log", "--decorate", "--abbrev-commit", "--date=iso", &format!("--pretty={style}")],
            );
        }
    }
}

#[test]
fn formats_of_the_user() {
    let formats = [
        "%H %h %T %t %P %p|%an %aN %ae %aE %al %aL|%cn %ce|%ad %aD %at %ai %aI %as|%s|%f|%e|%m",
        "%b|%B|%N|%+b|%-b|% s|%n%n%-N",
        "%d%D%(decorate:prefix=<,suffix=>,separator=|,pointer==,tag=T)",
        "%C(auto)%h%d %Cred%s%Creset %C(always,blue)x%C(bold)",
        "%<(12)%h|%>(12)%h|%><(12)%h|%>>(3)%h|%<(20,trunc)%s|%<(20,mtrunc)%s|%>(20,ltrunc)%s|%<|(60)%an|",
        "%w(30,2,4)%B%w()%n%w(20)%s",
        "%(trailers)|%(trailers:only,separator=%x2C )|%(trailers:key=acked-by,valueonly)|%(trailers:unfold)",
        "%(describe)|%(describe:tags)|%(describe:match=v*,abbrev=10)",
        "%G?%GS|%gd|%zz%|%x41%x",
    ];
    for format in FORMATS {
        let repo = history(format);
        for user in formats {
            same(&repo, &["log", &format!("--format={user}")]);
            same(&repo, &["log", "--color=always", &format!("--format=format:{user}")]);
        }
        repo.git(&["config", "pretty.mine", "tformat:%h by %an"]);
        repo.git(&["config", "pretty.loop", "loop"]);
        same(&repo, &["log", "--pretty=mine"]);
        same(&repo, &["log", "--pretty=loop"]);
        same(&repo, &["log", "--pretty=nope"]);
    }
}

#[test]
fn commits_and_their_changes() {
    for format in FORMATS {
        let repo = history(format);
        for args in [
            "log",
            "log -p",
            "log --stat",
            "log --raw",
            "log --oneline --raw",
            "log --format= --raw",
            "log --format=%h -p",
            "log --format=format:%h --stat",
            "log --patch-with-stat",
            "log -z --raw",
            "log -z --format=%h",
            "log -m --raw",
            "log -c --raw",
            "log --cc --stat",
            "log --first-parent -p",
            "log --name-status -M",
            "log --summary",
            "log --reverse --oneline",
            "log -S2 --oneline",
            "log -Stwo -p",
            "log --diff-filter=A --name-only -n 2",
            "log --oneline -- a",
            "log --full-diff --raw -- a",
            "log --author=Proper --oneline",
            "log --grep=side -i",
            "log --source --all --oneline",
            "log --left-right --oneline main...side",
            "log --parents --oneline",
            "log --children --oneline",
            "log --log-size",
            "log --decorate=full --oneline",
            "log --decorate-refs=tags --decorate --oneline",
            "log --no-walk side main --oneline",
            "log -3 --skip=1 --format=%s",
            "log nope",
            "log --date=nope",
            "log --no-notes",
            "log --no-mailmap -1",
            "log --raw --no-merges",
        ] {
            same(&repo, &args.split(' ').collect::<Vec<_>>());
        }
    }
}

#[test]
fn objects_of_every_kind() {
    for format in FORMATS {
        let repo = history(format);
        for args in [
            "show",
            "show v1",
            "show -s --format=fuller v1",
            "show --oneline -s v1 HEAD",
            "show HEAD^{tree}",
            "show HEAD:a",
            "show HEAD HEAD^{tree} HEAD:a HEAD",
            "show -s side..main",
            "show HEAD~1 --stat",
            "show --format=format:%h v1 HEAD",
            "show nope",
            "show HEAD:nope",
            "show -m HEAD~2 --raw",
        ] {
            same(&repo, &args.split(' ').collect::<Vec<_>>());
        }
    }
}

#[test]
fn people() {
    for format in FORMATS {
        let repo = history(format);
        for args in [
            "shortlog HEAD",
            "shortlog -sn HEAD",
            "shortlog -se HEAD",
            "shortlog -c HEAD",
            "shortlog -w30,2,4 HEAD",
            "shortlog --group=trailer:acked-by HEAD",
            "shortlog --group=author --group=committer -s HEAD",
            "shortlog --format=%h HEAD",
            "shortlog -s HEAD~1..HEAD",
            "shortlog -w1 HEAD",
        ] {
            same(&repo, &args.split(' ').collect::<Vec<_>>());
        }
    }
}

#[test]
fn odd_commits() {
    let repo = Repo::new("sha1");
    let tree = repo.git(&["write-tree"]);
    let people = "author  x  y  < a@b > 5 +051800\ncommitter <> 1000000000 -0330\n";
    for rest in [
        format!("{people}\n\n\n  \nline one  \n  line two \nthree\n \n\nbody 1\n  body 2 \n\n\n"),
        format!("{people}\nsubject only"),
        format!("{people}\n"),
        "author x <a@b>\ncommitter x <a@b> 5 --700\n\nno dates\n".to_owned(),
        "author nobody\ncommitter nobody\n\nno address\n".to_owned(),
        format!("{people}encoding UTF-8\n\nsub\u{f6}\n\n\ttab\u{1b}[m\ttab\n"),
        format!("{people}\n..a..b_c  d--e.!.lock.\nx y\n"),
    ] {
        let content = format!("tree {tree}{rest}");
        let made = repo
            .try_git(&["hash-object", "-t", "commit", "-w", "--stdin", "--literally"], content.as_bytes());
        let id = String::from_utf8(made.stdout).unwrap();
        for style in
            ["medium", "fuller", "raw", "email", "oneline", "%an|%ae|%al|%ad|%at|%ai|%aI|%as|%s|%f|%b|%B|%e"]
        {
            same(&repo, &["log", "--no-walk", &format!("--format={style}"), id.trim()]);
            same(
                &repo,
                &["log", "--no-walk", "--encoding=ISO-8859-1", &format!("--format={style}"), id.trim()],
            );
        }
    }
}

#[test]
fn whatchanged_must_be_insisted_on() {
    let repo = history("sha1");
    // git 2.55 refuses; older ones do not.
    let refused = repo.run(ADIT, &["whatchanged"], b"");
    assert_eq!(refused.status.code(), Some(128));
    assert!(
        String::from_utf8_lossy(&refused.stderr)
            .ends_with("fatal: refusing to run without --i-still-use-this\n")
    );
    let log = repo.git(&["log", "--raw", "--no-merges", "--format=%h"]);
    let insisted = repo.run(ADIT, &["whatchanged", "--i-still-use-this", "--format=%h"], b"");
    assert_eq!(String::from_utf8_lossy(&insisted.stdout), log);
}

#[test]
fn merges_against_all_parents() {
    for format in FORMATS {
        let repo = Repo::new(format);
        let lines = |change: &[(usize, &str)]| -> String {
            (1..=40)
                .map(|n| {
                    change
                        .iter()
                        .find(|(at, _)| *at == n)
                        .map_or(format!("{n}\n"), |(_, text)| format!("{text}\n"))
                })
                .collect()
        };
        repo.write("a", lines(&[])).write("both", "x\n").write("gone", "x\n").commit("base");
        repo.git(&["checkout", "-q", "-b", "side"]);
        repo.write("a", lines(&[(5, "five"), (20, "twenty")]))
            .write("both", "side\n")
            .write("gone", "y\n")
            .commit("side");
        repo.git(&["checkout", "-q", "main"]);
        repo.write("a", lines(&[(5, "fünf"), (30, "thirty")]))
            .write("both", "main\n")
            .write("gone", "z\n")
            .commit("main");
        repo.tick().try_git(&["merge", "-q", "side"], b"");
        repo.write("a", lines(&[(5, "five"), (6, "six"), (20, "twenty"), (30, "thirty")]))
            .write("both", "merged\n");
        repo.write("new", "new\n").git(&["rm", "-q", "-f", "gone"]);
        repo.commit("merge");
        for args in [
            "log -c",
            "log --cc",
            "log -c --raw",
            "log --cc --name-status",
            "log -c --stat -p",
            "log -c --raw -p",
            "log --cc --oneline",
            "log --cc --format=%h",
            "log --cc --format=",
            "log -c --numstat --raw",
            "log --cc -s",
            "log -c --raw -z",
            "log --cc --color=always",
            "log -c --raw --combined-all-paths",
            "log --cc -Smerged",
            "show",
            "show --stat",
            "show --format= --raw",
            "show -c --abbrev=5",
            "log --graph --cc --oneline",
        ] {
            same(&repo, &args.split(' ').collect::<Vec<_>>());
        }
    }
}

#[test]
fn what_is_not_there_yet_is_refused() {
    let repo = Repo::new("sha1");
    repo.write("a", "1\n").commit("one");
    for args in [&["log", "--unpacked"][..], &["log", "--graph", "--graph-lane-limit=2"]] {
        let adit = repo.run(ADIT, args, b"");
        let complaint = String::from_utf8_lossy(&adit.stderr).into_owned();
        assert_eq!(adit.status.code(), Some(128), "{args:?}");
        assert!(complaint.contains(args[args.len() - 1].split('=').next().unwrap()), "{complaint}");
    }
}
