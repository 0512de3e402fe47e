use adit_testkit::{FORMATS, Repo};

use super::*;

const ID: &str = "{id}";
const IDENT: &str = "a <a@b> 1 +0000";

/// Compares the faults that [`check`] finds with what git says when it is to make the object.
fn compare(kind: &str, cases: &[Vec<u8>]) {
    for format in FORMATS {
        let repo = Repo::new(format);
        let hash = ObjectFormat::from_name(format.as_bytes()).unwrap();
        for case in cases {
            let case = case.replace("{id}", "12".repeat(hash.len())).replace("{raw}", vec![b'!'; hash.len()]);
            let case = case.replace("{null}", vec![0; hash.len()]);
            let output = repo.try_git(&["hash-object", "-t", kind, "--stdin"], &case);
            let expected: Vec<String> = output
                .stderr
                .lines()
                .filter_map(|line| line.strip_prefix(b"error: object fails fsck: "))
                .map(|line| line.to_str_lossy().into_owned())
                .collect();
            let faults = check(ObjectKind::from_name(kind.as_bytes()).unwrap(), hash, &case);
            let found: Vec<String> =
                faults.iter().map(|fault| format!("{}: {}", fault.id, fault.text)).collect();
            assert_eq!(found, expected, "{:?}", case.as_bstr());
            assert_eq!(output.status.success(), found.is_empty());
        }
    }
}

#[test]
fn commits_are_faulted_as_git_does() {
    let tree = format!("tree {ID}\n");
    let with_author = |author: &str| format!("{tree}author {author}\ncommitter {IDENT}\n\nx");
    let mut cases: Vec<String> = [
        "",
        "tree x\n",
        "tree {id}",
        "tree {id}\n",
        "tree {id} \n\n",
        "tree {id}\nparent x\n",
        "tree {id}\n\nauthor x\n",
        "tree {id}\nparent {id}\nparent 12\n\n",
        "no\n\n",
    ]
    .map(String::from)
    .to_vec();
    cases.extend([
        format!("{tree}author {IDENT}\n"),
        format!("{tree}author {IDENT}\nauthor {IDENT}\ncommitter {IDENT}\n\n"),
        format!("{tree}committer {IDENT}\n\n"),
        format!("{tree}author {IDENT}\ncommitter {IDENT}\n"),
        format!("{tree}author {IDENT}\ncommitter {IDENT}\nencoding x\n\n"),
        format!("{tree}author {IDENT}\ncommitter {IDENT}\nx"),
        format!("{tree}author {IDENT}\ncommitter {IDENT}\n\na\0b"),
        format!("{tree}author {IDENT}\ncomm\0itter {IDENT}\n\n"),
        format!("{tree}author {IDENT}\ncommitter x\n\n"),
    ]);
    for author in [
        "<a@b> 1 +0000",
        "a@b> 1 +0000",
        "a<a@b> 1 +0000",
        "a ",
        "a <a@b 1 +0000",
        "a <a<b> 1 +0000",
        "a <a@b>1 +0000",
        "a <a@b> 01 +0000",
        "a <a@b> x +0000",
        "a <a@b> 99999999999999999999999 +0000",
        "a <a@b> 1 0000",
        "a <a@b> 1 +000",
        "a <a@b> 1 +0000 ",
        "a> <a@b> 1 +0000",
        " <a@b> 1 +0000",
        "",
        "a <a@b> 1",
        "a <a@b>  1 +0000",
        "a <> 0 -0000",
        "a <a> 1 +051800",
        "a <a> 9223372036854775807 +0000",
        "a <a> 9223372036854775808 +0000",
        "a <a> -1 +0000",
    ] {
        cases.push(with_author(author));
    }
    compare("commit", &cases.into_iter().map(String::into_bytes).collect::<Vec<_>>());
}

#[test]
fn tags_are_faulted_as_git_does() {
    let start = format!("object {ID}\ntype tree\n");
    let cases = [
        "object x".into(),
        "object {id}x\n\n".into(),
        format!("object {ID}\n"),
        format!("object {ID}\ntype foo\n"),
        start.clone(),
        format!("{start}tag \n"),
        format!("{start}tag a b\n\n"),
        format!("{start}tag a..b\ntagger {IDENT}\n\n"),
        format!("{start}tag a"),
        format!("{start}tag a\ntagger a\n\n"),
        format!("{start}tag a\ntagger {IDENT}\n"),
        format!("{start}tag a\ntagger {IDENT}\nextra\n\nmessage\0"),
        format!("{start}ta\0g a\ntagger {IDENT}\n\n"),
    ];
    compare("tag", &cases.map(String::into_bytes));
}

#[test]
fn trees_are_faulted_as_git_does() {
    let cases = [
        "",
        "100644 a\0{raw}",
        "100644 a\0{null}",
        "100644 a/b\0{raw}",
        "100644 \0{raw}",
        "40000 .\0{raw}",
        "40000 ..\0{raw}",
        "40000 .git\0{raw}",
        "40000 .GIT\0{raw}",
        "40000 git~1\0{raw}",
        "040000 a\0{raw}",
        "100640 a\0{raw}",
        "160000 a\0{raw}",
        "120000 a\0{raw}",
        "100644 a\0{raw}100644 a\0{raw}",
        "100644 b\0{raw}100644 a\0{raw}",
        "40000 a\0{raw}100644 a\0{raw}",
        "100644 a\0{raw}100644 a.b\0{raw}40000 a\0{raw}",
        "100644 a\0{raw}100644 a.b\0{raw}100644 a0\0{raw}40000 a\0{raw}",
        "40000 a\0{raw}100644 a.b\0{raw}",
        "100644 a.b\0{raw}40000 a\0{raw}",
        "100x a\0{raw}",
        "100644 a\0!",
        "a\0{raw}",
        " a\0{raw}",
        "777777777777777777777 a\0{raw}",
        "40000 .gi\u{200c}t\0{raw}",
        "40000 .git \0{raw}",
        "40000 .git.\0{raw}",
        "40000 .git::x\0{raw}",
        "40000 .git\\x\0{raw}",
        "40000 a\\.git\0{raw}",
        "40000 git~1 \0{raw}",
        "40000 git~2\0{raw}",
        "40000 .gitx\0{raw}",
        "120000 .gitmodules\0{raw}",
        "120000 .GitModules\0{raw}",
        "120000 gitmod~4\0{raw}",
        "120000 gitmod~5\0{raw}",
        "120000 gi7eba~1\0{raw}",
        "120000 gi7eb~10\0{raw}",
        "120000 gi7eba~0\0{raw}",
        "120000 gitign~1\0{raw}",
        "120000 .gitignore.\0{raw}",
        "120000 .gitattributes\0{raw}",
        "120000 mailma~1\0{raw}",
        "120000 maba30~1\0{raw}",
        "120000 .gitmodules\0{raw}100640 b/c\0{null}040000 .\0{null}",
    ];
    compare("tree", &cases.map(|case| case.as_bytes().to_vec()));
    compare("tree", &[[b"100644 ", &[b'a'; 4097][..], b"\0{raw}"].concat()]);
}
