//! What programs that check signatures say (GnuPG, doc/DETAILS; ssh-keygen(1)).

use bstr::{BString, ByteSlice};

use super::{Trust, Verdict, Verification};

/// Reads the status lines of GnuPG.
pub(super) fn read(status: &[u8]) -> Verification {
    let mut found = Verification { verdict: Verdict::Unchecked, ..Verification::default() };
    let mut verdicts = 0;
    for line in status.lines().filter_map(|line| line.strip_prefix(b"[GNUPG:] ")) {
        let (word, rest) = line.split_once_str(b" ").unwrap_or((line, b""));
        let verdict = match word {
            b"GOODSIG" => Some(Verdict::Good),
            b"BADSIG" => Some(Verdict::Bad),
            b"ERRSIG" => Some(Verdict::Unchecked),
            b"EXPSIG" => Some(Verdict::Expired),
            b"EXPKEYSIG" => Some(Verdict::ExpiredKey),
            b"REVKEYSIG" => Some(Verdict::RevokedKey),
            _ => None,
        };
        if let Some(verdict) = verdict {
            verdicts += 1;
            found.verdict = verdict;
            let (key, signer) = rest.split_once_str(b" ").unwrap_or((rest, b""));
            found.key = Some(key.into());
            found.signer = (word != b"ERRSIG").then(|| signer.into());
            continue;
        }
        if word == b"VALIDSIG" {
            let fields: Vec<&[u8]> = rest.split_str(b" ").collect();
            found.fingerprint = fields.first().map(|&field| field.into());
            found.primary_fingerprint = fields.get(9).map(|&field| field.into());
        } else if let Some(level) = word.strip_prefix(b"TRUST_") {
            found.trust = Trust::from_name(&level.to_ascii_lowercase()).unwrap_or_default();
        }
    }
    if verdicts > 1 {
        // Several signatures in one cannot be told apart, so none of them counts.
        return Verification { verdict: Verdict::Unchecked, ..Verification::default() };
    }
    found
}

/// Reads what `ssh-keygen` prints: `Good "git" signature for <who> with <type> key <fingerprint>`.
pub(super) fn read_ssh(output: &[u8]) -> Verification {
    let line = output.lines().next().unwrap_or_default();
    let bad = Verification { verdict: Verdict::Bad, ..Verification::default() };
    let Some(at) = line.rfind(b" key ") else { return bad };
    let fingerprint: BString = line[at + b" key ".len()..].into();
    let good = |trust, signer| Verification {
        verdict: Verdict::Good,
        trust,
        signer,
        key: Some(fingerprint.clone()),
        fingerprint: Some(fingerprint.clone()),
        ..Verification::default()
    };
    if let Some(rest) = line.strip_prefix(b"Good \"git\" signature for ") {
        match rest.rfind(b" with ") {
            Some(end) => good(Trust::Fully, Some(rest[..end].into())),
            None => bad,
        }
    } else if line.starts_with(b"Good \"git\" signature with ") {
        good(Trust::Undefined, None)
    } else {
        bad
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gpg() {
        let status = b"[GNUPG:] NEWSIG\n[GNUPG:] GOODSIG 61092E85B7227189 Eris <e@x>\n\
            [GNUPG:] VALIDSIG AAAA 2020-01-01 1 0 4 0 1 8 00 BBBB\n[GNUPG:] TRUST_ULTIMATE 0 pgp\n";
        let found = read(status);
        assert_eq!((found.verdict, found.trust), (Verdict::Good, Trust::Ultimate));
        assert_eq!(found.signer.unwrap(), "Eris <e@x>");
        assert_eq!(found.fingerprint.unwrap(), "AAAA");
        assert_eq!(found.primary_fingerprint.unwrap(), "BBBB");
        let twice = [&status[..], status].concat();
        assert_eq!(read(&twice).verdict, Verdict::Unchecked);
        assert_eq!(read(b"[GNUPG:] BADSIG 1 a\n").verdict, Verdict::Bad);
        assert_eq!(read(b"").verdict, Verdict::Unchecked);
    }

    #[test]
    fn ssh() {
        let found = read_ssh(b"Good \"git\" signature for a with b with RSA key SHA256:x\n");
        assert_eq!((found.verdict, found.trust), (Verdict::Good, Trust::Fully));
        assert_eq!((found.signer.unwrap(), found.key.unwrap()), ("a with b".into(), "SHA256:x".into()));
        assert_eq!(read_ssh(b"Good \"git\" signature with RSA key SHA256:x\n").trust, Trust::Undefined);
        assert_eq!(read_ssh(b"Could not verify signature.\n").verdict, Verdict::Bad);
    }
}
