//! `git check-ignore`: tells which paths are ignored, and by which pattern.

use std::io::Write;
use std::path::Path;

use adit::Repository;
use adit_diff::pathspec::{Magic, Pathspec};
use adit_index::Index;
use adit_object::EntryKind;
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
    if repo.work_tree().is_none() || repo.is_inside_git_dir() {
        return Err(Error::fatal("this operation must be run in a work tree"));
    }
    asked.check(&paths)?;
    let index = if asked.no_index { Index::empty(repo.object_format()) } else { repo.index()? };
    let ignore = repo.ignore()?;
    let mut checker = Checker { repo: &repo, index, ignore, asked: &asked, line: Vec::new(), matched: false };
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

impl Asked {
    fn check(&self, paths: &[BString]) -> Result<(), Error> {
        let wrong = if self.stdin && !paths.is_empty() {
            "cannot specify pathnames with --stdin"
        } else if !self.stdin && self.nul {
            "-z only makes sense with --stdin"
        } else if !self.stdin && paths.is_empty() {
            "no path specified"
        } else if self.quiet && paths.len() > 1 {
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
    /// Empty when nobody shall look there.
    index: Index,
    ignore: Ignore,
    asked: &'a Asked,
    line: Vec<u8>,
    /// Whether a pattern decided about any path.
    matched: bool,
}

impl Checker<'_> {
    fn check(&mut self, ctx: &mut Context<'_>, paths: &[BString]) -> Result<(), Error> {
        let one = |path: &BString| pathspecs::read(self.repo, std::slice::from_ref(path));
        let pathspecs = paths.iter().map(one).collect::<Result<Vec<_>, _>>()?;
        pathspecs.iter().try_for_each(refuse_magic)?;
        let Some(top) = self.repo.work_tree() else { return Ok(()) };
        for item in pathspecs.iter().flat_map(Pathspec::items) {
            let (path, original) = (item.pattern(), item.original());
            if is_beyond_link(top, path) {
                return Err(Error::fatal(format!("pathspec '{original}' is beyond a symbolic link")));
            }
            if let Some(submodule) = self.submodule_around(path) {
                return Err(Error::fatal(format!("Pathspec '{original}' is in submodule '{submodule}'")));
            }
        }
        for pathspec in &pathspecs {
            let Some(item) = pathspec.items().first() else { continue };
            let path = item.pattern();
            let is_folder =
                || top.join(path.to_path_lossy()).symlink_metadata().is_ok_and(|meta| meta.is_dir());
            let is_tracked = self.is_tracked(pathspec);
            let verdict =
                if path.is_empty() || is_tracked { None } else { self.ignore.verdict(path, is_folder) };
            let verdict = verdict.filter(|verdict| self.asked.verbose || verdict.is_ignored());
            self.matched |= verdict.is_some();
            if !self.asked.quiet && (verdict.is_some() || self.asked.non_matching) {
                self.put(item.original(), verdict.as_ref());
            }
        }
        for (path, error) in self.ignore.take_unreadable() {
            ctx.warn(format_args!("unable to access '{path}': {}", adit_sys::os_error(&error)));
        }
        ctx.streams.out.write_all(&self.line)?;
        self.line.clear();
        Ok(())
    }

    /// Whether the pathspec matches an entry of the index; such a path is not subject to patterns.
    fn is_tracked(&self, pathspec: &Pathspec) -> bool {
        let literal = pathspec.items().first().filter(|item| item.is_literal()).map(|item| item.pattern());
        let range = match literal {
            // Entries of that name, or in a folder of that name.
            Some(path) => self.index.below(path.strip_suffix(b"/").unwrap_or(path)),
            None => 0..self.index.len(),
        };
        range.map(|at| self.index.entry(at)).any(|entry| pathspec.matches(entry.path(), entry.kind()))
    }

    /// The submodule in which `path` lies.
    fn submodule_around(&self, path: &BStr) -> Option<BString> {
        let mut folders = path.find_iter("/").filter(|end| end + 1 < path.len()).map(|end| &path[..end]);
        let is_submodule =
            |folder: &&BStr| self.index.get(folder).is_some_and(|entry| entry.kind() == EntryKind::Gitlink);
        folders.find_map(|folder| Some(folder.as_bstr()).filter(is_submodule)).map(BStr::to_owned)
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
