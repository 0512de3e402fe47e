//! How much of one file is in another, without comparing them line by line.
//!
//! A file is cut into chunks: lines, and lines longer than 64 bytes into pieces of 64. Each chunk is reduced to a
//! number below a fixed prime; what two files share is, for each number, the smaller of the bytes that the chunks
//! with that number have in both. Scores are printed (`R097`), so the number must be the very one that git uses,
//! with the collisions that it has.

use crate::contents::is_binary;

/// A chunk ends after this many bytes when no newline came before.
const LONGEST_CHUNK: u32 = 64;
/// Chunk numbers are below this prime.
const NUMBERS: u32 = 107_927;

/// The chunks of one file: for each number, how many bytes have it; sorted by number.
#[derive(Debug, Clone, Default)]
pub(crate) struct Chunks {
    counts: Vec<(u32, u64)>,
}

/// What became of a file's content in another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Changes {
    /// Bytes of the old file that the new one has too.
    pub(crate) copied: u64,
    /// Bytes of the new file that the old one does not have.
    pub(crate) added: u64,
}

impl Chunks {
    /// Cuts `content` up. In text, a carriage return before a newline is not counted.
    pub(crate) fn of(content: &[u8]) -> Self {
        let mut counts = Vec::with_capacity(content.len() / 32 + 1);
        cut(content, !is_binary(content), |number, len| counts.push((number, u64::from(len))));
        counts.sort_unstable_by_key(|&(number, _)| number);
        counts.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        Chunks { counts }
    }

    /// Compares old chunks (`self`) with new ones.
    pub(crate) fn changes_to(&self, new: &Chunks) -> Changes {
        let mut changes = Changes { copied: 0, added: 0 };
        let mut old = self.counts.iter().copied().peekable();
        for &(number, in_new) in &new.counts {
            while old.next_if(|&(other, _)| other < number).is_some() {}
            let in_old = old.next_if(|&(other, _)| other == number).map_or(0, |(_, len)| len);
            changes.copied += in_old.min(in_new);
            changes.added += in_new.saturating_sub(in_old);
        }
        changes
    }
}

/// Calls `chunk(number, length)` for each chunk. The number mixes the bytes through a 64-bit register that turns
/// left by seven bits for each byte, which is then added to its upper half.
fn cut(content: &[u8], is_text: bool, mut chunk: impl FnMut(u32, u32)) {
    let (mut register, mut len) = (0u64, 0u32);
    let mut bytes = content.iter().peekable();
    while let Some(&byte) = bytes.next() {
        if is_text && byte == b'\r' && bytes.peek() == Some(&&b'\n') {
            continue;
        }
        register = register.rotate_left(7).wrapping_add(u64::from(byte) << 32);
        len += 1;
        if len == LONGEST_CHUNK || byte == b'\n' {
            chunk(number(register), len);
            (register, len) = (0, 0);
        }
    }
    if len > 0 {
        chunk(number(register), len);
    }
}

fn number(register: u64) -> u32 {
    let (upper, lower) = ((register >> 32) as u32, register as u32);
    upper.wrapping_add(lower.wrapping_mul(97)) % NUMBERS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copied(old: &[u8], new: &[u8]) -> u64 {
        Chunks::of(old).changes_to(&Chunks::of(new)).copied
    }

    #[test]
    fn lines_are_shared_wherever_they_stand() {
        let changes = Chunks::of(b"a\nbb\nccc\n").changes_to(&Chunks::of(b"ccc\na\nx\n"));
        assert_eq!(changes, Changes { copied: 6, added: 2 });
        assert_eq!(copied(b"line one\nline two\nlast", b"line one\nline 2\nlast"), 13);
    }

    #[test]
    fn long_lines_are_cut_and_carriage_returns_left_out() {
        assert_eq!(copied(&[b'x'; 100], &[b'x'; 50]), 0);
        assert_eq!(copied(&[b'x'; 100], &[b'x'; 64]), 64);
        assert_eq!(copied(b"aaaa\r\n", b"aaaa\n"), 5);
        assert_eq!(copied(b"\0aaaa\r\n", b"\0aaaa\n"), 0);
    }

    #[test]
    fn different_lines_may_share_a_number() {
        // git 2.55 shows R079 for a file of the first and one more line that becomes the second and another.
        assert_eq!(copied(b"word 0 of the text\nq\n", b"word 9048 of the text\nr\n"), 19);
        assert_eq!(copied(b"word 8012 of the text\n", b"word 10402 of the text\n"), 0);
    }
}
