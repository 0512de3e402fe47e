//! `git mktag`: stores a tag object after a look at it.

use std::collections::HashMap;
use std::io::{Read, Write};

use adit::Repository;
use adit::object_check::{self, Severity};
use adit_object::{ObjectKind, Source, Tag};
use bstr::{BString, ByteSlice};

use crate::context::Context;
use crate::error::Error;
use crate::options::{Opt, Table, Usage};

#[derive(Clone, Copy)]
enum O {
    Strict,
}

const USAGE: Usage = Usage { name: "mktag", synopsis: &["git mktag"] };

const OPTIONS: Table<O> = Table::new(&[Opt::flag(O::Strict, "strict", "refuse what is merely odd").no()]);

/// Runs the command.
pub fn run(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let mut strict = true;
    // Whatever else is on the command line does not count.
    OPTIONS.parse(&USAGE, args, |given| {
        strict = given.on();
        Ok(())
    })?;
    let repo = ctx.repo()?;
    let mut tag = Vec::new();
    ctx.streams.input.read_to_end(&mut tag).map_err(|error| {
        Error::fatal(format!("could not read from stdin: {}", adit_sys::os_error(&error)))
    })?;
    let severities = severities(&repo)?;
    let mut refused = false;
    object_check::check_tag(repo.object_format(), &tag, &mut |fault| {
        let usual = match fault.id {
            // What git itself never writes after a tagger is told of here.
            "extraHeaderEntry" => Severity::Warn,
            id => object_check::severity(id).unwrap_or(Severity::Error),
        };
        let severity = match severities.get(fault.id.to_ascii_lowercase().as_str()).copied().unwrap_or(usual)
        {
            Severity::Info => Severity::Warn,
            other => other,
        };
        let text = format!("tag input does not pass fsck: {}: {}", fault.id, fault.text);
        match severity {
            Severity::Ignore | Severity::Info => true,
            Severity::Warn if !strict => {
                ctx.warn(text);
                true
            }
            Severity::Warn | Severity::Error | Severity::Fatal => {
                ctx.complain(text);
                refused = true;
                false
            }
        }
    });
    if refused {
        return Err(Error::fatal("tag on stdin did not pass our strict fsck check"));
    }
    check_target(&repo, &tag)?;
    let id = repo.objects()?.write(ObjectKind::Tag, &tag, repo.loose_options()?)?;
    writeln!(ctx.streams.out, "{id}")?;
    Ok(0)
}

/// Refuses a tag of an object that is not there, or not what the tag says.
fn check_target(repo: &Repository, bytes: &[u8]) -> Result<(), Error> {
    let tag = Tag::parse(repo.object_format(), bytes)
        .map_err(|_| Error::fatal("tag on stdin did not refer to a valid object"))?;
    let (target, kind) = (tag.target(), tag.target_kind());
    match repo.objects()?.try_header(&target)? {
        None => Err(Error::fatal(format!("could not read tagged object '{target}'"))),
        Some(header) if header.kind != kind => Err(Error::fatal(format!(
            "object '{target}' tagged as '{kind}', but is a '{}' type",
            header.kind
        ))),
        Some(_) => Ok(()),
    }
}

/// What `fsck.<message>` makes of faults, by their names in lower case.
fn severities(repo: &Repository) -> Result<HashMap<String, Severity>, Error> {
    let mut found = HashMap::new();
    for entry in repo.config().entries() {
        let Some(name) = entry.name.strip_prefix(b"fsck.").and_then(|name| name.to_str().ok()) else {
            continue;
        };
        if name == "skiplist" {
            return Err(Error::unsupported("fsck.skipList"));
        }
        let Some(usual) = object_check::severity(name) else {
            return Err(Error::fatal(format!("Unhandled message id: {name}")));
        };
        let value = entry.value.clone().unwrap_or_default();
        let severity = match value.as_slice() {
            b"ignore" => Severity::Ignore,
            b"warn" => Severity::Warn,
            b"error" => Severity::Error,
            _ => return Err(Error::fatal(format!("Unknown fsck message type: '{value}'"))),
        };
        if usual == Severity::Fatal && severity != Severity::Error {
            return Err(Error::fatal(format!("Cannot demote {name} to {value}")));
        }
        found.insert(name.to_owned(), severity);
    }
    Ok(found)
}
