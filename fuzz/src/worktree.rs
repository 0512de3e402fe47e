//! Targets that read what lies in working trees, and what filters say.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, Read, Write};

use adit_object::ObjectFormat;
use adit_worktree::filters::{
    CheckIn, CheckOut, Driver, FilterSettings, Process, Programs, Ran, Safety, Smudged,
};
use adit_worktree::ignore::IgnoreFile;
use adit_worktree::{Attributes, Filters, Folders, Ignore};
use bstr::{BStr, BString, ByteSlice};

use crate::Fixture;

const PATHS: [&str; 7] = ["a", "a.c", "sub/a.c", "sub/deep/x", "sub/", "q\"r", "sp ace"];

/// The same file in every folder.
struct Everywhere(Vec<u8>);

impl Folders for Everywhere {
    fn read(&self, _: &BStr) -> io::Result<Option<Vec<u8>>> {
        Ok(Some(self.0.clone()))
    }
}

/// A file of attributes.
pub fn attributes(_: &Fixture, data: &[u8]) {
    let attributes = Attributes::new(Box::new(Everywhere(data.to_vec())), Vec::new(), Some(data.to_vec()));
    let query = Filters::query(&attributes);
    let filters = Filters::new(FilterSettings::default(), ObjectFormat::Sha1, Box::new(Deaf));
    for path in PATHS {
        let _ = (attributes.all(path.into()), filters.conversion(&attributes, &query, path.into()));
    }
    let _ = attributes.take_notices();
}

/// Files with everything that the syntax has.
pub fn attributes_seeds(_: &Fixture) -> Vec<Vec<u8>> {
    let text = "\u{feff}[attr]m a -b !c d=e\n\"q\\\"r\" m\n*.[ch] m f=g=h\n/sub/** text eol=crlf\ndir/ x\n!no y\n* --z\n";
    vec![text.into(), b"* filter=f ident working-tree-encoding=UTF-16\n[attr]a b\n[attr]b a\n* a\n".to_vec()]
}

/// A file of ignore patterns.
pub fn ignore(_: &Fixture, data: &[u8]) {
    let ignore = Ignore::new(Box::new(Everywhere(data.to_vec())), ".gitignore");
    let ignore = ignore.with_file(IgnoreFile::parse(data, "x")).ignoring_case(data.len() % 2 == 1);
    for path in PATHS {
        let verdict = ignore.verdict(path.into(), || true);
        let _ = verdict.map(|verdict| verdict.rule().map(|rule| rule.line()));
    }
}

/// Files with everything that the syntax has.
pub fn ignore_seeds(_: &Fixture) -> Vec<Vec<u8>> {
    let text =
        "\u{feff}*.o\n!keep.o\n# c\n\\#h\ntrail  \nesc\\ \n/top\na/b/\n**/deep\nx/**\n[a-z]?\n!\n/\n\\";
    vec![text.into()]
}

/// A file's content, through every conversion and back.
pub fn content(_: &Fixture, data: &[u8]) {
    let lines = b"a text\na.c text=auto eol=crlf ident\nx eol=lf working-tree-encoding=UTF-16\n";
    let attributes = Attributes::new(Box::new(Everywhere(lines.to_vec())), Vec::new(), None);
    let filters = Filters::new(FilterSettings::default(), ObjectFormat::Sha1, Box::new(Deaf));
    through(&filters, &attributes, data);
}

/// Lines of every kind.
pub fn content_seeds(_: &Fixture) -> Vec<Vec<u8>> {
    vec![b"a\r\nb\nc\rd\0$Id$ $Id: x y$\x1a".to_vec(), b"\xff\xfea\0\r\0\n\0".to_vec()]
}

fn through(filters: &Filters, attributes: &Attributes, data: &[u8]) {
    let query = Filters::query(attributes);
    let how = CheckIn { stores: true, safety: Safety::Warn, stored_has_crlf: &|| false };
    for path in PATHS {
        let path = BStr::new(path);
        let Ok(conversion) = filters.conversion(attributes, &query, path) else { continue };
        let Ok(stored) = filters.to_git(path, &conversion, Cow::Borrowed(data), &how, &mut |_| {}) else {
            continue;
        };
        let back = filters.to_worktree(path, &conversion, stored, &CheckOut::default(), &mut |_| {});
        if let Ok(Smudged::Now(back)) = back {
            assert!(back.len() <= data.len().max(8) * 50);
        }
    }
}

/// What a long-running filter says.
pub fn filter_process(_: &Fixture, data: &[u8]) {
    let driver = Driver { process: Some("x".into()), ..Driver::default() };
    let drivers: HashMap<BString, Driver> = HashMap::from([("f".into(), driver)]);
    let settings = FilterSettings { drivers, ..FilterSettings::default() };
    let filters = Filters::new(settings, ObjectFormat::Sha1, Box::new(Says(data.to_vec())));
    let attributes = Attributes::new(Box::new(Everywhere(b"* filter=f\n".to_vec())), Vec::new(), None);
    let query = Filters::query(&attributes);
    let how = CheckOut { can_delay: true, ..CheckOut::default() };
    for path in PATHS.map(BStr::new) {
        let Ok(conversion) = filters.conversion(&attributes, &query, path) else { continue };
        let content = Cow::Borrowed(path.as_bytes());
        let _ = filters.to_worktree(path, &conversion, content, &how, &mut |_| {});
    }
    let _ = filters.available();
}

/// A whole conversation, and one that is put off.
pub fn filter_process_seeds(_: &Fixture) -> Vec<Vec<u8>> {
    let hello = "0016git-filter-server\n000eversion=2\n00000015capability=clean\n0016capability=smudge\n\
                 0015capability=delay\n0000";
    let answer = "0013status=success\n00000006hi00000000";
    vec![
        format!("{hello}{answer}{answer}0011status=error\n00000011status=abort\n0000").into(),
        format!("{hello}0013status=delayed\n00000010pathname=a\n00000013status=success\n0000").into(),
    ]
}

/// Runs no program.
struct Deaf;

impl Programs for Deaf {
    fn run(&self, _: &BStr, _: &[u8]) -> io::Result<Ran> {
        Err(io::ErrorKind::NotFound.into())
    }

    fn start(&self, _: &BStr) -> io::Result<Box<dyn Process>> {
        Err(io::ErrorKind::NotFound.into())
    }
}

/// Every program says the same.
struct Says(Vec<u8>);

impl Programs for Says {
    fn run(&self, _: &BStr, _: &[u8]) -> io::Result<Ran> {
        Ok(Ran { output: self.0.clone(), status: 0 })
    }

    fn start(&self, _: &BStr) -> io::Result<Box<dyn Process>> {
        Ok(Box::new(Saying(io::Cursor::new(self.0.clone()))))
    }
}

struct Saying(io::Cursor<Vec<u8>>);

impl Read for Saying {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl Write for Saying {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Process for Saying {
    fn kill(&mut self) {}
}
