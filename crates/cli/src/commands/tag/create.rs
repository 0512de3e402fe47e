//! `git tag <name>`: makes a tag, with an object of its own or without.

use std::io::Write;
use std::path::PathBuf;

use adit::Repository;
use adit::ident::Role;
use adit_object::{Commit, ObjectId, ObjectKind, Source};
use adit_refs::{Edit, Expected};
use adit_text::date::{Clock, DateFormat, DateStyle, LocalZone};
use adit_text::stripspace::{Cleanup, comment_lines};
use adit_text::trailers;
use bstr::{BStr, BString, ByteSlice};

use super::Making;
use crate::context::Context;
use crate::error::Error;
use crate::format::pretty;
use crate::names::Said;
use crate::{editor, message, references};

/// Makes the tag `name` of what `object` means.
pub(super) fn create(
    ctx: &mut Context<'_>,
    making: &Making,
    name: &BStr,
    object: &BStr,
) -> Result<u8, Error> {
    if making.message.is_some() && making.file.is_some() {
        return Err(Error::fatal("options '-F' and '-m' cannot be used together"));
    }
    let repo = ctx.repo()?;
    let target = {
        let context = repo.name_context()?;
        let said = Said::new(&mut ctx.streams.err);
        let resolved = context.names(&said)?.resolve(object);
        resolved.map_err(|error| match error.is_unknown() {
            true => Error::fatal(format!("Failed to resolve '{object}' as a valid ref.")),
            false => error.into(),
        })?
    };
    let full: BString = [b"refs/tags/", name.as_bytes()].concat().into();
    let valid = !name.starts_with(b"-") && name != "HEAD";
    if !valid || !adit_refs::name::is_valid(&full, adit_refs::name::Rules::default()) {
        return Err(Error::fatal(format!("'{name}' is not a valid tag name.")));
    }
    let old = repo.refs()?.resolve(&full)?.map(|tag| tag.id);
    if old.is_some() && !making.force {
        return Err(Error::fatal(format!("tag '{name}' already exists")));
    }
    let cleanup = match &making.cleanup {
        Some(mode) => message::cleanup(mode.as_bstr())?,
        None => Cleanup::Strip,
    };
    let config = repo.config();
    let sign = match making.sign {
        Some(said) => said,
        None if config.bool("tag.gpgsign")?.unwrap_or(false) => true,
        // `-a` says that no signature is wanted.
        None if making.annotate || !making.wants_object() => false,
        None => config.bool("tag.forcesignannotated")?.unwrap_or(false),
    };
    let (new, edited) = match sign || making.wants_object() {
        true => annotate(ctx, &repo, making, Annotation { name, object, target, old, cleanup, sign })?,
        false => (target, None),
    };
    let options = repo.write_options()?;
    let mut edit = Edit::set(full, new).expect(old.map_or(Expected::Missing, Expected::Id));
    if making.create_log {
        edit = edit.create_log();
    }
    let mut transaction = repo.refs()?.transaction(&options);
    transaction.add(edit.message(log_message(&repo, &target)?));
    transaction.commit(&mut repo.reference_hook()?).map_err(|error| references::fatal(&repo, error))?;
    if let Some(path) = edited {
        // What is left of a message that is kept elsewhere harms nobody.
        let _ = std::fs::remove_file(path);
    }
    if let Some(old) = old.filter(|old| *old != new) {
        writeln!(ctx.streams.out, "Updated tag '{name}' (was {})", repo.short_id(&old)?)?;
    }
    Ok(0)
}

/// What a log says of the new tag.
fn log_message(repo: &Repository, target: &ObjectId) -> Result<BString, Error> {
    let mut text = match repo.env().var_non_empty("GIT_REFLOG_ACTION") {
        Some(action) => action.to_owned(),
        None => format!("tag: tagging {}", repo.short_id(target)?).into(),
    };
    text.extend_from_slice(b" (");
    let mut content = Vec::new();
    match repo.objects()?.read(target, &mut content)? {
        ObjectKind::Commit => {
            if let Ok(commit) = Commit::parse(repo.object_format(), &content) {
                pretty::Message::new(commit.message()).append_subject(&mut text);
                if let Some(time) = commit.committer().and_then(|committer| committer.time()) {
                    text.extend_from_slice(b", ");
                    let short = DateFormat { style: DateStyle::Short, local: false };
                    let zone = LocalZone::from_tz(Some("UTC"));
                    short.write(time.seconds, 0, Clock { now: 0, zone: &zone }, &mut text);
                }
            }
        }
        ObjectKind::Tree => text.extend_from_slice(b"tree object"),
        ObjectKind::Blob => text.extend_from_slice(b"blob object"),
        ObjectKind::Tag => text.extend_from_slice(b"other tag object"),
    }
    text.push(b')');
    Ok(text)
}

/// What the object of a tag is made from.
struct Annotation<'n> {
    name: &'n BStr,
    /// The target as it was typed.
    object: &'n BStr,
    target: ObjectId,
    old: Option<ObjectId>,
    cleanup: Cleanup,
    sign: bool,
}

const NESTED: &str = "\
The object that was tagged is a tag itself. To tag what that one is of instead:

\tgit tag -f ";

/// Makes the object of a tag; the file that its message was edited in comes back too.
fn annotate(
    ctx: &mut Context<'_>,
    repo: &Repository,
    making: &Making,
    tag: Annotation<'_>,
) -> Result<(ObjectId, Option<PathBuf>), Error> {
    let kind = repo.objects()?.header(&tag.target)?.kind;
    if kind == ObjectKind::Tag {
        let text = format!("{NESTED}{} {}^{{}}\n", tag.name, tag.object);
        ctx.advise(repo.config(), "nestedTag", &text)?;
    }
    let tagger = Role::Committer.ident(&ctx.env, repo.config())?;
    let mut object = BString::from(format!("object {}\ntype {kind}\ntag ", tag.target));
    object.extend_from_slice(tag.name);
    object.extend_from_slice(b"\ntagger ");
    object.extend_from_slice(&tagger);
    object.extend_from_slice(b"\n\n");
    let (text, edited) = write_message(ctx, repo, making, &tag)?;
    object.extend_from_slice(&text);
    if tag.sign {
        match repo.sign(&object, making.key.as_ref().map(|key| key.as_bstr())) {
            Ok(signature) => object.extend_from_slice(&signature),
            Err(error) => {
                ctx.complain(error);
                ctx.complain("unable to sign the tag");
                if let Some(path) = edited {
                    writeln!(ctx.streams.err, "The tag message has been left in {}", path.display())?;
                }
                return Err(Error::Exit(128));
            }
        }
    }
    Ok((repo.objects()?.write(ObjectKind::Tag, &object, repo.loose_options()?)?, edited))
}

/// The message, from options or an editor, and the file that was edited.
fn write_message(
    ctx: &mut Context<'_>,
    repo: &Repository,
    making: &Making,
    tag: &Annotation<'_>,
) -> Result<(BString, Option<PathBuf>), Error> {
    let comment = message::comment_prefix(ctx)?;
    let mut given = match (&making.message, &making.file) {
        (Some(text), _) => Some(text.clone()),
        (None, Some(name)) => Some(message::read_file(ctx, name.as_bstr()).map_err(|error| {
            let said = adit_sys::os_error(&error);
            Error::fatal(match name == "-" {
                true => format!("cannot read '-': {said}"),
                false => format!("could not open or read '{name}': {said}"),
            })
        })?),
        (None, None) => None,
    };
    let trailers = trailers(repo, making)?;
    let rules = trailers::Rules { comment: &comment, ..trailers::Rules::default() };
    if let Some(text) = &mut given
        && !trailers.is_empty()
    {
        *text = trailers::add(text, &trailers, &rules).into();
    }
    let is_given = given.is_some();
    let (text, edited) = match given {
        Some(text) if !making.edit => (text, None),
        Some(text) => edit(ctx, repo, &text)?,
        None => {
            let old = old_message(repo, tag)?;
            let is_new = old.is_none();
            let mut draft = old.unwrap_or_else(|| "\n".into());
            if !trailers.is_empty() {
                draft = trailers::add(&draft, &trailers, &rules).into();
            }
            if is_new {
                draft.extend_from_slice(&comment_lines(&instructions(tag, comment.as_bstr()), &comment));
            }
            edit(ctx, repo, &draft)?
        }
    };
    let text: BString = tag.cleanup.apply(&text, &comment).into();
    if !is_given && text.is_empty() {
        return Err(Error::fatal("no tag message?"));
    }
    Ok((text, edited))
}

/// What the editor shows below the message.
fn instructions(tag: &Annotation<'_>, comment: &BStr) -> Vec<u8> {
    let name = tag.name;
    let last = match tag.cleanup {
        Cleanup::Strip => format!("Lines starting with '{comment}' will be ignored."),
        _ => format!(
            "Lines starting with '{comment}' will be kept; you may remove them yourself if you want to."
        ),
    };
    format!("\nWrite a message for tag:\n  {name}\n{last}\n").into()
}

/// The message of the tag that is replaced, without its signature.
fn old_message(repo: &Repository, tag: &Annotation<'_>) -> Result<Option<BString>, Error> {
    let Some(old) = &tag.old else { return Ok(None) };
    let mut content = Vec::new();
    if repo.objects()?.read(old, &mut content)? != ObjectKind::Tag {
        return Ok(None);
    }
    let body = content.find(b"\n\n").map_or(&[][..], |at| &content[at + 2..]);
    Ok(Some(body[..adit::signature::signature_start(body)].into()))
}

/// Lets the user edit the message, in a file that stays when nothing comes of it.
fn edit(ctx: &mut Context<'_>, repo: &Repository, draft: &[u8]) -> Result<(BString, Option<PathBuf>), Error> {
    let path = repo.git_dir().join("TAG_EDITMSG");
    let failed = |what: &str, error: std::io::Error| {
        Error::fatal(format!("could not {what} '{}': {}", path.display(), adit_sys::os_error(&error)))
    };
    std::fs::write(&path, draft).map_err(|error| failed("create file", error))?;
    if let Err(error) = editor::edit(ctx, repo.config(), &path) {
        ctx.complain(error);
        writeln!(ctx.streams.err, "Please supply the message using either -m or -F option.")?;
        return Err(Error::Exit(1));
    }
    let text = std::fs::read(&path).map_err(|error| failed("read", error))?;
    Ok((text.into(), Some(path)))
}

/// The trailers that `--trailer` gives, as keys and values.
fn trailers(repo: &Repository, making: &Making) -> Result<Vec<trailers::Trailer>, Error> {
    let configured = |entry: &adit_config::Entry| {
        entry.name.strip_prefix(b"trailer.").is_some_and(|rest| rest != b"separators")
    };
    if !making.trailers.is_empty() && repo.config().entries().iter().any(configured) {
        return Err(Error::unsupported("--trailer with settings of trailer.*"));
    }
    let split = |trailer: &BString| {
        let at = trailer.find_byteset(b"=:").unwrap_or(trailer.len());
        let (key, value) = trailer.split_at(at);
        if key.trim_ascii().is_empty() {
            return Err(Error::fatal(format!("empty trailer token in trailer '{trailer}'")));
        }
        let value = value.get(1..).unwrap_or_default();
        Ok((key.trim_ascii().to_vec(), value.trim_ascii().to_vec()))
    };
    making.trailers.iter().map(split).collect()
}
