//! The program `adit`: hands the process's arguments, environment and streams to the command line.

#![cfg_attr(all(target_os = "linux", target_env = "gnu"), no_main)]

use std::io::{self, BufReader, BufWriter, IsTerminal};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use adit::Environment;
use adit_cli::context::Streams;
use bstr::BString;

adit_sys::start_with!(program);

fn program() -> u8 {
    let mut words = std::env::args_os().map(|word| BString::from(word.into_vec()));
    let program = words.next().map(|word| called_by(&word)).unwrap_or_default();
    let words: Vec<BString> = words.collect();
    adit_sys::cleanup::remove_files_on_signals();
    let env = match Environment::of_process() {
        Ok(env) => env,
        Err(error) => {
            return fail(&format!(
                "Unable to read current working directory: {}",
                adit_sys::os_error(&error)
            ));
        }
    };
    // Rust's own standard output flushes at every newline.
    let out = match io::stdout().as_fd().try_clone_to_owned() {
        Ok(descriptor) => std::fs::File::from(descriptor),
        Err(error) => return fail(&format!("standard output: {}", adit_sys::os_error(&error))),
    };
    let streams = Streams {
        input: Box::new(BufReader::new(io::stdin())),
        out_is_terminal: out.is_terminal(),
        out: Box::new(BufWriter::with_capacity(1 << 16, out)),
        err: Box::new(io::stderr()),
        err_is_terminal: io::stderr().is_terminal(),
    };
    adit_cli::main(program, &words, env, streams)
}

/// The path of the program: as it was called when that has a slash, else where the system says it is.
fn called_by(word: &BString) -> PathBuf {
    let path = PathBuf::from(std::ffi::OsString::from_vec(word.to_vec()));
    if word.contains(&b'/') {
        return std::path::absolute(&path).unwrap_or(path);
    }
    let found = std::env::current_exe().unwrap_or_default();
    // The name that was typed counts: a link called `git-log` is `log`.
    found.parent().map_or(path.clone(), |folder| folder.join(&path))
}

#[expect(clippy::print_stderr, reason = "there are no streams yet")]
fn fail(message: &str) -> u8 {
    eprintln!("fatal: {message}");
    128
}
