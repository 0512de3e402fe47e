//! Which files are ignored (gitignore).
//!
//! Patterns of the command line win over those of the folders from the innermost out, then come `info/exclude` and the
//! user's file. Within a source the last pattern that matches decides. What is in an ignored folder is ignored,
//! whatever other patterns say of it.

mod file;

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use bstr::{BStr, BString, ByteSlice};

use crate::Folders;
use crate::pattern::name_start;

pub use file::{IgnoreFile, Rule};

/// The sources of patterns that hold for the whole tree, and what is known of its folders. Threads share it.
pub struct Ignore {
    command_line: Arc<IgnoreFile>,
    /// Those that win first.
    outer: Vec<Arc<IgnoreFile>>,
    ignore_case: bool,
    folders: Box<dyn Folders>,
    /// What the file in a folder is called.
    file_name: BString,
    levels: RwLock<HashMap<BString, Arc<Level>>>,
    unreadable: Mutex<Vec<(BString, io::Error)>>,
}

/// What bears on the entries of one folder.
#[derive(Debug, Default)]
pub struct Level {
    /// The files of this folder and those above, the innermost first, each with the length of its folder.
    files: Vec<(usize, Arc<IgnoreFile>)>,
    /// Why the folder itself is ignored.
    ignored: Option<Verdict>,
}

impl Level {
    /// Whether the folder is ignored, and so all that is in it.
    pub fn is_ignored(&self) -> bool {
        self.ignored.is_some()
    }
}

/// The pattern that decides about a path.
#[derive(Debug, Clone)]
pub struct Verdict {
    file: Arc<IgnoreFile>,
    rule: usize,
}

impl Verdict {
    /// The source of the pattern.
    pub fn source(&self) -> &BStr {
        self.file.source()
    }

    /// The pattern.
    pub fn rule(&self) -> Option<&Rule> {
        self.file.rule(self.rule)
    }

    /// Whether it says that the path is ignored.
    pub fn is_ignored(&self) -> bool {
        self.rule().is_some_and(|rule| !rule.is_negative())
    }
}

impl Ignore {
    /// No patterns but those that `folders` has in files called `file_name` (`.gitignore`).
    pub fn new(folders: Box<dyn Folders>, file_name: impl Into<BString>) -> Self {
        Ignore {
            command_line: Arc::default(),
            outer: Vec::new(),
            ignore_case: false,
            folders,
            file_name: file_name.into(),
            levels: RwLock::default(),
            unreadable: Mutex::default(),
        }
    }

    /// Adds a source for the whole tree, which wins over those added before.
    #[must_use]
    pub fn with_file(mut self, file: IgnoreFile) -> Self {
        self.outer.insert(0, Arc::new(file));
        self
    }

    /// Sets the patterns of the command line, which win over all.
    #[must_use]
    pub fn with_command_line(self, file: IgnoreFile) -> Self {
        Ignore { command_line: Arc::new(file), ..self }
    }

    /// Lets patterns match whatever the case of ASCII letters (`core.ignoreCase`).
    #[must_use]
    pub fn ignoring_case(self, ignore_case: bool) -> Self {
        Ignore { ignore_case, ..self }
    }

    /// What the files in folders are called.
    pub fn file_name(&self) -> &BStr {
        self.file_name.as_bstr()
    }

    /// The pattern that decides about `path`, which is seen from the top; `None` when none matches. `is_folder` tells
    /// whether it is a folder, and is asked only when that matters.
    pub fn verdict(&self, path: &BStr, is_folder: impl FnMut() -> bool) -> Option<Verdict> {
        let level = self.level(path[..name_start(path)].as_bstr());
        self.verdict_at(&level, path, is_folder)
    }

    /// Like [`Ignore::verdict`], for a path in the folder that `level` is for.
    pub fn verdict_at(
        &self,
        level: &Level,
        path: &BStr,
        mut is_folder: impl FnMut() -> bool,
    ) -> Option<Verdict> {
        if let Some(ignored) = &level.ignored {
            return Some(ignored.clone());
        }
        let name = name_start(path);
        let command_line = std::iter::once((0, &self.command_line));
        let own = level.files.iter().map(|(folder, file)| (*folder, file));
        let outer = self.outer.iter().map(|file| (0, file));
        command_line.chain(own).chain(outer).find_map(|(folder, file)| {
            let seen = path[folder..].as_bstr();
            let rule = file.last_match(seen, name - folder, self.ignore_case, &mut is_folder)?;
            Some(Verdict { file: Arc::clone(file), rule })
        })
    }

    /// Whether `path` in the folder that `level` is for is ignored.
    pub fn is_ignored_at(&self, level: &Level, path: &BStr, is_folder: bool) -> bool {
        self.verdict_at(level, path, || is_folder).is_some_and(|verdict| verdict.is_ignored())
    }

    fn top(&self, content: Option<&[u8]>) -> Level {
        self.enter(&Level::default(), BStr::new(b""), None, content)
    }

    fn below(&self, outer: &Level, folder: &BStr, content: impl FnOnce() -> Option<Vec<u8>>) -> Level {
        let path = folder[..folder.len().saturating_sub(1)].as_bstr();
        let ignored = self.verdict_at(outer, path, || true).filter(Verdict::is_ignored);
        // A file in an ignored folder means nothing.
        let content = if ignored.is_some() { None } else { content() };
        self.enter(outer, folder, ignored, content.as_deref())
    }

    /// What bears on the entries of `folder`, which lies in the folder that `outer` is for and is ignored if `ignored` says
    /// so; `content` is that of its file of patterns.
    pub fn enter(
        &self,
        outer: &Level,
        folder: &BStr,
        ignored: Option<Verdict>,
        content: Option<&[u8]>,
    ) -> Level {
        let mut files = outer.files.clone();
        if let Some(content) = content {
            let source = [folder.as_bytes(), &self.file_name].concat();
            let file = IgnoreFile::parse(content, source);
            if !file.is_empty() {
                files.insert(0, (folder.len(), Arc::new(file)));
            }
        }
        Level { files, ignored }
    }

    /// What bears on the entries of `folder`, with the files of all folders on the way.
    fn level(&self, folder: &BStr) -> Arc<Level> {
        if let Some(known) = self.known(folder) {
            return known;
        }
        // The folders on the way that are not known yet, the innermost first.
        let mut ends = vec![folder.len()];
        let mut level = loop {
            let last = ends.last().copied().unwrap_or_default();
            if last == 0 {
                break None;
            }
            let end = name_start(&folder[..last - 1]);
            match self.known(folder[..end].as_bstr()) {
                Some(known) => break Some(known),
                None => ends.push(end),
            }
        };
        for end in ends.into_iter().rev() {
            let folder = folder[..end].as_bstr();
            let made = match &level {
                None => self.top(self.read(folder).as_deref()),
                Some(outer) => self.below(outer, folder, || self.read(folder)),
            };
            let made = Arc::new(made);
            let mut levels = self.levels.write().unwrap_or_else(PoisonError::into_inner);
            levels.insert(folder.to_owned(), Arc::clone(&made));
            level = Some(made);
        }
        level.unwrap_or_default()
    }

    fn read(&self, folder: &BStr) -> Option<Vec<u8>> {
        self.folders.read(folder).unwrap_or_else(|error| {
            let path = [folder.as_bytes(), &self.file_name].concat();
            self.unreadable.lock().unwrap_or_else(PoisonError::into_inner).push((path.into(), error));
            None
        })
    }

    /// The files of patterns that could not be read since this was last asked, and why.
    pub fn take_unreadable(&self) -> Vec<(BString, io::Error)> {
        std::mem::take(&mut self.unreadable.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn known(&self, folder: &BStr) -> Option<Arc<Level>> {
        self.levels.read().unwrap_or_else(PoisonError::into_inner).get(folder).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Map(&'static [(&'static str, &'static str)]);

    impl Folders for Map {
        fn read(&self, folder: &BStr) -> io::Result<Option<Vec<u8>>> {
            let found = self.0.iter().find(|(name, _)| folder == name);
            Ok(found.map(|(_, content)| content.as_bytes().to_vec()))
        }
    }

    #[test]
    fn inner_files_win_and_ignored_folders_stay_so() {
        let folders = Map(&[("", "*.o\n/out/\nd/e\n"), ("sub/", "!keep.o\n"), ("out/", "!x\n")]);
        let ignore = Ignore::new(Box::new(folders), ".gitignore")
            .with_file(IgnoreFile::parse(b"user\n*.c\n", "user"))
            .with_file(IgnoreFile::parse(b"!user\ninfo\n", "info"));
        let ignored = |path: &str| ignore.verdict(path.into(), || false).is_some_and(|v| v.is_ignored());
        for path in ["a.o", "sub/a.o", "out/x", "out/y/z", "d/e", "d/e/f", "info", "x/info/y", "a.c"] {
            assert!(ignored(path), "{path}");
        }
        for path in ["sub/keep.o", "out", "x/d/e", "user", "sub"] {
            assert!(!ignored(path), "{path}");
        }
        let verdict = ignore.verdict("sub/keep.o".into(), || false).unwrap();
        let rule = verdict.rule().unwrap();
        assert_eq!(
            (verdict.source(), rule.line(), rule.text()),
            ("sub/.gitignore".into(), 1, "!keep.o".into())
        );
    }
}
