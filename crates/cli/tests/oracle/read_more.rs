//! The command lines of `read_more.txt`, in a repository with merges, renames, tags and a long enough history.

use std::fmt::Write;

use adit_testkit::{FORMATS, Repo};
use bstr::ByteSlice;

use crate::ADIT;

/// A history of some 130 commits, built in one go: a main line, side branches that are merged, files that grow, move
/// and change mode, and tags of both kinds.
fn history(format: &str) -> Repo {
    let repo = Repo::new(format);
    let mut stream = String::new();
    let mut mark = 0;
    let mut body: Vec<String> = (0..60).map(|line| format!("static int line_{line} = {line};")).collect();
    let mut main = 0;
    for i in 0..100 {
        mark += 1;
        let author =
            ["A U Thor <author@example.com>", "Bee <bee@example.com>", "C\u{e9}dric <c@example.com>"][i % 3];
        let date = 1_300_000_000 + i * 86_400 * 9;
        let zone = ["+0000", "-0730", "+0530"][i % 3];
        let _ = writeln!(stream, "commit refs/heads/main\nmark :{mark}\nauthor {author} {date} {zone}");
        let _ = writeln!(stream, "committer C O Mitter <committer@example.com> {} +0200", date + 60);
        let message = format!(
            "{} part {i}\n\nBecause of {i}.\n\nSigned-off-by: {author}\n",
            ["Fix", "Add", "Return"][i % 3]
        );
        let _ = writeln!(stream, "data {}\n{message}", message.len());
        if main > 0 {
            let _ = writeln!(stream, "from :{main}");
        }
        body[i * 7 % 60] = format!("\tint changed_{i}(void);  // {}", "x".repeat(i % 13));
        if i % 5 == 0 {
            body.insert(i % 50, format!("#define ADDED_{i}\t{i} "));
        }
        file(
            &mut stream,
            "100644",
            "Makefile",
            &format!("all:\n\techo {}\n{}", i / 4, "# same\n".repeat(20)),
        );
        file(&mut stream, "100644", "src/main.c", &(body.join("\n") + "\n"));
        if i % 3 == 0 {
            file(
                &mut stream,
                "100644",
                &format!("src/sub/file{}.h", i % 9),
                &format!("/* {i} */\n{}", body[..20].join("\n")),
            );
        }
        match i {
            0 => file(&mut stream, "100644", "README.md", "# A project\n\nWith words.\n"),
            20 => stream.push_str("R src/sub src/moved\n"),
            30 => file(&mut stream, "100755", "run.sh", "#!/bin/sh\nexit 0\n"),
            40 => file(&mut stream, "120000", "link", "README.md"),
            50 => stream.push_str("D run.sh\n"),
            60 => file(&mut stream, "100644", "bin.dat", "a\0b\0c\n"),
            61 => file(&mut stream, "100644", "bin.dat", "a\0b\0d\n"),
            70 => file(&mut stream, "100644", "sp ace \u{fc}.txt", "odd name\n"),
            _ => {}
        }
        stream.push('\n');
        main = mark;
        if i % 12 == 6 {
            main = side_branch(&mut stream, &mut mark, main, i);
        }
        if i % 10 == 9 {
            let kind = if i % 20 == 9 { "v1" } else { "v2" };
            let _ = writeln!(
                stream,
                "tag {kind}.{i}\nfrom :{main}\ntagger T <t@example.com> {} +0000\ndata 9\nrelease {}",
                date + 90,
                i % 10
            );
        }
        if i % 25 == 24 {
            let _ = writeln!(stream, "reset refs/tags/light-{i}\nfrom :{main}\n");
        }
    }
    let _ = writeln!(stream, "reset refs/heads/maint\nfrom :{}\n", main / 2);
    let imported = repo.try_git(&["fast-import", "--quiet"], stream.as_bytes());
    assert!(imported.status.success(), "{}", imported.stderr.as_bstr());
    repo.git(&["reset", "-q", "--hard"]);
    repo
}

/// Two commits beside the main line, and the merge; its mark comes back.
fn side_branch(stream: &mut String, mark: &mut usize, main: usize, i: usize) -> usize {
    let date = 1_300_000_000 + i * 86_400 * 9 + 3600;
    for step in 0..2 {
        *mark += 1;
        let _ = writeln!(
            stream,
            "commit refs/heads/side\nmark :{mark}\ncommitter Bee <bee@example.com> {} +0000\ndata 5\nside\n",
            date + step
        );
        let _ = writeln!(stream, "from :{}", if step == 0 { main } else { *mark - 1 });
        file(stream, "100644", &format!("side/{i}-{step}"), &format!("side {i} {step}\n"));
        stream.push('\n');
    }
    let side = *mark;
    *mark += 1;
    let _ = writeln!(
        stream,
        "commit refs/heads/main\nmark :{mark}\ncommitter C O Mitter <committer@example.com> {} +0000\ndata 18\nMerge branch side\n",
        date + 9
    );
    let _ = writeln!(stream, "from :{main}\nmerge :{side}");
    file(stream, "100644", &format!("side/{i}-0"), "changed in the merge\n");
    file(stream, "100644", &format!("side/{i}-1"), &format!("side {i} 1\n"));
    stream.push('\n');
    *mark
}

fn file(stream: &mut String, mode: &str, path: &str, content: &str) {
    let _ = writeln!(stream, "M {mode} inline {path}\ndata {}\n{content}", content.len());
}

#[test]
fn the_lines_of_read_more() {
    let lines: Vec<&str> = include_str!("read_more.txt")
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect();
    let mut failures = String::new();
    for format in FORMATS {
        let repo = history(format);
        for line in &lines {
            let words = adit_cli::alias::split(line.as_bytes()).unwrap();
            let words: Vec<_> = words.iter().map(|word| word.to_str().unwrap()).collect();
            let git = repo.try_git(&words, b"");
            let adit = repo.run(ADIT, &words, b"");
            if git.stdout != adit.stdout || git.status.code() != adit.status.code() {
                let (expected, got) = first_difference(&git.stdout, &adit.stdout);
                let _ = writeln!(
                    failures,
                    "{format}: {line}\n  git  {:?}: {expected}\n  adit {:?}: {got} {}",
                    git.status.code(),
                    adit.status.code(),
                    adit.stderr.lines().next().unwrap_or_default().as_bstr()
                );
            }
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}

fn first_difference<'a>(git: &'a [u8], adit: &'a [u8]) -> (&'a bstr::BStr, &'a bstr::BStr) {
    let (mut git, mut adit) = (git.lines(), adit.lines());
    loop {
        match (git.next(), adit.next()) {
            (a, b) if a == b && a.is_some() => {}
            (a, b) => return (a.unwrap_or(b"(end)").as_bstr(), b.unwrap_or(b"(end)").as_bstr()),
        }
    }
}
