//! The usage text of a specification.

use bstr::ByteSlice;

use super::spec::{Line, Spec, SpecOption, Takes};

/// The column at which help starts.
const HELP_COLUMN: usize = 26;

/// The usage of a script; `all` tells of hidden options too.
pub(super) fn text(spec: &Spec, all: bool) -> Vec<u8> {
    let mut out = Vec::new();
    let mut lines = spec.usage.iter();
    if let Some(first) = lines.next() {
        line(&mut out, &[b"usage: ", first]);
    }
    let mut alternatives = true;
    for usage in lines {
        alternatives = alternatives && !usage.is_empty();
        match (alternatives, usage.is_empty()) {
            (true, _) => line(&mut out, &[b"   or: ", usage]),
            (false, true) => out.push(b'\n'),
            (false, false) => line(&mut out, &[b"    ", usage]),
        }
    }
    let mut separated = false;
    for entry in &spec.lines {
        match entry {
            Line::Header(header) => {
                separated = true;
                out.push(b'\n');
                if !header.is_empty() {
                    line(&mut out, &[header]);
                }
            }
            Line::Option(option) if all || !option.hidden => {
                if !std::mem::replace(&mut separated, true) {
                    out.push(b'\n');
                }
                describe(option, &mut out);
            }
            Line::Option(_) => {}
        }
    }
    out.push(b'\n');
    out
}

fn line(out: &mut Vec<u8>, parts: &[&[u8]]) {
    parts.iter().for_each(|part| out.extend_from_slice(part));
    out.push(b'\n');
}

fn describe(option: &SpecOption, out: &mut Vec<u8>) {
    let start = out.len();
    out.extend_from_slice(b"    ");
    if let Some(short) = option.short {
        out.extend_from_slice(&[b'-', short]);
    }
    let mut opposite = None;
    if let Some(long) = &option.long {
        out.extend_from_slice(if option.short.is_some() { b", --" } else { b"--" });
        if !option.positive_only {
            match long.strip_prefix(b"no-") {
                Some(positive) => opposite = Some(positive),
                None => out.extend_from_slice(b"[no-]"),
            }
        }
        out.extend_from_slice(long);
    }
    push_value(option, out);
    pad_and_help(start, &option.help, out);
    if let (Some(positive), Some(long)) = (opposite, &option.long) {
        let start = out.len();
        out.extend_from_slice(&[b"    --", positive].concat());
        pad_and_help(start, &[b"opposite of --", long.as_slice()].concat(), out);
    }
}

fn push_value(option: &SpecOption, out: &mut Vec<u8>) {
    let long = option.long.is_some();
    // A hint with brackets of its own is taken as it is.
    let hint = option.hint.as_ref().map(|hint| {
        if hint.find_byteset(b"()<>[]|").is_some() {
            hint.to_vec()
        } else {
            [b"<", hint.as_slice(), b">"].concat()
        }
    });
    let hint = hint.as_deref().unwrap_or(b"...");
    match option.takes {
        Takes::Nothing => {}
        Takes::Value => out.extend_from_slice(&[b" ", hint].concat()),
        Takes::Optional if long => out.extend_from_slice(&[b"[=", hint, b"]"].concat()),
        Takes::Optional => out.extend_from_slice(&[b"[", hint, b"]"].concat()),
    }
}

/// Help stands in its column, on the next line when there is no room.
fn pad_and_help(start: usize, help: &[u8], out: &mut Vec<u8>) {
    let mut width = adit_text::width::display_width(&out[start..], false);
    if width >= HELP_COLUMN {
        out.push(b'\n');
        width = 0;
    }
    out.extend(std::iter::repeat_n(b' ', HELP_COLUMN - width));
    out.extend_from_slice(help);
    out.push(b'\n');
}
