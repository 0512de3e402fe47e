//! `--summary`: creations, deletions, renames, rewrites and changes of mode, a line each.

use bstr::BStr;

use crate::formats::{Names, mode};
use crate::{FilePair, Status};

/// Appends what `--summary` says of `pair`, which may be nothing.
pub fn summary(pair: &FilePair, names: &Names, out: &mut Vec<u8>) {
    // Names stand in the middle of a line here, so they are quoted whatever ends records.
    let names = Names { nul: false, ..names.clone() };
    match pair.status {
        Status::Deleted => with_mode(b" delete mode ", pair.old.mode, pair.old.path.as_ref(), &names, out),
        Status::Added => with_mode(b" create mode ", pair.new.mode, pair.new.path.as_ref(), &names, out),
        Status::Renamed | Status::Copied => {
            let word: &[u8] = if pair.status == Status::Renamed { b" rename " } else { b" copy " };
            out.extend_from_slice(word);
            names.rename(pair.old.path.as_ref(), pair.new.path.as_ref(), out);
            out.extend_from_slice(format!(" ({}%)\n", pair.percent()).as_bytes());
            mode_change(pair, None, &names, out);
        }
        _ if pair.score != 0 => {
            out.extend_from_slice(b" rewrite ");
            names.path(pair.new.path.as_ref(), out);
            out.extend_from_slice(format!(" ({}%)\n", pair.percent()).as_bytes());
            mode_change(pair, None, &names, out);
        }
        _ => mode_change(pair, Some(pair.new.path.as_ref()), &names, out),
    }
}

fn with_mode(words: &[u8], bits: u32, path: &BStr, names: &Names, out: &mut Vec<u8>) {
    out.extend_from_slice(words);
    mode(bits, out);
    out.push(b' ');
    names.path(path, out);
    out.push(b'\n');
}

fn mode_change(pair: &FilePair, path: Option<&BStr>, names: &Names, out: &mut Vec<u8>) {
    if !pair.old.exists() || !pair.new.exists() || pair.old.mode == pair.new.mode {
        return;
    }
    out.extend_from_slice(b" mode change ");
    mode(pair.old.mode, out);
    out.extend_from_slice(b" => ");
    mode(pair.new.mode, out);
    if let Some(path) = path {
        out.push(b' ');
        names.path(path, out);
    }
    out.push(b'\n');
}
