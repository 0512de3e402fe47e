//! Attributes of paths as `git check-attr` tells them. (Nothing here depends on the object format.)

use std::path::PathBuf;

use adit_diff::pathspec::AttributeState;
use adit_testkit::Repo;
use adit_worktree::{Attributes, Folders};
use bstr::{BStr, ByteSlice};

/// The attributes files of a working tree.
struct WorkTree(PathBuf);

impl Folders for WorkTree {
    fn read(&self, folder: &BStr) -> std::io::Result<Option<Vec<u8>>> {
        Ok(std::fs::read(self.0.join(folder.to_path_lossy()).join(".gitattributes")).ok())
    }
}

const NAMES: [&str; 8] = ["diff", "text", "merge", "binary", "mine", "other", "eol", "a.b-c"];
const PATHS: [&str; 12] = [
    "x",
    "a.c",
    "a.h",
    "sub/a.c",
    "sub/x",
    "sub/deep/a.c",
    "sub/deep/x.dat",
    "q\"r",
    "sp ace",
    "#c",
    "dir/x",
    "other/sub/x",
];

fn check(files: &[(&str, &str)]) {
    let repo = Repo::new("sha1");
    for (path, content) in files {
        repo.write(path, content);
    }
    let info = std::fs::read(repo.git_dir().join("info/attributes")).ok();
    let attributes = Attributes::new(Box::new(WorkTree(repo.path().to_owned())), Vec::new(), info);
    let words: Vec<&str> = ["check-attr", "-z", "--stdin"].iter().chain(&NAMES).copied().collect();
    let told = repo.try_git(&words, PATHS.join("\0").as_bytes()).stdout;
    let told: Vec<&str> = told.to_str().unwrap().split_terminator('\0').collect();
    assert_eq!(told.len(), 3 * NAMES.len() * PATHS.len());
    for entry in told.chunks(3) {
        let state = match attributes.state(entry[0].into(), entry[1].into()) {
            AttributeState::Set => "set".into(),
            AttributeState::Unset => "unset".into(),
            AttributeState::Unspecified => "unspecified".into(),
            AttributeState::Value(value) => value,
        };
        assert_eq!(state, entry[2], "{} of {} by {files:?}", entry[1], entry[0]);
    }
}

#[test]
fn inner_files_and_later_lines_win() {
    check(&[
        (
            ".gitattributes",
            "* text=auto\n*.c diff=cpp\n*.c diff=c2 eol=lf\n/x mine\nsub/* other\n**/x -other\n",
        ),
        ("sub/.gitattributes", "*.c !diff eol\ndeep/** a.b-c=1\n"),
        (".git/info/attributes", "deep/a.c diff=no\nsub/deep/a.c diff=info\n"),
    ]);
}

#[test]
fn macros_count_until_they_are_decided() {
    check(&[
        (
            ".gitattributes",
            "[attr]mine -diff text=auto other\n* mine\n*.dat binary -mine\n*.h binary=v\n*.h binary\n",
        ),
        ("sub/.gitattributes", "[attr]other merge\nx !mine\na.c -binary\n*.c binary=x\n"),
        (".git/info/attributes", "[attr]eol eol other=loop eol\na.h eol\n"),
    ]);
}

#[test]
fn odd_lines() {
    check(&[(
        ".gitattributes",
        "\u{feff}a.c diff\n  a.h\tdiff  text \r\n\"q\\\"r\" mine\n\"sp ace\" other\n#c diff\n\\#c merge\n!x diff\n\
         dir/ mine\ndir/* -mine=v !text=w eol=\n*.dat bad --x\n*.dat -other=\n\"open diff\n[attr]-bad x\n[ax] text=x=y",
    )]);
}
