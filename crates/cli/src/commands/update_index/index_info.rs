//! `update-index --index-info`: entries from standard input, in the forms of `ls-tree` and `ls-files -s`.

use std::io::Write;

use adit::{Repository, object_check};
use adit_index::Stage;
use adit_object::ObjectId;
use bstr::{BStr, BString, ByteSlice};

use super::change::Changes;
use crate::context::Context;
use crate::error::Error;
use crate::lines_in::next_line;

/// A line that was read.
struct Info {
    mode: u32,
    id: ObjectId,
    stage: Stage,
    path: BString,
}

/// Reads and applies all lines.
pub(super) fn read(
    ctx: &mut Context<'_>,
    repo: &Repository,
    changes: &mut Changes<'_>,
    nul: bool,
) -> Result<(), Error> {
    while let Some(line) = next_line(ctx, nul)? {
        let info = parse(repo, line.as_bstr(), nul)
            .ok_or_else(|| Error::fatal(format!("malformed index info {line}")))?;
        let path = info.path.as_bstr();
        if !object_check::is_index_path(path, info.mode) {
            writeln!(ctx.streams.err, "Ignoring path {path}")?;
        } else if info.mode == 0 {
            changes.index.remove(path);
        } else if !changes.add_object(ctx, info.mode, info.id, path, info.stage) {
            return Err(Error::fatal(format!("git update-index: unable to update {path}")));
        }
    }
    Ok(())
}

/// `<mode> SP [<type> SP] <id> [SP <stage>] TAB <path>`
fn parse(repo: &Repository, line: &BStr, nul: bool) -> Option<Info> {
    let (head, path) = line.split_once_str("\t")?;
    let (mode, rest) = head.split_once_str(" ")?;
    let mode = u32::from_str_radix(mode.to_str().ok()?, 8).ok()?;
    let (rest, stage) = match rest {
        [rest @ .., b' ', digit @ b'0'..=b'3'] => (rest, u32::from(digit - b'0')),
        rest => (rest, 0),
    };
    let hex = rest.rsplit_once_str(" ").map_or(rest, |(_kind, id)| id);
    let id = ObjectId::from_hex(repo.object_format(), hex).ok()?;
    let path = match path.first() {
        Some(b'"') if !nul => adit_text::quote::unquote_c(path)?.0,
        _ => path.into(),
    };
    Some(Info { mode, id, stage: Stage::of_number(stage)?, path })
}
