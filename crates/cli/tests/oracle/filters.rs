//! Conversion of content, as `hash-object` and `cat-file --filters` show it.

use std::fmt::Write as _;

use adit_testkit::{FORMATS, Repo};
use bstr::ByteSlice;

use crate::ADIT;

const ATTRIBUTES: [&str; 17] = [
    "",
    "text",
    "-text",
    "text=auto",
    "eol=lf",
    "eol=crlf",
    "text eol=crlf",
    "text=auto eol=crlf",
    "text=auto eol=lf",
    "-text eol=crlf",
    "crlf",
    "-crlf",
    "crlf=input",
    "text=bogus crlf=auto",
    "text=input eol=bogus",
    "binary eol=lf",
    "ident text=auto",
];

const CONTENTS: [&[u8]; 16] = [
    b"",
    b"a\nb\n",
    b"a\r\nb\r\n",
    b"a\r\nb\n",
    b"a\rb\n",
    b"a\r\r\nb\n",
    b"a\0b\r\nc\n",
    b"no end",
    b"\r\n",
    b"\r",
    b"dos\r\n\x1a",
    b"\x01\x02\r\n",
    b"caf\xe9\r\n\xc3\xa4\n",
    b"$Id$\r\n$Id: x y $\n",
    b"$Id: z$ $Id:  $ $Id:q",
    b"\x7f\x08\x0c\x1b\t\r\n",
];

/// Contents of a few kinds of bytes, different ones for each seed.
fn random_content(seed: u64) -> Vec<u8> {
    const PARTS: [&[u8]; 11] =
        [b"\r", b"\n", b"\r\n", b"a", b"$Id", b"$", b": ", b" x", b"\x80", b"\t", b"printable text "];
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state >> 33).unwrap()
    };
    (0..next() % 30).flat_map(|_| PARTS[next() % PARTS.len()]).copied().collect()
}

/// A folder for each line of attributes, with each content in it; the names of all files, and their ids as they are.
fn many_files(repo: &Repo) -> (String, String) {
    let (mut attributes, mut paths, mut questions) = (String::new(), String::new(), String::new());
    let contents: Vec<Vec<u8>> =
        CONTENTS.iter().map(|content| content.to_vec()).chain((0..12).map(random_content)).collect();
    for (a, line) in ATTRIBUTES.iter().enumerate() {
        writeln!(attributes, "/a{a}/* {line}").unwrap();
        for (c, content) in contents.iter().enumerate() {
            repo.write(&format!("a{a}/c{c}"), content);
            writeln!(paths, "a{a}/c{c}").unwrap();
        }
    }
    repo.write(".gitattributes", attributes);
    let raw = repo.try_git(&["hash-object", "-w", "--no-filters", "--stdin-paths"], paths.as_bytes());
    for (id, path) in raw.stdout.to_str().unwrap().lines().zip(paths.lines()) {
        writeln!(questions, "{id} {path}").unwrap();
    }
    (paths, questions)
}

#[track_caller]
fn same(repo: &Repo, args: &[&str], input: &[u8]) {
    let (git, adit) = (repo.try_git(args, input), repo.run(ADIT, args, input));
    let lines = |text: &[u8]| -> Vec<String> {
        let text = text.to_str_lossy().into_owned();
        text.lines().filter(|line| !line.starts_with("hint:")).map(str::to_owned).collect()
    };
    assert_eq!(adit.stdout.as_bstr(), git.stdout.as_bstr(), "{args:?}");
    assert_eq!(lines(&adit.stderr), lines(&git.stderr), "{args:?}");
    assert_eq!(adit.status.code(), git.status.code(), "{args:?}");
}

#[test]
fn line_ends_as_every_setting_has_them() {
    let repo = Repo::new("sha1");
    let (paths, questions) = many_files(&repo);
    for auto in ["", "true", "false", "input"] {
        for eol in ["", "lf", "crlf", "native"] {
            let mut settings = Vec::new();
            for (name, value) in [("core.autocrlf", auto), ("core.eol", eol)] {
                if !value.is_empty() {
                    settings.extend(["-c".to_owned(), format!("{name}={value}")]);
                }
            }
            let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
            same(&repo, &[&settings[..], &["hash-object", "--stdin-paths"]].concat(), paths.as_bytes());
            same(
                &repo,
                &[&settings[..], &["cat-file", "--batch", "--filters"]].concat(),
                questions.as_bytes(),
            );
        }
    }
}

#[test]
fn line_ends_that_would_not_come_back() {
    let repo = Repo::new("sha1");
    let (paths, _) = many_files(&repo);
    for auto in ["true", "input"] {
        let auto = format!("core.autocrlf={auto}");
        for safety in [None, Some("core.safecrlf=warn"), Some("core.safecrlf=false")] {
            let mut args = vec!["-c", &auto, "hash-object", "-w", "--stdin-paths"];
            if let Some(safety) = safety {
                args.splice(0..0, ["-c", safety]);
            }
            same(&repo, &args, paths.as_bytes());
        }
        for path in ["a0/c1", "a0/c2", "a1/c3", "a4/c2", "a5/c1"] {
            same(&repo, &["-c", &auto, "-c", "core.safecrlf=true", "hash-object", "-w", path], b"");
        }
    }
    for setting in ["core.autocrlf=bogus", "core.safecrlf=bogus", "filter.f.required=bogus"] {
        same(&repo, &["-c", setting, "hash-object", "a0/c1"], b"");
    }
}

#[test]
fn keywords_and_names_follow_the_object_format() {
    for format in FORMATS {
        let repo = Repo::new(format);
        let (paths, questions) = many_files(&repo);
        same(&repo, &["hash-object", "-w", "--stdin-paths"], paths.as_bytes());
        same(&repo, &["cat-file", "--batch", "--filters"], questions.as_bytes());
        repo.commit("all");
        for args in [
            &["cat-file", "--filters", "HEAD:a16/c13"][..],
            &["cat-file", "--filters", "--path=a16/x", "HEAD:a0/c13"],
            &["cat-file", "--filters", "--path=a16/x", "HEAD"],
            &["cat-file", "--filters", "HEAD"],
            &["cat-file", "--filters", "HEAD:nope"],
            &["hash-object", "--path=a16/x", "a0/c13"],
            &["hash-object", "--path=a2/x", "a1/c3"],
            &["hash-object", "--no-filters", "a1/c3"],
            &["hash-object", "--stdin", "--path=a1/x"],
            &["hash-object", "--stdin"],
            &["hash-object", "-t", "commit", "--literally", "a1/c3"],
        ] {
            same(&repo, args, b"a\r\n$Id: x $\r\n");
        }
    }
}

#[test]
fn encodings_of_the_working_tree() {
    let repo = Repo::new("sha1");
    repo.write("ascii", "abc\n").write("utf8", "a\u{e9}\u{65e5}\n").write("le", b"\xff\xfea\0\n\0");
    repo.write("be", b"\xfe\xff\0a\0\n").write("odd", b"\xfe\xff\0").write("bare", b"a\0b\0");
    repo.write("sjis", b"\x93\xfa\n").write("latin", b"\xe9\n").write("empty", "");
    repo.write("wide", b"\xff\xfe\0\0a\0\0\0");
    let files = ["ascii", "utf8", "le", "be", "odd", "bare", "sjis", "latin", "empty", "wide"];
    for encoding in [
        "=UTF-16",
        "=UTF-16LE",
        "=UTF-16BE",
        "=UTF-16LE-BOM",
        "=utf16",
        "=UTF-32",
        "=UTF-32LE",
        "=UTF-8",
        "=utf8",
        "=latin1",
        "=SHIFT-JIS",
        "=bogus",
        "=",
        "",
        "=US-ASCII",
    ] {
        repo.write(".gitattributes", format!("* working-tree-encoding{encoding}\n"));
        for file in files {
            same(&repo, &["hash-object", file], b"");
            same(&repo, &["hash-object", "-w", file], b"");
        }
        let raw = repo.try_git(&["hash-object", "-w", "--no-filters", "utf8", "latin", "empty"], b"").stdout;
        for id in raw.to_str().unwrap().lines() {
            same(&repo, &["cat-file", "--filters", "--path=x", id], b"");
        }
    }
}

#[test]
fn drivers_run_programs() {
    let repo = Repo::new("sha1");
    repo.write("x", "abc\n").write("e", "").write("d e/y'z", "q\n").write("big", vec![b'b'; 1 << 18]);
    repo.commit("plain");
    repo.write(".gitattributes", "* filter=f\n");
    for settings in [
        &["filter.f.clean=tr a-z A-Z", "filter.f.smudge=tr a-z b-za"][..],
        &["filter.f.clean=echo %f %% %x", "filter.f.smudge=echo %f; pwd >/dev/null; cat"],
        &["filter.f.clean=exit 3", "filter.f.smudge=exit 3"],
        &["filter.f.clean=exit 3", "filter.f.smudge=exit 3", "filter.f.required=true"],
        &["filter.f.clean=true", "filter.f.smudge=cat", "filter.f.required"],
        &["filter.f.required=true"],
        &["filter.f.clean=", "filter.f.smudge=", "filter.f.process="],
        &["filter.g.clean=exit 3", "filter.g.required=true"],
    ] {
        let settings: Vec<&str> = settings.iter().flat_map(|setting| ["-c", setting]).collect();
        for args in [
            &["hash-object", "x", "e", "d e/y'z", "big"][..],
            &["hash-object", "-w", "x"],
            &["hash-object", "--stdin", "--path", "none"],
            &["cat-file", "--filters", "HEAD:x"],
            &["cat-file", "--filters", "HEAD:e"],
            &["cat-file", "--filters", "HEAD:d e/y'z"],
            &["cat-file", "--filters", "HEAD:big"],
        ] {
            same(&repo, &[&settings, args].concat(), b"in\n");
        }
    }
}

/// A filter that speaks the protocol: it turns contents to capitals, and refuses those called `no`, `never` and `die`.
const LONG_RUNNING: &str = r#"
log=$PWD/.git/filter.log; exec 3>>"$log"; echo START >&3
packet() { size=$(dd bs=1 count=4 2>/dev/null); case "$size" in ''|0000) return 1;; esac
    text=$(dd bs=1 count=$((0x$size - 4)) 2>/dev/null); echo "$text" >&3; }
list() { while packet; do case "$text" in pathname=*) path=${text#pathname=};; esac; done; }
say() { printf '%04x%s\n' $((${#1} + 5)) "$1"; }
list; say git-filter-server; say version=2; printf 0000
list; say capability=clean; say capability=smudge; printf 0000
while :; do
    path=; list; [ "$path" ] || exit 0
    content=; while packet; do content=$content$text; done
    case "$path" in
    no) say status=error; printf 0000;;
    never) say status=abort; printf 0000;;
    die) exit 1;;
    *) say status=success; printf 0000; content=$(echo "$content" | tr a-z A-Z)
        [ -z "$content" ] || say "$content"; printf 00000000;;
    esac
done
"#;

#[test]
fn a_filter_may_run_for_long() {
    let repo = Repo::new("sha1");
    repo.write("x", "abc\n").write("no", "q\n").write("never", "n\n").write("die", "d\n").write("z", "zz\n");
    repo.write("e", "").write(".git/filter.sh", LONG_RUNNING).commit("plain");
    repo.write(".gitattributes", "* filter=f\n");
    let log = repo.git_dir().join("filter.log");
    let runs = |program: &std::ffi::OsStr, args: &[&str]| {
        let _ = std::fs::remove_file(&log);
        let output = repo.run(program, args, b"");
        let errors = output.stderr.to_str_lossy().replace("\nerror: sh .git/filter.sh died of signal 15", "");
        let log = std::fs::read(&log).unwrap_or_default();
        (output.stdout, errors, output.status.code(), log.as_bstr().to_string())
    };
    let process = "filter.f.process=sh .git/filter.sh";
    for settings in
        [&[process][..], &[process, "filter.f.required=true"], &[process, "filter.f.clean=exit 1"]]
    {
        let settings: Vec<&str> = settings.iter().flat_map(|setting| ["-c", setting]).collect();
        for args in [
            &["hash-object", "x", "e", "z"][..],
            &["hash-object", "x", "no", "z"],
            &["hash-object", "x", "never", "z"],
            &["hash-object", "x", "die", "z"],
            &["cat-file", "--filters", "HEAD:x"],
            &["cat-file", "--filters", "HEAD:no"],
        ] {
            let args = [&settings, args].concat();
            let git = runs(&adit_testkit::git_program(), &args);
            let adit = runs(std::ffi::OsStr::new(ADIT), &args);
            assert_eq!(adit, git, "{args:?}");
        }
    }
    let plain = repo.git(&["hash-object", "--no-filters", "x"]);
    // Nothing is converted, or what is no packet is fatal.
    for (bad, status) in [
        ("exit 0", 0),
        ("nonexistent-filter", 0),
        ("printf 0000", 0),
        ("printf '0006a\\n'", 0),
        ("echo hello; sleep 0.1", 128),
    ] {
        let process = format!("filter.f.process={bad}");
        let args = ["-c", &process, "hash-object", "x"];
        // Git is not asked: it dies when it happens to write after such a program has ended.
        let adit = repo.run(ADIT, &args, b"");
        let id = if status == 0 { plain.as_str() } else { "" };
        assert_eq!((&*adit.stdout.to_str_lossy(), adit.status.code()), (id, Some(status)), "{bad}");
        assert!(!adit.stderr.is_empty(), "{bad}");
    }
}
