//! `git version`: which version this is, of git's interface and of Adit.

use std::io::Write;

use bstr::BString;

use crate::context::Context;
use crate::error::Error;
use crate::options::{Opt, Table, Usage};

/// The version of git whose behaviour this is.
pub const GIT_VERSION: &str = "2.55.0";

#[derive(Clone, Copy)]
enum O {
    BuildOptions,
}

const USAGE: Usage = Usage { name: "version", synopsis: &["git version [--build-options]"] };
const OPTIONS: Table<O> =
    Table::new(&[Opt::flag(O::BuildOptions, "build-options", "also print how this program was built").no()]);

/// Runs the command.
pub fn run(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let mut build_options = false;
    OPTIONS.parse(&USAGE, args, |given| {
        match given.id {
            O::BuildOptions => build_options = given.on(),
        }
        Ok(())
    })?;
    let out = &mut ctx.streams.out;
    writeln!(out, "git version {GIT_VERSION} (Adit {})", env!("CARGO_PKG_VERSION"))?;
    if build_options {
        writeln!(out, "cpu: {}", std::env::consts::ARCH)?;
        writeln!(out, "sizeof-long: {}", size_of::<std::ffi::c_long>())?;
        writeln!(out, "sizeof-size_t: {}", size_of::<usize>())?;
        writeln!(out, "shell-path: /bin/sh")?;
        writeln!(out, "rust: enabled")?;
        writeln!(out, "default-ref-format: files")?;
        writeln!(out, "default-hash: sha1")?;
    }
    Ok(0)
}
