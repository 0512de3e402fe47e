//! Making signatures (gitformat-signature; git-config, `user.signingKey`).

use std::path::PathBuf;

use bstr::{BStr, BString, ByteSlice};

use super::program::{self, SignatureFormat, argument, temporary};
use super::{SignatureError, without_carriage_returns};
use crate::Repository;
use crate::ident::Role;

impl Repository {
    /// Signs `payload` with the key that `key` names, by default the configured one or the one of the committer.
    ///
    /// # Errors
    /// When there is no key, or the program that signs fails.
    pub fn sign(&self, payload: &[u8], key: Option<&BStr>) -> Result<BString, SignatureError> {
        let key = key.filter(|key| !key.is_empty()).map(ToOwned::to_owned);
        let configured = || self.config().last(b"user.signingkey").and_then(|entry| entry.value.clone());
        let key = key.or_else(configured);
        match SignatureFormat::configured(self)? {
            SignatureFormat::Ssh => self.sign_with_ssh(payload, key),
            format => self.sign_with_gpg(format, payload, key),
        }
    }

    fn sign_with_gpg(
        &self,
        format: SignatureFormat,
        payload: &[u8],
        key: Option<BString>,
    ) -> Result<BString, SignatureError> {
        let key = match key {
            Some(key) => key,
            None => {
                let ident = Role::Committer.ident(self.env(), self.config())?;
                let end = ident.rfind_byte(b'>').map_or(ident.len(), |at| at + 1);
                ident[..end].into()
            }
        };
        let args = [BString::from("--status-fd=2"), "-bsau".into(), key];
        let output = program::run(self, format, &args, payload)?;
        let created = output.stderr.starts_with(b"[GNUPG:] SIG_CREATED ")
            || output.stderr.contains_str("\n[GNUPG:] SIG_CREATED ");
        if !output.status.success() || !created {
            let said: BString =
                if output.stderr.is_empty() { "(no gpg output)".into() } else { output.stderr.into() };
            return Err(SignatureError::GpgFailed { said });
        }
        Ok(without_carriage_returns(&output.stdout))
    }

    fn sign_with_ssh(&self, payload: &[u8], key: Option<BString>) -> Result<BString, SignatureError> {
        let key = match key {
            Some(key) => key,
            None => self.default_ssh_key()?,
        };
        let literal =
            key.strip_prefix(b"key::").or_else(|| key.starts_with(b"ssh-").then_some(key.as_slice()));
        let written;
        let file: PathBuf = match literal {
            Some(literal) => {
                written = temporary(self, literal)?;
                written.path().to_owned()
            }
            None => adit_config::value::path(key.as_bstr(), self.env().home().as_deref())
                .ok_or_else(|| SignatureError::BadSetting { name: "user.signingKey", value: key.clone() })?,
        };
        let buffer = temporary(self, payload)?;
        let mut args: Vec<BString> = ["-Y", "sign", "-n", "git", "-f"].map(BString::from).to_vec();
        args.push(argument(&file));
        if literal.is_some() {
            args.push("-U".into());
        }
        args.push(argument(buffer.path()));
        let output = program::run(self, SignatureFormat::Ssh, &args, b"")?;
        if !output.status.success() {
            return Err(SignatureError::ssh(output.stderr.into()));
        }
        let mut made = buffer.path().as_os_str().to_owned();
        made.push(".sig");
        let made = PathBuf::from(made);
        let signature = std::fs::read(&made);
        // It is in memory now, or cannot be read anyway.
        let _ = std::fs::remove_file(&made);
        let signature = signature.map_err(|error| SignatureError::Io { path: made, error })?;
        Ok(without_carriage_returns(&signature))
    }

    /// What `gpg.ssh.defaultKeyCommand` says is the key.
    fn default_ssh_key(&self) -> Result<BString, SignatureError> {
        let entry = self.config().last(b"gpg.ssh.defaultkeycommand").and_then(|entry| entry.value.clone());
        let command = entry.ok_or(SignatureError::NoSshKey)?;
        let failed = |error| SignatureError::Program { program: command.to_path_lossy().into_owned(), error };
        let output = std::process::Command::new("/bin/sh")
            .arg("-c")
            .arg(command.to_os_str_lossy())
            .env_clear()
            .envs(self.env().vars())
            .current_dir(self.env().cwd())
            .output()
            .map_err(failed)?;
        let first = output.stdout.lines().next().unwrap_or_default();
        match output.status.success() && (first.starts_with(b"key::") || first.starts_with(b"ssh-")) {
            true => Ok(first.into()),
            false => Err(SignatureError::NoSshKey),
        }
    }
}
