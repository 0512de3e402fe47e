//! `git config list` and `git config get`.

use std::io::Write;

use adit_config::{Config, Entry, Name, Origin, Scope, Url};
use adit_text::quote;
use bstr::{BStr, BString, ByteSlice};

use super::options::Request;
use super::typed::{Surroundings, Type};
use super::{change, color, source};
use crate::context::Context;
use crate::error::Error;
use crate::pager;

/// How an entry is printed.
struct Printer<'r> {
    request: &'r Request,
    surroundings: Surroundings,
    show_names: bool,
    /// What stands between a name and its value.
    delimiter: u8,
}

impl<'r> Printer<'r> {
    fn new(ctx: &Context<'_>, request: &'r Request, show_names: bool, delimiter: u8) -> Self {
        let surroundings = Surroundings::new(ctx, request.kind);
        Printer { request, surroundings, show_names, delimiter }
    }

    /// Appends the line of an entry, called `name`, to `out`; nothing for a value that is to be passed over.
    fn print(&self, entry: &Entry, name: &BStr, out: &mut Vec<u8>) -> Result<bool, Error> {
        let shown: Option<BString> = match self.request.kind {
            // A name without `=` has no value to show; after a name not even the delimiter.
            None => entry.value.clone(),
            Some(kind) => match self.surroundings.shown(kind, entry)? {
                Some(shown) => Some(shown),
                None => return Ok(false),
            },
        };
        let column_end = if self.request.null { b'\0' } else { b'\t' };
        if self.request.show_scope {
            out.extend_from_slice(entry.scope.as_str().as_bytes());
            out.push(column_end);
        }
        if self.request.show_origin {
            out.extend_from_slice(entry.origin.kind().as_bytes());
            out.push(b':');
            if self.request.null {
                out.extend_from_slice(entry.origin.name());
            } else {
                quote::quote_path(entry.origin.name(), true, out);
            }
            out.push(column_end);
        }
        if self.show_names {
            out.extend_from_slice(name);
        }
        if !self.request.name_only
            && let Some(value) = shown
        {
            if self.show_names {
                out.push(if self.request.null { b'\n' } else { self.delimiter });
            }
            out.extend_from_slice(&value);
        }
        out.push(if self.request.null { b'\0' } else { b'\n' });
        Ok(true)
    }
}

/// Lists everything. A value that is not of the type that is asked for is left out.
pub(super) fn list(ctx: &mut Context<'_>, request: &Request) -> Result<u8, Error> {
    let config = source::read(ctx, request, true)?;
    page(ctx)?;
    let printer = Printer::new(ctx, request, true, b'=');
    let mut out = Vec::new();
    for entry in config.entries() {
        let start = out.len();
        if printer.print(entry, entry.name.as_bstr(), &mut out).is_err() {
            out.truncate(start);
        }
    }
    ctx.streams.out.write_all(&out)?;
    Ok(0)
}

/// Shows the values of a name, or of all names that match a pattern.
pub(super) fn get(ctx: &mut Context<'_>, request: &Request, name: &BStr) -> Result<u8, Error> {
    if let (true, Some(Type::Color), Some(default)) = (name.is_empty(), request.kind, &request.default) {
        return color::get_color(ctx, request, name, Some(default.as_bstr()));
    }
    let matches_name: Box<dyn Fn(&BStr) -> bool> = if request.regexp {
        let invalid = || Error::Failed(format!("invalid key pattern: {name}").into(), 6);
        let pattern = change::compile(&lower_case_ends(name)).ok_or_else(invalid)?;
        Box::new(move |name| pattern.is_match(name))
    } else {
        let canonical = Name::parse(name).map_err(|error| Error::failed(error.to_string()))?.canonical();
        Box::new(move |name| name == canonical)
    };
    let filter = change::filter(request)?;
    let config = source::read(ctx, request, false)?;
    if request.all {
        page(ctx)?;
    }
    let printer = Printer::new(ctx, request, request.show_names.unwrap_or(false), b' ');
    let matches = |entry: &&Entry| {
        // Here, and only here, a name without `=` has an empty value.
        let value = entry.value.as_ref().map(|value| value.as_bstr()).unwrap_or_default();
        matches_name(entry.name.as_bstr()) && filter(Some(value))
    };
    let mut found: Vec<Vec<u8>> = Vec::new();
    for entry in config.entries().iter().filter(matches) {
        let mut line = Vec::new();
        if printer.print(entry, entry.name.as_bstr(), &mut line)? {
            found.push(line);
        }
    }
    if let (true, Some(default)) = (found.is_empty(), &request.default) {
        let mut line = Vec::new();
        let entry = default_entry(name, default);
        let failed = |error| match error {
            Error::Failed(..) => Error::fatal(format!("failed to format default config value: {default}")),
            other => other,
        };
        if printer.print(&entry, entry.name.as_bstr(), &mut line).map_err(failed)? {
            found.push(line);
        }
    }
    let shown = if request.all { &found[..] } else { &found[found.len().saturating_sub(1)..] };
    for line in shown {
        ctx.streams.out.write_all(line)?;
    }
    Ok(u8::from(found.is_empty()))
}

/// Shows what holds for an URL: the value of one key, or those of all keys of a section.
pub(super) fn get_for_url(ctx: &mut Context<'_>, request: &Request, name: &BStr) -> Result<u8, Error> {
    let url = request.url.as_ref().map(|url| url.as_bstr()).unwrap_or_default();
    let url = Url::parse(url).map_err(|error| Error::fatal(error.to_string()))?;
    let config: Config = source::read(ctx, request, false)?;
    let lower = name.to_ascii_lowercase();
    let (section, key) = match lower.split_once_str(".") {
        Some((section, key)) => (section, Some(key)),
        None => (lower.as_slice(), None),
    };
    let printer = Printer::new(ctx, request, key.is_none(), b' ');
    let matches = config.url_matches(section, key, &url);
    let mut out = Vec::new();
    for (name, entry) in &matches {
        printer.print(entry, name.as_bstr(), &mut out)?;
    }
    ctx.streams.out.write_all(&out)?;
    Ok(u8::from(matches.is_empty()))
}

fn default_entry(name: &BStr, value: &BString) -> Entry {
    Entry {
        name: adit_config::canonical_name(name).unwrap_or_else(|| name.to_owned()),
        value: Some(value.clone()),
        origin: std::sync::Arc::new(Origin::CommandLine),
        line: 0,
        scope: Scope::Command,
    }
}

/// A pattern for names with its first and last part in lower case, as names are compared.
fn lower_case_ends(pattern: &BStr) -> BString {
    let mut pattern = pattern.to_owned();
    let first = pattern.find_byte(b'.').unwrap_or(pattern.len());
    let last = pattern.rfind_byte(b'.').unwrap_or(0);
    pattern[..first].make_ascii_lowercase();
    pattern[last..].make_ascii_lowercase();
    pattern
}

/// Long output is paged, unless `pager.config` forbids it.
fn page(ctx: &mut Context<'_>) -> Result<(), Error> {
    if ctx.program.paginate.is_none()
        && ctx.streams.out_is_terminal
        && pager::configured(ctx, "config")?.unwrap_or(true)
    {
        pager::start(ctx, "config")?;
    }
    Ok(())
}
