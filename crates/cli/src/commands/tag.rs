//! `git tag`: makes, deletes, verifies and lists tags.

mod create;
mod delete;
mod list;

use adit_text::color::When;
use bstr::{BStr, BString, ByteSlice};

pub(super) use list::list_pager;

use crate::context::Context;
use crate::error::Error;
use crate::format::color;
use crate::format::ref_filter::{Request, SortKeys, with_default_commit};
use crate::message;
use crate::options::{Opt, Table, Usage};
use crate::signatures::{self, Told};

#[derive(Clone, Copy, PartialEq, Eq)]
enum O {
    List,
    Lines,
    Delete,
    Verify,
    Annotate,
    Message,
    File,
    Trailer,
    Edit,
    Sign,
    Cleanup,
    LocalUser,
    Force,
    CreateReflog,
    Column,
    Contains,
    NoContains,
    Merged,
    NoMerged,
    OmitEmpty,
    Sort,
    PointsAt,
    Format,
    Color,
    IgnoreCase,
}

const USAGE: Usage = Usage {
    name: "tag",
    synopsis: &[
        "git tag [-a | -s | -u <key>] [-f] [-m <message> | -F <file>] [-e] [--trailer <trailer>]... \
         <name> [<object>]",
        "git tag -d <name>...",
        "git tag [-n[<num>]] -l [--contains <commit>] [--no-contains <commit>] [--points-at <object>] \
         [--column[=<options>] | --no-column] [--sort=<key>] [--format=<format>] [--merged <commit>] \
         [--no-merged <commit>] [<pattern>...]",
        "git tag -v [--format=<format>] <name>...",
    ],
};

const OPTIONS: Table<O> = Table::new(&[
    Opt::flag(O::List, "list", "list tags").short(b'l'),
    Opt::optional(O::Lines, "", "n", "print <n> lines of the message of each").short(b'n'),
    Opt::flag(O::Delete, "delete", "delete tags").short(b'd'),
    Opt::flag(O::Verify, "verify", "verify signatures of tags").short(b'v'),
    Opt::flag(O::Annotate, "annotate", "make a tag with a message").short(b'a').no(),
    Opt::value(O::Message, "message", "message", "the message, or a paragraph of it").short(b'm'),
    Opt::value(O::File, "file", "file", "read the message from a file").short(b'F').no(),
    Opt::value(O::Trailer, "trailer", "trailer", "add a trailer to the message").no(),
    Opt::flag(O::Edit, "edit", "edit the message that other options give").short(b'e').no(),
    Opt::flag(O::Sign, "sign", "sign the tag").short(b's').no(),
    Opt::value(O::Cleanup, "cleanup", "mode", "how to clean the message up").no(),
    Opt::value(O::LocalUser, "local-user", "key", "sign with this key").short(b'u').no(),
    Opt::flag(O::Force, "force", "replace a tag that exists").short(b'f').no(),
    Opt::flag(O::CreateReflog, "create-reflog", "start a log of the tag").no(),
    Opt::optional(O::Column, "column", "style", "lay tags out in columns").no(),
    Opt::value(O::Contains, "contains", "commit", "list only tags that reach this commit"),
    Opt::value(O::NoContains, "no-contains", "commit", "list only tags that do not reach this commit"),
    Opt::value(O::Contains, "with", "commit", "the same as --contains").hidden(),
    Opt::value(O::NoContains, "without", "commit", "the same as --no-contains").hidden(),
    Opt::value(O::Merged, "merged", "commit", "list only tags that this commit reaches"),
    Opt::value(O::NoMerged, "no-merged", "commit", "list only tags that this commit does not reach"),
    Opt::flag(O::OmitEmpty, "omit-empty", "print no line where the format gives nothing").no(),
    Opt::value(O::Sort, "sort", "key", "sort by this field").no(),
    Opt::value(O::PointsAt, "points-at", "object", "list only tags of this object").no(),
    Opt::value(O::Format, "format", "format", "what to print of each").no(),
    Opt::optional(O::Color, "color", "when", "print the colours of the format").no(),
    Opt::flag(O::IgnoreCase, "ignore-case", "sort and match whatever the case").short(b'i').no(),
]);

/// What options say of a listing.
#[derive(Default)]
struct Listing {
    lines: Option<u64>,
    column: Option<Option<BString>>,
    when: Option<When>,
    sort: SortKeys,
    ignore_case: bool,
    omit_empty: bool,
    format: Option<BString>,
    request: Request,
}

/// What options say of a tag to be made.
#[derive(Default)]
struct Making {
    annotate: bool,
    message: Option<BString>,
    file: Option<BString>,
    trailers: Vec<BString>,
    edit: bool,
    sign: Option<bool>,
    key: Option<BString>,
    cleanup: Option<BString>,
    force: bool,
    create_log: bool,
}

impl Making {
    /// Whether an option was given that only an annotated tag has a use for.
    fn wants_object(&self) -> bool {
        self.annotate
            || self.message.is_some()
            || self.file.is_some()
            || !self.trailers.is_empty()
            || self.edit
            || self.sign == Some(true)
    }
}

fn usage() -> String {
    OPTIONS.usage(&USAGE)
}

/// Runs the command.
pub fn run(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let (mut listing, mut making) = (Listing::default(), Making::default());
    // `-l`, `-d` or `-v`, and how it was spelt.
    let mut mode: Option<(O, BString)> = None;
    let mut words = with_default_commit(args);
    if words.last().is_some_and(|last| last == "--points-at") {
        words.push("HEAD".into());
    }
    let names = OPTIONS.parse(&USAGE, &words, |given| {
        match given.id {
            O::List | O::Delete | O::Verify => {
                if let Some((other, spelling)) = &mode
                    && *other != given.id
                {
                    let message =
                        format!("options '{}' and '{spelling}' cannot be used together", given.spelling);
                    return Err(Error::Failed(message.into(), 129));
                }
                mode = Some((given.id, given.spelling));
            }
            O::Lines => listing.lines = Some(if given.value.is_some() { given.unsigned()? } else { 1 }),
            O::Annotate => making.annotate = given.on(),
            O::Message => {
                message::add_paragraph(making.message.get_or_insert_default(), given.text());
            }
            O::File => making.file = given.value,
            O::Trailer if given.on() => making.trailers.extend(given.value),
            O::Trailer => making.trailers.clear(),
            O::Edit => making.edit = given.on(),
            O::Sign => making.sign = Some(given.on()),
            O::Cleanup => making.cleanup = given.value,
            O::LocalUser => making.key = given.value,
            O::Force => making.force = given.on(),
            O::CreateReflog => making.create_log = given.on(),
            O::Column => listing.column = Some(given.on().then(|| given.text().to_owned())),
            O::Contains => listing.request.contains.extend(given.value),
            O::NoContains => listing.request.no_contains.extend(given.value),
            O::Merged => listing.request.merged.extend(given.value),
            O::NoMerged => listing.request.no_merged.extend(given.value),
            O::OmitEmpty => listing.omit_empty = given.on(),
            O::Sort => listing.sort.take(given.value),
            O::PointsAt => listing.request.points_at.extend(given.value),
            O::Format => listing.format = given.value,
            O::Color => listing.when = Some(color::option(given.on(), given.value.as_ref())?),
            O::IgnoreCase => listing.ignore_case = given.on(),
        }
        Ok(())
    })?;
    if making.key.is_some() && making.sign != Some(false) {
        making.sign = Some(true);
    }
    let implied = names.is_empty() || !listing.request.is_empty() || listing.lines.is_some();
    let mode = mode.map(|(mode, _)| mode).or(implied.then_some(O::List));
    if mode.is_some() && (making.wants_object() || making.force) {
        return Err(Error::Usage { message: None, usage: usage() });
    }
    match mode {
        Some(O::List) => return list::list(ctx, listing, names),
        Some(_) if let Some(option) = list_only(&listing) => {
            return Err(Error::fatal(format!("the '{option}' option is only allowed in list mode")));
        }
        Some(O::Delete) => return delete::delete(ctx, &names),
        Some(_) => return verify(ctx, listing.format, &names),
        None => {}
    }
    match names.as_slice() {
        [name] => create::create(ctx, &making, name.as_bstr(), b"HEAD".as_bstr()),
        [name, object] => create::create(ctx, &making, name.as_bstr(), object.as_bstr()),
        _ => Err(Error::fatal("too many arguments")),
    }
}

/// Checks the signatures of the tags called so; the status tells whether all are good.
fn verify(ctx: &mut Context<'_>, format: Option<BString>, names: &[BString]) -> Result<u8, Error> {
    let repo = ctx.repo()?;
    let told = Told { payload: format.is_none(), nothing: format.is_some(), raw: false };
    let mut failed = false;
    for name in names {
        let full = [b"refs/tags/", name.as_slice()].concat();
        let Some(tag) = repo.refs()?.resolve(&full)? else {
            ctx.complain(format_args!("tag '{name}' not found."));
            failed = true;
            continue;
        };
        if !signatures::verify_tag(ctx, &repo, name.as_bstr(), &tag.id, told)? {
            failed = true;
        } else if let Some(format) = &format {
            print_one(ctx, name.as_bstr(), format)?;
        }
    }
    Ok(u8::from(failed))
}

/// Prints one tag in a format.
pub(super) fn print_one(ctx: &mut Context<'_>, name: &BStr, format: &BString) -> Result<(), Error> {
    let listing = Listing { format: Some(format.clone()), ..Listing::default() };
    list::list(ctx, listing, vec![name.to_owned()]).map(drop)
}

/// An option that was given and says something of a listing alone.
fn list_only(listing: &Listing) -> Option<&'static str> {
    let request = &listing.request;
    [
        (listing.lines.is_some(), "-n"),
        (!request.contains.is_empty(), "--contains"),
        (!request.no_contains.is_empty(), "--no-contains"),
        (!request.points_at.is_empty(), "--points-at"),
        (!request.merged.is_empty(), "--merged"),
        (!request.no_merged.is_empty(), "--no-merged"),
    ]
    .into_iter()
    .find_map(|(given, option)| given.then_some(option))
}
