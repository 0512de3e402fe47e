//! `git hash-object`: names the content of files as objects, and stores them.

mod conversion;

use std::fs::File;
use std::io::{BufRead, Read, Write};
use std::path::Path;
use std::sync::Arc;

use adit::{Repository, object_check};
use adit_object::{ObjectFormat, ObjectId, ObjectKind, hash_object};
use adit_odb::{LooseOptions, WriteError, hash_from};
use bstr::{BStr, BString, ByteSlice};

use crate::context::Context;
use crate::error::Error;
use crate::options::{Opt, Table, Usage};
use conversion::Conversion;

#[derive(Clone, Copy)]
enum O {
    Type,
    Write,
    Stdin,
    StdinPaths,
    NoFilters,
    Literally,
    Path,
}

const USAGE: Usage = Usage {
    name: "hash-object",
    synopsis: &[
        "git hash-object [-t <type>] [-w] [--path=<file> | --no-filters] [--stdin [--literally]] [--] <file>...",
        "git hash-object [-t <type>] [-w] --stdin-paths [--no-filters]",
    ],
};

const OPTIONS: Table<O> = Table::new(&[
    Opt::value(O::Type, "", "type", "the type of the object").short(b't'),
    Opt::flag(O::Write, "", "store the object").short(b'w'),
    Opt::flag(O::Stdin, "stdin", "take the content from standard input").no(),
    Opt::flag(O::StdinPaths, "stdin-paths", "take the names of files from standard input").no(),
    Opt::flag(O::NoFilters, "no-filters", "take the content as it is").no(),
    Opt::flag(O::Literally, "literally", "do not check that the object is well-formed").no(),
    Opt::value(O::Path, "path", "file", "treat the content as if it were in this file").no(),
]);

struct Asked {
    kind: BString,
    write: bool,
    stdin: usize,
    stdin_paths: bool,
    no_filters: bool,
    literally: bool,
    path: Option<BString>,
}

/// Runs the command.
pub fn run(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let mut asked = Asked {
        kind: "blob".into(),
        write: false,
        stdin: 0,
        stdin_paths: false,
        no_filters: false,
        literally: false,
        path: None,
    };
    let names = OPTIONS.parse(&USAGE, args, |given| {
        match given.id {
            O::Type => asked.kind = given.text().to_owned(),
            O::Write => asked.write = true,
            O::Stdin => asked.stdin = if given.on() { asked.stdin + 1 } else { 0 },
            O::StdinPaths => asked.stdin_paths = given.on(),
            O::NoFilters => asked.no_filters = given.on(),
            O::Literally => asked.literally = given.on(),
            O::Path => asked.path = given.value,
        }
        Ok(())
    })?;
    if let Some(mistake) = contradiction(&asked, !names.is_empty()) {
        return Err(Error::usage_line(mistake.into()).with_usage(OPTIONS.usage(&USAGE)));
    }
    if asked.write {
        ctx.open_repository()?;
    } else {
        ctx.open_repository_if_any()?;
    }
    let kind = ObjectKind::from_name(&asked.kind)
        .ok_or_else(|| Error::fatal(format!("invalid object type \"{}\"", asked.kind)))?;
    let maker = Maker::new(ctx, kind, &asked)?;
    if asked.stdin > 0 {
        let mut content = Vec::new();
        ctx.streams
            .input
            .read_to_end(&mut content)
            .map_err(|_| Error::fatal("Unable to add stdin to database"))?;
        let path = asked.path.as_ref().map(|path| path.as_bstr());
        maker.bytes(ctx, path, &content)?;
    }
    for name in &names {
        maker.file(ctx, name.as_bstr(), asked.path.as_ref().unwrap_or(name).as_bstr())?;
    }
    if asked.stdin_paths {
        let mut line = Vec::new();
        while next_line(ctx, &mut line)? {
            let name = unquoted(&line)?;
            maker.file(ctx, name.as_bstr(), name.as_bstr())?;
            // Whoever hands over names one by one waits for each answer.
            ctx.streams.out.flush()?;
        }
    }
    Ok(0)
}

fn contradiction(asked: &Asked, names: bool) -> Option<&'static str> {
    if asked.stdin_paths {
        if asked.stdin > 0 {
            return Some("Can't use --stdin-paths with --stdin");
        }
        if names {
            return Some("Can't specify files with --stdin-paths");
        }
        if asked.path.is_some() {
            return Some("Can't use --stdin-paths with --path");
        }
    } else if asked.stdin > 1 {
        return Some("Multiple --stdin arguments are not supported");
    }
    (asked.path.is_some() && asked.no_filters).then_some("Can't use --path with --no-filters")
}

/// Reads the next line of standard input, without its end; false when there is none.
fn next_line(ctx: &mut Context<'_>, line: &mut Vec<u8>) -> Result<bool, Error> {
    line.clear();
    let read = ctx.streams.input.read_until(b'\n', line);
    let read =
        read.map_err(|error| Error::fatal(format!("standard input: {}", adit_sys::os_error(&error))))?;
    if line.ends_with(b"\n") {
        line.pop();
    }
    Ok(read > 0)
}

fn unquoted(line: &[u8]) -> Result<BString, Error> {
    if !line.starts_with(b"\"") {
        return Ok(line.into());
    }
    match adit_text::quote::unquote_c(line) {
        Some((name, used)) if used == line.len() => Ok(name),
        _ => Err(Error::fatal("line is badly quoted")),
    }
}

/// Makes objects the way that the command line asks for.
struct Maker {
    kind: ObjectKind,
    format: ObjectFormat,
    /// The store to write to and how, when they are to be written.
    target: Option<(Arc<Repository>, LooseOptions)>,
    literally: bool,
    conversion: Option<Conversion>,
}

impl Maker {
    fn new(ctx: &mut Context<'_>, kind: ObjectKind, asked: &Asked) -> Result<Self, Error> {
        let repository = ctx.repo_if_any();
        let format = repository.as_ref().map_or(ObjectFormat::Sha1, |repository| repository.object_format());
        let target = match repository {
            Some(repository) if asked.write => {
                let options = repository.loose_options()?;
                Some((repository, options))
            }
            _ => None,
        };
        let converts = kind == ObjectKind::Blob && !asked.no_filters;
        let conversion = if converts { Some(Conversion::new(ctx)?) } else { None };
        Ok(Maker { kind, format, target, literally: asked.literally, conversion })
    }

    /// Makes an object of the file `name`, as if it were at `path`.
    fn file(&self, ctx: &mut Context<'_>, name: &BStr, path: &BStr) -> Result<(), Error> {
        let place = ctx.env.cwd().join(name.to_path_lossy());
        let mut file = File::open(&place).map_err(|error| {
            Error::fatal(format!("could not open '{name}' for reading: {}", adit_sys::os_error(&error)))
        })?;
        let failed = || Error::fatal(format!("Unable to hash {name}"));
        let meta = file.metadata().map_err(|_| failed())?;
        let as_it_is = self.kind == ObjectKind::Blob
            && match &self.conversion {
                Some(conversion) => conversion.of(ctx, path)?.is_none(),
                None => true,
            };
        if meta.is_file() && as_it_is {
            let id =
                self.stream(meta.len(), &mut file, &place).map_err(|error| self.error(error, &failed))?;
            return print(ctx, &id);
        }
        let mut content = Vec::new();
        file.read_to_end(&mut content).map_err(|_| failed())?;
        self.bytes(ctx, Some(path), &content)
    }

    /// Names a file's content, which is not held in memory, and stores it unless it is there.
    fn stream(&self, size: u64, file: &mut File, place: &Path) -> Result<ObjectId, WriteError> {
        let id = hash_from(self.format, self.kind, size, file)?;
        if let Some((repository, options)) = &self.target {
            let store =
                repository.objects().map_err(|error| WriteError::Input(std::io::Error::other(error)))?;
            if !store.contains(&id) {
                let mut again = File::open(place).map_err(WriteError::Input)?;
                return store.write_from(self.kind, size, &mut again, *options);
            }
        }
        Ok(id)
    }

    /// Makes an object of `content`, as if it were in the file `path` when there is one.
    fn bytes(&self, ctx: &mut Context<'_>, path: Option<&BStr>, content: &[u8]) -> Result<(), Error> {
        if let (Some(conversion), Some(path)) = (&self.conversion, path)
            && conversion.of(ctx, path)?.is_some_and(|hazards| hazards.apply_to(content))
        {
            return Err(Error::unsupported("converting content as attributes or core.autocrlf say"));
        }
        if !self.literally {
            self.check(ctx, content)?;
        }
        let failed = || Error::fatal("Unable to add stdin to database");
        let id = match &self.target {
            Some((repository, options)) => repository
                .objects()?
                .write(self.kind, content, *options)
                .map_err(|error| self.error(error, &failed))?,
            None => hash_object(self.format, self.kind, content)
                .map_err(|error| Error::fatal(error.to_string()))?,
        };
        print(ctx, &id)
    }

    fn check(&self, ctx: &mut Context<'_>, content: &[u8]) -> Result<(), Error> {
        let faults = object_check::check(self.kind, self.format, content);
        for fault in &faults {
            if let Some(cause) = fault.cause {
                ctx.complain(cause);
            }
            ctx.complain(format_args!("object fails fsck: {}: {}", fault.id, fault.text));
        }
        if faults.is_empty() { Ok(()) } else { Err(Error::fatal("refusing to create malformed object")) }
    }

    fn error(&self, error: WriteError, unreadable: &dyn Fn() -> Error) -> Error {
        match error {
            WriteError::Input(_) => unreadable(),
            WriteError::Io { path, error } => {
                Error::fatal(format!("unable to write {}: {}", path.display(), adit_sys::os_error(&error)))
            }
            WriteError::Collision(error) => Error::fatal(error.to_string()),
        }
    }
}

fn print(ctx: &mut Context<'_>, id: &ObjectId) -> Result<(), Error> {
    writeln!(ctx.streams.out, "{id}")?;
    Ok(())
}
