//! Questions about one object.

use std::io::Write;

use adit::Repository;
use adit_diff::trees::normal_mode;
use adit_object::{Commit, ObjectId, ObjectKind, Source, SourceError, Tag, Tree};
use adit_revision::names::{NameError, Names, PathEntry, Want};
use bstr::{BStr, BString, ByteSlice};

use super::{Asked, Mode, idents};
use crate::context::Context;
use crate::error::Error;
use crate::names::Said;

/// What is asked.
#[derive(Clone, Copy)]
pub(super) enum Question<'a> {
    /// One of the options.
    Mode(Mode),
    /// The content, as an object of the kind of this name.
    Content(&'a BString),
}

/// Answers `question` about the object called `name`.
pub(super) fn run(
    ctx: &mut Context<'_>,
    asked: &Asked,
    question: Question<'_>,
    name: &BString,
) -> Result<u8, Error> {
    let repo = ctx.repo()?;
    let objects = repo.objects()?;
    let mailmap = if asked.mailmap { Some(repo.mailmap()?) } else { None };
    let entry = {
        let names = repo.name_context()?;
        let said = Said::new(&mut ctx.streams.err);
        resolve(&repo, &names.names(&said)?, name.as_bstr())?
    };
    if let Question::Mode(Mode::Textconv) = question
        && let Some(text) = text(ctx, &repo, asked, name, &entry)?
    {
        ctx.streams.out.write_all(&text)?;
        return Ok(0);
    }
    let id = entry.id;
    let out = &mut ctx.streams.out;
    let no_info = || Error::fatal("git cat-file: could not get object info");
    let invalid = || Error::fatal(format!("Not a valid object name {name}"));
    let bad = || Error::fatal(format!("git cat-file {name}: bad file"));
    let mut content = Vec::new();
    match question {
        Question::Mode(Mode::Exists) => return Ok(u8::from(!objects.contains(&id))),
        Question::Mode(Mode::Kind) => {
            let header = objects.try_header(&id)?.ok_or_else(no_info)?;
            writeln!(out, "{}", header.kind)?;
        }
        Question::Mode(Mode::Size) => {
            let header = objects.try_header(&id)?.ok_or_else(no_info)?;
            let mut size = header.size;
            if let Some(mailmap) = &mailmap
                && matches!(header.kind, ObjectKind::Commit | ObjectKind::Tag)
            {
                objects.read(&id, &mut content)?;
                idents::map(mailmap, header.kind, &mut content);
                size = content.len() as u64;
            }
            writeln!(out, "{size}")?;
        }
        Question::Mode(Mode::Pretty | Mode::Textconv) => {
            let kind = objects.try_header(&id)?.ok_or_else(invalid)?.kind;
            if kind == ObjectKind::Tree {
                objects.read(&id, &mut content)?;
                return tree(&repo, &id, &content, out);
            }
            write_content(objects, &id, kind, mailmap.as_ref(), out)?;
        }
        Question::Content(kind) => {
            let known = ObjectKind::from_name(kind);
            let kind = known.ok_or_else(|| Error::fatal(format!("invalid object type \"{kind}\"")))?;
            let id = follow(objects, &id, kind)?.ok_or_else(bad)?;
            write_content(objects, &id, kind, mailmap.as_ref(), out)?;
        }
        // Answered before.
        Question::Mode(Mode::Filters) => return Err(invalid()),
    }
    Ok(0)
}

/// The text that a program makes of the content; `None` when there is no program for it, and it is shown as it is.
fn text(
    ctx: &Context<'_>,
    repo: &Repository,
    asked: &Asked,
    name: &BString,
    entry: &PathEntry,
) -> Result<Option<Vec<u8>>, Error> {
    const PLAIN: u32 = 0o100644;
    let needed = || Error::fatal(format!("<object>:<path> required, only <object> '{name}' given"));
    let path = asked.path.as_ref().or(entry.path.as_ref()).ok_or_else(needed)?;
    let objects = repo.objects()?;
    let mut content = Vec::new();
    if objects.read(&entry.id, &mut content)? == ObjectKind::Tree {
        return Ok(None);
    }
    crate::programs::text_of(ctx, repo, path.as_bstr(), entry.mode.unwrap_or(PLAIN), &content)
}

/// The object that `name` means, or git's words for why there is none.
pub(super) fn resolve(repo: &Repository, names: &Names<'_>, name: &BStr) -> Result<PathEntry, Error> {
    match names.resolve_entry(name, Want::Any) {
        Ok(entry) => Ok(entry),
        Err(NameError::Unknown) => {
            let on_disk =
                |path: &BStr| std::fs::symlink_metadata(repo.env().cwd().join(path.to_path_lossy())).is_ok();
            Err(match names.explain(name, &on_disk)? {
                Some(text) => Error::fatal(text),
                None => Error::fatal(format!("Not a valid object name {name}")),
            })
        }
        Err(error) => Err(error.into()),
    }
}

/// Writes the content of an object; a blob is not held in memory when it is large.
fn write_content(
    objects: &adit_odb::Store,
    id: &ObjectId,
    kind: ObjectKind,
    mailmap: Option<&adit::Mailmap>,
    out: &mut dyn Write,
) -> Result<(), Error> {
    match mailmap {
        Some(mailmap) if kind != ObjectKind::Blob => {
            let mut content = Vec::new();
            objects.read(id, &mut content)?;
            idents::map(mailmap, kind, &mut content);
            out.write_all(&content)?;
        }
        _ => {
            stream(objects, id, out)?;
        }
    }
    Ok(())
}

/// Writes the content of an object that is known to be here.
pub(super) fn stream(objects: &adit_odb::Store, id: &ObjectId, out: &mut dyn Write) -> Result<(), Error> {
    match objects.stream(id, out) {
        Ok(Some(_)) => Ok(()),
        Ok(None) => Err(SourceError::Missing(*id).into()),
        Err(adit_odb::StreamError::Source(error)) => Err(error.into()),
        Err(adit_odb::StreamError::Write(error)) => Err(Error::Output(error)),
    }
}

/// The object of `kind` that `id` is or leads to: from a tag to its target, from a commit to its tree.
fn follow(objects: &adit_odb::Store, id: &ObjectId, kind: ObjectKind) -> Result<Option<ObjectId>, Error> {
    let mut id = *id;
    let mut content = Vec::new();
    let malformed = |id, error| Error::from(SourceError::Malformed { id, error });
    loop {
        let Some(header) = objects.try_header(&id)? else { return Ok(None) };
        if header.kind == kind {
            return Ok(Some(id));
        }
        match header.kind {
            ObjectKind::Tag | ObjectKind::Commit => objects.read(&id, &mut content)?,
            ObjectKind::Tree | ObjectKind::Blob => return Ok(None),
        };
        id = if header.kind == ObjectKind::Tag {
            Tag::parse(id.format(), &content).map_err(|error| malformed(id, error))?.target()
        } else {
            Commit::parse(id.format(), &content).map_err(|error| malformed(id, error))?.tree()
        };
    }
}

/// Prints a tree as `ls-tree` does.
fn tree(repo: &Repository, id: &ObjectId, content: &[u8], out: &mut dyn Write) -> Result<u8, Error> {
    let mut text = Vec::new();
    let quote_high = repo.quotes_high_bytes();
    for entry in Tree::new(id.format(), content) {
        let entry = entry.map_err(|error| SourceError::Malformed { id: *id, error })?;
        text.extend_from_slice(
            format!("{:06o} {} ", normal_mode(entry.mode), entry.kind().object_kind()).as_bytes(),
        );
        entry.id(id.format()).append_hex(usize::MAX, &mut text);
        text.push(b'\t');
        adit_text::quote::quote_path(entry.name, quote_high, &mut text);
        text.push(b'\n');
    }
    out.write_all(&text)?;
    Ok(0)
}
