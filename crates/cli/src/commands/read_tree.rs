//! `git read-tree`: bring trees into the index.

use adit::Repository;
use adit_index::{Index, MergeError, read_tree};
use adit_object::ObjectId;
use adit_revision::names::{NameError, Want};
use bstr::{BStr, BString, ByteSlice};

use crate::context::Context;
use crate::error::Error;
use crate::names::Said;
use crate::operands::tree_id;
use crate::options::{Opt, Table, Usage};

#[derive(Clone, Copy)]
enum O {
    IndexOutput,
    Empty,
    Merge,
    Trivial,
    Aggressive,
    Reset,
    Prefix,
    Update,
    IndexOnly,
    NoSparse,
    DryRun,
    Quiet,
    /// Nothing to do: there is no progress to show, no submodule to visit.
    Nothing,
    Later(&'static str),
}

const USAGE: Usage = Usage {
    name: "read-tree",
    synopsis: &[
        "git read-tree [(-m [--aggressive] | --reset | --prefix=<prefix>) [-i]] [--index-output=<file>] \
         [-n] [-q] <tree-ish1> [<tree-ish2>]",
        "git read-tree --empty",
    ],
};

const OPTIONS: Table<O> = Table::new(&[
    Opt::value(O::IndexOutput, "index-output", "file", "write the index to this file"),
    Opt::flag(O::Empty, "empty", "make the index empty").no(),
    Opt::flag(O::Nothing, "", "be verbose").short(b'v'),
    Opt::flag(O::Merge, "", "merge what is read with what is there").short(b'm'),
    Opt::flag(O::Trivial, "trivial", "merge three trees only where no file needs it").no(),
    Opt::flag(O::Aggressive, "aggressive", "decide more cases of a merge of three trees").no(),
    Opt::flag(O::Reset, "reset", "like -m, and throw conflicts away").no(),
    Opt::value(O::Prefix, "prefix", "subdirectory/", "read the tree into this folder"),
    Opt::flag(O::Update, "", "update the working tree").short(b'u'),
    Opt::flag(O::IndexOnly, "", "do not look at the working tree").short(b'i'),
    Opt::flag(O::NoSparse, "no-sparse-checkout", "read all files").no(),
    Opt::flag(O::DryRun, "dry-run", "change nothing").short(b'n').no(),
    Opt::flag(O::Quiet, "quiet", "say nothing").short(b'q').no(),
    Opt::flag(O::Later("--recurse-submodules"), "recurse-submodules", "update submodules").no(),
]);

/// What was asked for.
#[derive(Default)]
struct Asked {
    empty: bool,
    merge: bool,
    reset: bool,
    prefix: Option<BString>,
    index_only: bool,
    dry_run: bool,
}

/// Runs the command.
pub fn run(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let mut asked = Asked::default();
    let names = OPTIONS.parse(&USAGE, args, |given| {
        let on = given.on();
        match given.id {
            O::Empty => asked.empty = on,
            O::Merge => asked.merge = true,
            O::Reset => asked.reset = on,
            O::Prefix => asked.prefix = given.value,
            O::IndexOnly => asked.index_only = true,
            O::DryRun => asked.dry_run = on,
            O::NoSparse | O::Quiet | O::Nothing | O::Aggressive => {}
            O::Update => return Err(Error::unsupported("read-tree -u")),
            O::Trivial if on => return Err(Error::unsupported("read-tree --trivial")),
            O::Trivial => {}
            O::IndexOutput => return Err(Error::unsupported("read-tree --index-output")),
            O::Later(_) if !on => {}
            O::Later(name) => return Err(Error::unsupported(&format!("read-tree {name}"))),
        }
        Ok(())
    })?;
    if u8::from(asked.merge) + u8::from(asked.reset) + u8::from(asked.prefix.is_some()) > 1 {
        return Err(Error::fatal("Which one? -m, --reset, or --prefix?"));
    }
    let repo = ctx.repo()?;
    if repo.config().bool("core.sparsecheckout")?.unwrap_or(false) {
        return Err(Error::unsupported("read-tree in a sparse checkout"));
    }
    let lock = repo.lock_index()?;
    let merges = asked.merge || asked.prefix.is_some();
    // What is replaced as a whole need not be readable.
    let mut index = if merges || asked.reset { repo.index_to_change()? } else { repo.new_index()? };
    if index.is_sparse() {
        index.expand(repo.objects()?)?;
    }
    if merges && index.has_conflicts() {
        return Err(Error::fatal("You need to resolve your current index first"));
    }
    let trees = names.iter().map(|name| tree_of(ctx, &repo, name)).collect::<Result<Vec<_>, _>>()?;
    if trees.is_empty() && !asked.empty && !asked.merge && !asked.reset {
        ctx.warn("read-tree: emptying the index with no arguments is deprecated; use --empty");
    } else if !trees.is_empty() && asked.empty {
        return Err(Error::fatal("passing trees as arguments contradicts --empty"));
    }
    if let Err(error) = bring_in(&repo, &mut index, &asked, &trees)? {
        ctx.complain(error);
        return Err(Error::Exit(128));
    }
    if asked.dry_run {
        return Ok(0);
    }
    if trees.len() != 1 || asked.prefix.is_some() {
        repo.find_index_trees(&mut index)?;
    }
    let work = if repo.work_tree().is_some() { Some(repo.work_files()?) } else { None };
    repo.write_index(&mut index, lock, |entry| work.as_ref().is_some_and(|work| work.changed_unseen(entry)))?;
    Ok(0)
}

/// Brings the trees into the index as was asked; the inner error is why they cannot be.
fn bring_in(
    repo: &Repository,
    index: &mut Index,
    asked: &Asked,
    trees: &[ObjectId],
) -> Result<Result<(), MergeError>, Error> {
    let objects = repo.objects()?;
    let work = match repo.work_tree() {
        Some(_) if !asked.index_only && !asked.reset => Some(repo.work_files()?),
        _ => None,
    };
    let mut is_uptodate = |index: &Index, entry: &adit_index::Entry<'_>| match &work {
        None => true,
        Some(_) if entry.is_unwatched() => true,
        Some(work) => work.is_uptodate(index, entry),
    };
    index.mark_changed();
    Ok(match (trees, &asked.prefix) {
        ([], None) if !asked.merge && !asked.reset => {
            index.clear();
            Ok(())
        }
        ([tree], Some(prefix)) => {
            let folder = prefix.trim_end_with(|c| c == '/');
            let prefix = if folder.is_empty() { Vec::new() } else { [folder, b"/"].concat() };
            index.bind(read_tree(objects, tree, &prefix)?, &prefix)
        }
        ([tree], None) if asked.merge || asked.reset => {
            index.merge_one(read_tree(objects, tree, b"")?, &mut is_uptodate)
        }
        ([tree], None) => {
            index.replace_with(read_tree(objects, tree, b"")?);
            Ok(())
        }
        ([old, new], None) if asked.merge || asked.reset => {
            let (old, new) = (read_tree(objects, old, b"")?, read_tree(objects, new, b"")?);
            if asked.reset {
                drop_conflicts(index);
            }
            index.merge_two(&old.entries, &new.entries, &mut is_uptodate)
        }
        ([], _) => {
            return Err(Error::fatal("you must specify at least one tree to merge"));
        }
        _ => return Err(Error::unsupported("read-tree with so many trees")),
    })
}

/// Takes the entries of paths in conflict out.
fn drop_conflicts(index: &mut Index) {
    for at in (0..index.len()).rev() {
        if index.entry(at).stage() != adit_index::Stage::Merged {
            index.remove_range(at..at + 1);
        }
    }
}

/// The tree that `name` stands for.
fn tree_of(ctx: &mut Context<'_>, repo: &Repository, name: &BString) -> Result<ObjectId, Error> {
    let context = repo.name_context()?;
    let said = Said::new(&mut *ctx.streams.err);
    let names = context.names(&said)?;
    let unknown = |name: &BStr| Error::fatal(format!("Not a valid object name {name}"));
    let id = match names.resolve_as(name, Want::Treeish) {
        Err(NameError::Unknown) => return Err(unknown(name.as_bstr())),
        other => other?,
    };
    tree_id(repo.objects()?, id)?.ok_or_else(|| Error::fatal(format!("failed to unpack tree object {name}")))
}
