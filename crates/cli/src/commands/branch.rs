//! `git branch`: lists, makes, moves, copies, deletes and sets up branches.

mod create;
mod delete;
mod describe;
mod layout;
mod list;
mod names;
mod rename;
mod tracking;

use adit_text::color::When;
use bstr::{BString, ByteSlice};

use crate::context::Context;
use crate::error::Error;
use crate::format::color;
use crate::format::ref_filter::{Request, SortKeys, with_default_commit};
use crate::options::{Opt, Table, Usage};

#[derive(Clone, Copy, PartialEq, Eq)]
enum O {
    Verbose,
    Quiet,
    Track,
    SetUpstreamTo,
    SetUpstream,
    UnsetUpstream,
    Color,
    Remotes,
    All,
    Contains,
    NoContains,
    Merged,
    NoMerged,
    PointsAt,
    Abbrev,
    OmitEmpty,
    List,
    ShowCurrent,
    Delete,
    DeleteAnyhow,
    Move,
    MoveAnyhow,
    Copy,
    CopyAnyhow,
    CreateReflog,
    EditDescription,
    Force,
    Column,
    Sort,
    IgnoreCase,
    RecurseSubmodules,
    Format,
}

const USAGE: Usage = Usage {
    name: "branch",
    synopsis: &[
        "git branch [<options>] [-r | -a] [--merged] [--no-merged]",
        "git branch [<options>] [-f] <branch> [<start-point>]",
        "git branch [<options>] [-l] [<pattern>...]",
        "git branch [<options>] [-r] (-d | -D) <branch>...",
        "git branch [<options>] (-m | -M) [<old-branch>] <new-branch>",
        "git branch [<options>] (-c | -C) [<old-branch>] <new-branch>",
        "git branch [<options>] [-r | -a] [--points-at]",
        "git branch [<options>] [-r | -a] [--format]",
    ],
};

const OPTIONS: Table<O> = Table::new(&[
    Opt::flag(O::Verbose, "verbose", "show ids and subjects; twice, upstreams too").short(b'v').no(),
    Opt::flag(O::Quiet, "quiet", "say less").short(b'q').no(),
    Opt::optional(O::Track, "track", "mode", "record what the new branch builds on").short(b't').no(),
    Opt::value(O::SetUpstreamTo, "set-upstream-to", "upstream", "change what a branch builds on")
        .short(b'u')
        .no(),
    Opt::flag(O::SetUpstream, "set-upstream", "no longer there").no().hidden(),
    Opt::flag(O::UnsetUpstream, "unset-upstream", "forget what a branch builds on").no(),
    Opt::optional(O::Color, "color", "when", "colour the output").no(),
    Opt::flag(O::Remotes, "remotes", "list or delete remote-tracking branches").short(b'r'),
    Opt::value(O::Contains, "contains", "commit", "list only branches that reach this commit"),
    Opt::value(O::NoContains, "no-contains", "commit", "list only branches that do not reach this commit"),
    Opt::value(O::Contains, "with", "commit", "the same as --contains").hidden(),
    Opt::value(O::NoContains, "without", "commit", "the same as --no-contains").hidden(),
    Opt::optional(O::Abbrev, "abbrev", "n", "show ids with <n> digits").no(),
    Opt::flag(O::All, "all", "list remote-tracking branches too").short(b'a'),
    Opt::flag(O::Delete, "delete", "delete branches that are merged").short(b'd').no(),
    Opt::flag(O::DeleteAnyhow, "", "delete branches, merged or not").short(b'D'),
    Opt::flag(O::Move, "move", "rename a branch and its log").short(b'm').no(),
    Opt::flag(O::MoveAnyhow, "", "rename a branch over another").short(b'M'),
    Opt::flag(O::OmitEmpty, "omit-empty", "print no line where the format gives nothing").no(),
    Opt::flag(O::Copy, "copy", "copy a branch and its log").short(b'c').no(),
    Opt::flag(O::CopyAnyhow, "", "copy a branch over another").short(b'C'),
    Opt::flag(O::List, "list", "list branches").short(b'l').no(),
    Opt::flag(O::ShowCurrent, "show-current", "print the branch that is checked out").no(),
    Opt::flag(O::CreateReflog, "create-reflog", "start a log of the new branch").no(),
    Opt::flag(O::EditDescription, "edit-description", "edit what a branch is for").no(),
    Opt::flag(O::Force, "force", "replace, rename over or delete what is in the way").short(b'f').no(),
    Opt::value(O::Merged, "merged", "commit", "list only branches that this commit reaches"),
    Opt::value(O::NoMerged, "no-merged", "commit", "list only branches that this commit does not reach"),
    Opt::optional(O::Column, "column", "style", "lay branches out in columns").no(),
    Opt::value(O::Sort, "sort", "key", "sort by this field").no(),
    Opt::value(O::PointsAt, "points-at", "object", "list only branches of this object").no(),
    Opt::flag(O::IgnoreCase, "ignore-case", "sort and match whatever the case").short(b'i').no(),
    Opt::flag(O::RecurseSubmodules, "recurse-submodules", "in submodules too").no(),
    Opt::value(O::Format, "format", "format", "what to print of each").no(),
]);

/// What options say of a listing.
#[derive(Default)]
struct Listing {
    verbose: u32,
    remotes: bool,
    all: bool,
    omit_empty: bool,
    ignore_case: bool,
    abbrev: Option<usize>,
    sort: SortKeys,
    column: Option<Option<BString>>,
    format: Option<BString>,
    when: Option<When>,
    request: Request,
}

/// What is to be done; `true` means whatever is in the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Action {
    Delete,
    Move,
    Copy,
    List,
    ShowCurrent,
    EditDescription,
    SetUpstream,
    UnsetUpstream,
    Create,
}

/// What options say of changes.
#[derive(Default)]
struct Changing {
    track: Option<tracking::Mode>,
    upstream: Option<BString>,
    force: bool,
    quiet: bool,
    create_log: bool,
}

fn usage() -> String {
    OPTIONS.usage(&USAGE)
}

/// Runs the command.
pub fn run(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let (mut listing, mut changing) = (Listing::default(), Changing::default());
    let mut actions: Vec<Action> = Vec::new();
    let words = with_default_commit(args);
    let names = OPTIONS.parse(&USAGE, &words, |given| {
        let mut act = |action, on| {
            actions.retain(|other| *other != action);
            if on {
                actions.push(action);
            }
        };
        match given.id {
            O::Verbose => listing.verbose = if given.on() { listing.verbose + 1 } else { 0 },
            O::Quiet => changing.quiet = given.on(),
            O::Track => changing.track = Some(tracking::Mode::of_option(&given)?),
            O::SetUpstreamTo => {
                act(Action::SetUpstream, given.on());
                changing.upstream = given.value;
            }
            O::SetUpstream => {
                return Err(Error::fatal(
                    "the '--set-upstream' option is no longer supported. \
                     Please use '--track' or '--set-upstream-to' instead",
                ));
            }
            O::UnsetUpstream => act(Action::UnsetUpstream, given.on()),
            O::Color => listing.when = Some(color::option(given.on(), given.value.as_ref())?),
            O::Remotes => listing.remotes = true,
            O::All => listing.all = true,
            O::Contains => listing.request.contains.extend(given.value),
            O::NoContains => listing.request.no_contains.extend(given.value),
            O::Merged => listing.request.merged.extend(given.value),
            O::NoMerged => listing.request.no_merged.extend(given.value),
            O::PointsAt => listing.request.points_at.extend(given.value),
            O::Abbrev => {
                listing.abbrev = match (given.on(), &given.value) {
                    (false, _) => Some(usize::MAX),
                    (true, None) => None,
                    (true, Some(_)) => Some(usize::try_from(given.integer()?).unwrap_or(0)),
                }
            }
            O::OmitEmpty => listing.omit_empty = given.on(),
            O::List => act(Action::List, given.on()),
            O::ShowCurrent => act(Action::ShowCurrent, given.on()),
            O::Delete => act(Action::Delete, given.on()),
            O::Move => act(Action::Move, given.on()),
            O::Copy => act(Action::Copy, given.on()),
            O::DeleteAnyhow | O::MoveAnyhow | O::CopyAnyhow => {
                changing.force = true;
                act(
                    match given.id {
                        O::DeleteAnyhow => Action::Delete,
                        O::MoveAnyhow => Action::Move,
                        _ => Action::Copy,
                    },
                    true,
                );
            }
            O::CreateReflog => changing.create_log = given.on(),
            O::EditDescription => act(Action::EditDescription, given.on()),
            O::Force => changing.force = given.on(),
            O::Column => listing.column = Some(given.on().then(|| given.text().to_owned())),
            O::Sort => listing.sort.take(given.value),
            O::IgnoreCase => listing.ignore_case = given.on(),
            O::RecurseSubmodules if given.on() => return Err(Error::unsupported("--recurse-submodules")),
            O::RecurseSubmodules => {}
            O::Format => listing.format = given.value,
        }
        Ok(())
    })?;
    if actions.is_empty() && names.is_empty() || !listing.request.is_empty() {
        actions.retain(|action| *action != Action::List);
        actions.push(Action::List);
    }
    if actions.is_empty() {
        actions.push(Action::Create);
    }
    let wrong = || Error::Usage { message: None, usage: usage() };
    let [action] = actions[..] else { return Err(wrong()) };
    match action {
        Action::List => list::list(ctx, &listing, names),
        Action::ShowCurrent => list::show_current(ctx),
        Action::Delete if names.is_empty() => Err(Error::fatal("branch name required")),
        Action::Delete if listing.all => Err(Error::fatal("cannot use -a with -d")),
        Action::Delete => delete::delete(ctx, &changing, listing.remotes, &names),
        Action::EditDescription => describe::edit(ctx, &names),
        Action::Move | Action::Copy => rename::run(ctx, action == Action::Copy, changing.force, &names),
        Action::SetUpstream => tracking::set(ctx, &changing, &names),
        Action::UnsetUpstream => tracking::unset(ctx, &names),
        Action::Create if listing.all || listing.remotes => Err(Error::fatal(
            "the -a, and -r, options to 'git branch' do not take a branch name.\n\
             Did you mean to use: -a|-r --list <pattern>?",
        )),
        Action::Create => match names.as_slice() {
            [name] => create::create(ctx, &changing, name.as_bstr(), None),
            [name, start] => create::create(ctx, &changing, name.as_bstr(), Some(start.as_bstr())),
            _ => Err(wrong()),
        },
    }
}
