//! `git check-attr`: tells what attributes paths have.

use std::io::Write;

use adit::Repository;
use adit_diff::pathspec::AttributeState;
use adit_index::Index;
use adit_text::quote::quote_path;
use adit_worktree::{Attributes, Query, is_attribute_name};
use bstr::{BStr, BString, ByteSlice};

use crate::context::Context;
use crate::error::Error;
use crate::lines_in::next_name;
use crate::options::{Args, Opt, Part, Table, Usage, unknown_option};
use crate::pathspecs::from_top;

/// An attribute that no file sets: the mode of a path.
const MODE: &str = "builtin_objectmode";

#[derive(Clone, Copy)]
enum O {
    All,
    Cached,
    Stdin,
    Nul,
    Source,
}

const USAGE: Usage = Usage {
    name: "check-attr",
    synopsis: &[
        "git check-attr [--source <tree-ish>] [-a | --all | <attr>...] [--] <pathname>...",
        "git check-attr --stdin [-z] [--source <tree-ish>] [-a | --all | <attr>...]",
    ],
};

const OPTIONS: Table<O> = Table::new(&[
    Opt::flag(O::All, "all", "tell of every attribute that a path has").short(b'a').no(),
    Opt::flag(O::Cached, "cached", "read .gitattributes from the index only").no(),
    Opt::flag(O::Stdin, "stdin", "take the names of files from standard input").no(),
    Opt::flag(O::Nul, "", "names of input and output end in NUL").short(b'z'),
    Opt::value(O::Source, "source", "tree-ish", "read .gitattributes from this tree").no(),
]);

#[derive(Default)]
struct Asked {
    all: bool,
    cached: bool,
    stdin: bool,
    nul: bool,
    source: Option<BString>,
    attributes: Vec<BString>,
    paths: Vec<BString>,
}

/// Runs the command.
pub fn run(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let repo = ctx.repo()?;
    if !repo.is_bare() && (repo.work_tree().is_none() || repo.is_inside_git_dir()) {
        return Err(Error::fatal("this operation must be run in a work tree"));
    }
    let asked = Asked::read(args)?;
    if let Some(bad) = asked.attributes.iter().find(|name| !is_attribute_name(name)) {
        return Err(Error::Failed(format!("{bad}: not a valid attribute name").into(), 255));
    }
    let attributes = match &asked.source {
        Some(name) => {
            let bad = |_| Error::fatal(format!("{name}: not a valid tree-ish source"));
            repo.path_attributes_in(&repo.resolve(name).map_err(bad)?)?
        }
        None => repo.path_attributes_with_index(asked.cached)?,
    };
    let names: Vec<&BStr> = asked.attributes.iter().map(|name| name.as_bstr()).collect();
    let mut teller = Teller {
        query: attributes.query(&names),
        states: vec![AttributeState::Unspecified; names.len()],
        attributes,
        repo: &repo,
        index: if asked.cached { Some(repo.index()?) } else { None },
        prefix: repo.prefix(),
        quote_high: repo.quotes_high_bytes(),
        asked: &asked,
        line: Vec::new(),
    };
    for path in &asked.paths {
        teller.tell(ctx, path.as_bstr())?;
    }
    if asked.stdin {
        while let Some(path) = next_name(ctx, asked.nul)? {
            teller.tell(ctx, path.as_bstr())?;
            // Whoever hands over names one by one waits for each answer.
            ctx.streams.out.flush()?;
        }
    }
    Ok(0)
}

impl Asked {
    fn read(args: &[BString]) -> Result<Self, Error> {
        let mut asked = Asked::default();
        let mut words = Vec::new();
        let mut after: Option<&[BString]> = None;
        let mut args = Args::new(args);
        while let Some(part) = args.next_part() {
            match part {
                Part::Paths(paths) => after = Some(paths),
                Part::Word(word) => words.push(word.to_owned()),
                Part::Option(_) => {
                    let given =
                        OPTIONS.take(&mut args).map_err(|error| error.with_usage(OPTIONS.usage(&USAGE)))?;
                    let Some(given) = given else {
                        return Err(unknown_option(&args).with_usage(OPTIONS.usage(&USAGE)));
                    };
                    match given.id {
                        O::All => asked.all = given.on(),
                        O::Cached => asked.cached = given.on(),
                        O::Stdin => asked.stdin = given.on(),
                        O::Nul => asked.nul = true,
                        O::Source => asked.source = given.value,
                    }
                }
            }
        }
        let wrong = |text: &str| Err(Error::usage_line(text.into()).with_usage(OPTIONS.usage(&USAGE)));
        match after {
            Some(paths) => (asked.attributes, asked.paths) = (words, paths.to_vec()),
            None if asked.all => asked.paths = words,
            None if asked.stdin => asked.attributes = words,
            // Without `--` the first word alone is an attribute.
            None if !words.is_empty() => {
                asked.paths = words.split_off(1);
                asked.attributes = words;
            }
            None => {}
        }
        if asked.all && !asked.attributes.is_empty() {
            return wrong("Attributes and --all both specified");
        }
        if !asked.all && asked.attributes.is_empty() {
            return wrong("No attribute specified");
        }
        if asked.stdin && !asked.paths.is_empty() {
            return wrong("Can't specify files with --stdin");
        }
        if !asked.stdin && asked.paths.is_empty() {
            return wrong("No file specified");
        }
        Ok(asked)
    }
}

/// Tells of one path after the other.
struct Teller<'a> {
    attributes: Attributes,
    query: Query,
    states: Vec<AttributeState>,
    repo: &'a Repository,
    /// Where modes are looked up instead of in the working tree.
    index: Option<Index>,
    prefix: &'a BStr,
    quote_high: bool,
    asked: &'a Asked,
    line: Vec<u8>,
}

impl Teller<'_> {
    fn tell(&mut self, ctx: &mut Context<'_>, path: &BStr) -> Result<(), Error> {
        let seen = from_top(&*ctx.repo()?, self.prefix, path)?;
        self.line.clear();
        if self.asked.all {
            for (name, state) in self.attributes.all(seen.as_bstr()) {
                self.put(path, name.as_bstr(), &state);
            }
        } else {
            let mut states = std::mem::take(&mut self.states);
            self.attributes.states(&self.query, seen.as_bstr(), &mut states);
            for (name, state) in self.asked.attributes.iter().zip(&mut states) {
                if name == MODE {
                    *state = self.mode(path, seen.as_bstr())?;
                }
                self.put(path, name.as_bstr(), state);
            }
            self.states = states;
        }
        for notice in self.attributes.take_notices() {
            // A notice that cannot be written must not end the command.
            let _ = writeln!(ctx.streams.err, "{notice}");
        }
        Ok(ctx.streams.out.write_all(&self.line)?)
    }

    /// The mode of a file, as if it were an attribute.
    fn mode(&self, path: &BStr, seen: &BStr) -> Result<AttributeState, Error> {
        let mode = match &self.index {
            Some(index) => match index.get(seen) {
                Some(entry) => entry.mode(),
                None => return Ok(AttributeState::Unspecified),
            },
            None => {
                let files = self.repo.work_files()?;
                let meta = std::fs::symlink_metadata(files.place(seen)).map_err(|error| {
                    Error::fatal(format!("unable to stat '{path}': {}", adit_sys::os_error(&error)))
                })?;
                match files.mode(&meta, None) {
                    Ok(_) if meta.is_dir() && files.commit_of(seen).is_none() => 0o040_000,
                    Ok(mode) => mode,
                    Err(_) => return Ok(AttributeState::Unspecified),
                }
            }
        };
        Ok(AttributeState::Value(format!("{mode:06o}").into()))
    }

    fn put(&mut self, path: &BStr, name: &BStr, state: &AttributeState) {
        let info: &[u8] = match state {
            AttributeState::Set => b"set",
            AttributeState::Unset => b"unset",
            AttributeState::Unspecified => b"unspecified",
            AttributeState::Value(value) => value,
        };
        if self.asked.nul {
            for field in [path.as_bytes(), name, info] {
                self.line.extend_from_slice(field);
                self.line.push(0);
            }
        } else {
            quote_path(path, self.quote_high, &mut self.line);
            for part in [b": ", name.as_bytes(), b": ", info, b"\n"] {
                self.line.extend_from_slice(part);
            }
        }
    }
}
