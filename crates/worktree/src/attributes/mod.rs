//! What attributes files say of paths (gitattributes).
//!
//! The first source that mentions an attribute for a path decides, from `info/attributes` over the file in the path's
//! own folder and those of the folders above to the user's and the system's. Within a file the last line wins.

mod file;
mod names;

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use adit_diff::pathspec::{AttributeLookup, AttributeState};
use bstr::{BStr, BString, ByteSlice};

use crate::pattern::name_start;
use file::{AttributesFile, Decisions, Reader};
use names::{NameId, Names};

pub use names::is_attribute_name;

/// Where the `.gitattributes` of folders, or files of another name, are read.
pub trait Folders: Send + Sync {
    /// The content of the file in `folder` (empty for the top, else with a slash at its end); `None` when it has none.
    ///
    /// # Errors
    /// When there is one that cannot be read; it is then done without.
    fn read(&self, folder: &BStr) -> io::Result<Option<Vec<u8>>>;
}

/// Something to tell the user of an attributes file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AttributesNotice {
    /// A pattern that starts with `!`.
    #[error(
        "warning: Negative patterns are ignored in git attributes\nUse '\\!' for literal leading exclamation."
    )]
    Negative,
    /// A line that is too long.
    #[error("warning: ignoring overly long attributes line {number}")]
    LongLine {
        /// Its number.
        number: usize,
    },
    /// A file that cannot be read.
    #[error("warning: unable to access '{path}': {what}")]
    Unreadable {
        /// The file.
        path: BString,
        /// What the system said.
        what: String,
    },
    /// A name that no attribute can have.
    #[error("{name} is not a valid attribute name: {place}")]
    BadName {
        /// The name.
        name: BString,
        /// File and line.
        place: BString,
    },
    /// A macro in a file that cannot define any.
    #[error("{line} not allowed: {place}")]
    MacroBelow {
        /// The line.
        line: BString,
        /// File and line.
        place: BString,
    },
}

/// What a file is called in notices.
#[derive(Debug, Clone)]
pub(crate) struct Source(pub(crate) BString);

/// Attributes that are asked for again and again; it belongs to the [`Attributes`] that made it.
#[derive(Debug, Clone)]
pub struct Query(Vec<NameId>);

/// The files in the folders that hold a path, the innermost first, each with the length of its folder.
type Stack = Arc<[(usize, Arc<AttributesFile>)]>;

/// Answers for the paths of one working tree or tree. Each folder's file is read once; threads share it.
pub struct Attributes {
    folders: Box<dyn Folders>,
    stacks: RwLock<HashMap<BString, Stack>>,
    seen: Mutex<Seen>,
    /// Files for the whole tree, those that win first.
    below: Vec<AttributesFile>,
    above: Option<AttributesFile>,
    ignore_case: bool,
}

/// What reading files brings with it.
#[derive(Debug, Default)]
struct Seen {
    names: Names,
    notices: Vec<AttributesNotice>,
}

impl Seen {
    /// Reads the file of a folder, if it has one.
    fn file_in(&mut self, folders: &dyn Folders, folder: &BStr) -> Option<Arc<AttributesFile>> {
        let source = format!("{folder}.gitattributes");
        match folders.read(folder) {
            Ok(content) => content.map(|content| Arc::new(self.read(&content, &source, folder.is_empty()))),
            Err(error) => {
                let what = adit_sys::os_error(&error);
                self.notices.push(AttributesNotice::Unreadable { path: source.into(), what });
                None
            }
        }
    }

    fn read(&mut self, content: &[u8], source: &str, macros: bool) -> AttributesFile {
        let source = Source(source.into());
        Reader { names: &mut self.names, notices: &mut self.notices, source: &source, macros }.read(content)
    }
}

/// The macro that every repository has.
const BUILT_IN: &[u8] = b"[attr]binary -diff -merge -text\n";

impl Attributes {
    /// Attributes of `folders`; `outer` are the contents of the system's and the user's files, in that order, and `info` is
    /// that of `info/attributes`.
    pub fn new(folders: Box<dyn Folders>, outer: Vec<Vec<u8>>, info: Option<Vec<u8>>) -> Self {
        let mut seen = Seen::default();
        let mut below = vec![seen.read(BUILT_IN, "[builtin]", true)];
        // What is told of the others names no file: their paths are the caller's.
        below.extend(outer.iter().map(|content| seen.read(content, "gitattributes", true)));
        // The built-in macro loses to any other of its name.
        below.reverse();
        let top = seen.file_in(&*folders, BStr::new(b""));
        let above = info.map(|content| seen.read(&content, "info/attributes", true));
        let top: Stack = top.into_iter().map(|file| (0, file)).collect();
        let stacks = RwLock::new(HashMap::from([(BString::default(), top)]));
        Attributes { folders, stacks, seen: Mutex::new(seen), below, above, ignore_case: false }
    }

    /// Lets patterns match whatever the case of ASCII letters (`core.ignoreCase`).
    #[must_use]
    pub fn ignoring_case(self, ignore_case: bool) -> Self {
        Attributes { ignore_case, ..self }
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What there is to tell of the files that were read since this was last asked.
    pub fn take_notices(&self) -> Vec<AttributesNotice> {
        std::mem::take(&mut self.seen().notices)
    }

    /// A question for the attributes of these names.
    pub fn query(&self, names: &[&BStr]) -> Query {
        let known = &mut self.seen().names;
        Query(names.iter().map(|name| known.intern(name)).collect())
    }

    /// The state of attribute `name` for the file at `path`, which is seen from the top.
    pub fn state(&self, path: &BStr, name: &BStr) -> AttributeState {
        let mut state = [AttributeState::Unspecified];
        self.states(&self.query(&[name]), path, &mut state);
        let [state] = state;
        state
    }

    /// Puts the states of the attributes of `query` into `states`, in the query's order.
    pub fn states(&self, query: &Query, path: &BStr, states: &mut [AttributeState]) {
        self.decide(Some(&query.0), path, |decisions| {
            for (name, state) in query.0.iter().zip(states) {
                *state = decisions.find(*name).cloned().unwrap_or(AttributeState::Unspecified);
            }
        });
    }

    /// Every attribute that is said something of for `path`, in the order in which their names were first seen.
    pub fn all(&self, path: &BStr) -> Vec<(BString, AttributeState)> {
        self.decide(None, path, |decisions| {
            let said = |(_, state): &(NameId, &AttributeState)| **state != AttributeState::Unspecified;
            let mut all: Vec<_> = decisions.all().filter(said).collect();
            all.sort_by_key(|(name, _)| *name);
            let seen = self.seen();
            all.iter().map(|(name, state)| (seen.names.name(*name).to_owned(), (*state).clone())).collect()
        })
    }

    /// Lets the files decide from those that win to those that lose, and hands over what they say.
    fn decide<R>(
        &self,
        wanted: Option<&[NameId]>,
        path: &BStr,
        then: impl FnOnce(&Decisions<'_, '_>) -> R,
    ) -> R {
        // A folder may be asked for with a slash at its end.
        let (path, is_folder) = match path.strip_suffix(b"/") {
            Some(folder) => (folder.as_bstr(), true),
            None => (path, false),
        };
        let name = name_start(path);
        let stack = self.stack(path[..name].as_bstr());
        let top = stack.last().filter(|(end, _)| *end == 0).map(|(_, file)| &**file);
        // Macros are found in the files for the whole tree, which the top folder's is too.
        let definitions = self.above.iter().chain(top).chain(self.below.iter());
        let mut decisions = Decisions::new(wanted, definitions);
        let own = stack.iter().map(|(folder, file)| (*folder, &**file));
        let outer = self.below.iter().map(|file| (0, file));
        for (folder, file) in self.above.iter().map(|file| (0, file)).chain(own).chain(outer) {
            let seen = path[folder..].as_bstr();
            if file.decide(seen, name - folder, is_folder, self.ignore_case, &mut decisions) {
                break;
            }
        }
        then(&decisions)
    }

    /// The files that bear on what is in `folder`.
    fn stack(&self, folder: &BStr) -> Stack {
        if let Some(known) = self.stacks.read().unwrap_or_else(PoisonError::into_inner).get(folder) {
            return Arc::clone(known);
        }
        // The folders on the way that are not known yet, the innermost first.
        let mut ends = vec![folder.len()];
        let mut stack = loop {
            let last = ends.last().copied().unwrap_or_default();
            let end = name_start(&folder[..last.saturating_sub(1)]);
            let stacks = self.stacks.read().unwrap_or_else(PoisonError::into_inner);
            match stacks.get(folder[..end].as_bstr()) {
                Some(known) => break Arc::clone(known),
                None if end == 0 => break Stack::default(),
                None => ends.push(end),
            }
        };
        for end in ends.into_iter().rev() {
            let folder = folder[..end].as_bstr();
            let file = self.seen().file_in(&*self.folders, folder);
            if let Some(file) = file {
                stack = std::iter::once((end, file)).chain(stack.iter().cloned()).collect();
            }
            let mut stacks = self.stacks.write().unwrap_or_else(PoisonError::into_inner);
            stacks.insert(folder.to_owned(), Arc::clone(&stack));
        }
        stack
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
        fn read(&self, folder: &BStr) -> io::Result<Option<Vec<u8>>> {
            let found = self.0.iter().find(|(name, _)| folder == name);
            Ok(found.map(|(_, content)| content.as_bytes().to_vec()))
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
