//! Signatures of commits and tags.

/// Where the signature at the end of a tag's message or content starts; its length when there is none.
pub fn signature_start(text: &[u8]) -> usize {
    const STARTS: [&[u8]; 4] = [
        b"-----BEGIN PGP SIGNATURE-----",
        b"-----BEGIN PGP MESSAGE-----",
        b"-----BEGIN SIGNED MESSAGE-----",
        b"-----BEGIN SSH SIGNATURE-----",
    ];
    let mut at = 0;
    let mut found = text.len();
    for line in text.split_inclusive(|&b| b == b'\n') {
        if STARTS.iter().any(|start| line.starts_with(start)) {
            found = at;
        }
        at += line.len();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_starts_at_the_last_line_that_can_start_one() {
        assert_eq!(signature_start(b"text\n"), 5);
        let twice = b"-----BEGIN PGP SIGNATURE-----\nx\n-----BEGIN SSH SIGNATURE-----\ny\n";
        assert_eq!(signature_start(twice), 32);
    }
}
