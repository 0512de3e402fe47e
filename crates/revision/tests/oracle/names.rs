//! Revision names.

use std::cell::RefCell;

use adit_object::{ObjectFormat, ObjectId};
use adit_revision::names::{
    Argument, Branches, Followed, Message, NameError, Names, Settings, Surroundings, Want, ambiguous_argument,
};
use adit_testkit::{FORMATS, Repo};
use bstr::{BStr, BString};

/// The repository's configuration, as far as branches need it, read by git.
struct GitConfig<'r>(&'r Repo);

impl Branches for GitConfig<'_> {
    fn value(&self, section: &str, name: &BStr, key: &str) -> Option<BString> {
        self.values(section, name, key).pop()
    }

    fn values(&self, section: &str, name: &BStr, key: &str) -> Vec<BString> {
        let full =
            if name.is_empty() { format!("{section}.{key}") } else { format!("{section}.{name}.{key}") };
        let output = self.0.try_git(&["config", "--get-all", &full], b"");
        String::from_utf8(output.stdout).unwrap().lines().map(BString::from).collect()
    }

    fn remotes(&self) -> Vec<BString> {
        self.0.git(&["remote"]).lines().map(BString::from).collect()
    }
}

/// Everything that names need, opened.
struct Opened<'r> {
    repo: &'r Repo,
    objects: adit_odb::Store,
    refs: adit_refs::Store,
    settings: Settings,
    said: RefCell<Vec<String>>,
}

impl<'r> Opened<'r> {
    fn new(repo: &'r Repo, format: &str) -> Self {
        let format = ObjectFormat::from_name(format.as_bytes()).unwrap();
        let dir = repo.git_dir();
        let objects =
            adit_odb::Store::open(&dir.join("objects"), format, adit_odb::Options::default()).unwrap();
        let refs = adit_refs::Store::open(&dir, &dir, format, adit_refs::Options::default()).unwrap();
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
        let work_tree = repo.path().to_str().unwrap().into();
        let settings = Settings { now: i64::try_from(now).unwrap(), work_tree, ..Settings::default() };
        Opened { repo, objects, refs, settings, said: RefCell::default() }
    }

    fn with<T>(&self, use_names: impl FnOnce(&Names<'_>) -> T) -> T {
        self.said.borrow_mut().clear();
        let report = |message| {
            let text = match message {
                Message::Warning(text) => format!("warning: {text}"),
                Message::Error(text) => format!("error: {text}"),
                Message::Hint(text) => format!("hint: {text}").replace('\n', "\nhint: "),
                Message::Plain(text) => text.to_string(),
            };
            self.said.borrow_mut().push(text);
        };
        let config = GitConfig(self.repo);
        use_names(&Names::new(
            &self.objects,
            &self.refs,
            &config,
            &self.settings,
            &report,
            Some(BStr::new("")),
        ))
    }

    /// The lines of `git rev-parse --verify NAME` and those we would print.
    fn compare(&self, name: &str) {
        let git = self.repo.try_git(&["rev-parse", "--verify", name], b"");
        let expected = String::from_utf8(git.stdout).unwrap() + &String::from_utf8(git.stderr).unwrap();
        let ours = self.with(|names| match names.resolve(name.as_bytes()) {
            Ok(id) => format!("{id}\n"),
            Err(NameError::Unknown) => "fatal: Needed a single revision\n".to_owned(),
            Err(error) => format!("fatal: {error}\n"),
        });
        let said: String = self.said.borrow().iter().map(|text| format!("{text}\n")).collect();
        let sort = |text: &str| {
            let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
            lines.sort();
            lines
        };
        assert_eq!(sort(&(ours + &said)), sort(&expected), "{name}");
    }

    /// Compares an argument of rev-parse that may be a range.
    fn compare_argument(&self, argument: &str) {
        let git = self.repo.try_git(&["rev-parse", "--revs-only", argument], b"");
        let expected = String::from_utf8(git.stdout).unwrap();
        let ours = self.with(|names| {
            let tips = match names.read_argument(argument.as_bytes()) {
                Ok(Argument::One(tip)) => vec![tip],
                Ok(Argument::Range { from, to }) => vec![to, from],
                Ok(Argument::Symmetric { left, right }) => vec![right, left],
                Ok(Argument::Parents(tips) | Argument::Only(tips)) => tips,
                Ok(Argument::Without { parent, commit, .. }) => vec![commit, parent],
                Err(_) => vec![],
            };
            tips.iter()
                .map(|tip| format!("{}{}\n", if tip.excluded { "^" } else { "" }, tip.id))
                .collect::<String>()
        });
        if argument.contains("...") {
            assert!(expected.starts_with(&ours) && !ours.is_empty(), "{argument}");
        } else {
            assert_eq!(ours, expected, "{argument}");
        }
    }
}

/// A merge, tags of all kinds, names that could mean several things, and logs.
fn history(format: &str) -> Repo {
    let repo = Repo::new(format);
    repo.write("f", "1\n").write("d/g", "2\n").write("d/e/h", "3\n");
    for (target, link) in [
        ("f", "lnk"),
        ("d", "dl"),
        ("nowhere", "dang"),
        ("loop", "loop"),
        ("../x", "out"),
        ("..", "d/up"),
        ("../../out", "d/out2"),
        ("../f/x", "d/fx"),
        ("../nowhere/x", "d/dang2"),
        ("/abs/x", "d/abs"),
        ("e/../g", "d/dots"),
        ("../d/e", "d/tod"),
        ("../../..", "d/far"),
        ("../f/", "d/fslash"),
        ("e/", "d/eslash"),
        ("./", "d/self"),
    ] {
        std::os::unix::fs::symlink(target, repo.path().join(link)).unwrap();
    }
    repo.commit("first one");
    repo.tick().git(&["tag", "-a", "-m", "t1", "v1"]);
    for n in 1..4 {
        repo.commit(&format!("commit {n} fix"));
    }
    repo.git(&["checkout", "-q", "-b", "side", "HEAD~2"]);
    repo.commit("s\n\nmore\nwith fix!\n");
    repo.git(&["checkout", "-q", "main"]);
    repo.tick().git(&["merge", "-q", "--no-ff", "-m", "mrg", "side"]);
    repo.git(&["branch", "amb"]);
    repo.git(&["tag", "amb", "side"]);
    repo.git(&["tag", "blob", "HEAD:f"]);
    repo.git(&["tag", "tree", "HEAD^{tree}"]);
    repo.tick().git(&["-c", "advice.nestedTag=false", "tag", "-a", "-m", "tt", "tagtag", "v1"]);
    repo
}

const NAMES: &[&str] = &[
    "HEAD",
    "@",
    "HEAD^2",
    "HEAD^3",
    "HEAD^0",
    "HEAD~0",
    "HEAD~",
    "HEAD~9",
    "HEAD^^",
    "HEAD^1^2",
    "HEAD^2~1",
    "v1",
    "v1^{}",
    "v1^{commit}",
    "v1^{tree}",
    "v1^{blob}",
    "v1^{tag}",
    "v1^0",
    "v1~0",
    "HEAD^{tag}",
    "tagtag^{}",
    "tagtag^{tag}",
    "tagtag^{object}",
    "tagtag~0",
    "HEAD^{foo}",
    "HEAD^{/fix}",
    "HEAD^{/nosuch}",
    "HEAD^{/}",
    "HEAD^{/!-fix}",
    ":/fix",
    ":/nosuch",
    ":/!!fix",
    ":/!x",
    ":/^fix",
    ":/^s",
    ":/with.fix!$",
    ":/[",
    ":/",
    "HEAD:",
    "HEAD:f",
    "HEAD:d",
    "HEAD:d/",
    "HEAD:d/g",
    "HEAD:d//g",
    "HEAD:./f",
    "HEAD:f/",
    "HEAD:d/../f",
    "HEAD:nope",
    "HEAD:d/nope",
    "HEAD:f/x",
    "nope:f",
    "blob:f",
    "blob^{tree}",
    "blob^{commit}",
    "blob~1",
    "tree~1",
    "tree:f",
    "amb",
    "amb^0",
    "heads/amb",
    "tags/amb",
    "refs/heads/amb",
    "main~",
    "main@{0}",
    "main@{1}",
    "main@{4}",
    "main@{5}",
    "main@{100}",
    "@{0}",
    "@{1}",
    "@{-1}",
    "@{-2}",
    "@{-9}",
    "@{-0}",
    "@{--1}",
    "HEAD@{now}",
    "HEAD@{yesterday}",
    "HEAD@{1 year ago}",
    "HEAD@{2005-04-08}",
    "main@{2001-01-01}",
    "@{2001-01-01}",
    "main@{2038-01-01}",
    "main@{1112912200}",
    "nope@{1}",
    "v1@{1}",
    "main@{u}",
    "@{u}",
    "@{push}",
    "nope@{u}",
    "HEAD@{u}",
    "main@{UPSTREAM}",
    "@{}",
    "main@{}",
    "main@{foo}",
    "@@{0}",
    "@{0}@{0}",
    "HEAD@",
    "@^",
    "@~1",
    "HEAD^{commit",
    "HEAD^x",
    "HEAD~x",
    "HEAD~99999999999999999999",
    "HEAD^99999999999999",
    "v1-0-g1234",
    "x-gabcdef",
    "HEAD^{}^{}",
    "HEAD^{commit}^2~1",
    "refs/heads/main",
    "heads/main",
    "main.lock",
    "a b",
    "HEAD:f:g",
    "@{-1}@{0}",
    "@{-1}~1",
    "@{-1}@{u}",
    "@{-9}@{u}",
    "main@{1}@{1}",
    "main@{-1}",
    "HEAD@{-1}",
    "00000",
    "1111111",
    "",
    "^",
    "~",
    "^{}",
    ":",
    "-",
    "config",
    "HEAD^{/a}~1",
];

#[test]
fn names_lead_where_git_says() {
    for format in FORMATS {
        let repo = history(format);
        let opened = Opened::new(&repo, format);
        NAMES.iter().for_each(|name| opened.compare(name));
        // git 2.47 takes anything before a `-g`; 2.55 wants it to look like the output of describe.
        for name in [
            format!("no..pe-3-g{}", &repo.git(&["rev-parse", "HEAD"])[..7]),
            format!("x-g{}", &repo.git(&["rev-parse", "HEAD"])[..7]),
        ] {
            assert!(opened.with(|names| names.resolve(name.as_bytes())).is_err(), "{name}");
        }
        // git 2.47 starts this search at the oldest reference.
        let youngest = opened.with(|names| names.resolve(b":/!-fix").unwrap());
        assert_eq!(youngest.to_string(), repo.git(&["rev-parse", "HEAD"]).trim());
        let head = repo.git(&["rev-parse", "HEAD"]).trim().to_owned();
        let short = &head[..6];
        let zeros = "0".repeat(head.len());
        let ones = "1".repeat(head.len());
        for name in [
            head.clone(),
            head.to_uppercase(),
            short.to_owned(),
            head[..3].to_owned(),
            format!("v1-3-g{short}"),
            format!("nope-3-g{short}"),
            format!("{short}^0"),
            zeros.clone(),
            ones.clone(),
            format!("{ones}^{{commit}}"),
            format!("{ones}:f"),
            format!("{ones}~1"),
            format!("{zeros}^{{object}}"),
            format!("{head}0"),
        ] {
            opened.compare(&name);
        }
    }
}

#[test]
fn arguments_mean_what_git_says() {
    for format in FORMATS {
        let repo = history(format);
        let opened = Opened::new(&repo, format);
        for argument in [
            "HEAD",
            "^HEAD",
            "HEAD^-",
            "HEAD^-2",
            "HEAD^-3",
            "HEAD^-0",
            "HEAD^-x",
            "HEAD^!",
            "HEAD^@",
            "v1^@",
            "v1^!",
            "HEAD^@^",
            "HEAD..main",
            "..side",
            "side..",
            "main~1..main",
            "v1..v1",
            "nope..main",
            "main..nope",
            "...side",
            "main...side",
            "HEAD^2^@",
            "HEAD^{/a..b}",
            "HEAD:d",
            "nope^!",
            "amb..HEAD",
        ] {
            opened.compare_argument(argument);
        }
    }
}

#[test]
fn upstreams_and_push_destinations() {
    for format in FORMATS {
        let repo = history(format);
        let set = |key: &str, value: &str| repo.git(&["config", key, value]);
        set("remote.o.url", "x");
        set("remote.o.fetch", "+refs/heads/*:refs/remotes/o/*");
        set("branch.main.remote", "o");
        set("branch.main.merge", "refs/heads/up");
        let opened = Opened::new(&repo, format);
        opened.compare("@{u}");
        repo.git(&["update-ref", "refs/remotes/o/up", "HEAD~1"]);
        for name in ["@{u}", "main@{upstream}", "@{U}~1", "@{push}", "main@{push}", "@{u}@{0}"] {
            opened.compare(name);
        }
        repo.git(&["update-ref", "refs/remotes/o/main", "HEAD~2"]);
        for default in ["nothing", "matching", "current", "upstream", "simple"] {
            set("push.default", default);
            opened.compare("@{push}");
        }
        set("remote.pushdefault", "zz");
        set("push.default", "current");
        opened.compare("main@{push}");
        set("branch.main.pushremote", "o");
        opened.compare("main@{push}");
        set("remote.o.push", "refs/heads/main:refs/heads/up");
        opened.compare("main@{push}");
        set("branch.side.remote", "o");
        opened.compare("side@{push}");
        set("branch.side.remote", ".");
        set("branch.side.merge", "refs/heads/main");
        opened.compare("side@{u}");
        opened.compare("@{-1}@{u}");
        set("branch.side.remote", "zz");
        opened.compare("side@{u}");
        repo.git(&["checkout", "-q", "--detach"]);
        opened.compare("@{u}");
        opened.compare("HEAD@{u}");
    }
}

#[test]
fn an_abbreviation_of_several_objects() {
    let repo = Repo::new("sha1");
    repo.commit("base");
    // Enough objects of each kind that some share four digits.
    let blobs: String =
        (0..1500).map(|n| format!("blob\ndata {}\n{n}\n\n", n.to_string().len() + 1)).collect();
    repo.try_git(&["fast-import", "--quiet"], blobs.as_bytes());
    let mut commits = String::new();
    for n in 0..200 {
        let who = format!("C <c@d> {} +0000", 1_112_911_993 + n);
        commits.push_str(&format!("commit refs/heads/b{n}\nauthor {who}\ncommitter {who}\ndata 3\nm\n\n\n"));
    }
    assert!(repo.try_git(&["fast-import", "--quiet"], commits.as_bytes()).status.success());
    let all = repo.git(&["cat-file", "--batch-all-objects", "--batch-check"]);
    let mut lines: Vec<_> = all.lines().collect();
    lines.sort_unstable();
    let shared: Vec<_> =
        lines.windows(2).filter(|pair| pair[0][..4] == pair[1][..4]).map(|pair| &pair[0][..4]).collect();
    assert!(shared.len() > 10);
    let mixed = lines
        .windows(2)
        .filter(|pair| pair[0][..4] == pair[1][..4] && pair[0][41..45] != pair[1][41..45])
        .map(|pair| &pair[0][..4]);
    let mut opened = Opened::new(&repo, "sha1");
    let mut count = 0;
    for prefix in mixed.chain(shared.iter().copied().take(5)) {
        count += 1;
        for suffix in ["", "^{commit}", "^{tree}", "^{blob}", "^{}", "^0", ":f"] {
            opened.compare(&format!("{prefix}{suffix}"));
        }
    }
    assert!(count > 5, "no prefix is shared by objects of different kinds");
    for (want, value) in [(Want::Blob, "blob"), (Want::Committish, "committish"), (Want::Tree, "tree")] {
        repo.git(&["config", "core.disambiguate", value]);
        opened.settings.disambiguate = want;
        assert_eq!(Want::from_name(value.as_bytes()), Some(want));
        shared.iter().for_each(|prefix| opened.compare(prefix));
    }
}

#[test]
fn references_that_look_like_ids() {
    let repo = history("sha1");
    let head = repo.git(&["rev-parse", "HEAD"]).trim().to_owned();
    for name in [&head, &head[..7], "v1-3-gabcdef0", "deadbee"] {
        repo.git(&["update-ref", &format!("refs/heads/{name}"), "HEAD~1"]);
    }
    let mut opened = Opened::new(&repo, "sha1");
    for name in [&head[..7], "v1-3-gabcdef0", "deadbee", "heads/deadbee"] {
        opened.compare(name);
    }
    // The advice is in our own words; the warning is git's.
    let id = opened.with(|names| names.resolve(head.as_bytes()).unwrap());
    assert_eq!(id.to_string(), head);
    assert_eq!(opened.said.borrow()[0], format!("warning: refname '{head}' is ambiguous."));
    assert_eq!(opened.said.borrow().len(), 2);
    opened.settings.warn_object_names = false;
    opened.with(|names| names.resolve(head.as_bytes()).unwrap());
    assert!(opened.said.borrow().is_empty());
}

#[test]
fn why_a_path_is_not_there() {
    for format in FORMATS {
        let repo = history(format);
        let opened = Opened::new(&repo, format);
        repo.write("untracked", "x");
        let on_disk = |path: &BStr| repo.path().join(path.to_string()).exists();
        for name in [
            "HEAD:nope",
            "HEAD:untracked",
            "HEAD:d/../f",
            "nope:f",
            "blob:f",
            "HEAD:f:g",
            "nope",
            "HEAD^3",
            "HEAD~99:f",
            "",
            "HEAD:./nope",
        ] {
            let git = repo.try_git(&["rev-parse", name], b"");
            let git = String::from_utf8(git.stderr).unwrap();
            let around: &dyn Surroundings = &on_disk;
            let ours = opened.with(|names| names.explain(name.as_bytes(), around).unwrap());
            let ours = ours.unwrap_or_else(|| ambiguous_argument(name.as_bytes()));
            assert_eq!(format!("fatal: {ours}\n"), git, "{name}");
        }
    }
}

#[test]
fn links_are_followed_as_cat_file_does() {
    for format in FORMATS {
        let repo = history(format);
        let opened = Opened::new(&repo, format);
        for path in [
            "f",
            "f/x",
            "f/",
            "d",
            "d/",
            "d/up",
            "d/up/f",
            "d/up/d/up/f",
            "d/out2",
            "d/out2/y",
            "d/fx",
            "d/dang2",
            "d/abs",
            "d/abs/more",
            "d/dots",
            "d/tod",
            "d/tod/h",
            "d/tod/",
            "d/far",
            "d/far/x",
            "d/fslash",
            "d/eslash",
            "d/self",
            "d/self/g",
            "lnk",
            "lnk/x",
            "dl",
            "dl/g",
            "dang",
            "dang/x",
            "loop",
            "loop/x",
            "out",
            "out/x",
            "nope",
            "nope/x",
            "d/nope",
            "d/../f",
            "/f",
            "",
            ".",
            "./f",
            "d//g",
            "d/./g",
            "d/e/../g",
        ] {
            let name = format!("HEAD:{path}");
            let git = repo
                .try_git(&["cat-file", "--batch-check", "--follow-symlinks"], format!("{name}\n").as_bytes());
            let git = String::from_utf8(git.stdout).unwrap();
            let ours = opened.with(|names| match names.resolve_following(name.as_bytes()).unwrap() {
                Followed::Found(entry) => entry.id.to_string(),
                Followed::Outside(path) => format!("symlink {}\n{path}", path.len()),
                Followed::Dangling => format!("dangling {}\n{name}", name.len()),
                Followed::Loop => format!("loop {}\n{name}", name.len()),
                Followed::NotFolder => format!("notdir {}\n{name}", name.len()),
                Followed::Missing => format!("{name} missing"),
            });
            assert!(git.starts_with(&ours), "{name}: git {git:?}, we {ours:?}");
        }
    }
}

#[test]
fn grafted_commits_have_other_parents() {
    let repo = history("sha1");
    let mut opened = Opened::new(&repo, "sha1");
    let id = |name: &str| {
        let hex = repo.git(&["rev-parse", name]);
        ObjectId::from_hex(ObjectFormat::Sha1, hex.trim().as_bytes()).unwrap()
    };
    opened.settings.grafts.insert(id("HEAD~1"), vec![]);
    let resolve = |opened: &Opened<'_>, name: &str| opened.with(|names| names.resolve(name.as_bytes()).ok());
    assert_eq!(resolve(&opened, "HEAD~1"), Some(id("HEAD~1")));
    assert_eq!(resolve(&opened, "HEAD~2"), None);
    assert_eq!(resolve(&opened, "HEAD^^"), None);
    assert_eq!(resolve(&opened, "HEAD^2~1"), Some(id("HEAD^2~1")));
}
