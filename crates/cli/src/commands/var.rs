//! `git var`: shows what git takes for its logical variables.

use std::io::Write;
use std::path::PathBuf;

use adit::config_files;
use adit::ident::Role;
use adit_config::Config;
use bstr::{BStr, BString, ByteSlice};

use crate::context::Context;
use crate::editor::editor;
use crate::error::Error;
use crate::options::Usage;

const USAGE: Usage = Usage { name: "var", synopsis: &["git var (-l | <variable>)"] };

const VARIABLES: [&str; 11] = [
    "GIT_COMMITTER_IDENT",
    "GIT_AUTHOR_IDENT",
    "GIT_EDITOR",
    "GIT_SEQUENCE_EDITOR",
    "GIT_PAGER",
    "GIT_DEFAULT_BRANCH",
    "GIT_SHELL_PATH",
    "GIT_ATTR_SYSTEM",
    "GIT_ATTR_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_GLOBAL",
];

/// Runs the command.
pub fn run(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let usage = USAGE.head().trim_end().to_owned() + "\n";
    let [name] = args else { return Err(Error::Usage { message: None, usage }) };
    if name == "-h" {
        return Err(Error::Help(usage));
    }
    let config = ctx.config()?;
    if name == "-l" {
        return list(ctx, &config);
    }
    if !VARIABLES.iter().any(|variable| name == variable) {
        return Err(Error::Usage { message: None, usage });
    }
    let values = value(ctx, &config, name.as_bstr())?;
    for value in &values {
        writeln!(ctx.streams.out, "{value}")?;
    }
    Ok(u8::from(values.is_empty()))
}

fn list(ctx: &mut Context<'_>, config: &Config) -> Result<u8, Error> {
    for entry in config.entries() {
        match &entry.value {
            Some(value) => writeln!(ctx.streams.out, "{}={value}", entry.name)?,
            None => writeln!(ctx.streams.out, "{}", entry.name)?,
        }
    }
    for name in VARIABLES {
        // In a list, what cannot be told is left out.
        for value in value(ctx, config, name.into()).unwrap_or_default() {
            writeln!(ctx.streams.out, "{name}={value}")?;
        }
    }
    Ok(0)
}

/// The values of a variable; most have one.
fn value(ctx: &Context<'_>, config: &Config, name: &BStr) -> Result<Vec<BString>, Error> {
    let env = &ctx.env;
    let set = |name: &str| config.last(name.as_bytes()).and_then(|entry| entry.value.clone());
    let told = |name: &str| env.var(name).map(ToOwned::to_owned);
    let paths =
        |paths: Vec<PathBuf>| paths.iter().map(|path| path.as_os_str().as_encoded_bytes().into()).collect();
    Ok(match name.as_bytes() {
        b"GIT_AUTHOR_IDENT" => vec![Role::Author.ident(env, config)?],
        b"GIT_COMMITTER_IDENT" => vec![Role::Committer.ident(env, config)?],
        b"GIT_EDITOR" => editor(ctx, config).into_iter().collect(),
        b"GIT_SEQUENCE_EDITOR" => {
            let own = told("GIT_SEQUENCE_EDITOR").or_else(|| set("sequence.editor"));
            own.or_else(|| editor(ctx, config).ok()).into_iter().collect()
        }
        b"GIT_PAGER" => {
            let pager = told("GIT_PAGER").or_else(|| set("core.pager")).or_else(|| told("PAGER"));
            let pager = pager.unwrap_or_else(|| "less".into());
            vec![if pager.is_empty() { "cat".into() } else { pager }]
        }
        b"GIT_DEFAULT_BRANCH" => {
            let branch = told("GIT_TEST_DEFAULT_INITIAL_BRANCH_NAME").filter(|name| !name.is_empty());
            vec![branch.or_else(|| set("init.defaultbranch")).unwrap_or_else(|| "master".into())]
        }
        b"GIT_SHELL_PATH" => vec!["/bin/sh".into()],
        b"GIT_ATTR_SYSTEM" => paths(config_files::system_attributes(env)?.into_iter().collect()),
        b"GIT_ATTR_GLOBAL" => paths(config_files::global_attributes(env, config).into_iter().collect()),
        b"GIT_CONFIG_SYSTEM" => paths(config_files::system_file(env)?.into_iter().collect()),
        b"GIT_CONFIG_GLOBAL" => paths(config_files::global_files(env)),
        _ => Vec::new(),
    })
}
