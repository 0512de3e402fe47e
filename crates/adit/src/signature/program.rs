//! The programs that make and check signatures (git-config, `gpg.format` and `gpg.<format>.program`).

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use bstr::{BString, ByteSlice};

use super::SignatureError;
use crate::Repository;

/// What a signature is made with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignatureFormat {
    /// GnuPG.
    OpenPgp,
    /// GnuPG for X.509 certificates.
    X509,
    /// Keys of OpenSSH.
    Ssh,
}

impl SignatureFormat {
    /// The format that new signatures have (`gpg.format`).
    ///
    /// # Errors
    /// When there is no such format.
    pub fn configured(repo: &Repository) -> Result<Self, SignatureError> {
        match repo.config().string("gpg.format")? {
            None => Ok(SignatureFormat::OpenPgp),
            Some(name) if name == "openpgp" => Ok(SignatureFormat::OpenPgp),
            Some(name) if name == "x509" => Ok(SignatureFormat::X509),
            Some(name) if name == "ssh" => Ok(SignatureFormat::Ssh),
            Some(name) => Err(SignatureError::BadSetting { name: "gpg.format", value: name.to_owned() }),
        }
    }

    /// The format that a signature has; `None` when it is none.
    pub fn of(signature: &[u8]) -> Option<Self> {
        let is = |start: &str| signature.starts_with(start.as_bytes());
        if is("-----BEGIN PGP SIGNATURE-----") || is("-----BEGIN PGP MESSAGE-----") {
            Some(SignatureFormat::OpenPgp)
        } else if is("-----BEGIN SIGNED MESSAGE-----") {
            Some(SignatureFormat::X509)
        } else if is("-----BEGIN SSH SIGNATURE-----") {
            Some(SignatureFormat::Ssh)
        } else {
            None
        }
    }

    /// The program for this format.
    fn program(self, repo: &Repository) -> PathBuf {
        let (keys, default): (&[&str], _) = match self {
            SignatureFormat::OpenPgp => (&["gpg.program", "gpg.openpgp.program"], "gpg"),
            SignatureFormat::X509 => (&["gpg.x509.program"], "gpgsm"),
            SignatureFormat::Ssh => (&["gpg.ssh.program"], "ssh-keygen"),
        };
        let named =
            repo.config().entries().iter().rev().find(|entry| keys.iter().any(|key| entry.name == *key));
        let named = named.and_then(|entry| entry.value.as_ref());
        named
            .and_then(|value| adit_config::value::path(value.as_bstr(), repo.env().home().as_deref()))
            .unwrap_or_else(|| default.into())
    }
}

/// Runs the program of a format with `input`, and gathers what it prints. It runs where git would: at the top of the
/// working tree.
pub(super) fn run(
    repo: &Repository,
    format: SignatureFormat,
    args: &[BString],
    input: &[u8],
) -> Result<Output, SignatureError> {
    let program = format.program(repo);
    let folder = repo.work_tree().filter(|top| repo.env().cwd().starts_with(top)).unwrap_or(repo.env().cwd());
    run_in(repo, &program, folder, args, input).map_err(|error| SignatureError::Program { program, error })
}

fn run_in(
    repo: &Repository,
    program: &Path,
    folder: &Path,
    args: &[BString],
    input: &[u8],
) -> io::Result<Output> {
    let mut command = Command::new(program);
    command.args(args.iter().map(|arg| arg.to_os_str_lossy()));
    command.env_clear().envs(repo.env().vars()).current_dir(folder);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let stdin = child.stdin.take();
    std::thread::scope(|scope| {
        // A program that has read enough closes the pipe; what it says then counts.
        scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(input)));
        child.wait_with_output()
    })
}

/// A file with this content that goes when the value does.
pub(super) fn temporary(
    repo: &Repository,
    content: &[u8],
) -> Result<tempfile::NamedTempFile, SignatureError> {
    let folder = repo.env().path("TMPDIR").unwrap_or_else(|| "/tmp".into());
    let make = || -> io::Result<tempfile::NamedTempFile> {
        let mut file = tempfile::Builder::new().prefix(".git_signature_").tempfile_in(&folder)?;
        file.write_all(content)?;
        file.flush()?;
        Ok(file)
    };
    make().map_err(|error| SignatureError::Io { path: folder.clone(), error })
}

/// A path as an argument.
pub(super) fn argument(path: &Path) -> BString {
    path.as_os_str().as_encoded_bytes().into()
}
