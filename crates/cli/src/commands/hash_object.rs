//! `git hash-object`: names the content of files as objects, and stores them.

use std::borrow::Cow;
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::Arc;

use adit::{PathFilters, Repository, object_check};
use adit_object::{ObjectFormat, ObjectId, ObjectKind, hash_object};
use adit_odb::{LooseOptions, WriteError, hash_from};
use bstr::{BStr, BString, ByteSlice};

use crate::context::Context;
use crate::error::Error;
use crate::lines_in::next_name;
use crate::options::{Opt, Table, Usage};

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
        while let Some(name) = next_name(ctx, false)? {
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

/// Makes objects the way that the command line asks for.
struct Maker {
    kind: ObjectKind,
    format: ObjectFormat,
    /// The store to write to and how, when they are to be written.
    target: Option<(Arc<Repository>, LooseOptions)>,
    literally: bool,
    /// What converts content; `None` when it is taken as it is.
    filters: Option<PathFilters>,
    /// The folder of the command below the top of the working tree.
    prefix: BString,
}

impl Maker {
    fn new(ctx: &mut Context<'_>, kind: ObjectKind, asked: &Asked) -> Result<Self, Error> {
        let repository = ctx.repo_if_any();
        let format = repository.as_ref().map_or(ObjectFormat::Sha1, |repository| repository.object_format());
        let converts = kind == ObjectKind::Blob && !asked.no_filters;
        let filters = match &repository {
            _ if !converts => None,
            Some(repository) => Some(repository.filters()?),
            None => {
                let config = ctx.config()?;
                Some(PathFilters::without_repository(&ctx.env, &config)?)
            }
        };
        let prefix = repository.as_ref().map(|repository| repository.prefix().to_owned()).unwrap_or_default();
        let target = match repository {
            Some(repository) if asked.write => {
                let options = repository.loose_options()?;
                Some((repository, options))
            }
            _ => None,
        };
        Ok(Maker { kind, format, target, literally: asked.literally, filters, prefix })
    }

    /// Makes an object of the file `name`, as if it were at `path`.
    fn file(&self, ctx: &mut Context<'_>, name: &BStr, path: &BStr) -> Result<(), Error> {
        let place = ctx.env.cwd().join(name.to_path_lossy());
        let mut file = File::open(&place).map_err(|error| {
            Error::fatal(format!("could not open '{name}' for reading: {}", adit_sys::os_error(&error)))
        })?;
        let failed = || Error::fatal(format!("Unable to hash {name}"));
        let meta = file.metadata().map_err(|_| failed())?;
        let converted = match &self.filters {
            Some(filters) => match filters.conversion(self.seen_from_top(path).as_bstr()) {
                Ok(conversion) => !conversion.is_none(),
                Err(error) => return Err(ctx.conversion_error(filters, &error)),
            },
            None => false,
        };
        if meta.is_file() && self.kind == ObjectKind::Blob && !converted {
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
        let content = match path {
            Some(path) => &*self.converted(ctx, path, content)?,
            None => content,
        };
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

    /// The path as it is seen from the top of the working tree, if the command runs there.
    fn seen_from_top(&self, path: &BStr) -> BString {
        if path.starts_with(b"/") { path.to_owned() } else { [self.prefix.as_slice(), path].concat().into() }
    }

    /// `content` as it would be stored for `path`.
    fn converted<'c>(
        &self,
        ctx: &mut Context<'_>,
        path: &BStr,
        content: &'c [u8],
    ) -> Result<Cow<'c, [u8]>, Error> {
        let Some(filters) = &self.filters else { return Ok(Cow::Borrowed(content)) };
        let path = self.seen_from_top(path);
        let path = path.as_bstr();
        let stores = self.target.is_some();
        // What the index holds is not looked at for an object that is made apart from it.
        let converted = filters.conversion(path).and_then(|conversion| {
            filters.to_git(path, &conversion, Cow::Borrowed(content), stores, &|| false)
        });
        match converted {
            Ok(converted) => {
                ctx.tell_notices(filters);
                Ok(converted)
            }
            Err(error) => Err(ctx.conversion_error(filters, &error)),
        }
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
