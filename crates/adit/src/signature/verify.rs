//! Checking signatures (gitformat-signature; git-config, `gpg.*`).

use adit_object::{Commit, Tag};
use adit_text::date::{Clock, DateFormat, DateStyle, LocalZone};
use bstr::{BStr, BString, ByteSlice};

use super::program::{self, SignatureFormat, argument, temporary};
use super::{SignatureError, Trust, Verdict};
use crate::Repository;

/// What came of checking a signature.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Verification {
    /// Good, bad, or what is wrong with it.
    pub verdict: Verdict,
    /// How much the key is trusted.
    pub trust: Trust,
    /// Whether the check as a whole says no, though the signature may fit: the key is nobody's, say.
    pub refused: bool,
    /// Who signed.
    pub signer: Option<BString>,
    /// The key.
    pub key: Option<BString>,
    /// The key's fingerprint.
    pub fingerprint: Option<BString>,
    /// The fingerprint of the key that it belongs to.
    pub primary_fingerprint: Option<BString>,
    /// What the program says to people.
    pub output: BString,
    /// What the program says to programs.
    pub status: BString,
}

impl Repository {
    /// Checks a signature of `payload`, a commit or a tag without it.
    ///
    /// # Errors
    /// When it is in no known format, or the program that checks it cannot be run.
    pub fn verify_signature(&self, payload: &[u8], signature: &[u8]) -> Result<Verification, SignatureError> {
        let format = SignatureFormat::of(signature).ok_or(SignatureError::UnknownFormat)?;
        match format {
            SignatureFormat::Ssh => self.verify_with_ssh(payload, signature),
            format => self.verify_with_gpg(format, payload, signature),
        }
    }

    /// Whether a signature is good by a key that is trusted as much as `gpg.minTrustLevel` asks for.
    ///
    /// # Errors
    /// When the setting makes no sense.
    pub fn accepts(&self, verification: &Verification) -> Result<bool, SignatureError> {
        let least = match self.config().string("gpg.mintrustlevel")? {
            Some(name) => Trust::from_name(name).ok_or_else(|| SignatureError::BadSetting {
                name: "gpg.minTrustLevel",
                value: name.to_owned(),
            })?,
            None => Trust::Undefined,
        };
        Ok(verification.verdict == Verdict::Good && !verification.refused && verification.trust >= least)
    }

    fn verify_with_gpg(
        &self,
        format: SignatureFormat,
        payload: &[u8],
        signature: &[u8],
    ) -> Result<Verification, SignatureError> {
        let file = temporary(self, signature)?;
        let mut args: Vec<BString> = Vec::new();
        if format == SignatureFormat::OpenPgp {
            args.push("--keyid-format=long".into());
        }
        args.extend(["--status-fd=1".into(), "--verify".into(), argument(file.path()), "-".into()]);
        let output = program::run(self, format, &args, payload)?;
        let mut verification = super::status::read(&output.stdout);
        verification.output = output.stderr.into();
        verification.status = output.stdout.into();
        verification.refused = !output.status.success();
        Ok(verification)
    }

    fn verify_with_ssh(&self, payload: &[u8], signature: &[u8]) -> Result<Verification, SignatureError> {
        let home = self.env().home();
        let path = |name: &str| {
            let value = self.config().last(name.as_bytes()).and_then(|entry| entry.value.as_ref())?;
            adit_config::value::path(value.as_bstr(), home.as_deref())
        };
        let allowed = path("gpg.ssh.allowedsignersfile").ok_or(SignatureError::NoAllowedSigners)?;
        let allowed = argument(&allowed);
        let file = temporary(self, signature)?;
        let signature = argument(file.path());
        let time = self.time_of(payload);
        let with_time = |words: &[&BStr]| -> Vec<BString> {
            words.iter().map(|word| word.to_owned().to_owned()).chain(time.clone()).collect()
        };
        let find = with_time(&[
            "-Y".into(),
            "find-principals".into(),
            "-f".into(),
            allowed.as_bstr(),
            "-s".into(),
            signature.as_bstr(),
        ]);
        let found = program::run(self, SignatureFormat::Ssh, &find, b"")?;
        if !found.status.success() && found.stderr.contains_str("usage:") {
            return Err(SignatureError::ssh(found.stderr.into()));
        }
        let mut last = None;
        if found.status.success() && !found.stdout.is_empty() {
            for principal in found.stdout.lines() {
                let mut args = with_time(&["-Y".into(), "verify".into(), "-n".into(), "git".into()]);
                args.extend(["-f".into(), allowed.clone(), "-I".into(), principal.trim_end().into()]);
                args.extend(["-s".into(), signature.clone()]);
                if let Some(revoked) = path("gpg.ssh.revocationfile") {
                    args.extend(["-r".into(), argument(&revoked)]);
                }
                let output = program::run(self, SignatureFormat::Ssh, &args, payload)?;
                let good = output.status.success() && output.stdout.starts_with(b"Good");
                last = Some((good, output));
                if good {
                    break;
                }
            }
        } else {
            // Nobody who is known signed this; whether the signature fits is still worth knowing.
            let args = with_time(&[
                "-Y".into(),
                "check-novalidate".into(),
                "-n".into(),
                "git".into(),
                "-s".into(),
                signature.as_bstr(),
            ]);
            last = Some((false, program::run(self, SignatureFormat::Ssh, &args, payload)?));
        }
        let Some((good, output)) = last else { return Ok(Verification::default()) };
        let mut text = BString::from(output.stdout);
        text.extend_from_slice(&found.stderr);
        text.extend_from_slice(&output.stderr);
        let text = super::without_carriage_returns(&text);
        let mut verification = super::status::read_ssh(&text);
        if !output.status.success() {
            verification.verdict = Verdict::Bad;
        }
        verification.refused = !good;
        verification.status = text.clone();
        verification.output = text;
        Ok(verification)
    }

    /// The option that has `ssh-keygen` judge keys as of the time that a commit or tag tells.
    fn time_of(&self, payload: &[u8]) -> Option<BString> {
        let format = self.object_format();
        let ident = match Commit::parse(format, payload) {
            Ok(commit) => commit.committer(),
            Err(_) => Tag::parse(format, payload).ok()?.tagger(),
        };
        let time = ident?.time()?;
        let tz = self.env().var("TZ").map(|tz| tz.to_str_lossy().into_owned());
        let zone = LocalZone::from_tz(tz.as_deref());
        let style = DateFormat { style: DateStyle::Strftime("%Y%m%d%H%M%S".to_owned()), local: true };
        let mut text = b"-Overify-time=".to_vec();
        style.write(time.seconds, 0, Clock { now: 0, zone: &zone }, &mut text);
        Some(text.into())
    }
}
