//! Combined diffs of merges, compared with git's.

use adit_diff::combined::{File, Parent, Style, Writer};
use adit_diff::patch::{Content, Options};
use adit_diff::{Palette, Status};
use adit_object::{ObjectFormat, ObjectId};
use adit_testkit::{FORMATS, Repo};
use bstr::BStr;

/// A merge of two branches that both changed `file`, resolved by a third content.
fn merged(format: &str, base: &str, ours: &str, theirs: &str, result: &str) -> Repo {
    let repo = Repo::new(format);
    repo.write("file", base).commit("base");
    repo.git(&["checkout", "-q", "-b", "side"]);
    repo.write("file", theirs).commit("theirs");
    repo.git(&["checkout", "-q", "main"]);
    repo.write("file", ours).commit("ours");
    repo.tick();
    repo.try_git(&["merge", "-q", "--no-commit", "--no-ff", "side"], b"");
    repo.write("file", result);
    repo.git(&["commit", "-qam", "merge"]);
    repo
}

fn combined(repo: &Repo, format: &str, style: Style, options: &Options) -> String {
    let format = ObjectFormat::from_name(format.as_bytes()).unwrap();
    let content = |rev: &str| repo.git(&["cat-file", "blob", &format!("{rev}:file")]).into_bytes();
    let id = |rev: &str| {
        let hex = repo.git(&["rev-parse", &format!("{rev}:file")]);
        ObjectId::from_hex(format, hex.trim().as_bytes()).unwrap()
    };
    let path = BStr::new("file");
    let (first, second, result) = (content("HEAD^1"), content("HEAD^2"), content("HEAD"));
    let parents = [("HEAD^1", &first), ("HEAD^2", &second)].map(|(rev, bytes)| Parent {
        mode: 0o100644,
        id: id(rev),
        path,
        status: Status::Modified,
        content: Content { bytes, ..Content::default() },
    });
    let file = File {
        mode: 0o100644,
        id: id("HEAD"),
        path,
        content: Content { bytes: &result, ..Content::default() },
        parents: &parents,
    };
    let mut out = Vec::new();
    Writer::default().write(&file, style, options, &|_| 7, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// Twenty lines with some of them replaced.
fn text(edits: &[(usize, &str)]) -> String {
    let line = |n: usize| {
        edits.iter().find(|(at, _)| *at == n).map_or(format!("line {n}\n"), |(_, s)| s.to_string())
    };
    (1..=20).map(line).collect()
}

#[test]
fn merges_are_shown_as_git_shows_them() {
    for format in FORMATS {
        let repo = merged(
            format,
            &text(&[]),
            &text(&[(2, "ours\n"), (5, "function of ours\n"), (10, ""), (11, ""), (18, "a\n")]),
            &text(&[(3, "theirs\n"), (10, ""), (12, "theirs\n"), (18, "b\n"), (20, "end")]),
            &text(&[(2, "ours\n"), (3, "theirs\n"), (10, ""), (11, "both\r\n"), (18, "c\n"), (20, "end")]),
        );
        for context in [0, 1, 3] {
            for dense in [false, true] {
                for palette in [Palette::default(), Palette::git()] {
                    let color = if palette.is_on() { "--color=always" } else { "--color=never" };
                    let mut options = Options { palette, ..Options::default() };
                    options.context.lines = context;
                    let (unified, kind) = (format!("-U{context}"), if dense { "--cc" } else { "-c" });
                    let expected = repo.git(&[
                        "diff-tree",
                        "-p",
                        "--no-commit-id",
                        kind,
                        &unified,
                        color,
                        "--abbrev=7",
                        "HEAD",
                    ]);
                    let style = Style { dense, all_paths: false };
                    assert_eq!(
                        combined(&repo, format, style, &options),
                        expected,
                        "{kind} {unified} {color}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_merge_that_takes_one_side_is_not_shown() {
    let ours = text(&[(2, "ours\n")]);
    let repo = merged("sha1", &text(&[]), &ours, &text(&[(15, "theirs\n")]), &ours);
    let dense = Style { dense: true, all_paths: false };
    let shown = repo.git(&["diff-tree", "-p", "--no-commit-id", "--cc", "HEAD"]);
    assert_eq!(combined(&repo, "sha1", dense, &Options::default()), shown);
    assert_eq!(shown, "");
}
