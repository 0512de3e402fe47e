//! `git diff-tree`: compare two trees, or commits with their parents.

use std::io::{BufRead, Write};

use adit::Repository;
use adit_diff::contents::Objects;
use adit_diff::diffcore::Diffcore;
use adit_diff::show::{Attributes, Formats, Printer};
use adit_object::{Commit, ObjectId, ObjectKind, Source, SourceError};
use bstr::BString;

use crate::context::Context;
use crate::error::Error;
use crate::format::entry::{Entries, Heading};
use crate::format::lookups::{Lookups, Wants};
use crate::log::reporter::{Changes, Job, Parent, Reporter, Worker};
use crate::operands::{Operands, commit_id, peel, tree_id};
use crate::options::diff::{DiffArgs, DiffSetup, Kind};
use crate::options::merges::{self, MergeOptions, Merges};
use crate::options::pretty::{self, PrettyOptions};
use crate::options::{Args, Opt, Table, Usage};
use crate::pathspecs;
use crate::verdict::{Judge, Judged, Verdict};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum O {
    Recursive,
    ShowTrees,
    Stdin,
    Verbose,
    NoCommitId,
    Root,
    MergeBase,
    Always,
}

const USAGE: Usage = Usage {
    name: "diff-tree",
    synopsis: &[
        "git diff-tree [--stdin] [-m] [-s] [-v] [--no-commit-id] [--pretty]",
        "              [-t] [-r] [-c | --cc] [--combined-all-paths] [--root] [--merge-base]",
        "              [<common-diff-options>] <tree-ish> [<tree-ish>] [<path>...]",
    ],
};

const OPTIONS: Table<O> = Table::exact(&[
    Opt::flag(O::Recursive, "", "descend into folders").short(b'r'),
    Opt::flag(O::ShowTrees, "", "show folders too, and descend into them").short(b't'),
    Opt::flag(O::Stdin, "stdin", "read what to compare from standard input"),
    Opt::flag(O::Verbose, "", "show messages of commits").short(b'v'),
    Opt::flag(O::NoCommitId, "no-commit-id", "do not show ids of commits"),
    Opt::flag(O::Root, "root", "show what the first commit added"),
    Opt::flag(O::MergeBase, "merge-base", "compare with the merge base of the two commits"),
    Opt::flag(O::Always, "always", "show commits without changes too"),
]);

/// What the command line said.
#[derive(Default)]
struct Said {
    diff: DiffArgs,
    merges: MergeOptions,
    pretty: PrettyOptions,
    verbose: bool,
    stdin: bool,
    no_commit_id: bool,
    root: bool,
    merge_base: bool,
    always: bool,
    words: Vec<BString>,
    paths: Option<Vec<BString>>,
}

impl Said {
    fn read(words: &[BString]) -> Result<Self, Error> {
        let mut said = Said::default();
        let mut args = Args::new(words);
        while let Some(word) = args.next_option(&mut said.paths, |word, _| said.words.push(word.to_owned())) {
            if let Some(given) = OPTIONS.take(&mut args)? {
                said.apply(given.id);
            } else if let Some(given) = merges::TABLE.take(&mut args)? {
                said.merges.apply(&given)?;
            } else if let Some(given) = pretty::TABLE.take(&mut args)? {
                said.verbose |=
                    matches!(given.id, pretty::Id::Pretty | pretty::Id::Format | pretty::Id::Oneline);
                said.pretty.apply(&given)?;
            } else if !said.diff.take(&mut args)? {
                let usage = OPTIONS.usage(&USAGE);
                let help = word == "-h";
                let error = Error::Usage { message: None, usage: String::new() };
                return Err(if help { Error::help_asked() } else { error }.with_usage(usage));
            }
        }
        Ok(said)
    }

    fn apply(&mut self, option: O) {
        match option {
            O::Recursive => self.diff.recurse(false),
            O::ShowTrees => self.diff.recurse(true),
            O::Stdin => self.stdin = true,
            O::Verbose => self.verbose = true,
            O::NoCommitId => self.no_commit_id = true,
            O::Root => self.root = true,
            O::MergeBase => self.merge_base = true,
            O::Always => self.always = true,
        }
    }

    fn heading(&self) -> Heading {
        match (self.no_commit_id, self.verbose) {
            (true, _) => Heading::Nothing,
            (false, true) => Heading::Commit,
            (false, false) => Heading::Id,
        }
    }
}

/// Runs the command.
pub fn run(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let repo = ctx.repo()?;
    let mut said = Said::read(args)?;
    if said.stdin && said.merge_base {
        return Err(Error::fatal("options '--stdin' and '--merge-base' cannot be used together"));
    }
    let operands = Operands::find(ctx, &repo, &said.words, said.paths.as_deref())?;
    let pathspec = pathspecs::read(&repo, &operands.paths)?;
    if said.merges.implies_patch && !said.diff.chooses_format() {
        let raw_is_enough = said.merges.merges(repo.config(), Merges::Off)? == Merges::Combined;
        if !raw_is_enough {
            said.diff.ask_for_patch();
        }
    }
    let default = Formats { raw: true, ..Formats::default() };
    let color = said.diff.color();
    let diff = std::mem::take(&mut said.diff).setup(ctx, Some(&repo), Kind::Plumbing, default, pathspec)?;
    let wants = Wants {
        color: match color {
            None => false,
            said => crate::format::color::wanted(repo.config(), said, "color.diff", ctx.out_shows_colors())?,
        },
        abbrev: Some(diff.commit_abbrev),
        ..Wants::default()
    };
    let lookups = Lookups::read(ctx, &repo, &said.pretty, &wants)?;
    let abbreviate = repo.abbreviator(diff.abbrev)?;
    let objects = repo.objects()?;
    let attributes = repo.attributes()?;
    let entries = Entries {
        heading: said.heading(),
        printer: lookups.printer(None)?,
        abbrev_commit: said.pretty.abbrev_commit.unwrap_or(false),
        decorate: false,
        parents: false,
        source: false,
        log_size: false,
        separator: if diff.show.names.nul { 0 } else { b'\n' },
        line_prefix: diff.show.patch.line_prefix.clone(),
    };
    let first_parent = crate::log::for_first_parent(&diff.show);
    let changes = Changes {
        first_parent: &first_parent,
        default_digits: repo.abbrev()?,
        all_paths: said.merges.all_paths,
        options: &diff.core,
        show: &diff.show,
        attributes: &attributes,
        abbreviate: &abbreviate,
        merges: said.merges.merges(repo.config(), Merges::Off)?,
        root: said.root,
        judge: Judge::of(&diff),
    };
    let reporter = Reporter { objects, entries, changes: Some(changes), always: said.always };
    let contents = Objects(objects);
    let mut command = DiffTree {
        objects,
        diff: &diff,
        reporter: &reporter,
        worker: reporter.worker(&contents),
        core: Diffcore::new(objects, &diff.core),
        printer: Printer::new(&diff.show, &contents, &attributes, &abbreviate),
        attributes: &attributes,
        shown: false,
        verdict: Verdict::default(),
        out: Vec::new(),
    };
    if said.stdin {
        command.stdin(ctx)?;
    } else {
        command.arguments(ctx, &repo, &operands, said.merge_base)?;
    }
    let verdict = command.verdict;
    if let Some(skipped) = command.core.skipped() {
        crate::commands::diff::warn_skipped(ctx, skipped);
    }
    Ok(verdict.status(&diff))
}

struct DiffTree<'a> {
    objects: &'a adit_odb::Store,
    diff: &'a DiffSetup,
    reporter: &'a Reporter<'a>,
    worker: Worker<'a>,
    core: Diffcore<'a, adit_odb::Store>,
    printer: Printer<'a>,
    attributes: &'a dyn Attributes,
    shown: bool,
    verdict: Verdict,
    out: Vec<u8>,
}

impl DiffTree<'_> {
    fn arguments(
        &mut self,
        ctx: &mut Context<'_>,
        repo: &Repository,
        operands: &Operands,
        merge_base: bool,
    ) -> Result<(), Error> {
        let ids: Vec<ObjectId> = operands.objects.iter().map(|operand| operand.id).collect();
        if merge_base && ids.len() != 2 {
            return Err(Error::fatal("--merge-base only works with two commits"));
        }
        match ids[..] {
            [] => Err(Error::Usage { message: None, usage: OPTIONS.usage(&USAGE) }),
            [id] => self.commit(ctx, id, None),
            [first, second] => {
                let (mut old, mut new) = (first, second);
                if merge_base {
                    (old, new) = merge_base_of(repo, old, new)?;
                } else if operands.objects[1].excluded {
                    (old, new) = (new, old);
                }
                self.trees(ctx, old, new)
            }
            _ => Ok(()),
        }
    }

    /// Compares two trees.
    fn trees(&mut self, ctx: &mut Context<'_>, old: ObjectId, new: ObjectId) -> Result<(), Error> {
        let tree = |id| {
            tree_id(self.objects, id)?.ok_or_else(|| Error::fatal(format!("unable to read tree ({id})")))
        };
        let (old, new) = (tree(old)?, tree(new)?);
        if self.diff.quiet && Judge::of(self.diff) == Judge::Pairs {
            let differs = Some(self.core.differs(Some(&old), Some(&new))?);
            self.verdict.add(Judged { differs, check_failed: false });
            return Ok(());
        }
        let pairs = self.core.compare(Some(&old), Some(&new))?;
        self.out.clear();
        self.printer.print(&pairs, &mut self.out)?;
        let contents = Objects(self.objects);
        let differs = Judge::of(self.diff).differs(
            &self.diff.show,
            &pairs,
            &mut self.printer,
            &contents,
            self.attributes,
        )?;
        let check_failed = self.printer.take_check_failed();
        self.verdict.add(Judged { differs: Some(differs), check_failed });
        ctx.streams.out.write_all(&self.out)?;
        Ok(())
    }

    /// Compares a commit with its parents, or with those that are given.
    fn commit(
        &mut self,
        ctx: &mut Context<'_>,
        id: ObjectId,
        parents: Option<Vec<ObjectId>>,
    ) -> Result<(), Error> {
        let (id, kind) = peel(self.objects, id)?;
        if kind != ObjectKind::Commit {
            ctx.complain(format!("object {id} is a {kind}, not a commit"));
            return Ok(());
        }
        let mut content = Vec::new();
        self.objects.read_kind(&id, ObjectKind::Commit, &mut content)?;
        let commit = Commit::parse(id.format(), &content);
        let commit = commit.map_err(|error| SourceError::Malformed { id, error })?;
        let parents = parents.unwrap_or_else(|| commit.parents().collect());
        let mut job = Job::new(id, commit.tree());
        for id in parents {
            let tree = tree_id(self.objects, id)?;
            let tree = tree.ok_or_else(|| Error::fatal(format!("unable to read tree ({id})")))?;
            job.parents.push(Parent { id, tree });
        }
        job.content = Some(content.into_boxed_slice());
        self.out.clear();
        if self.reporter.report(&mut self.worker, job, &mut self.out)?.is_some() {
            let skip = if self.shown { 0 } else { self.reporter.entries.apart_len() };
            self.shown = true;
            ctx.streams.out.write_all(self.out.get(skip..).unwrap_or_default())?;
        }
        self.verdict.add(self.worker.take_judged());
        Ok(())
    }

    /// Reads lines of one commit with or without parents, or of two trees; other lines are passed on.
    fn stdin(&mut self, ctx: &mut Context<'_>) -> Result<(), Error> {
        let mut line = Vec::new();
        loop {
            line.clear();
            if ctx.streams.input.read_until(b'\n', &mut line)? == 0 {
                return Ok(());
            }
            let text = line.strip_suffix(b"\n").unwrap_or(&line).to_owned();
            let format = self.objects.format();
            let hex_len = format.hex_len();
            let id = |at: usize| ObjectId::from_hex(format, text.get(at..at + hex_len)?).ok();
            match id(0) {
                None => ctx.streams.out.write_all(&line)?,
                Some(first) => match self.objects.try_header(&first)?.map(|header| header.kind) {
                    None => {}
                    Some(ObjectKind::Commit | ObjectKind::Tag) => {
                        let mut at = hex_len;
                        let mut parents = None;
                        while text.get(at) == Some(&b' ')
                            && let Some(parent) = id(at + 1)
                        {
                            let parent = commit_id(self.objects, parent)?;
                            parents.get_or_insert_with(Vec::new).push(parent);
                            at += 1 + hex_len;
                        }
                        self.commit(ctx, first, parents)?;
                    }
                    Some(ObjectKind::Tree) => match id(hex_len + 1) {
                        Some(second) if text.len() == 2 * hex_len + 1 && text[hex_len] == b' ' => {
                            writeln!(ctx.streams.out, "{first} {second}")?;
                            self.trees(ctx, first, second)?;
                        }
                        _ => ctx.complain("Need exactly two trees, separated by a space"),
                    },
                    Some(ObjectKind::Blob) => {
                        ctx.complain(format!("Object {first} is a blob, not a commit or tree"));
                    }
                },
            }
            ctx.streams.out.flush()?;
        }
    }
}

/// The only merge base of two commits, and the second of them.
///
/// # Errors
/// When there is none, or several.
pub fn merge_base_of(
    repo: &Repository,
    first: ObjectId,
    second: ObjectId,
) -> Result<(ObjectId, ObjectId), Error> {
    let objects = repo.objects()?;
    let commit = |id| match peel(objects, id)? {
        (id, ObjectKind::Commit) => Ok(id),
        _ => Err(Error::fatal("--merge-base only works with commits")),
    };
    let (first, second) = (commit(first)?, commit(second)?);
    match repo.merge_bases(&first, &[second])?[..] {
        [] => Err(Error::fatal("no merge base found")),
        [base] => Ok((base, second)),
        _ => Err(Error::fatal("multiple merge bases found")),
    }
}
