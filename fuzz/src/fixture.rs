//! A small repository that has every kind of file, made by git, and copies of it to be spoilt.

use std::cell::OnceCell;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use adit::Repository;
use adit_object::{ObjectFormat, ObjectId};
use adit_testkit::Repo;

/// Where the file of each kind is, in the `.git` folder; the pack's name is not known beforehand.
const FILES: [(&str, &str); 9] = [
    ("pack", "objects/pack/*.pack"),
    ("idx", "objects/pack/*.idx"),
    ("rev", "objects/pack/*.rev"),
    ("midx", "objects/pack/multi-pack-index"),
    ("commit-graph", "objects/info/commit-graph"),
    ("packed-refs", "packed-refs"),
    ("reflog", "logs/HEAD"),
    ("loose", "objects/??/*"),
    ("index", "index"),
];

/// The repository, and a copy of it in which one file is spoilt.
pub struct Fixture {
    good: Repo,
    spoilt: Repo,
    opened: OnceCell<Repository>,
    /// All objects that are in it.
    pub ids: Vec<ObjectId>,
}

impl Fixture {
    /// Lets git make it.
    pub fn new() -> Self {
        let (good, spoilt) = (build(), build());
        let listed = good.git(&["cat-file", "--batch-all-objects", "--batch-check=%(objectname)"]);
        let ids =
            listed.lines().map(|hex| ObjectId::from_hex(ObjectFormat::Sha1, hex.as_bytes()).expect("an id"));
        let ids = ids.collect();
        Fixture { good, spoilt, opened: OnceCell::new(), ids }
    }

    /// The content of the good file of that kind.
    pub fn file(&self, kind: &str) -> Vec<u8> {
        fs::read(find(&self.good.git_dir(), kind)).expect("a file of the fixture")
    }

    /// Runs `read` on the folder of a repository whose file of that kind holds `data`.
    pub fn with(&self, kind: &str, data: &[u8], read: impl FnOnce(&Path)) {
        let path = find(&self.spoilt.git_dir(), kind);
        let replace = |data: &[u8]| {
            // Git's files are read-only, and some file systems wait for the disk when one is renamed over another.
            fs::remove_file(&path).expect("a file that was there");
            fs::write(&path, data).expect("a written file");
            // A folder that changed just now may change again unseen: each miss would look into it anew.
            let folder = path.parent().expect("a folder");
            let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
            File::open(folder)
                .and_then(|folder| folder.set_modified(long_ago))
                .expect("a time that can be set");
        };
        replace(data);
        read(&self.spoilt.git_dir());
        replace(&self.file(kind));
    }

    /// The good repository.
    pub fn repository(&self) -> &Repository {
        self.opened.get_or_init(|| Repository::open(self.good.path()).expect("a good repository"))
    }
}

impl Default for Fixture {
    fn default() -> Self {
        Self::new()
    }
}

/// The same each time, so that object ids and file names agree.
fn build() -> Repo {
    let repo = Repo::new("sha1");
    let mut text: String = (0..200).map(|n| format!("line {n} of a file that grows\n")).collect();
    for n in 0..12 {
        text.push_str(&format!("and grows, {n}\n"));
        repo.write("folder/file", &text).write(&format!("other-{n}"), format!("{n}\n"));
        repo.commit(&format!("change {n}"));
    }
    repo.git(&["tag", "-a", "-m", "a tag", "v1"]);
    repo.git(&["branch", "side", "HEAD~3"]);
    repo.git(&["repack", "-adfq", "--window=50", "--depth=50"]);
    repo.git(&["-c", "pack.writeReverseIndex=true", "index-pack", "--rev-index", &pack_of(&repo)]);
    repo.git(&["multi-pack-index", "write"]);
    repo.git(&["commit-graph", "write", "--reachable", "--changed-paths"]);
    repo.git(&["pack-refs", "--all"]);
    repo.write("loose", "a loose object\n");
    repo.git(&["hash-object", "-w", "loose"]);
    repo
}

fn pack_of(repo: &Repo) -> String {
    find(&repo.git_dir(), "pack").to_string_lossy().into_owned()
}

fn find(git_dir: &Path, kind: &str) -> PathBuf {
    let (_, place) = FILES.iter().find(|(name, _)| *name == kind).expect("a kind of file");
    let (folder, name) = place.rsplit_once('/').map_or((git_dir.to_owned(), *place), |(folder, name)| {
        let folder = match folder.strip_suffix("/??") {
            Some(objects) => loose_folder(&git_dir.join(objects)),
            None => git_dir.join(folder),
        };
        (folder, name)
    });
    let Some(ending) = name.strip_prefix('*') else { return folder.join(name) };
    let mut entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.find(|path| path.to_string_lossy().ends_with(ending)).expect("a file of that kind")
}

fn loose_folder(objects: &Path) -> PathBuf {
    let mut folders = fs::read_dir(objects).expect("a folder").map(|entry| entry.expect("an entry").path());
    folders.find(|path| path.file_name().is_some_and(|name| name.len() == 2)).expect("a loose object")
}
