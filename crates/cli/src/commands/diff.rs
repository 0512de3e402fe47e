//! `git diff`: show what differs between trees or blobs of a repository, or between files outside of one.

use std::io::Write;

use adit::Repository;
use adit_diff::contents::Objects;
use adit_diff::diffcore::Diffcore;
use adit_diff::renames::Skipped;
use adit_diff::show::{Formats, Printer};
use adit_diff::{FilePair, Side};
use adit_object::{ObjectId, ObjectKind};
use bstr::BString;

use super::diff_tree::merge_base_of;
use crate::context::Context;
use crate::error::Error;
use crate::log::{ChangeWorker, Changes};
use crate::operands::{Operand, Operands, peel, tree_id};
use crate::options::diff::{DiffArgs, DiffSetup, Kind};
use crate::options::merges::{self, MergeOptions, Merges};
use crate::options::{Args, Opt, Table, Usage};
use crate::pathspecs;
use crate::verdict::{Judge, Judged, Verdict};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum O {
    Cached,
    MergeBase,
    NoIndex,
    Recursive,
    ShowTrees,
    Stage,
}

const USAGE: Usage = Usage {
    name: "diff",
    synopsis: &[
        "git diff [<options>] [--merge-base] <commit> <commit> [--] [<path>...]",
        "git diff [<options>] <merge> <parent> <parent>... [--] [<path>...]",
        "git diff [<options>] <commit>...<commit> [--] [<path>...]",
        "git diff [<options>] <blob> <blob>",
        "git diff [<options>] --no-index [--] <path> <path>",
    ],
};

const OPTIONS: Table<O> = Table::exact(&[
    Opt::flag(O::Cached, "cached", "compare with the index"),
    Opt::flag(O::Cached, "staged", "compare with the index"),
    Opt::flag(O::MergeBase, "merge-base", "compare with the merge base of the two commits"),
    Opt::flag(O::NoIndex, "no-index", "compare two files or folders outside of a repository"),
    Opt::flag(O::Recursive, "", "descend into folders").short(b'r').hidden(),
    Opt::flag(O::ShowTrees, "", "show folders too").short(b't').hidden(),
    Opt::flag(O::Stage, "base", "compare with a stage of an unmerged path").short(b'1'),
    Opt::flag(O::Stage, "ours", "compare with a stage of an unmerged path").short(b'2'),
    Opt::flag(O::Stage, "theirs", "compare with a stage of an unmerged path").short(b'3'),
    Opt::flag(O::Stage, "", "compare with a stage of an unmerged path").short(b'0'),
]);

/// What the command line said.
#[derive(Default)]
struct Said {
    diff: DiffArgs,
    merges: MergeOptions,
    cached: bool,
    merge_base: bool,
    no_index: bool,
    words: Vec<BString>,
    paths: Option<Vec<BString>>,
}

impl Said {
    fn read(words: &[BString]) -> Result<Self, Error> {
        let mut said = Said::default();
        let mut args = Args::new(words);
        while let Some(word) = args.next_option(&mut said.paths, |word, _| said.words.push(word.to_owned())) {
            if let Some(given) = OPTIONS.take(&mut args)? {
                match given.id {
                    O::Cached => said.cached = true,
                    O::MergeBase => said.merge_base = true,
                    O::NoIndex => said.no_index = true,
                    O::Recursive => said.diff.recurse(false),
                    O::ShowTrees => said.diff.recurse(true),
                    O::Stage => return Err(Error::unsupported("comparing with the index")),
                }
            } else if let Some(given) = merges::TABLE.take(&mut args)? {
                said.merges.apply(&given)?;
            } else if !said.diff.take(&mut args)? {
                let usage = OPTIONS.usage(&USAGE);
                if word == "-h" {
                    return Err(Error::help_asked().with_usage(usage));
                }
                return Err(Error::usage_line(format!("invalid option: {word}")).with_usage(usage));
            }
        }
        Ok(said)
    }
}

/// Runs the command.
pub fn run(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let mut said = Said::read(args)?;
    let repo = if said.no_index { None } else { ctx.repo_if_any() };
    let default = Formats { patch: true, ..Formats::default() };
    let Some(repo) = repo else {
        if said.merges.is_explicit() {
            return Err(Error::Usage { message: None, usage: OPTIONS.usage(&USAGE) });
        }
        let paths = [said.words, said.paths.unwrap_or_default()].concat();
        if !said.no_index && paths.len() != 2 {
            ctx.warn("Not a git repository. Use --no-index to compare two paths outside a working tree");
        }
        return super::diff_no_index::run(ctx, said.diff, &paths, OPTIONS.usage(&USAGE));
    };
    if said.cached {
        return Err(Error::unsupported("comparing with the index"));
    }
    let operands = Operands::find(ctx, &repo, &said.words, said.paths.as_deref())?;
    let pathspec = pathspecs::read(&repo, &operands.paths)?;
    said.diff.recurse(false);
    said.diff.allow_external();
    let diff = said.diff.setup(ctx, Some(&repo), Kind::Porcelain, default, pathspec)?;
    let compared = choose(&repo, &operands, said.merge_base)?;
    let mut command = Diff { repo: &repo, setup: &diff, merges: said.merges };
    command.show(ctx, &compared)
}

/// What is compared with what.
enum Compared {
    Trees(Operand, Operand),
    /// A merge, and its parents.
    Merge(Operand, Vec<Operand>),
    Blobs(Operand, Operand),
}

/// Decides what the operands mean.
fn choose(repo: &Repository, operands: &Operands, merge_base: bool) -> Result<Compared, Error> {
    let objects = repo.objects()?;
    let (mut blobs, mut trees) = (Vec::new(), Vec::new());
    for operand in &operands.objects {
        let (id, kind) = peel(objects, operand.id)?;
        let operand = Operand { id, ..operand.clone() };
        if kind == ObjectKind::Blob { blobs.push(operand) } else { trees.push(operand) }
    }
    if let [_, _, third, ..] = &blobs[..] {
        return Err(Error::fatal(format!("more than two blobs given: '{}'", third.name)));
    }
    let usage = || Error::Usage { message: None, usage: OPTIONS.usage(&USAGE) };
    if !blobs.is_empty() && (!trees.is_empty() || blobs.len() == 2 && !operands.paths.is_empty()) {
        return Err(usage());
    }
    if let [old, new] = &blobs[..] {
        return Ok(Compared::Blobs(old.clone(), new.clone()));
    }
    if trees.len() < 2 {
        return Err(Error::unsupported("comparing with the index or the working tree"));
    }
    if operands.symmetric.is_some() {
        let bases: Vec<&Operand> = trees.iter().filter(|tree| tree.excluded).collect();
        let ends: Vec<&Operand> = trees.iter().filter(|tree| !tree.excluded).collect();
        return match (&bases[..], &ends[..]) {
            ([], [left, right]) => {
                Err(Error::fatal(format!("{}...{}: no merge base", left.name, right.name)))
            }
            ([base, ..], [_, right]) => Ok(Compared::Trees((*base).clone(), (*right).clone())),
            _ => Err(usage()),
        };
    }
    match &trees[..] {
        [first, second] if merge_base => {
            let (base, _) = merge_base_of(repo, first.id, second.id)?;
            Ok(Compared::Trees(Operand { id: base, ..first.clone() }, second.clone()))
        }
        [first, second] if second.excluded => Ok(Compared::Trees(second.clone(), first.clone())),
        [first, second] => Ok(Compared::Trees(first.clone(), second.clone())),
        _ if merge_base || trees.iter().any(|tree| tree.of_range) => Err(usage()),
        _ => match trees.iter().position(|tree| !tree.is_parent) {
            Some(at) => {
                let merge = trees.remove(at);
                Ok(Compared::Merge(merge, trees))
            }
            None => Err(Error::fatal("no merge given, only parents.")),
        },
    }
}

struct Diff<'r> {
    repo: &'r Repository,
    setup: &'r DiffSetup,
    merges: MergeOptions,
}

impl Diff<'_> {
    fn show(&mut self, ctx: &mut Context<'_>, compared: &Compared) -> Result<u8, Error> {
        let (repo, setup) = (self.repo, self.setup);
        let objects = repo.objects()?;
        let contents = Objects(objects);
        let abbreviate = repo.abbreviator(setup.abbrev)?;
        let mut core = Diffcore::new(objects, &setup.core);
        let attributes = repo.attributes()?;
        let mut printer = Printer::new(&setup.show, &contents, &attributes, &abbreviate);
        let tree = |operand: &Operand| {
            let missing = || Error::fatal(format!("unhandled object '{}' given.", operand.name));
            tree_id(objects, operand.id)?.ok_or_else(missing)
        };
        let pairs = match compared {
            Compared::Trees(old, new) => {
                let (old, new) = (tree(old)?, tree(new)?);
                if setup.quiet && Judge::of(setup) == Judge::Pairs {
                    return Ok(u8::from(core.differs(Some(&old), Some(&new))?));
                }
                core.compare(Some(&old), Some(&new))?
            }
            Compared::Blobs(old, new) => core.transform(blob_pair(old, new))?,
            Compared::Merge(merge, parents) => {
                let parents = parents.iter().map(tree).collect::<Result<Vec<_>, _>>()?;
                return self.show_merge(ctx, tree(merge)?, &parents);
            }
        };
        if let Some(skipped) = core.skipped() {
            warn_skipped(ctx, skipped);
        }
        let mut out = Vec::new();
        ctx.streams.out.flush()?;
        if let Err(error) = printer.print(&pairs, &mut out) {
            // What came before stands.
            ctx.streams.out.write_all(&out)?;
            return Err(error.into());
        }
        let differs = Judge::of(setup).differs(&setup.show, &pairs, &mut printer, &contents, &attributes)?;
        ctx.streams.out.write_all(&out)?;
        let mut verdict = Verdict::default();
        verdict.add(Judged { differs: Some(differs), check_failed: printer.take_check_failed() });
        Ok(verdict.status(setup))
    }

    /// Shows what a merge has made of its parents; the exit status does not tell of it.
    fn show_merge(&self, ctx: &mut Context<'_>, merge: ObjectId, parents: &[ObjectId]) -> Result<u8, Error> {
        let (repo, setup) = (self.repo, self.setup);
        let merges = match self.merges.merges(repo.config(), Merges::Dense)? {
            Merges::Combined => Merges::Combined,
            _ => Merges::Dense,
        };
        let first_parent = crate::log::for_first_parent(&setup.show);
        let (attributes, abbreviate) = (repo.attributes()?, repo.abbreviator(setup.abbrev)?);
        let changes = Changes {
            options: &setup.core,
            show: &setup.show,
            attributes: &attributes,
            abbreviate: &abbreviate,
            merges,
            first_parent: &first_parent,
            default_digits: repo.abbrev()?,
            all_paths: self.merges.all_paths,
            root: false,
            judge: Judge::Nobody,
        };
        let contents = Objects(repo.objects()?);
        let mut worker = ChangeWorker::new(repo.objects()?, &changes, &contents);
        let mut out = Vec::new();
        worker.append_combined(&changes, parents.iter().copied(), merge, &mut out)?;
        ctx.streams.out.write_all(&out)?;
        Ok(0)
    }
}

/// Two blobs as a pair; none when they are the same.
fn blob_pair(old: &Operand, new: &Operand) -> Vec<FilePair> {
    const PLAIN: u32 = 0o100644;
    let side = |operand: &Operand| Side {
        mode: operand.mode.map_or(PLAIN, adit_diff::trees::normal_mode),
        id: operand.id,
        path: operand.path.clone().unwrap_or_else(|| operand.name.clone()),
    };
    let (old, new) = (side(old), side(new));
    if old.id == new.id && old.mode == new.mode {
        return Vec::new();
    }
    vec![FilePair::new(old, new)]
}

/// Warns of rename detection that was left out.
pub(super) fn warn_skipped(ctx: &mut Context<'_>, skipped: Skipped) {
    if skipped.only_modified {
        ctx.warn("only found copies from modified paths due to too many files.");
    } else {
        ctx.warn("exhaustive rename detection was skipped due to too many files.");
    }
    let needed = skipped.needed;
    ctx.warn(format!(
        "you may want to set your diff.renameLimit variable to at least {needed} and retry the command."
    ));
}
