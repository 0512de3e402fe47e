//! `git check-ignore`: tells which paths are ignored, and by which pattern.

use std::io::Write;
use std::path::Path;

use adit::Repository;
use adit_diff::pathspec::{Magic, Pathspec};
use adit_text::quote::quote_path;
use adit_worktree::Ignore;
use adit_worktree::ignore::Verdict;
use bstr::{BStr, BString, ByteSlice};

use crate::context::Context;
use crate::error::Error;
use crate::lines_in::next_name;
use crate::options::{Opt, Table, Usage};
use crate::pathspecs;

#[derive(Clone, Copy)]
enum O {
    Quiet,
    Verbose,
    Stdin,
    Nul,
    NonMatching,
    NoIndex,
}

const USAGE: Usage = Usage {
    name: "check-ignore",
    synopsis: &["git check-ignore [<options>] <pathname>...", "git check-ignore [<options>] --stdin"],
};

const OPTIONS: Table<O> = Table::new(&[
    Opt::flag(O::Quiet, "quiet", "tell by the exit status alone").short(b'q').no(),
    Opt::flag(O::Verbose, "verbose", "show the pattern that decides").short(b'v').no(),
    Opt::flag(O::Stdin, "stdin", "take the paths from standard input").no(),
    Opt::flag(O::Nul, "", "paths of input and output end in NUL").short(b'z'),
    Opt::flag(O::NonMatching, "non-matching", "show paths that no pattern matches too").short(b'n').no(),
    Opt::flag(O::NoIndex, "no-index", "do not look whether paths are tracked").no(),
]);

#[derive(Default)]
struct Asked {
    quiet: bool,
    verbose: bool,
    stdin: bool,
    nul: bool,
    non_matching: bool,
    no_index: bool,
}

/// Runs the command.
pub fn run(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let mut asked = Asked::default();
    let paths = OPTIONS.parse(&USAGE, args, |given| {
        match given.id {
            O::Quiet => asked.quiet = given.on(),
            O::Verbose => asked.verbose = given.on(),
            O::Stdin => asked.stdin = given.on(),
            O::Nul => asked.nul = true,
            O::NonMatching => asked.non_matching = given.on(),
            O::NoIndex => asked.no_index = given.on(),
        }
        Ok(())
    })?;
    let repo = ctx.repo()?;
    if !repo.is_inside_work_tree() {
        return Err(Error::fatal("this operation must be run in a work tree"));
    }
    asked.check(&paths)?;
    if !asked.no_index && has_index(&repo) {
        return Err(Error::unsupported("check-ignore without --no-index, where there is an index,"));
    }
    let ignore = repo.ignore()?;
    let mut checker = Checker { repo: &repo, ignore, asked: &asked, line: Vec::new(), matched: false };
    if asked.stdin {
        while let Some(path) = next_name(ctx, asked.nul)? {
            checker.check(ctx, &[path])?;
            // Whoever hands over paths one by one waits for each answer.
            ctx.streams.out.flush()?;
        }
    } else {
        checker.check(ctx, &paths)?;
    }
    Ok(u8::from(!checker.matched))
}

/// Whether there is an index, whose entries would not be told of.
fn has_index(repo: &Repository) -> bool {
    let named = repo.env().path("GIT_INDEX_FILE").map(|path| repo.env().cwd().join(path));
    named.unwrap_or_else(|| repo.git_dir().join("index")).exists()
}

impl Asked {
    fn check(&self, paths: &[BString]) -> Result<(), Error> {
        let wrong = if self.stdin && !paths.is_empty() {
            "cannot specify pathnames with --stdin"
        } else if !self.stdin && self.nul {
            "-z only makes sense with --stdin"
        } else if !self.stdin && paths.is_empty() {
            "no path specified"
        } else if self.quiet && paths.len() != 1 {
            "--quiet is only valid with a single pathname"
        } else if self.quiet && self.verbose {
            "cannot have both --quiet and --verbose"
        } else if self.non_matching && !self.verbose {
            "--non-matching is only valid with --verbose"
        } else {
            return Ok(());
        };
        Err(Error::fatal(wrong))
    }
}

struct Checker<'a> {
    repo: &'a Repository,
    ignore: Ignore,
    asked: &'a Asked,
    line: Vec<u8>,
    /// Whether a pattern decided about any path.
    matched: bool,
}

impl Checker<'_> {
    fn check(&mut self, ctx: &mut Context<'_>, paths: &[BString]) -> Result<(), Error> {
        let pathspec = pathspecs::read(self.repo, paths)?;
        refuse_magic(&pathspec)?;
        let Some(top) = self.repo.work_tree() else { return Ok(()) };
        for item in pathspec.items() {
            if is_beyond_link(top, item.pattern()) {
                return Err(Error::fatal(format!(
                    "pathspec '{}' is beyond a symbolic link",
                    item.original()
                )));
            }
        }
        for item in pathspec.items() {
            let path = item.pattern();
            let is_folder =
                || top.join(path.to_path_lossy()).symlink_metadata().is_ok_and(|meta| meta.is_dir());
            let verdict = if path.is_empty() { None } else { self.ignore.verdict(path, is_folder) };
            let verdict = verdict.filter(|verdict| self.asked.verbose || verdict.is_ignored());
            self.matched |= verdict.is_some();
            if !self.asked.quiet && (verdict.is_some() || self.asked.non_matching) {
                self.put(item.original(), verdict.as_ref());
            }
        }
        ctx.streams.out.write_all(&self.line)?;
        self.line.clear();
        Ok(())
    }

    fn put(&mut self, path: &BStr, verdict: Option<&Verdict>) {
        let quote_high = self.repo.quotes_high_bytes();
        let (out, nul) = (&mut self.line, self.asked.nul);
        if self.asked.verbose {
            let rule = verdict.and_then(Verdict::rule);
            let source = verdict.map_or(BStr::new(b""), Verdict::source);
            let line = rule.map(|rule| rule.line().to_string()).unwrap_or_default();
            let text = rule.map_or(BStr::new(b""), |rule| rule.text());
            if nul {
                for field in [source.as_bytes(), line.as_bytes(), text] {
                    out.extend_from_slice(field);
                    out.push(0);
                }
            } else {
                quote_path(source, quote_high, out);
                for part in [&b":"[..], line.as_bytes(), b":", text, b"\t"] {
                    out.extend_from_slice(part);
                }
            }
        }
        if nul {
            out.extend_from_slice(path);
            out.push(0);
        } else {
            quote_path(path, quote_high, out);
            out.push(b'\n');
        }
    }
}

/// Paths are taken as they are, so that only `:(top)` and `:(literal)` mean anything.
fn refuse_magic(pathspec: &Pathspec) -> Result<(), Error> {
    for item in pathspec.items() {
        let Magic { glob, icase, exclude, .. } = item.magic();
        let names = [(glob, "'glob'"), (icase, "'icase'"), (exclude, "'exclude' (mnemonic: '!')")];
        let names: Vec<&str> = names.iter().filter(|(given, _)| *given).map(|(_, name)| *name).collect();
        if !names.is_empty() || pathspec.needs_attributes() {
            let names = if names.is_empty() { "'attr'".to_owned() } else { names.join(", ") };
            return Err(Error::fatal(format!(
                "{}: pathspec magic not supported by this command: {names}",
                item.original()
            )));
        }
    }
    Ok(())
}

/// Whether a folder on the way to `path` is a symbolic link.
fn is_beyond_link(top: &Path, path: &BStr) -> bool {
    let mut folders = path.find_iter("/").map(|end| &path[..end]).filter(|folder| !folder.is_empty());
    folders.any(|folder| {
        top.join(folder.to_path_lossy()).symlink_metadata().is_ok_and(|meta| meta.file_type().is_symlink())
    })
}
