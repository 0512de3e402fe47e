//! What attributes files say of paths (gitattributes).
//!
//! The first source that mentions an attribute for a path decides, from `info/attributes` over the file in the path's
//! own folder and those of the folders above to the user's and the system's. Within a file the last line wins.

mod file;

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use adit_diff::pathspec::{AttributeLookup, AttributeState};
use bstr::{BStr, BString, ByteSlice};

use file::{AttributesFile, Decisions};

/// Where the `.gitattributes` of folders are read.
pub trait Folders: Send + Sync {
    /// The content of the file in `folder` (empty for the top, else with a slash at its end); `None` when it has none.
    fn read(&self, folder: &BStr) -> Option<Vec<u8>>;
}

/// Answers for the paths of one working tree or tree. Each folder's file is read once; threads share it.
pub struct Attributes {
    folders: Box<dyn Folders>,
    known: RwLock<HashMap<BString, Option<Arc<AttributesFile>>>>,
    /// Files for the whole tree, those that win first.
    below: Vec<AttributesFile>,
    above: Option<AttributesFile>,
    ignore_case: bool,
}

/// The macro that every repository has.
const BUILT_IN: &[u8] = b"[attr]binary -diff -merge -text\n";

impl Attributes {
    /// Attributes of `folders`; `outer` are the contents of the system's and the user's files, in that order, and `info` is
    /// that of `info/attributes`.
    pub fn new(folders: Box<dyn Folders>, outer: Vec<Vec<u8>>, info: Option<Vec<u8>>) -> Self {
        let mut below: Vec<_> =
            outer.iter().rev().map(|content| AttributesFile::parse(content, true)).collect();
        below.push(AttributesFile::parse(BUILT_IN, true));
        let above = info.map(|content| AttributesFile::parse(&content, true));
        Attributes { folders, known: RwLock::default(), below, above, ignore_case: false }
    }

    /// Lets patterns match whatever the case of ASCII letters (`core.ignoreCase`).
    #[must_use]
    pub fn ignoring_case(self, ignore_case: bool) -> Self {
        Attributes { ignore_case, ..self }
    }

    /// The state of attribute `name` for the file at `path`, which is seen from the top.
    pub fn state(&self, path: &BStr, name: &BStr) -> AttributeState {
        let files = self.files_for(path);
        let top = files.last().filter(|(end, _)| *end == 0).map(|(_, file)| &**file);
        // Macros are found in the files for the whole tree, which the top folder's is too.
        let definitions = self.above.iter().chain(top).chain(self.below.iter()).collect();
        let mut decisions = Decisions::new(name, definitions);
        let own = files.iter().map(|(folder, file)| (*folder, &**file));
        let outer = self.below.iter().map(|file| (0, file));
        for (folder, file) in self.above.iter().map(|file| (0, file)).chain(own).chain(outer) {
            if file.decide(path[folder..].as_bstr(), self.ignore_case, &mut decisions) {
                break;
            }
        }
        decisions.answer().cloned().unwrap_or(AttributeState::Unspecified)
    }

    /// The files in the folders that hold `path`, the innermost first, each with the length of its folder.
    fn files_for(&self, path: &BStr) -> Vec<(usize, Arc<AttributesFile>)> {
        let mut files = Vec::new();
        let mut end = path.rfind_byte(b'/').map_or(0, |slash| slash + 1);
        loop {
            if let Some(file) = self.file_of(path[..end].as_bstr()) {
                files.push((end, file));
            }
            if end == 0 {
                return files;
            }
            end = path[..end - 1].rfind_byte(b'/').map_or(0, |slash| slash + 1);
        }
    }

    fn file_of(&self, folder: &BStr) -> Option<Arc<AttributesFile>> {
        if let Some(known) = self.known.read().unwrap_or_else(PoisonError::into_inner).get(folder) {
            return known.clone();
        }
        let read = self.folders.read(folder);
        let file = read.map(|content| Arc::new(AttributesFile::parse(&content, folder.is_empty())));
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.entry(folder.to_owned()).or_insert(file).clone()
    }
}

impl AttributeLookup for Attributes {
    fn state(&self, path: &BStr, name: &BStr) -> AttributeState {
        Attributes::state(self, path, name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Map(Vec<(&'static str, &'static str)>);

    impl Folders for Map {
        fn read(&self, folder: &BStr) -> Option<Vec<u8>> {
            self.0.iter().find(|(name, _)| folder == name).map(|(_, content)| content.as_bytes().to_vec())
        }
    }

    #[test]
    fn inner_folders_win_and_macros_expand() {
        let top =
            "*.c diff=cpp\n*.dat binary\n[attr]mine -diff text=auto\nm* mine\n/only x\nsub/*.h y\ndir/ z\n";
        let sub = "*.c !diff\nodd.dat diff\n\"sp ace\" q\n# no\n!neg n\n*.not !mine\nbad q --x\n";
        let folders = Map(vec![("", top), ("sub/", sub)]);
        let attributes = Attributes::new(
            Box::new(folders),
            vec![b"*.c w=outer\n".to_vec()],
            Some(b"info.c diff=info\n".to_vec()),
        );
        let state = |path: &str, name: &str| attributes.state(path.into(), name.into());
        let value = |text: &str| AttributeState::Value(text.into());
        use AttributeState::{Set, Unset, Unspecified};
        assert_eq!(state("a.c", "diff"), value("cpp"));
        assert_eq!(state("a.c", "w"), value("outer"));
        assert_eq!(state("deep/er/a.c", "diff"), value("cpp"));
        assert_eq!(state("sub/a.c", "diff"), Unspecified);
        assert_eq!(state("sub/info.c", "diff"), value("info"));
        assert_eq!(state("x.dat", "diff"), Unset);
        assert_eq!(state("x.dat", "binary"), Set);
        assert_eq!(state("sub/odd.dat", "diff"), Set);
        assert_eq!(state("sub/odd.dat", "merge"), Unset);
        assert_eq!((state("my", "text"), state("my", "diff")), (value("auto"), Unset));
        assert_eq!((state("only", "x"), state("sub/only", "x")), (Set, Unspecified));
        assert_eq!((state("sub/a.h", "y"), state("x/sub/a.h", "y")), (Set, Unspecified));
        assert_eq!((state("sub/sp ace", "q"), state("sub/neg", "n")), (Set, Unspecified));
        assert_eq!(state("dir", "z"), Unspecified);
        // A macro that is decided is not expanded by the rules that lose, and a bad name spoils its line.
        assert_eq!((state("sub/m.not", "text"), state("sub/m.not", "diff")), (Unspecified, Unspecified));
        assert_eq!(state("sub/bad", "q"), Unspecified);
    }
}
