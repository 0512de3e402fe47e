//! Checking signatures for commands: what is printed, and whether a signature is good enough.

use std::io::Write;

use adit::Repository;
use adit::signature::{Verification, signature_start};
use adit_object::commit_write::without_signature;
use adit_object::{ObjectId, ObjectKind, Source};
use bstr::{BStr, BString};

use crate::context::Context;
use crate::error::Error;

/// How much is said of a check.
#[derive(Debug, Clone, Copy, Default)]
pub struct Told {
    /// The object itself, without its signature, on standard output.
    pub payload: bool,
    /// What the program says to programs, instead of what it says to people.
    pub raw: bool,
    /// Nothing but mistakes.
    pub nothing: bool,
}

/// Checks the signature of the tag `id`, which was asked for as `name`; whether it is good.
///
/// # Errors
/// When the object cannot be read, or the program that checks cannot be run.
pub fn verify_tag(
    ctx: &mut Context<'_>,
    repo: &Repository,
    name: &BStr,
    id: &ObjectId,
    told: Told,
) -> Result<bool, Error> {
    let mut content = Vec::new();
    let kind = repo.objects()?.read(id, &mut content)?;
    if kind != ObjectKind::Tag {
        ctx.complain(format_args!("{name}: cannot verify a non-tag object of type {kind}."));
        return Ok(false);
    }
    let (payload, signature) = content.split_at(signature_start(&content));
    if signature.is_empty() {
        if told.payload {
            ctx.streams.out.write_all(payload)?;
            ctx.streams.out.flush()?;
        }
        ctx.complain("no signature found");
        return Ok(false);
    }
    check(ctx, repo, payload, signature, told)
}

/// Checks the signature of the commit `id`, which was asked for as `name`; whether it is good.
///
/// # Errors
/// When the object cannot be read, or the program that checks cannot be run.
pub fn verify_commit(
    ctx: &mut Context<'_>,
    repo: &Repository,
    name: &BStr,
    id: &ObjectId,
    told: Told,
) -> Result<bool, Error> {
    let mut content = Vec::new();
    let kind = repo.objects()?.read(id, &mut content)?;
    if kind != ObjectKind::Commit {
        ctx.complain(format_args!("{name}: cannot verify a non-commit object of type {kind}."));
        return Ok(false);
    }
    match without_signature(&content, repo.object_format()) {
        Some((payload, signature)) => check(ctx, repo, &payload, &signature, told),
        None => {
            if told.payload {
                ctx.streams.out.write_all(&content)?;
            }
            Ok(false)
        }
    }
}

fn check(
    ctx: &mut Context<'_>,
    repo: &Repository,
    payload: &[u8],
    signature: &[u8],
    told: Told,
) -> Result<bool, Error> {
    let verification = match repo.verify_signature(payload, signature) {
        Ok(verification) => verification,
        Err(error) => {
            ctx.complain(error);
            Verification::default()
        }
    };
    if told.payload {
        ctx.streams.out.write_all(payload)?;
        // What is said of it comes behind it.
        ctx.streams.out.flush()?;
    }
    if !told.nothing {
        let said: &BString = if told.raw { &verification.status } else { &verification.output };
        ctx.streams.err.write_all(said)?;
    }
    Ok(repo.accepts(&verification)?)
}
