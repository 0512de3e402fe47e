//! `rev-parse`, `for-each-ref`, `show-ref`, `describe`, `name-rev` and the listings of `branch` and `tag`: the command
//! lines of the files in `lines/`, in one repository that has something for each of them.

use adit_testkit::{FORMATS, Repo};

use crate::ADIT;

/// A merge, tags of every kind and object, names that several references have, remotes, symbolic references, a second
/// working tree.
fn repository(format: &str) -> Repo {
    let repo = Repo::new(format);
    repo.write("f", "1\n").write("d/g", "2\n").commit("first one\n\nbody\n\nSigned-off-by: A <a@b>\n");
    repo.tick().git(&["tag", "-a", "-m", "t1\n\nmore of it\n", "v1"]);
    for n in 1..4 {
        repo.commit(&format!("commit {n} fix"));
    }
    repo.git(&["checkout", "-q", "-b", "side", "HEAD~2"]);
    repo.commit("s");
    repo.git(&["checkout", "-q", "main"]);
    repo.tick().git(&["merge", "-q", "--no-ff", "-m", "mrg", "side"]);
    repo.git(&["branch", "amb"]);
    repo.git(&["tag", "amb", "side"]);
    repo.git(&["tag", "blob", "HEAD:f"]);
    repo.git(&["tag", "tree", "HEAD^{tree}"]);
    repo.tick().git(&["-c", "advice.nestedTag=false", "tag", "-a", "-m", "tt", "tagtag", "v1"]);
    repo.commit("last");
    for (name, value) in [
        ("remote.o.url", "x"),
        ("remote.o.fetch", "+refs/heads/*:refs/remotes/o/*"),
        ("branch.main.remote", "o"),
        ("branch.main.merge", "refs/heads/up"),
        ("branch.side.remote", "o"),
        ("branch.side.merge", "refs/heads/none"),
    ] {
        repo.git(&["config", name, value]);
    }
    repo.git(&["update-ref", "refs/remotes/o/up", "HEAD~2"]);
    repo.git(&["symbolic-ref", "refs/remotes/o/HEAD", "refs/remotes/o/up"]);
    repo.git(&["symbolic-ref", "refs/heads/sym", "refs/heads/main"]);
    repo.git(&["worktree", "add", "-q", ".git/second", "side"]);
    repo
}

/// Splits a line into words, at spaces outside of single quotes.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            c => words.iter_mut().last().into_iter().for_each(|word| word.push(c)),
        }
    }
    words
}

/// What scripts look at: standard output, the status, and the lines that say what went wrong.
fn result(
    repo: &Repo,
    program: impl AsRef<std::ffi::OsStr>,
    words: &[String],
) -> (String, Option<i32>, Vec<String>) {
    let output = repo.run(program, words, b"");
    let errors = String::from_utf8_lossy(&output.stderr);
    let errors = errors.lines().filter(|line| line.starts_with("fatal:")).map(str::to_owned).collect();
    (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code(), errors)
}

fn same_lines(repo: &Repo, lines: &str) {
    for line in lines.lines() {
        let words = words(line);
        assert_eq!(result(repo, ADIT, &words), result(repo, adit_testkit::git_program(), &words), "{line}");
    }
}

#[test]
fn rev_parse() {
    for format in FORMATS {
        same_lines(&repository(format), include_str!("lines/rev_parse.txt"));
    }
}

#[test]
fn for_each_ref() {
    for format in FORMATS {
        same_lines(&repository(format), include_str!("lines/for_each_ref.txt"));
    }
}

#[test]
fn listings_of_branches_tags_and_references() {
    for format in FORMATS {
        let repo = repository(format);
        same_lines(&repo, include_str!("lines/listings.txt"));
        for place in ["v1", "main~1", "amb", "tags/amb"] {
            repo.git(&["checkout", "-q", "--detach", place]);
            same_lines(
                &repo,
                "branch\nbranch -v\nbranch -avv\nbranch --list main\nbranch --points-at side\nbranch -r",
            );
        }
    }
}

#[test]
fn descriptions_and_names() {
    for format in FORMATS {
        same_lines(&repository(format), include_str!("lines/describe.txt"));
    }
}

#[test]
fn packed_references_list_as_loose_ones_do() {
    for format in FORMATS {
        let repo = repository(format);
        repo.git(&["pack-refs", "--all"]);
        same_lines(
            &repo,
            "for-each-ref\nshow-ref -d\nbranch -a\ntag -n\ndescribe --all\nfor-each-ref --format=%(*objectname)",
        );
    }
}

#[test]
fn a_listing_starts_after_a_name() {
    let repo = repository("sha1");
    let list = |marker: &str| {
        let words = words(&format!("for-each-ref --format=%(refname) --start-after={marker}"));
        result(&repo, ADIT, &words).0
    };
    // git 2.47 does not have the option; 2.55 prints this.
    assert!(list("refs/heads/main").starts_with("refs/heads/side\nrefs/heads/sym\nrefs/remotes/o/HEAD\n"));
    assert_eq!(list("refs/tags/tree"), "refs/tags/v1\n");
    assert_eq!(list("refs/z"), "");
}

const SPECIFICATION: &str = "cmd [options]\nother line\n\nmore about it\n--\nh,help!   help\n\nfoo       an option\n\
    bar=      with a value\nbaz=arg   with a named value\nqux?path  with or without\nb,bb      two forms\n\
    l,a-name-that-is-long=hint  on two lines\nv*        hidden\n\n  Header\nC?        short\nno-neg    negated\n";

#[test]
fn options_of_scripts() {
    let repo = Repo::new("sha1");
    for line in [
        "-- -h",
        "-- --help-all",
        "-- --foo",
        "-- --no-foo --bar=x --bar y -b -bb --no-bb",
        "-- --bar",
        "-- --nosuch",
        "-- -Q",
        "-- --fo",
        "-- --b",
        "-- -Cfoo -C foo a",
        "-- a --foo b -- --bar",
        "--keep-dashdash -- a -- --bar",
        "--stop-at-non-option -- --foo a --bar",
        "--stuck-long -- --foo -b --bar 2 -C -Cx --qux=q --qux a",
        "-- --foo=3",
        "-- -foo",
        "-- --neg",
        "-- --no-neg",
        "--",
        "-- -bv 'a b'",
    ] {
        let mut words = words(line);
        words.splice(0..0, ["rev-parse".to_owned(), "--parseopt".to_owned()]);
        let git = repo.run(adit_testkit::git_program(), &words, SPECIFICATION.as_bytes());
        let adit = repo.run(ADIT, &words, SPECIFICATION.as_bytes());
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        // git 2.47 has `--[no-]neg` on one line.
        if !text(&git.stdout).contains("usage") && !text(&git.stderr).contains("usage") {
            assert_eq!(text(&adit.stdout), text(&git.stdout), "{line}");
            assert_eq!(text(&adit.stderr), text(&git.stderr), "{line}");
        }
        assert_eq!(adit.status.code(), git.status.code(), "{line}");
    }
    let words = words("rev-parse --parseopt -- -h");
    let usage = repo.run(ADIT, &words, SPECIFICATION.as_bytes());
    let expected = "cat <<\\EOF\nusage: cmd [options]\n   or: other line\n\n    more about it\n\n\
        \x20   -h, --help            help\n    --[no-]foo            an option\n    --[no-]bar ...        with a value\n\
        \x20   --[no-]baz <arg>      with a named value\n    --[no-]qux[=<path>]   with or without\n\
        \x20   -b, --[no-]bb         two forms\n    -l, --[no-]a-name-that-is-long <hint>\n\
        \x20                         on two lines\n\nHeader\n    -C[...]               short\n\
        \x20   --no-neg              negated\n    --neg                 opposite of --no-neg\n\nEOF\n";
    assert_eq!(String::from_utf8_lossy(&usage.stdout), expected);
}
