#![allow(clippy::unwrap_used)] // A test fails by panicking.
//! Configuration files as git reads and changes them. (Nothing here depends on the object format.)

use std::path::Path;

use adit_config::edit::{self, EditError};
use adit_config::{Config, Name, Origin, Scope, section_header};
use adit_testkit::{git_program, run};
use bstr::{BStr, BString, ByteSlice};

/// Runs `git config -f config <args>` on a file with `text`: its status, its output, and the file afterwards.
fn git_config(dir: &Path, text: &[u8], args: &[&str]) -> (i32, BString, BString) {
    let file = dir.join("config");
    std::fs::write(&file, text).unwrap();
    let words: Vec<&str> = ["config", "-f", "config"].iter().chain(args).copied().collect();
    let output = run(git_program(), dir, &words, b"", &[]);
    let after = std::fs::read(&file).unwrap();
    (output.status.code().unwrap(), output.stdout.into(), after.into())
}

/// Every way that lines are written that differs in what git makes of it.
const TEXTS: [&str; 30] = [
    "",
    "\n\n",
    "[a]",
    "[a]\n",
    "[a]\n\tb = 1\n",
    "[a]\n\tb = 1",
    "[a] b = 1 ; c\n[x]\n",
    "[a]b=1\nc=2\n[x]\n\ty = 1\n",
    "[a]\n\tb = 1\n# comment\n\n[x]\n\ty=1\n",
    "# x\n[a]\nb = 1\n[c]\nd=1\n",
    "[a]\n# x\nb = 1\n[c]\nd=1\n",
    "[a]\nb = 1 # x\n[c]\nd=1\n",
    "[a] # x\nb = 1\n[c]\nd=1\n",
    "[a]\nb = 1\n\n# y\n[c]\nd=1\n",
    "[a]\nb = 1\nb = 2\n",
    "[a]\nb = 1\nc = 1\nb = 2\n[d]\n",
    "[a]\nb=1\n[a]\nc=1\n",
    "[a]\nb=1\n[a]\nb=2\n[z]\n",
    "[a]\nb=1\n\n[b]\nc=1\n\n[a]\n\n\nb=2\n\n[d]\n",
    "[x]\n[a]\n[A]\nb=1\n[a]\n[x]\n",
    "[a]\n  B=1\\\n 2\n\tc = 3\n",
    "[a]\nb\n",
    "[a \"X\"]\n\tb = 1\n[a]\nb=7\n",
    "[a.X]\n\tb = 1\n",
    "[A]\n\tB = \"x ; y\" # z\n",
    "[a]\r\n\tb = 1\r\n[c]\r\n",
    "[a \"q\\\"\\\\z\"]\nb = \\\"\\\\\\t\\n x\n",
    "[a]\nb = \"one\" two   three  ; four\n",
    "[remote \"o\"]\n\turl = x\n\n\n[a]\n\n\n",
    "\u{feff}[a]\nb = 1\n",
];

#[test]
fn files_read_as_git_reads_them() {
    let dir = tempfile::tempdir().unwrap();
    let broken = [
        "[a",
        "[a\nb=1\n",
        "[a]\nb=\"x\n",
        "[a]\nb=\\q\n",
        "[a]\n1=2\n",
        "[a]\nb c\n",
        "[a \"x\ny\"]\n",
        "[a]]\n",
    ];
    for text in TEXTS.iter().chain(&broken) {
        let (status, listed, _) = git_config(dir.path(), text.as_bytes(), &["--list", "-z"]);
        let mut config = Config::default();
        let read = config.add_bytes(text.as_bytes(), Origin::File("config".into()), Scope::Command);
        assert_eq!(read.is_ok(), status == 0, "{text:?}");
        if status != 0 {
            continue;
        }
        let mut ours = BString::default();
        for entry in config.entries() {
            ours.extend_from_slice(&entry.name);
            if let Some(value) = &entry.value {
                ours.push(b'\n');
                ours.extend_from_slice(value);
            }
            ours.push(0);
        }
        assert_eq!(ours, listed, "{text:?}");
    }
}

#[test]
fn values_are_set_as_git_sets_them() {
    let dir = tempfile::tempdir().unwrap();
    let values = ["2", "", " lead", "trail ", "x;y", "x#y", "q\"\\", "tab\tnl\nend", "\u{fc}"];
    for text in TEXTS {
        for (name, value) in
            [("a.b", "2"), ("a.c", "2"), ("A.b", "2"), ("a.X.b", "2"), ("New.Sub\"x.Key", "2")]
        {
            check_set(dir.path(), text, name, value);
        }
    }
    for value in values {
        check_set(dir.path(), "[a]\nb = 1\n", "a.b", value);
    }
}

fn check_set(dir: &Path, text: &str, name: &str, value: &str) {
    let parsed = Name::parse(name.into()).unwrap();
    for (option, all, add) in [("--replace-all", true, false), ("--add", false, true)] {
        let (status, _, after) = git_config(dir, text.as_bytes(), &[option, name, value]);
        assert_eq!(status, 0, "{text:?} {name}");
        let ours = edit::set(text.as_bytes(), &parsed, value.into(), &|_| !add, all, BStr::new(""));
        assert_eq!(ours.unwrap(), after, "{option} {name} {value:?} in {text:?}");
    }
}

#[test]
fn values_are_unset_as_git_unsets_them() {
    let dir = tempfile::tempdir().unwrap();
    for text in TEXTS {
        for name in ["a.b", "a.c", "a.X.b", "c.d", "x.y"] {
            let (status, _, after) = git_config(dir.path(), text.as_bytes(), &["--unset-all", name]);
            match edit::unset(text.as_bytes(), &Name::parse(name.into()).unwrap(), &|_| true, true) {
                Ok(ours) => assert_eq!((status, &ours), (0, &after), "{name} in {text:?}"),
                Err(error) => assert_eq!((error, status), (EditError::NotFound, 5), "{name} in {text:?}"),
            }
        }
    }
}

#[test]
fn sections_are_renamed_as_git_renames_them() {
    let dir = tempfile::tempdir().unwrap();
    let more = ["[a]b=1\n  [a] ; x\n[a \"b\"]\n", "[a.b]\nb=1\n[a \"b\"] c=2\n", "[ax]\n[b \"a\"]\n[a]\n"];
    for text in TEXTS.iter().chain(&more) {
        for (old, new) in [("a", "n.M.x"), ("a.X", "n"), ("a.b", "n"), ("x", "y")] {
            let header = section_header(new.into()).unwrap();
            for (args, header) in [
                (vec!["--rename-section", old, new], Some(header.as_bstr())),
                (vec!["--remove-section", old], None),
            ] {
                let (status, _, after) = git_config(dir.path(), text.as_bytes(), &args);
                match edit::rename_section(text.as_bytes(), old.into(), header).unwrap() {
                    Some(ours) => assert_eq!((status, &ours), (0, &after), "{args:?} in {text:?}"),
                    None => assert_eq!(status, 128, "{args:?} in {text:?}"),
                }
            }
        }
    }
}
