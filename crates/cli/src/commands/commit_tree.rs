//! `git commit-tree`: makes a commit of a tree.

use std::io::{Read, Write};

use adit::Repository;
use adit::ident::Role;
use adit_object::commit_write::{NewCommit, with_signature};
use adit_object::{ObjectId, ObjectKind, Source};
use bstr::{BStr, BString, ByteSlice};

use crate::context::Context;
use crate::error::Error;
use crate::message;
use crate::names::Said;
use crate::options::{Opt, Table, Usage};

#[derive(Clone, Copy)]
enum O {
    Parent,
    Message,
    File,
    Sign,
}

const USAGE: Usage = Usage {
    name: "commit-tree",
    synopsis: &[
        "git commit-tree <tree> [(-p <parent>)...]",
        "git commit-tree [(-p <parent>)...] [-S[<key>]] [(-m <message>)...] [(-F <file>)...] <tree>",
    ],
};

const OPTIONS: Table<O> = Table::new(&[
    Opt::value(O::Parent, "", "parent", "a commit that this one follows").short(b'p'),
    Opt::value(O::Message, "", "message", "a paragraph of the message").short(b'm'),
    Opt::value(O::File, "", "file", "read a part of the message from a file").short(b'F'),
    Opt::optional(O::Sign, "gpg-sign", "key", "sign the commit").short(b'S').no(),
]);

/// Runs the command.
pub fn run(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let repo = if args.len() == 1 && args[0] == "-h" { None } else { Some(ctx.repo()?) };
    let mut parents: Vec<ObjectId> = Vec::new();
    let mut text: Option<BString> = None;
    let mut sign: Option<BString> = None;
    let words = OPTIONS.parse(&USAGE, args, |given| {
        match (given.id, &repo) {
            (O::Parent, Some(repo)) => {
                let id = object(ctx, repo, given.text(), ObjectKind::Commit)?;
                if parents.contains(&id) {
                    ctx.complain(format_args!("duplicate parent {id} ignored"));
                } else {
                    parents.push(id);
                }
            }
            (O::Message, _) => message::add_paragraph(text.get_or_insert_default(), given.text()),
            (O::File, _) => {
                let name = given.text();
                let content = message::read_file(ctx, name).map_err(|error| {
                    let said = adit_sys::os_error(&error);
                    Error::fatal(format!("could not open '{name}' for reading: {said}"))
                })?;
                let text = text.get_or_insert_default();
                if !text.is_empty() {
                    text.push(b'\n');
                }
                text.extend_from_slice(&content);
            }
            (O::Sign, _) => sign = given.on().then(|| given.text().to_owned()),
            (O::Parent, None) => {}
        }
        Ok(())
    })?;
    let (Some(repo), [tree]) = (repo, words.as_slice()) else {
        return Err(Error::fatal("must give exactly one tree"));
    };
    let tree = object(ctx, &repo, tree.as_bstr(), ObjectKind::Tree)?;
    let text = match text {
        Some(text) => text,
        None => {
            let mut text = Vec::new();
            ctx.streams.input.read_to_end(&mut text).map_err(|_| Error::fatal("git commit-tree: read"))?;
            text.into()
        }
    };
    if text.contains(&0) {
        return Err(Error::failed("a NUL byte in commit log message not allowed."));
    }
    let author = Role::Author.ident(&ctx.env, repo.config())?;
    let committer = Role::Committer.ident(&ctx.env, repo.config())?;
    let encoding = encoding(&repo);
    let commit = NewCommit {
        tree,
        parents: &parents,
        author: author.as_bstr(),
        committer: committer.as_bstr(),
        encoding: encoding.as_ref().map(|encoding| encoding.as_bstr()),
        message: text.as_bstr(),
    };
    let mut bytes = commit.to_bytes();
    if encoding.is_none() && bytes.to_str().is_err() {
        bytes = as_utf8(&bytes);
        writeln!(
            ctx.streams.err,
            "Warning: commit message did not conform to UTF-8.\n\
             i18n.commitEncoding can tell which encoding it has; this one was taken for ISO-8859-1."
        )?;
    }
    if let Some(key) = sign {
        match repo.sign(&bytes, Some(key.as_bstr())) {
            Ok(signature) => bytes = with_signature(&bytes, repo.object_format(), &signature),
            Err(error) => return Err(Error::failed(error.to_string())),
        }
    }
    let id = repo.objects()?.write(ObjectKind::Commit, &bytes, repo.loose_options()?)?;
    writeln!(ctx.streams.out, "{id}")?;
    Ok(0)
}

/// The object that a name means, which must be of this kind.
fn object(
    ctx: &mut Context<'_>,
    repo: &Repository,
    name: &BStr,
    kind: ObjectKind,
) -> Result<ObjectId, Error> {
    let context = repo.name_context()?;
    let said = Said::new(&mut ctx.streams.err);
    let id = match context.names(&said)?.resolve(name) {
        Err(error) if error.is_unknown() => {
            return Err(Error::fatal(format!("not a valid object name {name}")));
        }
        other => other?,
    };
    match repo.objects()?.try_header(&id)? {
        Some(header) if header.kind == kind => Ok(id),
        Some(_) => Err(Error::fatal(format!("{id} is not a valid '{kind}' object"))),
        None => Err(Error::fatal(format!("{id} is not a valid object"))),
    }
}

/// The encoding of messages (`i18n.commitEncoding`), when it is not UTF-8.
fn encoding(repo: &Repository) -> Option<BString> {
    let entry = repo.config().last(b"i18n.commitencoding")?;
    let name = entry.value.clone()?;
    let is_utf8 = name.eq_ignore_ascii_case(b"utf-8") || name.eq_ignore_ascii_case(b"utf8");
    (!is_utf8).then_some(name)
}

/// The text with every byte that is no part of UTF-8 taken for a character of ISO-8859-1.
fn as_utf8(text: &[u8]) -> BString {
    let mut out = Vec::with_capacity(text.len() + 16);
    for chunk in text.utf8_chunks() {
        out.extend_from_slice(chunk.valid().as_bytes());
        for &byte in chunk.invalid() {
            out.extend_from_slice(char::from(byte).encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
    out.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_utf8_is_taken_for_latin_1() {
        assert_eq!(as_utf8(b"caf\xe9 caf\xc3\xa9"), "caf\u{e9} caf\u{e9}");
    }
}
