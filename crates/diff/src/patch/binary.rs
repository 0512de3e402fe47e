//! Changes of binary files that can be applied (`--binary`): the content of each side, deflated and in base 85, or a delta
//! that makes it of the other side where that is smaller.

use adit_object::delta_encode::BaseIndex;
use adit_object::zlib::Deflater;

/// The digits of base 85.
const DIGITS: &[u8; 85] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";

/// How many bytes a line holds.
const LINE: usize = 52;

/// Appends how to make each side of the other, each line after `prefix`; `level` is that of zlib.
pub(super) fn write(old: &[u8], new: &[u8], level: i32, prefix: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(prefix);
    out.extend_from_slice(b"GIT binary patch\n");
    let mut writer = Writer { deflater: Deflater::new(level), prefix, out };
    writer.half(old, new);
    writer.half(new, old);
}

struct Writer<'a> {
    deflater: Deflater,
    prefix: &'a [u8],
    out: &'a mut Vec<u8>,
}

impl Writer<'_> {
    /// How to make `to` of `from`.
    fn half(&mut self, from: &[u8], to: &[u8]) {
        let mut literal = Vec::new();
        self.deflater.deflate(to, &mut literal);
        let mut delta = Vec::new();
        let both = !from.is_empty() && !to.is_empty();
        if both && BaseIndex::new(from).encode(to, usize::MAX, &mut delta) {
            let mut deflated = Vec::new();
            self.deflater.deflate(&delta, &mut deflated);
            if deflated.len() < literal.len() {
                return self.block("delta", delta.len(), &deflated);
            }
        }
        self.block("literal", to.len(), &literal);
    }

    fn block(&mut self, kind: &str, inflated: usize, bytes: &[u8]) {
        self.out.extend_from_slice(self.prefix);
        self.out.extend_from_slice(format!("{kind} {inflated}\n").as_bytes());
        for line in bytes.chunks(LINE) {
            self.out.extend_from_slice(self.prefix);
            self.out.push(length_letter(line.len()));
            encode_85(line, self.out);
            self.out.push(b'\n');
        }
        self.out.extend_from_slice(self.prefix);
        self.out.push(b'\n');
    }
}

/// The letter that says how many bytes a line holds: `A` is 1, `z` is 52.
fn length_letter(len: usize) -> u8 {
    let len = len as u8;
    if len <= 26 { b'A' + len - 1 } else { b'a' + len - 27 }
}

/// Appends five digits for every four bytes; the last four are filled up with zeros.
fn encode_85(bytes: &[u8], out: &mut Vec<u8>) {
    for word in bytes.chunks(4) {
        let mut filled = [0; 4];
        filled[..word.len()].copy_from_slice(word);
        let mut number = u32::from_be_bytes(filled);
        let mut digits = [0; 5];
        for digit in digits.iter_mut().rev() {
            *digit = DIGITS[(number % 85) as usize];
            number /= 85;
        }
        out.extend_from_slice(&digits);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_are_written() {
        let mut out = Vec::new();
        write(b"", b"\0", 1, b"> ", &mut out);
        let expected =
            "> GIT binary patch\n> literal 1\n> IcmZPo000310RR91\n> \n> literal 0\n> HcmV?d00001\n> \n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn lines_tell_how_long_they_are() {
        let letters: Vec<u8> = [1, 26, 27, 52].into_iter().map(length_letter).collect();
        assert_eq!(letters, b"AZaz");
    }
}
