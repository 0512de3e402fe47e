//! The table of commands: what each is called, what it needs, and how it is run.

use bstr::BString;

use crate::commands as c;
use crate::context::Context;
use crate::error::Error;

/// What must be there before a command runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Nothing.
    Nothing,
    /// A repository is used when there is one.
    RepositoryIfAny,
    /// A repository.
    Repository,
}

/// Whether the output of a command goes through a pager on a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pager {
    /// Only when `-p` or `pager.<command>` asks for it.
    WhenAsked,
    /// Unless `-P` or `pager.<command>` forbids it.
    ByDefault,
    /// The command decides itself, from its arguments.
    Itself,
}

/// One command.
pub struct Command {
    /// Its name, as typed.
    pub name: &'static str,
    /// What it must have.
    pub needs: Needs,
    /// Whether it is paged.
    pub pager: Pager,
    /// Runs it with the arguments after its name; the status that the process ends with comes back.
    pub run: fn(&mut Context<'_>, &[BString]) -> Result<u8, Error>,
    /// What it is for, in a line.
    pub summary: &'static str,
}

/// All commands, sorted by name.
pub const COMMANDS: &[Command] = &[
    Command {
        name: "branch",
        needs: Needs::Repository,
        pager: Pager::Itself,
        run: c::branch::run,
        summary: "Make, rename, copy, delete, set up and list branches",
    },
    Command {
        name: "cat-file",
        needs: Needs::Repository,
        pager: Pager::WhenAsked,
        run: c::cat_file::run,
        summary: "Show what objects are and hold",
    },
    Command {
        name: "check-attr",
        needs: Needs::Repository,
        pager: Pager::WhenAsked,
        run: c::check_attr::run,
        summary: "Tell what attributes paths have",
    },
    Command {
        name: "check-ignore",
        needs: Needs::Repository,
        pager: Pager::WhenAsked,
        run: c::check_ignore::run,
        summary: "Tell which paths are ignored, and why",
    },
    Command {
        name: "check-ref-format",
        needs: Needs::Nothing,
        pager: Pager::WhenAsked,
        run: c::check_ref_format::run,
        summary: "Tell whether a reference can be called so",
    },
    Command {
        name: "column",
        needs: Needs::RepositoryIfAny,
        pager: Pager::WhenAsked,
        run: c::column::run,
        summary: "Lay lines out in columns",
    },
    Command {
        name: "commit-tree",
        needs: Needs::Repository,
        pager: Pager::WhenAsked,
        run: c::commit_tree::run,
        summary: "Make a commit of a tree",
    },
    Command {
        name: "config",
        needs: Needs::RepositoryIfAny,
        pager: Pager::Itself,
        run: c::config::run,
        summary: "Show and change configuration",
    },
    Command {
        name: "count-objects",
        needs: Needs::Repository,
        pager: Pager::WhenAsked,
        run: c::count_objects::run,
        summary: "Count the objects that are not packed, and the room they take",
    },
    Command {
        name: "describe",
        needs: Needs::Repository,
        pager: Pager::WhenAsked,
        run: c::describe::run,
        summary: "Call a commit after the nearest tag",
    },
    Command {
        name: "diff",
        needs: Needs::RepositoryIfAny,
        pager: Pager::ByDefault,
        run: c::diff::run,
        summary: "Show what differs between trees or blobs",
    },
    Command {
        name: "diff-tree",
        needs: Needs::Repository,
        pager: Pager::WhenAsked,
        run: c::diff_tree::run,
        summary: "Compare two trees, or commits with their parents",
    },
    Command {
        name: "for-each-ref",
        needs: Needs::Repository,
        pager: Pager::WhenAsked,
        run: c::for_each_ref::run,
        summary: "List references in a format of your own",
    },
    Command {
        name: "hash-object",
        needs: Needs::Nothing,
        pager: Pager::WhenAsked,
        run: c::hash_object::run,
        summary: "Name the content of files as objects, and store them",
    },
    Command {
        name: "help",
        needs: Needs::RepositoryIfAny,
        pager: Pager::WhenAsked,
        run: c::help::run,
        summary: "Show help for Adit or for one of its commands",
    },
    Command {
        name: "init",
        needs: Needs::Nothing,
        pager: Pager::WhenAsked,
        run: c::init::run,
        summary: "Make a repository, or make one anew",
    },
    Command {
        name: "init-db",
        needs: Needs::Nothing,
        pager: Pager::WhenAsked,
        run: c::init::run,
        summary: "Make a repository (an old name of init)",
    },
    Command {
        name: "log",
        needs: Needs::Repository,
        pager: Pager::ByDefault,
        run: c::log::run,
        summary: "Show the history of commits",
    },
    Command {
        name: "ls-files",
        needs: Needs::Repository,
        pager: Pager::WhenAsked,
        run: c::ls_files::run,
        summary: "List the files of the index, and those that differ from it",
    },
    Command {
        name: "ls-tree",
        needs: Needs::Repository,
        pager: Pager::WhenAsked,
        run: c::ls_tree::run,
        summary: "List the entries of a tree",
    },
    Command {
        name: "merge-base",
        needs: Needs::Repository,
        pager: Pager::WhenAsked,
        run: c::merge_base::run,
        summary: "Find the best common ancestors of commits",
    },
    Command {
        name: "mktag",
        needs: Needs::Repository,
        pager: Pager::WhenAsked,
        run: c::mktag::run,
        summary: "Store a tag object after a look at it",
    },
    Command {
        name: "mktree",
        needs: Needs::Repository,
        pager: Pager::WhenAsked,
        run: c::mktree::run,
        summary: "Make a tree object of a listing",
    },
    Command {
        name: "name-rev",
        needs: Needs::Repository,
        pager: Pager::WhenAsked,
        run: c::name_rev::run,
        summary: "Call commits after references that reach them",
    },
    Command {
        name: "pack-refs",
        needs: Needs::Repository,
        pager: Pager::WhenAsked,
        run: c::pack_refs::run,
        summary: "Store references together, where they are found faster",
    },
    Command {
        name: "read-tree",
        needs: Needs::Repository,
        pager: Pager::WhenAsked,
        run: c::read_tree::run,
        summary: "Bring trees into the index",
    },
    Command {
        name: "reflog",
        needs: Needs::Repository,
        pager: Pager::WhenAsked,
        run: c::reflog::run,
        summary: "Show what references held before, and take that out of their logs",
    },
    Command {
        name: "refs",
        needs: Needs::Repository,
        pager: Pager::WhenAsked,
        run: c::refs::run,
        summary: "List references, tell whether they exist, and store them together",
    },
    Command {
        name: "rev-list",
        needs: Needs::Repository,
        pager: Pager::WhenAsked,
        run: c::rev_list::run,
        summary: "List commits, and the objects they hold",
    },
    Command {
        name: "rev-parse",
        needs: Needs::Nothing,
        pager: Pager::WhenAsked,
        run: c::rev_parse::run,
        summary: "Read names of revisions, and tell where the repository is",
    },
    Command {
        name: "shortlog",
        needs: Needs::RepositoryIfAny,
        pager: Pager::ByDefault,
        run: c::shortlog::run,
        summary: "Summarise the history of commits by their authors",
    },
    Command {
        name: "show",
        needs: Needs::Repository,
        pager: Pager::ByDefault,
        run: c::show::run,
        summary: "Show commits, tags, trees and files",
    },
    Command {
        name: "show-index",
        needs: Needs::RepositoryIfAny,
        pager: Pager::WhenAsked,
        run: c::show_index::run,
        summary: "Print the index of a pack",
    },
    Command {
        name: "show-ref",
        needs: Needs::Repository,
        pager: Pager::WhenAsked,
        run: c::show_ref::run,
        summary: "List references with their objects",
    },
    Command {
        name: "stripspace",
        needs: Needs::RepositoryIfAny,
        pager: Pager::WhenAsked,
        run: c::stripspace::run,
        summary: "Clean up a message",
    },
    Command {
        name: "symbolic-ref",
        needs: Needs::Repository,
        pager: Pager::WhenAsked,
        run: c::symbolic_ref::run,
        summary: "Show, set and remove references that stand for others",
    },
    Command {
        name: "tag",
        needs: Needs::Repository,
        pager: Pager::Itself,
        run: c::tag::run,
        summary: "Make, sign, verify, delete and list tags",
    },
    Command {
        name: "update-index",
        needs: Needs::Repository,
        pager: Pager::WhenAsked,
        run: c::update_index::run,
        summary: "Put files and objects into the index",
    },
    Command {
        name: "update-ref",
        needs: Needs::Repository,
        pager: Pager::WhenAsked,
        run: c::update_ref::run,
        summary: "Change references, each checked against its old value",
    },
    Command {
        name: "var",
        needs: Needs::RepositoryIfAny,
        pager: Pager::WhenAsked,
        run: c::var::run,
        summary: "Show a logical variable",
    },
    Command {
        name: "verify-commit",
        needs: Needs::Repository,
        pager: Pager::WhenAsked,
        run: c::verify_commit::run,
        summary: "Check signatures of commits",
    },
    Command {
        name: "verify-pack",
        needs: Needs::RepositoryIfAny,
        pager: Pager::WhenAsked,
        run: c::verify_pack::run,
        summary: "Check packs, and list what lies in them",
    },
    Command {
        name: "verify-tag",
        needs: Needs::Repository,
        pager: Pager::WhenAsked,
        run: c::verify_tag::run,
        summary: "Check signatures of tags",
    },
    Command {
        name: "version",
        needs: Needs::Nothing,
        pager: Pager::WhenAsked,
        run: c::version::run,
        summary: "Show which version this is",
    },
    Command {
        name: "whatchanged",
        needs: Needs::Repository,
        pager: Pager::ByDefault,
        run: c::whatchanged::run,
        summary: "Show commits with the files they change (an old name of log --raw)",
    },
    Command {
        name: "write-tree",
        needs: Needs::Repository,
        pager: Pager::WhenAsked,
        run: c::write_tree::run,
        summary: "Make tree objects of the index",
    },
];

/// The command of that name.
pub fn find(name: &[u8]) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.name.as_bytes() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_sorted_so_that_help_lists_them_in_order() {
        assert!(COMMANDS.is_sorted_by_key(|command| command.name));
    }
}
