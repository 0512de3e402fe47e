//! Patches of two contents, compared with git's.

use adit_diff::lines::{self, Algorithm, Whitespace};
use adit_diff::patch::{Content, Options, Sides, Writer};
use adit_diff::userdiff::Driver;
use adit_diff::whitespace::{Checker, Highlight, Rules};
use adit_diff::{FilePair, Palette, Side};
use adit_object::{ObjectFormat, ObjectId};
use adit_testkit::{FORMATS, Repo};

/// A repository in which `name` changed from `old` to `new`.
fn changed(format: &str, name: &str, old: &str, new: &str) -> Repo {
    let repo = Repo::new(format);
    repo.write(name, old).commit("old");
    repo.write(name, new).commit("new");
    repo
}

fn patch(repo: &Repo, format: &str, name: &str, options: &Options, driver: Option<&Driver>) -> String {
    let format = ObjectFormat::from_name(format.as_bytes()).unwrap();
    let side = |rev: &str| {
        let hex = repo.git(&["rev-parse", &format!("{rev}:{name}")]);
        let id = ObjectId::from_hex(format, hex.trim().as_bytes()).unwrap();
        (
            Side { mode: 0o100644, id, path: name.into() },
            repo.git(&["cat-file", "blob", hex.trim()]).into_bytes(),
        )
    };
    let ((old, old_bytes), (new, new_bytes)) = (side("HEAD^"), side("HEAD"));
    let sides = Sides {
        old: Content { bytes: &old_bytes, raw: None, driver },
        new: Content { bytes: &new_bytes, raw: None, driver },
        rules: Rules::default(),
    };
    let mut out = Vec::new();
    Writer::default().write(&FilePair::new(old, new), &sides, options, &|_| 7, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

const OLD: &str = "#include <x>\n\nint f(void)\n{\n\tif (a) {\n\t\tb();\n\t}\n\n\tif (c) {\n\t\td();\n\t}\n}\n\nint g(void)\n{\n\treturn 1;\n}\n\nint h(void)\n{\n\treturn 2;\n}\nlast";
const NEW: &str = "#include <x>\n\nint f(void)\n{\n\tif (a) {\n\t\tb();\n\t}\n\n\tif (b) {\n\t\tb();\n\t}\n\n\tif (c) {\n\t\td( );\n\t}\n}\n\nint g(void)\n{\n\treturn 10; \n}\n\nint i(void)\n{\n\treturn 1;\n}\n\nint h(void)\n{\n\treturn 2;\n}\n\n\nlast\n\n";

#[test]
fn patches_are_gits() {
    let with = |change: fn(&mut Options)| {
        let mut options = Options::default();
        change(&mut options);
        options
    };
    let cases: Vec<(&[&str], Options)> = vec![
        (&[], Options::default()),
        (&["-U0"], with(|o| o.context.lines = 0)),
        (&["-U1", "--inter-hunk-context=2"], with(|o| (o.context.lines, o.context.between_hunks) = (1, 2))),
        (&["-W"], with(|o| o.context.functions = true)),
        (&["-w"], with(|o| o.lines.whitespace = Whitespace::IgnoreAll)),
        (
            &["-b", "--ignore-blank-lines"],
            with(|o| {
                o.lines.whitespace = Whitespace::IgnoreChange;
                o.ignore_blank_lines = true;
            }),
        ),
        (&["--patience"], with(|o| o.lines.algorithm = Algorithm::Patience)),
        (&["--histogram"], with(|o| o.lines.algorithm = Algorithm::Histogram)),
        (
            &["--minimal", "--no-indent-heuristic"],
            with(|o| {
                (o.lines.minimal, o.lines.indent_heuristic) = (true, false);
            }),
        ),
        (&["--color"], with(|o| o.palette = Palette::git())),
        (
            &["--color", "--ws-error-highlight=all"],
            with(|o| {
                o.palette = Palette::git();
                o.highlight = Highlight::parse(b"all").unwrap();
            }),
        ),
        (
            &["--line-prefix=> ", "--no-prefix"],
            with(|o| {
                o.line_prefix = "> ".into();
                o.prefixes = ["".into(), "".into()];
            }),
        ),
        (
            &["--output-indicator-new=N", "--output-indicator-old=O", "--full-index"],
            with(|o| {
                (o.indicators.new, o.indicators.old, o.full_index) = (b'N', b'O', true);
            }),
        ),
    ];
    for format in FORMATS {
        let repo = changed(format, "a file.c", OLD, NEW);
        for (args, options) in &cases {
            let mut command = vec!["diff-tree", "-p", "--abbrev=7"];
            command.extend_from_slice(args);
            command.extend(["HEAD^", "HEAD"]);
            let expected = repo.git(&command);
            assert_eq!(patch(&repo, format, "a file.c", options, None), expected, "{args:?}");
        }
    }
}

#[test]
fn drivers_name_functions() {
    let filler = "\n".repeat(6);
    let old = format!("class A:\n    def f(self):\n{filler}        x = 1\n{filler}");
    let repo = changed("sha1", "x.py", &old, &old.replace("x = 1", "x = 2"));
    repo.write(".git/info/attributes", "*.py diff=python\n");
    let driver = Driver::builtin(b"python").unwrap();
    let expected = repo.git(&["diff-tree", "-p", "--abbrev=7", "HEAD^", "HEAD"]);
    assert!(expected.contains("@@ def f(self):"));
    assert_eq!(patch(&repo, "sha1", "x.py", &Options::default(), Some(&driver)), expected);
}

#[test]
fn check_reports_what_git_reports() {
    let (old, new) = ("a\n", "a\nb \n  \tc\n<<<<<<< x\n\n\n");
    let repo = changed("sha1", "f", old, new);
    let expected = repo.try_git(&["diff-tree", "--check", "HEAD^", "HEAD"], b"");
    let (mut workspace, mut changes) = (lines::Workspace::default(), Vec::new());
    lines::diff(old.as_bytes(), new.as_bytes(), &lines::Options::default(), &mut workspace, &mut changes)
        .unwrap();
    let palette = Palette::default();
    let checker = Checker { rules: Rules::default(), marker_size: 7, line_prefix: b"", palette: &palette };
    let mut out = Vec::new();
    assert!(checker.check(b"f", old.as_bytes(), new.as_bytes(), &changes, &mut out));
    assert_eq!(String::from_utf8(out).unwrap(), String::from_utf8(expected.stdout).unwrap());
}
