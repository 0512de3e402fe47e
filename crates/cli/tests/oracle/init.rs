//! `init`: the same steps with git and with Adit, each in a folder of its own, must leave the same files.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use adit_testkit::{git_program, run};
use bstr::{BString, ByteSlice};

use crate::ADIT;

/// One command line, after the settings of the environment that it has; `cd <folder>` before it and `!` for programs of
/// the shell.
type Steps = [&'static str];

/// What a program prints and leaves behind.
#[derive(Debug, PartialEq, Eq)]
struct Outcome {
    said: Vec<BString>,
    files: Vec<(BString, u32, BString)>,
}

fn outcome(program: &std::ffi::OsStr, steps: &Steps) -> Outcome {
    let folder = tempfile::tempdir().unwrap();
    let top = fs::canonicalize(folder.path()).unwrap();
    let neutral = |bytes: &[u8]| BString::from(bytes.replace(top.to_str().unwrap(), "$TOP"));
    fs::create_dir_all(top.join("home")).unwrap();
    fs::write(top.join("home/config"), "[advice]\n\tdefaultBranchName = false\n").unwrap();
    let global = top.join("home/config");
    let mut said = Vec::new();
    for step in steps {
        if let Some(script) = step.strip_prefix('!') {
            let done = std::process::Command::new("sh").args(["-c", script]).current_dir(&top).status();
            assert!(done.unwrap().success(), "{script}");
            continue;
        }
        let mut env = vec![("GIT_CONFIG_GLOBAL", global.to_str().unwrap())];
        let words: Vec<&str> = step.split(' ').collect();
        let settings = words.iter().take_while(|word| word.starts_with("GIT_")).count();
        env.extend(words[..settings].iter().filter_map(|word| word.split_once('=')));
        let output = run(program, &top, &words[settings..], b"", &env);
        let errors = output.stderr.lines().filter(|line| !line.starts_with(b"hint:"));
        said.push(format!("{step}: {:?}", output.status.code()).into());
        // Usage is in everyone's own words.
        if output.status.code() != Some(129) {
            said.extend([neutral(&output.stdout), neutral(&errors.collect::<Vec<_>>().join(&b'\n'))]);
        }
    }
    let mut files = Vec::new();
    list(&top, &top, &mut files);
    files.sort();
    for (_, _, content) in &mut files {
        // Where this stands depends on the version of git.
        *content = neutral(content).replace("[extensions]\n\tobjectformat = sha256\n", "").into();
    }
    Outcome { said, files }
}

fn list(top: &Path, folder: &Path, files: &mut Vec<(BString, u32, BString)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let meta = fs::symlink_metadata(&path).unwrap();
        let name = path.strip_prefix(top).unwrap().to_str().unwrap().to_owned();
        // The words of samples and of comments are everyone's own.
        let own_words = name.ends_with(".sample") || name.ends_with("/exclude") || name.ends_with("branches");
        let content = match meta.file_type() {
            _ if own_words => continue,
            kind if kind.is_symlink() => fs::read_link(&path).unwrap().to_str().unwrap().into(),
            kind if kind.is_file() => fs::read(&path).unwrap().into(),
            _ => BString::default(),
        };
        if meta.is_dir() {
            list(top, &path, files);
        }
        files.push((name.into(), meta.permissions().mode(), content));
    }
}

#[track_caller]
fn same(steps: &Steps) {
    let (git, adit) = (outcome(&git_program(), steps), outcome(ADIT.as_ref(), steps));
    assert_eq!(adit.said, git.said, "{steps:?}");
    assert_eq!(adit.files, git.files, "{steps:?}");
}

#[test]
fn plain_and_bare_repositories() {
    for steps in [
        &["init"][..],
        &["init", "init"],
        &["init -q sub/folder", "init sub/folder/", "init-db other"],
        &["init --bare", "--bare init", "--bare init x", "init --bare x"],
        &["init -b topic x", "init -b other x", "init -b a..b y", "init --initial-branch= z"],
        &[
            "-c init.defaultBranch=trunk init x",
            "-c init.defaultBranch=a..b init y",
            "-c init.defaultBranch=t init x",
        ],
        &["GIT_TEST_DEFAULT_INITIAL_BRANCH_NAME=env -c init.defaultBranch=trunk init x"],
        &[
            "init --object-format=sha256 x",
            "init x",
            "init --object-format=sha1 x",
            "init --object-format=x y",
        ],
        &["GIT_DEFAULT_HASH=sha256 init x", "GIT_DEFAULT_HASH=x init y"],
        &[
            "-c init.defaultObjectFormat=sha256 init x",
            "-c init.defaultObjectFormat=x init y",
            "GIT_DEFAULT_HASH=sha1 -c init.defaultObjectFormat=x init z",
        ],
        &["init --ref-format=files x", "init --ref-format=x y", "GIT_DEFAULT_REF_FORMAT=x init z"],
        &["-c init.defaultRefFormat=x init y", "GIT_DEFAULT_REF_FORMAT=x init --ref-format=files z"],
        &["init a b", "init --nope", "init --separate-git-dir= x", "init --separate-git-dir=y --bare x"],
        &["!touch file", "init file", "init file/x"],
        &["!mkdir -p x/.git/objects y/.git; touch y/.git/HEAD", "init x", "init y"],
        &["!mkdir x y; echo bad >x/.git; echo gitdir: nowhere >y/.git", "init x", "init y"],
    ] {
        same(steps);
    }
}

#[test]
fn places_that_the_environment_names() {
    for steps in [
        &["GIT_DIR=x init", "GIT_DIR=x init"][..],
        &["GIT_DIR=.git init", "GIT_DIR=x/.git init", "!mkdir x", "GIT_DIR=x/.git init"],
        &[
            "GIT_DIR=x GIT_WORK_TREE=. init",
            "GIT_DIR=y GIT_WORK_TREE=no init",
            "GIT_DIR=y GIT_WORK_TREE=no/no init",
        ],
        &[
            "GIT_DIR=.git GIT_WORK_TREE=. init",
            "GIT_DIR=.git GIT_WORK_TREE=/ init",
            "GIT_DIR=.git GIT_WORK_TREE=. init",
        ],
        &["GIT_WORK_TREE=. init", "GIT_WORK_TREE=. --bare init", "GIT_DIR=x GIT_WORK_TREE=. init --bare"],
        &["GIT_DIR=x init --bare", "GIT_DIR=x init y --bare", "GIT_DIR=x --bare init z"],
        &["--git-dir=x init", "--git-dir=x init y", "--git-dir=x --work-tree=. init z"],
        &["!mkdir objects", "GIT_OBJECT_DIRECTORY=objects init"],
        &["GIT_DIR=. init", "GIT_DIR=. init --separate-git-dir=../x"],
    ] {
        same(steps);
    }
}

#[test]
fn shared_repositories() {
    for steps in [
        &["init --shared x", "init x", "init --shared=umask x", "init --shared=0640 x"][..],
        &["init --shared=all x", "init --shared=world y", "init --bare --shared=0606 z"],
        &["init --shared=0400 x", "init --shared=foo y", "init --shared=0 z", "init --shared=2775 w"],
        &["init x", "init --shared=0660 x"],
        &[
            "-c core.sharedRepository=0660 init x",
            "-c core.sharedRepository init y",
            "-c core.sharedRepository=no init z",
        ],
        &[
            "!printf '[core]\\nsharedrepository=0640' >>home/config",
            "init x",
            "init --shared=umask y",
            "init --shared z",
        ],
        &["!printf '[core]\\nlogallrefupdates=false\\nbare=true\\nworktree=/' >>home/config", "init x"],
    ] {
        same(steps);
    }
}

#[test]
fn what_is_there_stays() {
    same(&[
        "init x",
        "!cd x/.git; printf '# mine\\n[core]\\n\\tfilemode = false\\n\\tbare = true\\n\\tsymlinks = false\\n\\tlogAllRefUpdates = always\\n' >config; echo mine >description; rm -r refs/tags",
        "init x",
        "init --bare x/.git",
    ]);
    same(&["init x", "!printf '[core]\\nrepositoryformatversion = 3\\n' >x/.git/config", "init x"]);
    same(&[
        "init x",
        "!cp x/.git/config x/old; printf '[core]\\nrepositoryformatversion = 1\\n[extensions]\\nworktreeConfig = true\\n' >x/.git/config",
        "init x",
    ]);
}

#[test]
fn templates() {
    let template = "!mkdir -p t/sub t/.hid t/refs/heads; ln -s sub t/lnk; ln -s gone t/dang; echo x >t/f; echo y >t/.dot; \
                    chmod 755 t/f; echo z >t/sub/z; chmod 444 t/sub/z; \
                    printf '[core]\\n\\tbare = true\\n\\tlogallrefupdates = false\\n[foo]\\n\\tx = 1\\n' >t/config";
    for steps in [
        &[template, "init --template=t x", "init --template=t --shared y", "GIT_TEMPLATE_DIR=../t init z"][..],
        &[template, "!echo 'ref: refs/heads/tmpl' >t/HEAD", "init --template=t x", "init --template=t x"],
        &[template, "!mkfifo t/pipe", "-c init.templateDir=../t init x", "!rm t/pipe"],
        &[template, "!printf '[core]\\nrepositoryformatversion=7\\n' >t/config", "init --template=t x"],
        &[template, "!echo '[core' >t/config", "init --template=t x"],
        &["!mkdir t; printf '[core]\\nsharedRepository=0640\\n' >t/config", "init --template=t x"],
        &["init --template=none x", "init --template= y", "GIT_TEMPLATE_DIR= init z", "init --no-template w"],
        &["-c init.templateDir=none init x", "GIT_TEMPLATE_DIR=none init y", "-c init.templateDir= init z"],
    ] {
        same(steps);
    }
}

#[test]
fn repositories_apart_from_their_working_tree() {
    for steps in [
        &["init --separate-git-dir sep x", "init x", "init --separate-git-dir sep2 x"][..],
        &["init x", "init --separate-git-dir sep x", "init --separate-git-dir sep y"],
        &["init x", "!mkdir sep", "init --separate-git-dir sep x"],
        &["init x", "!mkdir sep; touch sep/file", "init --separate-git-dir sep x"],
        &["init x", "!cd x; mv .git here; ln -s here .git", "init --separate-git-dir sep x"],
        &["init --separate-git-dir no/such/folder x", "!mkdir y; ln -s here y/.git", "init y"],
    ] {
        same(steps);
    }
}

#[test]
fn linked_working_trees_follow_a_repository_that_moves() {
    for linked in ["main", "linked"] {
        let folder = tempfile::tempdir().unwrap();
        let top = fs::canonicalize(folder.path()).unwrap();
        let git = |args: &[&str]| {
            let output = run(git_program(), &top, args, b"", &[]);
            assert!(output.status.success(), "{args:?} {}", output.stderr.as_bstr());
            output.stdout
        };
        git(&["init", "-q", "main"]);
        git(&["-C", "main", "commit", "-q", "--allow-empty", "-m", "one"]);
        git(&["-C", "main", "worktree", "add", "-q", "../linked"]);
        let config = fs::read(top.join("main/.git/config")).unwrap();
        let again = run(ADIT, &top, &["-C", "linked", "init"], b"", &[]);
        assert!(again.status.success(), "{}", again.stderr.as_bstr());
        assert_eq!(fs::read(top.join("main/.git/config")).unwrap(), config);
        let moved = run(ADIT, &top, &["-C", linked, "init", "--separate-git-dir", "../apart"], b"", &[]);
        assert!(moved.status.success(), "{}", moved.stderr.as_bstr());
        for tree in ["main", "linked"] {
            assert_eq!(git(&["-C", tree, "status", "--porcelain"]), b"");
            let common = git(&["-C", tree, "rev-parse", "--path-format=absolute", "--git-common-dir"]);
            assert_eq!(common.trim_end(), top.join("apart").to_str().unwrap().as_bytes());
        }
    }
}

#[test]
fn the_format_is_declared_as_git_2_55_does() {
    let folder = tempfile::tempdir().unwrap();
    let args =
        ["-c", "init.defaultSubmodulePathConfig=true", "init", "--object-format=sha256", "-b", "main", "x"];
    let output = run(ADIT, folder.path(), &args, b"", &[]);
    assert!(output.status.success() && output.stderr.is_empty(), "{}", output.stderr.as_bstr());
    let expected = "[extensions]\n\tobjectformat = sha256\n\tsubmodulepathconfig = true\n\
                    [core]\n\trepositoryformatversion = 1\n\tfilemode = true\n\tbare = false\n\
                    \tlogallrefupdates = true\n";
    assert_eq!(fs::read_to_string(folder.path().join("x/.git/config")).unwrap(), expected);
}

#[test]
fn reftable_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(ADIT, folder.path(), &["init", "--ref-format=reftable", "x"], b"", &[]);
    assert_eq!(output.status.code(), Some(128));
    assert!(output.stderr.contains_str("reftable"), "{}", output.stderr.as_bstr());
    assert!(!folder.path().join("x/.git").exists());
}
