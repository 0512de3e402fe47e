//! `git ls-tree`: list the entries of a tree.

mod format;

use adit_diff::pathspec::{Interest, Pathspec, PathspecOptions};
use adit_object::{EntryKind, ObjectId, ObjectKind, Source, Tree, TreeEntry};
use adit_revision::names::{NameError, Want};
use bstr::{BString, ByteSlice};

use crate::context::Context;
use crate::error::Error;
use crate::names::Said;
use crate::options::{Given, Opt, Table, Usage};
use format::{Line, Style};

#[derive(Clone, Copy)]
enum O {
    TreesOnly,
    Recurse,
    ShowTrees,
    Nul,
    Long,
    NameOnly,
    ObjectOnly,
    FullName,
    FullTree,
    Format,
    Abbrev,
}

const USAGE: Usage = Usage { name: "ls-tree", synopsis: &["git ls-tree [<options>] <tree-ish> [<path>...]"] };
const OPTIONS: Table<O> = Table::new(&[
    Opt::flag(O::TreesOnly, "", "only show trees").short(b'd'),
    Opt::flag(O::Recurse, "", "recurse into subtrees").short(b'r'),
    Opt::flag(O::ShowTrees, "", "show trees when recursing").short(b't'),
    Opt::flag(O::Nul, "", "end each entry with a NUL byte").short(b'z'),
    Opt::flag(O::Long, "long", "include object sizes").short(b'l').no(),
    Opt::flag(O::NameOnly, "name-only", "list only names").no(),
    Opt::flag(O::NameOnly, "name-status", "list only names").no(),
    Opt::flag(O::ObjectOnly, "object-only", "list only objects").no(),
    Opt::flag(O::FullName, "full-name", "use full path names").no(),
    Opt::flag(O::FullTree, "full-tree", "list the whole tree, not just the current folder").no(),
    Opt::value(O::Format, "format", "format", "print each entry in this format").no(),
    Opt::optional(O::Abbrev, "abbrev", "n", "use <n> digits to show object ids").no(),
]);

/// What was asked for.
#[derive(Default)]
struct Options {
    trees_only: bool,
    recurse: bool,
    show_trees: bool,
    nul: bool,
    full_name: bool,
    full_tree: bool,
    abbrev: Option<usize>,
    style: Style,
    /// The option that chose the style, to name when two contradict each other.
    style_option: Option<&'static str>,
}

impl Options {
    fn take(
        &mut self,
        given: Given<O>,
        default_abbrev: &dyn Fn() -> Result<usize, Error>,
    ) -> Result<(), Error> {
        match given.id {
            O::TreesOnly => self.trees_only = true,
            O::Recurse => self.recurse = true,
            O::ShowTrees => self.show_trees = true,
            O::Nul => self.nul = true,
            O::Long => self.choose("--long", Style::Long, &given)?,
            O::NameOnly => self.choose("--name-only", Style::NameOnly, &given)?,
            O::ObjectOnly => self.choose("--object-only", Style::ObjectOnly, &given)?,
            O::FullName => self.full_name = given.on(),
            O::FullTree => self.full_tree = given.on(),
            O::Format if given.negated => self.style = Style::default(),
            O::Format => self.style = Style::custom(given.text())?,
            O::Abbrev if given.negated => self.abbrev = None,
            O::Abbrev if given.value.is_none() => self.abbrev = Some(default_abbrev()?),
            O::Abbrev => self.abbrev = Some(usize::try_from(given.unsigned()?).unwrap_or(usize::MAX)),
        }
        Ok(())
    }

    fn choose(&mut self, option: &'static str, style: Style, given: &Given<O>) -> Result<(), Error> {
        if given.negated {
            self.style = Style::default();
            self.style_option = None;
            return Ok(());
        }
        if let Some(other) = self.style_option.filter(|other| *other != option) {
            return Err(Error::usage_line(format!(
                "options '{option}' and '{other}' cannot be used together"
            )));
        }
        self.style = style;
        self.style_option = Some(option);
        Ok(())
    }
}

/// Runs the command.
pub fn run(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let mut options = Options::default();
    let repo = ctx.repo_if_any();
    let default_abbrev = || Ok(repo.as_ref().map(|repo| repo.abbrev()).transpose()?.unwrap_or(7));
    let words = OPTIONS.parse(&USAGE, args, |given| options.take(given, &default_abbrev))?;
    let Some((name, paths)) = words.split_first() else {
        return Err(Error::Usage { message: None, usage: OPTIONS.usage(&USAGE) });
    };
    let repo = ctx.repo()?;
    if options.trees_only && options.recurse {
        options.show_trees = true;
    }
    let prefix = if options.full_tree { b"".as_bstr() } else { repo.prefix() };
    let pathspec = Pathspec::parse(
        paths,
        &PathspecOptions { prefix, work_tree: repo.work_tree(), literal: true, ..Default::default() },
    )?;
    let pathspec = if paths.is_empty() && !prefix.is_empty() {
        // Without paths, the current folder is what is listed.
        Pathspec::parse(&["./"], &PathspecOptions { prefix, literal: true, ..Default::default() })?
    } else {
        pathspec
    };
    let root = tree_of(ctx, name)?;
    let shown_prefix = if options.full_name || options.full_tree { b"".as_bstr() } else { prefix };
    let line = Line {
        repo: &repo,
        style: &options.style,
        abbrev: options.abbrev,
        nul: options.nul,
        prefix: shown_prefix,
    };
    list(&options, &pathspec, root, &line, ctx)?;
    Ok(0)
}

/// The tree that `name` stands for.
fn tree_of(ctx: &mut Context<'_>, name: &BString) -> Result<ObjectId, Error> {
    let repo = ctx.repo()?;
    let context = repo.name_context()?;
    let said = Said::new(&mut *ctx.streams.err);
    let names = context.names(&said)?;
    let id = match names.resolve_as(name, Want::Treeish) {
        Err(NameError::Unknown) => return Err(Error::fatal(format!("Not a valid object name {name}"))),
        other => other?,
    };
    names.peeled(&id, ObjectKind::Tree)?.ok_or_else(|| Error::fatal("not a tree object"))
}

/// A folder that is being listed: its bytes, how far they are read, and how long its path is.
struct Level {
    bytes: Vec<u8>,
    at: usize,
    path_len: usize,
}

/// Walks the tree and prints what is wanted, without recursion, however deep it is.
fn list(
    options: &Options,
    pathspec: &Pathspec,
    root: ObjectId,
    line: &Line<'_>,
    ctx: &mut Context<'_>,
) -> Result<(), Error> {
    let objects = line.repo.objects()?;
    let format = objects.format();
    let mut text = Vec::new();
    let mut path = BString::default();
    let mut bytes = Vec::new();
    objects.read_kind(&root, ObjectKind::Tree, &mut bytes)?;
    let mut levels = vec![Level { bytes, at: 0, path_len: 0 }];
    while let Some(level) = levels.last_mut() {
        path.truncate(level.path_len);
        let mut rest = Tree::new(format, &level.bytes[level.at..]);
        let Some(entry) = rest.next() else {
            levels.pop();
            continue;
        };
        level.at = level.bytes.len() - rest.rest().len();
        let entry = entry.map_err(|error| Error::fatal(error.what))?;
        let base = path.len();
        path.extend_from_slice(entry.name);
        let Some(interest) = pathspec.interest(path.as_bstr(), base, entry.kind(), false) else { continue };
        let descend =
            entry.kind() == EntryKind::Tree && (options.recurse || is_on_the_way(pathspec, &path, interest));
        if wanted(options, &entry, descend) {
            line.write(&entry, path.as_bstr(), &mut text)?;
            ctx.streams.out.write_all(&text)?;
            text.clear();
        }
        if descend {
            let id = entry.id(format);
            let mut bytes = Vec::new();
            objects.read_kind(&id, ObjectKind::Tree, &mut bytes)?;
            path.push(b'/');
            levels.push(Level { bytes, at: 0, path_len: path.len() });
        }
    }
    Ok(())
}

/// Whether an item names something below the folder `path`, or the folder with a slash: its content.
fn is_on_the_way(pathspec: &Pathspec, path: &BString, interest: Interest) -> bool {
    interest == Interest::Within
        || pathspec.items().iter().any(|item| {
            item.pattern().strip_prefix(path.as_slice()).is_some_and(|below| below.starts_with(b"/"))
        })
}

fn wanted(options: &Options, entry: &TreeEntry<'_>, descend: bool) -> bool {
    match entry.kind() {
        EntryKind::Tree => !descend || options.show_trees,
        EntryKind::Gitlink => true,
        _ => !options.trees_only,
    }
}
