//! Deltas: instructions that make an object from its base (gitformat-pack, 'Deltified representation').

use crate::spare;

/// Results up to this size are allocated on the delta's word; for a larger one its instructions are counted first.
const TRUSTED_RESULT: u64 = 16 << 20;

/// The sizes that a delta starts with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sizes {
    /// The size of the base.
    pub(crate) base: u64,
    /// The size of the object that the delta makes.
    pub(crate) result: u64,
    /// Where the instructions start.
    pub(crate) len: usize,
}

impl Sizes {
    /// The most bytes that the two sizes can take.
    pub(crate) const MAX_LEN: usize = 20;

    /// Reads the sizes at the start of a delta, or of as much of it as there is.
    pub(crate) fn parse(delta: &[u8]) -> Result<Sizes, &'static str> {
        let (base, base_len) = read_size(delta)?;
        let (result, result_len) = read_size(&delta[base_len..])?;
        Ok(Sizes { base, result, len: base_len + result_len })
    }
}

/// Reads the 'size encoding' and how many bytes it took.
fn read_size(bytes: &[u8]) -> Result<(u64, usize), &'static str> {
    let mut size = 0u64;
    for (at, &byte) in bytes.iter().enumerate().take(10) {
        let part = u64::from(byte & 0x7f);
        let shift = 7 * at as u32;
        if part << shift >> shift != part {
            return Err("delta size does not fit 64 bits");
        }
        size |= part << shift;
        if byte & 0x80 == 0 {
            return Ok((size, at + 1));
        }
    }
    Err("delta is cut short")
}

/// One instruction and the bytes it took.
enum Instruction<'a> {
    Copy { offset: usize, len: usize },
    Insert(&'a [u8]),
}

/// Takes the first instruction off `rest`.
#[inline]
fn next_instruction<'a>(rest: &mut &'a [u8]) -> Result<Instruction<'a>, &'static str> {
    const SHORT: &str = "delta is cut short";
    let (&op, after) = rest.split_first().ok_or(SHORT)?;
    if op & 0x80 == 0 {
        if op == 0 {
            return Err("delta has an unknown instruction");
        }
        let (literal, after) = after.split_at_checked(usize::from(op)).ok_or(SHORT)?;
        *rest = after;
        return Ok(Instruction::Insert(literal));
    }
    let need = (op & 0x7f).count_ones() as usize;
    let (args, after) = after.split_at_checked(need).ok_or(SHORT)?;
    *rest = after;
    let mut at = 0;
    let mut value = 0u64;
    let mut bit = 0;
    while bit < 7 {
        if op >> bit & 1 != 0 {
            value |= u64::from(args[at]) << (8 * bit);
            at += 1;
        }
        bit += 1;
    }
    let offset = (value & 0xffff_ffff) as usize;
    let len = (value >> 32) as usize;
    Ok(Instruction::Copy { offset, len: if len == 0 { 0x10000 } else { len } })
}

/// Makes the object that `delta` describes from `base` into `out`, which is cleared first.
pub(crate) fn apply(base: &[u8], delta: &[u8], out: &mut Vec<u8>) -> Result<(), &'static str> {
    let sizes = Sizes::parse(delta)?;
    if sizes.base != base.len() as u64 {
        return Err("delta is for a base of another size");
    }
    if sizes.result > TRUSTED_RESULT && sizes.result != result_len(&delta[sizes.len..])? {
        return Err("delta does not make an object of the size it says");
    }
    let result = usize::try_from(sizes.result).map_err(|_| "object is too large for this machine")?;
    spare::make_room(out, result).map_err(|_| "object is too large for the memory there is")?;
    let mut rest = &delta[sizes.len..];
    while !rest.is_empty() {
        let piece = match next_instruction(&mut rest)? {
            Instruction::Copy { offset, len } => {
                base.get(offset..offset + len).ok_or("delta copies from outside its base")?
            }
            Instruction::Insert(literal) => literal,
        };
        if piece.len() > result - out.len() {
            return Err("delta makes more than the size it says");
        }
        out.extend_from_slice(piece);
    }
    if out.len() != result {
        return Err("delta makes less than the size it says");
    }
    Ok(())
}

/// How many bytes the instructions make.
fn result_len(mut instructions: &[u8]) -> Result<u64, &'static str> {
    let mut total = 0u64;
    while !instructions.is_empty() {
        total += match next_instruction(&mut instructions)? {
            Instruction::Copy { len, .. } => len as u64,
            Instruction::Insert(literal) => literal.len() as u64,
        };
    }
    Ok(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(mut n: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        loop {
            bytes.push((n & 0x7f) as u8 | if n > 0x7f { 0x80 } else { 0 });
            n >>= 7;
            if n == 0 {
                return bytes;
            }
        }
    }

    fn delta(base: u64, result: u64, instructions: &[u8]) -> Vec<u8> {
        [size(base), size(result), instructions.to_vec()].concat()
    }

    #[test]
    fn copies_and_inserts() {
        let base: Vec<u8> = (0..100_000u32).map(|i| (i % 251) as u8).collect();
        let mut out = vec![9; 5];
        let d = delta(100_000, 0x10000 + 3 + 0x201, &[0x80, 3, b'x', b'y', b'z', 0xb3, 1, 1, 1, 2]);
        apply(&base, &d, &mut out).unwrap();
        let expected = [&base[..0x10000], b"xyz", &base[0x101..0x101 + 0x201]].concat();
        assert!(out == expected);
        apply(&base, &delta(100_000, 0, &[]), &mut out).unwrap();
        assert!(out.is_empty());
    }

    #[test]
    fn lies_are_refused() {
        let base = [1; 10];
        let mut out = Vec::new();
        for (base_size, result, instructions) in [
            (11, 1, &[1, 0][..]),
            (10, 2, &[1, 0]),
            (10, 1, &[2, 0, 0]),
            (10, u64::MAX, &[1, 0]),
            (10, 1 << 40, &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
            (10, 11, &[0x90, 11]),
            (10, 1, &[0x91, 10, 1]),
            (10, 1, &[0]),
            (10, 1, &[5, 1]),
            (10, 1, &[0x90]),
        ] {
            assert!(
                apply(&base, &delta(base_size, result, instructions), &mut out).is_err(),
                "{instructions:?}"
            );
        }
        assert!(apply(&base, &[], &mut out).is_err());
        assert!(apply(&base, &[0xff; 30], &mut out).is_err());
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_applied_without_panic(base: Vec<u8>, rest: Vec<u8>, result in 0u64..500) {
            let mut out = Vec::new();
            let _ = apply(&base, &rest, &mut out);
            let _ = apply(&base, &delta(base.len() as u64, result, &rest), &mut out);
        }
    }
}
