//! `git cat-file`: shows what an object is or holds, or answers such questions about many objects.

mod batch;
mod filtered;
mod format;
mod idents;
mod one;

use adit_object::ObjectKind;
use bstr::{BString, ByteSlice};

use crate::context::Context;
use crate::error::Error;
use crate::options::{Given, Opt, Table, Usage};

#[derive(Clone, Copy, PartialEq, Eq)]
enum O {
    Exists,
    Pretty,
    Kind,
    Size,
    Mailmap,
    Batch,
    BatchCheck,
    BatchCommand,
    NulBoth,
    NulIn,
    AllObjects,
    Buffer,
    FollowSymlinks,
    Unordered,
    Textconv,
    Filters,
    Path,
    Filter,
    AllowUnknownType,
}

const USAGE: Usage = Usage {
    name: "cat-file",
    synopsis: &[
        "git cat-file <type> <object>",
        "git cat-file (-e | -p | -t | -s) <object>",
        "git cat-file (--textconv | --filters) [<rev>:<path|tree-ish> | --path=<path|tree-ish> <rev>]",
        "git cat-file (--batch | --batch-check | --batch-command) [--batch-all-objects] [--buffer] \
         [--follow-symlinks] [--unordered] [--textconv | --filters] [-Z]",
    ],
};

const OPTIONS: Table<O> = Table::new(&[
    Opt::flag(O::Exists, "", "tell by the exit status whether the object exists").short(b'e'),
    Opt::flag(O::Pretty, "", "show the content in a form for people").short(b'p'),
    Opt::flag(O::Kind, "", "show the type").short(b't'),
    Opt::flag(O::Size, "", "show the size").short(b's'),
    Opt::flag(O::Mailmap, "use-mailmap", "show names and addresses as the mailmap has them").no(),
    Opt::flag(O::Mailmap, "mailmap", "an alias of --use-mailmap").no(),
    Opt::optional(O::Batch, "batch", "format", "show the objects that standard input names"),
    Opt::optional(O::BatchCheck, "batch-check", "format", "the same, without their contents"),
    Opt::flag(O::NulBoth, "", "input and output are separated by NUL").short(b'Z'),
    Opt::flag(O::NulIn, "", "input is separated by NUL").short(b'z').hidden(),
    Opt::optional(O::BatchCommand, "batch-command", "format", "carry out the commands of standard input"),
    Opt::flag(O::AllObjects, "batch-all-objects", "show every object instead of those that are named"),
    Opt::flag(O::Buffer, "buffer", "do not flush after each object").no(),
    Opt::flag(O::FollowSymlinks, "follow-symlinks", "follow symbolic links within a tree").no(),
    Opt::flag(O::Unordered, "unordered", "visit all objects in the order that is fastest").no(),
    Opt::flag(O::Textconv, "textconv", "show the content as its textconv filter has it"),
    Opt::flag(O::Filters, "filters", "show the content as its filters have it"),
    Opt::value(O::Path, "path", "blob|tree", "the path to choose filters by").no(),
    Opt::value(O::Filter, "filter", "args", "leave objects out").no(),
    Opt::flag(O::AllowUnknownType, "allow-unknown-type", "does nothing any more").no().hidden(),
]);

/// Which of the questions about one object is asked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Exists,
    Pretty,
    Kind,
    Size,
    Textconv,
    Filters,
}

impl Mode {
    fn option(self) -> &'static str {
        match self {
            Mode::Exists => "-e",
            Mode::Pretty => "-p",
            Mode::Kind => "-t",
            Mode::Size => "-s",
            Mode::Textconv => "--textconv",
            Mode::Filters => "--filters",
        }
    }

    fn converts(self) -> bool {
        matches!(self, Mode::Textconv | Mode::Filters)
    }
}

/// Which of the batch modes is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BatchMode {
    Contents,
    Check,
    Command,
}

/// Which objects are left out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Filter {
    Blobs,
    /// Blobs of at least this size.
    LargeBlobs(u64),
    AllBut(ObjectKind),
}

#[derive(Default)]
struct Asked {
    mode: Option<Mode>,
    batch: Option<BatchMode>,
    format: Option<BString>,
    mailmap: bool,
    nul_in: bool,
    nul_out: bool,
    all_objects: bool,
    buffer: Option<bool>,
    follow_symlinks: bool,
    unordered: bool,
    path: Option<BString>,
    filter: Option<Filter>,
}

/// Runs the command.
pub fn run(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let mut asked = Asked::default();
    let words = OPTIONS.parse(&USAGE, args, |given| asked.take(&given))?;
    asked.check(&words)?;
    if asked.mode == Some(Mode::Textconv) && asked.batch.is_some() {
        return Err(Error::unsupported("--textconv in a batch"));
    }
    let status = match (asked.mode, &words[..]) {
        _ if asked.batch.is_some() => batch::run(ctx, &asked),
        (Some(Mode::Filters), [name]) => filtered::run(ctx, &asked, name.as_bstr()),
        (Some(mode), [name]) => one::run(ctx, &asked, one::Question::Mode(mode), name),
        (None, [kind, name]) => one::run(ctx, &asked, one::Question::Content(kind), name),
        _ => Err(misuse(None)),
    };
    // What was damaged and could be passed over.
    let repo = ctx.repo()?;
    for damage in repo.objects()?.take_damage() {
        ctx.complain(damage);
    }
    status
}

/// A mistake in the command line that git calls fatal, with the usage after it.
fn misuse(message: Option<String>) -> Error {
    let head = message.map(|message| format!("fatal: {message}\n\n")).unwrap_or_default();
    Error::Usage { message: None, usage: head + &OPTIONS.usage(&USAGE) }
}

impl Asked {
    fn take(&mut self, given: &Given<O>) -> Result<(), Error> {
        match given.id {
            O::Exists => self.set_mode(Mode::Exists)?,
            O::Pretty => self.set_mode(Mode::Pretty)?,
            O::Kind => self.set_mode(Mode::Kind)?,
            O::Size => self.set_mode(Mode::Size)?,
            O::Textconv => self.set_mode(Mode::Textconv)?,
            O::Filters => self.set_mode(Mode::Filters)?,
            O::Batch => self.set_batch(BatchMode::Contents, given)?,
            O::BatchCheck => self.set_batch(BatchMode::Check, given)?,
            O::BatchCommand => self.set_batch(BatchMode::Command, given)?,
            O::Mailmap => self.mailmap = given.on(),
            O::NulIn => self.nul_in = true,
            O::NulBoth => (self.nul_in, self.nul_out) = (true, true),
            O::AllObjects => self.all_objects = true,
            O::Buffer => self.buffer = Some(given.on()),
            O::FollowSymlinks => self.follow_symlinks = given.on(),
            O::Unordered => self.unordered = given.on(),
            O::Path => self.path.clone_from(&given.value),
            O::Filter => self.filter = if given.on() { Some(Filter::parse(given.text())?) } else { None },
            O::AllowUnknownType => {}
        }
        Ok(())
    }

    fn set_mode(&mut self, mode: Mode) -> Result<(), Error> {
        match self.mode {
            Some(other) if other != mode => Err(Error::usage_line(format!(
                "options '{}' and '{}' cannot be used together",
                mode.option(),
                other.option()
            ))),
            _ => {
                self.mode = Some(mode);
                Ok(())
            }
        }
    }

    fn set_batch(&mut self, mode: BatchMode, given: &Given<O>) -> Result<(), Error> {
        if self.batch.is_some() {
            return Err(Error::usage_line("only one batch option may be specified".into()));
        }
        self.batch = Some(mode);
        self.format = given.value.clone();
        Ok(())
    }

    /// Which options go together, in the order in which git looks.
    fn check(&self, words: &[BString]) -> Result<(), Error> {
        let fatal = |text: String| Err(misuse(Some(text)));
        if self.path.is_some() && !self.mode.is_some_and(Mode::converts) {
            return fatal("'--path=<path|tree-ish>' needs '--filters' or '--textconv'".into());
        }
        if let Some(mode) = self.mode.filter(|_| self.all_objects)
            && mode.converts()
        {
            return Err(Error::usage_line(format!(
                "options '{}' and '--batch-all-objects' cannot be used together",
                mode.option()
            )));
        }
        if self.batch.is_some() {
            return match self.mode {
                Some(mode) if !mode.converts() => {
                    fatal(format!("'{}' is incompatible with batch mode", mode.option()))
                }
                _ if !words.is_empty() => fatal("batch modes take no arguments".into()),
                _ => Ok(()),
            };
        }
        let needing_batch = [
            ("--follow-symlinks", self.follow_symlinks),
            ("--buffer", self.buffer.is_some()),
            ("--batch-all-objects", self.all_objects),
            ("-Z", self.nul_out),
            ("-z", self.nul_in),
        ];
        if let Some((option, _)) = needing_batch.iter().find(|(_, given)| *given) {
            return fatal(format!("'{option}' requires a batch mode"));
        }
        if self.filter.is_some() {
            return Err(plain_usage("objects filter only supported in batch mode"));
        }
        match (self.mode, words.len()) {
            (Some(mode), 0) if mode.converts() => fatal(format!("<rev> required with '{}'", mode.option())),
            (Some(mode), 0) => fatal(format!("<object> required with '{}'", mode.option())),
            (Some(_), 1) | (None, 2) => Ok(()),
            (Some(_), _) => fatal("too many arguments".into()),
            (None, 0) => Err(misuse(None)),
            (None, n) => fatal(format!("only two arguments allowed in <type> <object> mode, not {n}")),
        }
    }
}

/// A usage error that is one line.
fn plain_usage(text: &str) -> Error {
    Error::Usage { message: None, usage: format!("usage: {text}\n") }
}

impl Filter {
    fn parse(text: &[u8]) -> Result<Filter, Error> {
        if text == b"blob:none" {
            return Ok(Filter::Blobs);
        }
        let invalid = || Error::fatal(format!("invalid filter-spec '{}'", text.as_bstr()));
        if let Some(limit) = text.strip_prefix(b"blob:limit=") {
            let limit = adit_config::value::integer(limit.as_bstr()).ok();
            return limit
                .and_then(|limit| u64::try_from(limit).ok())
                .map(Filter::LargeBlobs)
                .ok_or_else(invalid);
        }
        if let Some(kind) = text.strip_prefix(b"object:type=") {
            let named = ObjectKind::from_name(kind).map(Filter::AllBut);
            return named.ok_or_else(|| {
                Error::fatal(format!(
                    "'{}' for 'object:type=<type>' is not a valid object type",
                    kind.as_bstr()
                ))
            });
        }
        for (start, name) in [("tree:", "tree"), ("sparse:oid=", "sparse:oid"), ("combine:", "combine")] {
            if text.starts_with(start.as_bytes()) {
                return Err(plain_usage(&format!("objects filter not supported: '{name}'")));
            }
        }
        Err(invalid())
    }

    fn leaves_out(self, kind: ObjectKind, size: u64) -> bool {
        match self {
            Filter::Blobs => kind == ObjectKind::Blob,
            Filter::LargeBlobs(limit) => kind == ObjectKind::Blob && size >= limit,
            Filter::AllBut(only) => kind != only,
        }
    }
}
