//! The batch modes: objects named on standard input, or all there are.

use std::io::Write;
use std::ops::ControlFlow;

use adit::{Mailmap, PathFilters, Repository};
use adit_object::{ObjectId, ObjectKind, Prefix, Source, SourceError};
use adit_odb::{Info, Order, Store, Want as Parts};
use adit_revision::names::{Followed, NameError, Names, PathEntry, Want};
use bstr::{BStr, BString, ByteSlice};

use super::format::{Fields, Format, push_number};
use super::{Asked, BatchMode, Mode, filtered, idents, one};
use crate::context::Context;
use crate::error::Error;
use crate::names::Said;

/// Reads names, or visits all objects.
pub(super) fn run(ctx: &mut Context<'_>, asked: &Asked) -> Result<u8, Error> {
    let repo = ctx.repo()?;
    let filters = if asked.mode == Some(Mode::Filters) { Some(repo.filters()?) } else { None };
    let result = answer(ctx, &repo, asked, filters.as_ref());
    if let Some(filters) = &filters {
        ctx.tell_notices(filters);
    }
    result
}

fn answer(
    ctx: &mut Context<'_>,
    repo: &Repository,
    asked: &Asked,
    filters: Option<&PathFilters>,
) -> Result<u8, Error> {
    let text = asked
        .format
        .as_ref()
        .map_or(BStr::new(b"%(objectname) %(objecttype) %(objectsize)"), |f| f.as_bstr());
    let mut format = Format::parse(text)?;
    if asked.filter.is_some() {
        (format.want.kind, format.want.size) = (true, true);
    }
    let mut batch = Batch {
        repo,
        objects: repo.objects()?,
        asked,
        format,
        mailmap: None,
        filters,
        map_idents: false,
        end: if asked.nul_out { 0 } else { b'\n' },
        line: Vec::new(),
        content: Vec::new(),
        out: &mut ctx.streams.out,
    };
    batch.set_mailmap(asked.mailmap)?;
    if asked.all_objects {
        batch.all()?;
        return Ok(0);
    }
    let mut names = repo.name_context()?;
    // Ids are not looked up as references first.
    names.settings_mut().warn_object_names = false;
    let said = Said::new(&mut ctx.streams.err);
    let names = names.names(&said)?;
    let buffered = asked.buffer == Some(true);
    let mut queue = Vec::new();
    let mut input = Vec::new();
    loop {
        input.clear();
        let separator = if asked.nul_in { 0 } else { b'\n' };
        if ctx.streams.input.read_until(separator, &mut input)? == 0 {
            break;
        }
        if input.last() == Some(&separator) {
            input.pop();
        }
        if asked.batch != Some(BatchMode::Command) {
            batch.name(&names, input.as_bstr(), asked.batch == Some(BatchMode::Contents))?;
        } else {
            let command = Command::parse(input.as_bstr(), buffered)?;
            if command != Command::Flush && buffered {
                queue.push(command);
                continue;
            }
            for command in queue.drain(..).chain([command]) {
                batch.command(&names, command)?;
            }
        }
        if !buffered || asked.batch == Some(BatchMode::Command) {
            batch.out.flush()?;
        }
    }
    for command in queue {
        batch.command(&names, command)?;
    }
    Ok(0)
}

/// A line of `--batch-command`.
#[derive(PartialEq, Eq)]
enum Command {
    Contents(BString),
    Info(BString),
    Mailmap(BString),
    Flush,
}

impl Command {
    fn parse(line: &BStr, buffered: bool) -> Result<Command, Error> {
        if line.is_empty() {
            return Err(Error::fatal("empty command in input"));
        }
        if line[0].is_ascii_whitespace() {
            return Err(Error::fatal(format!("whitespace before command: '{line}'")));
        }
        let (word, rest) = match line.find_byte(b' ') {
            Some(space) => (&line.as_bytes()[..space], Some(line[space + 1..].as_bstr())),
            None => (line.as_bytes(), None),
        };
        let needed = || {
            rest.map(BString::from)
                .ok_or_else(|| Error::fatal(format!("{} requires arguments", word.as_bstr())))
        };
        match word {
            b"contents" => Ok(Command::Contents(needed()?)),
            b"info" => Ok(Command::Info(needed()?)),
            b"mailmap" => Ok(Command::Mailmap(needed()?)),
            b"flush" if rest.is_some_and(|rest| !rest.is_empty()) => {
                Err(Error::fatal("flush takes no arguments"))
            }
            b"flush" if !buffered => Err(Error::fatal("flush is only for --buffer mode")),
            b"flush" => Ok(Command::Flush),
            _ => Err(Error::fatal(format!("unknown command: '{line}'"))),
        }
    }
}

struct Batch<'a> {
    repo: &'a Repository,
    objects: &'a Store,
    asked: &'a Asked,
    format: Format,
    mailmap: Option<Mailmap>,
    /// What converts contents, for `--filters`.
    filters: Option<&'a PathFilters>,
    map_idents: bool,
    end: u8,
    line: Vec<u8>,
    content: Vec<u8>,
    out: &'a mut (dyn Write + Send + 'a),
}

impl Batch<'_> {
    fn set_mailmap(&mut self, on: bool) -> Result<(), Error> {
        if on && self.mailmap.is_none() {
            self.mailmap = Some(self.repo.mailmap()?);
        }
        self.map_idents = on;
        Ok(())
    }

    fn command(&mut self, names: &Names<'_>, command: Command) -> Result<(), Error> {
        match command {
            Command::Contents(name) => self.name(names, name.as_bstr(), true),
            Command::Info(name) => self.name(names, name.as_bstr(), false),
            Command::Mailmap(text) => {
                let on = adit_config::value::boolean(Some(text.as_bstr()));
                let on = on.map_err(|_| Error::fatal(format!("mailmap: invalid boolean '{text}'")))?;
                self.set_mailmap(on)
            }
            Command::Flush => Ok(()),
        }
    }

    /// Answers for the object that a line of input names.
    fn name(&mut self, names: &Names<'_>, line: &BStr, with_content: bool) -> Result<(), Error> {
        let splits =
            self.format.has_rest || self.filters.is_some() && self.asked.batch != Some(BatchMode::Command);
        let (name, rest) = if splits { split_rest(line) } else { (line, BStr::new(b"")) };
        let entry = match self.resolve(names, name)? {
            Some(entry) => entry,
            None => return Ok(()),
        };
        let (id, mode) = (entry.id, entry.mode);
        let mut want = self.format.want;
        want.kind |= with_content || self.map_idents;
        let Some(mut info) = self.objects.info(&id, want)? else {
            let is_submodule = mode.is_some_and(|mode| mode & 0o170000 == 0o160000);
            self.line.clear();
            if is_submodule {
                id.append_hex(usize::MAX, &mut self.line);
                self.line.extend_from_slice(b" submodule");
            } else {
                self.line.extend_from_slice(name);
                self.line.extend_from_slice(b" missing");
            }
            return self.put_line();
        };
        if let (Some(filter), Some(kind)) = (self.asked.filter, info.kind)
            && filter.leaves_out(kind, info.size)
        {
            return self.say(name, b" excluded");
        }
        let mapped = self.mapped(&id, &mut info)?;
        self.line.clear();
        self.format.write(&Fields { id: &id, mode, info: &info, rest }, &mut self.line);
        self.put_line()?;
        if with_content {
            if mapped {
                self.out.write_all(&self.content)?;
            } else if info.kind == Some(ObjectKind::Blob) && self.filters.is_some() {
                self.put_filtered(&id, rest)?;
            } else {
                one::stream(self.objects, &id, self.out)?;
            }
            self.out.write_all(&[self.end])?;
        }
        Ok(())
    }

    /// Writes a blob as it would be in the working tree at `path`.
    fn put_filtered(&mut self, id: &ObjectId, path: &BStr) -> Result<(), Error> {
        let Some(filters) = self.filters else { return Ok(()) };
        if path.is_empty() {
            return Err(Error::fatal(format!("missing path for '{id}'")));
        }
        self.objects.read(id, &mut self.content)?;
        let converted = filtered::convert(filters, path, *id, &self.content);
        let converted = converted.map_err(|error| Error::fatal(error.to_string()))?;
        Ok(self.out.write_all(&converted)?)
    }

    /// Reads a commit or tag and maps its idents when that is asked for; its size is then that of the result.
    fn mapped(&mut self, id: &ObjectId, info: &mut Info) -> Result<bool, Error> {
        let Some(mailmap) = self.mailmap.as_ref().filter(|_| self.map_idents) else { return Ok(false) };
        let Some(kind @ (ObjectKind::Commit | ObjectKind::Tag)) = info.kind else { return Ok(false) };
        self.objects.read(id, &mut self.content)?;
        idents::map(mailmap, kind, &mut self.content);
        info.size = self.content.len() as u64;
        Ok(true)
    }

    /// The object that `name` means; `None` when that was answered already.
    fn resolve(&mut self, names: &Names<'_>, name: &BStr) -> Result<Option<PathEntry>, Error> {
        let resolved = if self.asked.follow_symlinks {
            names.resolve_following(name)
        } else {
            names.resolve_entry(name, Want::Any).map(Followed::Found)
        };
        let word = match resolved {
            Ok(Followed::Found(entry)) => return Ok(Some(entry)),
            Ok(Followed::Outside(path)) => {
                self.counted(b"symlink", path.as_bstr())?;
                return Ok(None);
            }
            Ok(Followed::Dangling) => "dangling",
            Ok(Followed::Loop) => "loop",
            Ok(Followed::NotFolder) => "notdir",
            Ok(Followed::Missing) | Err(NameError::Unknown) => {
                let suffix: &[u8] = if self.is_ambiguous(name)? { b" ambiguous" } else { b" missing" };
                self.say(name, suffix)?;
                return Ok(None);
            }
            Err(error) => return Err(error.into()),
        };
        self.counted(word.as_bytes(), name)?;
        Ok(None)
    }

    /// Whether `name` is the start of several ids.
    fn is_ambiguous(&self, name: &BStr) -> Result<bool, Error> {
        let Ok(prefix) = Prefix::from_hex(self.objects.format(), name) else { return Ok(false) };
        if name.len() < adit::MIN_ABBREV {
            return Ok(false);
        }
        let mut found = 0;
        self.objects.for_each_with_prefix(&prefix, |_| {
            found += 1;
            if found > 1 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        Ok(found > 1)
    }

    fn say(&mut self, name: &BStr, suffix: &[u8]) -> Result<(), Error> {
        self.line.clear();
        self.line.extend_from_slice(name);
        self.line.extend_from_slice(suffix);
        self.put_line()
    }

    /// `<word> <length>`, and a line with the text of that length.
    fn counted(&mut self, word: &[u8], text: &BStr) -> Result<(), Error> {
        self.line.clear();
        self.line.extend_from_slice(word);
        self.line.push(b' ');
        push_number(text.len() as u64, &mut self.line);
        self.line.push(self.end);
        self.line.extend_from_slice(text);
        self.put_line()
    }

    fn put_line(&mut self) -> Result<(), Error> {
        self.line.push(self.end);
        Ok(self.out.write_all(&self.line)?)
    }

    /// Answers for every object there is.
    fn all(&mut self) -> Result<(), Error> {
        let order = if self.asked.unordered { Order::Storage } else { Order::Id };
        let objects = self.objects;
        let mut want = self.format.want;
        want.kind |= self.map_idents;
        let with_content = self.asked.batch == Some(BatchMode::Contents);
        let mut result = Ok(());
        let mut keep = |done: Result<(), Error>| match done {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                result = Err(error);
                ControlFlow::Break(())
            }
        };
        if !with_content {
            objects.info_all(order, want, |id, info| {
                keep(info.map_err(Error::from).and_then(|info| self.put_object(id, info, None)))
            })?;
        } else if order == Order::Storage {
            objects.bulk_all()?.in_order(|id, object| keep(self.put_read(id, object)));
        } else {
            let mut content = Vec::new();
            objects.for_each_object(order, |id| {
                let read = objects.try_read_raw(&id, &mut content);
                let read = read.and_then(|kind| kind.ok_or(SourceError::Missing(id)));
                keep(self.put_read(&id, read.map(|kind| (kind, &content[..]))))
            })?;
        }
        result
    }

    fn put_read(&mut self, id: &ObjectId, object: adit_odb::BulkObject<'_>) -> Result<(), Error> {
        let (kind, content) = object?;
        let want = self.format.want;
        let mut info = Info::default();
        if want.disk_size || want.delta_base {
            let stored = Parts { kind: false, size: false, ..want };
            info = self.objects.info_raw(id, stored)?.ok_or(SourceError::Missing(*id))?;
        }
        (info.kind, info.size) = (Some(kind), content.len() as u64);
        self.put_object(id, info, Some(content))
    }

    fn put_object(&mut self, id: &ObjectId, mut info: Info, content: Option<&[u8]>) -> Result<(), Error> {
        if let (Some(filter), Some(kind)) = (self.asked.filter, info.kind)
            && filter.leaves_out(kind, info.size)
        {
            return Ok(());
        }
        let mapped = self.mapped(id, &mut info)?;
        self.line.clear();
        self.format.write(&Fields { id, mode: None, info: &info, rest: BStr::new(b"") }, &mut self.line);
        self.put_line()?;
        if let Some(content) = content {
            self.out.write_all(if mapped { &self.content } else { content })?;
            self.out.write_all(&[self.end])?;
        }
        Ok(())
    }
}

/// The name up to the first white space, and what follows that white space.
fn split_rest(line: &BStr) -> (&BStr, &BStr) {
    let Some(at) = line.find_byteset(b" \t") else { return (line, BStr::new(b"")) };
    let rest = &line[at..];
    let skip = rest.iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
    (line[..at].as_bstr(), rest[skip..].as_bstr())
}
