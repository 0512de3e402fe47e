//! Pairs and their formats, against `git diff-tree`.

use adit_diff::breaks::BreakOptions;
use adit_diff::contents::Objects;
use adit_diff::diffcore::{Diffcore, Options};
use adit_diff::filter::Filter;
use adit_diff::formats::{Damage, DirstatOptions, StatOptions};
use adit_diff::order::OrderFile;
use adit_diff::pathspec::{Pathspec, PathspecOptions};
use adit_diff::pickaxe::{Counter, Pickaxe};
use adit_diff::renames::RenameOptions;
use adit_diff::show::{Formats, NoAttributes, Printer, ShowOptions};
use adit_object::{ObjectFormat, ObjectId};
use adit_odb::Store;
use adit_testkit::{FORMATS, Repo};
use std::fmt::Write;

/// What is asked of both: git's arguments and the same for the library.
type Case = (&'static [&'static str], fn(&mut Options, &mut ShowOptions));

fn lines(from: u32, to: u32) -> String {
    (from..to).fold(String::new(), |mut text, n| {
        let _ = writeln!(text, "this is line number {n}, {}", n * 7919 % 101);
        text
    })
}

/// Two commits between which about everything happens that can happen to a file.
fn repository(format: &str) -> Repo {
    let repo = Repo::new(format);
    repo.write("same/deep/er/file", "same\n")
        .write("moved/whole", lines(0, 30))
        .write("moved/edited.c", lines(100, 160))
        .write("swap-a", lines(300, 340))
        .write("swap-b", lines(400, 440))
        .write("rewritten", lines(500, 560))
        .write("copied-from", lines(600, 640))
        .write("gone", "only here\n")
        .write("empty-old", "")
        .write("file-then-folder", "x\n")
        .write("folder-then-file/x", "y\n")
        .write("folder-then-file.x", "between\n")
        .write("binary", b"a\0b")
        .write("caf\u{e9}/tab\there", "quoted\n")
        .write("a/b/c/needle", "one needle\n")
        .commit("old");
    std::fs::remove_dir_all(repo.path().join("moved")).unwrap();
    for path in ["gone", "empty-old", "file-then-folder"] {
        std::fs::remove_file(repo.path().join(path)).unwrap();
    }
    std::fs::remove_dir_all(repo.path().join("folder-then-file")).unwrap();
    repo.write("new place/whole", lines(0, 30))
        .write("new place/edited.c", lines(100, 155) + "changed\n")
        .write("swap-a", lines(400, 440))
        .write("swap-b", lines(300, 340))
        .write("rewritten", lines(1500, 1570))
        .write("copied-from", lines(600, 640) + "more\n")
        .write("copied-to", lines(600, 638))
        .write("empty-new", "")
        .write("file-then-folder/x", "x\n")
        .write("folder-then-file", "y\n")
        .write("folder-then-file.x", "between\nmore\n")
        .write("binary", b"a\0bc")
        .write("caf\u{e9}/tab\there", "quoted\nmore\n")
        .write("a/b/c/needle", "two needle needle\n");
    repo.git(&["add", "-A"]);
    repo.git(&["update-index", "--chmod=+x", "same/deep/er/file"]);
    let link = repo.git(&["rev-parse", ":swap-a"]);
    repo.git(&["update-index", "--add", "--cacheinfo", &format!("120000,{},link", link.trim())]);
    let head = repo.git(&["rev-parse", "HEAD"]);
    repo.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{},module", head.trim())]);
    repo.git(&["commit", "-q", "-m", "new"]);
    repo
}

fn recursive(options: &mut Options, show: &mut ShowOptions) {
    options.recursive = true;
    show.formats.raw = true;
}

const RENAMES: RenameOptions = RenameOptions {
    copies: false,
    harder: false,
    minimum: 30_000,
    limit: 1000,
    rename_empty: true,
    broken: false,
};

const CASES: &[Case] = &[
    (&[], |_, show| show.formats.raw = true),
    (&["-r"], recursive),
    (&["-t"], |options, show| {
        options.show_trees = true;
        show.formats.raw = true;
    }),
    (&["-r", "-R"], |options, show| {
        recursive(options, show);
        options.reverse = true;
    }),
    (&["-r", "-M"], |options, show| {
        recursive(options, show);
        options.renames = Some(RENAMES);
    }),
    (&["-r", "-M", "-R"], |options, show| {
        recursive(options, show);
        options.renames = Some(RENAMES);
        options.reverse = true;
    }),
    (&["-r", "-C"], |options, show| {
        recursive(options, show);
        options.renames = Some(RenameOptions { copies: true, ..RENAMES });
    }),
    (&["-r", "-C", "-C", "--no-rename-empty"], |options, show| {
        recursive(options, show);
        options.renames = Some(RenameOptions { copies: true, harder: true, rename_empty: false, ..RENAMES });
    }),
    (&["-r", "-M100%"], |options, show| {
        recursive(options, show);
        options.renames = Some(RenameOptions { minimum: 60_000, ..RENAMES });
    }),
    (&["-r", "-B"], |options, show| {
        recursive(options, show);
        options.breaks = Some(BreakOptions::default());
    }),
    (&["-r", "-B", "-M"], |options, show| {
        recursive(options, show);
        options.breaks = Some(BreakOptions::default());
        options.renames = Some(RenameOptions { broken: true, ..RENAMES });
    }),
    (&["-r", "-z", "-M"], |options, show| {
        recursive(options, show);
        options.renames = Some(RENAMES);
        show.names.nul = true;
    }),
    (&["-r", "--name-status", "--diff-filter=dm"], |options, show| {
        options.recursive = true;
        options.filter = Filter::parse(b"dm").ok();
        show.formats.name_status = true;
    }),
    (&["-r", "--name-only", "-Sneedle"], |options, show| {
        options.recursive = true;
        options.pickaxe = Counter::text(b"needle", false).ok().map(|c| Pickaxe::Occurrences(Box::new(c)));
        show.formats.name_only = true;
    }),
    (&["-r", "--name-only", "-Gmore$"], |options, show| {
        options.recursive = true;
        options.pickaxe = Pickaxe::changed_lines(b"more$", false, false).ok();
        show.formats.name_only = true;
    }),
    (&["--numstat", "-M"], |options, show| {
        options.recursive = true;
        options.renames = Some(RENAMES);
        show.formats = Formats { numstat: true, ..Formats::default() };
    }),
    (&["--stat", "--summary", "-M", "-C"], |options, show| {
        options.recursive = true;
        options.renames = Some(RenameOptions { copies: true, ..RENAMES });
        show.formats = Formats { stat: true, summary: true, ..Formats::default() };
    }),
    (&["--stat=40,20,5", "--compact-summary"], |options, show| {
        options.recursive = true;
        show.formats.stat = true;
        show.stat = StatOptions {
            width: 40,
            name_width: Some(20),
            count: Some(5),
            compact_summary: true,
            ..StatOptions::default()
        };
    }),
    (&["--shortstat", "-p", "-M"], |options, show| {
        options.recursive = true;
        options.renames = Some(RENAMES);
        show.formats = Formats { shortstat: true, patch: true, ..Formats::default() };
    }),
    (&["--dirstat=lines,1,cumulative"], |options, show| {
        options.recursive = true;
        let dirstat = DirstatOptions { damage: Damage::Lines, cumulative: true, permille: 10 };
        show.formats.dirstat = Some(dirstat);
    }),
    (&["--dirstat=0"], |options, show| {
        options.recursive = true;
        show.formats.dirstat = Some(DirstatOptions { permille: 0, ..DirstatOptions::default() });
    }),
    (&["-r", "--", "a/b", ":(glob)*-then-*", ":!*.x"], |options, show| {
        recursive(options, show);
        let args = ["a/b", ":(glob)*-then-*", ":!*.x"];
        options.pathspec = Pathspec::parse(&args, &PathspecOptions::default()).unwrap();
    }),
    (&["-t", "--", "*needle"], |options, show| {
        options.show_trees = true;
        show.formats.raw = true;
        options.pathspec = Pathspec::parse(&["*needle"], &PathspecOptions::default()).unwrap();
    }),
];

fn tree(repo: &Repo, format: ObjectFormat, name: &str) -> ObjectId {
    let hex = repo.git(&["rev-parse", &format!("{name}^{{tree}}")]);
    ObjectId::from_hex(format, hex.trim().as_bytes()).unwrap()
}

fn show(store: &Store, old: &ObjectId, new: &ObjectId, options: &Options, show: &ShowOptions) -> String {
    let pairs = Diffcore::new(store, options).compare(Some(old), Some(new)).unwrap();
    let (contents, mut out) = (Objects(store), Vec::new());
    Printer::new(show, &contents, &NoAttributes, &|_| 7).print(&pairs, &mut out).unwrap();
    String::from_utf8_lossy(&out).into_owned()
}

#[test]
fn everything_that_happens_to_files_is_shown_as_git_shows_it() {
    for name in FORMATS {
        let repo = repository(name);
        let format = ObjectFormat::from_name(name.as_bytes()).unwrap();
        let store = Store::open(&repo.git_dir().join("objects"), format, Default::default()).unwrap();
        let (old, new) = (tree(&repo, format, "HEAD^"), tree(&repo, format, "HEAD"));
        for (args, set) in CASES {
            let mut options = Options::default();
            let mut shown = ShowOptions { full_raw_ids: true, ..ShowOptions::default() };
            set(&mut options, &mut shown);
            let (flags, paths) = match args.iter().position(|arg| *arg == "--") {
                Some(at) => args.split_at(at),
                None => (*args, &[][..]),
            };
            let words = [&["diff-tree"], flags, &["HEAD^", "HEAD"], paths].concat();
            assert_eq!(show(&store, &old, &new, &options, &shown), repo.git(&words), "{name} {args:?}");
        }
    }
}

#[test]
fn an_order_file_decides_which_pair_is_the_rename() {
    for name in FORMATS {
        let repo = Repo::new(name);
        repo.write("from", lines(0, 20)).commit("old");
        std::fs::remove_file(repo.path().join("from")).unwrap();
        repo.write("x", lines(0, 20)).write("y", lines(0, 20)).write("order", "y\n").commit("new");
        let format = ObjectFormat::from_name(name.as_bytes()).unwrap();
        let store = Store::open(&repo.git_dir().join("objects"), format, Default::default()).unwrap();
        let mut options = Options { order: OrderFile::parse(b"y\n"), ..Options::default() };
        let mut shown = ShowOptions { full_raw_ids: true, ..ShowOptions::default() };
        recursive(&mut options, &mut shown);
        options.renames = Some(RenameOptions { copies: true, ..RENAMES });
        let (old, new) = (tree(&repo, format, "HEAD^"), tree(&repo, format, "HEAD"));
        let expected = repo.git(&["diff-tree", "-r", "-C", "-Oorder", "HEAD^", "HEAD"]);
        assert_eq!(show(&store, &old, &new, &options, &shown), expected);
        assert!(expected.contains("R100") && expected.contains("C100"));
    }
}

#[test]
fn differences_end_at_the_first_when_that_is_enough() {
    let repo = repository("sha1");
    let store = Store::open(&repo.git_dir().join("objects"), ObjectFormat::Sha1, Default::default()).unwrap();
    let (old, new) = (tree(&repo, ObjectFormat::Sha1, "HEAD^"), tree(&repo, ObjectFormat::Sha1, "HEAD"));
    let options = Options { recursive: true, ..Options::default() };
    let mut core = Diffcore::new(&store, &options);
    assert!(core.differs(Some(&old), Some(&new)).unwrap());
    assert!(!core.differs(Some(&new), Some(&new)).unwrap());
}
